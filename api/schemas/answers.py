"""What is answered, described for whoever writes a client.

Answers themselves are made by the ledger, and not dumped through these.
"""

from __future__ import annotations

from typing import Any

import marshmallow as ma

Field = ma.fields.Field[Any]


class Open(ma.Schema):
    """An object that may get more keys in later releases."""

    class Meta:  # noqa: D106 - marshmallow's
        unknown = ma.INCLUDE


def _string(words: str = "", *, none: bool = False) -> Field:
    return ma.fields.String(required=True, allow_none=none, metadata={"description": words} if words else {})


def _whole(words: str = "", *, none: bool = False) -> Field:
    return ma.fields.Integer(required=True, allow_none=none, metadata={"description": words} if words else {})


def _flag(words: str = "") -> Field:
    return ma.fields.Boolean(required=True, metadata={"description": words} if words else {})


def _chips(words: str) -> Field:
    return ma.fields.Dict(
        keys=ma.fields.String(), values=ma.fields.Integer(), required=True, metadata={"description": words}
    )


def _object(words: str = "", *, none: bool = False) -> Field:
    return ma.fields.Dict(
        keys=ma.fields.String(),
        required=True,
        allow_none=none,
        metadata={"description": words, "additionalProperties": True} if words else {"additionalProperties": True},
    )


def _list(item: Any, words: str = "") -> Field:  # noqa: ANN401 - a schema or a field
    kind = item if isinstance(item, ma.fields.Field) else ma.fields.Nested(item)
    return ma.fields.List(kind, required=True, metadata={"description": words} if words else {})


def _one(item: type[ma.Schema], *, none: bool = False) -> Field:
    return ma.fields.Nested(item, required=True, allow_none=none)


def _next(words: str) -> Field:
    return ma.fields.Raw(
        required=True, metadata={"description": f"{words}; null behind the last", "type": ["string", "integer", "null"]}
    )


class Problem(Open):
    """Why something was refused (RFC 9457)."""

    type = _string("a URN that ends with the code")
    title = _string()
    status = _whole()
    code = _string("stable, for programs; see README.md, Refusals")
    detail = _string("one sentence, for people")
    field = ma.fields.String(metadata={"description": "which field is to blame"})
    errors = ma.fields.Dict(metadata={"description": "everything that is wrong with the shape, by field"})
    role = ma.fields.String(metadata={"description": "the role that is needed (403)"})
    version = ma.fields.Integer(metadata={"description": "the current version (wrong_version)"})


class Health(Open):
    status = _string("ok")
    release = _string()
    writable = _flag("something was written, a second ago at most")
    backups = _object("when the last was made, and why places have none; null: none are made", none=True)


class RulebookEntry(Open):
    id = _string()
    title = _object("by language")
    family = _string("nap or pepper")
    source = _string()
    digest = _string()
    origin = _string("preset, or club")


class Rulebooks(Open):
    rulebooks = _list(RulebookEntry)


class Rulebook(RulebookEntry):
    notes = _string()
    effective = _object("everything that scores a hand, defaults filled in")
    bids = _list(ma.fields.Dict(), "lowest first, with their titles")


class Score(Open):
    """What a night comes to (README.md, Night sheets)."""

    id = _string(none=True)
    rulebook = _string()
    digest = _string()
    hands = _list(ma.fields.Dict())
    balances = _chips("by player; in Pepper by team")
    pool = _whole()


class Club(Open):
    club = _string("its id, as in addresses")
    name = _string()
    zone = _string()
    cut_off = _string()
    money = _object(none=True)
    position = _whole("of the newest event")
    epoch = _string("another after a backup was restored: read again from zero")
    members = _whole("how many")
    tables = _whole("how many")
    open_nights = _list(ma.fields.String())
    late_hands = _whole("how many wait for a treasurer")
    seasons = _list(ma.fields.Dict())
    role = _string("what whoever asks may do here")


class Member(Open):
    id = _string()
    number = _whole()
    name = _string()
    archived = _flag()
    erased = _flag()
    alias_of = _string("who he turned out to be", none=True)


class Members(Open):
    members = _list(Member)
    next = _next("the number to ask after")


class Table(Open):
    id = _string()
    name = _string()
    rulebook = _string()
    digest = _string()
    house_rules = _object()
    stake = _whole()
    unit = _string()
    pool = _whole("chips that wait for the next night")
    money = _object(none=True)
    banker = _string(none=True)
    open_night = _string(none=True)
    closed = _flag()


class Tables(Open):
    tables = _list(Table)
    next = _next("the table to ask after")


class MemberBalance(Open):
    id = _string()
    name = _string()
    balances = _chips("by unit; positive is owed to him")


