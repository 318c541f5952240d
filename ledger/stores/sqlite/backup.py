"""Copies of a book that are sound when they bear their name, and how one takes the place of the book."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ledger.errors import BackupFailed, Corrupt, StoreBusy, StoreDamaged, StoreInUse, StoreMissing
from ledger.store import GENESIS, Head
from ledger.stores.sqlite.book import Book
from ledger.stores.sqlite.connection import Connection
from ledger.stores.sqlite.files import FileLock, beside, make_private, refusals, sync
from ledger.stores.sqlite.schema import require_ours, upgrade
from ledger.stores.sqlite.store import BUSY_TIMEOUT, SqliteStore
from ledger.stores.verify import verify

_SIDE_FILES: Final = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a store holds now, by club, and where its old file is kept (None when there was none)."""

    heads: dict[str, Head]
    aside: Path | None


def backup(source: SqliteStore, target: str | Path, *, overwrite: bool = False) -> dict[str, Head]:
    """Copy a book while it is in use; return the head that the copy holds, by club.

    The copy is made beside its target, checked, forced to disk, and only then named. Raises ``BackupFailed`` when the
    target exists (unless ``overwrite``), is a store that somebody has open, or the copy is not what the book is.
    """
    target = Path(target).resolve()
    _require_target(target, source.path, overwrite)
    with _unfinished(target) as copy:
        with source.connection() as connection:
            connection.run("VACUUM INTO ?", (str(copy),))
        heads = _checked_heads(copy, target)
        _name(copy, target, overwrite)
    return heads


def restore(
    backup_file: str | Path,
    store: str | Path,
    *,
    epoch: str,
    stamp: str,
    rulebook_digest: Callable[[str], str] | None = None,
) -> Restored:
    """Put a backup in the place of a store that nobody has open, as a new epoch; the old file is kept aside.

    Its name is the store's with ``.before-`` and the stamp, a date. The backup is copied, brought to this release's
    schema and verified whole before the store is touched. Raises ``StoreInUse``, ``StoreMissing`` when there is no
    such backup, ``StoreDamaged`` when it does not verify, ``StoreNewer``, ``BackupFailed`` when the stamp was used.
    """
    backup_file, store = Path(backup_file).resolve(), Path(store).resolve()
    if not backup_file.exists():
        raise StoreMissing(path=str(backup_file))
    aside = beside(store, f".before-{stamp}")
    if store == backup_file:
        raise BackupFailed(path=str(store), why="that is the book itself")
    if aside.exists():
        raise BackupFailed(path=str(aside), why="there is a file of that name already")
    with _locked(store), _unfinished(store) as copy:
        with _opened(backup_file, "ro") as connection:
            require_ours(connection)
            connection.run("VACUUM INTO ?", (str(copy),))
        with _opened(copy, "rw") as connection:
            upgrade(connection)
            connection.run("UPDATE clubs SET epoch = ?", (epoch,))
            # What was ended or used since must not be good again. Devices stay: they have hands that the book lacks.
            connection.run("DELETE FROM sessions WHERE user IS NOT NULL")
            connection.run("DELETE FROM invites WHERE used IS NULL")
            heads = _verified_heads(connection, backup_file, rulebook_digest)
        kept = _set_aside(store, aside) if store.exists() else None
        _name(copy, store, overwrite=True)
    return Restored(heads=heads, aside=kept)


# Backup


def _require_target(target: Path, source: Path, overwrite: bool) -> None:
    if not target.parent.is_dir():
        raise BackupFailed(path=str(target), why="there is no such folder")
    if not target.exists():
        return
    if not overwrite:
        raise BackupFailed(path=str(target), why="there is a file of that name already")
    if not target.is_file():
        raise BackupFailed(path=str(target), why="that is no file")  # a folder; /dev/null would be gone for good
    if target.samefile(source):
        raise BackupFailed(path=str(target), why="that is the book itself")
    for suffix in _SIDE_FILES:
        if beside(target, suffix).exists():
            raise BackupFailed(path=str(target), why="that is a store which is in use, or was not closed")


