"""The stores a book can be kept in, and which one an address means."""

from __future__ import annotations

from ledger.errors import StoreMissing
from ledger.store import EventStore
from ledger.stores.memory import MemoryStore
from ledger.stores.sqlite import SqliteStore
from ledger.stores.verify import Finding, verify

__all__ = ["Finding", "MemoryStore", "SqliteStore", "open_store", "verify"]


def open_store(address: str, *, create: bool = False, checked: bool = True) -> EventStore:
    """Open the store at an address: a path; without ``checked`` also one that lacks a guard against editing.

    Raises what the store raises when it cannot be opened.
    """
    if "://" in address:
        raise StoreMissing(path=address)
    return SqliteStore(address, create=create, checked=checked)
