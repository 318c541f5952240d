"""What made a member's account, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from typing import Final, NamedTuple

from ledger.club import Club, ClubNight
from ledger.journal import TAKEN_BACK, member_account, player_account, worth
from ledger.service.states import night_stream
from ledger.store import CLUB, JournalLine, Reader
from ledger.values import club_date

STATEMENT_COLUMNS: Final = ("date", "night", "hand", "memo", "change", "balance", "unit")

NO_RESULT: Final = frozenset({"bought", "sold", "transfer", "result"})
"""Entries that move chips which a player has, and not what he won or lost."""


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
    sources = [_of_night(reader, night, ids) for night in club.nights.values() if night.closed and _was_in(night, ids)]
    sources += [_of_club(club, reader, one) for one in ids]
    for _key, (date, night, hand, memo, change, unit) in merge(*sources):
        balances[unit] = balances.get(unit, 0) + change
        yield StatementLine(date, night, hand, memo, change, balances[unit], unit)


_Keyed = tuple[tuple[int, int], tuple[str, str | None, int | None, str, int, str]]


def _was_in(night: ClubNight, ids: tuple[str, ...]) -> bool:
    return any(one in night.players or one == night.banker for one in ids)


def _of_night(reader: Reader, night: ClubNight, ids: tuple[str, ...]) -> Iterator[_Keyed]:
    chip = worth(1, night.money)
    for one in ids:
        if one in night.players or one == night.banker:
            for line in _lines(reader, night_stream(night.id), player_account(one)):
                _entry, hand, memo, _account, unit, amount = line.posting
                base = memo.removesuffix(TAKEN_BACK)
                if unit == night.chips:
                    if base in NO_RESULT:
                        continue
                    amount *= chip
                elif unit != night.unit or base == "result":
                    continue  # points, and what went to his account at the close
                yield (line.position, line.line), (night.date, night.id, hand, memo, amount, night.unit)


def _of_club(club: Club, reader: Reader, member: str) -> Iterator[_Keyed]:
    for line in _lines(reader, CLUB, member_account(member)):
        (event,) = reader.events(line.position - 1, 1)
        night = event.data.get("night")
        date = event.data.get("date") or club_date(line.recorded_at, club.zone, club.cut_off)
        posting = line.posting
        yield (
            (line.position, line.line),
            (
                str(date),
                None if night is None else str(night),
                posting.hand,
                posting.memo,
                posting.amount,
                posting.unit,
            ),
        )


def _lines(reader: Reader, stream: str, account: str) -> Iterator[JournalLine]:
    after = (0, 0)
    while page := reader.postings(stream=stream, account=account, after=after):
        yield from page
        after = (page[-1].position, page[-1].line)
