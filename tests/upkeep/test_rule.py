"""When a backup is due and which are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.upkeep.rule import last_nightly, made_at, name_of, superfluous

pytestmark = pytest.mark.dates


def moments(first: int, last: int) -> st.SearchStrategy[datetime]:
    seconds = st.integers(*(int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (first, last)))
    return seconds.map(lambda found: datetime.fromtimestamp(found, UTC))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("now", "zone", "cut_off", "found"),
    [
        ("2026-11-30T05:59Z", "Europe/London", "06:00", "2026-11-29T06:00Z"),
        ("2026-11-30T06:00Z", "Europe/London", "06:00", "2026-11-30T06:00Z"),
        ("2026-07-01T05:30Z", "Europe/London", "06:00", "2026-07-01T05:00Z"),
        ("2026-11-30T13:00Z", "America/Los_Angeles", "06:00", "2026-11-29T14:00Z"),
        ("2026-11-30T00:15Z", "Asia/Kathmandu", "06:00", "2026-11-30T00:15Z"),
        ("2026-03-08T12:00Z", "America/Los_Angeles", "02:30", "2026-03-08T10:30Z"),  # an hour that there was not
        ("2026-11-30T12:00Z", "Pacific/Kiritimati", "00:00", "2026-11-30T10:00Z"),
    ],
)
def test_a_night_is_over_at_the_clubs_own_hour(now: str, zone: str, cut_off: str, found: str) -> None:
    assert last_nightly(at(now), zone, cut_off) == at(found)


@given(moments(2020, 2030))
def test_the_last_end_of_a_night_is_behind_us_and_no_further_than_a_day(now: datetime) -> None:
    for zone in ("Europe/London", "America/Los_Angeles", "Asia/Kathmandu", "Australia/Lord_Howe"):
        assert timedelta(0) <= now - last_nightly(now, zone, "06:00") < timedelta(hours=25, minutes=1)


def test_a_name_says_when_it_was_made_and_names_of_others_are_left_alone() -> None:
    made = at("2026-11-30T06:00:05Z")
    name = name_of(["corner"], made)
    assert name == "corner-2026-11-30T060005Z.db"
    assert made_at(name, ["corner"]) == made
    for other in ("corner-2026-11-30.db", f"x{name}", f"{name}.part", "corner-two-2026-11-30T060005Z.db", "book.db"):
        assert made_at(other, ["corner"]) is None
    assert made_at("corner-2026-13-30T060005Z.db", ["corner"]) is None


def test_a_year_of_nightly_backups_leaves_a_week_then_weeks_then_months() -> None:
    there: set[datetime] = set()
    now = at("2026-01-01T06:00Z")
    for _ in range(365):
        there.add(now)
        there -= superfluous(there, now)
        now += timedelta(days=1)
    now -= timedelta(days=1)
    ages = sorted((now - each).days for each in there)
    assert ages[:8] == list(range(8))
    weeks = [each for each in ages if 7 < each <= 91]
    assert max(b - a for a, b in pairwise(weeks)) <= 7
    assert {(each.year, each.month) for each in there} == {(2026, month) for month in range(1, 13)}
    assert len(there) <= 8 + 13 + 12 + 3


@given(st.lists(moments(2024, 2027), max_size=40))
def test_what_is_kept_holds_the_newest_and_is_kept_again(every: list[datetime]) -> None:
    now = datetime(2026, 6, 1, tzinfo=UTC)
    made = set(every)
    kept = made - superfluous(made, now)
    assert not superfluous(kept, now)
    assert not made or max(made) in kept
    assert {each for each in made if now - each <= timedelta(days=7)} <= kept
