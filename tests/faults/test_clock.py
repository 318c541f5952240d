"""Clocks that jump, machines that stand elsewhere, nights that end after midnight: order and dates stay."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from freezegun import freeze_time

from ledger.service import Ledger
from ledger.store import EventStore
from ledger.stores import MemoryStore, SqliteStore
from tests.book.kit import THE_CLUB, everything
from tests.faults.kit import SENDER, Data, assert_kept, assert_no_fault, done, evenings, founded, kittybook

MACHINES: Final = ("UTC", "America/Los_Angeles", "Asia/Kathmandu", "Pacific/Kiritimati", "Europe/London")


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The time zone that the machine is set to; the club's is another matter."""
    zone: str = request.param
    if not hasattr(time, "tzset"):
        pytest.skip("this system cannot change its time zone")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        yield zone
    time.tzset()


# Jumps


def test_order_and_balances_do_not_hang_on_any_clock(path: Path) -> None:
    """The server's clock and the devices' jump by seconds, years and decades, back and forth, in mid-night."""
    written = evenings(seed=13, count=2, hands=10)
    rng = random.Random(13)
    now = datetime(2026, 11, 26, 20, 0, tzinfo=UTC)
    founded(path)
    with SqliteStore(path) as store:
        ledger = Ledger(store, clock=lambda: now)
        positions = []
        for command in (command for evening in written for command in evening.commands):
            jump = timedelta(seconds=rng.choice([1, 3600, 86400, 365 * 86400]) * rng.choice([-1, 1]))
            now += jump if 1970 < (now + jump).year < 2100 else -jump
            at = (now + timedelta(days=rng.randint(-9999, 9999))).isoformat()
            (answer,) = done(ledger, {**command, "at": at} if rng.random() < 0.8 else command)
            positions.append(answer["position"])
        rows = everything(store)
    assert positions == sorted(positions)
    times = [row.recorded_at for row in rows]
    assert times != sorted(times), "no clock went back"
    assert [row.position for row in rows] == list(range(1, len(rows) + 1))
    assert_kept(path, written)


def test_a_command_sent_again_at_another_time_is_the_same_command(path: Path) -> None:
    (evening,) = evenings(seed=14, count=1, hands=2)
    founded(path)
    now = datetime(2026, 11, 26, 20, 0, tzinfo=UTC)
    with SqliteStore(path) as store:
        ledger = Ledger(store, clock=lambda: now)
        for command in evening.commands:
            (first,) = done(ledger, {**command, "at": "2026-11-26T20:00:00Z"})
            now -= timedelta(days=400)
            (again,) = done(ledger, {**command, "at": "2031-01-01T00:00:00+05:45"})
            assert (again["status"], again["position"]) == ("duplicate", first["position"])
        stored = {row.device_time for row in everything(store) if row.stream == f"night:{evening.night}"}
    assert stored == {"2026-11-26T20:00:00Z"}


# Dates


NIGHTS: Final = [
    # the club's zone, cut-off, when the night is opened, and the date that it has
    ("America/Los_Angeles", "06:00", "2026-07-04T03:00Z", "2026-07-03"),  # faults, B59: 20:00 there
    ("America/Los_Angeles", "06:00", "2026-07-04T12:59Z", "2026-07-03"),
    ("America/Los_Angeles", "06:00", "2026-07-04T13:00Z", "2026-07-04"),
    ("Asia/Kathmandu", "06:00", "2026-07-04T00:14Z", "2026-07-03"),
    ("Asia/Kathmandu", "06:00", "2026-07-04T00:15Z", "2026-07-04"),
    ("Pacific/Kiritimati", "06:00", "2026-07-03T10:00Z", "2026-07-03"),  # midnight there, the 4th
    ("Pacific/Kiritimati", "06:00", "2026-07-03T16:00Z", "2026-07-04"),
    ("Pacific/Pago_Pago", "06:00", "2026-07-03T16:59Z", "2026-07-02"),
    ("Europe/London", "06:00", "2026-08-31T22:50Z", "2026-08-31"),  # faults, B60: 23:50
    ("Europe/London", "06:00", "2026-09-01T00:00Z", "2026-08-31"),  # 01:00
    ("Europe/London", "06:00", "2026-09-01T04:59Z", "2026-08-31"),
    ("Europe/London", "06:00", "2026-09-01T05:00Z", "2026-09-01"),
    ("Europe/London", "06:00", "2027-01-01T00:30Z", "2026-12-31"),
    ("Europe/London", "06:00", "2028-03-01T02:00Z", "2028-02-29"),
    ("Europe/London", "06:00", "2026-03-29T00:59Z", "2026-03-28"),  # clocks go forward at 01:00
    ("Europe/London", "06:00", "2026-03-29T01:00Z", "2026-03-28"),
    ("Europe/London", "06:00", "2026-03-29T04:59Z", "2026-03-28"),
    ("Europe/London", "06:00", "2026-03-29T05:00Z", "2026-03-29"),
    ("Europe/London", "06:00", "2026-10-25T00:30Z", "2026-10-24"),  # 01:30 for the first time
    ("Europe/London", "06:00", "2026-10-25T01:30Z", "2026-10-24"),  # 01:30 again
    ("Europe/London", "06:00", "2026-10-25T05:59Z", "2026-10-24"),
    ("Europe/London", "06:00", "2026-10-25T06:00Z", "2026-10-25"),
    ("Europe/London", "02:30", "2026-03-29T01:29Z", "2026-03-28"),
    ("Europe/London", "02:30", "2026-03-29T01:30Z", "2026-03-29"),
    ("Europe/London", "00:00", "2026-07-03T22:59Z", "2026-07-03"),
    ("Europe/London", "00:00", "2026-07-03T23:00Z", "2026-07-04"),
]


