"""Files out and in: a whole book byte for byte, the journal for spreadsheets, and nights that were kept on paper."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.cli.opening import Book
from ledger.cli.sheets import Wishes, import_sheet
from ledger.exports.journal import COLUMNS
from ledger.imports.events import rows
from ledger.imports.ids import id_from
from ledger.rulebooks import preset
from ledger.service import Ledger, Sender, read_request
from ledger.sheet import score
from ledger.stores import MemoryStore
from tests.cli.book import apply, command, data, kittybook, make_club, open_night, record

pytestmark = pytest.mark.dates

ROOT = Path(__file__).parents[2]
EVENING = ROOT / "tests" / "evenings" / "peep-nap-evening.json"
FOLDERS = ROOT / "tests" / "cases"


pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def book(folder: Path) -> Path:
    """A book with all that a line may have: names, an erased one, notes, rules, a late hand, two streams at once."""
    make_club()
    night = open_night("dot,cal,ann,bob")
    kittybook("member", "rename", "bob", "Bob “the Bank” Ó Broin, 鈴木")
    apply(
        record(1, "bob", "nap", False, peeks=["dot", "ann"], note="=1+1\nand more"),
        command("CorrectHand", hand=1, facts={"bidder": "bob", "bid": "two", "made": True}, reason="@home"),
        command("ChangeRules", house_rules={"peek": 3}),
        record(2, "cal", "two", True, peeks=["bob"]),
    )
    kittybook("night", "close", night)
    apply(
        record(3, "ann", "two", True),
        command(
            "CorrectClosedHand",
            None,
            night=night,
            hand=2,
            facts={"bidder": "ann", "bid": "two", "made": True},
            reason="x",
        ),
    )
    kittybook("member", "erase", "cal")
    return folder / "kittybook.db"


def export() -> bytes:
    return kittybook("export", "events").stdout_bytes


# Whole books


def test_exported_imported_and_exported_again_a_book_is_the_same_byte_for_byte(book: Path, folder: Path) -> None:
    first = export()
    (folder / "book.json").write_bytes(first)
    told = kittybook("import", "events", "book.json", "--db", "copy.db").stdout
    assert told.startswith("copy.db holds the book of club up to position ")
    again = kittybook("export", "events", "--db", "copy.db").stdout_bytes
    assert again == first
    assert kittybook("verify", "--db", "copy.db").stdout.splitlines()[-1] == _verified(book)
    night = data("night", "show", "tuesday-2026-11-24", "--json")
    copy = data("night", "show", "tuesday-2026-11-24", "--json", "--db", "copy.db")
    assert {**night, "epoch": "", "as_of": ""} == {**copy, "epoch": "", "as_of": ""}


def _verified(book: Path) -> str:
    return kittybook("verify", "--db", str(book)).stdout.splitlines()[-1]


def test_an_imported_book_knows_which_commands_it_has_carried_out(folder: Path) -> None:
    make_club()
    open_night()
    hand = record(1, "bob", "two", True)
    apply(hand)
    (folder / "book.jsonl").write_bytes(export())
    kittybook("import", "events", "book.jsonl", "--db", "copy.db")
    os.rename("copy.db", "kittybook.db")
    (verdict,) = apply(hand)
    assert verdict["status"] == "duplicate"


@pytest.mark.usefixtures("book")
def test_a_book_is_read_from_standard_input_into_a_club_with_nothing_in_its_book() -> None:
    lines = export()
    kittybook("import", "events", "-", "--db", "copy.db", stdin=lines)
    before = kittybook("export", "events", "--db", "copy.db").stdout_bytes
    assert before == lines
    assert "already" in kittybook("import", "events", "-", "--db", "copy.db", stdin=lines, code=1).stderr
    assert kittybook("export", "events", "--db", "copy.db").stdout_bytes == lines


@pytest.mark.usefixtures("book")
def test_a_dry_run_checks_a_book_and_makes_no_store(folder: Path) -> None:
    told = kittybook("import", "events", "-", "--db", "copy.db", "--dry-run", stdin=export()).stdout
    assert told.startswith("standard input holds the book of club up to position ")
    assert not (folder / "copy.db").exists()


@pytest.mark.usefixtures("book")
def test_a_second_club_is_imported_only_where_it_is_meant() -> None:
    lines = export()
    kittybook("init", "--club", "Two", "--db", "two.db")
    told = kittybook("import", "events", "-", "--db", "two.db", stdin=lines, code=1).stderr
    assert "There is a book of two here already. --another" in told
    kittybook("import", "events", "-", "--db", "two.db", "--another", stdin=lines)
    assert kittybook("export", "events", "--db", "two.db", "--club", "club").stdout_bytes == lines


def _without_line(lines: list[bytes]) -> list[bytes]:
    return lines[:3] + lines[4:]


def _twice(lines: list[bytes]) -> list[bytes]:
    return [*lines, lines[-1]]


def _edited(key: str, value: Any, index: int = 2) -> Callable[[list[bytes]], list[bytes]]:
    def edit(lines: list[bytes]) -> list[bytes]:
        row = json.loads(lines[index])
        row[key] = value
        return [*lines[:index], json.dumps(row).encode() + b"\n", *lines[index + 1 :]]

    return edit


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (_without_line, "event 4 cannot be read: position 4, version 4 of the book of club is due here"),
        (_twice, "is due here"),
        (_edited("actor", "somebody"), "event 3 cannot be read: it is not what was recorded"),
        (_edited("actor", "\ud800"), "actor must be text"),
        (_edited("data", {"member": 1.5}), "its data: float has no canonical JSON"),
        (_edited("data", None), "data must be an object"),
        (_edited("postings", [{"account": "nobody"}]), "'nobody' is no account"),
        (_edited("command", None), "nothing is remembered of its command"),
        (_edited("texts", {}), "is missing"),
        (_edited("texts", {"x": ["00", "y"]}), "text x is not mentioned"),
        (_edited("texts", {"x": "y"}), "texts.x must be a salt and words, or null"),
        (_edited("extra", 1), "extra: there is no such key here"),
        (lambda lines: [*lines[:2], b"{\n"], "event 3 cannot be read: it is not JSON"),
        (lambda lines: [*lines[:2], b"[]\n"], "event 3 cannot be read"),
        (lambda _lines: [], "holds no events"),
        (lambda lines: [line.replace(b'"Bob"', b'"Rob"') for line in lines], "is not what was recorded"),
    ],
)
@pytest.mark.usefixtures("book")
def test_a_book_that_is_not_as_it_was_written_is_refused_and_nothing_made(
    folder: Path,
    edit: Callable[[list[bytes]], list[bytes]],
    says: str,
) -> None:
    edited = b"".join(edit(export().splitlines(keepends=True)))
    result = kittybook("import", "events", "-", "--db", "copy.db", stdin=edited, code=1)
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (folder / "copy.db").exists()


def test_files_that_are_there_are_never_written_over(book: Path, folder: Path) -> None:
    kittybook("export", "events", "--out", "book.jsonl")
    assert (folder / "book.jsonl").read_bytes() == export()
    assert (folder / "book.jsonl").stat().st_mode & 0o777 == 0o600
    for out in ("book.jsonl", str(book)):
        assert "is there already" in kittybook("export", "journal", "--out", out, code=1).stderr
    assert "cannot be written" in kittybook("export", "events", "--out", "no/such/file", code=2).stderr
    assert sorted(path.name for path in folder.iterdir()) == ["book.jsonl", "kittybook.db", "kittybook.db.lock"]
    assert "cannot be read" in kittybook("import", "events", "none.jsonl", code=2).stderr


# The journal


@pytest.mark.usefixtures("book")
def test_the_journal_has_every_posting_in_its_order() -> None:
    raw = kittybook("export", "journal").stdout_bytes
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert raw.count(b"\r\n") == raw.count(b"\n")
    table = list(csv.DictReader(io.StringIO(raw.decode(), newline="")))
    assert tuple(table[0]) == COLUMNS
    places = [(int(row["position"]), int(row["entry"])) for row in table]
    assert places == sorted(places)
    assert sum(int(row["amount"]) for row in table) == 0
    assert {row["night"] for row in table} == {"tuesday-2026-11-24"}
    after = [row for row in table if row["memo"] == "correction" and row["account"].startswith("member:")]
    assert {row["hand"] for row in after} == {"2"}
    night = kittybook("export", "journal", "--night", "tuesday-2026-11-24").stdout_bytes.decode()
    assert list(csv.DictReader(io.StringIO(night, newline=""))) == [
        row for row in table if row["position"] != after[0]["position"]
    ]
    assert "There is no night" in kittybook("export", "journal", "--night", "zed", code=1).stderr


@pytest.mark.usefixtures("book")
def test_the_journal_can_be_written_for_excel() -> None:
    plain = kittybook("export", "journal").stdout_bytes
    us = kittybook("export", "journal", "--profile", "excel-us").stdout_bytes
    eu = kittybook("export", "journal", "--profile", "excel-eu").stdout_bytes
    assert us == b"\xef\xbb\xbf" + plain
    assert eu == b"\xef\xbb\xbf" + plain.replace(b",", b";")
    assert "excel-eu" in kittybook("export", "journal", "--profile", "excel", code=2).stderr


# Ids from names


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("The Thursday Table", "the-thursday-table"),
        ("Łódź & Sons’ Nap", "lodz-sons-nap"),
        ("Ænne Straße", "aenne-strasse"),
        ("---", None),
        ("Нап", None),
        ("x" * 80, "x" * 60),
        ("№ 5", "no-5"),
    ],
)
def test_a_name_gives_an_id(name: str, made: str | None) -> None:
    assert id_from(name) == made


# Nights on paper


def sheets() -> Iterator[dict[str, Any]]:
    for file in sorted(FOLDERS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            sheet = json.loads(line)
            if "error" not in score(sheet) and "scores" not in sheet:
                yield sheet


@pytest.mark.parametrize("sheet", list(sheets()), ids=lambda sheet: sheet["id"])
def test_every_worked_sheet_becomes_a_night_that_comes_to_what_the_sheet_does(sheet: dict[str, Any]) -> None:
    book = _book(sheet["rulebook"])
    wishes = Wishes("table", "2026-11-24", {}, True, "carry", False)
    told = import_sheet(book, sheet, "sheet.json", wishes)
    with book.read() as (club, reader):
        night = book.ledger.night("club", "table-2026-11-24", reader)
        ids = {reader.texts([one.name["ref"]])[one.name["ref"]]: one.id for one in club.members.values()}
        before = reader.head()
    called = {text[1]: member for text, member in ids.items() if text}
    answer = score(sheet)
    assert night.closed
    assert night.hands == len(answer["hands"])
    assert night.ending is not None
    assert night.ending.carried == answer["pool"]
    if "games" not in answer:
        found = {who: purse.balance for who, purse in night.purses.items() if purse.balance}
        assert found == {called[name]: chips for name, chips in answer["balances"].items() if chips}
    assert str(night.closings[-1].receipt) in told
    assert "before" in import_sheet(book, sheet, "sheet.json", wishes)
    with book.read() as (_club, reader):
        assert reader.head() == before


def _book(rulebook: Any) -> Book:
    store = MemoryStore()
    book = Book(store, "club")
    book.ledger.found("club", "Club", Sender(actor="test"))
    if not isinstance(rulebook, str):
        book.send("PublishRulebook", rulebook=rulebook)
    book.send(
        "OpenTable", table="table", name="Table", rulebook=rulebook if isinstance(rulebook, str) else rulebook["id"]
    )
    return book


def paper() -> None:
    make_club()
    kittybook("table", "open", "Paper", "--rulebook", "rockets-peep-nap")


@pytest.mark.usefixtures("folder")
def test_an_evening_on_paper_is_imported_once_however_often_it_is_sent() -> None:
    paper()
    args = ("import", "night", str(EVENING), "--table", "paper", "--date", "2026-11-24")
    unknown = kittybook(*args, code=1).stderr
    assert "Nobody is called Maeve, Callum, Ines, Tariq, Rosa" in unknown
    before = export()
    assert "would be paper-2026-11-24" in kittybook(*args, "--add-members", "--dry-run").stdout
    assert export() == before
    told = kittybook(*args, "--add-members").stdout
    assert told.startswith("tuesday-peep-nap: recorded as paper-2026-11-24, 14 hands, pool 4; receipt ")
    shown = kittybook("night", "show", "paper-2026-11-24").stdout
    scored = kittybook("score", "--table", str(EVENING)).stdout
    assert scored.rstrip().splitlines()[1:] == shown.splitlines()[1 : len(scored.rstrip().splitlines())]
    after = export()
    again = kittybook(*args).stdout
    assert again.startswith("tuesday-peep-nap: it was recorded before, as paper-2026-11-24; receipt ")
    assert "recorded before" in kittybook(*args, "--dry-run").stdout
    assert export() == after


def test_a_sheet_that_was_changed_since_is_refused_where_it_was_changed(folder: Path) -> None:
    paper()
    args = ("--table", "paper", "--add-members")
    kittybook("import", "night", str(EVENING), *args)
    before = export()
    sheet = json.loads(EVENING.read_text(encoding="utf-8"))
    sheet["hands"][5]["made"] = False
    (folder / "changed.json").write_text(json.dumps(sheet), encoding="utf-8")
    result = kittybook("import", "night", "changed.json", *args, code=1)
    assert "tuesday-peep-nap: hand 6: The id" in result.stderr
    assert export() == before


def test_what_was_cut_off_in_the_middle_is_finished_by_importing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    book = _book("rockets-peep-nap")
    sheet = json.loads(EVENING.read_text(encoding="utf-8"))
    wishes = Wishes("table", "2026-11-24", {}, True, "carry", False)
    real, count = Ledger.carry_out, 0

    def carry_out(*args: Any, **more: Any) -> Any:
        nonlocal count
        count += 1
        if count == 12:
            raise KeyboardInterrupt
        return real(*args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "carry_out", carry_out)
        with pytest.raises(KeyboardInterrupt):
            import_sheet(book, sheet, "-", wishes)
    assert "14 hands, pool 4" in import_sheet(book, sheet, "-", wishes)


def test_names_are_ids_or_exact_names_or_what_is_said_of_them(folder: Path) -> None:
    paper()
    kittybook("member", "add", "Zoe\u0308")
    kittybook("member", "add", "Ann")
    sheet: dict[str, Any] = {
        "rulebook": "rockets-peep-nap",
        "players": ["Bob", "Zoë", "cal"],
        "dealer": "cal",
        "hands": [{"bidder": "Zoë", "bid": "two", "made": True}],
    }
    file = folder / "sheet.json"

    def night(*options: str, code: int = 0, **changes: Any) -> str:
        file.write_text(json.dumps({**sheet, **changes}), encoding="utf-8")
        result = kittybook("import", "night", "sheet.json", "--table", "paper", *options, code=code)
        return result.stdout + result.stderr

    assert "1 hands" in night("--date", "2026-11-20")
    who = data("night", "show", "paper-2026-11-20", "--json")["players"]
    assert [player["id"] for player in who] == ["bob", "m5", "cal"]
    assert "Ann must be an id, since 2 are called so: ann, m6" in night(players=["Ann", "Zoë", "cal"], code=1)
    assert "recorded" in night("--player", "Ann=m6", "--date", "2026-11-21", players=["Ann", "Zoë", "cal"])
    assert "bob must be another member" in night(players=["Bob", "Zoë", "cal", "bob"], code=1)
    assert "no member 'zed'" in night("--player", "Bob=zed", code=1, players=["Bob", "Zoë", "cal", "Ann"])
    assert "not NAME=ID" in night("--player", "Bob", code=2)
    assert "no table 'zed'" in night("--table", "zed", code=1)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"pool": 3, "hands": []}, None),
        ({"rulebook": "nonsense"}, "There is no rulebook 'nonsense'."),
        ({"hands": [{"bidder": "Ann", "bid": "ten", "made": True}]}, "hand 1: rockets-peep-nap knows no bid 'ten'."),
        ({"expect": {"pool": 5}}, "it does not come to what it expects: pool: expected 5, got 0."),
        ({"surprise": 1}, "no such key"),
    ],
)
def test_sheets_that_cannot_be_a_night_are_refused(folder: Path, changes: dict[str, Any], says: str | None) -> None:
    paper()
    sheet = {"id": "S", "rulebook": "rockets-peep-nap", "players": ["Ann", "Bob"], "dealer": "Ann", "hands": []}
    (folder / "sheet.jsonl").write_text(json.dumps({**sheet, **changes}) + "\n", encoding="utf-8")
    result = kittybook("import", "night", "sheet.jsonl", "--table", "paper", code=0 if says is None else 1)
    assert (says or "recorded") in result.stdout + result.stderr
    assert len(data("night", "list", "--json")) == (says is None)


def test_a_sheet_must_begin_with_the_pool_that_waits_at_the_table(folder: Path) -> None:
    paper()
    sheet = {"rulebook": "rockets-peep-nap", "players": ["Ann", "Bob"], "dealer": "Ann", "pool": 3, "hands": []}
    first, second, third = ({**sheet, "id": name, "pool": pool} for name, pool in (("1", 3), ("2", 5), ("3", 3)))
    (folder / "sheets.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (first, second, third)))
    result = kittybook("import", "night", "sheets.jsonl", "--table", "paper", code=1)
    assert "2: it begins with a pool of 5, and 3 wait at the table." in result.stderr
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == ["1", "3"]
    assert "pool brought in,pool:paper,chips:paper.1,3," in kittybook("export", "journal").stdout


def test_a_sheet_with_other_rules_than_the_table_brings_them_along(folder: Path) -> None:
    paper()
    two = [{"bidder": "Ann", "bid": "two", "made": True, "peeks": ["Bob"]}]
    sheet: dict[str, Any] = {"id": "S", "rulebook": "rockets-peep-nap", "dealer": "Ann", "hands": two}
    sheet |= {"players": ["Ann", "Bob"]}
    sheet |= {"house_rules": {"peek": 4}, "stake": 3, "note": "By candle light."}
    (folder / "sheet.json").write_text(json.dumps(sheet), encoding="utf-8")
    kittybook("import", "night", "sheet.json", "--table", "paper", "--date", "2026-11-24", "--pool", "bob")
    state = data("night", "show", "paper-2026-11-24", "--json")
    assert (state["rulebook"]["house_rules"], state["rulebook"]["stake"]) == ({"peek": 4}, 3)
    assert [player["balance"] for player in state["players"]] == [6, -18 + 12]
    (folder / "own.toml").write_text('id = "own"\nfamily = "nap"\n[[bids]]\nid = "nap"\ntricks = 5\ncollects = 10\n')
    (folder / "sheet.json").write_text(
        json.dumps({**sheet, "id": "T", "rulebook": "own.toml", "house_rules": {}, "hands": []})
    )
    result = kittybook("import", "night", "sheet.json", "--table", "paper", code=1)
    assert "rulebook must be the table's, one of the club's own, or a preset" in result.stderr


# What the reader of rows may rely on


@pytest.mark.usefixtures("book")
def test_rows_are_read_one_by_one() -> None:
    lines = export().decode().splitlines()
    read = rows(map(json.loads, lines), "here")
    assert next(read).recorded.position == 1
    assert preset("rockets-peep-nap").digest in {digest for row in read for digest in row.rulebooks}


@pytest.mark.usefixtures("folder")
def test_a_store_in_memory_gives_the_same_lines() -> None:
    from ledger.exports.events import events

    book = _book("rockets-peep-nap")
    request = read_request(command("AddMember", None, name="Ann"))
    book.ledger.carry_out("club", [request], book.sender)
    with book.store.audit("club") as audit:
        lines = list(events(audit))
    kittybook("import", "events", "-", stdin="".join(lines))
    assert export().decode() == "".join(lines)
