"""Lists of members as people's spreadsheets write them: from bytes to who is in the club."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import values
from ledger.cli import rosters
from ledger.cli.opening import Book, opened
from ledger.cli.rosters import import_roster
from ledger.errors import BadName, CommandIdReused
from ledger.exports.spreadsheets import csv_lines
from ledger.imports import members
from ledger.imports.members import Row
from ledger.imports.roster import Known, commands, plan
from ledger.service import Sender, read_request
from ledger.service.desk import Desk
from ledger.stores import MemoryStore
from ledger.views import members_view
from tests.cli.book import apply, command, data, kittybook, open_night

BOM = b"\xef\xbb\xbf"
Who = tuple[str, int, str]


pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def empty(folder: Path) -> None:
    kittybook("init", "--club", "The Club", "--slug", "club", "--db", str(folder / "kittybook.db"))


def imported(raw: bytes, *options: str, code: int = 0) -> str:
    """Import from standard input; return all that was said."""
    result = kittybook("import", "members", "-", *options, stdin=raw, code=code)
    return result.stdout + result.stderr


def everybody() -> list[Who]:
    return [(one["id"], one["number"], one["name"]) for one in data("member", "list", "--all", "--json")]


def book_as_lines() -> bytes:
    return kittybook("export", "events").stdout_bytes


# What can be read

ANN = [("m1", 1, "Ann")]
TWO = [("007", 1, "Ann"), ("bob", 2, "O’Brien, Bob")]

FILES: dict[str, tuple[bytes, tuple[str, ...], list[Who]]] = {
    "one column": (b"name\nAnn\n", (), ANN),
    "no line end": (b"name\nAnn", (), ANN),
    "mark of UTF-8": (BOM + b"name\nAnn\n", (), ANN),
    "Windows": (BOM + b"Name;ID\r\nAnn;007\r\nO\xe2\x80\x99Brien, Bob;bob\r\n", (), TWO),
    "old Mac": (b"Name\tid\rAnn\t007\rO\xe2\x80\x99Brien, Bob\tbob\r", (), TWO),
    "comma": (b'NAME,Id\nAnn,007\n"O\xe2\x80\x99Brien, Bob",bob\n', (), TWO),
    "said delimiter": (b"sep=;\r\nname;id\r\nAnn;007\r\nO\xe2\x80\x99Brien, Bob;bob\r\n", (), TWO),
    "cp1252": (b"name;id\nAnn;007\nO\x92Brien, Bob;bob\n", ("--encoding", "cp1252"), TWO),
    "latin-1": (b"name\nZo\xeb\n", ("--encoding", "latin-1"), [("m1", 1, "Zoë")]),
    "UTF-16": ("name\tid\nAnn\t007\nO’Brien, Bob\tbob\n".encode("utf-16"), ("--encoding", "utf-16"), TWO),
    "UTF-8 by name": (BOM + b"name\nAnn\n", ("--encoding", "UTF8"), ANN),
    "empty lines": (b"\n;;\nname;id;\n\n ; ;\nAnn;m1;\n;;\n\n", (), ANN),
    "spaces": (b' Name , id\n Ann , m1\n\xc2\xa0, "x1"\n'.replace(b"\xc2\xa0", b"Bo"), (), [*ANN, ("x1", 2, "Bo")]),
    "quoted line ends": (b'"na\nme",name,note\nx,Ann,"1\n\n2"\n"y\r\n",Bob,\n', (), [*ANN, ("m2", 2, "Bob")]),
    "short lines": (b"name,id,note\nAnn,007\nBob\n", (), [("007", 1, "Ann"), ("m2", 2, "Bob")]),
    "cells too many, all empty": (b"name,id\nAnn,m1,,\n", (), ANN),
    "numbers": (b"Member No.;Player\n0042;Ann\n7;Bob\n", (), [("7", 7, "Bob"), ("0042", 42, "Ann")]),
    "#": (b"#,Member\n3,Ann\n,Bob\n", (), [("3", 3, "Ann"), ("m4", 4, "Bob")]),
    "an id that is taken by an id": (
        b"no,id,name\n7,,Ann\n3,7,Bob\n,m7,Cal\n",
        (),
        [("7", 3, "Bob"), ("m7-2", 7, "Ann"), ("m7", 8, "Cal")],
    ),
    "the largest number": (b"no,name\n1000000,Ann\n,Bob\n", (), [("m1", 1, "Bob"), ("1000000", 1_000_000, "Ann")]),
    "capitals": (b"id,name\nM-07,Ann\n", (), [("m-07", 1, "Ann")]),
    "localised": (
        "Spieler;Mitgliedsnr.;Betrag\nZoë;0042;1,50\n".encode(),
        ("--column", "name=Spieler", "--column", "number=mitgliedsnr"),
        [("0042", 42, "Zoë")],
    ),
    "in Russian": ("Имя,№\nАнна,5\n".encode(), ("--column", "name=имя"), [("5", 5, "Анна")]),
    "two names": (
        b"First Name,Surname,id\nAnn,Lee,ann\nBob,,bob\n",
        ("--column", "name=First Name", "--column", "name=Surname"),
        [("ann", 1, "Ann Lee"), ("bob", 2, "Bob")],
    ),
    "a heading with commas": (
        b"Name, first and last\nAnn\n",
        ("--column", "name=Name, first and last"),
        ANN,
    ),
    "a choice of two": (b"member,name\nann,Ann\n", ("--column", "id=member"), [("ann", 1, "Ann")]),
    "formulas": (
        b"name\n=1+1\n'Neil\n@SUM(A1)\n-Lee\n+44\n'=x\n",
        (),
        [
            ("m1", 1, "=1+1"), ("m2", 2, "'Neil"), ("m3", 3, "@SUM(A1)"), ("m4", 4, "-Lee"), ("m5", 5, "+44"),
            ("m6", 6, "'=x"),
        ],
    ),
    "formulas of an export": (
        b"name\n'=1+1\n'Neil\n''t Hooft\n",
        ("--guarded",),
        [("m1", 1, "=1+1"), ("m2", 2, "'Neil"), ("m3", 3, "'t Hooft")],
    ),
    "composed and decomposed": ("name,id\nZoe\u0308,a\nZoë,b\n".encode(), (), [("a", 1, "Zoë"), ("b", 2, "Zoë")]),
    "awkward": (
        "name\nO'Brien\n<b>Al</b>\nnull\nCON\n👨‍👩‍👧\n".encode(),
        (),
        [("m1", 1, "O'Brien"), ("m2", 2, "<b>Al</b>"), ("m3", 3, "null"), ("m4", 4, "CON"), ("m5", 5, "👨‍👩‍👧")],
    ),
    "two Sams": (b"name,no\nSam,1\nSam,2\n", (), [("1", 1, "Sam"), ("2", 2, "Sam")]),
    "nobody": (b"name\n", (), []),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
@pytest.mark.usefixtures("empty")
def test_a_file_is_read_as_it_was_meant_and_twice_is_once(case: str) -> None:
    raw, options, wanted = FILES[case]
    before = book_as_lines()
    tried = imported(raw, *options, "--dry-run")
    assert book_as_lines() == before
    assert _as_done(tried) == imported(raw, *options)
    assert everybody() == wanted
    before = book_as_lines()
    again = imported(raw, *options)
    assert f"0 added, 0 renamed, {len(wanted)} left." in again
    assert book_as_lines() == before


def _as_done(tried: str) -> str:
    """What a dry run says, as the run says it."""
    told = tried.replace("would be called", "is now called").replace(" would be added as", " is added as")
    return re.sub(r"(?m)^line \d+: .* already.*\n", "", told.replace("would be ", ""))


# What cannot be read

LONG = b"x" * 10_001
WRONG: dict[str, tuple[bytes, tuple[str, ...], str]] = {
    "empty": (b"", (), "it is empty"),
    "blank": (BOM + b"\r\n \r\n", (), "it is empty"),
    "not UTF-8": (
        b"name\r\nAnn\r\nZo\xeb\r\n",
        (),
        "line 3, byte 3 (0xEB) (byte 14 of the file) is not UTF-8: save it as UTF-8, or say what it is with --encoding",
    ),
    "not UTF-8 behind the mark": (BOM + b"\xff", (), "line 1, byte 1 (0xFF) (byte 4 of the file)"),
    "cut off within a letter": ("name\nZoë".encode()[:-1], (), "line 2, byte 3 (0xC3)"),
    "UTF-16": ("name\n".encode("utf-16"), (), "say --encoding utf-16"),
    "ASCII": (b"name\nZo\xeb", ("--encoding", "ascii"), "line 2, byte 3 (0xEB) is not ascii"),
    "an odd encoding": (b"name\n\xff", ("--encoding", "punycode"), "is not punycode"),
    "UTF-8 as Latin": (BOM + b"name\nAnn", ("--encoding", "latin-1"), "leave --encoding out"),
    "no heading": (
        b"Spieler;Betrag;\x1b[31m\nAnn;3\n",
        (),
        "no heading in its first line says where the names are: say which with --column name=HEADING."
        " The headings are 'Spieler', 'Betrag', '\\x1b[31m'.",
    ),
    "no heading, and many": (b",".join(b"c%d" % n for n in range(30)), (), "'c19' and 10 more."),
    "no such heading": (
        b"Spieler,x\n",
        ("--column", "name=Player"),
        "no heading is 'Player'. The headings are 'Spieler'",
    ),
    "a heading twice": (b"name,Name\n", ("--column", "name=NAME"), "2 headings are 'NAME'"),
    "two headings": (
        b"name,player,id\n",
        (),
        "'name' and 'player' could each be the name: say which with --column name=",
    ),
    "one column twice": (b"name,x\n", ("--column", "id=x", "--column", "number=X"), "names one column twice"),
    "no end": (b'name,id\nAnn,1\n"Bob,2\nCal,3\n', (), 'line 3: a cell begins with " here, and no " ends it.'),
    "half a quotation": (b'name,id\n"A"nn,1\n', (), 'line 2: something stands behind the "'),
    "too long by far": (b"name,note\nAnn," + b"x" * 140_000, (), "line 2: a cell is longer than 10,000 characters"),
    "name missing": (b"name,id\n,ann\n", (), "line 2: name is no name: it is empty."),
    "name too long": (b"name\nAnn\n" + b"x" * 61, (), "line 3: name is no name: it is longer than 60"),
    "name with a line end": (b'name\n\n"A\nb"\n', (), "line 3: name is no name: U+000A is a control character."),
    "name with a direction": ("name\nA\u202eb\n".encode(), (), "line 2: name is no name: U+202E changes the direction"),
    "cell too long": (b"name,note\nAnn," + LONG, (), "line 2: a cell is longer than 10,000 characters."),
    "cells too many": (b"name,id\nLee, Ann,ann\n", (), "line 2: it has 3 cells under 2 headings."),
    "bad id": (b"name,id\nAnn,a b\n", (), "line 2: id must be an id: a-z"),
    "reserved id": (b"name,id\nAnn,pool\n", (), "line 2: id must be another id: 'pool' is reserved."),
    "number 0": (b"name,No.\nAnn,000\n", (), "line 2: No. must be between 1 and 1000000."),
    "number too large": (b"name,No.\nAnn,1000001\n", (), "line 2: No. must be between 1 and 1000000."),
    "number in Arabic": ("name,No.\nAnn,٤٢\n".encode(), (), "line 2: No. must be a whole number in digits."),
    "number 1.0": (b"name,No.\nAnn,1.0\n", (), "line 2: No. must be a whole number in digits."),
    "number for ever": (b"name,No.\nAnn," + b"9" * 5_000, (), "line 2: No. must be a whole number in digits."),
    "id twice": (b"name,id\nAnn,x\nBob,y\nCal,X\n", (), "line 4: the id x is in line 2 already."),
    "number twice": (b"name,no\nAnn,7\nBob,007\n", (), "line 3: the number 7 is in line 2 already."),
    "row twice": (b"name,no\nAnn,7\nAnn,7\n", (), "line 3: the number 7 is in line 2 already."),
    "name twice": (b"name\nSam\nSam\n", (), "line 3: Sam is in line 2 already: two of one name need ids or numbers."),
    "name twice, one with a number": (b"name,no\nSam,1\nSam,\n", (), "line 3: Sam is in line 2 already"),
    "name twice, the other": (b"name,no\nSam,\nSam,1\n", (), "line 3: Sam is in line 2 already"),
    "usage: encoding": (b"name\n", ("--encoding", "klingon"), "'klingon' is no encoding that is known."),
    "usage: no text": (b"name\n", ("--encoding", "hex"), "'hex' is no encoding that is known."),
    "usage: no encoding": (b"name\n", ("--encoding", ""), "'' is no encoding that is known."),
    "usage: column": (b"name\n", ("--column", "name"), "'name' is not name, id or number=HEADING."),
    "usage: no field": (b"name\n", ("--column", "sum=Betrag"), "'sum=Betrag' is not name, id or number=HEADING."),
    "usage: two ids": (b"name\n", ("--column", "id=a", "--column", "id=b"), "id can only stand in one column."),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.usefixtures("empty")
def test_what_is_wrong_is_said_and_nothing_imported(case: str) -> None:
    raw, options, says = WRONG[case]
    before = book_as_lines()
    code = 2 if case.startswith("usage") else 1
    for more in ((), ("--dry-run",)):
        result = kittybook("import", "members", "-", *options, *more, stdin=raw, code=code)
        assert says in result.stderr
        assert result.stdout == ""
    assert book_as_lines() == before


@pytest.mark.usefixtures("empty")
def test_every_wrong_row_is_told_up_to_twenty_and_no_good_one_is_taken() -> None:
    result = kittybook("import", "members", "-", stdin=b"name,no\nAnn,1\n" + b"Bob,x\n" * 25 + b"Cal,1\n", code=1)
    lines = result.stderr.splitlines()
    assert lines[0] == "standard input, line 3: no must be a whole number in digits."
    assert lines[19:] == [
        "standard input, line 22: no must be a whole number in digits.",
        "standard input: and 6 more.",
        "Error: standard input: nothing is imported, since 26 rows are wrong.",
    ]
    assert everybody() == []


@pytest.mark.usefixtures("empty")
def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "SIZE_LIMIT", 1024 * 1024)
    monkeypatch.setattr(members, "ROW_LIMIT", 3)
    assert "standard input is larger than 1 MB." in imported(b"name\n" + b"\n" * 1024 * 1024, code=1)
    assert "it has more than 3 members." in imported(b"name\nA\nB\n\nC\nD\n", code=1)
    assert "3 added" in imported(b"name\nA\nB\n\nC\n\n")


@pytest.mark.usefixtures("empty")
def test_files_are_named_and_what_cannot_be_opened_is_bad_usage(folder: Path) -> None:
    (folder / "members.csv").write_bytes(b"name;Telefon;;Stra\xc3\x9fe\nAnn;;x\n")
    result = kittybook("import", "members", "members.csv")
    assert result.stderr == "members.csv: nothing is read of 'Telefon', 'Straße'.\n"
    assert result.stdout == "line 2: Ann is added as m1, number 1.\nmembers.csv: 1 added, 0 renamed, 0 left.\n"
    for name in ("none.csv", "."):
        assert f"{name} cannot be read: " in kittybook("import", "members", name, code=2).stderr


# Who is known


@pytest.mark.parametrize(
    ("raw", "options", "says"),
    [
        (b"id,name\nann,Ann\n", (), "0 added, 0 renamed, 1 left."),
        (b"id,name\nann,Annette\n", (), "ann is called Ann in the book, Annette in the file; left as it is."),
        (b"id,name\nann,ann\n", (), "1 left, 1 of them different here."),
        (b"id,name\nann,Annette\n", ("--rename",), "ann is now called Annette; he was called Ann."),
        (b"no,name\n01,Annette\n", ("--rename",), "ann is now called Annette; he was called Ann."),
        (b"id,no,name\nann,9,Ann\n", ("--rename",), "ann has the number 1 for good, not 9; left as it is."),
        (
            b"id,no,name\nann,9,A\n",
            ("--rename",),
            "ann is now called A; he was called Ann and has the number 1 for good",
        ),
        (b"id,name\na,Ann\n", (), "Ann is added as a, number 5; so is ann called."),
        (b"no,name\n9,Ann\n", (), "Ann is added as 9, number 9; so is ann called."),
        (b"name\nann\n", (), "ann is added as m5, number 5."),
        (b"name\nAnn\nBob\nCal\nDot\nEve\n", (), "1 added, 0 renamed, 4 left."),
        (b"no,name\n7,Ann\n8,Eve\n,Fay\n", (), "Fay is added as m9, number 9."),
    ],
)
@pytest.mark.usefixtures("club")
def test_a_member_is_known_by_id_else_number_else_name(raw: bytes, options: tuple[str, ...], says: str) -> None:
    assert says in _as_done(imported(raw, *options, "--dry-run"))
    assert says in imported(raw, *options)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"id,no,name\nann,2,Ann\n", "line 2: the number 2 is that of bob, not of ann."),
        (b"id,no,name\neve,2,Eve\n", "line 2: the number 2 is that of bob, not of eve."),
        (b"id,no,name\nann,,Ann\n,1,Annie\n", "line 3: that is ann, like line 2."),
        (b"id,name\nann,Annie\n,Ann\n", "line 3: that is ann, like line 2."),
    ],
)
@pytest.mark.usefixtures("club")
def test_rows_that_contradict_the_book_are_refused(raw: bytes, says: str) -> None:
    before = everybody()
    for options in ((), ("--rename",)):
        assert says in imported(raw, *options, code=1)
    assert everybody() == before


@pytest.mark.usefixtures("club")
def test_of_two_who_are_called_so_a_bare_name_means_neither() -> None:
    imported(b"id,name\nann2,Ann\n")
    assert "2 are or were called Ann (ann, ann2): an id or number must say who." in imported(b"name\nAnn\n", code=1)
    assert "0 added, 0 renamed, 2 left." in imported(b"id,name\nann,Ann\nann2,Ann\n")


@pytest.mark.usefixtures("club")
def test_who_was_renamed_merged_archived_or_erased_since_is_not_added_again() -> None:
    named, listed = b"name\nAnn\nBob\nCal\nDot\n", b"id,name\nann,Ann\nbob,Bob\ncal,Cal\ndot,Dot\n"
    kittybook("member", "rename", "ann", "Annette")
    kittybook("member", "merge", "bob", "cal")
    kittybook("member", "archive", "cal")
    kittybook("member", "erase", "dot")
    before = book_as_lines()
    told = imported(listed, "--dry-run")
    assert "line 2: ann is called Annette in the book, Ann in the file; left as it is." in told
    assert "line 3: Bob is bob, number 2, already and is archived." in told
    assert "line 5: dot was erased; left as it is." in told
    assert "0 added, 0 renamed, 4 left, 2 of them different here." in imported(listed)
    assert "line 2: ann is called Annette in the book" in imported(b"name\nAnn\nBob\nCal\n", "--rename")
    assert book_as_lines() == before
    assert "line 5: Dot is added as m5, number 5." in imported(named)  # nobody can know that it is the same Dot
    told = imported(b"id,name\nbob,Rob\n", "--rename")
    assert "bob is called Cal in the book, Rob in the file; left as it is." in told
    assert "1 renamed" in imported(listed, "--rename")
    assert ("ann", 1, "Ann") in everybody()


@pytest.mark.usefixtures("club")
def test_renaming_to_and_fro_is_carried_out_each_time() -> None:
    for name in ("Annette", "Ann", "Annette"):
        raw = f"id,name\nann,{name}\n".encode()
        assert "1 renamed" in imported(raw, "--rename")
        assert "0 renamed, 1 left." in imported(raw, "--rename")


# All or nothing, and once


def _book() -> Book:
    book = Book(MemoryStore(), "club")
    book.ledger.found("club", "Club", Sender(actor="test"))
    return book


def _members(book: Book) -> list[dict[str, Any]]:
    with book.read() as (club, reader):
        return members_view(club, reader, everybody=True)


def _position(book: Book) -> int:
    with book.read() as (_club, reader):
        return reader.head().position


def test_what_is_cut_off_in_the_middle_was_nothing_and_is_imported_whole_the_next_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    book = _book()
    raw = b"name,no\nAnn,7\nBob,\nCal,0042\n"
    real, count = Desk.write, 0

    def write(*args: Any) -> Any:
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt
        return real(*args)

    with monkeypatch.context() as patch:
        patch.setattr(Desk, "write", write)
        with pytest.raises(KeyboardInterrupt):
            import_roster(book, raw, "-", {})
    assert _members(book) == []
    import_roster(book, raw, "-", {})
    assert [one["id"] for one in _members(book)] == ["7", "0042", "m43"]


@pytest.mark.usefixtures("club")
def test_what_others_write_meanwhile_is_not_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    real = rosters._write

    def late(book: Book, *rest: Any) -> None:
        book.send("AddMember", name="Eve")
        real(book, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(rosters, "_write", late)
        assert "nothing is imported, since the book has changed meanwhile; try again." in imported(
            b"name\nEve\n", code=1
        )
    assert "0 added, 0 renamed, 1 left." in imported(b"name\nEve\n")


def test_the_same_plan_sends_the_same_commands_whose_ids_say_nothing_of_a_name() -> None:
    known = [Known("ann", 1, "ann", "Ann")]

    def ids(*rows: Row) -> list[str]:
        steps, faults = plan(rows, known, rename=True)
        assert not faults
        return [one["id"] for one in commands("club", 5, steps)]

    first = ids(Row(2, "Eve"), Row(3, "Annette", "ann"))
    assert first == ids(Row(2, "Eva"), Row(3, "Anna", "ann"))
    assert len(set(first)) == 2


def test_commands_that_are_sent_again_are_duplicates() -> None:
    book = _book()
    steps, _faults = plan([Row(2, "Ann"), Row(3, "Bob", "bob", 7)], [], rename=False)
    requests = [read_request(one) for one in commands("club", 1, steps)]
    for status in ("recorded", "duplicate"):
        answers = book.ledger.carry_out_together("club", requests, book.sender)
        assert [answer["status"] for answer in answers] == [status] * 2
        assert _position(book) == 3
    other, _faults = plan([Row(2, "Eve")], [], rename=False)
    changed = [read_request(one) for one in commands("club", 1, other)]
    changed[0] = read_request({**commands("club", 1, other)[0], "id": requests[0].id, "type": "AddMember"})
    with pytest.raises(CommandIdReused):
        book.ledger.carry_out_together("club", changed, book.sender)


@pytest.mark.usefixtures("club")
def test_commands_together_do_what_they_do_one_by_one() -> None:
    def sent() -> list[dict[str, Any]]:
        return [
            command("OpenNight", None, table="tuesday", players=["ann", "bob"], dealer="ann", pool=5),
            command("RecordHand", bidder="bob", bid="two", made=True, hand=1, peeks=["ann"]),
            command("CloseNight"),
            command("OpenNight", None, table="tuesday", players=["ann", "bob"], dealer="ann", pool=2),
        ]

    first = open_night("ann,bob")
    apply(command("RecordHand", first, bidder="bob", bid="two", made=True, hand=1))
    kittybook("night", "close", first)
    with opened("kittybook.db") as store:
        book = Book(store, "club")
        together = sent()
        for one in together:
            if "night" in one:
                one["night"] = "again"
        together[0]["data"]["night"], together[3]["data"]["night"] = "again", "last"
        answers = book.ledger.carry_out_together("club", [read_request(one) for one in together], book.sender)
        assert [answer["status"] for answer in answers] == ["recorded"] * 4
    assert answers[3]["pool"] == answers[1]["pool"] + 2
    assert kittybook("verify").exit_code == 0


# Whatever people are called


def _is_name(text: str) -> bool:
    try:
        return bool(values.name(text, "name"))
    except BadName:
        return False


_AWKWARD = st.text("'\"=+-@;,\t =Ann\u0308ëß鈴木", min_size=1, max_size=12)
NAMES = st.lists(
    (_AWKWARD | st.text(max_size=20)).filter(_is_name).map(lambda text: values.name(text, "name")),
    max_size=8,
    unique=True,
)
IDS = st.lists(st.none() | st.from_regex(r"\A[a-z0-9][a-z0-9._-]{0,9}\Z"), min_size=8, max_size=8)
NUMBERS = st.lists(st.none() | st.integers(1, 1_000_000), min_size=8, max_size=8)


def _once(found: Sequence[Any]) -> list[Any]:
    """Leave out what comes again, and reserved words."""
    return [None if one in [*found[:place], *values.RESERVED_IDS] else one for place, one in enumerate(found)]


@given(
    names=NAMES,
    ids=IDS.map(_once),
    numbers=NUMBERS.map(_once),
    zeros=st.integers(0, 9),
    delimiter=st.sampled_from(";,\t"),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
    shown=st.permutations(["name", "ID", "Number", "Notes"]).flatmap(
        lambda headings: st.integers(1, 4).map(
            lambda many: headings[:many] if "name" in headings[:many] else ["name", *headings[:many]]
        )
    ),
)
def test_any_list_of_names_in_any_dialect_is_imported_exactly_and_twice_is_once(
    names: list[str],
    ids: list[str | None],
    numbers: list[int | None],
    zeros: int,
    delimiter: str,
    end: str,
    quoting: Any,
    encoding: str,
    shown: list[str],
) -> None:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(shown)
    people = list(zip(names, ids, numbers, strict=False))
    for name, member, number in people:
        typed = None if number is None else "0" * zeros + str(number)
        cells = {"name": name, "ID": member, "Number": typed, "Notes": f'"{end};,'}
        writer.writerow([cells[heading] for heading in shown])
    raw = stream.getvalue().encode(encoding)
    said = None if encoding.startswith("utf-8") else encoding
    book = _book()
    import_roster(book, raw, "file", {}, encoding=said)
    found = _members(book)
    assert sorted(one["name"] for one in found) == sorted(names)
    by_name = {one["name"]: one for one in found}
    for name, member, number in people:
        if "ID" in shown and member is not None:
            assert by_name[name]["id"] == member
        if "Number" in shown and number is not None:
            assert by_name[name]["number"] == number
    before = _position(book)
    import_roster(book, raw, "file", {}, encoding=said, rename=True)
    assert _position(book) == before


@given(names=NAMES)
def test_an_export_is_imported_as_it_was_before_it_was_guarded(names: list[str]) -> None:
    book = _book()
    raw = "".join(csv_lines(["name"], [(name,) for name in names])).encode()
    import_roster(book, raw, "file", {}, guarded=True)
    assert [one["name"] for one in _members(book)] == names


@given(raw=st.binary(max_size=60) | st.binary(max_size=60).map(lambda tail: b"name,id,no\n" + tail))
def test_no_bytes_are_too_odd(raw: bytes) -> None:
    book = _book()
    for encoding in (None, "latin-1", "utf-16", "utf-7"):
        try:
            roster = members.read(raw, {}, encoding=encoding)
        except members.Unfit:
            continue
        steps, faults = plan(roster.rows, [], rename=False)
        assert len(steps) + len(faults) == len(roster.rows)
        assert len({step.member for step in steps}) == len({step.number for step in steps}) == len(steps)
        requests = [read_request(one) for one in commands("club", 1, steps)]
        if not faults and requests and _position(book) == 1:
            assert len(book.ledger.carry_out_together("club", requests, book.sender)) == len(steps)
