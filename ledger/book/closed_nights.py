"""Corrections of closed nights, and hands that came in late: the night stays, the differences are posted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger import club as clubs
from ledger import commands as cmd
from ledger import events as ev
from ledger import night as nights
from ledger.book.context import Context, Events
from ledger.club import Club
from ledger.errors import (
    HandOpen,
    LateHandUnknown,
)
from ledger.hands import Hand, facts_of, read_hand
from ledger.night import Night
from ledger.night.decide import closing, corrected_facts, require_closed
from ledger.night.evolve import closed_otherwise


def require_players(club: Club, night: Night, facts: Mapping[str, Any]) -> None:
    """A hand may name members who never sat in its night: by it, they sit down."""
    for index, player in enumerate(facts.get("players", ())):
        if player not in night.purses:
            require = clubs.require_member if night.closed else clubs.require_active
            require(club, player, f"players[{index}]")


def as_corrected(context: Context, club: Club, night: str) -> Night:
    """Return a closed night as it would stand with every correction made since it was closed."""
    state = context.night(night)
    for correction in clubs.require_night(club, night).corrections:
        state = _worked_out(state, correction.hand, read_hand(correction.facts))
    return state


def correct_closed_hand(context: Context, club: Club, command: cmd.CorrectClosedHand) -> Events:
    """Return the correction of a hand of a closed night. Raises ``NightIsOpen`` and what is wrong with the hand."""
    clubs.require_night(club, command.night)
    require_closed(context.night(command.night))
    state = as_corrected(context, club, command.night)
    step = state.hand(command.hand)
    if step is None:
        nights.decide(state, cmd.Dispute(hand=command.hand))  # refused: there is no such hand
        raise AssertionError("a hand that is not there can be disputed")
    require_players(club, state, command.facts)
    facts = corrected_facts(state, step, command.facts)
    return _difference(context, club, state, command.hand, facts, command.reason, command.note, late=None)


def admit_late_hand(context: Context, club: Club, command: cmd.AdmitLateHand) -> Events:
    """Return the correction that lets a late hand count as the last of its closed night."""
    late = late_hand(club, command.command)
    require_closed(context.night(late.night))
    state = as_corrected(context, club, late.night)
    require_players(club, state, late.facts)
    facts = corrected_facts(state, None, late.facts)
    return _difference(context, club, state, state.hands + 1, facts, None, late.note, late=late.command)


def late_hand(club: Club, command: str) -> ev.LateHandKept:
    """Return a late hand that waits. Raises ``LateHandUnknown``."""
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
    known_table = club.tables[table]
    if known_table.closed or known_table.unit != unit:
        reached = 0  # that pool is gone
    else:
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
            holder=known_table.holder,
            money=state.opened.money,
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
