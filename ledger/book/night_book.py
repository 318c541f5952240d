"""Opening, closing and reopening nights, and changing the rules of an open one."""

from __future__ import annotations

from collections.abc import Mapping

from ledger import club as clubs
from ledger import commands as cmd
from ledger import events as ev
from ledger import night as nights
from ledger.book.context import Context, Events
from ledger.book.tables import money_changed, require_banker, require_family
from ledger.club import Club
from ledger.errors import (
    AlreadySeated,
    BadValue,
    LaterNight,
    MoneyChanged,
    NightCorrected,
    NightExists,
    NightPaid,
    NotSeated,
    OtherFamily,
    TableBusy,
)
from ledger.journal import TILL
from ledger.night import Night
from ledger.night.decide import require_closed
from ledger.rulebook import apply_house_rules


def open_night(context: Context, club: Club, command: cmd.OpenNight) -> Events:
    """Return the opening of a night, and what it makes known to the club."""
    table = clubs.require_table(club, command.table)
    busy = club.open_night(table.id)
    if busy is not None:
        raise TableBusy(field="table", table=table.id, night=busy.id)
    for index, player in enumerate(command.players):
        clubs.require_active(club, player, f"players[{index}]")
        if player in command.players[:index]:  # two ids of one person
            raise AlreadySeated(field=f"players[{index}]", player=player)
    if command.dealer not in command.players:
        raise NotSeated(field="dealer", player=command.dealer)
    date = command.date or context.today
    if command.night is not None and command.night in club.nights:
        raise NightExists(field="night", night=command.night)
    night = command.night or clubs.free_id(f"{table.id}-{date}"[:56], club.nights)
    rulebook = command.rulebook or table.rulebook
    house_rules = command.house_rules
    if house_rules is None:
        house_rules = table.house_rules if rulebook == table.rulebook else {}
    if command.rulebook is None and command.house_rules is None:
        book = context.pinned(table.digest, rulebook)
    else:
        book = apply_house_rules(context.book(rulebook), house_rules)
    require_family(context, table, book, rulebook)
    changed = None
    if command.money not in (None, table.money):
        assert command.money is not None
        changed = money_changed(context, club, table, command.money, None, field="money")
    opened = ev.NightOpened(
        night=night,
        table=table.id,
        date=date,
        players=list(command.players),
        dealer=command.dealer,
        rulebook=rulebook,
        digest=context.pin(book),
        house_rules=dict(house_rules),
        stake=command.stake or table.stake,
        unit=table.unit if changed is None else changed.unit,
        pool=0 if book.family == "pepper" else context.pool(table.id, table.unit),
        pool_added=command.pool,
        zone=club.zone,
        cut_off=club.cut_off,
        money=table.money if changed is None else changed.money,
        banker=require_banker(club, command.banker or table.banker) or TILL,
        held_by=table.holder,
    )
    if command.pool and book.family == "pepper":
        raise BadValue(field="pool", wanted="left out: Pepper has no pool")
    began = ev.NightBegan(night=night, table=table.id, date=date, banker=opened.banker)
    return [opened, *([] if changed is None else [changed]), began]


def night_ended(night: Night, revision: int, due: Mapping[str, int]) -> ev.NightEnded:
    """Return what the club learns of a night that is closed: who sat there, and what each party has to come."""
    return ev.NightEnded(
        night=night.opened.night, revision=revision, players=list(night.sat), unit=night.settled_in, due=due
    )


def reopen(context: Context, club: Club, night: Night, reason: ev.Text) -> Events:
    """Return the reopening of a closed night. Raises ``NightPaid``, ``NightCorrected``, ``LaterNight``."""
    require_closed(night)
    require_may_reopen(club, night.opened.night)
    revision = night.revision + 1
    return [
        ev.NightReopened(revision=revision, reason=reason),
        *_pool_since(context, club, night),
        ev.NightResumed(night=night.opened.night, revision=revision),
    ]


def _pool_since(context: Context, club: Club, night: Night) -> list[ev.PoolAdjusted]:
    """Return what corrections of other nights did to the pool while this one was closed: it finds that now."""
    assert night.ending is not None
    moved = context.pool(night.opened.table, night.opened.unit) - night.ending.carried
    if not moved:
        return []
    corrected = [known for known in club.nights.values() if known.table == night.opened.table and known.corrections]
    return [ev.PoolAdjusted(chips=moved, night=corrected[-1].id, hand=corrected[-1].corrections[-1].hand)]


def require_may_reopen(club: Club, night: str) -> None:
    """A closed night opens again only while nothing was built on it (contract, section 4)."""
    known = club.nights[night]
    if known.corrections:
        raise NightCorrected(night=known.id)
    for payment in club.payments.values():
        if not payment.reversed and any(part["night"] == known.id for part in payment.event.nights):
            raise NightPaid(night=known.id)
    if clubs.require_table(club, known.table).unit != known.chips:
        raise MoneyChanged(night=known.id)
    latest = club.latest_night(known.table)
    if latest is not None and latest.id != known.id:
        raise LaterNight(night=known.id, later=latest.id)


def undo(context: Context, club: Club, night: Night, command: cmd.Undo) -> Events:
    """Return the undoing of a command; a close is undone only as long as a night may be opened again."""
    events: Events = [*nights.decide(night, command)]
    newest = night.newest(command.command, command.version)
    assert newest is not None
    undone = newest.events[0][0]
    if isinstance(undone, ev.NightClosed):
        require_may_reopen(club, night.opened.night)
        events += _pool_since(context, club, night)
        events.append(ev.NightResumed(night=night.opened.night, revision=night.revision + 1))
    elif isinstance(undone, ev.NightReopened):
        events.append(night_ended(night, undone.revision - 1, club.nights[night.opened.night].due))
    return events


def change_rules(context: Context, night: Night, command: cmd.ChangeRules) -> ev.RulesChanged:
    """Return the rules that are in force from the next hand on."""
    if night.closed:
        nights.decide(night, cmd.CountChips(counts={}, gap="leave"))  # refused: the night is closed
    if command.rulebook is None and command.house_rules is None and command.stake is None:
        raise BadValue(field="data", wanted="at least one of rulebook, house_rules and stake")
    rulebook = command.rulebook or night.rulebook
    house_rules = command.house_rules
    if house_rules is None:
        house_rules = night.house_rules if command.rulebook in (None, night.rulebook) else {}
    current = night.rules.book
    if command.rulebook is None and command.house_rules is None:
        book = current  # as it was pinned, whatever goes by that name today
    else:
        book = apply_house_rules(context.book(rulebook), house_rules)
    if book.family != current.family:
        raise OtherFamily(field="rulebook", rulebook=rulebook, current=night.rulebook)
    return ev.RulesChanged(
        rulebook=rulebook,
        digest=context.pin(book),
        house_rules=dict(house_rules),
        stake=command.stake or night.rules.stake,
    )
