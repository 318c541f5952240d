"""When a backup is due, what it is called, and which are kept: arithmetic with dates only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

ALL_FOR: Final = timedelta(days=7)
"""For so long every backup is kept,"""

WEEKLY_FOR: Final = timedelta(days=91)
"""for so long the last of each week (Monday to Sunday, in UTC), and the last of each month for ever."""

_STAMP: Final = "%Y-%m-%dT%H%M%SZ"


def last_nightly(now: datetime, zone: str, cut_off: str) -> datetime:
    """Return when it was last the hour at which a club's night ends, in UTC."""
    hours, minutes = map(int, cut_off.split(":"))
    local = now.astimezone(ZoneInfo(zone))
    found = local.replace(hour=hours, minute=minutes, second=0, microsecond=0, fold=0)
    if found.astimezone(UTC) > now:
        found = (found - timedelta(days=1)).replace(hour=hours, minute=minutes)
    return found.astimezone(UTC)


def name_of(clubs: Iterable[str], at: datetime) -> str:
    """Return what a backup is called: its clubs, and when it was made, in UTC."""
    return f"{_prefix(clubs)}{at.astimezone(UTC).strftime(_STAMP)}.db"


def made_at(name: str, clubs: Iterable[str]) -> datetime | None:
    """Return when a file was made, if its name is that of a backup of these clubs."""
    found = re.fullmatch(re.escape(_prefix(clubs)) + r"(\d{4}-\d\d-\d\dT\d{6}Z)\.db", name)
    if found is None:
        return None
    try:
        return datetime.strptime(found[1], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def superfluous(made: Iterable[datetime], now: datetime) -> set[datetime]:
    """Return the backups that need be kept no longer, by when they were made; never the newest of all."""
    every = sorted(made)
    weeks = {at.isocalendar()[:2]: at for at in every}  # the last of each stays
    months = {(at.year, at.month): at for at in every}
    kept = {at for at in every if now - at <= ALL_FOR}
    kept |= {at for at in weeks.values() if now - at <= WEEKLY_FOR}
    return set(every) - kept - set(months.values())


def _prefix(clubs: Iterable[str]) -> str:
    return "-".join(sorted(clubs))[:80] + "-"
