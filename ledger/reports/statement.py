"""What made a member's account, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from typing import Any, Final, NamedTuple

from ledger.club import Club, ClubNight
from ledger.journal import TAKEN_BACK, Money, member_account, player_account, worth
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
    stream = night_stream(night.id)
    (opened,) = (next(reader.stream(stream)),)
    unit, money = str(opened.data["unit"]), _money(opened.data)
    for one in ids:
        if one in night.players or one == night.banker:
            for line in _lines(reader, stream, player_account(one)):
                posting = line.posting
                base = posting.memo.removesuffix(TAKEN_BACK)
                if base == "result" or (posting.unit == unit and base in NO_RESULT):
                    continue
                if posting.unit == unit:
                    change = worth(posting.amount, money)
                elif posting.unit == night.unit:
                    change = posting.amount
                else:
                    continue  # points
                yield (line.position, line.line), (night.date, night.id, posting.hand, posting.memo, change, night.unit)


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


def _money(data: dict[str, Any]) -> Money | None:
    money: Money | None = data.get("money")
    return money
