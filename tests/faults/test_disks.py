"""A disk that is full, a file that may not be written, a lock that somebody keeps: told, and nothing half written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from ledger.errors import DiskFull, StoreBusy, StoreReadOnly, Unavailable
from ledger.service import Ledger, read_request
from ledger.stores import SqliteStore
from tests.book.kit import THE_CLUB, everything, plain
from tests.faults import worker
from tests.faults.kit import SENDER, Data, assert_kept, assert_no_fault, done, evenings, founded, kittybook
from tests.faults.worker import posix

pytestmark = posix


def dumped(path: Path) -> list[str]:
    """Return every row of a store as text."""
    with SqliteStore(path) as store, store.connection() as connection:
        tables = ["clubs", "events", "postings", "commands", "balances", "rulebooks", "texts"]
        return [repr(row) for table in tables for row in connection.all(f"SELECT '{table}', * FROM {table}")]


def shown(ledger: Ledger, night: str) -> Any:
    """Return what a ledger shows of the club and of a night."""
    with ledger.store.read(THE_CLUB) as reader:
        return plain(ledger.club(THE_CLUB, reader)), plain(ledger.night(THE_CLUB, night, reader)), reader.head()


def refused_without_a_trace(ledger: Ledger, night: str, request: Data, refusal: type[Unavailable]) -> None:
    """A command cannot be written: the caller is told so, and neither the book nor what is shown of it has changed."""
    before = shown(ledger, night)
    with pytest.raises(refusal):
        ledger.carry_out(THE_CLUB, [read_request(request)], SENDER)
    assert shown(ledger, night) == before
    assert shown(Ledger(ledger.store), night) == before


# No room


def limited(pipe: Connection, path: Path, commands: list[Data]) -> None:
    """Send commands while no file may grow beyond a limit; each that is refused again when it may. Runs in a child."""
    import resource

    refusals = 0
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        done(ledger, commands[0])
        for number, request in enumerate(commands[1:], 1):
            if number % 5 == 0:
                size = os.stat(f"{path}-wal").st_size
                resource.setrlimit(resource.RLIMIT_FSIZE, (size + number * 97 % 4096, resource.RLIM_INFINITY))
                try:
                    refused_without_a_trace(ledger, request["night"], request, DiskFull)
                    refusals += 1
                finally:
                    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            done(ledger, request)
    pipe.send(refusals)


@pytest.mark.faults
def test_no_room_in_the_file_and_then_room(path: Path) -> None:
    (evening,) = evenings(seed=4, count=1, hands=12)
    founded(path)
    process, pipe = worker.start(limited, path, evening.commands)
    refusals = worker.heard(pipe)
    process.join(worker.PATIENCE)
    assert refusals > 4
    assert_kept(path, [evening])


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Take all the room that a disk has."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                continue
    try:
        yield
    finally:
        filler.unlink(missing_ok=True)


@pytest.mark.faults
def test_a_full_disk_and_then_room(small_disk: Path) -> None:
    (evening,) = evenings(seed=5, count=1, hands=8)
    path = small_disk / "book.db"
    founded(path)
    refusals = 0
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        done(ledger, evening.commands[0])
        for number, request in enumerate(evening.commands[1:]):
            if number % 4 == 0:
                with filled(small_disk):
                    # the log is made to begin anew, so that some writes need no room: those must succeed
                    refusals += _refused_or_recorded(ledger, request)
                    assert_no_fault(ledger)
            done(ledger, request)
    assert refusals > 2
    assert_kept(path, [evening])


def _refused_or_recorded(ledger: Ledger, request: Data) -> int:
    before = shown(ledger, request["night"])
    try:
        ledger.carry_out(THE_CLUB, [read_request(request)], SENDER)
    except DiskFull:
        assert shown(ledger, request["night"]) == before
        assert shown(Ledger(ledger.store), request["night"]) == before
        return 1
    return 0


@pytest.mark.faults
def test_operators_are_told_of_a_full_disk_and_the_book_stays(small_disk: Path, tmp_path: Path) -> None:
    evening, later = evenings(seed=6, count=2, hands=4)
    path, copy = small_disk / "book.db", tmp_path / "backup.db"
    founded(path)
    lines = "\n".join(map(_line, later.commands))
    with SqliteStore(path) as store:
        done(Ledger(store), *evening.commands)
    assert kittybook("--db", path, "backup", copy).exit_code == 0
    before = dumped(path)
    with filled(small_disk):
        _told_of_no_room("--db", path, "restore", copy)
        _told_of_no_room("--db", path, "verify")  # a store that nobody has open needs a little room to be opened
        _told_of_no_room("--db", small_disk / "new.db", "init", "--club", "Another")
    assert not [file.name for file in small_disk.iterdir() if ".part" in file.name or ".before-" in file.name]
    assert kittybook("--db", small_disk / "new.db", "init", "--club", "Another").exit_code == 0
    with SqliteStore(path), filled(small_disk):  # as a server has it open
        _told_of_no_room("--db", path, "backup", small_disk / "backup.db")
        _told_of_no_room("--db", path, "export", "events", "--out", small_disk / "events.jsonl")
        assert kittybook("--db", path, "verify").exit_code == 0
        applied = _told_of_no_room("--db", path, "apply", "-", stdin=lines)
        assert "The disk takes no more" in applied.stderr
        assert len(applied.stdout.splitlines()) < len(later.commands)
        assert kittybook("--db", path, "verify").exit_code == 0
    assert not {"backup.db", "events.jsonl"} & {file.name for file in small_disk.iterdir()}
    assert [row for row in dumped(path) if row in set(before)] == before
    assert kittybook("--db", path, "apply", "-", stdin=lines).exit_code == 0
    assert_kept(path, [evening, later])


def _told_of_no_room(*arguments: str | Path, stdin: str | None = None) -> Result:
    result = kittybook(*arguments, stdin=stdin)
    assert result.exit_code in {1, 2}, (arguments, result.output)
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1, result.stderr
    assert any(word in result.stderr for word in ("disk", "space")), (arguments, result.stderr)
    return result


def _line(request: Data) -> str:
    return json.dumps(request)


# Not allowed


def without_rights(pipe: Connection, path: Path, command: Data) -> None:
    """Read the book and try to write to it as somebody who may only read it. Runs in a child."""
    if os.geteuid() == 0:
        os.setuid(65534)
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        rows = everything(store)
        refused_without_a_trace(ledger, command["night"], command, StoreReadOnly)
        assert everything(store) == rows
        assert_no_fault(ledger)
    arguments = [
        ("verify",),
        ("night", "show", command["night"]),
        ("apply", "-"),
        ("rebuild",),  # finds nothing to write
        ("backup", f"{path}.copy"),
        ("restore", str(path)),
    ]
    pipe.send([(line[0], kittybook("--db", path, *line, stdin=_line(command)).exit_code) for line in arguments])


@pytest.mark.faults
def test_a_store_that_may_only_be_read(path: Path) -> None:
    (evening,) = evenings(seed=7, count=1, hands=3)
    founded(path)
    with SqliteStore(path) as store:
        done(Ledger(store), *evening.commands[:-1])
    for folder in path.parents[:-2]:
        folder.chmod(folder.stat().st_mode | 0o111)
    path.parent.chmod(0o777)
    path.with_name("book.db.lock").chmod(0o644)
    path.chmod(0o444)
    before = dumped(path)
    process, pipe = worker.start(without_rights, path, evening.commands[-1])
    exits = worker.heard(pipe)
    process.join(worker.PATIENCE)
    assert exits == [("verify", 0), ("night", 0), ("apply", 1), ("rebuild", 0), ("backup", 0), ("restore", 1)]
    assert dumped(path) == before
    with SqliteStore(path) as store:
        done(Ledger(store), evening.commands[-1])
    assert_kept(path, [evening])


# Kept waiting


@pytest.mark.faults
@pytest.mark.parametrize("begin", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_lock_that_another_process_keeps_and_then_lets_go(path: Path, begin: str) -> None:
    (evening,) = evenings(seed=8, count=1, hands=3)
    founded(path)
    with SqliteStore(path, timeout=0.1) as store:
        ledger = Ledger(store)
        done(ledger, *evening.commands[:-1])
        with worker.holding(path, begin) as let_go:
            refused_without_a_trace(ledger, evening.night, evening.commands[-1], StoreBusy)
            refused_without_a_trace(ledger, evening.night, evening.commands[-1], StoreBusy)
            (again,) = ledger.carry_out(THE_CLUB, [read_request({**evening.commands[-1], "dry_run": True})], SENDER)
            assert again["status"] == "preview"
            assert_no_fault(ledger)
            let_go()
            done(ledger, evening.commands[-1])
    assert_kept(path, [evening])


@pytest.mark.faults
def test_apply_tells_that_the_book_is_busy_and_can_be_run_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (evening,) = evenings(seed=9, count=1, hands=3)
    lines = "\n".join(map(_line, evening.commands))
    founded(path)
    monkeypatch.setitem(SqliteStore.__init__.__kwdefaults__, "timeout", 0.1)  # type: ignore[arg-type]
    with worker.holding(path):
        busy = kittybook("--db", path, "apply", "-", stdin=lines)
        assert (busy.exit_code, busy.stdout) == (1, "")
        assert busy.stderr.startswith("Error: The book is busy; the same command may be sent again.")
        assert kittybook("--db", path, "verify").exit_code == 0
        assert kittybook("--db", path, "rebuild").exit_code == 1
    assert kittybook("--db", path, "apply", "-", stdin=lines).exit_code == 0
    assert_kept(path, [evening])


def test_a_reader_who_never_ends_holds_nobody_up(path: Path) -> None:
    (evening,) = evenings(seed=10, count=1, hands=3)
    founded(path)
    with worker.holding(path, "BEGIN"), SqliteStore(path, timeout=0.1) as store:
        for request in evening.commands:
            done(Ledger(store), request)
    assert_kept(path, [evening])
