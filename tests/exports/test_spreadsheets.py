"""Tables as CSV, looked at as bytes: three profiles, and no text that a spreadsheet would calculate."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.exports.spreadsheets import MACHINE, PROFILES, Cell, csv_lines

pytestmark = pytest.mark.dates

NARROW_AND_WIDE = "=+-@＝＋－＠"


def written(head: Sequence[str], *rows: Sequence[Cell], profile: str = "machine") -> bytes:
    return "".join(csv_lines(head, rows, PROFILES[profile])).encode()


@pytest.mark.parametrize(
    ("profile", "raw"),
    [
        ("machine", b"name,amount\r\nZo\xc3\xab M\xc3\xbcller-Lo\xc3\x9f;x,-1.50\r\n\"a,b\",-7\r\n"),
        ("excel-us", b"\xef\xbb\xbfname,amount\r\nZo\xc3\xab M\xc3\xbcller-Lo\xc3\x9f;x,-1.50\r\n\"a,b\",-7\r\n"),
        ("excel-eu", b"\xef\xbb\xbfname;amount\r\n\"Zo\xc3\xab M\xc3\xbcller-Lo\xc3\x9f;x\";-1,50\r\na,b;-7\r\n"),
    ],
)  # fmt: skip
def test_each_profile_byte_for_byte(profile: str, raw: bytes) -> None:
    table: list[tuple[str, Cell]] = [("Zoë Müller-Loß;x", Decimal("-1.50")), ("a,b", -7)]
    assert written(["name", "amount"], *table, profile=profile) == raw


@pytest.mark.parametrize("profile", PROFILES)
def test_a_table_without_rows_has_its_head(profile: str) -> None:
    raw = written(["a", "b"], profile=profile)
    assert raw.removeprefix(b"\xef\xbb\xbf") in {b"a,b\r\n", b"a;b\r\n"}
    assert b"sep=" not in raw


@pytest.mark.parametrize("start", [*NARROW_AND_WIDE, *(f"  {sign}" for sign in NARROW_AND_WIDE), "\u00a0=", "\u3000＝"])
@pytest.mark.parametrize("profile", PROFILES)
def test_text_that_would_be_calculated_gets_one_apostrophe(start: str, profile: str) -> None:
    raw = written([f"{start}head", "n"], (f"{start}1+1", -5), profile=profile)
    head, row = raw.decode().removeprefix("\ufeff").splitlines()
    assert head.startswith(f"'{start}head")
    assert row.startswith(f"'{start}1+1")
    assert row.endswith("-5")
    assert "''" not in raw.decode()


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("'quoted", b"''quoted"),
        ("\t=1", b"'\t=1"),
        ("\tx", b"'\tx"),
        (" \tx", b"' \tx"),
        ("\0=1", b"'\0=1"),
        ("\rx", b'"\'\rx"'),
        ("\nx", b'"\'\nx"'),
        ("O'Brien", b"O'Brien"),
        (" x", b" x"),
        ("a=1", b"a=1"),
        ("44-1", b"44-1"),
        ('say "x"', b'"say ""x"""'),
        ("", b""),
    ],
)
def test_each_way_to_begin(text: str, raw: bytes) -> None:
    assert written(["a", "b"], (text, 1)) == b"a,b\r\n" + raw + b",1\r\n"


def test_numbers_are_plain_and_nothing_is_empty() -> None:
    row = (-5, 0, 2**53, None, Decimal("-0.05"), Decimal("1E+3"))
    assert written(list("abcdef"), row) == b"a,b,c,d,e,f\r\n-5,0,9007199254740992,,-0.05,1000\r\n"


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.integers()), max_size=5))
def test_what_is_written_is_read_again_without_the_guard(table: list[tuple[str, int]]) -> None:
    text = "".join(csv_lines(["text", "number"], table, MACHINE))
    back = list(csv.reader(_lines(text)))[1:]
    assert [(cell.removeprefix("'"), int(number)) for cell, number in back] == table


def _lines(text: str) -> list[str]:
    """Lines as a file opened with ``newline=""`` gives them."""
    return list(io.StringIO(text, newline=""))


def test_long_tables_come_in_pieces_that_end_with_a_line() -> None:
    pieces = list(csv_lines(["n"], ((number,) for number in range(5_001))))
    assert all(piece.endswith("\r\n") for piece in pieces)
    assert "".join(pieces).split() == ["n", *map(str, range(5_001))]
    assert len(pieces) == 12
