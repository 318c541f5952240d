"""What happened in a club."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ledger.events.money import MoneyEvent
from ledger.events.shapes import Facts, Money, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubFounded:
    club: str
    name: Text
    zone: str
    cut_off: str
    money: Money | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubChanged:
    """The club's name, or the zone and cut-off by which its days go from now on; days that were stay what they were."""

    name: Text | None = None
    zone: str | None = None
    cut_off: str | None = None


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
    banker: str = "till"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChanged:
    """A table's name, or the rules and stake that its next nights begin with."""

    table: str
    name: Text | None = None
    rulebook: str | None = None
    digest: str | None = None
    house_rules: Mapping[str, Any] | None = None
    stake: int | None = None
    banker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableClosed:
    """A table ended, and its pool went to members, share by share, from whoever held its money."""

    table: str
    pool: str
    unit: str
    shares: Mapping[str, int]
    holder: str = "till"
    money: Money | None = None


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
    """A table has a night; what happens there is in the night's own stream. ``banker`` holds the pool's money now."""

    night: str
    table: str
    date: str
    banker: str = "till"


@dataclass(frozen=True, slots=True, kw_only=True)
class NightEnded:
    """A night of a table was closed; ``players`` are all who sat in it.

    ``due`` is, in ``unit``, what each party has to come from it, or owes (below zero); it sums to zero.
    """

    night: str
    revision: int
    players: Sequence[str]
    unit: str
    due: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NightResumed:
    night: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedHandCorrected:
    """A hand of a closed night was corrected; the differences went to member accounts, pool and shortage.

    ``members``, ``pool`` and ``shortage`` are in chips and sum to zero; ``holder`` has the money of the pool.
    """

    night: str
    hand: int
    facts: Facts
    reason: Text | None
    table: str
    unit: str
    members: Mapping[str, int]
    pool: int
    shortage: int
    holder: str = "till"
    money: Money | None = None
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


ClubEvent: TypeAlias = (
    ClubFounded
    | ClubChanged
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
    | MoneyEvent
)
