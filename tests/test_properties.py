"""What holds for every night of every game, whatever happened in it."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections import Counter
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ledger import values
from ledger.errors import LedgerError
from ledger.hands import facts_of, read_hand
from ledger.payments import Record
from ledger.play import Carry, play
from ledger.rulebook import apply_house_rules, parse, read
from ledger.rulebooks import preset, preset_text
from ledger.sheet import read_sheet, score
from tests.fuzz.nights import (
    CHIP_GAMES,
    GAMES,
    PEPPER,
    Data,
    nights,
    players_of,
    renamed,
    rulebook_data,
    team_renamed,
)
from tests.model.rules import lay

NAMES = st.text(min_size=1, max_size=20).filter(lambda found: is_name(found) and "+" not in found)


def scored(sheet: Data) -> Data:
    answer = score(sheet)
    assert "error" not in answer, answer
    return answer


def is_name(found: str) -> bool:
    try:
        return values.name(found, "name") == found
    except LedgerError:
        return False


# Chips


@given(sheet=nights(CHIP_GAMES))
def test_changes_and_the_change_of_the_pool_sum_to_zero(sheet: Data) -> None:
    answer = scored(sheet)
    pool = sheet["pool"]
    for hand in answer["hands"]:
        assert sum(hand["changes"].values()) + hand["pool"] - pool == 0
        assert hand["pool"] >= 0
        pool = hand["pool"]
    assert answer["pool"] == pool
    assert sum(answer["balances"].values()) == sheet["pool"] - pool


@given(sheet=nights(CHIP_GAMES))
def test_balances_are_the_sums_of_the_changes(sheet: Data) -> None:
    answer = scored(sheet)
    total: Counter[str] = Counter()
    for hand in answer["hands"]:
        total.update(hand["changes"])
    assert {name: total[name] for name in answer["balances"]} == answer["balances"]


@given(sheet=nights(CHIP_GAMES))
def test_the_entries_of_a_hand_sum_to_zero_and_add_up_to_what_it_changed(sheet: Data) -> None:
    night = read_sheet(sheet)
    carry = night.carry
    for facts in night.hands:
        record: Record = []
        played = play(night.rules, carry, read_hand(facts), record)
        total: Counter[str] = Counter()
        for memo, changes, pool in record:
            assert sum(changes.values()) + pool == 0, memo
            total.update(changes)
        assert {**dict.fromkeys(played.changes, 0), **total} == {**dict.fromkeys(total, 0), **played.changes}
        assert sum(pool for _memo, _changes, pool in record) == played.carry.pool - carry.pool
        assert played._replace(record=[]) == play(night.rules, carry, read_hand(facts))
        carry = played.carry


@given(sheet=nights(CHIP_GAMES), factor=st.integers(2, 7))
def test_a_higher_stake_multiplies_every_change(sheet: Data, factor: int) -> None:
    sheet["pool"] = 0
    if read_sheet(sheet).rules.book.pool.join_fee == "fair_share":  # rounded up to whole chips, so not in proportion
        sheet["house_rules"] = {**sheet.get("house_rules", {}), "join_fee": "opening"}
    one = scored(sheet)
    many = scored({**sheet, "stake": factor * sheet.get("stake", 1)})
    for low, high in zip(one["hands"], many["hands"], strict=True):
        assert high["changes"] == {name: factor * change for name, change in low["changes"].items()}
        assert high["pool"] == factor * low["pool"]


@given(sheet=nights(CHIP_GAMES), seed=st.integers(0, 99))
def test_the_order_in_which_peeks_and_purchases_are_logged_changes_nothing(sheet: Data, seed: int) -> None:
    rng = random.Random(seed)
    logged = copy.deepcopy(sheet)
    for facts in logged["hands"]:
        for key in ("peeks", "led_out_of_turn", "played_out_of_turn", "out"):
            if key in facts:
                rng.shuffle(facts[key])
        if "bought" in facts:
            facts["bought"] = dict(rng.sample(list(facts["bought"].items()), len(facts["bought"])))
    assert scored(logged) == scored(sheet)


@given(sheet=nights(CHIP_GAMES), turn=st.integers(1, 9))
def test_a_round_table_has_no_first_seat(sheet: Data, turn: int) -> None:
    def turned(players: list[str]) -> list[str]:
        start = turn % len(players)
        return players[start:] + players[:start]

    other = {**sheet, "players": turned(sheet["players"])}
    other["hands"] = [
        {**facts, "players": turned(facts["players"])} if "players" in facts else facts for facts in sheet["hands"]
    ]
    assert scored(other) == scored(sheet)


@given(sheet=nights(CHIP_GAMES, house_rules=0))
def test_only_who_is_named_in_a_hand_is_at_home_in_its_changes(sheet: Data) -> None:
    seats = sheet["players"]
    for facts, hand in zip(sheet["hands"], scored(sheet)["hands"], strict=True):
        seats = facts.get("players", seats)
        assert set(hand["changes"]) == set(seats) - set(facts.get("out", []))
        assert hand["dealer"] in seats


# Pepper


@given(sheet=nights(PEPPER))
def test_at_most_one_team_loses_points_in_a_hand_of_pepper(sheet: Data) -> None:
    for hand in scored(sheet)["hands"]:
        assert len(hand["changes"]) == 2
        assert sum(points < 0 for points in hand["changes"].values()) <= 1


@given(sheet=nights(PEPPER))
def test_what_the_losers_of_a_game_pay_the_winners_get(sheet: Data) -> None:
    for game in scored(sheet)["games"]:
        assert sum(game["chips"].values()) == 0
        for player, chips in game["chips"].items():
            assert chips >= 0 if player in game["winner"].split("+") else chips <= 0


@given(sheet=nights(PEPPER), factor=st.integers(2, 7))
def test_a_higher_stake_multiplies_the_chips_of_a_game_and_no_point(sheet: Data, factor: int) -> None:
    one = scored(sheet)
    many = scored({**sheet, "stake": factor * sheet.get("stake", 1)})
    for game in one["games"]:
        game["chips"] = {player: factor * chips for player, chips in game["chips"].items()}
    assert many == one


# Nights


@given(sheet=nights())
def test_a_night_scored_hand_by_hand_equals_the_night_scored_at_once(sheet: Data) -> None:
    whole = scored(sheet)
    night = read_sheet(sheet)
    carry: Carry = night.carry
    for facts, hand in zip(sheet["hands"], whole["hands"], strict=True):
        played = play(night.rules, carry, read_hand(facts))
        assert (played.dealer, played.bidder, played.bid, played.result, played.changes, played.carry.pool) == (
            hand["dealer"],
            hand.get("bidder"),
            hand.get("bid"),
            hand["result"],
            hand["changes"],
            hand["pool"],
        )
        carry = played.carry


@given(sheet=nights())
def test_later_hands_do_not_change_earlier_ones(sheet: Data) -> None:
    whole = scored(sheet)
    for count in range(len(sheet["hands"])):
        assert scored({**sheet, "hands": sheet["hands"][:count]})["hands"] == whole["hands"][:count]


@given(sheet=nights())
def test_scoring_changes_no_sheet_and_is_the_same_the_second_time(sheet: Data) -> None:
    before = copy.deepcopy(sheet)
    assert scored(sheet) == scored(sheet)
    assert sheet == before


@given(sheet=nights(), data=st.data())
def test_other_names_change_only_the_names(sheet: Data, data: st.DataObject) -> None:
    old = players_of(sheet)
    new = data.draw(st.lists(NAMES, min_size=len(old), max_size=len(old), unique=True))
    names = dict(zip(old, new, strict=True))
    answer, other = scored(sheet), scored(renamed(sheet, names))
    in_teams = "games" in answer

    def keyed(changes: Data, *, teams: bool) -> Data:
        return {team_renamed(name, names) if teams else names[name]: change for name, change in changes.items()}

    for hand in answer["hands"]:
        hand["dealer"] = names[hand["dealer"]]
        if "bidder" in hand:
            hand["bidder"] = names[hand["bidder"]]
        hand["changes"] = keyed(hand["changes"], teams=in_teams)
    answer["balances"] = keyed(answer["balances"], teams=in_teams)
    for game in answer.get("games", []):
        game["winner"] = team_renamed(game["winner"], names)
        game["scores"] = keyed(game["scores"], teams=True)
        game["chips"] = keyed(game["chips"], teams=False)
    if answer.get("winner"):
        answer["winner"] = team_renamed(answer["winner"], names)
    assert other == answer


@given(sheet=nights(auctions=1.0))
def test_a_whole_auction_and_its_last_bid_alone_come_to_the_same(sheet: Data) -> None:
    told = copy.deepcopy(sheet)
    answer = scored(sheet)
    for facts, hand in zip(told["hands"], answer["hands"], strict=True):
        if facts.pop("bids", None) is None or facts.get("misdeal"):
            continue
        if hand["result"] == "passed_out":
            facts["passed_out"] = True
        else:
            facts["bidder"], facts["bid"] = hand["bidder"], hand["bid"]
    assert scored(told) == answer


@given(sheet=nights(CHIP_GAMES))
def test_tricks_and_made_or_failed_come_to_the_same(sheet: Data) -> None:
    told = copy.deepcopy(sheet)
    book = read_sheet(sheet).rules.book
    for facts, hand in zip(told["hands"], scored(sheet)["hands"], strict=True):
        if "tricks" in facts:
            facts["made"] = book.bids_by_id[hand["bid"]].made_with(facts.pop("tricks"))
    assert scored(told) == scored(sheet)


@given(sheet=nights())
def test_the_facts_of_a_hand_survive_being_read_and_written(sheet: Data) -> None:
    for facts in sheet["hands"]:
        hand = read_hand(facts)
        written = facts_of(hand)
        assert read_hand(written) == hand
        assert read_hand(json.loads(json.dumps(written))) == hand
    told = {**sheet, "hands": [facts_of(read_hand(facts)) for facts in sheet["hands"]]}
    assert scored(told) == scored(sheet)


# Rulebooks


@given(sheet=nights(house_rules=1.0))
def test_an_effective_rulebook_is_one_that_scores_alike_and_has_the_same_digest(sheet: Data) -> None:
    rules = read_sheet(sheet).rules
    again = read(json.loads(rules.book.canonical))
    assert again.digest == rules.book.digest
    assert again.effective == rules.book.effective
    pinned = {**sheet, "rulebook": {**rules.book.effective, "id": sheet["rulebook"]}, "house_rules": {}}
    assert scored(pinned) == scored(sheet)


@given(sheet=nights(house_rules=1.0))
def test_house_rules_come_to_the_same_as_editing_the_file(sheet: Data) -> None:
    edited = copy.deepcopy(rulebook_data(sheet["rulebook"]))
    house_rules = sheet.get("house_rules", {})
    for switch, value in house_rules.items():
        lay(edited, switch, value)
    book = read(edited)
    assert book.digest == apply_house_rules(preset(sheet["rulebook"]), house_rules).digest
    assert scored({**sheet, "rulebook": edited, "house_rules": {}}) == scored(sheet)


@given(sheet=nights(house_rules=1.0))
def test_house_rules_one_after_the_other_come_to_the_same_as_all_at_once(sheet: Data) -> None:
    book = preset(sheet["rulebook"])
    together = apply_house_rules(book, sheet.get("house_rules", {}))
    try:
        for switch, value in sheet.get("house_rules", {}).items():
            book = apply_house_rules(book, {switch: value})
    except LedgerError:
        return  # two switches that only go together
    assert book.digest == together.digest
    assert book.house_rules == together.house_rules


@given(sheet=nights(house_rules=1.0))
def test_the_digest_is_that_of_rfc_8785_json(sheet: Data) -> None:
    book = read_sheet(sheet).rules.book
    canonical = rfc8785.dumps(dict(book.effective))
    assert book.canonical.encode() == canonical
    assert book.digest == hashlib.sha256(canonical).hexdigest()


@pytest.mark.parametrize("rulebook", GAMES)
def test_words_do_not_change_a_digest(rulebook: str) -> None:
    data = copy.deepcopy(rulebook_data(rulebook))
    digest = read(data).digest
    assert digest == parse(preset_text(rulebook)).digest == preset(rulebook).digest
    for key in ("id", "title", "source", "notes", "examples"):
        data.pop(key, None)
    for bid in data["bids"]:
        bid["title"] = {"en": "Something else"}
        bid["unattested"] = not bid.get("unattested", False)
    assert read(data).digest == digest


def test_numbers_may_be_written_as_json_schema_has_them() -> None:
    def floats(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: floats(item) for key, item in value.items()}
        if isinstance(value, list):
            return [floats(item) for item in value]
        return float(value) if type(value) is int else value

    for rulebook in GAMES:
        assert read(floats(json.loads(preset(rulebook).canonical))).digest == preset(rulebook).digest


def test_no_two_presets_are_the_same_game() -> None:
    digests = {preset(rulebook).digest: rulebook for rulebook in GAMES}
    assert len(digests) == len(GAMES)
