"""Dates at the door, with the clock of the machine stopped: nights, seasons and payments have the club's date.

Across midnight, at the end of a month and a year, and on the nights on which the clocks go forward and back. The same
must come out wherever the machine stands: `scripts/test` runs this in three time zones.
"""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from freezegun import freeze_time

from tests.cli.book import apply, command, data, kittybook, record

pytestmark = [pytest.mark.dates, pytest.mark.usefixtures("folder")]

# zone, cut-off, when the night begins, the last minute of the club's evening, and the date of that evening
EVENINGS = {
    "a summer evening": ("Europe/London", "06:00", "2026-07-14T18:30Z", "2026-07-15T04:59Z", "2026-07-14"),
    "the end of a month": ("Europe/London", "06:00", "2026-08-31T22:50Z", "2026-09-01T04:59Z", "2026-08-31"),
    "clocks go forward": ("Europe/London", "06:00", "2026-03-28T22:30Z", "2026-03-29T04:59Z", "2026-03-28"),
    "clocks go back": ("Europe/London", "06:00", "2026-10-24T22:30Z", "2026-10-25T05:59Z", "2026-10-24"),
    "forward in Los Angeles": ("America/Los_Angeles", "06:00", "2026-03-08T06:30Z", "2026-03-08T12:59Z", "2026-03-07"),
    "back in Los Angeles": ("America/Los_Angeles", "06:00", "2026-11-01T05:30Z", "2026-11-01T13:59Z", "2026-10-31"),
    "an early cut-off": ("America/Los_Angeles", "02:30", "2026-11-01T05:30Z", "2026-11-01T10:29Z", "2026-10-31"),
    "no cut-off": ("Europe/London", "00:00", "2026-08-31T18:00Z", "2026-08-31T22:59Z", "2026-08-31"),
    "quarters of an hour": ("Asia/Kathmandu", "06:00", "2026-09-30T17:45Z", "2026-10-01T00:14Z", "2026-09-30"),
    "a year ends first here": ("Pacific/Kiritimati", "06:00", "2026-12-31T09:30Z", "2026-12-31T15:59Z", "2026-12-31"),
    "and here last": ("Pacific/Pago_Pago", "06:00", "2027-01-01T10:30Z", "2027-01-01T16:59Z", "2026-12-31"),
    "a leap day": ("Europe/London", "06:00", "2028-02-29T22:00Z", "2028-03-01T05:59Z", "2028-02-29"),
}


def club(zone: str, cut_off: str) -> None:
    money = ("--currency", "GBP", "--chip", "10")
    kittybook("init", "--club", "The Club", "--slug", "club", "--zone", zone, "--cut-off", cut_off, *money)
    for name in ("Ann", "Bob", "Cal"):
        kittybook("member", "add", name, "--id", name.lower())
    kittybook("table", "open", "Tuesday", "--rulebook", "rockets-peep-nap")


def rows(*args: str) -> list[dict[str, str]]:
    return list(csv.DictReader(kittybook("export", *args).stdout.splitlines()))


