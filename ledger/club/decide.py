"""Commands to events, where a club alone is concerned; and what must be there for others to be carried out."""

from __future__ import annotations

from collections.abc import Mapping

from ledger import commands as cmd
from ledger import events as ev
from ledger.club.state import Club, ClubMember, ClubNight, ClubTable
from ledger.errors import (
    BadValue,
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
        case cmd.ChangeClub():
            return [_changed(club, command)]
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


def _changed(club: Club, command: cmd.ChangeClub) -> ev.ClubChanged:
    zone = None if command.zone == club.zone else command.zone
    cut_off = None if command.cut_off == club.cut_off else command.cut_off
    if command.name is zone is cut_off is None:
        raise BadValue(field="data", wanted="something that changes")
    return ev.ClubChanged(name=command.name, zone=zone, cut_off=cut_off)


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
