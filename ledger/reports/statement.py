"""What made a member's account, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any, Final, NamedTuple

from ledger.club import Club
from ledger.journal import TAKEN_BACK, member_account, player_account, worth
from ledger.service.states import night_stream
from ledger.store import CLUB, JournalLine, Reader

STATEMENT_COLUMNS: Final = ("date", "night", "hand", "memo", "change", "balance", "unit")

_PAGE: Final = 1_000

_MOVED_ONLY: Final = ("bought", "sold", "transfer", "result")
NO_RESULT: Final = frozenset((*_MOVED_ONLY, *(memo + TAKEN_BACK for memo in _MOVED_ONLY)))
"""Entries that move chips which a player has, and not what he won or lost."""

_CLOSED: Final = frozenset(("result", "result" + TAKEN_BACK))


class StatementLine(NamedTuple):
    """A line of a statement. ``balance`` is of its unit, this line counted in; positive is to the member."""

    date: str
    night: str | None
    hand: int | None
    memo: str
    change: int
    balance: int
    unit: str


def statement(club: Club, reader: Reader, member: str) -> Iterator[StatementLine]:
    """Yield what made a member's account, in the order in which it was written; the changes sum to the balance.

    Of each closed night it has every line that won or lost him chips, in what they are worth, and the money that he
    paid and was paid at the table; and besides payments, adjustments, charges and corrections. Everything of all ids
    that he goes by is his. An open night is not in the account yet.
    """
    balances: dict[str, int] = {}
    ids = club.aliases(member)
    lines = [line for one in ids for line in (*_of_nights(club, reader, one), *_of_club(club, reader, one))]
    lines.sort(key=itemgetter(0, 1))
    for _position, _line, date, night, hand, memo, change, unit in lines:
        balances[unit] = balances.get(unit, 0) + change
        yield StatementLine(date, night, hand, memo, change, balances[unit], unit)


_Line = tuple[int, int, str, str | None, int | None, str, int, str]
"""A line behind its place in the journal; its balance is not known yet."""

_AT_ONCE: Final = 100
"""So many nights are read at once."""


def _of_nights(club: Club, reader: Reader, member: str) -> Iterator[_Line]:
    nights = {
        night_stream(night.id): night
        for night in club.nights.values()
        if night.closed and (member in night.players or member == night.banker)
    }
    streams = [*nights]
    for first in range(0, len(streams), _AT_ONCE):
        seen = ""
        for stream, position, line, hand, memo, unit, amount in reader.moves(
            streams[first : first + _AT_ONCE], player_account(member)
        ):
            if stream != seen:
                seen, night = stream, nights[stream]
                chip, chips, settled, date, name = worth(1, night.money), night.chips, night.unit, night.date, night.id
            if unit == chips:
                if memo in NO_RESULT:
                    continue
                amount *= chip
            elif unit != settled or memo in _CLOSED:
                continue  # points, and what went to his account at the close
            yield position, line, date, name, hand, memo, amount, settled


def _of_club(club: Club, reader: Reader, member: str) -> Iterator[_Line]:
    for line in _lines(reader, CLUB, member_account(member)):
        (event,) = reader.events(line.position - 1, 1)
        night = event.data.get("night") or _only_night(event.data)
        date = event.data.get("date") or club.day_of(event.version, line.recorded_at)
        posting = line.posting
        of_night = None if night is None else str(night)
        yield line.position, line.line, str(date), of_night, posting.hand, posting.memo, posting.amount, posting.unit


def _only_night(data: Mapping[str, Any]) -> str | None:
    """Return the night that all of a payment settles, if there is one."""
    parts: list[Mapping[str, Any]] = data.get("nights") or []
    whole = len(parts) == 1 and parts[0]["amount"] == data["amount"]
    return str(parts[0]["night"]) if whole else None


def _lines(reader: Reader, stream: str, account: str) -> Iterator[JournalLine]:
    after = (0, 0)
    while page := reader.postings(stream=stream, account=account, after=after, limit=_PAGE):
        yield from page
        if len(page) < _PAGE:
            break
        after = (page[-1].position, page[-1].line)
