"""A rulebook as plain data, made whole: house rules laid over it, lower bids dropped, defaults filled (contract 1)."""

from __future__ import annotations

import copy
from typing import Any

Data = dict[str, Any]

# Every key of a rulebook that house rules may name, by dotted path (contract 1). Bids are addressed by their id.
PATHS = [
    "table.players", "table.tricks", "table.dealer_sits_out_from", "table.dealer_out_pays",
    "auction.all_pass", "auction.nap_may_raise", "auction.minimum_bid", "auction.rounds",
    "pool.opening_stake", "pool.ante", "pool.dealer_stake", "pool.peek",
    "pool.buy", "pool.buy.price", "pool.buy.per",
    "pool.widow", "pool.widow.fail_pays", "pool.widow.on_fail_pool",
    "pool.join_fee", "pool.stakes_stand_when_passed", "pool.failed_pot", "pool.at_close",
    "pool.refund_on_misdeal", "pool.revoke_awards_pool",
    "fines.revoke", "fines.revoke.pool", "fines.misdeal", "fines.misdeal.pool",
    "fines.led_out_of_turn", "fines.led_out_of_turn.chips", "fines.led_out_of_turn.to",
    "fines.played_out_of_turn", "fines.played_out_of_turn.chips", "fines.played_out_of_turn.to",
    "teams.players",
    "score.target", "score.both_reach", "score.swept", "score.fail", "score.score_what_you_get",
    "score.dirty_clubs", "score.surrender", "score.pepper_round", "score.negotiate",
    "stakes.per_game", "stakes.per_point",
]  # fmt: skip

DEFAULTS: dict[str, Data] = {
    "table": {"dealer_sits_out_from": None, "dealer_out_pays": True},
    "auction": {"all_pass": "redeal_next", "nap_may_raise": False, "minimum_bid": None, "rounds": 1},
    "pool": {
        "opening_stake": 0, "ante": 0, "dealer_stake": 0, "peek": None, "buy": None, "widow": None,
        "join_fee": "opening", "stakes_stand_when_passed": False, "failed_pot": "carry",
        "refund_on_misdeal": True, "revoke_awards_pool": True,
    },
    "fines": {
        "revoke": {"pool": 0}, "misdeal": {"pool": 0},
        "led_out_of_turn": {"chips": 3, "to": "bidder"}, "played_out_of_turn": {"chips": 3, "to": "bidder"},
    },
    "score": {
        "target": 42, "both_reach": "play_on", "swept": "nothing", "fail": "bid", "score_what_you_get": False,
        "dirty_clubs": False, "surrender": False, "pepper_round": 0, "negotiate": {},
    },
    "stakes": {"per_game": 0, "per_point": 0},
}  # fmt: skip

BID_DEFAULTS: Data = {"exactly": False, "takes_pool": False, "on_fail_pool": "none", "pays_players": True}


def effective(rulebook: Data, house_rules: Data | None = None) -> Data:
    """The rules that a night is scored by; the rulebook that was given stays as it was."""
    rules = copy.deepcopy(rulebook)
    for switch, value in (house_rules or {}).items():
        lay(rules, switch, copy.deepcopy(value))

    for section, defaults in DEFAULTS.items():
        rules[section] = filled(rules.get(section, {}), defaults)
    rules["table"].setdefault("tricks", 6 if rules["family"] == "pepper" else 5)
    if rules["pool"]["buy"] is not None:
        rules["pool"]["buy"] = filled(rules["pool"]["buy"], {"price": 1, "per": "card"})
    if rules["pool"]["widow"] is not None:
        rules["pool"]["widow"] = filled(rules["pool"]["widow"], {"on_fail_pool": "none"})

    lowest = rules["auction"]["minimum_bid"]
    ids = [bid["id"] for bid in rules["bids"]]
    if lowest is not None:
        rules["bids"] = rules["bids"][ids.index(lowest) :]
    for bid in rules["bids"]:
        for key, default in BID_DEFAULTS.items():
            bid.setdefault(key, default)
        bid.setdefault("pays", lost_by_default(rules, bid))
    return rules


def filled(given: Data, defaults: Data) -> Data:
    """`given` with what it leaves out, table by table."""
    whole = copy.deepcopy(defaults)
    for key, value in given.items():
        if isinstance(value, dict) and isinstance(whole.get(key), dict):
            whole[key] = filled(value, whole[key])
        else:
            whole[key] = value
    return whole


def lost_by_default(rules: Data, bid: Data) -> int:
    """What a failed bid pays where `pays` is left out: `collects`, in Pepper as `fail` says (contract 1)."""
    if rules["family"] == "pepper" and rules["score"]["fail"] != "bid":
        return int(rules["score"]["fail"])
    return int(bid["collects"])


def lay(rules: Data, switch: str, value: Any) -> None:
    """Set one switch, or remove what it names when the value is null."""
    parts = path_of(switch)
    if parts[0] == "bids":
        place: Data = next(bid for bid in rules["bids"] if bid["id"] == parts[1])
        rest = parts[2:]
    else:
        place, rest = rules, parts
    for part in rest[:-1]:
        place = place.setdefault(part, {})
    if value is None:
        place.pop(rest[-1], None)
    else:
        place[rest[-1]] = value


def path_of(switch: str) -> list[str]:
    """A switch is the last part of a key where that is unique, else the dotted path (contract 1)."""
    if "." in switch:
        return switch.split(".")
    found = [path for path in PATHS if path.split(".")[-1] == switch]
    if len(found) != 1:
        raise ValueError(f"switch {switch!r} names {len(found)} keys")
    return found[0].split(".")


def bid_of(rules: Data, bid_id: str) -> Data:
    """The row of the ladder with this id."""
    found: Data = next(bid for bid in rules["bids"] if bid["id"] == bid_id)
    return found
