"""A night on paper (contract, section 3)."""

from __future__ import annotations

import marshmallow as ma

from api.schemas.facts import Facts
from api.schemas.fields import Strict, Whole, text
from ledger.sheet import HANDS_LIMIT, STAKE_LIMIT


class Sheet(Strict):
    """A night, to be scored."""

    id = ma.fields.Raw(metadata={"type": ["string", "integer", "null"]})
    name = text(0, 2_000)
    note = text(0, 2_000)
    rulebook = ma.fields.Raw(
        required=True, metadata={"type": ["string", "object"], "description": "an id, or a rulebook as an object"}
    )
    house_rules = ma.fields.Dict()
    stake = Whole(1, STAKE_LIMIT)
    players = ma.fields.List(
        text(1, 60), required=True, validate=ma.validate.Length(1, 20), metadata={"uniqueItems": True}
    )
    dealer = text(1, 60, required=True)
    pool = Whole(0)
    scores = ma.fields.Dict(values=Whole())
    hands = ma.fields.List(ma.fields.Nested(Facts), required=True, validate=ma.validate.Length(max=HANDS_LIMIT))
    expect = ma.fields.Dict()
