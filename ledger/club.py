"""The aggregate of a club's own affairs: members, tables, seasons, rulebooks, and which nights there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

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
    TotalTooLarge,
)
from ledger.journal import (
    CASH,
    CHARGES,
    SHORTAGE,
    TILL,
    JournalEntry,
    cash_account,
    entry,
    exchanged,
    member_account,
    party_account,
    pool_account,
    post,
    settled_in,
    worth,
)
from ledger.values import TOTAL_LIMIT

Amounts: TypeAlias = Mapping[str, int]
"""Amounts of one unit, or chips, by party."""


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
    """A regular table, and what its next night begins with. ``holder`` has the money of its pool."""

    id: str
    name: ev.Text
    rulebook: str
    digest: str
    house_rules: Mapping[str, Any]
    stake: int
    unit: str
    money: ev.Money | None
    banker: str
    holder: str = TILL
    closed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubNight:
    """What the club knows of a night. ``players`` are all who sat in it, known once it is closed.

    ``chips`` is the unit it was played in, ``money`` what one is worth. ``due`` is what each party had to come when it
    was closed last, ``moved`` what became of that outside the night: payments, corrections, adjustments, charges. Both
    are in ``unit`` and sum to zero.
    """

    id: str
    table: str
    date: str
    chips: str
    money: ev.Money | None
    banker: str = TILL
    closed: bool = False
    revision: int = 1
    players: tuple[str, ...] = ()
    corrections: tuple[ev.ClosedHandCorrected, ...] = ()
    due: Amounts = field(default_factory=dict)
    moved: Amounts = field(default_factory=dict)

    @property
    def unit(self) -> str:
        """Return the unit that it is settled in."""
        return settled_in(self.chips, self.money)


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """A payment, and whether it was reversed."""

    event: ev.PaymentRecorded
    reversed: bool = False


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
    payments: Mapping[str, Payment] = field(default_factory=dict)
    currencies: Mapping[str, int] = field(default_factory=dict)
    """The decimals of every currency that the club or a table of its ever counted in."""
    on_account: Mapping[str, Amounts] = field(default_factory=dict)
    """By unit, what each party has to come that belongs to no night; it sums to zero."""

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

    def exponents(self) -> dict[str, int]:
        """Return how many decimals each currency has that the club counts in; chips have none and are not named."""
        return dict(self.currencies)

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


def nights_of(club: Club, *, table: str | None = None, season: str | None = None) -> list[ClubNight]:
    """Return the closed nights of a table, of a season, or all, by date. Raises ``TableUnknown``, ``SeasonUnknown``."""
    if table is not None and table not in club.tables:
        raise TableUnknown(field="table", table=table)
    if season is not None and season not in club.seasons:
        raise SeasonUnknown(field="season", season=season)
    days = None if season is None else club.seasons[season]
    nights = [
        night
        for night in club.nights.values()
        if night.closed
        and table in (None, night.table)
        and (days is None or days.started <= night.date <= (days.ended or night.date))
    ]
    return sorted(nights, key=lambda night: night.date)


# Evolve


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
    for night, unit, parties in _moved_parties(event):
        after = _with_moved(after, night, unit, parties)
    return replace(after, version=version), entries_of(event)


def entries_of(event: ev.ClubEvent) -> tuple[JournalEntry, ...]:
    """Return the journal entries of an event of the club; most move nothing."""
    amounts: dict[tuple[str, str], int] = {}
    hand: int | None = None
    match event:
        case ev.TableClosed(unit=unit, money=money, shares=shares):
            memo = "pool shared"
            _shared_out(amounts, event.table, unit, money, shares)
        case ev.TableMoneyChanged():
            memo = "pool shared" if event.shares else "money changed"
            _money_changed(amounts, event)
        case ev.ClosedHandCorrected(unit=unit, money=money):
            memo, hand = "correction", event.hand
            members = {member_account(member): chips for member, chips in event.members.items()}
            exchanged(amounts, members, unit, money)
            post(amounts, pool_account(event.table), unit, event.pool)
            post(amounts, SHORTAGE, unit, event.shortage)
        case ev.PaymentRecorded(from_party=payer, to_party=payee, amount=amount, unit=unit):
            memo = "payment"
            amounts = {(cash_account(payer), unit): amount, (cash_account(payee), unit): -amount}
        case ev.PaymentReversed(from_party=payer, to_party=payee, amount=amount, unit=unit):
            memo = "payment reversed"
            amounts = {(cash_account(payer), unit): -amount, (cash_account(payee), unit): amount}
        case ev.AdjustmentPosted(from_party=giver, to_party=taker, amount=amount, unit=unit):
            memo, hand = "adjustment", event.hand
            amounts = {(party_account(giver), unit): -amount, (party_account(taker), unit): amount}
        case ev.TableCharged(members=charged, amount_each=amount, unit=unit):
            memo = "table charge"
            amounts = {(member_account(member), unit): -amount for member in charged}
            amounts[CHARGES, unit] = amount * len(charged)
        case ev.CashCounted(gap=gap, unit=unit):
            memo = "cash counted"
            amounts = {(CASH, unit): -gap, (SHORTAGE, unit): gap}
        case _:
            return ()
    return (entry(memo, hand, amounts),) if any(amounts.values()) else ()


def _shared_out(
    amounts: dict[tuple[str, str], int], table: str, unit: str, money: ev.Money | None, shares: Amounts
) -> None:
    exchanged(amounts, {member_account(member): chips for member, chips in shares.items()}, unit, money)
    post(amounts, pool_account(table), unit, -sum(shares.values()))


def _money_changed(amounts: dict[tuple[str, str], int], event: ev.TableMoneyChanged) -> None:
    """Post what becomes of a pool whose chips are worth something else now; the till gives or keeps the difference."""
    if event.shares:
        _shared_out(amounts, event.table, event.old_unit, event.old_money, event.shares)
    elif event.chips:
        pool = pool_account(event.table)
        post(amounts, pool, event.old_unit, -event.chips)
        exchanged(amounts, {TILL: event.chips}, event.old_unit, event.old_money)
        post(amounts, pool, event.unit, event.converted)
        exchanged(amounts, {TILL: -event.converted}, event.unit, event.money)


def parties_moved(event: ev.ClubEvent) -> dict[str, int]:
    """Return what an event moved in all for each party of a settlement; nothing of what changes unit."""
    sums: dict[str, int] = {}
    if not isinstance(event, ev.TableMoneyChanged):
        for _night, _unit, parties in _moved_parties(event):
            for party, amount in parties.items():
                sums[party] = sums.get(party, 0) + amount
    return sums


def _moved_parties(event: ev.ClubEvent) -> list[tuple[str | None, str, Amounts]]:
    """Return what an event moved for the parties of a settlement: of which night (None: of none), unit, by party.

    A pool's money is with whoever holds it: what a pool loses, he owes.
    """
    match event:
        case ev.TableClosed(unit=unit, money=money, shares=shares) if shares:
            return [(None, settled_in(unit, money), _from_holder(event.holder, shares, money))]
        case ev.TableMoneyChanged(old_unit=old_unit, old_money=old, shares=shares):
            if shares:
                return [(None, settled_in(old_unit, old), _from_holder(event.holder, shares, old))]
            changed = ((old_unit, old, -event.chips), (event.unit, event.money, event.converted))
            return [
                (None, settled_in(unit, money), {event.holder: worth(chips, money), TILL: -worth(chips, money)})
                for unit, money, chips in changed
                if event.holder != TILL
            ]
        case ev.ClosedHandCorrected(unit=unit, money=money):
            parties = {member: worth(chips, money) for member, chips in event.members.items()}
            for party, chips in ((event.holder, event.pool), (SHORTAGE, event.shortage)):
                parties[party] = parties.get(party, 0) + worth(chips, money)
            return [(event.night, settled_in(unit, money), parties)]
        case ev.PaymentRecorded() | ev.PaymentReversed():
            sign = 1 if isinstance(event, ev.PaymentRecorded) else -1
            settles: list[tuple[str | None, int]] = [(part["night"], part["amount"]) for part in event.nights]
            settles.append((None, event.amount - sum(amount for _night, amount in settles)))
            return [
                (night, event.unit, {event.from_party: sign * amount, event.to_party: -sign * amount})
                for night, amount in settles
                if amount
            ]
        case ev.AdjustmentPosted(from_party=giver, to_party=taker, amount=amount):
            return [(event.night, event.unit, {giver: -amount, taker: amount})]
        case ev.TableCharged(members=charged, amount_each=amount):
            return [(event.night, event.unit, {**dict.fromkeys(charged, -amount), TILL: amount * len(charged)})]
        case ev.CashCounted(gap=gap, unit=unit):
            return [(None, unit, {TILL: -gap, SHORTAGE: gap})]
        case _:
            return []


def _from_holder(holder: str, shares: Amounts, money: ev.Money | None) -> Amounts:
    parties = {member: worth(chips, money) for member, chips in shares.items()}
    return {**parties, holder: parties.get(holder, 0) - worth(sum(shares.values()), money)}


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
