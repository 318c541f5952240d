"""Every number, switch and word of a preset shows in one of its own examples or in a shared case.

Each is changed in turn, defaults included; a change that no example notices is a rule that nobody has checked.
"""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from ledger.errors import LedgerError
from ledger.rulebook import Rulebook, read
from ledger.rulebooks import preset, preset_ids, preset_text
from ledger.sheet import differences, score

Data = dict[str, Any]
Steps = tuple[str | int, ...]

CASES = [
    json.loads(line)
    for file in sorted((Path(__file__).parent / "cases").glob("*.jsonl"))
    for line in file.read_text(encoding="utf-8").splitlines()
    if line.strip()
]

ENUMS: Final[dict[str, tuple[Any, ...]]] = {
    "all_pass": ("redeal_next", "redeal_same", "dealer_min", "eldest_min", "double_next"),
    "rounds": (1, "until_passed"),
    "on_fail_pool": ("none", "double", "per_player", {"fixed": 2}),
    "per": ("card", "hand"),
    "join_fee": ("opening", "none", "fair_share"),
    "failed_pot": ("carry", "refund"),
    "at_close": ("carry", "split", "draw"),
    "to": ("bidder", "pool"),
    "both_reach": ("play_on", "higher", "bidder"),
    "swept": ("lose_bid", "nothing"),
}
SWITCHED_ON: Final[dict[str, tuple[Any, ...]]] = {
    "peek": (1,),
    "buy": ({"price": 1, "per": "card"},),
    "widow": ({"fail_pays": 5, "on_fail_pool": "none"},),
    "defenders": (1, 7),
}
"""What an optional key that is left out is set to."""


class Unseen(NamedTuple):
    """A key that shows in no hand of a rulebook for which ``when`` is so, however it is changed."""

    key: str
    reason: str
    when: Callable[[Data, Any, Any], bool] = lambda _book, _old, _new: True


UNSEEN: Final = (
    Unseen("pool.at_close", "what becomes of the pool when a night closes; a sheet is never closed"),
    Unseen("bids.*.trumps", "for the screens: it moves nothing"),
    Unseen("fines.*", "there are no chips to fine in Pepper", lambda book, _old, _new: pepper(book)),
    Unseen("pool.refund_on_misdeal", "neither peeks nor purchases", lambda book, _old, _new: sells_nothing(book)),
    Unseen("pool.revoke_awards_pool", "no bid takes the pool", lambda book, _old, _new: not takes_pool(book)),
    Unseen("pool.failed_pot", "nobody stakes", lambda book, _old, _new: not stakes(book)),
    Unseen(
        "pool.stakes_stand_when_passed",
        "nobody stakes, or somebody must bid",
        lambda book, _old, _new: not stakes(book) or must_bid(book),
    ),
    Unseen(
        "pool.join_fee",
        "an opening stake of nothing is no fee",
        lambda book, old, new: not book["pool"]["opening_stake"] and {old, new} == {"opening", "none"},
    ),
    Unseen(
        "table.dealer_out_pays", "no dealer ever sits out", lambda book, _old, _new: not book["table"][SITS_OUT_FROM]
    ),
    Unseen(
        "auction.nap_may_raise",
        "nothing beats what a Nap is overcalled with, so there is nothing to raise to",
        lambda book, _old, _new: not may_raise(book),
    ),
    Unseen(
        "auction.all_pass",
        "there are no chips to double in Pepper",
        lambda book, old, new: pepper(book) and {old, new} == {"redeal_next", "double_next"},
    ),
    Unseen(
        "bids.*.exactly",
        "all the tricks there are: 'at least' and 'exactly' are the same",
        lambda book, old, _new: old is False and any(bid["tricks"] == book["table"]["tricks"] for bid in book["bids"]),
    ),
    Unseen(
        "score.dirty_clubs",
        "nobody may surrender or be granted a trick anyway",
        lambda book, _old, _new: not book["score"]["surrender"] and not book["score"]["negotiate"],
    ),
)
SITS_OUT_FROM: Final = "dealer_sits_out_from"


def pepper(book: Data) -> bool:
    return bool(book["family"] == "pepper")