@pytest.mark.parametrize("evening", EVENINGS)
def test_an_evening_has_one_date_from_its_first_hand_to_its_cut_off(evening: str) -> None:
    """The night, its season, and what is paid until the cut-off; a minute later the next day has begun."""
    zone, cut_off, begins, ends, date = EVENINGS[evening]
    night = f"tuesday-{date}"
    next_day = (datetime.fromisoformat(date) + timedelta(days=1)).date().isoformat()
    first, last = (datetime.fromisoformat(moment).astimezone(UTC) for moment in (begins, ends))
    moments = [first + (last - first) * part / 8 for part in range(8)]
    with freeze_time(first) as clock:
        club(zone, cut_off)
        apply(command("StartSeason", None, season="spring", name="Spring"))
        opened = ("night", "open", "--table", "tuesday", "--players", "ann,bob,cal", "--dealer", "ann")
        assert kittybook(*opened).stdout.startswith(f"{night} is open")
        for hand, moment in enumerate(moments, 1):
            clock.move_to(moment)
            apply(record(hand, "bob", "two", True, night))
        kittybook("night", "close", night)
        kittybook("payment", "record", "ann", "bob", "1.20")
        clock.move_to(last)
        kittybook("payment", "record", "cal", "bob", "0.30")
        kittybook(*opened)  # an evening may have two nights
        clock.move_to(last + timedelta(minutes=1))
        kittybook("payment", "record", "cal", "till", "1.30")
        apply(command("RecordPayment", None, **{"from": "cal", "to": "bob", "amount": 10, "date": "2026-01-01"}))
        kittybook("night", "close", f"{night}-2")
        assert kittybook(*opened).stdout.startswith(f"tuesday-{next_day} is open")
    assert {one["night"]: one["date"] for one in data("night", "list", "--json")} == {
        night: date, f"{night}-2": date, f"tuesday-{next_day}": next_day,
    }  # fmt: skip
    payments = data("payment", "list", "--json")
    assert [(one["amount"], one["date"]) for one in payments] == [
        (120, date), (30, date), (130, next_day), (10, "2026-01-01"),
    ]  # fmt: skip
    assert {row["date"] for row in rows("settlement", "--night", night)} == {date}
    told = {(row["memo"], row["date"]) for row in rows("statement", "--member", "cal")}
    assert told == {("two", date), ("payment", date), ("payment", next_day), ("payment", "2026-01-01")}
    written = [datetime.fromisoformat(row["recorded_at"]) for row in rows("journal")]
    assert written == sorted(written)
    assert [row for row in rows("journal", "--night", night) if not row["recorded_at"].endswith("Z")] == []
    kittybook("verify")


@pytest.mark.parametrize("evening", EVENINGS)
def test_a_season_ends_with_the_evening_on_which_that_is_said(evening: str) -> None:
    zone, cut_off, begins, ends, date = EVENINGS[evening]
    opened = ("night", "open", "--table", "tuesday", "--players", "ann,bob", "--dealer", "ann")
    nights = []

    def play() -> str:
        night = kittybook(*opened).stdout.partition(" ")[0]
        apply(record(1, "ann", "three", True, night))
        kittybook("night", "close", night)
        nights.append(night)
        return night

    with freeze_time(datetime.fromisoformat(begins) - timedelta(days=1)) as clock:
        club(zone, cut_off)
        before = play()
        clock.move_to(datetime.fromisoformat(begins))
        apply(command("StartSeason", None, season="spring", name="Spring"))
        in_it = play()
        clock.move_to(datetime.fromisoformat(ends))
        apply(command("EndSeason", None, season="spring"))
        also_in_it = play()
        clock.tick(timedelta(minutes=1))
        after = play()
    assert {row["night"] for row in rows("settlement", "--season", "spring")} == {in_it, also_in_it}
    assert {row["night"] for row in rows("settlement")} == {before, in_it, also_in_it, after}
    events = [json.loads(line) for line in kittybook("export", "events").stdout.splitlines()]
    assert [row["data"]["date"] for row in events if row["type"] in ("SeasonStarted", "SeasonEnded")] == [date, date]


@pytest.mark.parametrize("evening", EVENINGS)
def test_what_is_corrected_next_day_is_dated_then(evening: str) -> None:
    """Faults, B27: a closed night is not touched; its correction has the date on which it was made."""
    zone, cut_off, begins, ends, date = EVENINGS[evening]
    night = f"tuesday-{date}"
    with freeze_time(datetime.fromisoformat(begins)) as clock:
        club(zone, cut_off)
        kittybook("night", "open", "--table", "tuesday", "--players", "ann,bob,cal", "--dealer", "ann")
        apply(record(1, "ann", "two", True, night))
        kittybook("night", "close", night)
        before = rows("settlement", "--night", night)
        for moment in (datetime.fromisoformat(ends), datetime.fromisoformat(ends) + timedelta(minutes=1)):
            clock.move_to(moment)
            facts = {"bidder": "ann", "bid": "two", "made": moment > datetime.fromisoformat(ends)}
            apply(command("CorrectClosedHand", None, night=night, hand=1, facts=facts, reason="so it was"))
    next_day = (datetime.fromisoformat(date) + timedelta(days=1)).date().isoformat()
    lines = [(row["memo"], row["date"], row["night"]) for row in rows("statement", "--member", "bob")]
    assert lines == [("two", date, night), ("correction", date, night), ("correction", next_day, night)]
    assert rows("settlement", "--night", night) == before
    assert all(one <= other for one, other in pairwise(line[1] for line in lines))
