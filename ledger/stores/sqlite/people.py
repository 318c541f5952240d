"""People and devices in a book's file, beside the book (``ledger.people.People``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Final

from ledger.people.model import (
    KEYS,
    Attempts,
    Browser,
    Device,
    Entry,
    Link,
    Pin,
    R,
    Records,
    Row,
    Session,
    User,
)
from ledger.stores.sqlite.connection import Connection
from ledger.stores.sqlite.store import SqliteStore

TABLES: Final[dict[type[object], str]] = {
    User: "users",
    Session: "sessions",
    Browser: "browsers",
    Link: "invites",
    Device: "devices",
    Pin: "pins",
    Attempts: "attempts",
    Entry: "audit",
}

_COLUMNS: Final[dict[type[object], tuple[str, ...]]] = {
    kind: tuple(field.name for field in fields(kind))
    for kind in (User, Session, Browser, Link, Device, Pin, Attempts, Entry)
}


class SqlitePeople:
    """The people of every club in one file."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    @contextmanager
    def read(self) -> Iterator[Records]:
        with self._store.connection() as connection, connection.transaction("BEGIN"):
            yield _Records(connection)

    @contextmanager
    def write(self, *, patient: bool = True) -> Iterator[Records]:
        if patient:
            with self._store.writing() as connection:
                yield _Records(connection)
            return
        connection = Connection(self._store.path, timeout=0)  # who only reads does not wait for who writes
        try:
            with connection.transaction("BEGIN IMMEDIATE"):
                yield _Records(connection)
        finally:
            connection.close()


class _Records:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, kind: type[R], /, *key: str) -> R | None:
        row = self._connection.one(f"{_select(kind)} WHERE {_equal(KEYS[kind])}", key)
        return None if row is None else kind(**dict(zip(_columns(kind), row, strict=True)))

    def all(self, kind: type[R], club: str, /, **equal: str) -> list[R]:
        rows = self._connection.all(
            f"{_select(kind)} WHERE {_equal(('club', *equal))} ORDER BY rowid", (club, *equal.values())
        )
        return [kind(**dict(zip(_columns(kind), row, strict=True))) for row in rows]

    def count(self, kind: type[Row], club: str) -> int:
        ((count,),) = self._connection.all(f"SELECT count(*) FROM {TABLES[kind]} WHERE club = ?", (club,))
        return int(count)

    def put(self, row: Row) -> None:
        kind: type[Row] = type(row)
        self._connection.run(_upsert(kind), [getattr(row, column) for column in _columns(kind)])

    def drop(self, row: Row) -> None:
        keys = KEYS[type(row)]
        self._connection.run(
            f"DELETE FROM {TABLES[type(row)]} WHERE {_equal(keys)}", [getattr(row, key) for key in keys]
        )

    def drop_before(self, kind: type[Row], column: str, moment: str) -> None:
        self._connection.run(f"DELETE FROM {TABLES[kind]} WHERE {column} < ?", (moment,))

    def note(self, club: str, at: str, actor: str, what: str, about: str | None, address: str | None) -> None:
        self._connection.run(
            "INSERT INTO audit (club, number, at, actor, what, about, address)"
            " SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ?, ?, ? FROM audit WHERE club = ?",
            (club, at, actor, what, about, address, club),
        )

    def trail(self, club: str, before: int | None = None, limit: int = 100) -> list[Entry]:
        rows = self._connection.all(
            f"{_select(Entry)} WHERE club = ? AND number < ? ORDER BY number DESC LIMIT ?",
            (club, 2**62 if before is None else before, limit),
        )
        return [Entry(**dict(zip(_columns(Entry), row, strict=True))) for row in rows]


def _columns(kind: type[object]) -> tuple[str, ...]:
    return _COLUMNS[kind]


def _select(kind: type[object]) -> str:
    return f"SELECT {', '.join(_columns(kind))} FROM {TABLES[kind]}"


def _upsert(kind: type[object]) -> str:
    columns, keys = _columns(kind), KEYS[kind]
    others = ", ".join(f"{column} = excluded.{column}" for column in columns if column not in keys)
    return (
        f"INSERT INTO {TABLES[kind]} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        f" ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {others}"
    )


def _equal(columns: tuple[str, ...]) -> str:
    return " AND ".join(f"{column} = ?" for column in columns)