def sells_nothing(book: Data) -> bool:
    return not book["pool"]["peek"] and book["pool"]["buy"] is None


def takes_pool(book: Data) -> bool:
    return any(bid["takes_pool"] for bid in book["bids"])


def stakes(book: Data) -> bool:
    return any(book["pool"][key] for key in ("opening_stake", "ante", "dealer_stake"))


def may_raise(book: Data) -> bool:
    """Tell whether a bid that is only made over another one may itself be beaten."""
    return any(
        higher["over"] in (None, bid["id"])
        for index, bid in enumerate(book["bids"])
        if bid["over"]
        for higher in book["bids"][index + 1 :]
    )


def must_bid(book: Data) -> bool:
    return book["auction"]["all_pass"] in {"dealer_min", "eldest_min"}


class Mutant(NamedTuple):
    """A rulebook that differs in one thing."""

    key: str
    old: Any
    new: Any
    raw: Data


@pytest.mark.parametrize("rulebook", preset_ids())
def test_a_change_anywhere_in_a_preset_shows_in_an_example(rulebook: str) -> None:
    sheets = sheets_of(rulebook)
    survivors = [
        f"{mutant.key}: {mutant.old!r} -> {mutant.new!r}"
        for mutant, book in mutants_of(rulebook)
        if not is_noticed(book, sheets) and not is_unseen(preset(rulebook), mutant)
    ]
    assert survivors == []


@pytest.mark.parametrize("rulebook", preset_ids())
def test_unchanged_a_preset_passes_its_own_examples(rulebook: str) -> None:
    assert not is_noticed(preset(rulebook), sheets_of(rulebook))


@pytest.mark.parametrize("unseen", UNSEEN, ids=lambda unseen: unseen.key)
def test_what_is_said_to_be_unseen_is_in_some_preset(unseen: Unseen) -> None:
    assert any(
        matches(unseen, mutant.key) and unseen.when(effective_of(rulebook), mutant.old, mutant.new)
        for rulebook in preset_ids()
        for mutant in (*changed_effective(effective_of(rulebook)), *shortened_file(rulebook))
    )


# The sheets


def sheets_of(rulebook: str) -> list[Data]:
    """The examples of a preset and the shared cases that are played by it."""
    examples = [
        {key: value for key, value in example.items() if key != "name"} for example in preset(rulebook).examples
    ]
    cases = [{key: value for key, value in case.items() if key != "id"} for case in CASES]
    return [*examples, *(case for case in cases if case["rulebook"] == rulebook)]


def is_noticed(book: Rulebook, sheets: list[Data]) -> bool:
    """Tell whether a sheet does not come to what it expects; the one that noticed is asked first the next time."""
    for index, sheet in enumerate(sheets):
        if differences(sheet["expect"], score({**sheet, "rulebook": "it"}, lambda _name: book)):
            sheets.insert(0, sheets.pop(index))
            return True
    return False


# The changes


def mutants_of(rulebook: str) -> Iterator[tuple[Mutant, Rulebook]]:
    """Every change of one thing that leaves a rulebook, and another one than it was."""
    digest = preset(rulebook).digest
    for mutant in (*changed_effective(effective_of(rulebook)), *shortened_file(rulebook)):
        try:
            book = read(mutant.raw)
        except LedgerError:
            continue
        if book.digest != digest:
            yield mutant, book


def effective_of(rulebook: str) -> Data:
    effective: Data = json.loads(preset(rulebook).canonical)
    return effective


def changed_effective(book: Data) -> Iterator[Mutant]:
    """Everything that scores, defaults included, changed in turn; the ladder in another order, or without a rung."""
    for steps, old in places(book):
        for new in others(book, steps, old):
            yield Mutant(key_of(book, steps), old, new, replaced(book, steps, new))
    ids = [bid["id"] for bid in book["bids"]]
    for index, bid in enumerate(ids):
        without = copy.deepcopy(book)
        del without["bids"][index]
        yield Mutant("bids", ids, f"without {bid}", without)
        if index:
            swapped = copy.deepcopy(book)
            swapped["bids"].insert(index - 1, swapped["bids"].pop(index))
            yield Mutant("bids", ids, f"{bid} below {ids[index - 1]}", swapped)