def _checked_heads(copy: Path, target: Path) -> dict[str, Head]:
    """Open the copy, check its pages, and count its events against the head."""
    with _opened(copy, "ro") as connection:
        if (found := connection.all("PRAGMA quick_check(1)")) != [("ok",)]:
            raise BackupFailed(path=str(target), why=str(found[0][0]))
        heads = {}
        for club in _clubs(connection):
            head = heads[club] = Book(connection, club).head()
            events = connection.one("SELECT count(*) FROM events WHERE club = ?", (club,))
            last = connection.one(
                "SELECT digest FROM events WHERE club = ? AND position = ?", (club, head.position)
            ) or (GENESIS,)
            if events != (head.position,) or last != (head.digest,):
                raise BackupFailed(path=str(target), why=f"{club} has not the events that its head says")
        return heads


# Restore


@contextmanager
def _locked(store: Path) -> Iterator[None]:
    """Keep every Kittybook process out while the store is replaced."""
    lock = FileLock(store)
    if not lock.take(exclusive=True):
        raise StoreInUse(path=str(store))
    try:
        yield
    finally:
        lock.release()


def _verified_heads(
    connection: Connection, origin: Path, rulebook_digest: Callable[[str], str] | None
) -> dict[str, Head]:
    heads = {}
    for club in _clubs(connection):
        book = Book(connection, club)
        for finding in verify(book, rulebook_digest=rulebook_digest, limit=1):
            if finding.is_fault:
                raise StoreDamaged(path=str(origin), why=str(finding))
        heads[club] = book.head()
    return heads


def _set_aside(store: Path, aside: Path) -> Path:
    """Copy the old files as they are, then make sure that nothing of them stays behind but the store itself.

    A log left behind would be replayed over the new file; opening a damaged store may change it, so the copy comes
    first. The store keeps its name until the new one takes it.
    """
    try:
        with refusals(aside):
            for suffix in ("", *_SIDE_FILES):
                if (file := beside(store, suffix)).exists():
                    shutil.copy2(file, beside(aside, suffix))
                    sync(beside(aside, suffix))
        _require_no_connection(store)
    except BaseException:
        _remove(aside, *(beside(aside, suffix) for suffix in _SIDE_FILES))
        raise
    _remove(*(beside(store, suffix) for suffix in _SIDE_FILES))
    return aside


def _require_no_connection(store: Path) -> None:
    """Leave write-ahead logging, which SQLite allows only to the last connection, of whatever program."""
    try:
        with _opened(store, "rw", timeout=0) as connection:
            connection.run("PRAGMA journal_mode=DELETE")
    except StoreBusy as busy:
        raise StoreInUse(path=str(store)) from busy
    except Corrupt:
        return  # what is damaged may well be replaced


# Both


@contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """Make an empty private file beside a target, and remove it again if it was not given its name."""
    copy = beside(target, f".{uuid.uuid4().hex}.part")
    make_private(copy)
    try:
        yield copy
    finally:
        _remove(copy, *(beside(copy, suffix) for suffix in _SIDE_FILES))


def _remove(*files: Path) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _name(copy: Path, target: Path, overwrite: bool) -> None:
    with refusals(target):
        sync(copy)
        if overwrite:
            copy.replace(target)
        elif os.path.lexists(target):
            raise BackupFailed(path=str(target), why="there is a file of that name already")
        else:
            copy.rename(target)
        sync(target.parent)


@contextmanager
def _opened(path: Path, mode: str, timeout: float = BUSY_TIMEOUT) -> Iterator[Connection]:
    connection = Connection(path, timeout=timeout, mode=mode)
    try:
        yield connection
    finally:
        connection.close()


def _clubs(connection: Connection) -> list[str]:
    return [row[0] for row in connection.all("SELECT club FROM clubs ORDER BY club")]
