"""The store of one SQLite file: who may write, who reads, and the connections they borrow."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from ledger.errors import ClubExists, Corrupt, LedgerError, StoreBusy, StoreMissing, Unavailable
from ledger.store import GENESIS, Audit, Reader, Transaction
from ledger.stores.sqlite.book import Book
from ledger.stores.sqlite.connection import Connection
from ledger.stores.sqlite.files import FileLock, make_private
from ledger.stores.sqlite.schema import prepare
from ledger.stores.turns import Turns

T = TypeVar("T")

BUSY_TIMEOUT: Final = 5.0
"""Seconds to wait for the write lock: among the threads of the process, and then among processes."""


class SqliteStore:
    """A book in one file: durable at every answer, written by one at a time, read by many.

    Connections are lent, not tied to threads: each is used by one thread at a time, a reader may stay open while its
    thread reads or writes elsewhere, and threads that come and go leave none behind.
    """

    def __init__(
        self, path: str | Path, *, create: bool = False, checked: bool = True, timeout: float = BUSY_TIMEOUT
    ) -> None:
        """Open a file and bring it to this release's schema; with ``checked`` assert that no guard is missing.

        Raises ``StoreMissing``, ``StoreDamaged``, ``StoreNewer``, ``StoreReadOnly``, ``DiskFull``, and ``StoreBusy``
        while the file is being restored.
        """
        self.path = Path(path).resolve()  # by any name, the lock beside it is the same
        self._timeout = timeout
        self._process = os.getpid()
        self._writing = Turns()  # before SQLite's own lock, whose waiters sleep and are not served in order
        self._idle: list[Connection] = []
        self._anchor: Connection | None = None
        self._erased = True  # perhaps by one who was killed before he could empty the log
        self._open = True
        self._lock = FileLock(self.path)
        if not create and not self.path.exists():
            raise StoreMissing(path=str(self.path))
        if not self._lock.take(exclusive=False):
            raise StoreBusy()
        try:
            if create:
                make_private(self.path)
            with self.connection() as connection:
                prepare(connection, create=create, checked=checked)
                self._forget(connection)
            self._anchor = self._anchored()
        except BaseException:
            self.close()
            raise

    @property
    def address(self) -> str:
        return str(self.path)

    def found(self, club: str, epoch: str, *, another: bool = False) -> None:
        with self.writing() as file:
            present = _clubs(file)
            if club in present or (present and not another):
                raise ClubExists(club=", ".join(present))
            file.run("INSERT INTO clubs (club, position, digest, epoch) VALUES (?, 0, ?, ?)", (club, GENESIS, epoch))

    def try_writing(self) -> None:
        """Write something that belongs to no book, or raise why nothing can be written: what health is told by."""
        with self.writing() as file:
            file.run("INSERT INTO trials (id, times) VALUES (1, 1) ON CONFLICT DO UPDATE SET times = times + 1")

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Lend a connection with the lock for writing, for what stands beside the books."""
        with self._writing.take(self._timeout), self.connection() as file, file.transaction("BEGIN IMMEDIATE"):
            yield file

    def clubs(self) -> list[str]:
        with self.connection() as connection:
            return _clubs(connection)

    @contextmanager
    def read(self, club: str) -> Iterator[Reader]:
        with self._snapshot(club, "BEGIN") as (_, book):
            yield book

    @contextmanager
    def audit(self, club: str) -> Iterator[Audit]:
        with self._snapshot(club, "BEGIN") as (_, book):
            yield book

    def transact(self, club: str, jobs: Sequence[Callable[[Transaction], T]]) -> list[T | LedgerError]:
        with self._writing.take(self._timeout):
            with self.connection() as connection, connection.transaction("BEGIN IMMEDIATE"):
                book = Book(connection, club)
                try:
                    results = [_carry_out(connection, book, job, alone=len(jobs) == 1) for job in jobs]
                finally:
                    book.end()
            self._erased |= book.erased
            if self._erased:
                with self.connection() as connection:
                    self._forget(connection)
        return results

    def _forget(self, connection: Connection) -> None:
        """Let nothing that was erased be in the log; where a reader holds it, the next to write tries again."""
        self._erased = not connection.forget_old_pages()

    def close(self) -> None:
        """Close every connection: idle ones now, lent ones when they come back."""
        self._open = False
        if self._anchor is not None:
            self._anchor.close()
        while self._idle:
            self._idle.pop().close()
        self._lock.release()

    def _anchored(self) -> Connection:
        """Return a connection that stays open, and with it the files beside the book.

        Whoever is the last to close removes them; on a full disk they could not be made again, not even to read.
        """
        connection = Connection(self.path, timeout=self._timeout)
        connection.one("SELECT count(*) FROM clubs")
        return connection

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection, for what goes beyond a store's protocol (backups, tables of another layer)."""
        if not self._open or self._process != os.getpid():
            raise AssertionError("this store is closed, or was opened by another process")
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = Connection(self.path, timeout=self._timeout)
        try:
            yield connection
        except (Unavailable, Corrupt):
            connection.close()
            raise
        except BaseException:
            self._take_back(connection)
            raise
        self._take_back(connection)

    def _take_back(self, connection: Connection) -> None:
        if self._open:
            self._idle.append(connection)
        else:
            connection.close()

    @contextmanager
    def _snapshot(self, club: str, begin: str) -> Iterator[tuple[Connection, Book]]:
        with self.connection() as connection, connection.transaction(begin):
            book = Book(connection, club)
            try:
                yield connection, book
            finally:
                book.end()


def _carry_out(connection: Connection, book: Book, job: Callable[[Transaction], T], *, alone: bool) -> T | LedgerError:
    head = book.head()
    if not alone:
        connection.run("SAVEPOINT job")
    try:
        result = job(book)
        book.require_answers()
    except (Unavailable, Corrupt):
        raise
    except LedgerError as refusal:
        if alone:
            connection.undo()
        else:
            connection.run("ROLLBACK TO job")
            connection.run("RELEASE job")
        book.restart(head)
        return refusal
    if not alone:
        connection.run("RELEASE job")
    return result


def _clubs(connection: Connection) -> list[str]:
    return [row[0] for row in connection.all("SELECT club FROM clubs ORDER BY club")]
