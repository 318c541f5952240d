"""Whether a book is backed up, for pages and for health: what there is, and whether it is too old or untried."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ledger.store import EventStore
from ledger.stores.sqlite import Noted, Rehearsed, SqliteStore, noted, rehearsed
from ledger.upkeep.rehearsals import OLD as LONG_AGO

OLD: Final = timedelta(days=2)
"""A last backup that is older is told in red: two nightly ones have failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overdue:
    """The last backup is too old: when it was made (None when there is none) and for how many days."""

    at: str | None
    days: int | None


def backups_of(store: EventStore, club: str) -> list[Noted]:
    """Return the newest backup of each place, the newest first: position, when and where. For treasurers only."""
    return noted(store, club) if isinstance(store, SqliteStore) else []


def overdue(store: EventStore, club: str, now: datetime) -> Overdue | None:
    """Return how old the last backup of a club is, where it is older than two days or there is none; else None."""
    found = backups_of(store, club)
    if not found:
        return Overdue(at=None, days=None)
    age = now - datetime.fromisoformat(found[0].at)
    return Overdue(at=found[0].at, days=age.days) if age > OLD else None


def rehearsals_of(store: EventStore, club: str) -> list[Rehearsed]:
    """Return what rehearsals of a club's backups came to, the newest first. For treasurers only."""
    return rehearsed(store, club) if isinstance(store, SqliteStore) else []


def is_rehearsal_overdue(store: EventStore, club: str, now: datetime) -> bool:
    """Return whether no backup of a club was restored in a rehearsal, and found sound, in the last 30 days."""
    good = next((one for one in rehearsals_of(store, club) if one.why is None), None)
    return good is None or now - datetime.fromisoformat(good.at) > LONG_AGO
