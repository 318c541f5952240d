"""README.md says what is true: commands, output, examples, and what is generated."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from ledger.cli import main
from ledger.rulebook import Rulebook, apply_house_rules, switches
from ledger.rulebooks import preset, preset_ids
from ledger.sheet import read_sheet, score
from scripts.docs import command_help

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
EVENING = ROOT / "tests" / "evenings" / "peep-nap-evening.json"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


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
    reference = README.partition("## Commands\n")[2].partition("\n## ")[0]
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
