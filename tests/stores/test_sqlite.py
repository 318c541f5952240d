"""What only a file can meet: no room, no permission, somebody else's lock, another release, another process."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from ledger.errors import DiskFull, StoreBusy, StoreDamaged, StoreMissing, StoreNewer, StoreReadOnly
from ledger.store import Audit, Transaction
from ledger.stores import SqliteStore, open_store
from ledger.stores.sqlite import restore
from ledger.stores.sqlite.connection import PRAGMAS, Connection, Parameters, Row
from ledger.stores.sqlite.schema import known_schema
from ledger.stores.turns import Turns
from tests.stores.kit import CHIPS, NIGHT, THE_CLUB, append, do, everything, fill, findings, hand, record

posix = pytest.mark.skipif(os.name == "nt", reason="needs fork and file modes")


# Opening


def test_a_store_that_does_not_exist_is_missing(path: Path) -> None:
    with pytest.raises(StoreMissing):
        SqliteStore(path)
    assert list(path.parent.iterdir()) == []


@posix
def test_only_the_owner_may_read_the_files(sqlite: SqliteStore, path: Path) -> None:
    append(sqlite)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(["book.db", "book.db-wal", "book.db-shm", "book.db.lock"], 0o600)


def test_a_book_is_still_there_after_closing(path: Path) -> None:
    with SqliteStore(path, create=True) as store:
        store.found(THE_CLUB, "epoch-1")
        rows = append(store)
    again = open_store(str(path))
    assert everything(again) == rows
    again.close()
    assert sorted(file.name for file in path.parent.iterdir()) == ["book.db", "book.db.lock"]


@pytest.mark.parametrize("name", ["a book?.db", "50%#1.db", "книга.db"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    with SqliteStore(tmp_path / name, create=True) as store:
        store.found(THE_CLUB, "epoch-1")
    assert (tmp_path / name).stat().st_size > 0


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 500, b"SQLite format 3\x00" + b"\x00" * 3000])
def test_a_file_that_is_no_store_is_not_opened_and_not_touched(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreDamaged):
        SqliteStore(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("create", [True, False])
def test_somebody_elses_database_is_not_opened_and_not_touched(path: Path, create: bool) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")
    content = path.read_bytes()
    with pytest.raises(StoreDamaged):
        SqliteStore(path, create=create)
    assert path.read_bytes() == content


def test_a_store_of_a_newer_release_is_refused(sqlite: SqliteStore, path: Path) -> None:
    sqlite.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreNewer, match="schema 99"):
        SqliteStore(path)


def test_settings_are_those_that_survive_a_power_cut(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger.stores.sqlite.connection.PRAGMAS", PRAGMAS)
    with SqliteStore(path, create=True) as store, store.connection() as connection:
        settings = {name: connection.one(f"PRAGMA {name}") for name in ("journal_mode", "synchronous", "secure_delete")}
    assert settings == {"journal_mode": ("wal",), "synchronous": (2,), "secure_delete": (1,)}


def test_tables_are_strict_and_have_rowids(sqlite: SqliteStore) -> None:
    with sqlite.connection() as connection:
        tables = connection.all(
            "SELECT name, wr, strict FROM pragma_table_list WHERE type = 'table' AND name NOT GLOB '*sqlite_*'"
        )
    ours = {
        name: (without_rowid, strict) for name, without_rowid, strict in tables if not name.startswith(("sqlite_", "_"))
    }
    book = ["balances", "clubs", "commands", "events", "postings", "rulebooks", "texts"]
    beside = [
        "attempts",
        "audit",
        "backups",
        "browsers",
        "devices",
        "invites",
        "pins",
        "rehearsals",
        "sessions",
        "tokens",
        "trials",
        "users",
    ]
    assert ours == dict.fromkeys([*book, *beside], (0, 1))


def test_many_may_open_a_new_store_at_once(path: Path) -> None:
    failures: list[Exception] = []
    start = threading.Barrier(8)

    def open_and_close() -> None:
        start.wait()
        try:
            SqliteStore(path, create=True).close()
        except Exception as error:  # noqa: BLE001 - all of them are counted
            failures.append(error)

    threads = [threading.Thread(target=open_and_close) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with SqliteStore(path) as store, store.connection() as connection:
        assert connection.one("PRAGMA user_version") == (known_schema(),)


@pytest.fixture
def book_of_today(path: Path) -> Path:
    with SqliteStore(path, create=True) as store:
        store.found(THE_CLUB, "epoch-1")
        fill(store)
    return path


def test_a_later_migration_is_applied_once_and_keeps_the_book(
    book_of_today: Path, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("later_schema")
    for _ in range(2):
        with SqliteStore(book_of_today) as store, store.connection() as connection:
            assert connection.one("PRAGMA user_version") == (known_schema(),)
            assert findings(store) == []
            append(store)


def test_a_backup_of_an_older_release_is_restored_as_one_of_this(
    book_of_today: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    request.getfixturevalue("later_schema")
    restore(book_of_today, tmp_path / "restored.db", epoch="epoch-2", stamp="1")
    with closing(sqlite3.connect(tmp_path / "restored.db")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (known_schema(),)


# Cost


def test_a_tap_costs_the_engine_no_more_late_than_early(sqlite: SqliteStore) -> None:
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    with sqlite.connection() as connection, connection.database() as db:
        db.conn.set_progress_handler(step, 1)
    costs = []
    for more in (1, 1, 400, 1600):
        steps = 0
        append(sqlite)
        costs.append(steps)
        do(sqlite, partial(record_many, more))
    with sqlite.connection() as connection, connection.database() as db:
        db.conn.set_progress_handler(None, 1)
    assert len(set(costs[1:])) == 1, costs  # the first one also opens two balances


def test_a_late_page_of_a_journal_costs_no_more_than_an_early_one(sqlite: SqliteStore) -> None:
    do(sqlite, partial(record_many, 1500))
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    costs = []
    with sqlite.connection() as connection, connection.database() as db:
        db.conn.set_progress_handler(step, 1)
    for position in (10, 1400):
        steps = 0
        with sqlite.read(THE_CLUB) as book:
            assert len(book.postings(stream=NIGHT, after=(position, 1), limit=10)) == 10
        costs.append(steps)
    with sqlite.connection() as connection, connection.database() as db:
        db.conn.set_progress_handler(None, 1)
    assert costs[0] == costs[1]


def test_a_page_of_the_whole_journal_costs_the_same_at_the_end_as_at_the_beginning(sqlite: SqliteStore) -> None:
    do(sqlite, partial(record_many, 1500))
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    costs = []
    for position in (10, 1400):
        with sqlite.connection() as connection, connection.database() as db:
            db.conn.set_progress_handler(step, 1)
        steps = 0
        with sqlite.read(THE_CLUB) as book:
            assert len(book.journal((position, 1), 10)) == 10
        costs.append(steps)
        with sqlite.connection() as connection, connection.database() as db:
            db.conn.set_progress_handler(None, 1)
    assert costs[0] == costs[1]


def record_many(count: int, tx: Transaction) -> None:
    record(tx, *(hand(number) for number in range(count)))


QUERIES: list[Callable[[Audit], object]] = [
    lambda book: book.version(NIGHT),
    lambda book: list(book.stream(NIGHT)),
    lambda book: book.events(2, 3),
    lambda book: book.streams("night:"),
    lambda book: book.balances(NIGHT),
    lambda book: book.balance("till", CHIPS, NIGHT),
    lambda book: book.command("c"),
    lambda book: book.texts(["r"]),
    lambda book: book.rulebook("d"),
    lambda book: book.postings(),
    lambda book: book.journal(),
    lambda book: book.postings(stream=NIGHT),
    lambda book: book.postings(stream=NIGHT, account="player:ann"),
    lambda book: book.postings(account="member:ann"),
    lambda book: book.postings(account="player:ann"),
    lambda book: book.commands(["c"]),
    lambda book: book.all_balances(),
    lambda book: book.all_rulebooks(),
]


@pytest.mark.parametrize("query", QUERIES)
def test_no_query_scans_a_table_or_sorts(
    sqlite: SqliteStore, query: Callable[[Audit], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(sqlite)
    seen: list[tuple[str, Parameters]] = []
    ask = Connection.all

    def listen(connection: Connection, sql: str, parameters: Parameters = ()) -> list[Row]:
        seen.append((sql, parameters))
        return ask(connection, sql, parameters)

    with sqlite.audit(THE_CLUB) as book, monkeypatch.context() as patch:
        patch.setattr(Connection, "all", listen)
        query(book)
    assert seen
    with sqlite.connection() as connection:
        for sql, parameters in seen:
            for *_, step in connection.all(f"EXPLAIN QUERY PLAN {sql}", parameters):
                assert "TEMP B-TREE" not in step, sql
                assert not step.startswith("SCAN") or step in {"SCAN found", "SCAN json_each VIRTUAL TABLE INDEX 1:"}, (
                    sql
                )


# Locks


def test_a_lock_held_too_long_is_busy_and_nothing_is_written(path: Path) -> None:
    with SqliteStore(path, create=True, timeout=0.1) as store, closing(sqlite3.connect(path)) as other:
        store.found(THE_CLUB, "epoch-1")
        rows = append(store)
        other.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        with pytest.raises(StoreBusy):
            append(store)
        assert 0.05 < time.monotonic() - started < 2
        assert everything(store) == rows
        other.rollback()
        append(store)
        assert findings(store) == []


def test_a_thread_that_waits_too_long_is_busy(path: Path) -> None:
    with SqliteStore(path, create=True, timeout=0.1) as store:
        store.found(THE_CLUB, "epoch-1")

        def write_while_writing(_: Transaction) -> None:
            append(store)

        with pytest.raises(StoreBusy):
            do(store, write_while_writing)
        assert everything(store) == []
        append(store)


def test_threads_are_served_in_the_order_of_asking() -> None:
    turns = Turns()
    served: list[int] = []

    def wait(number: int) -> None:
        with turns.take(5):
            served.append(number)

    with turns.take(5):
        threads = [threading.Thread(target=wait, args=[number]) for number in range(6)]
        for count, thread in enumerate(threads, 1):
            thread.start()
            while len(turns._waiting) < count:
                time.sleep(0.001)
        with pytest.raises(StoreBusy), turns.take(0.01):
            pass
    for thread in threads:
        thread.join()
    assert served == list(range(6))
    with turns.take(0.01):
        pass


def test_a_reader_does_not_hold_up_a_writer_nor_see_it(sqlite: SqliteStore) -> None:
    append(sqlite)
    with sqlite.read(THE_CLUB) as book:
        stream = book.stream(NIGHT)
        for number in range(20):
            append(sqlite, hand(number))
        assert len(list(stream)) == 1


def test_what_was_read_from_stays_closed(sqlite: SqliteStore) -> None:
    append(sqlite)
    with sqlite.read(THE_CLUB) as book:
        stream = book.stream(NIGHT)
    with pytest.raises(AssertionError):
        next(stream)


def test_threads_that_end_leave_no_connection_behind(sqlite: SqliteStore) -> None:
    for _ in range(10):
        thread = threading.Thread(target=append, args=[sqlite])
        thread.start()
        thread.join()
    assert len(sqlite._idle) == 1


@posix
def test_a_store_is_not_carried_into_a_forked_process(sqlite: SqliteStore, path: Path) -> None:
    append(sqlite)

    def use(_: Path) -> int:
        with pytest.raises(AssertionError):
            append(sqlite)
        return 1

    assert in_a_child(use, path) == 1
    append(sqlite)


# Erasing


def test_an_erased_word_is_in_no_file(sqlite: SqliteStore, path: Path) -> None:
    word = "Xylophonist" * 400  # longer than a page
    append(sqlite, texts={"name": ("00ff", word)})
    append(sqlite)
    assert any(b"Xylophonist" in file.read_bytes() for file in path.parent.iterdir())
    do(sqlite, lambda tx: tx.erase_text("name"))
    assert [file.name for file in path.parent.iterdir() if b"Xylophonist" in file.read_bytes()] == []


# Disks


@posix
@pytest.mark.faults
def test_a_full_disk_refuses_and_what_was_answered_stays(path: Path) -> None:
    with SqliteStore(path, create=True) as store:
        store.found(THE_CLUB, "epoch-1")
    answered = in_a_child(fill_the_disk, path)
    assert answered > 3
    with SqliteStore(path) as store:
        assert len(everything(store)) == answered
        append(store)
        assert findings(store) == []


def fill_the_disk(path: Path) -> int:
    """Append more than a file may hold; then read what was answered. Return how many were."""
    import resource

    answered = refused = 0
    with SqliteStore(path) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
        for number in range(1000):
            try:
                append(store, hand(number))
                answered += 1
            except DiskFull:
                refused += 1
        assert refused > 100
        assert len(everything(store)) == answered
        assert findings(store) == []
    return answered


@posix
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_store_that_may_not_be_written_says_so(what: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "book.db"
        with SqliteStore(path, create=True) as store:
            store.found(THE_CLUB, "epoch-1")
            append(store)
        for file in path.parent.iterdir():
            file.chmod(0o444 if file == path else 0o644)
        path.parent.chmod(0o777 if what == "file" else 0o555)
        assert in_a_child(write_without_permission, path) == 1
        path.parent.chmod(0o777)


def write_without_permission(path: Path) -> int:
    if os.geteuid() == 0:
        os.setuid(65534)
    refused = False
    try:
        with SqliteStore(path) as store:
            assert len(everything(store)) == 1
            append(store)
    except StoreReadOnly:
        refused = True
    return int(refused)


def in_a_child(work: Callable[[Path], int], path: Path) -> int:
    """Run in a forked process, which may limit itself as it likes."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, str(work(path)).encode())
        except BaseException:  # noqa: BLE001 - the parent asserts
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    assert answer, "the child failed"
    return int(answer)