class Balances(Open):
    balances = _list(MemberBalance)
    next = _next("the number to ask after")


class NightEntry(Open):
    night = _string()
    table = _string()
    date = _string()
    state = _string("open or closed")
    revision = _whole()
    corrections = _whole("hands corrected since it was closed")


class Nights(Open):
    nights = _list(NightEntry, "as they were opened, the newest last")
    next = _next("the night to ask after")


class RulesOfNight(Open):
    id = _string()
    title = _object()
    digest = _string()
    house_rules = _object()
    stake = _whole()


class Player(Open):
    id = _string()
    name = _string()
    seat = _whole("clockwise from 1; null for who has left", none=True)
    seated = _flag()
    balance = _whole("what hands gave or took tonight; positive is to him")
    stack = _whole("the chips in front of him; below zero he owes")
    bought = _whole()
    sold = _whole()


class Pool(Open):
    chips = _whole()
    since_hand = _whole(none=True)
    fed_by = _chips("by player")
    would_pay = _whole("what a bid that takes it would take now")


class HandInProgress(Open):
    number = _whole("of the hand in progress, or of the next")
    phase = _string("not_begun, auction, play or closed")
    turn = _string("who speaks next", none=True)
    peeks = _list(ma.fields.String())
    bids = _list(ma.fields.List(ma.fields.String()), "[player, bid id or pass]")
    standing = _object("player and bid", none=True)


class Action(Open):
    """A command that is legal now, ready to be sent with an id of its own."""

    type = _string()
    data = _object()
    label = _string("in words")


class Undoable(Open):
    command = _string("send it as Undo {command}")
    version = _whole()
    type = _string("of its last event")
    label = _string("in words")
    device = _string("that sent it", none=True)
    at = _string("when it was recorded")


class Night(Open):
    """A night as it stands."""

    club = _string()
    night = _string()
    table = _string()
    date = _string()
    state = _string("open, closed or settled")
    revision = _whole()
    version = _whole("of the night's stream; send it as expected_version")
    position = _whole("of the club's newest event")
    epoch = _string()
    as_of = _string("when the club's newest event was recorded")
    backed_up_to = _whole(none=True)
    rulebook = _one(RulesOfNight)
    unit = _string()
    players = _list(Player)
    dealer = _string("of the hand in progress, or of the next", none=True)
    pool = _one(Pool)
    hand = _one(HandInProgress)
    teams = _object("Pepper: players by team", none=True)
    scores = _object("Pepper: points by team", none=True)
    games = ma.fields.List(ma.fields.Dict(), required=True, allow_none=True)
    actions = _list(Action, "what may be sent now by whoever asks, without filling anything in")
    undo = _one(Undoable, none=True)
    hands_played = _whole()
    disputed = _list(ma.fields.Integer())
    needs_review = _list(ma.fields.Integer())
    receipt = _string("once it is closed", none=True)
    superseded = _list(ma.fields.Dict())
    moves = _object("for a tablet without a network: what every outcome makes people pay")
    ladder = _list(ma.fields.Dict(), "for the same: the bids, lowest first")
    deal = _object("for the same: what the next hand finds, and what follows a hand")
    so_far = _object("for the same: cards bought in the hand in progress, and whether the peep card was taken")


class Hand(Open):
    hand = _whole()
    status = _string("open, settled or void")
    dealer = _string(none=True)
    result = _string("made, failed, void, passed_out or misdeal", none=True)
    facts = _object("as in RecordHand")
    changes = _chips("by player; in Pepper by team")
    pool = _whole("behind this hand")
    rulebook = _object()
    version = _whole()
    device = _string(none=True)
    actor = _string()
    recorded_at = _string()
    corrections = _list(ma.fields.Dict())
    needs_review = _string(none=True)
    disputed = _flag()
    story = ma.fields.List(
        ma.fields.Dict(), metadata={"description": "of one hand: its events, with facts wherever they changed"}
    )


class Hands(Open):
    hands = _list(Hand)
    next = _next("the hand to ask after")


class JournalPosting(Open):
    account = _string()
    unit = _string()
    amount = _whole("positive is to the account")


class Entry(Open):
    """Postings that sum to zero in every unit."""

    position = _whole()
    version = _whole()
    entry = _whole()
    hand = _whole(none=True)
    memo = _string()
    recorded_at = _string()
    postings = _list(JournalPosting)


class Journal(Open):
    entries = _list(Entry)
    next = _next("the position to ask after")


class Line(Open):
    hand = _whole(none=True)
    memo = _string()
    change = _whole()
    balance = _whole("behind this line")
    version = _whole(none=True)
    parties = _list(ma.fields.String(), "the players on the other side of it")


