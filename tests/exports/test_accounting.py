"""Journals for other people's programs, as those programs read them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beancount.core.data import Open
from beancount.loader import load_string
from hypothesis import given
from hypothesis import strategies as st

from ledger.exports import beancount as bean
from ledger.exports import hledger as hl
from ledger.exports.accounting import decimal, on_one_line
from ledger.store import CLUB
from tests.cli.book import kittybook
from tests.exports.kit import Book, accepted, ask_beancount, ask_hledger

NASTY = 'semi;colon | bar "quotes" \\ #tag ^link @ = + {x} [2026-01-01] (a) type:X date:2020-01-01 ; alias a=b 👨‍👩‍👧 Ж'
NOTE = f"first line\n2020-01-01 * stolen\n    assets:cash  1 GBP\tend \u202e\u2066\u2028{NASTY}\\"


@pytest.fixture
def book() -> Book:
    """Three nights for money, two of them of one day; payments before, between and after, with dates of their own."""
    book = Book("ann", "bob", name=NASTY[:60])
    book.send("OpenTable", table="t", name=NASTY[60:100] + '"', rulebook="rockets-peep-nap")
    book.send("RenameMember", member="ann", name=NASTY[:55] + "\\")
    book.night("t-1", "2026-11-24")
    book.send("OpenTable", table="u", name="U", rulebook="penny-nap", money={"currency": "GBP", "chip": 10})
    book.payment("bob", 1234, at="2026-11-30T12:00:00Z", date="2026-11-25", method=NASTY)
    book.night("t-2", "2026-11-28", chips=7)
    book.night("u-2", "2026-11-28", table="u", chips=3)
    book.payment("ann", -99, at="2026-11-29T03:00:00Z")  # before the cut-off: still the 28th
    book.payment("bob", 5, at="2026-12-02T12:00:00Z", date="2026-11-01")
    adjusted = {("member:ann", "GBP"): -3, ("member:bob", "GBP"): 3}
    book.append(CLUB, "AdjustmentPosted", {"night": "t-1"}, ("adjustment", adjusted), notes={"reason": NOTE})
    counted = {("cash", "GBP"): 1, ("shortage", "GBP"): -1}
    book.append(CLUB, "CashCounted", {}, ("cash counted", counted), at="2026-12-03T12:00:00Z")
    return book


def test_both_programs_accept_a_book_of_money_whatever_people_wrote(book: Book, tmp_path: Path) -> None:
    accepted(tmp_path, book)
    journal = book.hledger()
    said = ask_hledger(tmp_path, journal, "balance", "--no-total", "-N", "assets", "liabilities:members", "income")
    assert {tuple(line.split()) for line in said.splitlines()} == {
        ("41.39", "GBP", "assets:cash"),
        ("-4.98", "GBP", "liabilities:members:ann"),
        ("-35.82", "GBP", "liabilities:members:bob"),
    }  # fmt: skip


def test_people_can_put_nothing_into_the_files(book: Book, tmp_path: Path) -> None:
    journal, file = book.hledger(), book.beancount()
    for text in (journal, file):
        assert not re.search(r"^(?!;).*2020-01-01 \* stolen", re.sub(r'"(?:[^"\\]|\\.)*"', '""', text), re.MULTILINE)
        assert "\u202e" not in text
        assert "\u2028" not in text
    assert journal.isascii()
    assert "👨‍👩‍👧" in file
    descriptions = ask_hledger(tmp_path, journal, "descriptions")
    assert "stolen" not in descriptions
    assert ask_hledger(tmp_path, journal, "tags").strip() == ""
    entries, errors, options = load_string(file)
    assert not errors
    names = {entry.account: entry.meta.get("name") for entry in entries if isinstance(entry, Open)}
    assert names["Liabilities:Members:Ann"] == NASTY[:55] + "\\"
    assert options["title"] == NASTY[:60]
    said = [entry.meta for entry in entries if "reason" in entry.meta]
    assert said[0]["reason"] == on_one_line(NOTE)
    assert {tag for entry in entries for tag in getattr(entry, "tags", None) or ()} == set()


AMOUNT = re.compile(r"(?<![\w.-])(?<!~ )-?[0-9]+(?:\.[0-9]+)?(?= (?:GBP|\"?chips|CHIPS|~))", re.ASCII)


@pytest.mark.parametrize("program", ["hledger", "beancount"])
def test_a_unit_changed_anywhere_is_refused(book: Book, tmp_path: Path, program: str) -> None:
    text = book.hledger() if program == "hledger" else book.beancount()
    places = [match for match in AMOUNT.finditer(text) if "commodity" not in text[: match.start()].rpartition("\n")[2]]
    assert len(places) > 100
    for place in random.Random(7).sample(places, 40):
        digits = place[0]
        changed = digits[:-1] + str((int(digits[-1]) + 1) % 10)
        edited = text[: place.start()] + changed + text[place.end() :]
        if program == "hledger":
            ask_hledger(tmp_path, edited, "check", code=1)
        else:
            ask_beancount(tmp_path, edited, code=1)


def test_an_amount_moved_to_another_account_is_refused(book: Book, tmp_path: Path) -> None:
    journal = book.hledger().replace("members:bob  -12.34 GBP", "members:ann  -12.34 GBP")
    assert journal != book.hledger()
    ask_hledger(tmp_path, journal, "check", code=1)
    file = book.beancount().replace("Members:Bob  -12.34 GBP", "Members:Ann  -12.34 GBP")
    assert file != book.beancount()
    ask_beancount(tmp_path, file, code=1)


def test_a_balance_that_the_store_has_wrong_is_refused(book: Book, tmp_path: Path) -> None:
    store: Any = book.store
    store._books["club"].amounts[("club", "member:ann", "GBP")] += 1
    ask_hledger(tmp_path, book.hledger(), "check", code=1)
    ask_beancount(tmp_path, book.beancount(), code=1)
    store._books["club"].amounts[("club", "member:ann", "GBP")] -= 1
    store._books["club"].amounts[("night:t-1", "player:zed", "GBP")] = 1
    ask_hledger(tmp_path, book.hledger(), "check", code=1)
    ask_beancount(tmp_path, book.beancount(), code=1)


def test_every_close_asserts_what_the_night_moved(book: Book) -> None:
    journal = book.hledger()
    closes = re.findall(r"^\d{4}-\d\d-\d\d \(close\) (\S+) as it was closed\n((?: {4}.*\n)+)", journal, re.MULTILINE)
    assert [night for night, _lines in closes] == ["t-1", "t-2", "u-2"]
    for night, lines in closes:
        asserted = dict(re.findall(r"^ {4}(\S+)  \S+ \S+ = (\S+ \S+)$", lines, re.MULTILINE))
        table = night[0]
        for player in ("ann", "bob"):
            assert asserted[f"liabilities:nights:{night}:players:{player}"].split()[0] in {"0", "0.00"}
        assert asserted[f"liabilities:nights:{night}:till"] == f'0 "chips:{table}.1"'
        assert asserted[f"liabilities:pool:{table}"] == f'-{2 * int(night[2]) if table == "t" else 2} "chips:{table}.1"'
    assert "-7.02 GBP" not in closes[0][1]
    assert "liabilities:members:ann  0.00 GBP = -5.00 GBP" in closes[0][1]
    assert book.beancount().count("2026-11-29 balance Liabilities:Members:Ann") == 1


def test_transactions_are_of_their_nights_day_or_of_their_own(book: Book) -> None:
    journal = book.hledger()
    days = re.findall(r"^(\d{4}-\d\d-\d\d) \((\d+)\)", journal, re.MULTILINE)
    assert days == sorted(days, key=lambda found: (found[0], int(found[1])))
    by_memo = dict(re.findall(r"^(\d{4}-\d\d-\d\d) \(\d+\) (?:payment|cash counted)\n    \S+  (\S+)", journal, re.M))
    assert by_memo == {"2026-11-01": "-0.05", "2026-11-25": "-12.34", "2026-11-28": "0.99", "2026-12-03": "-0.01"}


@pytest.mark.parametrize(
    ("unit", "money", "shown"),
    [
        ("JPY", None, "-12 JPY"),
        ("KWD", None, "-0.012 KWD"),
        ("GBP", None, "-0.12 GBP"),
        ("GBP", {"currency": "GBP", "chip": 1, "exponent": 3}, "-0.012 GBP"),
        ("points", None, '-12 "points"'),
        ("chips:t.12", None, '-12 "chips:t.12"'),
    ],
)
def test_each_unit_with_its_decimals(tmp_path: Path, unit: str, money: Any, shown: str) -> None:
    book = Book("ann")
    book.append(CLUB, "Told", {"money": money})
    book.payment("ann", 12, at="2026-11-24T12:00:00Z", unit=unit)
    accepted(tmp_path, book)
    assert f"    liabilities:members:ann  {shown}\n" in book.hledger()


def test_decimals() -> None:
    assert [decimal(*given) for given in ((-5, 2), (5, 0), (0, 2), (-1234, 3), (100, 2))] == [
        "-0.05", "5", "0.00", "-1.234", "1.00",
    ]  # fmt: skip


def test_a_book_in_which_nothing_moved(tmp_path: Path) -> None:
    accepted(tmp_path, Book())


def test_ids_of_every_kind(tmp_path: Path) -> None:
    ids = ["a.b", "a_b", "a-b", "adotb", "alowb", "2pac", "0", "x" * 60, "x" * 59 + ".", "u2eu", "a.-_.", "pool-1"]
    book = Book(*ids)
    for number, one in enumerate(ids, 1):
        book.append(CLUB, "Paid", {}, ("payment", {(f"member:{one}", "GBP"): number, ("cash", "GBP"): -number}))
        unit = f"chips:{one}.1"
        book.append(f"night:{one}", "NightOpened", {"date": "2026-11-24"}, (
            "peek", {(f"player:{one}", unit): -number, (f"pool:{one}", unit): number}))  # fmt: skip
    accepted(tmp_path, book)


# Names of accounts and commodities

ids = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,59}", fullmatch=True) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5
)
SHORT = st.lists(st.sampled_from("aud2e.U_-X"), min_size=1, max_size=6).map("".join)


@given(ids | SHORT, ids | SHORT)
def test_no_two_ids_share_a_name(one: str, other: str) -> None:
    for part in (bean._part, lambda name: hl._account((name,))):
        assert (part(one) == part(other)) == (one == other)
    assert re.fullmatch(r"[A-Z0-9][A-Za-z0-9-]*", bean._part(one))
    assert re.fullmatch(r"[A-Za-z0-9%._~-]+", hl._account((one,)))


units = st.one_of(
    st.builds("chips:{}.{}".format, ids, st.integers(1, 12)), st.sampled_from(["GBP", "JPY", "points"]), ids
)


@given(units, units)
def test_no_two_units_share_a_commodity(one: str, other: str) -> None:
    names: list[Callable[[str], str]] = [bean._commodity, hl._commodity]
    for name in names:
        assert (name(one) == name(other)) == (one == other)
    assert re.fullmatch(r"[A-Z][A-Z0-9'._-]{0,22}[A-Z0-9]", bean._commodity(one))
    assert re.fullmatch(r'[A-Z]{3}|"[^";\n]+"', hl._commodity(one))


# Seasons and the command line


def test_a_season_begins_with_what_was_brought_forward(book: Book, tmp_path: Path) -> None:
    book.append(CLUB, "SeasonStarted", {"season": "s", "name": {"ref": "-", "sha256": "0" * 64}, "date": "2026-11-26"})
    book.append(CLUB, "SeasonEnded", {"season": "s", "date": "2026-11-28"})
    accepted(tmp_path, book, "s")
    journal = book.hledger("s")
    assert "2026-11-26 (0) brought forward\n" in journal
    assert set(re.findall(r"^(2\d{3}-\d\d-\d\d) ", journal, re.MULTILINE)) == {"2026-11-26", "2026-11-28"}
    assert "nights:t-1" not in journal
    assert "2026-11-28 (end)" in journal
    whole = ask_hledger(tmp_path, book.hledger(), "balance", "-e", "2026-11-29", "-N", "assets", "liabilities:members")
    assert ask_hledger(tmp_path, journal, "balance", "-N", "assets", "liabilities:members") == whole


def test_the_demo_as_both_programs_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kittybook("demo", "--db", "demo.db")
    journal = kittybook("export", "hledger", "--db", "demo.db").stdout_bytes.decode()
    ask_hledger(tmp_path, journal, "check", "--strict")
    kittybook("export", "beancount", "--db", "demo.db", "--out", "demo.beancount")
    ask_beancount(tmp_path, (tmp_path / "demo.beancount").read_text(encoding="utf-8"))
    assert "There is no season" in kittybook("export", "hledger", "--season", "x", "--db", "demo.db", code=1).stderr
