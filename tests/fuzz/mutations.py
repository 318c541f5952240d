"""Spoils data: from what is valid, by a few wrong strokes. Every choice is asked of ``pick``, so that any source of
chance will do: hypothesis, a seed, the bytes of a fuzzer.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any, Final

from ledger.errors import LedgerError
from ledger.hands import Hand
from ledger.rulebook import read
from ledger.sheet import differences, score

Data = dict[str, Any]
Pick = Callable[[int], int]
"""Returns a number from 0 to below the one it is given."""

JUNK: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, -1, 2, 3, 5, 6, 26, 10**9, 10**9 + 1, -(10**9), 2**53, 10**30, 0.5, 2.0, float("inf"),
    float("nan"), "", " ", "A", "B", "a", "ann", "bob", "N+S", "pass", "one", "nap", "wellington", "blucher", "misere",
    "four_with", "double", "per_player", "none", "pool", "bidder", "clubs", "opponent", "both", "redeal_same",
    "dealer_min", "double_next", "until_passed", "rockets-peep-nap", "wolf-pepper", "\ud800", "\0", "\u202e", "é",
    "e\u0301", "x" * 300, [], {}, [[]], [None], ["A"], ["A", "A"], ["ann", "bob"], [["ann", "nap"]], [["ann", "pass"]],
    {"A": 1}, {"ann": 2}, {"fixed": 2}, {"price": 1, "per": "hand"}, {"fail_pays": 3}, {"chips": 3, "to": "pool"},
    {"nap": 1},
)  # fmt: skip
KEYS: Final = (
    *Hand._fields, "id", "rulebook", "house_rules", "stake", "pool", "scores", "hands", "expect", "family", "table",
    "tricks", "auction", "minimum_bid", "all_pass", "rounds", "over", "pays", "collects", "takes_pool", "on_fail_pool",
    "exactly", "defenders", "buy", "peek", "widow", "ante", "opening_stake", "dealer_stake", "join_fee", "failed_pot",
    "score", "target", "negotiate", "pepper_round", "stakes", "teams", "fines", "examples", "bids.nap.pays", "nonsense",
)  # fmt: skip


def spoil(data: Any, pick: Pick, strokes: int) -> Any:
    """The same data with so many things replaced, removed, added, doubled or moved."""
    spoilt = copy.deepcopy(data)
    for _ in range(strokes):
        place, step = _place(spoilt, pick)
        if place is None:
            spoilt = _junk(pick)
            continue
        match pick(8):
            case 0 | 1 | 2:
                place[step] = _junk(pick)
            case 3:
                del place[step]
            case 4 if isinstance(place, dict):
                place[KEYS[pick(len(KEYS))]] = _junk(pick)
            case 4:
                place.insert(step, _junk(pick))
            case 5 if isinstance(place, dict):
                place[KEYS[pick(len(KEYS))]] = place.pop(step)
            case 5:
                place.append(copy.deepcopy(place[step]))
            case 6:
                other, elsewhere = _place(spoilt, pick)
                if other is not None:
                    place[step] = copy.deepcopy(other[elsewhere])
            case _:
                place[step] = _near(place[step], pick)
    return spoilt


def _place(data: Any, pick: Pick) -> tuple[Any, Any]:
    """Somewhere in the data: what holds it, and under which key; nothing where there is no inside."""
    place, step = None, None
    inside = data
    while isinstance(inside, dict | list) and inside and (place is None or pick(5)):
        place = inside
        step = list(inside)[pick(len(inside))] if isinstance(inside, dict) else pick(len(inside))
        inside = place[step]
    return place, step


def _junk(pick: Pick) -> Any:
    return copy.deepcopy(JUNK[pick(len(JUNK))])


def _near(value: Any, pick: Pick) -> Any:
    """Something like it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + (-1, 1, 10, -(value or 0) * 2, value)[pick(5)]
    if isinstance(value, str):
        return (value + " ", value.upper(), value[:-1], value + "\u0301", f"{value}.{value}")[pick(5)]
    if isinstance(value, list):
        return [*value[::-1], *value[:1]]
    if isinstance(value, dict):
        return {key: value[key] for key in list(value)[: pick(len(value) + 1)]}
    return [value]


# What must hold whatever comes in


def check_sheet(sheet: Any) -> None:
    """Score a sheet, good or bad: an answer or an error object, JSON both, with every chip somewhere."""
    answer = score(sheet)
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    expect = sheet.get("expect") if isinstance(sheet, dict) else None
    differences(expect if isinstance(expect, dict) else {}, answer)
    if "error" in answer:
        assert set(answer) == {"id", "error"}
        assert set(answer["error"]) == {"code", "detail", "hand"}
        assert answer["error"]["detail"].isprintable()
    elif "games" not in answer:
        assert sum(answer["balances"].values()) + answer["pool"] == int(sheet.get("pool", 0))
        assert all(-(2**53) < chips < 2**53 for chips in (*answer["balances"].values(), answer["pool"]))
        pool = int(sheet.get("pool", 0))
        for hand in answer["hands"]:
            assert sum(hand["changes"].values()) + hand["pool"] == pool
            assert hand["pool"] >= 0
            pool = hand["pool"]


def check_rulebook(data: Any) -> bool:
    """Tell whether a rulebook is read: if it is, it is the same when it is read again."""
    try:
        book = read(data)
    except LedgerError as error:
        return not is_in_words(error)
    again = read(json.loads(book.canonical))
    assert again.digest == book.digest
    assert again.canonical == book.canonical
    return True


def is_in_words(error: LedgerError) -> bool:
    assert error.detail.isprintable()
    assert error.detail.endswith((".", "?"))
    return True
