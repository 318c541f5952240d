"""The facts of a hand (contract, section 2)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from api.schemas.fields import Flag, Strict, Whole, choice, text
from ledger.hands import FOULS, PLAYER_LIMIT, SUITS


def _player() -> ma.fields.String:
    return text(1, 60, metadata={"description": "the id of a member"})


def _players(limit: int = PLAYER_LIMIT) -> ma.fields.List[Any]:
    return ma.fields.List(_player(), validate=ma.validate.Length(max=limit))


class Facts(Strict):
    """What happened in one hand, whole."""

    players = ma.fields.List(
        _player(),
        validate=ma.validate.Length(1, PLAYER_LIMIT),
        metadata={"description": "the payers in seat order; else as the hand before", "uniqueItems": True},
    )
    out = ma.fields.List(
        _player(),
        validate=ma.validate.Length(max=PLAYER_LIMIT),
        metadata={"description": "seated, but not in this hand", "uniqueItems": True},
    )
    dealer = text(1, 60, metadata={"description": "else by rotation"})
    bought = ma.fields.Dict(
        keys=ma.fields.String(), values=Whole(0, 5), metadata={"description": "cards by player", "maxProperties": 20}
    )
    peeks = _players()
    bids = ma.fields.List(
        ma.fields.List(ma.fields.String(), validate=ma.validate.Length(equal=2)),
        validate=ma.validate.Length(max=200),
        metadata={"description": 'the whole auction: [player, bid id or "pass"], from eldest on'},
    )
    bidder = text(1, 60)
    bid = text(1, 40, metadata={"description": "the id of the winning bid"})
    made = Flag(metadata={"description": "Nap: whether the bid was made"})
    tricks = Whole(0, 26, metadata={"description": "the bidding side's tricks; Pepper needs them"})
    took_card = Flag()
    took_widow = Flag()
    trumps = choice(*sorted(SUITS))
    revoke = text(1, 60, metadata={"description": "who revoked, which ends the hand"})
    led_out_of_turn = _players(100)
    played_out_of_turn = _players(100)
    foul = choice(*sorted(FOULS))
    misdeal = Flag()
    passed_out = Flag()
    surrendered = Flag()
    granted = Whole(0, 26)
    note = text(0, 2_000)


class Irregularities(Strict):
    """What happened beside the bids and the result."""

    took_card = Flag()
    took_widow = Flag()
    trumps = choice(*sorted(SUITS))
    revoke = text(1, 60)
    led_out_of_turn = _players(100)
    played_out_of_turn = _players(100)
    foul = choice(*sorted(FOULS))
    surrendered = Flag()
    granted = Whole(0, 26)
    out = ma.fields.List(_player(), validate=ma.validate.Length(max=PLAYER_LIMIT), metadata={"uniqueItems": True})
