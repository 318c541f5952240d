"""Arbitrary JSON, spoilt sheets, spoilt rulebooks, spoilt text: refused in words or scored, and nothing else."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.cli.reading import decoded
from ledger.errors import LedgerError, RulebookInvalid
from ledger.hands import facts_of, read_hand
from ledger.rulebook import apply_house_rules, parse, switches
from ledger.rulebooks import preset, preset_text
from tests.fuzz.mutations import JUNK, KEYS, check_rulebook, check_sheet, is_in_words, spoil
from tests.fuzz.nights import GAMES, night, rulebook_data

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(JUNK),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text() | st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)
SEEDS = st.integers(0, 2**64)


@given(sheet=JSON)
def test_arbitrary_json_is_no_sheet_and_is_refused(sheet: Any) -> None:
    check_sheet(sheet)


@given(facts=st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6), rulebook=st.sampled_from(GAMES))
def test_arbitrary_facts_are_refused_or_scored(facts: Any, rulebook: str) -> None:
    check_sheet({"rulebook": rulebook, "players": ["A", "B", "C", "D"], "dealer": "A", "hands": [facts]})


@given(data=JSON)
def test_arbitrary_json_is_no_rulebook(data: Any) -> None:
    check_rulebook(data)


@given(raw=st.binary(max_size=200))
def test_arbitrary_bytes_are_refused_or_read(raw: bytes) -> None:
    document = decoded(raw, "somewhere")
    assert isinstance(document, LedgerError) or json.dumps(document)


@given(text=st.text(max_size=200))
def test_arbitrary_text_is_no_rulebook(text: str) -> None:
    with pytest.raises(RulebookInvalid):
        parse(text)


@given(game=st.sampled_from(GAMES), seed=SEEDS, strokes=st.integers(1, 6), inline=st.booleans())
def test_a_spoilt_sheet_is_refused_or_scored(game: str, seed: int, strokes: int, inline: bool) -> None:
    sheet = night(game, seed % 50, 1 + seed % 4, edge=True)
    if inline:
        sheet["rulebook"] = {**rulebook_data(game), "examples": []}
    check_sheet(spoil(sheet, random.Random(seed).randrange, strokes))


@given(game=st.sampled_from(GAMES), seed=SEEDS, strokes=st.integers(1, 6))
def test_a_spoilt_hand_is_refused_or_survives_being_written(game: str, seed: int, strokes: int) -> None:
    for facts in night(game, seed % 50, 4, edge=True)["hands"]:
        try:
            hand = read_hand(spoil(facts, random.Random(seed).randrange, strokes))
        except LedgerError:
            continue
        assert read_hand(json.loads(json.dumps(facts_of(hand)))) == hand


@given(game=st.sampled_from(GAMES), seed=SEEDS, strokes=st.integers(1, 4))
def test_a_spoilt_rulebook_is_refused_or_scores(game: str, seed: int, strokes: int) -> None:
    sheet = night(game, seed % 50, 3, house_rules=0)
    book = spoil({**rulebook_data(game), "examples": []}, random.Random(seed).randrange, strokes)
    if check_rulebook(book):
        check_sheet({**sheet, "rulebook": book})


@given(game=st.sampled_from(GAMES), seed=SEEDS)
def test_arbitrary_house_rules_are_refused_or_make_a_rulebook(game: str, seed: int) -> None:
    rng = random.Random(seed)
    known = sorted(switches(preset(game)))
    rules = {}
    for _ in range(rng.randint(1, 4)):
        switch = rng.choice(known)
        rules[rng.choice((switch, switch.split(".")[-1]))] = rng.choice(JUNK)
    try:
        book = apply_house_rules(preset(game), rules)
    except LedgerError as error:
        refused = error
    else:
        assert check_rulebook(json.loads(book.canonical))
        check_sheet({**night(game, seed % 50, 2, house_rules=0), "house_rules": rules})
        return
    assert is_in_words(refused)
    assert refused.field in rules


@given(game=st.sampled_from(GAMES), seed=SEEDS)
def test_spoilt_text_of_a_rulebook_is_refused_by_name_or_read(game: str, seed: int) -> None:
    rng = random.Random(seed)
    text = preset_text(game).partition("[[examples]]")[0]
    for _ in range(rng.randint(1, 5)):
        at = rng.randrange(len(text))
        text = (
            text[:at]
            + rng.choice(("", "[", "]", '"', "=", "\n", "0", "-", "x", "{", "true", "\0", "é"))
            + text[at + rng.randrange(3) :]
        )
    try:
        book = parse(text, "some.toml")
    except RulebookInvalid as error:
        refused = error
    else:
        assert check_rulebook(dict(book.raw))
        return
    assert is_in_words(refused)
    assert refused.detail.startswith("some.toml")
