"""Random legal house rules for any rulebook: switches that change scoring and leave nights playable (contract 1)."""

from __future__ import annotations

import random
from typing import Any

from .rules import Data, effective

ON_FAIL_POOL: list[Any] = ["none", "double", "per_player", {"fixed": 1}, {"fixed": 2}, {"fixed": 5}]


def random_house_rules(rng: random.Random, rulebook: Data) -> Data:
    """One to four switches with values that the contract allows; the rulebook stays playable with its players."""
    choices = pepper_switches(rng, rulebook) if rulebook["family"] == "pepper" else chip_switches(rng, rulebook)
    chosen = rng.sample(sorted(choices), min(len(choices), rng.randint(1, 4)))
    house = {switch: choices[switch] for switch in chosen}
    if "both_reach" in choices and rng.random() < 0.4:
        house["both_reach"] = choices["both_reach"]
    if "surrender" in house and rng.random() < 0.3:
        house["dirty_clubs"] = choices["dirty_clubs"]
    return house


def chip_switches(rng: random.Random, rulebook: Data) -> Data:
    """A value for every safe switch of the Nap family."""
    pool = rulebook.get("pool", {})
    ids = [bid["id"] for bid in rulebook["bids"]]
    switches: Data = {
        "refund_on_misdeal": rng.random() < 0.5,
        "revoke_awards_pool": rng.random() < 0.5,
        "opening_stake": rng.randint(0, 3),
        "ante": rng.randint(0, 2),
        "dealer_stake": rng.randint(0, 3),
        "peek": rng.randint(1, 2),
        "buy": {"price": rng.randint(1, 2), "per": rng.choice(["card", "hand"])},
        "join_fee": rng.choice(["opening", "none", "fair_share"]),
        "failed_pot": rng.choice(["carry", "refund"]),
        "stakes_stand_when_passed": rng.random() < 0.6,
        "all_pass": rng.choice(["redeal_next", "redeal_same", "dealer_min", "eldest_min", "double_next"]),
        "dealer_out_pays": rng.random() < 0.3,
        "fines.revoke.pool": rng.randint(0, 6),
        "fines.misdeal.pool": rng.randint(0, 2),
        "fines.led_out_of_turn.chips": rng.randint(0, 4),
        "fines.led_out_of_turn.to": rng.choice(["bidder", "pool"]),
        "fines.played_out_of_turn.chips": rng.randint(0, 4),
        "fines.played_out_of_turn.to": rng.choice(["bidder", "pool"]),
    }
    most = rulebook["table"]["players"][1]
    if most >= 3:
        switches["dealer_sits_out_from"] = rng.randint(3, min(most, 6))
    if "dealer_sits_out_from" in rulebook["table"] and rng.random() < 0.5:
        switches["dealer_sits_out_from"] = None
    for optional in ("peek", "buy"):
        if optional in pool and rng.random() < 0.4:
            switches[optional] = None
    if "nap" in ids:
        switches["widow"] = {"fail_pays": rng.randint(1, 10), "on_fail_pool": rng.choice(ON_FAIL_POOL)}
        if "widow" in pool and rng.random() < 0.4:
            switches["widow"] = None
        switches["nap_may_raise"] = rng.random() < 0.7

    bid = rng.choice(rulebook["bids"])
    switches[f"bids.{bid['id']}.pays"] = rng.randint(0, 15)
    bid = rng.choice(rulebook["bids"])
    switches[f"bids.{bid['id']}.collects"] = rng.randint(1, 30)
    if rng.random() < 0.3 and "pays" in bid:
        switches[f"bids.{bid['id']}.pays"] = None
    for bid in rng.sample(rulebook["bids"], min(2, len(ids))):
        switches[f"bids.{bid['id']}.on_fail_pool"] = rng.choice(ON_FAIL_POOL)
    bid = rng.choice(rulebook["bids"])
    switches[f"bids.{bid['id']}.takes_pool"] = rng.random() < 0.7
    bid = rng.choice(rulebook["bids"])
    switches[f"bids.{bid['id']}.pays_players"] = rng.random() < 0.3
    return switches | lowest_bids(rng, rulebook, switches)


def pepper_switches(rng: random.Random, rulebook: Data) -> Data:
    """A value for every safe switch of Pepper."""
    bids = rulebook["bids"]
    switches: Data = {
        "score_what_you_get": rng.random() < 0.6,
        "both_reach": rng.choice(["play_on", "higher", "bidder"]),
        "swept": rng.choice(["lose_bid", "nothing"]),
        "fail": rng.choice(["bid", 3, 6, 8]),
        "target": rng.choice([12, 20, 30, 31, 42, 50]),
        "per_game": rng.randint(0, 10),
        "per_point": rng.randint(0, 3),
        "surrender": rng.random() < 0.7,
        "dirty_clubs": rng.random() < 0.5,
        "pepper_round": rng.choice([False, 0, 1, 2, 4]),
        "negotiate": {rng.choice(bids)["id"]: rng.randint(1, 2)},
        "all_pass": rng.choice(["redeal_next", "redeal_same", "dealer_min", "eldest_min"]),
        "rounds": rng.choice([1, "until_passed"]),
    }
    bid = rng.choice(bids)
    switches[f"bids.{bid['id']}.pays"] = rng.randint(1, 14)
    bid = rng.choice(bids)
    switches[f"bids.{bid['id']}.collects"] = rng.randint(1, 14)
    bid = rng.choice(bids)
    switches[f"bids.{bid['id']}.defenders"] = rng.randint(1, 9)
    return switches | lowest_bids(rng, rulebook, switches)


def lowest_bids(rng: random.Random, rulebook: Data, switches: Data) -> Data:
    """A higher minimum bid that keeps every bid which another one must be bid over, and every bid that is switched."""
    named = {switch.split(".")[1] for switch in switches if switch.startswith("bids.")}
    named |= set(switches.get("negotiate", {})) | set(rulebook.get("score", {}).get("negotiate", {}))
    lowest = []
    present = rulebook.get("auction", {}).get("minimum_bid")
    for bid in rulebook["bids"][1:]:
        left = {other["id"] for other in effective(rulebook, {"minimum_bid": bid["id"]})["bids"]}
        overs = {other["over"] for other in rulebook["bids"] if other["id"] in left and "over" in other}
        if bid["id"] != present and overs <= left and named <= left and len(left) >= 3:
            lowest.append(bid["id"])
    return {"minimum_bid": rng.choice(lowest)} if lowest else {}
