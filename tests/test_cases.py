"""The shared night sheets: every one of them comes to what it says it must come to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ledger.cli import main
from ledger.sheet import differences, score

CASES = Path(__file__).parent / "cases"
FILES = sorted(CASES.glob("*.jsonl"))
SHEETS = [json.loads(line) for file in FILES for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet["id"])
def test_a_shared_sheet_comes_to_what_it_says(sheet: dict[str, Any]) -> None:
    assert differences(sheet["expect"], score(sheet)) == []


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet["id"])
def test_a_shared_sheet_says_what_every_hand_comes_to(sheet: dict[str, Any]) -> None:
    hands = sheet["expect"]["hands"]
    assert len(hands) == len(sheet["hands"])
    assert all("changes" in hand for hand in hands)


def test_every_sheet_has_an_id_of_its_own() -> None:
    ids = [sheet["id"] for sheet in SHEETS]
    assert len(set(ids)) == len(ids) > 80


def test_the_command_line_finds_no_difference_either() -> None:
    result = CliRunner().invoke(main, ["score", "--check", *map(str, FILES)])
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"{len(SHEETS)} sheets, {len(SHEETS)} as expected, 0 not\n"


@pytest.mark.parametrize("key", ["changes", "pool", "balances"])
def test_a_chip_too_many_anywhere_is_a_difference(key: str) -> None:
    sheet = next(sheet for sheet in SHEETS if "balances" in sheet["expect"] and "games" not in sheet["expect"])
    expect = json.loads(json.dumps(sheet["expect"]))
    if key == "changes":
        expect["hands"][-1]["changes"][sheet["players"][-1]] += 1
    elif key == "balances":
        expect["balances"][sheet["players"][0]] -= 1
    else:
        expect["pool"] += 1
    assert len(differences(expect, score(sheet))) == 1
