"""What happened in a night."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ledger.events.shapes import Facts, Money, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class NightOpened:
    """A night began, with all that it depends on.

    ``banker`` holds the money for bought chips and for the pool; ``held_by`` holds that of the ``pool`` brought
    forward, and hands it on where that is another.
    """

    night: str
    table: str
    date: str
    players: Sequence[str]
    dealer: str
    rulebook: str
    digest: str
    house_rules: Mapping[str, Any]
    stake: int
    unit: str
    pool: int
    pool_added: int
    zone: str
    cut_off: str
    money: Money | None = None
    banker: str = "till"
    held_by: str = "till"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerSeated:
    player: str
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerUnseated:
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersReseated:
    """The seat order was changed, or had been recorded wrongly since a hand."""

    players: Sequence[str]
    from_hand: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerSet:
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipsBought:
    """Chips came from the till. ``paid`` is money, in minor units, that changed hands at once."""

    player: str
    chips: int
    paid: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipsSold:
    player: str
    chips: int
    paid: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipsTransferred:
    from_player: str
    to_player: str
    chips: int
    paid: int = 0
    note: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandDealt:
    """A hand began: who is in it, who deals; its stakes are posted."""

    hand: int
    players: Sequence[str]
    dealer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsBought:
    hand: int
    player: str
    cards: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PeekPaid:
    hand: int
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BidMade:
    hand: int
    player: str
    bid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    hand: int
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PeepCardTaken:
    hand: int
    taken: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRecorded:
    """A hand that was followed step by step came to its end."""

    hand: int
    facts: Facts
    note: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandPassedOut:
    """Everybody passed, and no bid falls to anyone."""

    hand: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MisdealDeclared:
    hand: int
    note: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandRecorded:
    """A whole hand was recorded; it replaces what was logged of it step by step."""

    hand: int
    facts: Facts
    note: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandCorrected:
    hand: int
    facts: Facts
    reason: Text
    note: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandVoided:
    """A hand counts as if it had never been dealt; its number stays."""

    hand: int
    reason: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandUndone:
    """One whole command was taken back."""

    command: str
    first_version: int
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesChanged:
    """Other rules are in force from the next hand."""

    rulebook: str
    digest: str
    house_rules: Mapping[str, Any]
    stake: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipsCounted:
    """The chips on the table were counted. With gap ``shortage`` the count is the fact."""

    counts: Mapping[str, int]
    gap: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandDisputed:
    hand: int
    player: str | None = None
    note: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeResolved:
    hand: int
    note: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteAdded:
    note: Text
    hand: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolAdjusted:
    """A correction of a closed night reached the pool of this table while this night was open.

    Its postings are in the club's stream, with the correction.
    """

    chips: int
    night: str
    hand: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NightClosed:
    """A night ended: what became of the pool, share by share, and each player's result in chips."""

    revision: int
    pool: str | Mapping[str, str]
    shares: Mapping[str, int]
    carried: int
    results: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NightReopened:
    revision: int
    reason: Text


NightEvent: TypeAlias = (
    NightOpened
    | PlayerSeated
    | PlayerUnseated
    | PlayersReseated
    | DealerSet
    | ChipsBought
    | ChipsSold
    | ChipsTransferred
    | HandDealt
    | CardsBought
    | PeekPaid
    | BidMade
    | Passed
    | PeepCardTaken
    | OutcomeRecorded
    | HandPassedOut
    | MisdealDeclared
    | HandRecorded
    | HandCorrected
    | HandVoided
    | CommandUndone
    | RulesChanged
    | ChipsCounted
    | HandDisputed
    | DisputeResolved
    | NoteAdded
    | PoolAdjusted
    | NightClosed
    | NightReopened
)
