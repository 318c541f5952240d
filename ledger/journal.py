"""Account, posting, journal entry: what moved, from where, to where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

POINTS: Final = "points"
"""The unit that Pepper counts in."""

TILL: Final = "till"
"""What the club holds beside the players: chips that nobody at a table has, and in the club's own affairs money."""

SHORTAGE: Final = "shortage"
"""What a count found missing (positive: less was there than the book said) or left over."""

CASH: Final = "cash"
"""The cash box: minus what lies in it, since that is owed to somebody."""

CHARGES: Final = "charges"
"""What the club took for itself."""

EXCHANGE: Final = "exchange"
"""Stands against every change of chips to money, in both units."""

TAKEN_BACK: Final = " taken back"
"""How the memo of an entry ends that takes another back."""

Money = Mapping[str, Any]
"""``currency`` and ``chip``, what a chip is worth in its minor units; None where chips alone are kept."""


class Posting(NamedTuple):
    """A line of an entry: so much of a unit to an account. Positive is to the player, or into the pool."""

    account: str
    unit: str
    amount: int


class JournalEntry(NamedTuple):
    """Postings that belong together, and so sum to zero in every unit; ``entry`` builds no other."""

    memo: str
    hand: int | None
    postings: tuple[Posting, ...]


def entry(memo: str, hand: int | None, amounts: Mapping[tuple[str, str], int]) -> JournalEntry:
    """Return an entry of (account, unit) to amount, zeros left out.

    Raises ``AssertionError`` when it is out of balance.
    """
    postings = tuple(Posting(account, unit, amount) for (account, unit), amount in amounts.items() if amount)
    for unit, total in totals(postings).items():
        if total:
            raise AssertionError(f"{memo!r} is out of balance by {total} {unit}")
    return JournalEntry(memo, hand, postings)


def totals(postings: Iterable[Posting]) -> dict[str, int]:
    """Return the sum of postings by unit."""
    sums: dict[str, int] = {}
    for _account, unit, amount in postings:
        sums[unit] = sums.get(unit, 0) + amount
    return sums


def player_account(player: str) -> str:
    """Return the account of the chips in front of a player tonight."""
    return f"player:{player}"


def member_account(member: str) -> str:
    """Return the account of what a member has to come from closed nights."""
    return f"member:{member}"


def pool_account(table: str) -> str:
    """Return the account of a table's pool, which carries from night to night."""
    return f"pool:{table}"


def chips_unit(table: str, series: int) -> str:
    """Return the unit of a table's chips; the series rises when what they are worth changes."""
    return f"chips:{table}.{series}"


def cash_account(party: str) -> str:
    """Return the account that money is paid from or to: the cash box for the till, a shortage, else a member's."""
    return {TILL: CASH, SHORTAGE: SHORTAGE}.get(party) or member_account(party)


def party_account(party: str) -> str:
    """Return the account that a party's claims stand in, where no cash changes hands."""
    return party if party in (TILL, SHORTAGE) else member_account(party)


def settled_in(unit: str, money: Money | None) -> str:
    """Return the unit in which chips of a unit are settled: their currency, or themselves."""
    return unit if money is None else str(money["currency"])


def worth(chips: int, money: Money | None) -> int:
    """Return what chips are worth, in the unit in which they are settled."""
    return chips if money is None else chips * int(money["chip"])


Amounts = dict[tuple[str, str], int]
"""(account, unit) to amount, while an entry is made."""


def exchanged(amounts: Amounts, chips: Mapping[str, int], unit: str, money: Money | None) -> None:
    """Post chips to accounts that are kept in what they are settled in: their worth, and ``exchange`` between both."""
    settled = settled_in(unit, money)
    for account, count in chips.items():
        post(amounts, account, settled, worth(count, money))
        if money is not None:
            post(amounts, EXCHANGE, settled, -worth(count, money))
            post(amounts, EXCHANGE, unit, count)


def post(amounts: Amounts, account: str, unit: str, amount: int) -> None:
    """Add an amount to what an entry posts to an account."""
    amounts[account, unit] = amounts.get((account, unit), 0) + amount
