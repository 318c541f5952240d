"""The files of a store: private from birth, and one beside it that says who has it open."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.errors import DiskFull, LedgerError, StoreMissing, StoreReadOnly

try:
    import fcntl
except ImportError:  # Windows: no lock, but a file that is open cannot be replaced there, and SQLite is asked as well
    CAN_LOCK = False
else:
    CAN_LOCK = True


class FileLock:
    """Shared by whoever uses a store, exclusive to whoever replaces it; held until released, or the process dies."""

    def __init__(self, store: Path) -> None:
        self._path = beside(store, ".lock")
        self._handle: int | None = None

    def take(self, *, exclusive: bool) -> bool:
        """Return whether it could be had; do not wait. Raises ``StoreReadOnly`` where no lock file can be made."""
        if not CAN_LOCK:
            return True
        with refusals(self._path):
            self._handle = os.open(self._path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._handle, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            return False
        return True

    def release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def beside(store: Path, suffix: str) -> Path:
    """Return the path with something added to its name."""
    return store.with_name(f"{store.name}{suffix}")


def make_private(path: Path) -> bool:
    """Make an empty file that only its owner may read; return false, and touch nothing, when there is one.

    SQLite gives the files it makes beside it the same mode.
    """
    with refusals(path):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        sync(path.parent)
    return True


def sync(path: Path) -> None:
    """Make a file's content, or a folder's names, survive a power cut.

    Never for a file that SQLite has open in this process: closing it here would drop SQLite's locks.
    """
    if os.name == "nt" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def refusals(path: Path) -> Iterator[None]:
    """Turn what the file system refuses into ``DiskFull``, ``StoreMissing`` or ``StoreReadOnly``."""
    try:
        yield
    except OSError as error:
        raise _refusal(error, path) from error


def _refusal(error: OSError, path: Path) -> LedgerError:
    if error.errno == errno.ENOENT:
        return StoreMissing(path=str(path))
    why = error.strerror or str(error)
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return DiskFull(why=why)
    return StoreReadOnly(path=str(path), why=why)
