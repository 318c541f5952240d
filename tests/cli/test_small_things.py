"""What a new user missed: late hands listed, gaps told, a club's own rulebook published by one command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.book import apply, command, data, kittybook, lines, make_club, open_night


@pytest.fixture(autouse=True)
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KITTYBOOK_DB", raising=False)
    make_club()


def test_late_hands_that_wait_are_listed_until_they_are_decided() -> None:
    night = open_night()
    kittybook("night", "close", night)
    late = command("RecordHand", night, hand=1, bidder="bob", bid="three", made=True)
    assert [verdict["status"] for verdict in apply(late)] == ["late"]
    (row,) = data("night", "late", "--json")
    assert row == {
        "command": late["id"],
        "night": night,
        "hand": 1,
        "facts": {"bidder": "bob", "bid": "three", "made": True},
    }
    assert late["id"] in kittybook("night", "late").stdout
    apply(command("AdmitLateHand", None, command=late["id"]))
    assert kittybook("night", "late").stdout == "No late hand is waiting.\n"


def test_a_count_tells_what_lies_beside_the_book() -> None:
    night = open_night()
    count = command("CountChips", night, counts={"ann": 2, "bob": 0, "pool": 1}, gap="leave")
    assert apply(count)[0]["gaps"] == {"ann": 2, "bob": 0, "pool": 1}
    again = command("CountChips", night, counts={"pool": 0}, gap="leave")
    told = kittybook("apply", "--table", "-", stdin=lines({**count, "id": again["id"]}, again), code=1).stdout
    assert "beside the book: Ann +2, pool +1" in told


def test_a_preview_says_at_which_version_it_was_made() -> None:
    night = open_night()
    hand = command("RecordHand", night, hand=1, bidder="bob", bid="three", made=True)
    told = kittybook("apply", "--dry-run", "--table", "-", stdin=lines(hand)).stdout
    assert "at version 1" in told


def test_a_rulebook_of_the_clubs_own_is_published_and_played_by() -> None:
    kittybook("rulebook", "new", "rockets-peep-nap", "--id", "our-nap", "--out", "our-nap.toml")
    assert "our-nap is published" in kittybook("rulebook", "publish", "our-nap.toml").stdout
    kittybook("table", "open", "Ours", "--rulebook", "our-nap")
    night = open_night(table="ours")
    assert data("night", "show", night, "--json")["rulebook"]["id"] == "our-nap"


def test_a_backup_into_a_folder_that_is_not_there_says_so() -> None:
    assert "there is no such folder" in kittybook("backup", "nowhere/book.db", code=1).stderr
