"""`kittybook demo`: a club that has played for weeks, the same every time, and sound."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ledger.audit import verify_book
from ledger.cli import demo_club
from ledger.service import Ledger
from ledger.stores import MemoryStore
from tests.cli.book import data, kittybook


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    kittybook("demo", "--db", str(path))
    return path


@pytest.fixture(autouse=True)
def store(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KITTYBOOK_DB", str(demo))


def test_the_demo_is_quick_and_says_what_to_look_at(tmp_path: Path) -> None:
    start = time.perf_counter()
    told = kittybook("demo", "--db", str(tmp_path / "demo.db")).stdout
    assert time.perf_counter() - start < 2
    *lines, last = told.splitlines()[3:]
    for line in lines:
        kittybook(*line.split()[1:])
    assert last.endswith(" serve")  # which does not end


def test_the_demo_is_the_same_every_time(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    kittybook("demo", "--db", str(other))
    assert kittybook("export", "events", "--db", str(other)).stdout == kittybook("export", "events").stdout


def test_the_demo_is_sound() -> None:
    assert kittybook("verify").stdout.startswith(f"{demo_club.CLUB}: ")
    played = MemoryStore()
    demo_club.play(played)
    assert verify_book(Ledger(played), demo_club.CLUB) == []


def test_the_demo_refuses_a_store_that_has_a_club(demo: Path, tmp_path: Path) -> None:
    before = kittybook("export", "events").stdout
    assert "holds a club already: thursday" in kittybook("demo", code=1).stderr
    assert kittybook("export", "events").stdout == before
    os.chdir(tmp_path)
    assert "no such folder" in kittybook("demo", "--db", "no/where.db", code=2).stderr
    assert demo.exists()


def test_three_tables_have_played_thirteen_nights_and_one_is_open() -> None:
    tables = data("table", "list", "--json")
    assert [table["rulebook"] for table in tables] == ["rockets-peep-nap", "foster-pool-nap", "rockets-pepper"]
    nights = data("night", "list", "--json")
    assert len(nights) == 13
    assert [night["night"] for night in nights if night["state"] == "open"] == ["peep-2026-11-26"]
    assert [night["date"] for night in nights] == sorted(night["date"] for night in nights)
    assert len({night["date"][:7] for night in nights}) == 3
    assert sum(night["corrections"] for night in nights) == 1
    assert len(data("member", "list", "--json")) == 9


def test_the_journal_tells_of_everything_that_goes_wrong_on_such_nights() -> None:
    memos = {line.split(",")[4] for line in kittybook("export", "journal").stdout.splitlines()[1:]}
    assert {"correction", "void", "undone", "counted", "pool counted", "bought", "pool shared", "result"} <= memos
    late = data("night", "show", "peep-2026-09-10", "--json")["players"]
    assert [player["id"] for player in late] == ["maeve", "callum", "ines", "tariq", "rosa"]
    left = data("night", "show", "peep-2026-09-24", "--json")["players"]
    assert [player["id"] for player in left if not player["seated"]] == ["tariq"]


def test_a_correction_changed_what_a_later_nap_took() -> None:
    postings = kittybook("export", "journal", "--night", "peep-2026-11-05").stdout.splitlines()
    corrected = {line.split(",")[2] for line in postings if ",correction," in line}
    assert corrected == {"4", "7"}
    rows = data("night", "hands", "peep-2026-11-05", "--json")
    assert [row["hand"] for row in rows if row["bid"] == "nap" and row["result"] == "made"] == [4, 7]


def test_the_open_night_waits_in_the_middle_of_an_auction() -> None:
    state = data("night", "show", "peep-2026-11-26", "--json")
    assert state["hand"]["phase"] == "auction"
    assert state["hand"]["bids"] == [["callum", "two"], ["ines", "three"]]
    assert state["disputed"] == [6]
    assert {"Bid", "Pass", "Peek", "Undo", "ResolveDispute"} <= {action["type"] for action in state["actions"]}
