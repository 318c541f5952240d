"""An edited row is told as damage to whoever reads or writes, never as a traceback and never as a refusal."""

from __future__ import annotations

import sqlite3
import uuid
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from ledger.audit import verify_book
from ledger.errors import Corrupt, StoreDamaged
from ledger.service import Ledger, Request, Sender, read_request
from ledger.stores import SqliteStore
from scripts.bench_book import CLUB, PLAYERS, Table

SENDER = Sender(actor="owner")


def peek(night: str, hand: int = 2, command: str | None = None) -> Request:
    data: dict[str, Any] = {"hand": hand, "player": PLAYERS[0]}
    return read_request({"id": command or str(uuid.uuid4()), "type": "Peek", "night": night, "data": data})


def edit(path: Path, *statements: str) -> None:
    """Edit a file behind the store's back."""
    raw = sqlite3.connect(path)
    for name in [row[0] for row in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]:
        raw.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        raw.execute(statement)
    raw.commit()
    raw.close()


def edited(tmp_path: Path, *statements: str) -> tuple[Ledger, str]:
    """Record a hand, edit the file behind the store's back, and open it again."""
    table = Table(tmp_path / "book.db")
    table.record_hand()
    table.store.close()
    edit(tmp_path / "book.db", *statements)
    return Ledger(SqliteStore(tmp_path / "book.db", checked=False)), table.night


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM rulebooks",
        "UPDATE events SET data = replace(data, 'three', 'trouble') WHERE type = 'HandRecorded'",
        "UPDATE events SET type = 'Unheard' WHERE type = 'HandRecorded'",
        "UPDATE events SET data = '{}' WHERE type = 'NightOpened'",
    ],
)
def test_a_night_with_an_edited_row_is_damaged(tmp_path: Path, statement: str) -> None:
    ledger, night = edited(tmp_path, statement)
    with pytest.raises(Corrupt) as caught:
        ledger.carry_out(CLUB, [peek(night)], SENDER)
    assert caught.value.code in {"store_damaged", "event_unknown"}
    assert verify_book(ledger, CLUB)
    ledger.store.close()


def test_an_answer_that_was_edited_is_found_and_not_told(tmp_path: Path) -> None:
    command = str(uuid.uuid4())
    table = Table(tmp_path / "book.db")
    table.ledger.carry_out(CLUB, [peek(table.night, 1, command)], SENDER)
    table.store.close()
    edit(tmp_path / "book.db", f"UPDATE commands SET answer = 'x' WHERE command_id = '{command}'")
    ledger = Ledger(SqliteStore(tmp_path / "book.db", checked=False))
    with pytest.raises(StoreDamaged):
        ledger.carry_out(CLUB, [peek(table.night, 1, command)], SENDER)
    findings = [finding for finding in verify_book(ledger, CLUB) if finding.position is not None]
    assert [finding.code for finding in findings] == ["command_wrong"]
    ledger.store.close()


@pytest.mark.parametrize(
    ("statements", "codes"),
    [
        ([], set()),
        (
            [
                "UPDATE postings SET amount = amount + 1 WHERE position IN (9, 26) AND line = 1",
                "UPDATE postings SET amount = amount - 1 WHERE position IN (9, 26) AND line = 2",
                "UPDATE balances SET amount = amount + 1 WHERE account = 'player:ann'",
            ],
            {"chain_broken", "replay_differs", "balance_wrong"},
        ),
        (["UPDATE events SET version = version + 50 WHERE position > 26"], {"version_gap", "chain_broken"}),
        (
            ["UPDATE events SET data = replace(data, '\"pool\":', '\"pool\":1') WHERE type = 'NightOpened'"],
            {"replay_differs"},
        ),
        (["DELETE FROM events WHERE position IN (9, 26)"], {"position_gap", "stray"}),
        (["UPDATE events SET data = '[' WHERE position = 12"], {"store_damaged"}),
        (["UPDATE events SET data = '[' WHERE position = 28"], {"store_damaged"}),
        (["UPDATE commands SET answer = 'x', version = 1 WHERE position > 25"], {"command_wrong"}),
        (["UPDATE texts SET text = 'x'", "UPDATE events SET recorded_at = ''"], {"text_altered", "chain_broken"}),
        (["UPDATE clubs SET position = position - 5"], {"head_wrong"}),
        (["DELETE FROM events WHERE position > 29"], {"head_wrong", "stray"}),
    ],
)
def test_a_large_book_is_verified_by_two_processes_with_the_same_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statements: list[str], codes: set[str]
) -> None:
    ledger = Ledger(SqliteStore(three_nights(tmp_path, *statements), checked=False))
    alone = verify_book(ledger, CLUB)
    monkeypatch.setattr("ledger.audit.WORTH_A_PROCESS", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    together = verify_book(ledger, CLUB, beside=True)
    assert sorted(map(str, together)) == sorted(map(str, alone))
    assert codes <= {finding.code for finding in alone}
    ledger.store.close()


def three_nights(tmp_path: Path, *statements: str) -> Path:
    """Record three nights, the second of which is in progress half way through the book, and edit the file."""
    table = Table(tmp_path / "book.db")
    table.record_hand()
    table.open_night()
    for tap in islice(table.endless_taps(), 7):
        tap()
    table.send("CloseNight", night=table.night)
    table.send("ReopenNight", night=table.night, reason="a hand more")
    table.record_hand()
    table.open_night()
    table.record_hand()
    table.store.close()
    path = tmp_path / "book.db"
    edit(path, *statements)
    return path
