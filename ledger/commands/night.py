"""What people ask of a night."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ledger.commands.reading import (
    Banker,
    BidId,
    Cards,
    Chips,
    Counts,
    Date,
    Facts,
    Flag,
    Gap,
    HandNumber,
    HouseRules,
    Id,
    Irregularities,
    Member,
    Members,
    Money,
    NoChips,
    Note,
    PoolAtClose,
    Seat,
    Stake,
    Tricks,
    Uuid,
    Version,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenNight:
    """Open a night of a table; what is left out comes from the table."""

    table: Id
    players: Members
    dealer: Member
    night: Id | None = None
    date: Date | None = None
    rulebook: Id | None = None
    house_rules: HouseRules | None = None
    stake: Stake | None = None
    money: Money | None = None
    banker: Banker | None = None
    pool: NoChips = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlayer:
    """Seat a player from the next deal on; without a seat he sits last."""

    player: Member
    seat: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseatPlayer:
    """Let a player leave; a hand in progress is finished on his account."""

    player: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class Reseat:
    """Change the seat order, from the next deal or, as a correction, from a past hand on."""

    players: Members
    from_hand: HandNumber | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetDealer:
    """Say who deals the next hand."""

    player: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class BuyIn:
    """Give chips from the till to a player."""

    player: Member
    chips: Chips
    paid: NoChips = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CashOut:
    """Give a player's chips back to the till."""

    player: Member
    chips: Chips
    paid: NoChips = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """Give chips from one player to another."""

    from_: Member
    to: Member
    chips: Chips
    paid: NoChips = 0
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BuyCards:
    """Buy cards, once in a hand, for chips to the pool."""

    hand: HandNumber
    player: Member
    cards: Cards


@dataclass(frozen=True, slots=True, kw_only=True)
class Peek:
    """Pay to look at the peep card, once in a hand."""

    hand: HandNumber
    player: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class Bid:
    """Outbid the table."""

    hand: HandNumber
    player: Member
    bid: BidId


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Decline to bid; when everybody has, the hand is over."""

    hand: HandNumber
    player: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class TakePeepCard:
    """Say whether the bidder took the peep card."""

    hand: HandNumber
    taken: Flag


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOutcome:
    """Say how a hand that was followed step by step ended."""

    hand: HandNumber
    made: Flag | None = None
    tricks: Tricks | None = None
    irregularities: Irregularities | None = None
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclareMisdeal:
    """Say that a hand was misdealt."""

    hand: HandNumber
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordHand:
    """Record a whole hand by its facts, which stand beside ``hand`` in the data."""

    hand: HandNumber
    facts: Facts
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectHand:
    """Replace the facts of a hand; every later hand of the night is worked out again."""

    hand: HandNumber
    facts: Facts
    reason: Note
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidHand:
    """Let a hand count as never dealt."""

    hand: HandNumber
    reason: Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Take back the newest command, named by its id or by the version of its last event."""

    command: Uuid | None = None
    version: Version | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRules:
    """Replace house rules, rulebook or stake from the next hand on; same family of games."""

    rulebook: Id | None = None
    house_rules: HouseRules | None = None
    stake: Stake | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountChips:
    """Compare what lies on the table with the book, and decide about the gap."""

    counts: Counts
    gap: Gap


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """Say that a hand is recorded wrongly; it counts until it is corrected. ``player`` is who says so."""

    hand: HandNumber
    player: Member | None = None
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveDispute:
    """Say that a dispute is settled."""

    hand: HandNumber
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddNote:
    """Write a note to a night or to one of its hands."""

    note: Note
    hand: HandNumber | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseNight:
    """Close a night, and say what becomes of the pool; left out, the rulebook says."""

    pool: PoolAtClose | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenNight:
    """Open a closed night again, as a new revision."""

    reason: Note


NightCommand: TypeAlias = (
    OpenNight
    | SeatPlayer
    | UnseatPlayer
    | Reseat
    | SetDealer
    | BuyIn
    | CashOut
    | Transfer
    | BuyCards
    | Peek
    | Bid
    | Pass
    | TakePeepCard
    | RecordOutcome
    | DeclareMisdeal
    | RecordHand
    | CorrectHand
    | VoidHand
    | Undo
    | ChangeRules
    | CountChips
    | Dispute
    | ResolveDispute
    | AddNote
    | CloseNight
    | ReopenNight
)
