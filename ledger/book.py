"""What concerns a night and its club together: opening, closing, rules, corrections after the close, late hands.

A command answers with events of both streams, written at once; what is known here is exact, since the club is locked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ledger import club as clubs
from ledger import commands as cmd
from ledger import events as ev
from ledger import night as nights
from ledger.club import Club, ClubTable
from ledger.errors import (
    AlreadySeated,
    BadValue,
    BothAtTable,
    HandOpen,
    LateHandUnknown,
    LaterNight,
    MemberSeated,
    NightCorrected,
    NightExists,
    NotSeated,
    OtherFamily,
    TableBusy,
    TableExists,
)
from ledger.hands import Hand, facts_of, read_hand
from ledger.journal import chips_unit
from ledger.night import Night
from ledger.night.decide import closing, corrected_facts, require_closed, require_unrecorded, split
from ledger.night.evolve import closed_otherwise
from ledger.rulebook import Rulebook, apply_house_rules, read


class Context(Protocol):
    """What a command is judged by, beside the night it names: the club as it is under the lock."""

    @property
    def club(self) -> Club | None: ...

    @property
    def today(self) -> str:
        """Return the club's date now, less the cut-off."""

    def night(self, night: str) -> Night:
        """Return a night as it stands. Raises ``NightUnknown``."""

    def pool(self, table: str, unit: str) -> int:
        """Return the chips in a table's pool."""

    def book(self, rulebook: str) -> Rulebook:
        """Return a preset or a rulebook of the club's own. Raises ``RulebookUnknown``."""

    def pinned(self, digest: str, rulebook: str) -> Rulebook:
        """Return an effective rulebook that the book keeps, called by an id."""

    def pin(self, book: Rulebook) -> str:
        """Keep an effective rulebook with the book; return its digest."""


Events = list[ev.Event]


def decide(context: Context, command: cmd.Command, *, night: str | None, command_id: str) -> Events:
    """Return the events that a command causes, of its night's stream and the club's. Raises ``Refused``."""
    if isinstance(command, cmd.FoundClub):
        return [*clubs.decide(context.club, command, today=context.today)]
    club = context.club
    assert club is not None
    if isinstance(command, cmd.OpenNight):
        return _open(context, club, command)
    if type(command).__name__ in cmd.NIGHT_COMMANDS:
        assert night is not None
        return _at_night(context, club, context.night(night), command, command_id)  # type: ignore[arg-type]
    return _in_club(context, club, command)  # type: ignore[arg-type]


def _at_night(context: Context, club: Club, night: Night, command: cmd.NightCommand, command_id: str) -> Events:
    match command:
        case cmd.SeatPlayer(player=player) if not night.closed:
            clubs.require_active(club, player, "player")
        case cmd.RecordHand(facts=facts) | cmd.CorrectHand(facts=facts) if not night.closed:
            _require_players(club, night, facts)
        case cmd.ChangeRules():
            return [_rules(context, night, command)]
        case cmd.ReopenNight(reason=reason):
            return _reopen(context, club, night, reason)
        case cmd.Undo():
            return _undo(context, club, night, command)
        case cmd.CloseNight():
            events = nights.decide(night, command)
            return [*events, _ended(night)]
        case cmd.RecordHand(hand=hand) if night.closed:
            require_unrecorded(night, hand)
            return [
                ev.LateHandKept(
                    command=command_id,
                    night=night.opened.night,
                    hand=hand,
                    facts=facts_of(read_hand(command.facts)),
                    note=command.note,
                )
            ]
    return [*nights.decide(night, command)]


def _require_players(club: Club, night: Night, facts: Mapping[str, Any]) -> None:
    """A hand may name members who never sat in its night: by it, they sit down."""
    for index, player in enumerate(facts.get("players", ())):
        if player not in night.purses:
            require = clubs.require_member if night.closed else clubs.require_active
            require(club, player, f"players[{index}]")


def _in_club(context: Context, club: Club, command: cmd.ClubCommand) -> Events:
    match command:
        case cmd.OpenTable():
            return [_table_opened(context, club, command)]
        case cmd.ChangeTable():
            return [_table_changed(context, club, command)]
        case cmd.CloseTable():
            return [_table_closed(context, club, command)]
        case cmd.PublishRulebook(rulebook=raw):
            book = read(raw)
            return [
                ev.RulebookPublished(
                    rulebook=book.id, digest=context.pin(book), title=dict(book.title), body=dict(book.raw)
                )
            ]
        case cmd.MergeMembers():
            events = clubs.decide(club, command, today=context.today)
            _require_apart(context, club, command)
            return [*events]
        case cmd.CorrectClosedHand():
            return _correct_closed(context, club, command)
        case cmd.AdmitLateHand():
            return _admit(context, club, command)
        case cmd.RefuseLateHand(command=late, reason=reason):
            _late(club, late)
            return [ev.LateHandRefused(command=late, reason=reason)]
    return [*clubs.decide(club, command, today=context.today)]


