"""Every store the contract suite runs on; another one is another line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ledger.store import EventStore
from ledger.stores import MemoryStore, SqliteStore
from tests.stores.kit import THE_CLUB

STORES: dict[str, Callable[[Path], EventStore]] = {
    "memory": lambda _folder: MemoryStore(),
    "sqlite": lambda folder: SqliteStore(folder / "book.db", create=True),
}


@pytest.fixture(params=sorted(STORES))
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    store = STORES[request.param](tmp_path)
    yield store
    store.close()


@pytest.fixture
def store(empty: EventStore) -> EventStore:
    empty.found(THE_CLUB, "epoch-1")
    return empty


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "book.db"


@pytest.fixture
def sqlite(path: Path) -> Iterator[SqliteStore]:
    with SqliteStore(path, create=True, timeout=2) as store:
        store.found(THE_CLUB, "epoch-1")
        yield store


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack
