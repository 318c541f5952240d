"""Decisions where the sources are silent, one by one, so that nobody changes them by accident."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.sheet import differences, score

PEEP_NAP: dict[str, Any] = {"rulebook": "rockets-peep-nap", "players": ["A", "B", "C", "D"], "dealer": "D", "pool": 0}
PEPPER: dict[str, Any] = {"rulebook": "rockets-pepper", "players": ["N", "E", "S", "W"], "dealer": "W"}


def hand(sheet: dict[str, Any], **facts: Any) -> dict[str, Any]:
    answer = score({**sheet, "hands": [facts]})
    assert "error" not in answer, answer
    result: dict[str, Any] = answer["hands"][0]
    return result


def refused(sheet: dict[str, Any], **facts: Any) -> str:
    code: str = score({**sheet, "hands": [facts]})["error"]["code"]
    return code


@pytest.mark.parametrize(
    ("foul", "tricks", "result", "points"),
    [
        ("opponent", 3, "void", {"N+S": 0, "E+W": 0}),
        ("opponent", 5, "made", {"N+S": 4, "E+W": 1}),
        ("bidder_more", 5, "void", {"N+S": 0, "E+W": 0}),
        ("bidder_fewer", 3, "failed", {"N+S": -4, "E+W": 3}),
        ("both", None, "void", {"N+S": 0, "E+W": 0}),
    ],
)
def test_a_wrong_number_of_cards_voids_a_hand_of_pepper_as_it_does_in_nap(
    foul: str, tricks: int | None, result: str, points: dict[str, int]
) -> None:
    facts = {"bidder": "N", "bid": "four", "foul": foul} | ({} if tricks is None else {"tricks": tricks})
    played = hand(PEPPER, **facts)
    assert (played["result"], played["changes"]) == (result, points)


def test_a_fine_may_be_changed_whole() -> None:
    rules = {"house_rules": {"led_out_of_turn": {"chips": 2, "to": "pool"}}}
    played = hand({**PEEP_NAP, **rules}, bidder="A", bid="one", made=True, led_out_of_turn=["A"])
    assert (played["changes"], played["pool"]) == ({"A": 1, "B": -1, "C": -1, "D": -1}, 2)


def test_a_minimum_bid_must_be_one_that_can_be_made_first() -> None:
    rules = {"house_rules": {"minimum_bid": "wellington"}}
    assert refused({**PEEP_NAP, **rules}, passed_out=True) == "house_rule_invalid"


def test_the_nap_bidder_may_raise_over_any_higher_bid() -> None:
    rules = {"house_rules": {"nap_may_raise": True, "bids.wellington.over": None, "bids.blucher.over": None}}
    bids = [["A", "nap"], ["B", "wellington"], ["C", "pass"], ["D", "pass"], ["A", "blucher"]]
    assert hand({**PEEP_NAP, **rules}, bids=bids, made=True)["changes"]["A"] == 90


def test_a_note_may_have_the_line_breaks_of_a_web_form() -> None:
    assert hand(PEEP_NAP, passed_out=True, note="one\r\ntwo")["result"] == "passed_out"


def test_a_stake_may_be_as_large_as_any_amount() -> None:
    answer = score({**PEEP_NAP, "stake": 1_000_000_000, "hands": [{"bidder": "A", "bid": "one", "made": True}]})
    assert answer["balances"]["A"] == 3_000_000_000


def test_a_truth_is_not_a_number_when_results_are_compared() -> None:
    answer = score({**PEEP_NAP, "hands": [{"passed_out": True}]})
    assert differences({"pool": False}, answer) == ["pool: expected False, got 0"]
    assert differences({"balances": {"A": False, "B": 0, "C": 0, "D": 0}}, answer) == [
        "balances: A: expected False, got 0"
    ]


def test_only_the_first_hands_may_be_expected() -> None:
    answer = score({**PEEP_NAP, "hands": [{"passed_out": True}, {"passed_out": True}]})
    assert differences({"hands": [{"result": "passed_out"}]}, answer) == []
