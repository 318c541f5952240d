"""The facts of one hand, whole, as they are read from outside (contract, section 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ledger import values
from ledger.errors import AlreadyBought, AlreadyPeeked, BadValue, FactsClash, UnknownKey
from ledger.tuples import quickly_replaced

PLAYER_LIMIT: Final = 20
"""More than any card game seats."""

FOULS: Final = frozenset({"opponent", "bidder_more", "bidder_fewer", "both"})
SUITS: Final = frozenset({"clubs", "diamonds", "hearts", "spades", "none"})


@quickly_replaced
class Hand(NamedTuple):
    """What happened in one hand. ``None`` and empty mean: nothing was said of it."""

    players: tuple[str, ...] | None = None
    out: tuple[str, ...] = ()
    dealer: str | None = None
    bought: Mapping[str, int] = {}
    peeks: tuple[str, ...] = ()
    bids: tuple[tuple[str, str], ...] | None = None
    bidder: str | None = None
    bid: str | None = None
    made: bool | None = None
    tricks: int | None = None
    took_card: bool | None = None
    took_widow: bool = False
    trumps: str | None = None
    revoke: str | None = None
    led_out_of_turn: tuple[str, ...] = ()
    played_out_of_turn: tuple[str, ...] = ()
    foul: str | None = None
    misdeal: bool = False
    passed_out: bool = False
    surrendered: bool = False
    granted: int | None = None
    note: str | None = None


class ReadFacts(dict[str, Any]):
    """Facts in the one form in which they are stored, with the hand that they say, so that it is read but once."""

    __slots__ = ("hand",)

    def __init__(self, facts: Mapping[str, Any], hand: Hand) -> None:
        super().__init__(facts)
        self.hand = hand


def read_hand(facts: object) -> Hand:
    """Read the facts of a hand.

    Raises ``Unreadable`` errors that name the key, ``AlreadyPeeked`` for a second peek of one player, and
    ``FactsClash`` where two facts exclude each other whatever the game.
    """
    if type(facts) is ReadFacts:
        return facts.hand
    if type(facts) is not dict:
        raise BadValue(field="hand", wanted="an object")
    items = list(_UNSAID)
    for key, value in facts.items():
        reader = _READERS.get(key)
        if reader is None:
            raise UnknownKey(field=str(key))
        index, read = reader
        items[index] = read(value, key)
    hand = Hand._make(items)
    if hand.misdeal or hand.passed_out or hand.revoke is not None or hand.foul is not None:
        _require_one_ending(hand, facts)
    if hand.surrendered or hand.granted is not None:
        _require_conceded(hand)
    return hand


def facts_of(hand: Hand) -> dict[str, Any]:
    """Return a hand as facts of the same shape, without what was not said."""
    facts: dict[str, Any] = {}
    for key, value, unsaid in zip(Hand._fields, hand, _UNSAID, strict=True):
        if value != unsaid or (value is not unsaid and key == "players"):
            facts[key] = _plain(value)
    return facts


def as_read(hand: Hand) -> ReadFacts:
    """Return a hand as facts in the one form in which they are stored: keys in order, those of purchases too."""
    if len(hand.bought) > 1:
        hand = hand._replace(bought=dict(sorted(hand.bought.items())))
    return ReadFacts(dict(sorted(facts_of(hand).items())), hand)


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [list(item) if isinstance(item, tuple) else item for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def _require_one_ending(hand: Hand, facts: Mapping[str, Any]) -> None:
    endings = [
        key
        for key, present in (
            ("misdeal", hand.misdeal),
            ("passed_out", hand.passed_out),
            ("revoke", hand.revoke is not None),
            ("foul", hand.foul is not None),
        )
        if present
    ]
    if len(endings) > 1:
        raise FactsClash(field=endings[1], other=endings[0])
    ending = endings[0]
    if ending in _ALONGSIDE:
        for key in facts:
            if key not in _ALONGSIDE[ending] and key not in ("misdeal", "passed_out"):
                raise FactsClash(field=key, other=ending)


_UNPLAYED = frozenset({"players", "dealer", "bought", "peeks", "bids", "note"})
PASSED_OUT_FACTS: Final = _UNPLAYED | {"took_card", "passed_out"}
"""What may be said of a hand that everybody passed."""

_ALONGSIDE = {"misdeal": _UNPLAYED, "passed_out": PASSED_OUT_FACTS}


def _require_conceded(hand: Hand) -> None:
    """A hand that the defenders gave up was not played, so it has no tricks, no revoke and no failure."""
    conceded = "surrendered" if hand.surrendered else "granted"
    if hand.surrendered and hand.granted is not None:
        raise FactsClash(field="granted", other="surrendered")
    if hand.made is False:
        raise FactsClash(field="made", other=conceded)
    for key in ("tricks", "revoke", "foul"):
        if getattr(hand, key) is not None:
            raise FactsClash(field=key, other=conceded)


# One reader a key


def player(value: object, field: str) -> str:
    """Return a player's name or id; whether he sits at the table is for the rules to say."""
    if (
        type(value) is str
        and value.isascii()
        and value.isprintable()
        and 0 < len(value) <= 60
        and value[0] != " " != value[-1]
    ):
        return value
    return values.name(value, field)


