"""Measurements of the money: a member's statement against the bare SQL that reads its lines."""

from __future__ import annotations

import sqlite3
import time
import uuid
from pathlib import Path
from statistics import median

from ledger.exports.statement import statement_csv
from ledger.reports.statement import statement as lines_of
from ledger.store import NewEvent, Recorded, Transaction
from ledger.stores import SqliteStore
from scripts.bench_book import CLUB, Table, folder

NIGHTS = 500
HANDS = 40


def statement() -> bool:
    """The statement of a member who sat in 500 nights of 40 hands, as CSV, against the SQL that reads its lines."""
    with folder() as place:
        path = place / "book.db"
        table = _played(path)
        ours, bare = [], []
        for _ in range(5):
            begun = time.perf_counter()
            with table.store.read(CLUB) as reader:
                text = "".join(statement_csv(lines_of(table.ledger.club(CLUB, reader), reader, "ann")))
            ours.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            rows = _bare(path)
            bare.append(time.perf_counter() - begun)
        table.store.close()
    ratio, limit = median(ours) / median(bare), 3.0
    print(
        f"statement: {text.count(chr(10)) - 1:,} lines of {NIGHTS} nights in {median(ours) * 1000:,.0f} ms, bare SQL"
        f" {len(rows):,} rows in {median(bare) * 1000:,.0f} ms, ratio {ratio:.2f} (at most {limit:g}; median of 5)"
    )
    return ratio <= limit


def _bare(path: Path) -> list[tuple[object, ...]]:
    """Read the same lines by one query, through a connection of its own."""
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            "SELECT e.stream, p.hand, p.memo, p.unit, p.amount FROM events e JOIN postings p"
            " ON p.club = e.club AND p.position = e.position WHERE p.club = ? AND p.account = ?"
            " AND p.memo NOT IN ('bought', 'sold', 'transfer', 'result') ORDER BY p.position, p.line",
            (CLUB, "player:ann"),
        ).fetchall()
    connection.close()
    return rows


def _played(path: Path) -> Table:
    """Return a club with so many nights: one is played, the others are written as it was."""
    table = Table(path, money={"currency": "GBP", "chip": 10})
    table.send("BuyIn", night=table.night, player="ann", chips=50, paid=500)
    for _ in range(HANDS):
        table.record_hand()
    table.send("CloseNight", night=table.night)
    with table.store.read(CLUB) as reader:
        night = list(reader.stream(f"night:{table.night}"))
        began, ended = (row for row in reader.stream("club") if row.type in ("NightBegan", "NightEnded"))

    def job(transaction: Transaction) -> None:
        for number in range(2, NIGHTS + 1):
            name = f"night-{number}"
            for stream, rows in ((f"night:{name}", night), ("club", [began, ended])):
                transaction.append(
                    stream,
                    transaction.version(stream),
                    [_as(name, row) for row in rows],
                    command=(str(uuid.uuid4()), "00", "OpenNight"),
                    actor="bench",
                    device=None,
                    recorded_at="2026-01-01T00:00:00.000Z",
                    answer="{}",
                )

    (failed,) = table.store.transact(CLUB, [job])
    if failed is not None:
        raise failed
    table.store.close()
    table.store = SqliteStore(path)
    return table


def _as(name: str, row: Recorded) -> NewEvent:
    data = {**row.data, "night": name} if "night" in row.data else row.data
    return NewEvent(type=row.type, data=data, postings=row.postings)
