"""Several processes on one book, and one that is killed: nothing answered is lost, nothing is there twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ledger.stores import SqliteStore
from tests.stores import worker
from tests.stores.kit import THE_CLUB, append, everything, findings

PROCESSES = 8
EACH = 40


@pytest.mark.parametrize("streams", [1, PROCESSES])
def test_processes_lose_nothing_and_double_nothing(sqlite: SqliteStore, path: Path, streams: int) -> None:
    processes = [worker.start(path, f"night:{n % streams}", EACH) for n in range(PROCESSES)]
    answered: dict[int, str] = {}
    for process in processes:
        answered |= worker.answers(process)
    rows = everything(sqlite)
    assert {row.position: row.command_id for row in rows} == answered
    assert len(rows) == PROCESSES * EACH
    assert Counter(row.stream for row in rows) == {f"night:{n}": len(rows) // streams for n in range(streams)}
    assert findings(sqlite) == []


@pytest.mark.faults
@pytest.mark.parametrize("lines", [1, 7, 60, 200])
def test_a_killed_process_keeps_what_it_answered(sqlite: SqliteStore, path: Path, lines: int) -> None:
    answered = worker.killed_after(path, lines)
    rows = everything(sqlite)
    stored = {row.position: row.command_id for row in rows}
    assert answered.items() <= stored.items()
    assert len(stored) - len(answered) <= 1, "at most the one whose answer was cut off"
    append(sqlite)
    assert findings(sqlite) == []


def test_another_process_is_seen_at_once(sqlite: SqliteStore, path: Path) -> None:
    append(sqlite)
    worker.answers(worker.start(path, "night:other", 2))
    with sqlite.read(THE_CLUB) as book:
        assert book.version("night:other") == 2
    assert append(sqlite)[0].position == 4