def opened(store: EventStore, zone: str, cut_off: str, now: datetime) -> tuple[Ledger, Data]:
    """Found a club with one table, and open a night at that moment; return what NightOpened says."""
    ledger = Ledger(store, clock=lambda: now)
    ledger.found(THE_CLUB, "Thursday", SENDER, zone=zone, cut_off=cut_off)
    night: Data = {"table": "tue", "players": ["ann", "bob"], "dealer": "ann"}
    commands: list[tuple[str, Data]] = [
        ("AddMember", {"member": "ann", "name": "Ann"}),
        ("AddMember", {"member": "bob", "name": "Bob"}),
        ("OpenTable", {"table": "tue", "name": "T", "rulebook": "rockets-peep-nap"}),
        ("OpenNight", night),
    ]
    done(ledger, *({"id": ledger.new_id(), "type": kind, "data": data} for kind, data in commands))
    (row,) = (row for row in everything(store) if row.type == "NightOpened")
    return ledger, row.data


def test_a_night_has_the_date_of_the_evening_on_which_it_began(machine: str) -> None:
    for zone, cut_off, moment, date in NIGHTS:
        ledger, said = opened(MemoryStore(), zone, cut_off, datetime.fromisoformat(moment))
        assert (said["date"], said["night"]) == (date, f"tue-{date}"), (machine, zone, cut_off, moment)
        assert_no_fault(ledger)


def test_a_night_across_midnight_is_one_night_and_one_that_begins_then_is_its_sister(path: Path, machine: str) -> None:
    """Faults, B60: hands at 23:50 and 00:40, a table opened at 01:00 and another at 02:00: all are 31 August's."""
    assert machine in MACHINES
    told: dict[str, Any] = {}
    with freeze_time("2026-08-31 22:50:00") as clock:
        assert kittybook("--db", path, "init", "--club", "Thursday").exit_code == 0
        lines: list[Data] = []

        def send(kind: str, night: str | None = None, **data: Any) -> Data:
            number = len(lines) + 1
            line = {"id": f"00000000-0000-4000-8000-{number:012}", "type": kind, "data": data}
            lines.append(line if night is None else {**line, "night": night})
            result = kittybook("--db", path, "apply", "-", stdin=json.dumps(lines[-1]))
            assert result.exit_code == 0, result.output
            verdict: Data = json.loads(result.stdout)
            return verdict

        send("AddMember", member="ann", name="Ann")
        send("AddMember", member="bob", name="Bob")
        send("OpenTable", table="tue", name="T", rulebook="rockets-peep-nap")
        for minutes in (0, 70, 60):
            clock.tick(timedelta(minutes=minutes))
            send("OpenNight", table="tue", players=["ann", "bob"], dealer="ann")
            night = "tue-2026-08-31" + (f"-{len(told) + 1}" if told else "")
            send("RecordHand", night, hand=1, bidder="ann", bid="three", made=True)
            clock.tick(timedelta(minutes=50))
            send("RecordHand", night, hand=2, bidder="ann", bid="three", made=True)
            told[night] = send("CloseNight", night)["balances"]
        clock.tick(timedelta(days=30))
    listed = kittybook("--db", path, "night", "list", "--json")
    nights = json.loads(listed.stdout)
    assert {night["night"]: night["date"] for night in nights} == dict.fromkeys(told, "2026-08-31")
    assert list(told.values()) == [{"ann": 6, "bob": -6}] * 3
    assert kittybook("--db", path, "verify").exit_code == 0


def test_a_book_is_the_same_wherever_it_is_read(path: Path, machine: str) -> None:
    """Dates are stored once: another time zone, or other rules about its summer time, change nothing."""
    (evening,) = evenings(seed=15, count=1, hands=3)
    founded(path)
    with SqliteStore(path) as store:
        done(Ledger(store, clock=lambda: datetime(2026, 10, 25, 0, 30, tzinfo=UTC)), *evening.commands)
        here = [(row.digest, row.data) for row in everything(store)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Pacific/Kiritimati" if machine != "Pacific/Kiritimati" else "America/Los_Angeles")
        time.tzset()
        with SqliteStore(path) as store:
            assert [(row.digest, row.data) for row in everything(store)] == here
        assert_kept(path, [evening])
    assert {data["date"] for _digest, data in here if "dealer" in data and "date" in data} == {"2026-10-24"}
