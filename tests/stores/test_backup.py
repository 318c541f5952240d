"""A backup is what the book was at one moment; a restored one is a new epoch, and the old file is kept."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from ledger.errors import BackupFailed, LedgerError, StoreBusy, StoreDamaged, StoreInUse, StoreMissing
from ledger.store import Head
from ledger.stores import SqliteStore
from ledger.stores.sqlite import Restored, backup, restore
from tests.stores import worker
from tests.stores.kit import THE_CLUB, append, body_sha, do, everything, fill, findings, hand
from tests.stores.test_verify import tamper


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups" / "thursday.db"


def head(store: SqliteStore) -> Head:
    with store.read(THE_CLUB) as book:
        return book.head()


def put_back(backup_file: Path, path: Path, stamp: str = "20261127T010203Z") -> Restored:
    return restore(backup_file, path, epoch="epoch-2", stamp=stamp)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


# Backup


def test_a_backup_is_one_file_that_holds_what_the_book_held(sqlite: SqliteStore, target: Path) -> None:
    fill(sqlite)
    assert backup(sqlite, target) == {THE_CLUB: head(sqlite)}
    assert names(target.parent) == ["thursday.db"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with SqliteStore(target) as copy:
        assert everything(copy) == everything(sqlite)
        assert findings(copy) == []


def test_every_club_of_a_store_is_in_its_backup(sqlite: SqliteStore, target: Path) -> None:
    sqlite.found("friday", "epoch-1", another=True)
    append(sqlite)
    heads = backup(sqlite, target)
    assert {club: head.position for club, head in heads.items()} == {"friday": 0, THE_CLUB: 1}


def test_an_existing_file_is_not_overwritten_unless_meant(sqlite: SqliteStore, target: Path, path: Path) -> None:
    target.write_text("mine")
    with pytest.raises(BackupFailed):
        backup(sqlite, target)
    assert target.read_text() == "mine"
    assert names(target.parent) == ["thursday.db"]
    backup(sqlite, target, overwrite=True)
    append(sqlite)
    backup(sqlite, target, overwrite=True)
    with SqliteStore(target) as copy:
        assert head(copy).position == 1
        with pytest.raises(BackupFailed):
            backup(sqlite, target, overwrite=True)
    with pytest.raises(BackupFailed, match="the book itself"):
        backup(sqlite, path, overwrite=True)
    assert findings(sqlite) == []


def test_a_backup_that_cannot_be_written_leaves_nothing(sqlite: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(LedgerError):
        backup(sqlite, tmp_path / "nowhere" / "thursday.db")


def test_a_backup_of_a_book_without_its_events_fails(sqlite: SqliteStore, path: Path, target: Path) -> None:
    fill(sqlite)
    tamper(path, "DELETE FROM events WHERE position = 3")
    with pytest.raises(BackupFailed):
        backup(sqlite, target)
    assert names(target.parent) == []


def test_a_backup_taken_while_writing_holds_exactly_the_head_it_claims(
    sqlite: SqliteStore, path: Path, target: Path, tmp_path: Path
) -> None:
    process = worker.start(path, "night:busy", 1_000_000)
    assert process.stdout is not None
    heads = []
    for number in range(4):
        process.stdout.readline()
        taken = backup(sqlite, target.with_name(f"{number}.db"))
        heads.append(taken[THE_CLUB])
    process.kill()
    process.communicate()
    rows = everything(sqlite)
    assert len({claimed.position for claimed in heads}) > 1
    for number, claimed in enumerate(heads):
        restored = tmp_path / f"restored-{number}.db"
        assert put_back(target.with_name(f"{number}.db"), restored).heads[THE_CLUB].digest == claimed.digest
        with SqliteStore(restored) as store:
            assert everything(store) == rows[: claimed.position]
            assert head(store) == Head(position=claimed.position, digest=claimed.digest, epoch="epoch-2")


def test_a_copy_is_forced_to_disk_before_it_is_named(
    sqlite: SqliteStore, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[bool, bool]] = []
    monkeypatch.setattr(
        "os.fsync", lambda handle: seen.append((stat.S_ISDIR(os.fstat(handle).st_mode), target.exists()))
    )
    backup(sqlite, target)
    assert seen[-2:] == [(False, False), (True, True)]


# Restore


def test_a_restored_book_is_the_backup_in_a_new_epoch(sqlite: SqliteStore, path: Path, target: Path) -> None:
    fill(sqlite)
    rows = everything(sqlite)
    backup(sqlite, target)
    append(sqlite, hand(99))
    later = everything(sqlite)
    sqlite.close()
    restored = put_back(target, path)
    assert restored.aside == path.with_name("book.db.before-20261127T010203Z")
    with SqliteStore(path) as store:
        assert everything(store) == rows
        assert head(store).epoch == restored.heads[THE_CLUB].epoch == "epoch-2"
        append(store)
        assert findings(store) == []
    with SqliteStore(restored.aside) as old:
        assert everything(old) == later
    assert names(target.parent) == ["thursday.db"]
    assert [name for name in names(path.parent) if "part" in name] == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_book_that_is_gone_can_be_restored(sqlite: SqliteStore, path: Path, target: Path) -> None:
    fill(sqlite)
    backup(sqlite, target)
    sqlite.close()
    path.unlink()
    assert put_back(target, path).aside is None
    with SqliteStore(path) as store:
        assert findings(store) == []


def test_a_damaged_book_can_be_replaced_and_is_kept(sqlite: SqliteStore, path: Path, target: Path) -> None:
    fill(sqlite)
    backup(sqlite, target)
    sqlite.close()
    path.write_bytes(b"coffee" * 1000)
    path.with_name("book.db-wal").write_bytes(b"more coffee")
    restored = put_back(target, path)
    assert restored.aside is not None
    assert restored.aside.read_bytes() == b"coffee" * 1000
    assert restored.aside.with_name(f"{restored.aside.name}-wal").read_bytes() == b"more coffee"
    with SqliteStore(path) as store:
        assert findings(store) == []


def test_a_log_left_behind_by_a_crash_is_not_replayed_over_the_restored_file(
    sqlite: SqliteStore, path: Path, target: Path, tmp_path: Path
) -> None:
    fill(sqlite)
    backup(sqlite, target)
    rows = everything(sqlite)
    append(sqlite, hand(99))
    crashed = tmp_path / "crashed.db"
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", f"{crashed}{suffix}")
    restored = put_back(target, crashed)
    with SqliteStore(crashed) as store:
        assert everything(store) == rows
    assert restored.aside is not None
    with SqliteStore(restored.aside) as old:
        assert len(everything(old)) == len(rows) + 1


def test_a_store_in_use_is_not_restored_over(sqlite: SqliteStore, path: Path, target: Path) -> None:
    fill(sqlite)
    backup(sqlite, target)
    rows = everything(sqlite)
    with pytest.raises(StoreInUse):
        put_back(target, path)
    assert everything(sqlite) == rows
    append(sqlite)
    assert names(path.parent) == ["backups", "book.db", "book.db-shm", "book.db-wal", "book.db.lock"]


def test_a_store_that_another_process_has_open_is_not_restored_over(
    sqlite: SqliteStore, path: Path, target: Path
) -> None:
    backup(sqlite, target)
    sqlite.close()
    process = worker.start(path, "night:other", 1_000_000)
    assert process.stdout is not None
    process.stdout.readline()
    with pytest.raises(StoreInUse):
        put_back(target, path)
    process.kill()
    process.communicate()
    put_back(target, path)


def test_a_store_that_another_program_has_open_is_not_restored_over(
    sqlite: SqliteStore, path: Path, target: Path
) -> None:
    backup(sqlite, target)
    sqlite.close()
    with closing(sqlite3.connect(path)) as other:
        other.execute("SELECT count(*) FROM events").fetchone()
        with pytest.raises(StoreInUse):
            put_back(target, path)
    put_back(target, path)


def test_a_store_cannot_be_opened_while_it_is_restored(sqlite: SqliteStore, path: Path, target: Path) -> None:
    fill(sqlite)
    backup(sqlite, target)
    sqlite.close()
    seen: list[str] = []

    def digest(body: str) -> str:
        try:
            SqliteStore(path)
        except StoreBusy as busy:
            seen.append(busy.code)
        return body_sha(body)

    restore(target, path, epoch="epoch-2", stamp="1", rulebook_digest=digest)
    assert seen == ["store_busy"]
    SqliteStore(path).close()


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE events SET actor = 'user:2' WHERE position = 3",
        "UPDATE balances SET amount = amount + 1",
        "UPDATE texts SET text = 'other' WHERE ref = 'n1'",
        "DELETE FROM commands",
    ],
)
def test_a_backup_that_was_edited_is_not_restored(sqlite: SqliteStore, path: Path, target: Path, edit: str) -> None:
    fill(sqlite)
    backup(sqlite, target)
    rows = everything(sqlite)
    sqlite.close()
    tamper(target, edit)
    with pytest.raises(StoreDamaged):
        put_back(target, path)
    with SqliteStore(path) as store:
        assert everything(store) == rows
        assert head(store).epoch == "epoch-1"
    assert names(path.parent) == ["backups", "book.db", "book.db.lock"]


def test_an_erased_text_does_not_stop_a_restore(sqlite: SqliteStore, path: Path, target: Path) -> None:
    fill(sqlite)
    do(sqlite, lambda tx: tx.erase_text("n1"))
    backup(sqlite, target)
    sqlite.close()
    put_back(target, path)


def test_what_is_no_backup_is_not_restored(sqlite: SqliteStore, path: Path, target: Path) -> None:
    sqlite.close()
    with pytest.raises(StoreMissing):
        put_back(target, path)
    target.write_bytes(b"holiday photo")
    with pytest.raises(StoreDamaged):
        put_back(target, path)
    with pytest.raises(BackupFailed):
        put_back(path, path)


def test_a_stamp_serves_once(sqlite: SqliteStore, path: Path, target: Path) -> None:
    backup(sqlite, target)
    sqlite.close()
    put_back(target, path)
    with pytest.raises(BackupFailed):
        put_back(target, path)
    put_back(target, path, stamp="20261128T000000Z")