def _players(value: object, field: str) -> tuple[str, ...]:
    found = tuple(player(item, field) for item in values.sequence(value, field, PLAYER_LIMIT))
    if len(set(found)) != len(found):
        raise BadValue(field=field, wanted="a list that names each player once")
    return found


def seated_players(value: object, field: str) -> tuple[str, ...]:
    """Return the players of a table in seat order, each name checked and named once."""
    found = tuple(values.name(item, field) for item in values.sequence(value, field, PLAYER_LIMIT))
    if not found or len(set(found)) != len(found):
        raise BadValue(field=field, wanted="a list of players, each named once")
    return found


def _peeks(value: object, field: str) -> tuple[str, ...]:
    found = tuple(player(item, field) for item in values.sequence(value, field, PLAYER_LIMIT))
    if len(found) > 1 and len(set(found)) != len(found):
        again = next(name for index, name in enumerate(found) if name in found[:index])
        raise AlreadyPeeked(field=field, player=again)
    return found


def _offenders(value: object, field: str) -> tuple[str, ...]:
    """A player who offends twice is fined once (contract, section 2)."""
    return tuple(dict.fromkeys(player(item, field) for item in values.sequence(value, field, 100)))


def _bought(value: object, field: str) -> Mapping[str, int]:
    bought = values.mapping(value, field)
    if len(bought) > PLAYER_LIMIT:
        raise BadValue(field=field, wanted=f"at most {PLAYER_LIMIT} players")
    found: dict[str, int] = {}
    for name, cards in bought.items():
        buyer = player(name, field)
        if buyer in found:
            raise AlreadyBought(field=field, player=buyer)
        found[buyer] = values.integer(cards, f"{field}.{name}", 0, 5)
    return found


def _bids(value: object, field: str) -> tuple[tuple[str, str], ...]:
    calls = []
    for index, item in enumerate(values.sequence(value, field, 200)):
        if type(item) is not list or len(item) != 2 or not isinstance(item[1], str) or len(item[1]) > 40:
            raise BadValue(field=f"{field}[{index}]", wanted='a player and his bid, or "pass"')
        calls.append((player(item[0], f"{field}[{index}]"), item[1]))
    return tuple(calls)


def _bid(value: object, field: str) -> str:
    if isinstance(value, str) and 0 < len(value) <= 40:
        return value
    raise BadValue(field=field, wanted="the id of a bid")


def _tricks(value: object, field: str) -> int:
    return values.integer(value, field, 0, 26)


_READ: dict[str, Callable[[object, str], Any]] = {
    "players": seated_players,
    "out": _players,
    "dealer": player,
    "bought": _bought,
    "peeks": _peeks,
    "bids": _bids,
    "bidder": player,
    "bid": _bid,
    "made": values.flag,
    "tricks": _tricks,
    "took_card": values.flag,
    "took_widow": values.flag,
    "trumps": lambda value, field: values.choice(value, field, SUITS),
    "revoke": player,
    "led_out_of_turn": _offenders,
    "played_out_of_turn": _offenders,
    "foul": lambda value, field: values.choice(value, field, FOULS),
    "misdeal": values.flag,
    "passed_out": values.flag,
    "surrendered": values.flag,
    "granted": _tricks,
    "note": values.text,
}
_UNSAID: Final = tuple(Hand())
_READERS: Final = {key: (index, _READ[key]) for index, key in enumerate(Hand._fields)}
