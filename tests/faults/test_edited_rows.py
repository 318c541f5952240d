"""An edited row is told as damage to whoever reads or writes, never as a traceback and never as a refusal."""

from __future__ import annotations

import sqlite3
import uuid
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


def edited(tmp_path: Path, *statements: str) -> tuple[Ledger, str]:
    """Record a hand, edit the file behind the store's back, and open it again."""
    table = Table(tmp_path / "book.db")
    table.record_hand()
    table.store.close()
    raw = sqlite3.connect(tmp_path / "book.db")
    for name in [row[0] for row in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]:
        raw.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        raw.execute(statement)
    raw.commit()
    raw.close()
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
    raw = sqlite3.connect(tmp_path / "book.db")
    for name in [row[0] for row in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]:
        raw.execute(f"DROP TRIGGER {name}")
    raw.execute("UPDATE commands SET answer = 'x' WHERE command_id = ?", (command,))
    raw.commit()
    raw.close()
    ledger = Ledger(SqliteStore(tmp_path / "book.db", checked=False))
    with pytest.raises(StoreDamaged):
        ledger.carry_out(CLUB, [peek(table.night, 1, command)], SENDER)
    findings = [finding for finding in verify_book(ledger, CLUB) if finding.position is not None]
    assert [finding.code for finding in findings] == ["command_wrong"]
    ledger.store.close()


def test_a_large_book_is_verified_by_two_processes_with_the_same_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, _night = edited(
        tmp_path,
        "UPDATE postings SET amount = amount + 1 WHERE position = 9 AND line = 1",
        "UPDATE postings SET amount = amount - 1 WHERE position = 9 AND line = 2",
        "UPDATE balances SET amount = amount + 1 WHERE account = 'player:ann'",
    )
    alone = verify_book(ledger, CLUB)
    monkeypatch.setattr("ledger.audit.WORTH_A_PROCESS", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    together = verify_book(ledger, CLUB, beside=True)
    assert [str(finding) for finding in together] == [str(finding) for finding in alone]
    assert {"chain_broken", "replay_differs", "balance_wrong"} <= {finding.code for finding in together}
    ledger.store.close()
