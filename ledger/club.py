"""The aggregate of a club's own affairs: members, tables, seasons, rulebooks, and which nights there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ledger import commands as cmd
from ledger import events as ev
from ledger.errors import (
    ClubExists,
    ClubUnknown,
    MemberExists,
    MemberIsArchived,
    MemberIsErased,
    MemberNotArchived,
    MemberUnknown,
    NightUnknown,
    NumberTaken,
    SameMember,
    SeasonExists,
    SeasonIsEnded,
    SeasonUnknown,
    TableIsClosed,
    TableUnknown,
)
from ledger.journal import SHORTAGE, JournalEntry, entry, member_account, pool_account


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubMember:
    """A member or guest. ``names`` are all texts that ever named him; ``alias_of`` is who he turned out to be."""

    id: str
    number: int
    name: ev.Text
    names: tuple[str, ...]
    archived: bool = False
    erased: bool = False
    alias_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubTable:
    """A regular table, and what its next night begins with."""

    id: str
    name: ev.Text
    rulebook: str
    digest: str
    house_rules: Mapping[str, Any]
    stake: int
    unit: str
    money: ev.Money | None
    banker: str | None
    closed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubNight:
    """What the club knows of a night. ``players`` are all who sat in it, known once it is closed."""

    id: str
    table: str
    date: str
    closed: bool = False
    revision: int = 1
    players: tuple[str, ...] = ()
    corrections: tuple[ev.ClosedHandCorrected, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    id: str
    name: ev.Text
    started: str
    ended: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Club:
    """A club's own affairs. Nights are in the order in which they were opened."""

    id: str
    name: ev.Text
    zone: str
    cut_off: str
    money: ev.Money | None
    version: int = 0
    members: Mapping[str, ClubMember] = field(default_factory=dict)
    tables: Mapping[str, ClubTable] = field(default_factory=dict)
    nights: Mapping[str, ClubNight] = field(default_factory=dict)
    rulebooks: Mapping[str, ev.RulebookPublished] = field(default_factory=dict)
    seasons: Mapping[str, Season] = field(default_factory=dict)
    late: Mapping[str, ev.LateHandKept] = field(default_factory=dict)

    def resolved(self, member: str) -> str:
        """Return who a member turned out to be; an unknown id is returned as it is."""
        found = self.members.get(member)
        while found is not None and found.alias_of is not None:
            member = found.alias_of
            found = self.members.get(member)
        return member

    def aliases(self, member: str) -> tuple[str, ...]:
        """Return every id of one person, the one that is used first."""
        one = self.resolved(member)
        return (one, *(other for other in self.members if other != one and self.resolved(other) == one))

    def open_night(self, table: str) -> ClubNight | None:
        """Return the open night of a table."""
        return next((night for night in self.nights.values() if night.table == table and not night.closed), None)

    def latest_night(self, table: str) -> ClubNight | None:
        """Return the night of a table that was opened last."""
        return next((night for night in reversed([*self.nights.values()]) if night.table == table), None)


# Decide


