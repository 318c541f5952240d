"""What a rulebook says, typed, with every default filled in. Chips and points are whole numbers at stake 1."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

PoolEffect = Literal["none", "double", "per_player"] | int
"""What a failed bid does to the pool; a number is that many chips into it."""

WIDOW_BID: Final = "nap"
"""What taking the widow forces (Foster; contract section 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bid:
    """A row of the payment table: what the bidder collects from each payer, or pays to each."""

    id: str
    title: Mapping[str, str]
    tricks: int
    exactly: bool
    collects: int
    pays: int
    takes_pool: bool
    on_fail_pool: PoolEffect
    pays_players: bool
    over: str | None
    trumps: bool
    unattested: bool
    defenders: int | None

    def made_with(self, tricks: int) -> bool:
        """Tell whether so many tricks of the bidding side make the bid."""
        return tricks == self.tricks if self.exactly else tricks >= self.tricks


@dataclass(frozen=True, slots=True, kw_only=True)
class Buy:
    """The price of bought cards, to the pool: a card, or the hand whatever their number."""

    price: int
    per: Literal["card", "hand"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Widow:
    """What it costs to take the five spare cards and fail."""

    fail_pays: int
    on_fail_pool: PoolEffect


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What feeds the pool, and what becomes of it."""

    opening_stake: int
    ante: int
    dealer_stake: int
    peek: int | None
    buy: Buy | None
    widow: Widow | None
    join_fee: Literal["opening", "none", "fair_share"]
    stakes_stand_when_passed: bool
    failed_pot: Literal["carry", "refund"]
    at_close: Literal["carry", "split", "draw"]
    refund_on_misdeal: bool
    revoke_awards_pool: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fine:
    """Chips, and whom they go to."""

    chips: int
    to: Literal["bidder", "pool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How two teams count to the target."""

    target: int
    both_reach: Literal["play_on", "higher", "bidder"]
    swept: Literal["lose_bid", "nothing"]
    score_what_you_get: bool
    dirty_clubs: bool
    surrender: bool
    pepper_round: int
    negotiate: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakes:
    """Chips that each loser of a game pays the winner at his left."""

    per_game: int
    per_point: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Rulebook:
    """One game as a club plays it. Two rulebooks with the same digest score every hand alike."""

    id: str
    title: Mapping[str, str]
    family: Literal["nap", "pepper"]
    source: str
    notes: str
    players: tuple[int, int]
    tricks: int
    dealer_sits_out_from: int | None
    dealer_out_pays: bool
    all_pass: Literal["redeal_next", "redeal_same", "dealer_min", "eldest_min", "double_next"]
    nap_may_raise: bool
    minimum_bid: str
    until_passed: bool
    bids: tuple[Bid, ...]
    pool: Pool
    fines: Mapping[str, Fine]
    score: Score | None
    stakes: Stakes
    examples: tuple[Mapping[str, Any], ...]
    house_rules: Mapping[str, Any]
    raw: Mapping[str, Any]

    @cached_property
    def effective(self) -> Mapping[str, Any]:
        """Return everything that scores a hand, as data of the file's shape with the defaults filled in."""
        return _effective(self)

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 of everything that scores a hand, as RFC 8785 JSON.

        Keys are ASCII and numbers small integers, so sorted compact JSON is the canonical form; a test holds it
        against a library that implements the RFC.
        """
        return hashlib.sha256(self.canonical.encode()).hexdigest()

    @cached_property
    def canonical(self) -> str:
        """Return the effective rulebook as canonical JSON, as it is stored with a book."""
        return json.dumps(self.effective, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @cached_property
    def bids_by_id(self) -> dict[str, Bid]:
        """Return the ladder by bid id, bids below the minimum included."""
        return {bid.id: bid for bid in self.bids}

    @cached_property
    def rank(self) -> dict[str, int]:
        """Return the rank of each bid, lowest first, from the minimum bid upwards."""
        lowest = next(index for index, bid in enumerate(self.bids) if bid.id == self.minimum_bid)
        return {bid.id: index for index, bid in enumerate(self.bids) if index >= lowest}

    def name(self, language: str = "en") -> str:
        """Return the title in a language, else in English, else in any."""
        return title_in(self.title, language) or self.id

    def bid_name(self, bid: str, language: str = "en") -> str:
        """Return what people call a bid."""
        return title_in(self.bids_by_id[bid].title, language) or bid


def title_in(title: Mapping[str, str], language: str) -> str:
    """Return a text in a language, else in English, else the first there is."""
    return title.get(language) or title.get("en") or next(iter(title.values()), "")


def _effective(book: Rulebook) -> dict[str, Any]:
    """Return the rulebook as data of the file's shape: defaults filled in, without what scores nothing."""
    nap = book.family == "nap"
    data: dict[str, Any] = {
        "family": book.family,
        "table": {
            "players": list(book.players),
            "tricks": book.tricks,
            "dealer_sits_out_from": book.dealer_sits_out_from,
            "dealer_out_pays": book.dealer_out_pays,
        },
        "auction": {
            "all_pass": book.all_pass,
            "nap_may_raise": book.nap_may_raise,
            "rounds": "until_passed" if book.until_passed else 1,
        },
        "bids": [_effective_bid(bid, nap=nap) for bid in book.bids],
    }
    if nap or book.all_pass == "dealer_min":
        data["auction"]["minimum_bid"] = book.minimum_bid
    if nap:
        pool = book.pool
        data["pool"] = {
            **{key: getattr(pool, key) for key in Pool.__slots__},
            "buy": pool.buy and {"price": pool.buy.price, "per": pool.buy.per},
            "widow": pool.widow
            and {"fail_pays": pool.widow.fail_pays, "on_fail_pool": _effect(pool.widow.on_fail_pool)},
        }
    data["fines"] = {
        key: {"pool": fine.chips} if key in {"revoke", "misdeal"} else {"chips": fine.chips, "to": fine.to}
        for key, fine in book.fines.items()
    }
    if book.score is not None:
        data["teams"] = {"players": 2}
        data["score"] = {
            **{key: getattr(book.score, key) for key in Score.__slots__},
            "negotiate": dict(book.score.negotiate),
        }
        data["stakes"] = {"per_game": book.stakes.per_game, "per_point": book.stakes.per_point}
    return data


def _effective_bid(bid: Bid, *, nap: bool) -> dict[str, Any]:
    data = {key: getattr(bid, key) for key in ("id", "tricks", "exactly", "collects", "pays", "over", "trumps")}
    if nap:
        return {
            **data,
            "takes_pool": bid.takes_pool,
            "on_fail_pool": _effect(bid.on_fail_pool),
            "pays_players": bid.pays_players,
        }
    return {**data, "defenders": bid.defenders}


def _effect(effect: PoolEffect) -> str | dict[str, int]:
    return {"fixed": effect} if isinstance(effect, int) else effect
