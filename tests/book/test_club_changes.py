"""A club that changes its name, zone or cut-off: nights that follow go by it, and no day that was moves."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from ledger.exports.accounting import Accounts
from ledger.exports.events import events
from ledger.exports.hledger import hledger
from ledger.exports.journal import season_journal
from ledger.imports.events import pour, rows
from ledger.reports.statement import statement
from ledger.stores import MemoryStore
from ledger.words import Words
from tests.book.kit import THE_CLUB, Book, check, check_verified, dump


@pytest.fixture
def book() -> Book:
    book = Book(members=["ann", "bob"], money={"currency": "GBP", "chip": 10})
    book.done("OpenTable", table="tue", name="Tuesday", rulebook="rockets-peep-nap")
    return book


def opened(book: Book) -> str:
    """Open a night without a date, and return what it is called."""
    book.done("OpenNight", table="tue", players=["ann", "bob"], dealer="ann")
    return [*book.club().nights][-1]


def settings(book: Book) -> tuple[str, str, str]:
    with book.store.read(THE_CLUB) as reader:
        club = book.ledger.club(THE_CLUB, reader)
        return Words(club, reader).club(), club.zone, club.cut_off


@pytest.mark.parametrize(
    ("data", "after"),
    [
        ({"name": "Fridays"}, ("Fridays", "Europe/London", "06:00")),
        ({"zone": "Asia/Kathmandu"}, ("The Thursday Club", "Asia/Kathmandu", "06:00")),
        ({"cut_off": "00:00"}, ("The Thursday Club", "Europe/London", "00:00")),
        ({"name": "Fridays", "zone": "Europe/London", "cut_off": "04:30"}, ("Fridays", "Europe/London", "04:30")),
    ],
)
def test_what_is_given_changes_and_the_rest_stays(book: Book, data: dict[str, Any], after: tuple[str, ...]) -> None:
    book.done("ChangeClub", **data)
    assert settings(book) == after
    row = book.rows()[-1]
    assert (row.type, row.postings) == ("ClubChanged", ())
    assert set(row.data) == {key for key in data if key != "zone" or data["zone"] != "Europe/London"}
    assert settings(book.replayed()) == after
    check(book)
    check_verified(book)


@pytest.mark.parametrize(
    ("data", "code", "field"),
    [
        ({}, "bad_value", "data"),
        ({"zone": "Europe/London", "cut_off": "06:00"}, "bad_value", "data"),
        ({"name": " "}, "bad_name", "name"),
        ({"zone": "Mars/Olympus"}, "bad_value", "zone"),
        ({"cut_off": "24:00"}, "bad_value", "cut_off"),
        ({"money": {"currency": "GBP", "chip": 5}}, "unknown_key", "money"),
    ],
)
def test_what_changes_nothing_or_cannot_be_read_is_refused(
    book: Book, data: dict[str, Any], code: str, field: str
) -> None:
    before = dump(book.store)
    refused = book.send("ChangeClub", **data)
    assert (refused["code"], refused["field"]) == (code, field)
    assert dump(book.store) == before


def test_the_next_night_is_dated_by_what_was_changed_and_an_open_one_stays(book: Book) -> None:
    book.now = datetime(2026, 11, 27, 5, 0, tzinfo=UTC)
    night = opened(book)
    assert night == "tue-2026-11-26"
    book.done("ChangeClub", cut_off="04:00")
    for stands in (book.night(night), book.replayed().night(night)):
        assert (stands.opened.date, stands.opened.zone, stands.opened.cut_off) == (
            "2026-11-26", "Europe/London", "06:00",
        )  # fmt: skip
    book.done("RecordHand", night, hand=1, bidder="ann", bid="two", made=True)
    book.done("CloseNight", night)
    second = opened(book)
    assert second == "tue-2026-11-27"
    assert book.night(second).opened.cut_off == "04:00"
    book.done("CloseNight", second)

    book.done("ChangeClub", zone="America/Los_Angeles")  # nine in the evening of the 26th
    third = opened(book)
    assert third == "tue-2026-11-26-2"
    book.done("CloseNight", third)
    book.done("ChangeClub", zone="Asia/Kathmandu", cut_off="10:46")  # a quarter to eleven of the 27th
    assert opened(book) == "tue-2026-11-26-3"
    book.done("CloseNight", "tue-2026-11-26-3")
    book.done("ChangeClub", cut_off="10:45")
    assert opened(book) == "tue-2026-11-27-2"
    assert [night.date[-2:] for night in book.club().nights.values()] == ["26", "27", "26", "26", "27"]
    check(book)
    check_verified(book)


def test_days_that_were_do_not_move(book: Book) -> None:
    """What a member owes since, the files for other programs, the journal of a season: each by what held then."""
    book.now = datetime(2026, 11, 27, 5, 0, tzinfo=UTC)
    book.done("StartSeason", season="late", name="Late")
    moved = {"from": "ann", "to": "bob", "reason": "tea"}
    for amount, change in (
        (1, {"cut_off": "04:00"}),
        (2, {"zone": "America/Los_Angeles"}),
        (4, {"zone": "Asia/Tokyo"}),
    ):
        book.done("PostAdjustment", **moved, amount=amount)
        book.done("ChangeClub", **change)
    book.done("PostAdjustment", **moved, amount=8)
    book.done("EndSeason", season="late")
    days = {1: "2026-11-26", 2: "2026-11-27", 4: "2026-11-26", 8: "2026-11-27"}
    with book.store.read(THE_CLUB) as reader:
        for club in (book.club(), book.replayed().club()):
            assert {abs(line.change): line.date for line in statement(club, reader, "bob")} == days
            written = "".join(hledger(Accounts(club, reader, Words(club, reader))))
            for amount, day in days.items():
                assert re.findall(rf"^(\S+) \(\d+\) adjustment\n .*\n .* -0\.0{amount} GBP$", written, re.M) == [day]
    later = Book(members=["ann", "bob"], money={"currency": "GBP", "chip": 10})
    later.now = datetime(2026, 11, 27, 7, 0, tzinfo=UTC)
    later.done("PostAdjustment", **moved, amount=1)
    later.done("ChangeClub", cut_off="12:00")
    later.done("StartSeason", season="s", name="S")  # on the 26th, by the new cut-off
    later.done("EndSeason", season="s")
    later.done("PostAdjustment", **moved, amount=2)
    with later.store.read(THE_CLUB) as reader:
        told = "".join(season_journal(reader, later.club(), "s"))
    assert re.findall(r"member:bob,GBP,(\d+)", told) == ["2"]
    check(book)
    check_verified(book)


def test_a_book_with_changes_goes_out_and_in_again(book: Book) -> None:
    book.done("ChangeClub", name="Fridays", zone="Asia/Tokyo", cut_off="03:00")
    book.done("ChangeClub", name="Saturdays")
    opened(book)
    with book.store.audit(THE_CLUB) as audit:
        lines = [*events(audit)]
    assert "Saturdays" in "".join(lines)
    other = book.replayed()
    other.store = MemoryStore()
    other.store.found(THE_CLUB, book.new_id())
    other.store.transact(THE_CLUB, [lambda made: pour(made, rows(map(json.loads, lines), "here"))])
    with book.store.read(THE_CLUB) as reader, other.store.read(THE_CLUB) as poured:
        assert poured.head().digest == reader.head().digest
    again = other.replayed()
    assert settings(again) == ("Saturdays", "Asia/Tokyo", "03:00")
    assert again.club() == book.club()
    check_verified(again)