def decide(club: Club | None, command: cmd.ClubCommand, *, today: str) -> list[ev.ClubEvent]:
    """Return the events that a command causes in a club's own affairs, where no night is concerned.

    Raises ``Refused``.
    """
    if isinstance(command, cmd.FoundClub):
        if club is not None:
            raise ClubExists(club=club.id)
        return [
            ev.ClubFounded(
                club=command.club,
                name=command.name,
                zone=command.zone,
                cut_off=command.cut_off,
                money=command.money,
            )
        ]
    if club is None:
        raise ClubUnknown(club="")
    match command:
        case cmd.AddMember():
            return [_added(club, command)]
        case cmd.RenameMember(member=member, name=name):
            require_member(club, member)
            return [ev.MemberRenamed(member=member, name=name)]
        case cmd.ArchiveMember(member=member):
            require_active(club, member)
            return [ev.MemberArchived(member=member)]
        case cmd.RestoreMember(member=member):
            if not require_member(club, member).archived:
                raise MemberNotArchived(field="member", member=member)
            return [ev.MemberRestored(member=member)]
        case cmd.EraseMember(member=member):
            require_member(club, member)
            one, *others = club.aliases(member)
            return [ev.MemberErased(member=one, aliases=others)]
        case cmd.MergeMembers(from_=one, into=other):
            require_member(club, one, "from")
            require_member(club, other, "into")
            if one == other:
                raise SameMember(field="into", member=one)
            return [ev.MembersMerged(from_member=one, into_member=other)]
        case cmd.StartSeason(season=season, name=name):
            season = season or f"season-{len(club.seasons) + 1}"
            if season in club.seasons:
                raise SeasonExists(field="season", season=season)
            return [ev.SeasonStarted(season=season, name=name, date=today)]
        case cmd.EndSeason(season=season):
            if season not in club.seasons:
                raise SeasonUnknown(field="season", season=season)
            if club.seasons[season].ended:
                raise SeasonIsEnded(field="season", season=season)
            return [ev.SeasonEnded(season=season, date=today)]
        case _:
            raise AssertionError(f"{type(command).__name__} is not decided by the club alone")


def _added(club: Club, command: cmd.AddMember) -> ev.MemberAdded:
    taken = {member.number for member in club.members.values()}
    number = command.number or max(taken, default=0) + 1
    if number in taken:
        raise NumberTaken(field="number", number=number)
    member = command.member or free_id(f"m{number}", club.members)
    if member in club.members:
        raise MemberExists(field="member", member=member)
    return ev.MemberAdded(member=member, number=number, name=command.name)


def free_id(wanted: str, taken: Mapping[str, object]) -> str:
    """Return an id for something new: the one wanted, or with ``-2``, ``-3`` behind it."""
    if wanted not in taken:
        return wanted
    return next(name for count in range(2, len(taken) + 3) if (name := f"{wanted}-{count}") not in taken)


def require_member(club: Club, member: str, field: str = "member") -> ClubMember:
    """Return a member. Raises ``MemberUnknown`` and ``MemberIsErased``."""
    found = club.members.get(member)
    if found is None:
        raise MemberUnknown(field=field, member=member)
    if found.erased:
        raise MemberIsErased(field=field, member=member)
    return found


def require_active(club: Club, member: str, field: str = "member") -> ClubMember:
    """Return a member who may sit down. Raises also ``MemberIsArchived``."""
    found = require_member(club, member, field)
    if found.archived:
        raise MemberIsArchived(field=field, member=member)
    return found


def require_table(club: Club, table: str) -> ClubTable:
    """Return a table in use. Raises ``TableUnknown`` and ``TableIsClosed``."""
    found = club.tables.get(table)
    if found is None:
        raise TableUnknown(field="table", table=table)
    if found.closed:
        raise TableIsClosed(field="table", table=table)
    return found


def require_night(club: Club, night: str) -> ClubNight:
    """Return what the club knows of a night. Raises ``NightUnknown``."""
    found = club.nights.get(night)
    if found is None:
        raise NightUnknown(field="night", night=night)
    return found


# Evolve


def evolve(club: Club | None, event: ev.ClubEvent, version: int) -> tuple[Club, tuple[JournalEntry, ...]]:
    """Return what a club is after an event, and the journal entries that the event makes."""
    if isinstance(event, ev.ClubFounded):
        founded = Club(
            id=event.club, name=event.name, zone=event.zone, cut_off=event.cut_off, money=event.money, version=version
        )
        return founded, ()
    if club is None:
        raise AssertionError(f"{type(event).__name__} comes before ClubFounded")
    return replace(_evolve(club, event), version=version), entries_of(event)


