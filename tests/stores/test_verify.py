"""Whoever edits a book by hand is found out, and the first row that differs is named."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from ledger.errors import StoreDamaged
from ledger.store import EventStore, Recorded
from ledger.stores import Finding, SqliteStore, verify
from tests.stores.kit import THE_CLUB, append, do, everything, fill, findings, hand


def tamper(path: Path, *statements: str) -> None:
    """Do what somebody with the file and a SQLite shell can do: drop the triggers, edit, put them back."""
    with closing(sqlite3.connect(path)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)
        connection.commit()


def test_a_whole_book_has_no_findings(store: EventStore) -> None:
    fill(store)
    assert findings(store) == []


APPENDED = (
    "INSERT INTO events SELECT club, stream, version + 1, position + 1, type, data, command_id, actor, device,"
    " recorded_at, device_time, digest FROM events WHERE position = 8"
)
SWAPPED = (
    "UPDATE events SET position = 99, version = 99 WHERE position = 3",
    "UPDATE events SET position = 3, version = 2 WHERE position = 4",
    "UPDATE events SET position = 4, version = 3 WHERE position = 99",
)


@pytest.mark.parametrize(
    ("edit", "code", "position"),
    [
        (["UPDATE events SET data = replace(data, 'ann', 'bob') WHERE position = 3"], "chain_broken", 3),
        (["UPDATE events SET data = data || ' ' WHERE position = 3"], "chain_broken", 3),
        (["UPDATE events SET type = 'Paid' WHERE position = 3"], "chain_broken", 3),
        (["UPDATE events SET actor = 'user:2' WHERE position = 3"], "chain_broken", 3),
        (["UPDATE events SET device = NULL WHERE position = 3"], "chain_broken", 3),
        (["UPDATE events SET device_time = recorded_at WHERE position = 3"], "chain_broken", 3),
        (["UPDATE events SET recorded_at = '2026-11-26T20:15:04Z' WHERE position = 3"], "chain_broken", 3),
        ([f"UPDATE events SET digest = '{0:064}' WHERE position = 3"], "chain_broken", 3),
        (["UPDATE events SET data = '{\"hand\":' WHERE position = 3"], "store_damaged", 3),
        (["UPDATE events SET stream = 'night:x', version = 1 WHERE position = 8"], "chain_broken", 8),
        (["UPDATE events SET version = version + 1 WHERE position = 8"], "version_gap", 8),
        (["DELETE FROM events WHERE position = 3"], "position_gap", 4),
        (["DELETE FROM events WHERE position = 8"], "command_wrong", 7),
        (SWAPPED, "chain_broken", 3),
        ([APPENDED], "chain_broken", 9),
        (["UPDATE postings SET amount = amount * 2 WHERE position = 3"], "chain_broken", 3),
        (["UPDATE postings SET amount = amount + 1 WHERE position = 3 AND line = 1"], "chain_broken", 3),
        (["UPDATE postings SET account = 'player:cal' WHERE position = 3 AND line = 1"], "chain_broken", 3),
        (["UPDATE postings SET account = 'nobody' WHERE position = 3 AND line = 1"], "chain_broken", 3),
        (["UPDATE postings SET memo = 'gift' WHERE position = 3 AND line = 1"], "chain_broken", 3),
        (["DELETE FROM postings WHERE position = 3"], "chain_broken", 3),
        (["INSERT INTO postings VALUES ('thursday', 3, 3, 2, NULL, 'gift', 'till', 'EUR', 0)"], "chain_broken", 3),
        (["INSERT INTO postings VALUES ('thursday', 99, 1, 1, NULL, 'gift', 'till', 'EUR', 0)"], "stray", None),
        (["UPDATE balances SET amount = amount + 1 WHERE account = 'player:ann'"], "balance_wrong", None),
        (["DELETE FROM balances WHERE account = 'player:ann'"], "balance_wrong", None),
        (["INSERT INTO balances VALUES ('thursday', 'club', 'cash', 'EUR', 5)"], "balance_wrong", None),
        (["UPDATE clubs SET position = 7"], "head_wrong", None),
        (["UPDATE clubs SET digest = (SELECT digest FROM events WHERE position = 7)"], "head_wrong", None),
        (["DELETE FROM commands WHERE position = 3"], "command_missing", 3),
        (["UPDATE commands SET version = version + 1 WHERE position = 3"], "command_wrong", 3),
        (["UPDATE commands SET first_position = 6 WHERE position = 8"], "command_wrong", 7),
        (["UPDATE commands SET stream = 'club' WHERE position = 3"], "command_wrong", 3),
        (["INSERT INTO commands SELECT club, 'forged', fingerprint, stream, type, first_version, version,"
          " first_position, position, answer FROM commands WHERE position = 3"], "stray", None),
        (["UPDATE rulebooks SET body = 'other rules'"], "rulebook_altered", None),
        (["UPDATE texts SET text = 'Bob revoked' WHERE ref = 'n1'"], "text_altered", 1),
        (["UPDATE texts SET salt = '00fe' WHERE ref = 'n2'"], "text_altered", 1),
        (["DELETE FROM texts WHERE ref = 'n2'"], "text_missing", 1),
        (["DROP INDEX idx_events_club_position"], "store_damaged", None),
    ],
)  # fmt: skip
def test_an_edit_by_hand_is_found(
    sqlite: SqliteStore, path: Path, edit: list[str], code: str, position: int | None
) -> None:
    fill(sqlite)
    tamper(path, *edit)
    found = findings(sqlite)
    assert found, "nothing was found"
    assert found[0].is_fault
    assert (found[0].code, found[0].position) == (code, position), [str(finding) for finding in found]


def test_balances_can_be_made_anew_and_postings_stay(sqlite: SqliteStore, path: Path) -> None:
    fill(sqlite)
    tamper(
        path,
        "UPDATE balances SET amount = amount + 1 WHERE account = 'player:ann'",
        "DELETE FROM balances WHERE account = 'player:bob'",
        "INSERT INTO balances VALUES ('thursday', 'club', 'cash', 'EUR', 5)",
    )
    rows = everything(sqlite)
    assert do(sqlite, lambda tx: tx.rebuild_balances()) == 3
    assert findings(sqlite) == []
    assert do(sqlite, lambda tx: tx.rebuild_balances()) == 0
    assert everything(sqlite) == rows


def test_only_the_row_that_was_edited_is_named(sqlite: SqliteStore, path: Path) -> None:
    fill(sqlite)
    tamper(path, "UPDATE events SET actor = 'user:2' WHERE position = 3")
    [finding] = findings(sqlite)
    assert str(finding).startswith("position 3 (night:main-2026-11-26, version 2): ")


def test_rows_before_one_that_cannot_be_read_are_still_examined(sqlite: SqliteStore, path: Path) -> None:
    fill(sqlite)
    tamper(
        path,
        "UPDATE events SET actor = 'user:2' WHERE position = 3",
        "UPDATE events SET data = 'nonsense' WHERE position = 5",
    )
    assert [(finding.code, finding.position) for finding in findings(sqlite)] == [
        ("chain_broken", 3),
        ("store_damaged", 5),
    ]


def test_a_reader_refuses_a_row_that_is_no_json(sqlite: SqliteStore, path: Path) -> None:
    append(sqlite)
    tamper(path, "UPDATE events SET data = '[1]'")
    with pytest.raises(StoreDamaged), sqlite.read(THE_CLUB) as book:
        book.events()


def test_an_event_before_the_first_is_found(sqlite: SqliteStore, path: Path) -> None:
    append(sqlite)
    tamper(path, "INSERT INTO events SELECT club, stream, 0, 0, type, data, command_id, actor, device, recorded_at,"
                 " device_time, digest FROM events")  # fmt: skip
    assert [finding.code for finding in findings(sqlite)] == ["stray"]


@pytest.mark.parametrize("guard", ["events_no_update", "events_no_delete", "events_no_replace", "postings_no_update"])
def test_a_guard_that_was_dropped_is_missed(sqlite: SqliteStore, path: Path, guard: str) -> None:
    fill(sqlite)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"DROP TRIGGER {guard}")
    assert [finding.detail for finding in findings(sqlite)] == [f"trigger {guard} is missing"]
    with pytest.raises(StoreDamaged, match=f"trigger {guard} is missing"):
        SqliteStore(path)
    with SqliteStore(path, checked=False) as unguarded:
        assert len(findings(unguarded)) == 1


def test_a_table_that_was_transformed_is_found(sqlite: SqliteStore, path: Path) -> None:
    """sqlite-utils' transform() drops the triggers of the table, silently."""
    fill(sqlite)
    with closing(sqlite3.connect(path)) as connection:
        Database(connection).table("events").transform(drop={"device"})
    assert "trigger events_no_update is missing" in [finding.detail for finding in findings(sqlite)]


