"""Every store the contract suite runs on; another one is another line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from ledger.store import EventStore
from ledger.stores import MemoryStore, SqliteStore
from ledger.stores.sqlite import connection, schema
from tests.stores.kit import THE_CLUB

STORES: dict[str, Callable[[Path], EventStore]] = {
    "memory": lambda _folder: MemoryStore(),
    "sqlite": lambda folder: SqliteStore(folder / "book.db", create=True),
}


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here can cut the power; one asserts the setting that this replaces, and other processes keep it."""
    quick = tuple(pragma.replace("synchronous=FULL", "synchronous=OFF") for pragma in connection.PRAGMAS)
    monkeypatch.setattr(connection, "PRAGMAS", quick)


@pytest.fixture
def later_schema(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A release that has one more table."""
    later = Migrations("kittybook")
    later(name="the_book")(schema.the_book)
    later(name="who_may_sign_in")(schema.who_may_sign_in)
    later(name="who_belongs")(schema.who_belongs)
    later(name="what_is_backed_up")(schema.what_is_backed_up)
    later(name="what_was_rehearsed")(schema.what_was_rehearsed)

    @later()
    def seasons(db: Database) -> None:
        db.execute("CREATE TABLE seasons (club TEXT NOT NULL, season TEXT NOT NULL, PRIMARY KEY (club, season)) STRICT")

    with monkeypatch.context() as patch:
        patch.setattr(schema, "migrations", later)
        schema.known_schema.cache_clear()
        schema._expected_schema.cache_clear()
        yield
    schema.known_schema.cache_clear()
    schema._expected_schema.cache_clear()


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
