"""What one hand leaves to the next, and what a hand came to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ledger.payments import Record


class Standing(NamedTuple):
    """Stakes that stand for the next deal because this one was not played."""

    opening: bool
    passed: bool
    openers: frozenset[str]
    anters: frozenset[str]
    dealers: frozenset[str]
    stakes: Mapping[str, int]


class Game(NamedTuple):
    """A game of Pepper: the pairs by seat, their scores, how many hands were played, the winner once there is one."""

    first: tuple[str, str]
    second: tuple[str, str]
    scores: tuple[int, int]
    hands: int = 0
    winner: str | None = None
    number: int = 1


class Carry(NamedTuple):
    """What one hand leaves to the next. Chips are whole numbers.

    ``dealer`` dealt last and ``step`` is how many seats the deal moves on; ``members`` have paid their way into
    the present pool.
    """

    seats: tuple[str, ...]
    dealer: str
    step: int
    pool: int
    members: frozenset[str]
    standing: Standing | None = None
    doubled: bool = False
    game: Game | None = None
    dealt: bool = False


class Played(NamedTuple):
    """What a hand came to. ``changes`` are chips to each payer (Pepper: points to each team); positive is a gain."""

    carry: Carry
    payers: tuple[str, ...]
    dealer: str
    bidder: str | None
    bid: str | None
    result: str
    changes: dict[str, int]
    record: Record


def start(seats: tuple[str, ...], dealer: str, pool: int = 0) -> Carry:
    """Return what the first hand of a night finds: the players seated, who deals, and what the pool holds."""
    return Carry(seats, dealer, 0, pool, frozenset())


def team_names(game: Game) -> tuple[str, str]:
    """Return the names of both teams: first seat and third, second and fourth."""
    return "+".join(game.first), "+".join(game.second)