# Opening and closing a night


def _open(context: Context, club: Club, command: cmd.OpenNight) -> Events:
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
    _require_family(context, table, book, rulebook)
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
        unit=table.unit,
        pool=0 if book.family == "pepper" else context.pool(table.id, table.unit),
        pool_added=command.pool,
        zone=club.zone,
        cut_off=club.cut_off,
        money=command.money or table.money,
        banker=command.banker or table.banker,
    )
    if command.pool and book.family == "pepper":
        raise BadValue(field="pool", wanted="left out: Pepper has no pool")
    return [opened, ev.NightBegan(night=night, table=table.id, date=date)]


def _require_family(context: Context, table: ClubTable, book: Rulebook, rulebook: str) -> None:
    """A table's pool is chips of one game; the rules may change, the family of games does not."""
    if book.family != context.pinned(table.digest, table.rulebook).family:
        raise OtherFamily(field="rulebook", rulebook=rulebook, current=table.rulebook)


def _ended(night: Night) -> ev.NightEnded:
    return ev.NightEnded(night=night.opened.night, revision=night.revision, players=list(night.sat))


def _reopen(context: Context, club: Club, night: Night, reason: ev.Text) -> Events:
    require_closed(night)
    _require_may_reopen(club, night)
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


def _require_may_reopen(club: Club, night: Night) -> None:
    """A closed night opens again only while nothing was built on it (contract, section 4)."""
    known = club.nights[night.opened.night]
    if known.corrections:
        raise NightCorrected(night=known.id)
    clubs.require_table(club, known.table)
    latest = club.latest_night(known.table)
    if latest is not None and latest.id != known.id:
        raise LaterNight(night=known.id, later=latest.id)


def _undo(context: Context, club: Club, night: Night, command: cmd.Undo) -> Events:
    events: Events = [*nights.decide(night, command)]
    newest = night.newest()
    assert newest is not None
    undone = newest.events[0][0]
    if isinstance(undone, ev.NightClosed):
        _require_may_reopen(club, night)
        events += _pool_since(context, club, night)
        events.append(ev.NightResumed(night=night.opened.night, revision=night.revision + 1))
    elif isinstance(undone, ev.NightReopened):
        ended = ev.NightEnded(night=night.opened.night, revision=undone.revision - 1, players=list(night.sat))
        events.append(ended)
    return events


def _rules(context: Context, night: Night, command: cmd.ChangeRules) -> ev.RulesChanged:
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


# Tables


def _table_opened(context: Context, club: Club, command: cmd.OpenTable) -> ev.TableOpened:
    table = command.table or clubs.free_id(f"table-{len(club.tables) + 1}", club.tables)
    if table in club.tables:
        raise TableExists(field="table", table=table)
    house_rules = dict(command.house_rules or {})
    book = apply_house_rules(context.book(command.rulebook), house_rules)
    return ev.TableOpened(
        table=table,
        name=command.name,
        rulebook=command.rulebook,
        digest=context.pin(book),
        house_rules=house_rules,
        stake=command.stake,
        unit=chips_unit(table, 1),
        money=command.money or club.money,
        banker=command.banker,
    )


def _table_changed(context: Context, club: Club, command: cmd.ChangeTable) -> ev.TableChanged:
    table = clubs.require_table(club, command.table)
    digest = None
    house_rules = command.house_rules
    if command.rulebook is not None or house_rules is not None:
        rulebook = command.rulebook or table.rulebook
        if house_rules is None:
            house_rules = table.house_rules if rulebook == table.rulebook else {}
        book = apply_house_rules(context.book(rulebook), house_rules)
        _require_family(context, table, book, rulebook)
        digest = context.pin(book)
    return ev.TableChanged(
        table=table.id,
        name=command.name,
        rulebook=command.rulebook,
        digest=digest,
        house_rules=house_rules,
        stake=command.stake,
        banker=command.banker,
    )


