"""Events to what a club is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ledger import events as ev
from ledger.club.entries import entries_of, moved_parties
from ledger.club.state import Amounts, Clock, Club, ClubMember, ClubNight, ClubTable, Payment, Season
from ledger.errors import (
    TotalTooLarge,
)
from ledger.journal import (
    JournalEntry,
)
from ledger.values import TOTAL_LIMIT


def evolve(club: Club | None, event: ev.ClubEvent, version: int) -> tuple[Club, tuple[JournalEntry, ...]]:
    """Return what a club is after an event, and the journal entries that the event makes."""
    if isinstance(event, ev.ClubFounded):
        founded = Club(
            id=event.club,
            name=event.name,
            zone=event.zone,
            cut_off=event.cut_off,
            money=event.money,
            version=version,
            currencies=_decimals(event.money),
        )
        return founded, ()
    if club is None:
        raise AssertionError(f"{type(event).__name__} comes before ClubFounded")
    after = _evolve(club, event)
    for night, unit, parties in moved_parties(event):
        after = _with_moved(after, night, unit, parties)
    return replace(after, version=version), entries_of(event)


def _evolve(club: Club, event: ev.ClubEvent) -> Club:
    match event:
        case ev.ClubChanged(name=name, zone=zone, cut_off=cut_off):
            if zone is not None or cut_off is not None:
                former = Clock(until=club.version, zone=club.zone, cut_off=club.cut_off)
                club = replace(club, clocks=(*club.clocks, former))
            return replace(club, name=name or club.name, zone=zone or club.zone, cut_off=cut_off or club.cut_off)
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
        case ev.TableOpened() | ev.TableChanged() | ev.TableMoneyChanged() | ev.TableClosed():
            tables = {**club.tables, event.table: _table(club, event)}
            currencies = {**club.currencies, **_decimals(tables[event.table].money)}
            return replace(club, tables=tables, currencies=currencies)
        case ev.RulebookPublished(rulebook=rulebook):
            return replace(club, rulebooks={**club.rulebooks, rulebook: event})
        case ev.SeasonStarted(season=season, name=name, date=date):
            return replace(club, seasons={**club.seasons, season: Season(id=season, name=name, started=date)})
        case ev.SeasonEnded(season=season, date=date):
            return replace(club, seasons={**club.seasons, season: replace(club.seasons[season], ended=date)})
        case ev.NightBegan(night=night, table=table, date=date, banker=banker):
            known = club.tables[table]
            began = ClubNight(id=night, table=table, date=date, chips=known.unit, money=known.money, banker=banker)
            tables = {**club.tables, table: replace(known, holder=banker)}
            return replace(club, tables=tables, nights={**club.nights, night: began})
        case ev.NightEnded(night=night, revision=revision, players=players, due=due):
            return _night(club, night, closed=True, revision=revision, players=tuple(players), due=due)
        case ev.NightResumed(night=night, revision=revision):
            return _night(club, night, closed=False, revision=revision)
        case ev.ClosedHandCorrected(night=night, late=late):
            club = _night(club, night, corrections=(*club.nights[night].corrections, event))
            return club if late is None else _without_late(club, late)
        case ev.LateHandKept(command=command):
            return replace(club, late={**club.late, command: event})
        case ev.LateHandRefused(command=command):
            return _without_late(club, command)
        case ev.PaymentRecorded(payment=payment):
            return replace(club, payments={**club.payments, payment: Payment(event=event)})
        case ev.PaymentReversed(payment=payment):
            paid = replace(club.payments[payment], reversed=True)
            return replace(club, payments={**club.payments, payment: paid})
        case ev.AdjustmentPosted() | ev.TableCharged() | ev.CashCounted():
            return club
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of a club that exists")


def _with_moved(club: Club, night: str | None, unit: str, parties: Amounts) -> Club:
    """Let what belongs to a night, or to none, move for some parties. Raises ``TotalTooLarge``."""
    before = club.on_account.get(unit, {}) if night is None else club.nights[night].moved
    moved = {**before, **{party: before.get(party, 0) + amount for party, amount in parties.items()}}
    for party, amount in moved.items():
        if not -TOTAL_LIMIT <= amount <= TOTAL_LIMIT:
            raise TotalTooLarge(field=f"what {party} has to come")
    if night is None:
        return replace(club, on_account={**club.on_account, unit: moved})
    return _night(club, night, moved=moved)


def _decimals(money: ev.Money | None) -> dict[str, int]:
    return {} if money is None else {str(money["currency"]): int(money["exponent"])}


def _table(club: Club, event: ev.TableOpened | ev.TableChanged | ev.TableMoneyChanged | ev.TableClosed) -> ClubTable:
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
                for key in ("name", "rulebook", "digest", "house_rules", "stake", "banker")
                if (value := getattr(event, key)) is not None
            }
            return replace(club.tables[event.table], **given)
        case ev.TableMoneyChanged(money=money, unit=unit):
            return replace(club.tables[event.table], money=money, unit=unit)
        case ev.TableClosed():
            return replace(club.tables[event.table], closed=True)


def _member(club: Club, member: str, **changes: Any) -> Club:  # noqa: ANN401 - fields of ClubMember
    return replace(club, members={**club.members, member: replace(club.members[member], **changes)})


def _night(club: Club, night: str, **changes: Any) -> Club:  # noqa: ANN401 - fields of ClubNight
    return replace(club, nights={**club.nights, night: replace(club.nights[night], **changes)})


def _without_late(club: Club, command: str) -> Club:
    return replace(club, late={key: value for key, value in club.late.items() if key != command})
