"""The rulebooks that come with Kittybook: all there, titled, sourced, and right by their own examples."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ledger.rulebooks import preset, preset_ids
from ledger.sheet import EXAMPLES_NEEDED, check_examples

PRESETS = {
    "bicycle-sir-garnet": (2, 6),
    "britannica-nap": (2, 7),
    "eb1911": (2, 7),
    "floater-holmes": (2, 7),
    "foster-american": (2, 6),
    "foster-english": (2, 6),
    "foster-napoleon": (2, 6),
    "foster-peep-nap": (2, 6),
    "foster-pool-nap": (2, 6),
    "foster-purchase-nap": (2, 6),
    "foster-widow-nap": (2, 6),
    "pagat-nap": (2, 7),
    "pagat-pepper": (4, 4),
    "pagat-purchase-nap": (2, 7),
    "peel-kitty-nap": (2, 6),
    "peel-spare-hand": (2, 6),
    "penny-nap": (2, 6),
    "rockets-napoleon": (2, 10),
    "rockets-peep-nap": (2, 10),
    "rockets-pepper": (4, 4),
    "rockets-pool-nap": (2, 10),
    "rockets-purchase-nap": (2, 10),
    "russian-napoleon": (2, 7),
    "simple-pepper": (4, 4),
    "wolf-pepper": (4, 4),
}
"""Every preset that is promised, with the fewest and the most players."""

CASES = [
    json.loads(line)
    for file in sorted((Path(__file__).parent / "cases").glob("*.jsonl"))
    for line in file.read_text(encoding="utf-8").splitlines()
    if line.strip()
]

every_preset = pytest.mark.parametrize("name", PRESETS)


def test_all_presets_are_there_and_no_other() -> None:
    assert preset_ids() == tuple(PRESETS)


@every_preset
def test_a_preset_is_called_after_its_file(name: str) -> None:
    assert preset(name).id == name


@every_preset
def test_a_preset_takes_as_many_players_as_its_source(name: str) -> None:
    assert preset(name).players == PRESETS[name]


@every_preset
def test_a_preset_has_titles_in_english_and_russian_and_a_source(name: str) -> None:
    book = preset(name)
    for title in (book.title, *(bid.title for bid in book.bids)):
        assert title.keys() >= {"en", "ru"}
        assert re.search(r"[a-z]", title["en"])
        assert re.search(r"[а-яё]", title["ru"])
    assert book.source
    assert book.notes


def test_no_two_presets_have_the_same_title() -> None:
    for language in ("en", "ru"):
        assert len({preset(name).title[language] for name in PRESETS}) == len(PRESETS)


@every_preset
def test_the_examples_of_a_preset_come_out(name: str) -> None:
    assert check_examples(preset(name)) == []


@every_preset
def test_a_preset_has_examples_enough_each_with_a_name_of_its_own(name: str) -> None:
    names = [example["name"] for example in preset(name).examples]
    assert len(set(names)) == len(names) >= EXAMPLES_NEEDED


@every_preset
def test_examples_show_every_bid_made_and_failed(name: str) -> None:
    book = preset(name)
    shown = set()
    for example in book.examples:
        for facts, expected in zip(example["hands"], example["expect"].get("hands", []), strict=False):
            bid = facts.get("bid", expected.get("bid"))
            tricks, made = facts.get("tricks"), facts.get("made")
            if bid is not None and not {"revoke", "foul", "surrendered", "granted"} & facts.keys():
                shown.add((bid, made if tricks is None else book.bids_by_id[bid].made_with(tricks)))
    assert shown >= {(bid.id, made) for bid in book.bids for made in (True, False)}


@every_preset
def test_no_example_is_a_copy_of_a_shared_case(name: str) -> None:
    cases = {_plain(case): case["id"] for case in CASES if case["rulebook"] == name}
    copies = {example["name"]: cases.get(_plain(example)) for example in preset(name).examples}
    assert {example: case for example, case in copies.items() if case is not None} == {}


def _plain(sheet: Mapping[str, Any]) -> str:
    """Return what is played in a sheet, whatever its players are called."""
    told: dict[str, Any] = {"pool": 0, "stake": 1, "house_rules": {}, "scores": {}}
    told |= {key: sheet[key] for key in (*told, "players", "dealer", "hands") if key in sheet}
    text = json.dumps(told, sort_keys=True)
    names = dict.fromkeys(sheet["players"])
    seats = {player: f"seat {number}" for number, player in enumerate(names)}
    return re.sub(r'"([^"]*)"', lambda found: json.dumps(seats.get(found[1], found[1])), text)


@every_preset
def test_rebuilt_rows_are_explained_in_the_notes(name: str) -> None:
    book = preset(name)
    if any(bid.unattested for bid in book.bids):
        assert re.search(r"\b(lost|rebuilt|reconstruct|unattested)", book.notes, re.IGNORECASE)
