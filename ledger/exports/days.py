"""Which day something is of: a club's own days, which end at its cut-off, and the days of a season."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from ledger.club import Club
from ledger.errors import SeasonUnknown
from ledger.store import JSON


class Days(NamedTuple):
    """From one day to another, both included; without a last day, without an end."""

    first: str
    last: str | None

    def hold(self, day: str) -> bool:
        return self.first <= day and (self.last is None or day <= self.last)


ALL_DAYS = Days("", None)


def days_of_season(club: Club, season: str | None) -> Days:
    """Return the days of a season, or of everything. Raises ``SeasonUnknown``."""
    if season is None:
        return ALL_DAYS
    found = club.seasons.get(season)
    if found is None:
        raise SeasonUnknown(field="season", season=season)
    return Days(found.started, found.ended)


def day_of(club: Club, recorded_at: str) -> str:
    """Return the club's local date at a time, less its cut-off: what is done after midnight is of the night before."""
    hours, minutes = map(int, club.cut_off.split(":"))
    local = datetime.fromisoformat(recorded_at).astimezone(ZoneInfo(club.zone)).replace(tzinfo=None)
    return (local - timedelta(hours=hours, minutes=minutes)).date().isoformat()


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