@pytest.mark.parametrize("table", ["events", "postings", "commands", "rulebooks"])
def test_a_plain_connection_cannot_edit_by_accident(sqlite: SqliteStore, path: Path, table: str) -> None:
    fill(sqlite)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        others = ", ".join("club || 'x'" if column == "club" else column for column in columns)
        for statement in (
            f"UPDATE {table} SET club = club",
            f"UPDATE OR REPLACE {table} SET club = club",
            f"DELETE FROM {table}",
            f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
            f"INSERT OR REPLACE INTO {table} (rowid, {', '.join(columns)}) SELECT rowid, {others} FROM {table}",
            f"REPLACE INTO {table} SELECT * FROM {table} LIMIT 1",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)
    assert findings(sqlite) == []


def test_a_replay_that_comes_out_differently_is_told(store: EventStore) -> None:
    fill(store)

    def check(row: Recorded) -> str | None:
        return "this hand would score 10 today" if row.position == 4 else None

    with store.audit(THE_CLUB) as book:
        [finding] = verify(book, check=check)
    assert (finding.code, finding.position) == ("replay_differs", 4)


def test_findings_are_bounded(store: EventStore) -> None:
    append(store, *(hand(number) for number in range(200)))
    with store.audit(THE_CLUB) as book:
        assert len(verify(book, check=lambda _: "no", limit=7)) == 7


def test_a_long_book_is_examined_page_by_page(store: EventStore) -> None:
    append(store, *(hand(number) for number in range(990)))
    append(store, *(hand(number) for number in range(1100)))
    append(store)
    assert findings(store) == []


@pytest.mark.parametrize("keep", [0.9, 0.5, 0.1])
def test_a_truncated_file_is_found(path: Path, keep: float) -> None:
    with SqliteStore(path, create=True) as store:
        store.found(THE_CLUB, "epoch-1")
        for _ in range(20):
            append(store, *(hand(number) for number in range(20)))
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(int(size * keep))
    found = []
    try:
        with SqliteStore(path, checked=False) as store:
            found = findings(store)
    except StoreDamaged as damaged:
        found = [Finding(code=damaged.code, detail=str(damaged))]
    assert found[0].code == "store_damaged"
