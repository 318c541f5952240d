"""Tokens in a book's file, beside the book."""

from __future__ import annotations

from dataclasses import astuple
from typing import Final

from ledger.stores.sqlite.connection import Connection
from ledger.stores.sqlite.store import SqliteStore
from ledger.tokens import Token

_COLUMNS: Final = "club, id, name, role, created, used, revoked"


class SqliteTokens:
    """The tokens of every club in one file (``ledger.tokens.Tokens``)."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def add(self, token: Token, digest: str) -> None:
        with self._store.writing() as connection:
            connection.run(f"INSERT INTO tokens ({_COLUMNS}, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                           (*astuple(token), digest))  # fmt: skip

    def find(self, digest: str) -> Token | None:
        with self._store.connection() as connection:
            row = connection.one(f"SELECT {_COLUMNS} FROM tokens WHERE digest = ?", (digest,))
        return _token(row) if row else None

    def all(self, club: str) -> list[Token]:
        with self._store.connection() as connection:
            rows = connection.all(f"SELECT {_COLUMNS} FROM tokens WHERE club = ? ORDER BY rowid", (club,))
        return [_token(row) for row in rows]

    def use(self, token: Token, day: str) -> None:
        connection = Connection(self._store.path, timeout=0)  # who only reads does not wait for who writes
        try:
            with connection.transaction("BEGIN IMMEDIATE"):
                connection.run("UPDATE tokens SET used = ? WHERE club = ? AND id = ?", (day, token.club, token.id))
        finally:
            connection.close()

    def revoke(self, token: Token, at: str) -> None:
        with self._store.writing() as connection:
            connection.run(
                "UPDATE tokens SET revoked = ? WHERE club = ? AND id = ? AND revoked IS NULL",
                (at, token.club, token.id),
            )


def _token(row: tuple[str, ...]) -> Token:
    club, id_, name, role, created, used, revoked = row
    return Token(club=club, id=id_, name=name, role=role, created=created, used=used, revoked=revoked)
