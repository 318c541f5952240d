"""Account, posting, journal entry: what moved, from where, to where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

POINTS: Final = "points"
"""The unit that Pepper counts in."""

TILL: Final = "till"
SHORTAGE: Final = "shortage"


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
