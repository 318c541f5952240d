"""The stores a book can be kept in, and which one an address means."""

from __future__ import annotations

from ledger.errors import StoreMissing
from ledger.people import People
from ledger.store import EventStore
from ledger.stores.memory import MemoryStore
from ledger.stores.people import MemoryPeople
from ledger.stores.sqlite import SqlitePeople, SqliteStore, SqliteTokens
from ledger.stores.verify import Finding, verify
from ledger.tokens import Tokens

__all__ = ["Finding", "MemoryPeople", "MemoryStore", "SqliteStore", "open_store", "people_of", "tokens_of", "verify"]


def open_store(address: str, *, create: bool = False, checked: bool = True) -> EventStore:
    """Open the store at an address: a path; without ``checked`` also one that lacks a guard against editing.

    Raises what the store raises when it cannot be opened.
    """
    if "://" in address:
        raise StoreMissing(path=address)
    return SqliteStore(address, create=create, checked=checked)


def tokens_of(store: EventStore) -> Tokens:
    """Return the tokens that are kept beside a store's books."""
    if isinstance(store, SqliteStore):
        return SqliteTokens(store)
    raise AssertionError("this store keeps no tokens")


def people_of(store: EventStore) -> People:
    """Return the people and devices that are kept beside a store's books."""
    if isinstance(store, SqliteStore):
        return SqlitePeople(store)
    raise AssertionError("this store keeps no people")
