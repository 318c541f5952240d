"""What a tablet needs to go on without a network: the moves of the game, the ladder of bids, and how the deal stands.

``web`` interprets moves as ``ledger.payments`` does; neither knows any game by name.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ledger.auction import NAP
from ledger.errors import Refused
from ledger.night import Night
from ledger.night.decide import next_dealer
from ledger.payments import Contract, Moves
from ledger.play import Carry, Rules
from ledger.play.carry import Game, Standing
from ledger.rulebook.model import WIDOW_BID

Data = dict[str, Any]


def offline_kit(night: Night) -> Data:
    """Return ``moves``, ``ladder`` and ``deal`` of a night as the hand in progress found it, or as the next will.

    ``so_far`` is what else was told of the hand in progress: cards bought, and whether the peep card was taken.
    """
    hand = night.open_hand
    rules = hand.rules if hand else night.rules
    so_far = {"bought": dict(hand.facts.bought) if hand else {}, "took_card": hand.facts.took_card if hand else None}
    return {"moves": moves_of(rules), "ladder": ladder_of(rules), "deal": deal_of(night, rules), "so_far": so_far}


@lru_cache(maxsize=64)
def moves_of(rules: Rules) -> Data:
    """Return what every outcome makes people pay, in order; in Pepper also what each outcome scores both sides."""
    told: Data = {}
    for key, value in rules.payments._asdict().items():
        if key in ("contracts", "doubled"):
            told[key] = {bid: _contract(contract) for bid, contract in value.items()}
        else:
            told[key] = _moves(value)
    told["points"] = {bid: {key: list(pair) for key, pair in table.items()} for bid, table in rules.points.items()}
    return told


def _contract(contract: Contract) -> Data:
    return {outcome: _moves(moves) for outcome, moves in contract._asdict().items()}


def _moves(moves: Moves) -> list[Data]:
    return [move._asdict() for move in moves]


@lru_cache(maxsize=64)
def ladder_of(rules: Rules) -> list[Data]:
    """Return the bids that may be made, lowest first."""
    return [
        {
            "id": bid.id,
            "title": dict(bid.title),
            "tricks": bid.tricks,
            "exactly": bid.exactly,
            "over": bid.over,
            "takes_pool": bid.takes_pool,
            "trumps": bid.trumps,
        }
        for bid in rules.book.bids
        if bid.id in rules.book.rank
    ]


def deal_of(night: Night, rules: Rules) -> Data:
    """Return what the hand in progress found, or the next will: who plays which part, and what follows a hand.

    ``seats`` sat in the last hand, ``seated`` are there now, ``open`` were dealt in to the hand in progress; ``named``
    was told to deal the next that is not begun. ``rules_end`` tells that it is played by other rules than this one.
    """
    book, carry, hand = rules.book, night.carry, night.open_hand
    return {
        **_carry(carry),
        "seated": list(night.seats),
        "open": None if hand is None else {"players": list(hand.facts.players or ()), "dealer": hand.facts.dealer},
        "named": night.dealer,
        "hand": night.hands + 1 if hand is None else hand.number,
        "rules_end": rules is not night.rules,
        "next": _next(night),
        "auction": {
            "all_pass": book.all_pass,
            "nap_may_raise": book.nap_may_raise,
            "may_raise": NAP if book.nap_may_raise else None,
            "minimum_bid": book.minimum_bid,
            "until_passed": book.until_passed,
            "widow_bid": WIDOW_BID if book.pool.widow else None,
        },
        "rules": dict(book.effective.get("pool") or book.effective.get("score") or {}),
        "stakes": {"per_game": rules.stake * book.stakes.per_game, "per_point": rules.stake * book.stakes.per_point},
        "table": dict(book.effective["table"]),
    }


def _next(night: Night) -> Data | None:
    step = night.open_hand
    if step is not None and step.seating is not None:
        number, seating = step.number, step.seating
    else:
        try:
            number, seating = night.hands + 1, night.rules.seating(night.seats, (), night.carry, next_dealer(night))
        except Refused:
            return None  # too few or too many are seated for a hand
    return {
        "hand": number,
        "dealer": seating.dealer,
        "payers": list(seating.payers),
        "eldest_first": list(seating.eldest_first),
        "sits_out": seating.sits_out,
    }


def _carry(carry: Carry) -> Data:
    return {
        "seats": list(carry.seats),
        "dealer": carry.dealer,
        "step": carry.step,
        "pool": carry.pool,
        "members": sorted(carry.members),
        "standing": None if carry.standing is None else _standing(carry.standing),
        "doubled": carry.doubled,
        "game": None if carry.game is None else _game(carry.game),
        "dealt": carry.dealt,
    }


def _standing(standing: Standing) -> Data:
    return {
        "opening": standing.opening,
        "passed": standing.passed,
        "openers": sorted(standing.openers),
        "anters": sorted(standing.anters),
        "dealers": sorted(standing.dealers),
        "stakes": dict(standing.stakes),
    }


def _game(game: Game) -> Data:
    return {**game._asdict(), "first": list(game.first), "second": list(game.second), "scores": list(game.scores)}
