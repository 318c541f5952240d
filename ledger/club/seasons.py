"""The days of a season, and the nights that are dated within it."""

from __future__ import annotations

from typing import NamedTuple

from ledger.club.state import Club, ClubNight
from ledger.errors import SeasonUnknown, TableUnknown


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


def nights_of(club: Club, *, table: str | None = None, season: str | None = None) -> list[ClubNight]:
    """Return the closed nights of a table, of a season, or all, by date. Raises ``TableUnknown``, ``SeasonUnknown``."""
    if table is not None and table not in club.tables:
        raise TableUnknown(field="table", table=table)
    days = days_of_season(club, season)
    nights = [
        night
        for night in club.nights.values()
        if night.closed and table in (None, night.table) and days.hold(night.date)
    ]
    return sorted(nights, key=lambda night: night.date)
