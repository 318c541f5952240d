"""What entries move in the purses of a night, and how much of it can be counted."""

from __future__ import annotations

from ledger.errors import TotalTooLarge
from ledger.journal import JournalEntry
from ledger.night.state import Night, Purse
from ledger.night.steps import (
    accounts_of,
)
from ledger.values import TOTAL_LIMIT


def with_posted(night: Night, entries: tuple[JournalEntry, ...]) -> Night:
    """Let hands, fines and counts move the players' balances, as long as the night can still be closed."""
    after = with_moved(night, entries)
    if after is not night:
        require_countable(after)
    return after


def with_moved(night: Night, entries: tuple[JournalEntry, ...]) -> Night:
    """Let entries move the players' balances, however large they grow."""
    changes = balance_changes(entries, night.opened.unit)
    if not changes:
        return night
    purses = dict(night.purses)
    for player, change in changes.items():
        purse = purses.get(player, Purse())
        purses[player] = purse._replace(balance=purse.balance + change)
    return night._replace(purses=purses)


def require_countable(night: Night, short: int = 0) -> None:
    """Raise ``TotalTooLarge`` for a night that could come to more than can be counted, however it is closed.

    What each party has to come is at most the sum of all that lies before players, in the pool and is missing, so
    that is kept well below the limit of a single amount.
    """
    limit = TOTAL_LIMIT // 8 // night.worth(1)
    pool = max(night.carry.pool, night.pool)
    if not sum(abs(purse.balance) for purse in night.purses.values()) + pool <= limit:
        balances = {player: abs(purse.balance) for player, purse in night.purses.items()}
        most = max(balances, key=balances.__getitem__)
        raise TotalTooLarge(field="the pool" if pool >= balances[most] else f"the balance of {most}")
    if not abs(short) <= limit:
        raise TotalTooLarge(field="what is missing")


def with_nothing_lost(night: Night) -> Night:
    """Return a night in which chips were counted or corrected. Raises ``TotalTooLarge``."""
    require_countable(night, accounts_of(night.steps).get(night.accounts.shortage, 0))
    return night


def balance_changes(entries: tuple[JournalEntry, ...], unit: str) -> dict[str, int]:
    """Return what entries move, in a unit, by player."""
    changes: dict[str, int] = {}
    for item in entries:
        for account, posted_unit, amount in item.postings:
            if posted_unit == unit and account.startswith("player:"):
                player = account[7:]
                changes[player] = changes.get(player, 0) + amount
    return changes
