"""Who pays whom: the fewest payments over what closed nights came to, each unit for itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.book import apply, command, data, kittybook, make_club, open_night


@pytest.fixture(autouse=True)
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KITTYBOOK_DB", raising=False)
    make_club()


def play_a_night(date: str = "2026-11-24") -> str:
    """One Three of Bob's, made: he gets 3 from each; Ann paid one chip for a peek, which stays in the pool."""
    night = open_night(date=date)
    facts = {"peeks": ["ann"], "bidder": "bob", "bid": "three", "made": True}
    assert [verdict["status"] for verdict in apply(command("RecordHand", night, hand=1, **facts))] == ["recorded"]
    kittybook("night", "close", night)
    return night


def test_everybody_pays_who_has_won_and_the_till_holds_the_pool() -> None:
    night = play_a_night()
    (row,) = data("settle", "--night", night, "--json")
    assert row["unit"] == "chips:tuesday.1"
    assert row["balances"] == {"ann": -4, "bob": 9, "cal": -3, "dot": -3, "till": 1}
    assert row["transfers"] == [
        {"from": "ann", "to": "bob", "amount": 4},
        {"from": "cal", "to": "bob", "amount": 3},
        {"from": "dot", "to": "bob", "amount": 2},
        {"from": "dot", "to": "till", "amount": 1},
    ]
    assert row["carried"] == {}
    assert data("settle", "--json") == [row]


def test_nights_add_up_and_are_told_in_names() -> None:
    nights = [play_a_night(), play_a_night("2026-12-01")]
    text = kittybook("settle", *(f"--night={night}" for night in nights)).stdout
    assert text.splitlines() == [
        "chips:tuesday.1",
        "  Ann pays Bob 8",
        "  Cal pays Bob 6",
        "  Dot pays Bob 4",
        "  Dot pays the till 2",
    ]


def test_a_correction_after_the_close_is_settled_with_its_night() -> None:
    night = play_a_night()
    facts = {"peeks": ["ann"], "bidder": "bob", "bid": "three", "made": False}
    apply(command("CorrectClosedHand", None, night=night, hand=1, facts=facts, reason="It was short."))
    expected = {"ann": 2, "bob": -9, "cal": 3, "dot": 3, "till": 1}
    assert data("settle", "--night", night, "--json")[0]["balances"] == expected
    assert data("settle", "--json")[0]["balances"] == expected


def test_the_till_and_the_threshold() -> None:
    night = play_a_night()
    (row,) = data("settle", "--night", night, "--policy", "banker", "--json")
    assert {(one["from"], one["to"], one["amount"]) for one in row["transfers"]} == {
        ("ann", "till", 4),
        ("cal", "till", 3),
        ("dot", "till", 3),
        ("till", "bob", 9),
    }
    text = kittybook("settle", "--night", night, "--policy", "threshold", "--threshold", "4").stdout
    assert "  Cal: -3 is carried\n" in text
    assert "  the till: +6 is carried\n" in text


def test_what_is_not_closed_is_not_settled() -> None:
    night = open_night()
    assert "is open" in kittybook("settle", "--night", night, code=1).stderr
    assert "no night" in kittybook("settle", "--night", "none", code=1).stderr
    assert kittybook("settle").stdout == "Nothing is open.\n"
