"""`kittybook rulebook`: the payment table, its check, and a copy to edit."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ledger.cli import main
from ledger.cli.payment_table import payment_table
from ledger.errors import LedgerError
from ledger.payments import compile_payments
from ledger.rulebook import Rulebook, apply_house_rules, parse, read, switches
from ledger.rulebook.keys import KEYS, Key
from ledger.rulebook.template import template, toml
from ledger.rulebooks import preset, preset_ids, preset_text
from ledger.sheet import check_examples

SMALL = """\
id = "small"
family = "nap"

[[bids]]
id = "nap"
tricks = 5
collects = 10
pays = 5

"""
EXAMPLE = """\
[[examples]]
name = "example {number}"
players = ["A", "B"]
dealer = "A"
hands = [{{ bidder = "B", bid = "nap", made = true }}]
expect.balances = {{ A = -10, B = 10 }}

"""
EXAMPLES = "".join(EXAMPLE.format(number=number) for number in (1, 2, 3))


def rulebook(*args: str) -> Result:
    return CliRunner().invoke(main, ["rulebook", *args])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# list


def test_list_names_every_preset() -> None:
    result = rulebook("list")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()[2:]] == list(preset_ids())


def test_list_as_data() -> None:
    books = json.loads(rulebook("list", "--json").stdout)
    assert [book["id"] for book in books] == list(preset_ids())
    assert books[0].keys() == {"id", "title", "source", "digest", "family", "players"}


# show


@pytest.mark.parametrize("name", preset_ids())
def test_show_prints_every_row_within_a_hundred_columns(name: str) -> None:
    result = rulebook("show", name)
    assert result.exit_code == 0
    book = preset(name)
    rows = [re.split(r" {2,}", line)[:2] for line in result.stdout.splitlines()]
    marked = [[book.bid_name(bid.id) + "†" * bid.unattested, bid.id] for bid in book.bids]
    assert [row for row in rows if row in marked] == marked
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert book.source.split()[0] in result.stdout
    assert book.notes.split()[-1] in result.stdout
    assert result.stdout.rstrip().endswith(book.digest)


@pytest.mark.parametrize("name", [name for name in preset_ids() if preset(name).family == "nap"])
@pytest.mark.parametrize("stake", [1, 7])
def test_the_amounts_shown_are_those_that_are_paid(name: str, stake: int) -> None:
    book = preset(name)
    contracts = compile_payments(book, stake).contracts
    rows = {cells[1]: cells for cells in _cells(rulebook("show", name, "--stake", str(stake)).stdout)}
    for bid in book.bids:
        moves = contracts[bid.id]
        made = sum(move.chips for move in moves.made if move.payer == "opponents")
        failed = sum(move.chips for move in moves.failed if move.receiver == "receivers")
        cells = rows[bid.id]
        assert int(cells[3]) == made
        assert cells[4] == (str(failed) if bid.pays_players else "-")
        assert ("taken" in cells[5:]) == any(move.payer == "pool" for move in moves.made)
        assert ("bidder doubles it" in cells[5:]) == any(move.memo == "pool doubled" for move in moves.failed)


def _cells(text: str) -> list[list[str]]:
    rows = [re.split(r" {2,}", line) for line in text.splitlines()]
    return [row for row in rows if len(row) > 4]


def test_show_says_what_becomes_of_the_pool() -> None:
    assert "bidder adds 10 x payers" in rulebook("show", "floater-holmes", "--stake", "2").stdout
    assert "stakes go back" in rulebook("show", "russian-napoleon").stdout
    assert "(bidder adds 2)" in rulebook("show", "peel-spare-hand").stdout
    assert "there is no pool" in rulebook("show", "foster-napoleon").stdout
    assert "pool if made" not in rulebook("show", "foster-napoleon").stdout


def test_show_marks_and_explains_reconstructed_rows() -> None:
    text = rulebook("show", "floater-holmes").stdout
    assert "Four with the floater†" in text
    assert "Nap with the floater†" not in text
    assert "† reconstructed" in text
    assert "†" not in rulebook("show", "rockets-peep-nap").stdout


def test_show_pepper_in_points() -> None:
    rows = {cells[1]: cells[2:] for cells in _cells(rulebook("show", "rockets-pepper").stdout)}
    assert rows["three"] == ["3", "3", "-3", "1 a trick", "-3", "3 : 0"]
    assert rows["big_pepper"] == ["6", "14", "-14", "14", "-14", "14 : 0"]
    simple = {cells[1]: cells[2:] for cells in _cells(rulebook("show", "simple-pepper").stdout)}
    assert simple["two"] == ["2", "2 to 6", "-6", "1 a trick", "0"]
    assert "4 : 1 or 2" in rulebook("show", "wolf-pepper").stdout
    assert (
        "5 a game and 2 for each point"
        in rulebook("show", "wolf-pepper", "--rule", "per_game=5", "--rule", "per_point=2").stdout
    )


def test_titles_may_be_in_russian() -> None:
    text = rulebook("show", "rockets-peep-nap", "--language", "ru").stdout
    assert "Веллингтон" in text
    assert "Wellington" not in text.partition("Notes")[0]


def test_house_rules_are_marked_and_listed() -> None:
    result = rulebook(
        "show",
        "foster-peep-nap",
        "--rule",
        "bids.nap.pays=10",
        "--rule",
        'bids.four.on_fail_pool={"fixed": 3}',
        "--rule",
        "dealer_sits_out_from=null",
        "--rule",
        "all_pass=redeal_next",
    )
    assert result.exit_code == 0
    marked = [line for line in result.stdout.splitlines() if "*" in line]
    assert [re.sub(r" {2,}", "  ", line) for line in marked] == [
        "Four  four  4  4  4  stays  bidder adds 3*",
        "Nap  nap  5  10  10*  taken  bidder doubles it",
        "* dealer  always plays",
        "* all pass  thrown in; the next dealer deals",
        "House rules, at stake 1 (marked *)",
    ]
    changed = result.stdout.partition("(marked *)\n")[2].partition("\n\n")[0]
    assert [re.sub(r" {2,}", "  ", line) for line in changed.splitlines()] == [
        "  table.dealer_sits_out_from  5 -> left out",
        "  auction.all_pass  dealer_min -> redeal_next",
        "  bids.four.on_fail_pool  none -> {fixed: 3}",
        "  bids.nap.pays  5 -> 10",
    ]


EVERYTHING: dict[str, dict[str, Any]] = {
    "foster-peep-nap": {"ante": 1, "buy": {"price": 1}, "widow": {"fail_pays": 5}, "all_pass": "redeal_next"},
    "wolf-pepper": {"dirty_clubs": True, "per_game": 1, "per_point": 1},
}
"""House rules under which every switch of the family means something."""

VALUES: list[Any] = [
    True,
    False,
    None,
    0,
    1,
    2,
    3,
    4,
    7,
    "bidder",
    "pool",
    "none",
    "double",
    "per_player",
    {"fixed": 2},
    {"chips": 2, "to": "pool"},
]
VALUES += ["redeal_same", "double_next", "eldest_min", "split", "draw", "refund", "until_passed", "hand", "fair_share"]
VALUES += ["three", "four", "five", "nothing", "higher", "play_on", [3, 5], {"five": 1}]


@pytest.mark.parametrize("name", EVERYTHING)
def test_every_switch_that_does_something_shows(name: str) -> None:
    base = apply_house_rules(preset(name), EVERYTHING[name])
    meant = {key.path for key in KEYS if key.switch and key.family in {"both", base.family}}
    changed = set()
    for path in switches(base):
        for value in VALUES:
            try:
                book = apply_house_rules(base, {path: value})
            except LedgerError:
                continue
            if book.digest != base.digest and _general(path, base) in meant:
                changed.add(_general(path, base))
                assert "*" in payment_table(book, base).partition("House rules")[0], f"{path} = {value!r}"
    assert changed == meant


def test_house_rules_that_change_nothing_say_so() -> None:
    text = rulebook("show", "foster-peep-nap", "--rule", "peek=1").stdout
    assert "The house rules change nothing." in text
    assert "*" not in text


def test_bids_below_a_new_minimum_are_gone() -> None:
    text = rulebook("show", "foster-peep-nap", "--rule", "minimum_bid=three").stdout
    assert [cells[1] for cells in _cells(text)][1:] == ["three", "misere", "four", "nap"]
    assert "the lowest bid is Three" in text


def test_show_as_data_that_may_stand_in_a_sheet() -> None:
    data = json.loads(rulebook("show", "foster-peep-nap", "--rule", "peek=3", "--json").stdout)
    assert data["house_rules"] == {"pool.peek": 3}
    assert data["changes"] == [{"switch": "pool.peek", "old": 1, "new": 3}]
    book = read(data["rulebook"])
    assert book.digest == data["digest"] == apply_house_rules(preset("foster-peep-nap"), {"peek": 3}).digest
    assert book.title == preset("foster-peep-nap").title


@pytest.mark.parametrize("name", preset_ids())
def test_every_preset_is_the_same_as_data(name: str) -> None:
    book = read(json.loads(rulebook("show", name, "--json").stdout)["rulebook"])
    assert book.digest == preset(name).digest
    assert [bid.unattested for bid in book.bids] == [bid.unattested for bid in preset(name).bids]
    assert check_examples(book) == []


@pytest.mark.parametrize(
    ("rule", "code", "words"),
    [
        ("peak=1", 1, "peak: foster-peep-nap has no such switch."),
        ("pays=1", 1, "pays could mean"),
        ("peek=-1", 1, "House rule peek"),
        ("peek", 2, "SWITCH=VALUE"),
        ("=1", 2, "SWITCH=VALUE"),
    ],
)
def test_a_house_rule_that_is_wrong_is_named(rule: str, code: int, words: str) -> None:
    result = rulebook("show", "foster-peep-nap", "--rule", rule)
    assert result.exit_code == code
    assert words in result.stderr
    assert result.stdout == ""


def test_a_switch_is_set_once() -> None:
    assert rulebook("show", "foster-peep-nap", "--rule", "peek=1", "--rule", "peek=2").exit_code == 2


# check


def test_check_says_ok_for_each(folder: Path) -> None:
    (folder / "small.toml").write_text(SMALL + EXAMPLES)
    result = rulebook("check", "small.toml", "penny-nap")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "small.toml: ok, 3 examples",
        f"penny-nap: ok, {len(preset('penny-nap').examples)} examples",
    ]


def test_check_prints_every_difference_and_goes_on(folder: Path) -> None:
    (folder / "small.toml").write_text(SMALL.replace("collects = 10", "collects = 11") + EXAMPLES)
    result = rulebook("check", "small.toml", "penny-nap")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[:2] == [
        "small.toml: example 1, 'example 1': balances: A: expected -10, got -11",
        "small.toml: example 1, 'example 1': balances: B: expected 10, got 11",
    ]
    assert result.stdout.splitlines()[-1].startswith("penny-nap: ok")


def test_check_scores_the_file_itself_not_a_preset_of_that_name(folder: Path) -> None:
    text = preset_text("penny-nap").replace("collects = 12", "collects = 13", 1)
    (folder / "penny-nap.toml").write_text(text)
    assert rulebook("check", "penny-nap.toml").exit_code == 1
    assert rulebook("check", "penny-nap").exit_code == 0


def test_check_demands_three_examples(folder: Path) -> None:
    (folder / "small.toml").write_text(SMALL + EXAMPLE.format(number=1))
    result = rulebook("check", "small.toml")
    assert (result.exit_code, result.stdout) == (1, "small.toml: it has 1 examples, and needs at least 3\n")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (SMALL + 'colour = "red"\n', "small.toml, line 10: bids[0].colour: there is no such key here."),
        (SMALL.replace('family = "nap"', 'family = "whist"'), "small.toml, line 2: family must be one of nap, pepper."),
        (SMALL.replace("tricks = 5", 'tricks = "5"'), "small.toml, line 6: bids[0].tricks must be a whole number."),
        ("family = nap", "small.toml: it is not TOML: Invalid value (at line 1, column 10)."),
    ],
)
def test_check_names_file_line_and_key(folder: Path, text: str, line: str) -> None:
    (folder / "small.toml").write_text(text)
    result = rulebook("check", "small.toml")
    assert (result.exit_code, result.stdout) == (1, line + "\n")


@pytest.mark.parametrize("expect", ["3", "{ hands = 3 }", "{ purse = 3 }"])
def test_check_says_what_is_wrong_with_an_example(folder: Path, expect: str) -> None:
    (folder / "small.toml").write_text(SMALL + re.sub(r"expect.balances = .*", f"expect = {expect}", EXAMPLES))
    result = rulebook("check", "small.toml")
    assert result.exit_code == 1
    assert "small.toml: example 1, 'example 1': expect" in result.stdout


@pytest.mark.parametrize("verb", ["check", "show", "new"])
@pytest.mark.parametrize("name", ["nowhere.toml", "penny-nap-1", ".", ""])
def test_what_is_not_there_is_bad_usage(verb: str, name: str) -> None:
    result = rulebook(verb, name)
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_slip_of_the_pen_is_met_with_a_guess() -> None:
    assert "is it 'foster-peep-nap'?" in rulebook("show", "foster-pep-nap").stderr


# new


@pytest.mark.parametrize("name", preset_ids())
def test_a_copy_passes_check_and_scores_alike(folder: Path, name: str) -> None:
    assert rulebook("new", name, "--out", "own.toml").exit_code == 0
    text = (folder / "own.toml").read_text(encoding="utf-8")
    copy, original = parse(text), preset(name)
    assert copy.id == "own"
    assert copy.digest == original.digest
    assert (copy.title, copy.source, copy.notes) == (original.title, original.source, original.notes)
    assert copy.examples == original.examples
    assert check_examples(copy) == []
    assert text.endswith(preset_text(name)[preset_text(name).index("[[examples]]") :])


@pytest.mark.parametrize("name", preset_ids())
def test_a_copy_explains_every_key(name: str) -> None:
    text = template(preset(name), preset_text(name), "own").partition("[[examples]]")[0]
    lines = text.splitlines()
    family = preset(name).family
    for key in KEYS:
        if key.family not in {"both", family} or key.path.count(".") > 1 or key.path == "examples":
            continue
        name_here = key.path.rpartition(".")[2]
        at = [index for index, line in enumerate(lines) if re.match(rf"#?{name_here} = ", line)]
        assert at, f"{key.path} is not in the copy"
        assert any(lines[index - 1].startswith("# ") for index in at), f"{key.path} has no comment"
    for key in KEYS:
        if key.path.startswith("bids.") and key.family in {"both", family}:
            assert f"# {key.path.removeprefix('bids.*.')}: " in text


@pytest.mark.parametrize("name", ["foster-peep-nap", "peel-spare-hand", "rockets-pepper", "wolf-pepper"])
def test_what_a_copy_leaves_out_may_be_put_in(name: str) -> None:
    """Every key that is commented out can be taken in as it stands; a default that is taken in changes nothing."""
    defaults = {key.path.rpartition(".")[2] for key in KEYS if key.default}
    text = template(preset(name), preset_text(name), "own")
    commented = re.findall(r"^#(\w+) = .*$", text, re.MULTILINE)
    assert commented
    for key in commented:
        book = parse(re.sub(rf"^#({key} = .*)$", r"\1", text, flags=re.MULTILINE))
        assert (book.digest == preset(name).digest) or key not in defaults


def test_a_copy_is_called_after_its_file_or_as_one_says(folder: Path) -> None:
    assert parse(rulebook("new", "penny-nap").stdout).id == "penny-nap-house"
    assert parse(rulebook("new", "penny-nap", "--id", "tuesday").stdout).id == "tuesday"
    rulebook("new", "penny-nap", "--out", "Our Nap.toml")
    assert parse((folder / "Our Nap.toml").read_text(encoding="utf-8")).id == "penny-nap-house"
    rulebook("new", "penny-nap", "--out", "rockets-napoleon.toml")
    assert parse((folder / "rockets-napoleon.toml").read_text(encoding="utf-8")).id == "penny-nap-house"


@pytest.mark.parametrize("new_id", ["Tuesday", "a b", "", "penny-nap", "x" * 61])
def test_an_id_that_is_none_or_taken_is_bad_usage(new_id: str) -> None:
    assert rulebook("new", "penny-nap", "--id", new_id).exit_code == 2


def test_a_copy_of_a_copy(folder: Path) -> None:
    (folder / "small.toml").write_bytes(b"\xef\xbb\xbf" + (SMALL + EXAMPLES).replace("\n", "\r\n").encode())
    assert rulebook("new", "small.toml", "--out", "smaller.toml").exit_code == 0
    assert rulebook("check", "small.toml", "smaller.toml").exit_code == 0


def test_new_never_overwrites(folder: Path) -> None:
    (folder / "own.toml").write_text("mine")
    result = rulebook("new", "penny-nap", "--out", "own.toml")
    assert result.exit_code == 1
    assert "own.toml is there already" in result.stderr
    assert (folder / "own.toml").read_text() == "mine"
    assert rulebook("new", "penny-nap", "--out", str(folder)).exit_code == 2
    assert rulebook("new", "penny-nap", "--out", "no/such/folder.toml").exit_code == 2


def test_examples_written_anew_are_the_same() -> None:
    """Examples that do not stand at the end of the file come out as data, without their comments."""
    book = preset("foster-peep-nap")
    copy = parse(template(book, "", "own"))
    assert copy.examples == book.examples
    assert copy.digest == book.digest


@pytest.mark.parametrize("value", [True, 3, 'a "b"\n\\ \x7f é', [1, ["x"]], {"a b": {"c": []}}, {}, [], 5.0])
def test_values_survive_being_written(value: Any) -> None:
    assert tomllib.loads(f"value = {toml(value)}") == {"value": value}


# The meaning of keys


def test_keys_are_described_exactly_once() -> None:
    assert len({key.path for key in KEYS}) == len(KEYS)


def test_every_switch_is_described_and_nothing_else() -> None:
    described = {key.path for key in KEYS if key.switch}
    nap, pepper = (_switches(book) for book in (preset("rockets-peep-nap"), preset("rockets-pepper")))
    assert described == nap | pepper
    assert {key.path for key in KEYS if key.switch and key.family == "nap"} - nap == set()
    assert {key.path for key in KEYS if key.switch and key.family == "pepper"} - pepper == set()


def _switches(book: Rulebook) -> set[str]:
    return {_general(path, book) for path in switches(book)}


def _general(path: str, book: Rulebook) -> str:
    """Return a path with ``*`` for the id of a bid."""
    if not path.startswith(("bids.", "score.negotiate.")):
        return path
    return ".".join("*" if part in book.bids_by_id else part for part in path.split("."))


@pytest.mark.parametrize("key", [key for key in KEYS if key.default and "." in key.path], ids=lambda key: key.path)
def test_a_default_that_is_described_holds(key: Key) -> None:
    bare, told = _bare(key), _bare(key)
    *sections, name = key.path.removeprefix("bids.*.").split(".")
    place = told["bids"][0] if key.path.startswith("bids.") else told
    for section in sections:
        place = place.setdefault(section, {})
    place[name] = tomllib.loads(f"value = {key.default}")["value"]
    assert read(told).digest == read(bare).digest


def _bare(key: Key) -> dict[str, Any]:
    """Return a rulebook that says hardly more than it must."""
    bids = [{"id": "nap", "tricks": 5, "collects": 10}]
    if key.family == "pepper":
        return {"family": "pepper", "bids": bids, "score": {"target": 42}}
    return {"family": "nap", "bids": bids, "pool": {"buy": {"price": 1}, "widow": {"fail_pays": 5}}}
