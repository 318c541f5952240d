"""The tables of a book and the triggers that keep them append-only; how an older file becomes a newer one."""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import Final

from sqlite_utils import Database
from sqlite_utils.db import Table
from sqlite_utils.migrations import Migrations

from ledger.errors import StoreDamaged, StoreNewer, StoreReadOnly
from ledger.stores.sqlite.connection import Connection

APPLICATION_ID: Final = 0x4B495454
"""What marks a SQLite file as ours: "KITT" in ASCII."""

OLDEST_SQLITE: Final = (3, 37, 0)
"""The first with STRICT tables."""

migrations: Final = Migrations("kittybook")

SELDOM_POSTED: Final = "account NOT GLOB '[gpst]*'"
"""True of members, cash, charges and exchange, whose lines lie far apart.

The accounts of every hand (game, player, pool, shortage, till) are found through their stream; an index on them would
cost a third of the append rate (measured).
"""

_APPEND_ONLY: Final[dict[str, list[tuple[str, ...]]]] = {
    "events": [("club", "position"), ("club", "stream", "version")],
    "postings": [("club", "position", "line")],
    "commands": [("club", "command_id")],
    "rulebooks": [("club", "digest")],
}


@migrations()
def the_book(db: Database) -> None:
    """Make everything that contract, section 10, lists."""
    _create(db, "clubs", ["club"], club=str, position=int, digest=str, epoch=str)
    _create(
        db, "events", ["club", "stream", "version"], optional={"device", "device_time"},
        club=str, stream=str, version=int, position=int, type=str, data=str,
        command_id=str, actor=str, device=str, recorded_at=str, device_time=str, digest=str,
    ).create_index(["club", "position"], unique=True)  # fmt: skip
    _create(
        db, "postings", ["club", "position", "line"], optional={"hand"},
        club=str, position=int, line=int, entry=int, hand=int, memo=str, account=str, unit=str, amount=int,
    )  # fmt: skip
    db.execute(f"CREATE INDEX postings_of_the_club ON postings (club, account, position, line) WHERE {SELDOM_POSTED}")
    _create(
        db, "commands", ["club", "command_id"],
        club=str, command_id=str, fingerprint=str, stream=str, type=str,
        first_version=int, version=int, first_position=int, position=int, answer=str,
    )  # fmt: skip
    _create(
        db, "balances", ["club", "scope", "account", "unit"], club=str, scope=str, account=str, unit=str, amount=int
    )
    _create(db, "rulebooks", ["club", "digest"], club=str, digest=str, body=str)
    _create(db, "texts", ["club", "ref"], optional={"salt", "text"}, club=str, ref=str, salt=str, text=str)
    for table, keys in _APPEND_ONLY.items():
        _guard(db, table, keys)
    db.execute(f"PRAGMA application_id={APPLICATION_ID}")


@migrations()
def who_may_sign_in(db: Database) -> None:
    """Make what stands beside the book: tokens, and where a store tries whether it can write."""
    _create(
        db, "tokens", ["club", "id"], optional={"name", "used", "revoked"},
        club=str, id=str, digest=str, name=str, role=str, created=str, used=str, revoked=str,
    ).create_index(["digest"], unique=True)  # fmt: skip
    _create(db, "trials", ["id"], id=int, times=int)


@migrations()
def who_belongs(db: Database) -> None:
    """Make what is kept of people and devices, beside the book; of secrets only hashes."""
    _create(
        db, "users", ["club", "id"], optional={"password", "joined", "disabled"},
        club=str, id=str, name=str, login=str, role=str, created=str, password=str, joined=str, disabled=str,
    ).create_index(["club", "login"], unique=True)  # fmt: skip
    _create(
        db, "sessions", ["digest"], optional={"user", "device", "expires", "agent"},
        digest=str, club=str, user=str, device=str, created=str, seen=str, expires=str, agent=str,
    ).create_index(["club"])  # fmt: skip
    _create(db, "browsers", ["digest"], digest=str, club=str, user=str, expires=str).create_index(["club"])
    _create(
        db, "invites", ["digest"], optional={"user", "device", "used", "used_by"},
        digest=str, club=str, kind=str, role=str, name=str, user=str, device=str, created_by=str, created=str,
        expires=str, used=str, used_by=str,
    ).create_index(["club"])  # fmt: skip
    _create(
        db, "devices", ["club", "id"], optional={"revoked"},
        club=str, id=str, name=str, role=str, created=str, paired_by=str, revoked=str,
    )  # fmt: skip
    _create(db, "pins", ["club", "user"], club=str, user=str, argon2=str)
    _create(db, "attempts", ["club", "key"], club=str, key=str, count=int, since=str).create_index(["since"])
    _create(
        db, "audit", ["club", "number"], optional={"about", "address"},
        club=str, number=int, at=str, actor=str, what=str, about=str, address=str,
    )  # fmt: skip
    _guard(db, "audit", [("club", "number")])


