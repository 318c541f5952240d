"""A served book is backed up by rule, and says truly how far."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import StoreBusy
from ledger.service import Ledger
from ledger.stores import SqliteStore
from ledger.stores.sqlite import backup, restore
from ledger.upkeep import Upkeep, backups_of, default_place, overdue
from tests.book.kit import THE_CLUB, Book
from tests.cli.book import kittybook

NIGHT = "peep-2026-11-26"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with SqliteStore(tmp_path / "club.db", create=True) as store:
        yield store


@pytest.fixture
def book(store: SqliteStore) -> Book:
    book = Book(store, ["ann", "bob", "cal", "dot"])
    book.done("OpenTable", table="peep", name="Peep", rulebook="rockets-peep-nap")
    book.done("OpenNight", table="peep", night=NIGHT, players=["ann", "bob", "cal", "dot"], dealer="dot")
    return book


class Kept:
    """An upkeep with a clock that stands still, on a book."""

    def __init__(self, store: SqliteStore, *places: Path) -> None:
        self.now = datetime(2026, 11, 26, 22, 0, tzinfo=UTC)
        self.upkeep = Upkeep(store, places, clock=lambda: self.now)

    def look(self, **later: int) -> list[Path]:
        self.now += timedelta(**later)
        return self.upkeep.look()


def position(store: SqliteStore) -> int:
    with store.read(THE_CLUB) as reader:
        return reader.head().position


def told(store: SqliteStore) -> int | None:
    with store.read(THE_CLUB) as reader:
        return reader.head().backed_up_to


def test_the_first_goes_beside_the_store_and_the_next_follows_a_close(store: SqliteStore, book: Book) -> None:
    kept = Kept(store)
    assert told(store) is None
    (first,) = kept.look()
    assert first.parent == default_place(store.path) == store.path.with_name("club-backups")
    assert first.parent.stat().st_mode & 0o777 == 0o700
    assert first.stat().st_mode & 0o777 == 0o600
    assert told(store) == position(store)
    book.done("RecordHand", NIGHT, hand=1, bidder="ann", bid="three", made=True)
    assert kept.look(minutes=5) == []
    assert told(store) == position(store) - 1
    book.done("CloseNight", NIGHT)
    (second,) = kept.look(minutes=5)
    assert told(store) == position(store)
    assert kept.look(minutes=5) == []
    assert sorted(first.parent.iterdir()) == [first, second]


@pytest.mark.usefixtures("book")
def test_one_is_made_when_the_clubs_night_is_over_whether_or_not_anything_happened(store: SqliteStore) -> None:
    kept = Kept(store)
    assert len(kept.look()) == 1
    assert kept.look(hours=7) == []  # 05:00
    assert len(kept.look(hours=1)) == 1
    assert kept.look(hours=1) == []
    assert len(kept.look(days=3)) == 1  # the machine slept


def test_a_close_while_nobody_served_is_backed_up_at_the_start(store: SqliteStore, book: Book) -> None:
    kept = Kept(store)
    kept.look()
    book.done("CloseNight", NIGHT)
    again = Kept(store)
    assert len(again.look(minutes=1)) == 1
    assert again.look(minutes=1) == []


def test_what_it_made_is_sound_and_restores_to_what_it_claims(store: SqliteStore, book: Book, tmp_path: Path) -> None:
    book.done("RecordHand", NIGHT, hand=1, bidder="ann", bid="three", made=True)
    (file,) = Kept(store).look()
    restored = restore(file, tmp_path / "other.db", epoch="e2", stamp="x")
    with store.read(THE_CLUB) as reader:
        head = reader.head()
    assert restored.heads[THE_CLUB].digest == head.digest
    with SqliteStore(tmp_path / "other.db") as other:
        assert told(other) is None  # another history: what covers it has yet to be made
        assert overdue(other, THE_CLUB, datetime.now(UTC)) is not None
        assert len(Kept(other).look()) == 1
        assert told(other) == head.position


def test_a_second_place_gets_its_own_and_its_absence_harms_nothing(
    store: SqliteStore, book: Book, tmp_path: Path
) -> None:
    disk, stick = tmp_path / "disk", tmp_path / "stick"
    disk.mkdir()
    kept = Kept(store, disk, stick)
    assert [file.parent for file in kept.look()] == [disk]
    (failure,) = kept.upkeep.failures()
    assert failure.code == "backup_place_missing"
    assert str(stick) in failure.detail
    assert not stick.exists()  # or the wrong disk would fill
    book.done("CloseNight", NIGHT)
    assert [file.parent for file in kept.look(seconds=2)] == [disk]
    stick.mkdir()
    assert [file.parent for file in kept.look(seconds=2)] == [stick]  # as soon as it is plugged in
    assert kept.upkeep.failures() == []
    assert {each.place for each in backups_of(store, THE_CLUB)} == {str(disk), str(stick)}
    shutil.rmtree(stick)
    assert [file.parent for file in kept.look(days=1)] == [disk]


def test_a_failure_is_kept_for_who_asks_and_tried_again_after_a_while(
    store: SqliteStore, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = []

    def refuse(*_: Any) -> None:
        times.append(1)
        raise OSError("the stick was pulled out")

    kept = Kept(store)
    with monkeypatch.context() as patch:
        patch.setattr("ledger.upkeep.backups.backup", refuse)
        assert kept.look() == kept.look(minutes=9) == []
        assert len(times) == 1
        assert kept.look(minutes=1) == []
        assert len(times) == 2
        (failure,) = kept.upkeep.failures()
        assert failure.code == "backup_failed"
        assert "pulled out" in failure.detail
        assert kept.upkeep.last() is None
        assert book.send("AddNote", NIGHT, note="on we go")["status"] == "recorded"
    assert len(kept.look(minutes=10)) == 1
    assert kept.upkeep.failures() == []


@pytest.mark.usefixtures("book")
def test_old_ones_go_by_the_rule_and_what_is_not_its_own_stays(store: SqliteStore) -> None:
    kept = Kept(store)
    folder = default_place(store.path)
    kept.look()
    strange = [folder / "notes.txt", folder / "strangers-2020-01-01T000000Z.db", folder / "thursday-2020.db"]
    part = folder / "thursday-2020-01-01T000000Z.db.abc.part"
    for file in (*strange, part):
        file.write_text("x")
    for _ in range(40):
        kept.look(days=1)
    names = {file.name for file in folder.iterdir()}
    assert {file.name for file in strange} <= names
    assert part.name not in names
    assert len(names) - len(strange) < 8 + 6 + 3


@pytest.mark.usefixtures("book")
def test_the_last_is_overdue_after_two_days(store: SqliteStore) -> None:
    kept = Kept(store)
    late = overdue(store, THE_CLUB, kept.now)
    assert late is not None
    assert (late.at, late.days) == (None, None)
    kept.look()
    assert overdue(store, THE_CLUB, kept.now + timedelta(days=2)) is None
    late = overdue(store, THE_CLUB, kept.now + timedelta(days=3, hours=1))
    assert late is not None
    assert (late.at, late.days) == ("2026-11-26T22:00:00.000Z", 3)


@pytest.mark.usefixtures("book")
def test_a_clock_that_was_wrong_does_not_keep_backups_from_being_made(store: SqliteStore) -> None:
    kept = Kept(store)
    kept.look(days=3_000)
    assert len(kept.look(days=-3_000)) == 1
    assert kept.look(minutes=1) == []


def test_two_processes_do_not_make_the_same(store: SqliteStore, book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Kept(store), Kept(store)
    begun, go_on = threading.Event(), threading.Event()

    def slow(*arguments: Any) -> Any:
        begun.set()
        go_on.wait(5)
        return backup(*arguments)

    monkeypatch.setattr("ledger.upkeep.backups.backup", slow)
    at_it = threading.Thread(target=first.look)
    at_it.start()
    begun.wait(5)
    assert second.look() == []
    assert book.send("AddNote", NIGHT, note="no tap waits")["status"] == "recorded"
    go_on.set()
    at_it.join()
    assert second.look() == []
    assert second.upkeep.failures() == []
    assert len(list(default_place(store.path).iterdir())) == 1


def test_a_store_without_a_club_is_left_alone(store: SqliteStore) -> None:
    assert Kept(store).look() == []
    store.found(THE_CLUB, "e1")
    assert Kept(store).look() == []
    Ledger(store).found("other", "Another", sender=_sender(), another=True)
    assert len(Kept(store).look()) == 1


def _sender() -> Any:
    from ledger.service import Sender

    return Sender(actor="owner")


@pytest.mark.usefixtures("book")
def test_the_thread_ends_when_it_is_told_to(store: SqliteStore) -> None:
    upkeep = Upkeep(store)
    upkeep.start()
    end = time.monotonic() + 5
    while told(store) is None and time.monotonic() < end:
        time.sleep(0.01)
    upkeep.stop()
    upkeep.join(3)
    assert not upkeep.is_alive()
    assert told(store) == position(store)


@pytest.mark.usefixtures("book")
def test_one_that_is_made_by_hand_counts_too(store: SqliteStore, tmp_path: Path) -> None:
    assert "up to position" in kittybook("backup", str(tmp_path / "hand.db"), "--db", str(store.path)).stdout
    (by_hand,) = backups_of(store, THE_CLUB)
    assert (by_hand.place, by_hand.file, by_hand.position) == (str(tmp_path), "hand.db", position(store))
    with sqlite3.connect(tmp_path / "hand.db") as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (position(store),)


@pytest.mark.usefixtures("book")
def test_a_look_that_failed_is_not_the_last(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger.upkeep.backups.PAUSE", 0.01)
    real, times = Upkeep.look, []

    def look(self: Upkeep) -> list[Path]:
        times.append(1)
        if len(times) < 3:
            raise StoreBusy() if len(times) == 1 else PermissionError("the folder is locked away")
        return real(self)

    monkeypatch.setattr(Upkeep, "look", look)
    upkeep = Upkeep(store)
    upkeep.start()
    end = time.monotonic() + 5
    while told(store) is None and time.monotonic() < end:
        time.sleep(0.01)
    upkeep.stop()
    upkeep.join(3)
    assert told(store) == position(store)
