"""The journal of a season: which lines are in it, in which order, and how little of the book is held at once."""

from __future__ import annotations

import csv
import io
import tracemalloc
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from ledger.exports import journal as exported
from ledger.exports.journal import journal, season_journal
from ledger.store import CLUB, EventStore, NewEvent
from ledger.stores import MemoryStore, SqliteStore
from tests.cli.book import data, kittybook
from tests.exports.kit import Book, club_of
from tests.stores.kit import do, hand


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    made: EventStore = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "book.db", create=True)
    yield made
    made.close()


@pytest.fixture
def book(store: EventStore) -> Book:
    """A season of two nights among others; payments before, in and after it, some of which name nights."""
    book = Book("ann", "bob", store=store)
    book.send("OpenTable", table="t", name="T", rulebook="penny-nap", money={"currency": "GBP", "chip": 10})
    book.payment("ann", 1, at="2026-11-01T12:00:00Z")
    book.payment("ann", 2, at="2026-11-02T12:00:00Z", night="in-1")
    book.night("before", "2026-11-10")
    season: dict[str, Any] = {"season": "s", "name": {"ref": "-", "sha256": "0" * 64}}
    book.append(CLUB, "SeasonStarted", {**season, "date": "2026-11-20"})
    book.night("in-1", "2026-11-20")
    book.payment("ann", 3, at="2026-11-20T23:30:00Z")
    book.payment("ann", 4, at="2026-11-21T12:00:00Z", night="before")
    book.night("other", "2026-11-19")
    book.payment("ann", 5, at="2026-12-01T05:59:00Z")
    book.night("in-2", "2026-11-30")
    book.append(CLUB, "SeasonEnded", {"season": "s", "date": "2026-11-30"})
    book.payment("ann", 6, at="2026-12-01T06:00:00Z")
    book.payment("ann", 7, at="2027-12-01T12:00:00Z", nights=[{"night": "before", "amount": 1}, {"night": "in-2"}])
    book.payment("ann", 8, at="2026-11-25T12:00:00Z", nights=[{"night": "before", "amount": 8}])
    return book


def table(book: Book, season: str | None) -> list[dict[str, str]]:
    with book.store.read("club") as reader:
        lines = season_journal(reader, club_of(reader), season) if season else journal(reader)
        return list(csv.DictReader(io.StringIO("".join(lines), newline="")))


@pytest.mark.parametrize("page", [2, 7, 2_000])
def test_a_season_has_its_nights_and_what_the_club_posted_for_it(
    book: Book, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(exported, "_PAGE", page)
    whole, season = table(book, None), table(book, "s")
    assert [row for row in whole if row in season] == season
    assert [int(row["amount"]) for row in season if row["memo"] == "payment" and row["account"] != "cash"] == [
        2, 3, 5, 7,
    ]  # fmt: skip
    paid = {row["amount"]: row["night"] for row in season if row["memo"] == "payment"}
    assert (paid["2"], paid["3"], paid["7"]) == ("in-1", "", "")
    played = [row for row in season if row["memo"] != "payment"]
    assert {row["night"] for row in played} == {"in-1", "in-2"}
    assert played == [row for row in whole if row["night"] in {"in-1", "in-2"} and row["memo"] != "payment"]


def test_a_season_that_has_not_ended_goes_on(book: Book) -> None:
    book.append(CLUB, "SeasonStarted", {"season": "t", "name": {"ref": "-", "sha256": "0" * 64}, "date": "2026-11-30"})
    assert [row["amount"] for row in table(book, "t") if row["account"] == "member:ann" and row["hand"] == ""] == [
        "5", "500", "6", "7",
    ]  # fmt: skip


def test_a_season_without_nights_has_what_was_recorded_in_it(store: EventStore) -> None:
    book = Book("ann", store=store)
    book.append(CLUB, "SeasonStarted", {"season": "s", "name": {"ref": "-", "sha256": "0" * 64}, "date": "2026-11-20"})
    assert table(book, "s") == []
    book.payment("ann", 1, at="2026-11-01T12:00:00Z")
    book.payment("ann", 2, at="2026-11-20T12:00:00Z")
    assert [row["amount"] for row in table(book, "s")] == ["2", "-2"]


def test_a_long_season_is_never_in_memory(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "long.db", create=True) as store:
        book = Book("ann", "bob", store=store)
        book.send("OpenTable", table="t", name="T", rulebook="penny-nap")
        season: Any = {"season": "s", "name": {"ref": "-", "sha256": "0" * 64}, "date": "2026-11-20"}
        book.append(CLUB, "SeasonStarted", season)
        opened = NewEvent(type="NightBegan", data={"night": "n", "table": "t", "date": "2026-11-20"})

        def fill(transaction: Any) -> None:
            names = {"actor": "test", "device": None, "recorded_at": "2026-11-20T12:00:00Z", "answer": "{}"}
            transaction.append(CLUB, transaction.version(CLUB), [opened], command=("1", "0", "X"), **names)
            hands = [hand(number) for number in range(20_000)]
            transaction.append("night:n", 0, hands, command=("2", "0", "X"), **names)

        do(store, fill, "club")
        with store.read("club") as reader:
            lines = season_journal(reader, club_of(reader), "s")
            tracemalloc.start()
            held, size = [], 0
            for piece in islice(lines, 1, None):
                size += piece.count("\n")
                held.append(tracemalloc.get_traced_memory()[0])
            tracemalloc.stop()
        assert size == 40_000
        assert len(held) >= 20
        assert max(held) < 4_000_000


def test_the_demo_by_season(folder: Path) -> None:
    kittybook("demo", "--db", "demo.db")
    assert (folder / "demo.db").exists()
    assert "There is no season" in kittybook("export", "journal", "--season", "x", "--db", "demo.db", code=1).stderr
    both = kittybook("export", "journal", "--season", "x", "--night", "y", "--db", "demo.db", code=2)
    assert "not both" in both.stderr
    assert len(data("night", "list", "--json", "--db", "demo.db")) == 13
