"""A backup is restored for a trial: what is sound is told so, what is not is told why, and the book is not touched."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ledger.service import Ledger, Sender
from ledger.stores import SqliteStore
from ledger.stores.sqlite import backup, note, rehearsed
from ledger.upkeep import Upkeep, is_rehearsal_overdue, keep, rehearsals_of, rehearse
from ledger.upkeep.rehearsals import Outcome, is_due
from tests.book.kit import THE_CLUB, Book
from tests.cli.book import kittybook

NIGHT = "peep-2026-11-26"
NOW = datetime(2026, 11, 27, 4, 0, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with SqliteStore(tmp_path / "club.db", create=True) as store:
        yield store


@pytest.fixture
def book(store: SqliteStore) -> Book:
    book = Book(store, ["ann", "bob", "cal", "dot"])
    book.done("OpenTable", table="peep", name="Peep", rulebook="rockets-peep-nap")
    book.done("OpenNight", table="peep", night=NIGHT, players=["ann", "bob", "cal", "dot"], dealer="dot")
    book.done("RecordHand", NIGHT, hand=1, bidder="ann", bid="three", made=True)
    return book


@pytest.fixture
def made(store: SqliteStore, book: Book, tmp_path: Path) -> Path:
    """A backup that the book knows of, made at NOW."""
    assert book.store is store
    file = tmp_path / "copy.db"
    note(store, file, backup(store, file), stamp(NOW))
    return file


def stamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def position(store: SqliteStore) -> int:
    with store.read(THE_CLUB) as reader:
        return reader.head().position


def recorded(store: SqliteStore) -> datetime:
    with store.read(THE_CLUB) as reader:
        return datetime.fromisoformat(reader.events(reader.head().position - 1, 1)[0].recorded_at)


def edited(file: Path, statement: str) -> None:
    """Edit a file as somebody would who knows its guards: they are there again afterwards."""
    with sqlite3.connect(file) as db:
        guards = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name GLOB '*_no_update'")
        found = guards.fetchall()
        for name, _sql in found:
            db.execute(f"DROP TRIGGER {name}")
        assert db.execute(statement).rowcount > 0
        for _name, sql in found:
            db.execute(sql)


def test_a_sound_backup_is_told_so_and_nothing_is_left_behind(store: SqliteStore, made: Path) -> None:
    before = sorted(made.parent.iterdir())
    kept = made.read_bytes()
    outcome = rehearse(made, made.parent)
    with store.read(THE_CLUB) as reader:
        head = reader.head()
    assert outcome == Outcome(heads={THE_CLUB: (head.position, head.digest)}, why=None)
    (told,) = keep(store, made, outcome, stamp(NOW))
    assert (told.club, told.at, told.file, told.position, told.why) == (
        THE_CLUB, "2026-11-27T04:00:00.000Z", str(made), head.position, None,
    )  # fmt: skip
    assert rehearsed(store, THE_CLUB) == [told]
    assert sorted(made.parent.iterdir()) == before
    assert made.read_bytes() == kept
    with store.read(THE_CLUB) as reader:
        assert reader.head() == head  # it is beside the book, not in its chain


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE postings SET amount = amount + 1 WHERE rowid = (SELECT max(rowid) FROM postings)", "position"),
        ("UPDATE events SET actor = 'somebody' WHERE position = 3", "position 3"),
    ],
)
def test_an_edited_backup_is_told_and_why(store: SqliteStore, made: Path, statement: str, says: str) -> None:
    edited(made, statement)
    outcome = rehearse(made, made.parent)
    assert outcome.why is not None
    assert says in outcome.why
    (told,) = keep(store, made, outcome, stamp(NOW))
    assert told.why == outcome.why


def test_a_file_that_is_missing_or_no_book_is_told(tmp_path: Path) -> None:
    (tmp_path / "letter.db").write_text("Dear Sir,")
    for name in ("gone.db", "letter.db"):
        outcome = rehearse(tmp_path / name, tmp_path)
        assert outcome.heads == {}
        assert outcome.why


@pytest.mark.parametrize(
    ("club", "says"),
    [(THE_CLUB, f"it holds another book of {THE_CLUB}"), ("strangers", f"it does not hold {THE_CLUB}")],
)
@pytest.mark.usefixtures("book")
def test_a_sound_backup_of_another_book_would_be_of_no_use(
    store: SqliteStore, tmp_path: Path, club: str, says: str
) -> None:
    with SqliteStore(tmp_path / "strange.db", create=True) as strange:
        Ledger(strange).found(club, "Strangers", Sender(actor="owner"))
        backup(strange, tmp_path / "other.db")
    outcome = rehearse(tmp_path / "other.db", tmp_path)
    assert outcome.why is None
    (told,) = keep(store, tmp_path / "other.db", outcome, stamp(NOW))
    assert told.why == says


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize(("days", "overdue"), [(0, False), (30, False), (31, True)])
def test_thirty_days_after_the_last_good_one_it_is_overdue(store: SqliteStore, days: int, overdue: bool) -> None:
    assert is_rehearsal_overdue(store, THE_CLUB, NOW)
    keep(store, Path("a.db"), Outcome(heads={}, why="no"), stamp(NOW))
    assert is_rehearsal_overdue(store, THE_CLUB, NOW)
    with store.read(THE_CLUB) as reader:
        head = reader.head()
    keep(store, Path("b.db"), Outcome(heads={THE_CLUB: (head.position, head.digest)}, why=None), stamp(NOW))
    assert is_rehearsal_overdue(store, THE_CLUB, NOW + timedelta(days=days)) is overdue


def test_it_is_due_when_nobody_plays_weekly_and_daily_after_a_failure(store: SqliteStore, made: Path) -> None:
    last = recorded(store)
    assert is_due(store, last + timedelta(minutes=9)) is None
    assert is_due(store, last + timedelta(minutes=11)) == made
    at = last + timedelta(minutes=11)
    keep(store, made, rehearse(made, made.parent), stamp(at))
    assert is_due(store, at + timedelta(days=6, hours=23)) is None
    assert is_due(store, at + timedelta(days=7, minutes=1)) == made
    keep(store, made, Outcome(heads={}, why="no"), stamp(at + timedelta(days=8)))
    assert is_due(store, at + timedelta(days=8, hours=23)) is None
    assert is_due(store, at + timedelta(days=9, minutes=1)) == made
    made.unlink()
    assert is_due(store, at + timedelta(days=9, minutes=1)) is None


def until(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_served_book_rehearses_in_another_process_and_keeps_what_it_came_to(store: SqliteStore, made: Path) -> None:
    now = recorded(store) + timedelta(hours=1)
    upkeep = Upkeep(store, [made.parent], clock=lambda: now)
    began = time.monotonic()
    upkeep.rehearse()
    assert time.monotonic() - began < 1  # nobody waits for it

    def kept() -> bool:
        upkeep.rehearse()
        return bool(rehearsals_of(store, THE_CLUB))

    until(kept)
    (told,) = rehearsals_of(store, THE_CLUB)
    assert (told.why, told.position, told.file, told.at) == (None, position(store), str(made), stamp(now))


def test_the_end_of_the_server_breaks_a_rehearsal_off(store: SqliteStore, made: Path) -> None:
    now = recorded(store) + timedelta(hours=1)
    upkeep = Upkeep(store, [made.parent], clock=lambda: now)
    upkeep.start()
    until(lambda: upkeep._rehearsal is not None or rehearsals_of(store, THE_CLUB))
    upkeep.stop()
    upkeep.join(10)
    assert not upkeep.is_alive()
    until(lambda: not [one for one in made.parent.iterdir() if one.name.startswith(".kittybook-rehearsal-")])


def test_the_command_tells_and_remembers(store: SqliteStore, made: Path) -> None:
    said = kittybook("--db", str(store.path), "rehearse", str(made)).stdout
    assert f"would bring {THE_CLUB} back up to position {position(store)}" in said
    edited(made, "UPDATE events SET actor = 'somebody' WHERE position = 3")
    refused = kittybook("--db", str(store.path), "rehearse", str(made), code=1)
    assert "position 3" in refused.stderr
    assert refused.stdout == ""
    assert [one.why is None for one in rehearsals_of(store, THE_CLUB)] == [False, True]
