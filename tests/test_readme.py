"""README.md says what is true: commands, output, examples, and what is generated."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest
import rfc8785
from click.testing import CliRunner

from ledger import errors
from ledger.cli import main
from ledger.commands import CLUB_COMMANDS, NIGHT_COMMANDS, readers_of
from ledger.exports.events import events
from ledger.rulebook import Rulebook, apply_house_rules, switches
from ledger.rulebooks import preset, preset_ids
from ledger.sheet import read_sheet, score
from scripts.benchmarks import BENCHMARKS
from scripts.docs import REFUSED_WITH, TELLS_A_HAND, code_of, command_help, refusals_by_section, shown_files
from tests.book.kit import THE_CLUB, Book

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
EVENING = ROOT / "tests" / "evenings" / "peep-nap-evening.json"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def section(title: str) -> str:
    found = README.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    assert found, title
    return found


def test_what_is_generated_is_as_it_would_be_generated_now() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "cogapp", "--check", "--diff", "-P", "README.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_command_reference_has_every_command_and_its_help() -> None:
    reference = section("The command line")
    told = dict(re.findall(r"^### (.*?)\n\n```text\n(.*?)\n```$", reference, re.MULTILINE | re.DOTALL))
    assert list(told) == _every_command(main, "kittybook")
    assert told == dict(command_help())
    for name in told:
        result = CliRunner().invoke(main, [*name.split()[1:], "--help"], prog_name="kittybook", terminal_width=100)
        assert result.exit_code == 0
        assert result.output.split() == told[name].split()


def _every_command(command: click.Command, path: str) -> list[str]:
    paths = [path]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            paths += _every_command(found, f"{path} {name}")
    return paths


def test_the_evening_comes_to_what_the_readme_shows() -> None:
    result = CliRunner().invoke(main, ["score", "--table", str(EVENING)])
    assert result.exit_code == 0
    assert result.stdout.rstrip("\n") in README


def test_the_evening_begins_as_the_readme_quotes_it() -> None:
    evening = json.loads(EVENING.read_text(encoding="utf-8"))
    quoted = json.loads(blocks("json")[0])
    assert quoted.pop("hands") == evening["hands"][:3]
    assert quoted.items() <= evening.items()


def test_the_house_rules_that_are_quoted_can_be_laid_over_their_rulebook() -> None:
    quoted = json.loads(blocks("json")[1])
    assert apply_house_rules(preset(quoted["rulebook"]), quoted["house_rules"]).house_rules


def test_a_refusal_looks_as_the_readme_quotes_it() -> None:
    bids = [["B", "three"], ["C", "two"], ["A", "pass"]]
    good = {"bidder": "B", "bid": "two", "made": True}
    sheet = {"id": "P3", "rulebook": "rockets-napoleon", "players": ["A", "B", "C"], "dealer": "A"}
    wrong = {"dealer": "A", "bids": bids, "made": True}
    assert score({**sheet, "hands": [good, good, good, wrong]}) == json.loads(blocks("json")[2])


@pytest.mark.parametrize("key", re.findall(r"`([a-z_]+)`", README.partition("| `id` |")[2].partition("**Facts")[0]))
def test_every_key_of_a_sheet_that_is_described_is_one(key: str) -> None:
    sheet: dict[str, Any] = {"rulebook": "rockets-pepper", "players": ["N", "E", "S", "W"], "dealer": "N", "hands": []}
    plain = {"stake": 1, "pool": 0, "scores": {}, "house_rules": {}, "expect": {}}
    inside = {"balances", "winner", "games", "error"}
    read_sheet({**sheet, "expect": {key: 0}} if key in inside else {key: plain.get(key, "x"), **sheet})


def test_every_question_is_answered_once_and_by_keys_that_there_are() -> None:
    rows = re.findall(r"^\| C(\d+) \| (.*?) \| (.*) \|$", README, re.MULTILINE)
    assert [int(number) for number, _question, _answer in rows] == list(range(1, 32))
    known = _all_switches()
    names = {path.rpartition(".")[2] for path in known} | {"[[bids]]", "took_card", *preset_ids()}
    for _number, _question, answer in rows:
        for key in re.findall(r"`([^`]+)`", answer):
            assert key in known or key in names, key


def _all_switches() -> set[str]:
    books: list[Rulebook] = [preset(name) for name in preset_ids()]
    return {path for book in books for path in switches(book)}


def test_files_and_links_that_are_named_are_there() -> None:
    for path in re.findall(r"`((?:tests|scripts|ledger)/[\w./-]+)`", README):
        assert (ROOT / path).exists(), path
    anchors = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", README, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= anchors


def test_the_list_of_modules_has_all_of_them_in_the_order_of_who_knows_whom() -> None:
    (listed,) = blocks("text")[-1:]
    names = [
        name
        for line in re.findall(r"^  (\S+(?: \S+/)?) ", listed, re.MULTILINE)
        for name in re.findall(r"\w+", line.replace(".py", "").replace("*.toml", ""))
    ]
    linted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (layers,) = (contract["layers"] for contract in linted["contracts"] if contract.get("containers") == ["ledger"])
    rank = {name: place for place, layer in enumerate(reversed(layers)) for name in re.findall(r"\w+", layer)}
    assert sorted(names) == sorted(
        path.stem
        for path in (ROOT / "ledger").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
        if not path.stem.startswith("__")
    )
    assert [rank[name] for name in names] == sorted(rank[name] for name in names)


def test_what_scripts_run_shows_is_what_it_runs() -> None:
    script = (ROOT / "scripts" / "run").read_text(encoding="utf-8")
    (night,) = re.findall(r"^night=(\S+)$", script, re.MULTILINE)
    assert re.findall(r"docs\.demo\(\"kittybook (.*)\"\)", README) == [
        f"night show {night}",
        "apply --dry-run --table -",
    ]
    assert 'show night show "$night"' in script
    assert "\nkittybook apply --dry-run --table - <<" in script


def test_every_benchmark_is_named_with_its_limit() -> None:
    assert re.findall(r"^\| `(\w+)` \| .+ \| at (?:most|least) .+ \|$", section("Speed"), re.MULTILINE) == [*BENCHMARKS]


def test_the_program_that_follows_the_chain_stops_where_it_is_broken(tmp_path: Path) -> None:
    program = tmp_path / "follow.py"
    program.write_text(shown_files()["follow.py"], encoding="utf-8")
    book = Book(members=["ann"])
    with book.store.audit(THE_CLUB) as audit:
        lines = [*events(audit)]
    (tmp_path / "book.jsonl").write_text(lines[0] + lines[1].replace('"ann"', '"bob"'), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, program, tmp_path / "book.jsonl"], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (1, "position 2 is not what was recorded\n")


def test_a_fingerprint_is_what_the_readme_says() -> None:
    book = Book(members=["ann"])
    book.done("OpenTable", table="tue", name="Tuesday", rulebook="rockets-peep-nap")
    with book.store.audit(THE_CLUB) as audit:
        rows = [json.loads(line) for line in events(audit)]
    asked: dict[str, dict[str, Any]] = {
        "AddMember": {"member": "ann"},
        "OpenTable": {"table": "tue", "rulebook": "rockets-peep-nap", "stake": 1},
    }
    for row in rows[1:]:
        (text,) = [[bytes.fromhex(salt), words.encode()] for salt, words in row["texts"].values()]
        data = {**asked[row["command"]["type"]], "name": hashlib.sha256(b"".join(text)).hexdigest()}
        expected = hashlib.sha256(rfc8785.dumps(["club", row["command"]["type"], data])).hexdigest()
        assert row["command"]["fingerprint"] == expected


# The commands of the book, and what they are refused with


def test_every_command_of_the_book_is_described() -> None:
    table = section("Commands of the book").partition("| command |")[2]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [*NIGHT_COMMANDS, *CLUB_COMMANDS]


@pytest.mark.parametrize("kind", [*NIGHT_COMMANDS, *CLUB_COMMANDS])
def test_every_key_of_a_command_is_described(kind: str) -> None:
    described = section("Commands of the book").partition("What stands in data:")[2].partition("| command |")[0]
    keys = {key for row in re.findall(r"^\| (.*?) \|", described, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)}
    assert set(readers_of(COMMANDS[kind])) <= keys


def test_every_refusal_has_its_code_and_sentence() -> None:
    told = re.findall(r"^\| `(\w+)` \| (.*) \| [\w ]+ \|$", section("Refusals"), re.MULTILINE)
    codes = [code for code, _sentence in told]
    families = (
        errors.Unreadable,
        errors.Refused,
        errors.NotFound,
        errors.Conflict,
        errors.Forbidden,
        errors.NotSignedIn,
        errors.Unavailable,
        errors.Corrupt,
    )
    ours = [
        refusal for family in families for refusal in family.__subclasses__() if refusal.__module__ == "ledger.errors"
    ]
    ours = [refusal for refusal in ours if refusal not in families]
    assert sorted(codes) == sorted(map(code_of, ours))  # tests make some of their own
    assert len(set(codes)) == len(codes)
    assert dict(told)["bid_too_low"] == "*bid* does not beat *standing*."


@pytest.fixture(scope="module")
def club() -> tuple[Book, list[str]]:
    """A club whose nights are in every state that a command may find, and ids of commands that it carried out."""
    return a_club()


@pytest.mark.parametrize("kind", [*NIGHT_COMMANDS, *CLUB_COMMANDS])
def test_a_command_is_refused_with_what_it_is_said_to_be_refused_with(kind: str, club: tuple[Book, list[str]]) -> None:
    book, ids = club
    found: set[str] = set()
    for data in candidates(kind, ids):
        for night in NIGHTS if kind in NIGHT_COMMANDS and kind != "OpenNight" else [None]:
            (verdict,) = book.carry_out(book.request(kind, night, data=data), dry_run=True)
            found.add(re.sub("^bid_needs_.*", "bid_needs_BID", str(verdict.get("code") or verdict["status"])))
    said = set(REFUSED_WITH[kind].split())
    elsewhere = {"Shapes", "Hands", "The auction"} if kind in TELLS_A_HAND else {"Shapes"}
    by_section = refusals_by_section()
    beside = {code_of(refusal) for title, refusal in by_section if title in elsewhere} | {"night_closed", "preview"}
    assert found - beside == said - beside
    assert said <= found
    assert ("night_closed" in found) == (kind in NIGHT_COMMANDS and kind not in STILL_ALLOWED)


STILL_ALLOWED = ("OpenNight", "RecordHand", "Undo", "Dispute", "ResolveDispute", "AddNote", "ReopenNight")
"""What README.md says may be done in a night that is closed."""

COMMANDS: Mapping[str, Any] = {**NIGHT_COMMANDS, **CLUB_COMMANDS}
FOUR = ["ann", "bob", "cal", "dot"]
TWO = {"bidder": "ann", "bid": "two", "made": True}
FAILED = {**TWO, "made": False}

TABLES = {
    "old": ("rockets-peep-nap", {}),  # two closed nights, and one with a hand in progress
    "gone": ("rockets-peep-nap", {}),  # closed
    "right": ("rockets-peep-nap", {}),  # a closed night that was corrected
    "again": ("rockets-peep-nap", {}),  # a night that was opened again
    "free": ("rockets-peep-nap", {}),  # a closed night
    "drawn": ("peel-kitty-nap", {"at_close": "draw"}),  # a pool, and an auction that is over
    "cards": ("rockets-purchase-nap", {"dealer_sits_out_from": 5}),  # a hand taken out, cards bought
    "few": ("rockets-napoleon", {}),  # one player
    "many": ("rockets-pepper", {}),  # five players
    "low": ("foster-peep-nap", {}),  # a dispute; the dealer must bid
    "high": ("foster-peep-nap", {}),  # a bid that nothing beats
    "first": ("rockets-pepper", {"pepper_round": 1}),  # eldest must bid
    "idle": ("rockets-pepper", {}),
}
NIGHTS = ["old-1", "old-2", "old-3", "gone", "right", "again", "free", "drawn", "cards", "few", "many", "low", "high"]
NIGHTS += ["first"]


def a_club() -> tuple[Book, list[str]]:
    book = Book(members=[*FOUR, "eve", "fay", "gus", "hal", "ida"])
    ids: list[str] = []

    def done(kind: str, night: str | None = None, /, **data: Any) -> None:
        request = book.request(kind, night, data={key.rstrip("_"): value for key, value in data.items()})
        (verdict,) = book.carry_out(request)
        assert verdict["status"] in ("recorded", "late"), verdict
        if kind in ("CloseNight", "RecordPayment") or verdict["status"] == "late":
            ids.append(request["id"])

    def opened(table: str, night: str, *more: str) -> None:
        done("OpenNight", table=table, night=night, players=[*FOUR, *more], dealer=[*FOUR, *more][-1])

    def closed(table: str, night: str) -> None:
        opened(table, night)
        done("RecordHand", night, hand=1, peeks=["ann"], **TWO)
        done("CloseNight", night, pool="carry")

    done("ArchiveMember", member="fay")
    done("MergeMembers", from_="hal", into="ann")
    done("StartSeason", season="spring", name="Spring")
    done("StartSeason", season="autumn", name="Autumn")
    done("EndSeason", season="spring")
    for table, (rulebook, house_rules) in TABLES.items():
        done("OpenTable", table=table, name=table, rulebook=rulebook, house_rules=house_rules)
    for table, night in (
        ("old", "old-1"),
        ("old", "old-2"),
        *((name, name) for name in ("gone", "right", "again", "free")),
    ):
        closed(table, night)
    done("CloseTable", table="gone")
    done("CorrectClosedHand", night="right", hand=1, facts=FAILED, reason="x")
    for night, player in (("again", "ida"), ("free", "gus"), ("free", "nobody"), ("old-1", "ida")):
        done("RecordHand", night, hand=2, players=["ann", player], peeks=["ann"], **TWO)
    done("RecordPayment", from_="ann", to="bob", amount=1, night="old-2")
    done("RecordPayment", from_="ann", to="till", amount=1, night="old-2")
    done("ReversePayment", payment=ids[-1], reason="x")
    done("EraseMember", member="gus")
    done("ReopenNight", "again", reason="x")
    opened("old", "old-3")
    done("Peek", "old-3", hand=1, player="ann")
    done("Bid", "old-3", hand=1, player="ann", bid="two")
    opened("drawn", "drawn")
    done("RecordHand", "drawn", hand=1, **TWO)
    opened("cards", "cards", "eve")
    done("RecordHand", "cards", hand=1, **TWO)
    done("VoidHand", "cards", hand=1, reason="x")
    done("BuyCards", "cards", hand=2, player="ann", cards=1)
    opened("few", "few")
    for player in ("bob", "cal", "dot"):
        done("UnseatPlayer", "few", player=player)
    opened("many", "many", "eve")
    opened("low", "low", "eve")
    done("RecordHand", "low", hand=1, **TWO)
    done("Dispute", "low", hand=1)
    for player in ("bob", "cal", "dot"):
        done("Pass", "low", hand=2, player=player)
    opened("high", "high")
    done("Peek", "high", hand=1, player="ann")
    done("Bid", "high", hand=1, player="ann", bid="nap")
    opened("first", "first")
    return book, ids


MEMBERS = [*FOUR, "eve", "fay", "gus", "nobody"]
VALUES: Mapping[str, list[Any]] = {
    **dict.fromkeys(("player", "member", "from", "to", "into"), MEMBERS),
    "players": [FOUR, *(["ann", other] for other in ("bob", "fay", "gus", "hal", "nobody"))],
    "dealer": ["ann", "eve"],
    "hand": [1, 2, 3],
    "from_hand": [None, 1, 9],
    "table": ["free", "idle", "gone", "old", "none"],
    "night": ["old-1", "old-2", "right", "low", "none"],
    "bid": ["one", "two", "four", "nap", "wellington", "none"],
    "cards": [1],
    "chips": [1],
    "paid": [0, 5],
    "taken": [True],
    "made": [True],
    "facts": [TWO, *({"players": [*FOUR[:3], other], "passed_out": True} for other in ("dot", "fay", "gus", "nobody"))],
    "reason": ["x"],
    "version": [None, 1],
    "rulebook": ["rockets-peep-nap", "rockets-pepper", "none"],
    "house_rules": [None, {"none": 1}, {"tricks": 3}, {"peek": -1}],
    "counts": [{"ann": 1}, {"nobody": 1}, {"pool": 1}],
    "gap": ["leave"],
    "pool": [None, "split", {"to": "ann"}, {"to": "gus"}, {"to": "nobody"}],
    "name": ["x"],
    "number": [None, 1],
    "season": ["spring", "autumn", "none"],
    "club": ["x"],
    "amount": [1],
    "amount_each": [1],
    "unit": [None, "GBP", "chips:idle.1"],
    "banker": [None, "bob", "fay", "gus", "nobody"],
    "money": [None, {"currency": "GBP", "chip": 5}],
}
OF_ITS_OWN: Mapping[str, Mapping[str, list[Any]]] = {
    "AddMember": {"member": [None, "ann"]},
    "AddNote": {"note": ["x"]},
    "ChangeTable": {"pool": [None, "keep_worth"]},
    "OpenNight": {"night": [None, "old-1"], "pool": [None], "banker": [None]},
    "OpenTable": {"table": [None, "old"]},
    "PostAdjustment": {"night": [None, "old-1", "none"], "hand": [None, 1, 9]},
    "RecordPayment": {"night": [None, "old-1", "none"]},
    "PublishRulebook": {"rulebook": [{**preset("penny-nap").raw, "id": "ours"}]},
}


def candidates(kind: str, ids: list[str]) -> Iterator[dict[str, Any]]:
    """Yield every combination of a few values for each key of a command."""
    commands = [*ids, "00000000-0000-4000-8000-00000000ffff"]
    known = {**VALUES, **dict.fromkeys(("command", "payment"), commands), **OF_ITS_OWN.get(kind, {})}
    keys = readers_of(COMMANDS[kind])
    for values in itertools.product(*(known.get(key, [None]) for key in keys)):
        data = {key: value for key, value in zip(keys, values, strict=True) if value is not None}
        yield {"hand": data["hand"], **data["facts"]} if kind == "RecordHand" else data
