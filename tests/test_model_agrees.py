"""The engine and the model in tests/model, written apart from the same documents, come to the same nights.

KITTYBOOK_NIGHTS=20000 plays more of them; HYPOTHESIS_PROFILE=long does too.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from itertools import islice

import pytest

from ledger.sheet import score
from tests.fuzz.nights import GAMES, Data, night, rulebook_data
from tests.model import score as model_score

NIGHTS = int(os.environ.get("KITTYBOOK_NIGHTS") or (20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 300))
FIRST = random.SystemRandom().randrange(2**32) if os.environ.get("KITTYBOOK_NIGHTS") else 0
PER_GAME = -(-NIGHTS // len(GAMES))


@pytest.mark.parametrize("rulebook", GAMES)
def test_engine_and_model_agree_on_random_nights_of(rulebook: str) -> None:
    for seed in range(FIRST, FIRST + PER_GAME):
        assert_agree(night(rulebook, seed, 1 + seed % 12), seed)


@pytest.mark.parametrize("rulebook", GAMES)
def test_engine_and_model_agree_where_people_come_and_go_while_stakes_stand_in(rulebook: str) -> None:
    for seed in range(FIRST, FIRST + PER_GAME // 2):
        assert_agree(night(rulebook, seed, 1 + seed % 12, edge=True, comings=0.3), seed)


@pytest.mark.parametrize("rulebook", GAMES)
def test_engine_and_model_agree_on_one_long_night_of(rulebook: str) -> None:
    assert_agree(night(rulebook, FIRST, 60, unusual=0.5), FIRST)


@pytest.mark.parametrize(
    ("what", "sheet", "changes", "balances"),
    [
        (
            "who left before a new pool was opened pays his way into it when he is back",
            {
                "rulebook": "foster-pool-nap",
                "pool": 4,
                "hands": [
                    {"bidder": "B", "bid": "nap", "made": True},
                    {"players": ["A", "B", "C"], "bidder": "A", "bid": "one", "made": True},
                    {"players": ["A", "B", "C", "D"], "bidder": "A", "bid": "one", "made": True},
                ],
            },
            {"A": 3, "B": -1, "C": -3, "D": -3},
            {"A": -9, "B": 32, "C": -16, "D": -13},
        ),
        (
            "who comes back to the pool that he left pays nothing",
            {
                "rulebook": "foster-pool-nap",
                "pool": 4,
                "hands": [
                    {"bidder": "B", "bid": "one", "made": True},
                    {"players": ["A", "B", "C"], "bidder": "A", "bid": "one", "made": True},
                    {"players": ["A", "B", "C", "D"], "bidder": "A", "bid": "one", "made": True},
                ],
            },
            {"A": 3, "B": -1, "C": -3, "D": -1},
            {"A": 2, "B": -1, "C": -5, "D": -2},
        ),
        (
            "who has left forfeits the stake that stood",
            {
                "rulebook": "russian-napoleon",
                "hands": [
                    {"passed_out": True},
                    {"players": ["A", "B", "C"], "bidder": "B", "bid": "nap", "made": False},
                ],
            },
            {"A": 2, "B": -1, "C": 2},
            {"A": 1, "B": -2, "C": 1, "D": -1},
        ),
        (
            "who is seated and has not played yet stands at nothing",
            {
                "rulebook": "foster-napoleon",
                "hands": [
                    {"players": ["A", "B", "C", "D", "E"], "out": ["E"], "bidder": "B", "bid": "one", "made": True}
                ],
            },
            {"A": -1, "B": 3, "C": -1, "D": -1},
            {"A": -1, "B": 3, "C": -1, "D": -1, "E": 0},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_engine_and_model_once_disagreed_about(what: str, sheet: Data, changes: Data, balances: Data) -> None:
    sheet = {"id": what, "players": ["A", "B", "C", "D"], "dealer": "A", **sheet}
    for answer in (model_score(sheet, rulebook_data(sheet["rulebook"])), score(sheet)):
        assert answer["hands"][-1]["changes"] == changes
        assert answer["balances"] == balances


def assert_agree(sheet: Data, seed: int) -> None:
    """Compare; where they differ, say so with as few hands and facts as show it."""
    if disagreement(sheet):
        smallest = shrunk(sheet)
        pytest.fail(f"seed {seed}: {json.dumps(smallest, ensure_ascii=False)}\n{disagreement(smallest)}")


def disagreement(sheet: Data) -> str:
    """Return the first difference between engine and model, or nothing."""
    engine, model = score(sheet), model_score(sheet, rulebook_data(sheet["rulebook"]))
    if "error" in engine:
        return f"refused: {engine['error']}"
    for ours, theirs in zip(engine["hands"], model["hands"], strict=True):
        if ours != theirs:
            return f"engine {ours}\nmodel  {theirs}"
    for key, theirs in model.items():
        if engine[key] != theirs:
            return f"{key}: engine {engine[key]}, model {theirs}"
    return ""


def shrunk(sheet: Data) -> Data:
    """The same disagreement with less of everything."""
    kind = disagreement(sheet)[:6]
    for _ in range(50):
        smaller = next((other for other in simpler(sheet) if _is_still(other, kind)), None)
        if smaller is None:
            break
        sheet = smaller
    return sheet


def _is_still(sheet: Data, kind: str) -> bool:
    try:
        return disagreement(sheet)[:6] == kind
    except (KeyError, IndexError, ValueError, TypeError, StopIteration):
        return False  # the model takes valid sheets only


def simpler(sheet: Data) -> Iterator[Data]:
    hands = sheet["hands"]
    for index, facts in enumerate(hands):
        yield {**sheet, "hands": [*islice(hands, index), *islice(hands, index + 1, None)]}
        for key in facts:
            less = {other: value for other, value in facts.items() if other != key}
            yield {**sheet, "hands": [*islice(hands, index), less, *islice(hands, index + 1, None)]}
    for switch in sheet.get("house_rules", {}):
        yield {**sheet, "house_rules": {key: value for key, value in sheet["house_rules"].items() if key != switch}}
    for key in ("stake", "scores", "pool"):
        if key in sheet:
            yield {other: value for other, value in sheet.items() if other != key}