class Explanation(Open):
    account = _string()
    unit = _string()
    total = _whole("the sum of the changes")
    lines = _list(Line)


class WhatIf(Open):
    rulebook = _object()
    hands = _list(ma.fields.Dict(), "as scored by the other rules, or with an error")
    balances = _chips("by player; in Pepper by team")
    pool = _whole()
    differences = _chips("by how much each would stand better or worse")


class Event(Open):
    stream = _string()
    version = _whole()
    position = _whole()
    type = _string()
    data = _object()
    command_id = _string()
    actor = _string()
    device = _string(none=True)
    recorded_at = _string()
    device_time = _string(none=True)
    digest = _string()
    postings = _list(ma.fields.Dict())


class Events(Open):
    epoch = _string()
    events = _list(Event)
    next = _next("the position to ask after")


class LateHand(Open):
    command = _string("send it as AdmitLateHand or RefuseLateHand {command}")
    night = _string()
    hand = _whole()
    facts = _object()
    note = ma.fields.String(allow_none=True)


class LateHands(Open):
    late_hands = _list(LateHand)
    next = _next("the command to ask after")


class SettlingTransfer(Open):
    from_ = ma.fields.String(required=True, data_key="from", metadata={"description": "a member, till or shortage"})
    to = _string()
    amount = _whole("above zero, in minor units, or chips")


class SettledUnit(Open):
    unit = _string("a currency, or the chips of a table")
    balances = _chips("by party; positive is owed to it; they sum to zero")
    transfers = _list(SettlingTransfer)
    carried = _chips("what stays open, by party")


class Settlement(Open):
    policy = _string()
    settlements = _list(SettledUnit)
    names = ma.fields.Dict(keys=ma.fields.String(), values=ma.fields.String(), required=True)
    disputed = _list(ma.fields.String(), "nights with hands that somebody disputes; they count as recorded")


class PaymentPart(Open):
    night = _string()
    amount = _whole()


class Payment(Open):
    payment = _string("the id of the command that recorded it; ReversePayment names it")
    date = _string()
    from_ = ma.fields.String(required=True, data_key="from")
    from_name = _string()
    to = _string()
    to_name = _string()
    amount = _whole("in minor units, or chips")
    unit = _string()
    nights = _list(PaymentPart, "which nights it settles; the rest is on account")
    method = _string(none=True)
    reversed = _flag()


class Payments(Open):
    payments = _list(Payment)
    next = _next("the payment to ask after")


class StatementLine(Open):
    line = _whole("counted from 1")
    date = _string()
    night = _string(none=True)
    hand = _whole(none=True)
    memo = _string()
    change = _whole("positive is to the member")
    balance = _whole("of this unit, behind this line")
    unit = _string()


class Statement(Open):
    member = _string()
    name = _string()
    balances = _chips("by unit, behind the last line")
    lines = _list(StatementLine)
    next = _next("the line to ask after")


class MemberCounted(Open):
    place = _whole("counted from 1")
    id = _string()
    name = _string()
    nights = _whole()
    hands = _whole("that he was in and that were played")
    bids = _whole("that he won")
    made = _whole()
    failed = _whole()
    peeks = _whole()
    pools = _whole("that he took")
    best = _whole("the most that one hand gave")
    worst = _whole("the most that one hand took; below zero")


class Statistics(Open):
    members = _list(MemberCounted)
    next = _next("the place to ask after")


class Verdict(Open):
    """What became of a command."""

    id = _string(none=True)
    status = _string("recorded, duplicate, late, preview or refused")
    version = ma.fields.Integer(metadata={"description": "of the stream behind it; if refused, where it stands"})
    position = ma.fields.Integer()
    events = ma.fields.List(ma.fields.Dict())
    changes = ma.fields.Dict(keys=ma.fields.String(), values=ma.fields.Integer())
    balances = ma.fields.Dict(keys=ma.fields.String(), values=ma.fields.Integer())
    pool = ma.fields.Integer(allow_none=True)
    hands = ma.fields.List(
        ma.fields.Dict(), metadata={"description": "of a preview: hands as they are, and as they would be"}
    )
    code = ma.fields.String(metadata={"description": "if refused, why"})
    detail = ma.fields.String()
    field = ma.fields.String()


class Verdicts(Open):
    verdicts = _list(Verdict, "in the order of the commands")


class VerdictOrVerdicts(Open):
    """One verdict, or with ``verdicts`` those of a batch."""

    verdicts = ma.fields.List(ma.fields.Nested(Verdict))
    id = ma.fields.String(allow_none=True)
    status = ma.fields.String()
