"""What people ask of a club."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ledger.commands.money import MoneyCommand
from ledger.commands.reading import (
    Banker,
    CutOff,
    Facts,
    HandNumber,
    HouseRules,
    Id,
    Member,
    Money,
    Name,
    Note,
    Number,
    PoolAtChange,
    PoolAtClose,
    RulebookBody,
    Stake,
    Uuid,
    Zone,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundClub:
    """Begin a club's book."""

    club: Id
    name: Name
    zone: Zone = "Europe/London"
    cut_off: CutOff = "06:00"
    money: Money | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeClub:
    """Give the club another name; or another time zone or cut-off, which hold from the next night on."""

    name: Name | None = None
    zone: Zone | None = None
    cut_off: CutOff | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMember:
    """Add a member or guest; without an id he is called by his number."""

    name: Name
    member: Member | None = None
    number: Number | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameMember:
    """Give a member another name."""

    member: Member
    name: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveMember:
    """Hide a member from choices; balances stay."""

    member: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreMember:
    """Bring an archived member back."""

    member: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeMembers:
    """Say that two memberships are one person, who is called by the second."""

    from_: Member
    into: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseMember:
    """Remove a member's names for good; amounts stay."""

    member: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTable:
    """Open a regular table."""

    name: Name
    rulebook: Id
    table: Id | None = None
    house_rules: HouseRules | None = None
    stake: Stake = 1
    money: Money | None = None
    banker: Banker | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeTable:
    """Change what the next nights of a table begin with; where a chip is to be worth something else, the pool too."""

    table: Id
    name: Name | None = None
    rulebook: Id | None = None
    house_rules: HouseRules | None = None
    stake: Stake | None = None
    money: Money | None = None
    banker: Banker | None = None
    pool: PoolAtChange | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseTable:
    """End a table, and say who gets its pool."""

    table: Id
    pool: PoolAtClose = "split"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRulebook:
    """Add a rulebook of the club's own, or a new version of one."""

    rulebook: RulebookBody


@dataclass(frozen=True, slots=True, kw_only=True)
class StartSeason:
    """Begin a season."""

    name: Name
    season: Id | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndSeason:
    """End a season."""

    season: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectClosedHand:
    """Correct a hand of a closed night, which itself does not move."""

    night: Id
    hand: HandNumber
    facts: Facts
    reason: Note
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitLateHand:
    """Let a hand count that came in after its night was closed."""

    command: Uuid


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseLateHand:
    """Do not let a late hand count."""

    command: Uuid
    reason: Note


ClubCommand: TypeAlias = (
    FoundClub
    | ChangeClub
    | AddMember
    | RenameMember
    | ArchiveMember
    | RestoreMember
    | MergeMembers
    | EraseMember
    | OpenTable
    | ChangeTable
    | CloseTable
    | PublishRulebook
    | StartSeason
    | EndSeason
    | CorrectClosedHand
    | AdmitLateHand
    | RefuseLateHand
    | MoneyCommand
)
