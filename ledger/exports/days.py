"""Which day something is of: the one it says, or the club's own, which ends at its cut-off."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from ledger.club import Club
from ledger.store import JSON
from ledger.values import club_date


def day_of(club: Club, recorded_at: str) -> str:
    """Return the club's local date at a time, less its cut-off: what is done after midnight is of the night before."""
    return club_date(recorded_at, club.zone, club.cut_off)


def day_given(data: Mapping[str, JSON]) -> str | None:
    """Return the date that an event says it is of, as that of a payment; None where it says none."""
    given: Any = data.get("date")
    try:
        return date.fromisoformat(given).isoformat()
    except (TypeError, ValueError):
        return None


def day_after(day: str) -> str:
    """Return the day behind a day."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
