"""One connection to a book's file, used by one thread at a time. The errors of sqlite3 end here."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeAlias, TypeVar

from sqlite_utils import Database

from ledger.errors import DiskFull, LedgerError, StoreBusy, StoreDamaged, StoreMissing, StoreReadOnly

T = TypeVar("T")

Row: TypeAlias = tuple[Any, ...]
Parameters: TypeAlias = Sequence[object] | Mapping[str, object]

PRAGMAS: Final = (
    "PRAGMA page_size=2048",  # of a new file: a tap touches few rows on many pages; 4 % of it (measured)
    "PRAGMA synchronous=FULL",  # an answered hand survives a power cut
    "PRAGMA wal_autocheckpoint=400",  # a log that is written over costs less than one that grows: 6 % of a tap
    "PRAGMA fullfsync=ON",  # on macOS too
    "PRAGMA secure_delete=ON",  # an erased name is overwritten, not only forgotten
    "PRAGMA trusted_schema=OFF",
)

_FAILURES: Final = (sqlite3.Error, UnicodeDecodeError)
"""The second: sqlite3 quotes a damaged schema in its message, and fails to read that as text."""

# What a full disk, a quota or a limit on file sizes looks like, depending on where it strikes.
_NO_ROOM: Final = {"SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC", "SQLITE_IOERR_SHMSIZE"}


class Connection:
    """Statements in, rows out; raises ``Unavailable`` and ``Corrupt`` only."""

    def __init__(self, path: Path, *, timeout: float, mode: str = "rw") -> None:
        self.path = path
        self._timeout = timeout
        self._undone = False
        with self._translated():
            self._raw = sqlite3.connect(
                f"{path.as_uri()}?mode={mode}", uri=True, timeout=0, isolation_level=None, check_same_thread=False
            )
        try:
            for pragma in PRAGMAS:
                self.run(pragma)
        except BaseException:
            self.close()
            raise

    def run(self, sql: str, parameters: Parameters = ()) -> None:
        try:
            self._raw.execute(sql, parameters)
        except _FAILURES as error:
            self._again(error, lambda: self._raw.execute(sql, parameters))

    def run_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        if not rows:
            return
        try:
            self._raw.executemany(sql, rows)
        except _FAILURES as error:
            raise translated(error, self.path) from error

    def one(self, sql: str, parameters: Parameters = ()) -> Row | None:
        rows = self.all(sql, parameters)
        return rows[0] if rows else None

    def all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Return all rows at once: a statement left open would hold an old snapshot past its transaction."""
        try:
            return self._raw.execute(sql, parameters).fetchall()
        except _FAILURES as error:
            return self._again(error, lambda: self._raw.execute(sql, parameters).fetchall())

    def _again(self, error: sqlite3.Error | UnicodeDecodeError, call: Callable[[], T]) -> T:
        """Call again and again while another process holds what is needed, until time is up.

        SQLite's own waiting sleeps longer and longer, and is served in no order. Measured with eight processes that
        write without a pause: the longest wait fell from 4.6 s to 0.25 s.
        """
        end = time.monotonic() + self._timeout
        while isinstance(refusal := translated(error, self.path), StoreBusy) and time.monotonic() < end:
            time.sleep(random.uniform(0.0005, 0.002))
            try:
                return call()
            except _FAILURES as failure:
                error = failure
        raise refusal from error

    def transaction(self, begin: str) -> Transacting:
        """Commit what was done inside, or roll it back when anything was raised. ``begin`` is the kind of lock."""
        return Transacting(self, begin)

    def begin(self, begin: str) -> None:
        """Begin a transaction."""
        self.run(begin)
        self._undone = False

    def commit(self) -> None:
        """Commit, unless it was rolled back already; roll back where that fails."""
        if not self._undone:
            try:
                self.run("COMMIT")
            except BaseException:
                self.undo()
                raise

    def undo(self) -> None:
        """Roll back the transaction, which then ends without a commit; the engine may have rolled it back already."""
        self._undone = True
        if self._raw.in_transaction:
            self.run("ROLLBACK")

    def forget_old_pages(self) -> bool:
        """Empty the write-ahead log, where what was erased could still be read; return whether no reader held it."""
        busy = True
        with suppress(LedgerError):
            ((busy, _frames, _moved),) = self.all("PRAGMA wal_checkpoint(TRUNCATE)")
        return not busy

    @contextmanager
    def database(self) -> Iterator[Database]:
        """Lend the connection to sqlite-utils."""
        with self._translated():
            yield Database(self._raw, execute_plugins=False)

    def close(self) -> None:
        with self._translated():
            self._raw.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except _FAILURES as error:
            raise translated(error, self.path) from error


class Transacting:
    """A transaction to be used with ``with``; a class, since a tap waits for it."""

    __slots__ = ("_begin", "_connection")

    def __init__(self, connection: Connection, begin: str) -> None:
        self._connection = connection
        self._begin = begin

    def __enter__(self) -> None:
        self._connection.begin(self._begin)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._connection.commit()
        else:
            self._connection.undo()


def translated(error: sqlite3.Error | UnicodeDecodeError, path: Path) -> LedgerError:
    """Return the refusal that an error of sqlite3 means; raise ``AssertionError`` for misuse of the driver."""
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError):
        raise AssertionError(str(error)) from error
    name = getattr(error, "sqlite_errorname", "")
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreBusy()
        case sqlite3.SQLITE_FULL:
            return DiskFull(why=str(error))
        case sqlite3.SQLITE_IOERR if name in _NO_ROOM:
            return DiskFull(why=f"{error}, {name}")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return StoreReadOnly(path=str(path), why=str(error))
        case sqlite3.SQLITE_CANTOPEN if path.exists():
            return StoreReadOnly(path=str(path), why=str(error))
        case sqlite3.SQLITE_CANTOPEN:
            return StoreMissing(path=str(path))
        case _:
            return StoreDamaged(path=str(path), why=f"{error} ({name})" if name else str(error))