@migrations()
def what_is_backed_up(db: Database) -> None:
    """Make what is known of backups: the newest of each place, by club."""
    _create(
        db, "backups", ["club", "place"],
        club=str, place=str, file=str, position=int, digest=str, epoch=str, at=str,
    )  # fmt: skip


@migrations()
def what_was_rehearsed(db: Database) -> None:
    """Make what is known of backups that were restored for a trial, by club."""
    _create(db, "rehearsals", ["club", "at"], optional={"why"}, club=str, at=str, file=str, position=int, why=str)


def _create(db: Database, name: str, key: list[str], /, *, optional: frozenset[str] | set[str] = frozenset(),
            **columns: type) -> Table:  # fmt: skip
    return db.table(name).create(dict(columns), pk=key, not_null=set(columns) - optional, strict=True)


def _guard(db: Database, table: str, keys: list[tuple[str, ...]]) -> None:
    """Refuse UPDATE, DELETE, and an INSERT over a row that exists.

    INSERT OR REPLACE deletes without firing DELETE triggers on a plain connection, by any key and by rowid, hence the
    third trigger. A rowid that was not given reads as -1 there.
    """
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    taken = [" AND ".join(f"{column} = NEW.{column}" for column in key) for key in keys] + ["rowid = NEW.rowid"]
    exists = " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE {condition})" for condition in taken)
    db.execute(f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {refuse}")
    db.execute(f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {refuse}")
    db.execute(f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {exists} {refuse}")


def prepare(connection: Connection, *, create: bool, checked: bool) -> None:
    """Bring a file to this release's schema and assert that it is whole.

    Raises ``StoreDamaged`` for a file that is not ours or lacks a table or trigger, ``StoreNewer`` for a later schema.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        raise StoreReadOnly(path=str(connection.path), why=f"SQLite {sqlite3.sqlite_version}, {needed} is needed")
    require_ours(connection, empty_will_do=create)
    connection.run("PRAGMA journal_mode=WAL")
    if _number(connection, "user_version") < known_schema():
        upgrade(connection)
    if checked and (faults := missing(connection)):
        raise StoreDamaged(path=str(connection.path), why="; ".join(faults))


def require_ours(connection: Connection, *, empty_will_do: bool = False) -> None:
    """Raise unless a file is a store of this release or an older one."""
    path = str(connection.path)
    if _number(connection, "application_id") != APPLICATION_ID:
        if not empty_will_do or connection.one("SELECT 1 FROM sqlite_master"):
            raise StoreDamaged(path=path, why="it is no store of Kittybook")
    elif (found := _number(connection, "user_version")) > (known := known_schema()):
        raise StoreNewer(path=path, found=found, known=known)


def upgrade(connection: Connection) -> None:
    """Apply what is pending. The lock is taken first: processes that start together would race otherwise."""
    with connection.transaction("BEGIN IMMEDIATE"):
        require_ours(connection, empty_will_do=True)
        with connection.database() as db:
            migrations.apply(db)
        connection.run(f"PRAGMA user_version={known_schema()}")


def missing(connection: Connection) -> list[str]:
    """Name every table, index and trigger that is gone or not as this release makes it."""
    found: dict[str, str | None] = dict(connection.all("SELECT type || ' ' || name, sql FROM sqlite_master"))
    return [
        f"{name} is {'changed' if name in found else 'missing'}"
        for name, sql in _expected_schema().items()
        if found.get(name) != sql
    ]


@cache
def known_schema() -> int:
    """Return the number of this release's schema."""
    return len(migrations.pending(Database(memory=True)))


@cache
def _expected_schema() -> dict[str, str]:
    db = Database(sqlite3.connect(":memory:", isolation_level=None), execute_plugins=False)
    migrations.apply(db)
    schema = dict(db.execute("SELECT type || ' ' || name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall())
    db.close()
    return schema


def _number(connection: Connection, pragma: str) -> int:
    row = connection.one(f"PRAGMA {pragma}")
    return int(row[0]) if row else 0
