"""What happened at a table and in a club: past tense, immutable, and true for ever.

Fields hold plain JSON values, since an event is stored as it is. A name or a note is a reference to a text kept
beside the events (``{"ref", "sha256"}``), so that erasing it leaves the events whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Text: TypeAlias = Mapping[str, str]
Facts: TypeAlias = Mapping[str, Any]
Money: TypeAlias = Mapping[str, Any]


# A night


@dataclass(frozen=True, slots=True, kw_only=True)
class NightOpened:
    """A night began, with all that it depends on."""

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
    banker: str | None = None


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


# A club


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubFounded:
    club: str
    name: Text
    zone: str
    cut_off: str
    money: Money | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberAdded:
    member: str
    number: int
    name: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberRenamed:
    member: str
    name: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberArchived:
    member: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberRestored:
    member: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MembersMerged:
    """One person had two memberships; what names the first means the second from now on."""

    from_member: str
    into_member: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberErased:
    """A member's names were removed, those of all aliases too; amounts stay."""

    member: str
    aliases: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOpened:
    table: str
    name: Text
    rulebook: str
    digest: str
    house_rules: Mapping[str, Any]
    stake: int
    unit: str
    money: Money | None = None
    banker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChanged:
    """A table's name, or the rules and stake that its next nights begin with."""

    table: str
    name: Text | None = None
    rulebook: str | None = None
    digest: str | None = None
    house_rules: Mapping[str, Any] | None = None
    stake: int | None = None
    money: Money | None = None
    banker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableClosed:
    """A table ended, and its pool went to members, share by share."""

    table: str
    pool: str
    unit: str
    shares: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookPublished:
    """The club's own rulebook; its text stands in the event, its effective form beside the events."""

    rulebook: str
    digest: str
    title: Mapping[str, str]
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonStarted:
    season: str
    name: Text
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonEnded:
    season: str
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NightBegan:
    """A table has a night; what happens there is in the night's own stream."""

    night: str
    table: str
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NightEnded:
    """A night of a table was closed; ``players`` are all who sat in it."""

    night: str
    revision: int
    players: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NightResumed:
    night: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedHandCorrected:
    """A hand of a closed night was corrected; the differences went to member accounts, pool and shortage."""

    night: str
    hand: int
    facts: Facts
    reason: Text | None
    table: str
    unit: str
    members: Mapping[str, int]
    pool: int
    shortage: int
    note: Text | None = None
    late: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LateHandKept:
    """A hand came in after its night was closed, and waits for the treasurer."""

    command: str
    night: str
    hand: int
    facts: Facts
    note: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LateHandRefused:
    command: str
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

ClubEvent: TypeAlias = (
    ClubFounded
    | MemberAdded
    | MemberRenamed
    | MemberArchived
    | MemberRestored
    | MembersMerged
    | MemberErased
    | TableOpened
    | TableChanged
    | TableClosed
    | RulebookPublished
    | SeasonStarted
    | SeasonEnded
    | NightBegan
    | NightEnded
    | NightResumed
    | ClosedHandCorrected
    | LateHandKept
    | LateHandRefused
)

Event: TypeAlias = NightEvent | ClubEvent