def entries_of(event: ev.ClubEvent) -> tuple[JournalEntry, ...]:
    """Return the journal entries of an event of the club; most move nothing."""
    match event:
        case ev.TableClosed(table=table, unit=unit, shares=shares) if shares:
            amounts = {(member_account(member), unit): chips for member, chips in shares.items()}
            return (entry("pool shared", None, {**amounts, (pool_account(table), unit): -sum(shares.values())}),)
        case ev.ClosedHandCorrected(unit=unit):
            amounts = {(member_account(member), unit): chips for member, chips in event.members.items()}
            amounts[(pool_account(event.table), unit)] = event.pool
            amounts[(SHORTAGE, unit)] = event.shortage
            return (entry("correction", event.hand, amounts),) if any(amounts.values()) else ()
        case _:
            return ()


def _evolve(club: Club, event: ev.ClubEvent) -> Club:
    match event:
        case ev.MemberAdded(member=member, number=number, name=name):
            added = ClubMember(id=member, number=number, name=name, names=(name["ref"],))
            return replace(club, members={**club.members, member: added})
        case ev.MemberRenamed(member=member, name=name):
            return _member(club, member, name=name, names=(*club.members[member].names, name["ref"]))
        case ev.MemberArchived(member=member):
            return _member(club, member, archived=True)
        case ev.MemberRestored(member=member):
            return _member(club, member, archived=False)
        case ev.MembersMerged(from_member=one, into_member=other):
            return _member(club, one, alias_of=other)
        case ev.MemberErased(member=member, aliases=aliases):
            for one in (member, *aliases):
                club = _member(club, one, erased=True, archived=True)
            return club
        case ev.TableOpened() | ev.TableChanged() | ev.TableClosed():
            return replace(club, tables={**club.tables, event.table: _table(club, event)})
        case ev.RulebookPublished(rulebook=rulebook):
            return replace(club, rulebooks={**club.rulebooks, rulebook: event})
        case ev.SeasonStarted(season=season, name=name, date=date):
            return replace(club, seasons={**club.seasons, season: Season(id=season, name=name, started=date)})
        case ev.SeasonEnded(season=season, date=date):
            return replace(club, seasons={**club.seasons, season: replace(club.seasons[season], ended=date)})
        case ev.NightBegan(night=night, table=table, date=date):
            return replace(club, nights={**club.nights, night: ClubNight(id=night, table=table, date=date)})
        case ev.NightEnded(night=night, revision=revision, players=players):
            return _night(club, night, closed=True, revision=revision, players=tuple(players))
        case ev.NightResumed(night=night, revision=revision):
            return _night(club, night, closed=False, revision=revision)
        case ev.ClosedHandCorrected(night=night, late=late):
            club = _night(club, night, corrections=(*club.nights[night].corrections, event))
            return club if late is None else _without_late(club, late)
        case ev.LateHandKept(command=command):
            return replace(club, late={**club.late, command: event})
        case ev.LateHandRefused(command=command):
            return _without_late(club, command)
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of a club that exists")


def _table(club: Club, event: ev.TableOpened | ev.TableChanged | ev.TableClosed) -> ClubTable:
    match event:
        case ev.TableOpened():
            return ClubTable(
                id=event.table,
                name=event.name,
                rulebook=event.rulebook,
                digest=event.digest,
                house_rules=event.house_rules,
                stake=event.stake,
                unit=event.unit,
                money=event.money,
                banker=event.banker,
            )
        case ev.TableChanged():
            given = {
                key: value
                for key in ("name", "rulebook", "digest", "house_rules", "stake", "money", "banker")
                if (value := getattr(event, key)) is not None
            }
            return replace(club.tables[event.table], **given)
        case ev.TableClosed():
            return replace(club.tables[event.table], closed=True)


def _member(club: Club, member: str, **changes: Any) -> Club:  # noqa: ANN401 - fields of ClubMember
    return replace(club, members={**club.members, member: replace(club.members[member], **changes)})


def _night(club: Club, night: str, **changes: Any) -> Club:  # noqa: ANN401 - fields of ClubNight
    return replace(club, nights={**club.nights, night: replace(club.nights[night], **changes)})


def _without_late(club: Club, command: str) -> Club:
    return replace(club, late={key: value for key, value in club.late.items() if key != command})
