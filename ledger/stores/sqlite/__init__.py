"""A book in one SQLite file: durable at every answer, written by one at a time, read by many."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from ledger.errors import ClubExists, Corrupt, LedgerError, StoreBusy, StoreMissing, Unavailable
from ledger.store import GENESIS, Audit, Reader, Transaction
from ledger.stores.sqlite.backup import backup, restore
from ledger.stores.sqlite.book import Book
from ledger.stores.sqlite.connection import Connection
from ledger.stores.sqlite.lock import FileLock, refusal
from ledger.stores.sqlite.schema import prepare

__all__ = ["SqliteStore", "backup", "restore"]

T = TypeVar("T")

BUSY_TIMEOUT: Final = 5.0
"""Seconds to wait for the write lock, once inside the process and once among processes."""


class SqliteStore:
    """The store of one file, opened once in a process and used by all its threads.

    Connections are lent, not tied to threads: each is used by one thread at a time, a reader may stay open while its
    thread reads or writes elsewhere, and threads that come and go leave none behind.
    """

    def __init__(
        self, path: str | Path, *, create: bool = False, checked: bool = True, timeout: float = BUSY_TIMEOUT
    ) -> None:
        """Open a file, bring it to this release's schema, and assert its guards unless ``checked`` is false.

        Raises ``StoreMissing``, ``StoreDamaged``, ``StoreNewer``, ``StoreReadOnly``, ``DiskFull``, ``StoreBusy`` (also
        while it is being restored).
        """
        self.path = Path(path).absolute()
        self._timeout = timeout
        self._writing = threading.Lock()
        self._idle: list[Connection] = []
        self._open = True
        self._lock = FileLock(self.path)
        if not create and not self.path.exists():
            raise StoreMissing(path=str(self.path))
        if not self._lock.take(exclusive=False):
            raise StoreBusy()
        try:
            if create:
                _make_private_file(self.path)
            with self._connection() as connection:
                prepare(connection, create=create, checked=checked, timeout=timeout)
        except BaseException:
            self.close()
            raise

    def found(self, club: str, epoch: str, *, another: bool = False) -> None:
        with self._write_lock(), self._connection() as connection, connection.transaction("BEGIN IMMEDIATE"):
            present = _clubs(connection)
            if club in present or (present and not another):
                raise ClubExists(club=", ".join(present))
            connection.run(
                "INSERT INTO clubs (club, position, digest, epoch) VALUES (?, 0, ?, ?)", (club, GENESIS, epoch)
            )

    def clubs(self) -> list[str]:
        with self._connection() as connection:
            return _clubs(connection)

    @contextmanager
    def read(self, club: str) -> Iterator[Reader]:
        with self._snapshot(club) as book:
            yield book

    @contextmanager
    def audit(self, club: str) -> Iterator[Audit]:
        with self._snapshot(club) as book:
            yield book

    def transact(self, club: str, jobs: Sequence[Callable[[Transaction], T]]) -> list[T | LedgerError]:
        with self._write_lock(), self._connection() as connection:
            if len(jobs) == 1:
                return [self._carry_out_alone(connection, club, jobs[0])]
            with connection.transaction("BEGIN IMMEDIATE"):
                book = Book(connection, club)
                results = [_carry_out(connection, book, job) for job in jobs]
            if book.erased:
                _forget_old_pages(connection)
            return results

    def close(self) -> None:
        """Close every connection: idle ones now, lent ones when they come back."""
        self._open = False
        while self._idle:
            self._idle.pop().close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def connection(self) -> Iterator[Connection]: ...