def _table_closed(context: Context, club: Club, command: cmd.CloseTable) -> ev.TableClosed:
    table = clubs.require_table(club, command.table)
    busy = club.open_night(table.id)
    if busy is not None:
        raise TableBusy(field="table", table=table.id, night=busy.id)
    pool = context.pool(table.id, table.unit)
    choice = command.pool
    shares: dict[str, int] = {}
    if isinstance(choice, Mapping):
        clubs.require_member(club, choice["to"], "pool.to")
        shares = {choice["to"]: pool} if pool else {}
    elif pool:
        latest = club.latest_night(table.id)
        if choice == "carry" or latest is None:
            raise BadValue(field="pool", wanted="split, or who gets it: a table that is closed carries nothing on")
        last = context.night(latest.id)
        shares = split(pool, last.seats, last.carry.dealer)
    return ev.TableClosed(
        table=table.id, pool="to" if isinstance(choice, Mapping) else choice, unit=table.unit, shares=shares
    )


# Members


def _require_apart(context: Context, club: Club, command: cmd.MergeMembers) -> None:
    """Who ever sat at one table on one night are two people, whatever somebody thinks."""
    one, other = set(club.aliases(command.from_)), set(club.aliases(command.into))
    for known in club.nights.values():
        players = set(known.players if known.closed else context.night(known.id).sat)
        players.update(player for correction in known.corrections for player in correction.members)
        if players & one and players & other:
            raise BothAtTable(one=command.from_, other=command.into, night=known.id)
        if not known.closed and players & one:
            raise MemberSeated(field="from", member=command.from_, night=known.id)


# After the close


def as_corrected(context: Context, club: Club, night: str) -> Night:
    """Return a closed night as it would stand with every correction made since it was closed."""
    state = context.night(night)
    for correction in clubs.require_night(club, night).corrections:
        state = _worked_out(state, correction.hand, read_hand(correction.facts))
    return state


def _correct_closed(context: Context, club: Club, command: cmd.CorrectClosedHand) -> Events:
    clubs.require_night(club, command.night)
    require_closed(context.night(command.night))
    state = as_corrected(context, club, command.night)
    step = state.hand(command.hand)
    if step is None:
        nights.decide(state, cmd.Dispute(hand=command.hand))  # refused: there is no such hand
        raise AssertionError("a hand that is not there can be disputed")
    _require_players(club, state, command.facts)
    facts = corrected_facts(state, step, command.facts)
    return _difference(context, club, state, command.hand, facts, command.reason, command.note, late=None)


def _admit(context: Context, club: Club, command: cmd.AdmitLateHand) -> Events:
    late = _late(club, command.command)
    require_closed(context.night(late.night))
    state = as_corrected(context, club, late.night)
    _require_players(club, state, late.facts)
    facts = corrected_facts(state, None, late.facts)
    return _difference(context, club, state, state.hands + 1, facts, None, late.note, late=late.command)


def _late(club: Club, command: str) -> ev.LateHandKept:
    if command not in club.late:
        raise LateHandUnknown(field="command", command=command)
    return club.late[command]


def _difference(
    context: Context,
    club: Club,
    state: Night,
    hand: int,
    facts: Hand,
    reason: ev.Text | None,
    note: ev.Text | None,
    *,
    late: str | None,
) -> Events:
    """Return the correction: differences to member accounts, the pool's part as far as the pool reaches."""
    was, would_be = state.ending, _worked_out(state, hand, facts).ending
    assert was is not None
    assert would_be is not None
    members = {
        player: moved for player, result in would_be.results.items() if (moved := result - was.results.get(player, 0))
    }
    table, unit = state.opened.table, state.opened.unit
    moved = would_be.carried - was.carried
    if moved > 0:  # what the pool could not give to an earlier correction is made good first
        known = club.nights[state.opened.night]
        first = context.night(known.id).ending
        assert first is not None
        given = sum(correction.pool for correction in known.corrections)
        moved = max(0, moved + min(0, was.carried - first.carried - given))
    reached = max(moved, -context.pool(table, unit))
    busy = club.open_night(table)
    events: Events = [
        ev.ClosedHandCorrected(
            night=state.opened.night,
            hand=hand,
            facts=facts_of(facts),
            reason=reason,
            table=table,
            unit=unit,
            members=members,
            pool=reached,
            shortage=-sum(members.values()) - reached,
            note=note,
            late=late,
        )
    ]
    if busy is not None and reached:
        open_hand = context.night(busy.id).open_hand
        if open_hand is not None:
            raise HandOpen(hand=open_hand.number)
        events.append(ev.PoolAdjusted(chips=reached, night=state.opened.night, hand=hand))
    return events


def _worked_out(state: Night, number: int, facts: Hand) -> Night:
    """Return a closed night with one hand corrected or added, and worked out to its own close.

    A pool that was shared out is shared out again, by the choice that was made then.
    """
    ending = state.ending
    assert ending is not None
    return closed_otherwise(state, number, facts, lambda night: closing(night, ending.pool))
