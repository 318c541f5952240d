"""No tap costs more at hand 400 than at hand 1, nor in an old club than in a new one: same statements, same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ledger.stores.sqlite.connection import Connection, Parameters, Row
from scripts.bench_book import Table, fill


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count statements and rows read while this is open."""
    counts: Counter[str] = Counter()
    patch = pytest.MonkeyPatch()
    run, every, many = Connection.run, Connection.all, Connection.run_many

    def counting_run(self: Connection, sql: str, parameters: Parameters = ()) -> None:
        counts["statements"] += 1
        run(self, sql, parameters)

    def counting_all(self: Connection, sql: str, parameters: Parameters = ()) -> list[Row]:
        rows = every(self, sql, parameters)
        counts["statements"] += 1
        counts["rows read"] += len(rows)
        return rows

    def counting_many(self: Connection, sql: str, rows: list[Parameters]) -> None:
        counts["statements"] += 1
        counts["rows written"] += len(rows)
        many(self, sql, rows)

    patch.setattr(Connection, "run", counting_run)
    patch.setattr(Connection, "all", counting_all)
    patch.setattr(Connection, "run_many", counting_many)
    try:
        yield counts
    finally:
        patch.undo()


def _play(table: Table) -> None:
    for tap in table.taps():
        tap()


def work_of_a_hand(table: Table) -> list[Counter[str]]:
    """Return the work of each tap of the next hand, which goes like every other."""
    work = []
    for tap in table.taps():
        with counted() as counts:
            tap()
        work.append(counts)
    return work


def test_a_tap_is_the_same_work_at_hand_1_and_at_hand_400(tmp_path: Path) -> None:
    table = Table(tmp_path / "book.db")
    _play(table)
    early = work_of_a_hand(table)
    while table.hand < 399:
        table.record_hand()
    assert work_of_a_hand(table) == early
    assert all(0 < tap["statements"] <= 14 for tap in early)
    table.store.close()


def test_a_tap_is_the_same_work_in_a_new_club_and_in_an_old_one(tmp_path: Path) -> None:
    new, old = Table(tmp_path / "new.db"), Table(tmp_path / "old.db")
    fill(old.store, 20_000)
    for table in (new, old):
        _play(table)
    assert work_of_a_hand(new) == work_of_a_hand(old)
    new.store.close()
    old.store.close()