def shortened_file(rulebook: str) -> Iterator[Mutant]:
    """The file as it is written, with one key left out, or another cost of failing in Pepper."""
    raw = tomllib.loads(preset_text(rulebook))
    del raw["examples"]
    for steps, old in places(raw):
        yield Mutant(key_of(raw, steps), old, "left out", replaced(raw, steps, None, remove=True))
    if raw["family"] == "pepper":
        fail = raw["score"].get("fail", "bid")
        for new in ("bid", 5, 6, 7):
            if new != fail:
                yield Mutant("score.fail", fail, new, replaced(raw, ("score", "fail"), new))


def others(book: Data, steps: Steps, old: Any) -> Iterator[Any]:
    """The other values that a key may have, those next to it where it is a number."""
    key = str(steps[-1])
    ladder = [bid["id"] for bid in book["bids"]]
    if key in ENUMS and not (isinstance(old, dict) and "fixed" in old):
        yield from (value for value in ENUMS[key] if value != old)
    elif key == "on_fail_pool":
        yield from (*ENUMS[key][:-1], {"fixed": old["fixed"] + 1}, {"fixed": old["fixed"] - 1})
    elif key == "minimum_bid":
        yield from (bid for bid in ladder if bid != old)
    elif key == "over":
        yield from (bid for bid in (None, *ladder) if bid != old)
    elif key == SITS_OUT_FROM:
        fewest, most = book["table"]["players"]
        yield from (number for number in (None, *range(max(3, fewest), most + 1)) if number != old)
    elif key == "negotiate":
        left = {bid["id"]: book["table"]["tricks"] - bid["tricks"] for bid in book["bids"]}
        yield {**{bid: 1 for bid in ladder if left[bid]}, **old}
        yield from ({other: tricks for other, tricks in old.items() if other != bid} for bid in old)
    elif isinstance(old, bool):
        yield not old
    elif isinstance(old, int):
        yield from (old + 1, old - 1)
        if key in SWITCHED_ON:
            yield None
    elif key in SWITCHED_ON:
        yield from SWITCHED_ON[key] if old is None else (None,)


def places(data: Any, steps: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Every place of a rulebook that holds a value, and those that hold a value of several parts."""
    for step, value in data.items() if isinstance(data, dict) else enumerate(data):
        if step in {"id", "title", "family", "source", "notes", "unattested"}:
            continue
        yield (*steps, step), value
        if isinstance(value, dict | list):
            yield from places(value, (*steps, step))


def replaced(book: Data, steps: Steps, new: Any, *, remove: bool = False) -> Data:
    """The same rulebook with one value in place of another, or without it."""
    changed: Any = copy.deepcopy(book)
    place = changed
    for step in steps[:-1]:
        place = place[step]
    if remove:
        del place[steps[-1]]
    else:
        place[steps[-1]] = new
    return changed  # type: ignore[no-any-return]


def key_of(book: Data, steps: Steps) -> str:
    """The dotted path, with the id of a bid in place of its row."""
    named = [
        book["bids"][step]["id"] if index == 1 and steps[0] == "bids" else step for index, step in enumerate(steps)
    ]
    return ".".join(map(str, named))


# What cannot be seen


def is_unseen(book: Rulebook, mutant: Mutant) -> bool:
    effective = dict(book.effective)
    if mutant.key.startswith("bids.") and mutant.key.count(".") == 2:  # the other rows do not speak for this one
        bid = mutant.key.split(".")[1]
        effective["bids"] = [row for row in effective["bids"] if row["id"] == bid]
    return any(matches(unseen, mutant.key) and unseen.when(effective, mutant.old, mutant.new) for unseen in UNSEEN)


def matches(unseen: Unseen, key: str) -> bool:
    pattern, parts = unseen.key.split("."), key.split(".")
    if pattern[-1] == "*":
        return parts[: len(pattern) - 1] == pattern[:-1]
    return len(pattern) == len(parts) and all(want in ("*", found) for want, found in zip(pattern, parts, strict=True))
