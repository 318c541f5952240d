"""Events to what a night is, and to the journal entries that follow from them.

An event that is new may still be refused here, by the rules of its game (``ledger.play``); one that was recorded
was not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ledger import events as ev
from ledger.auction import PASS
from ledger.hands import Hand, read_hand
from ledger.journal import JournalEntry, entry
from ledger.night.closing import end_night, move_chips, paid_by, resume_night
from ledger.night.purses import require_countable, with_moved, with_nothing_lost, with_posted
from ledger.night.state import Evolved, Night, Origin, Purse, Said, Undoable
from ledger.night.steps import (
    ChipsStep,
    CountStep,
    HandStep,
    PoolStep,
    RulesStep,
    added,
    cascade,
    corrections,
    gap_entry,
    work_out,
)
from ledger.play import rules_for, start
from ledger.rulebook import Rulebook

Books = Callable[[str, str], Rulebook]
"""Finds an effective rulebook by its digest, calling it by an id."""

RECENT: Final = 32
"""How many commands can be undone without working the night out from its beginning."""


def evolve(night: Night | None, event: ev.NightEvent, origin: Origin, books: Books, *, recent: bool = True) -> Evolved:
    """Return what a night is after an event, and the journal entries that the event makes.

    Without ``recent`` no states are kept to be returned to; an ``Undo`` then works the night out from its beginning.
    Raises ``Refused`` for a new event that the rules of the game do not allow.
    """
    if isinstance(event, ev.NightOpened):
        return _opened(event, origin, books)
    if night is None:
        raise AssertionError(f"{type(event).__name__} comes before NightOpened")
    if isinstance(event, ev.CommandUndone):
        return _undone(night, event, origin, books)
    after, entries = _evolve(night, event, origin, books)
    return _remembering(night, after, event, origin, recent=recent), entries


def _evolve(night: Night, event: ev.NightEvent, origin: Origin, books: Books) -> Evolved:
    match event:
        case ev.HandDealt():
            return _dealt(night, event, origin)
        case ev.PeekPaid(hand=hand, player=player):
            facts = _open(night, hand).facts
            return _continued(night, hand, facts._replace(peeks=(*facts.peeks, player)))
        case ev.CardsBought(hand=hand, player=player, cards=cards):
            facts = _open(night, hand).facts
            return _continued(night, hand, facts._replace(bought={**facts.bought, player: cards}))
        case ev.BidMade(hand=hand, player=player, bid=bid):
            return _called(night, hand, player, bid)
        case ev.Passed(hand=hand, player=player):
            return _called(night, hand, player, PASS)
        case ev.PeepCardTaken(hand=hand, taken=taken):
            return _said(night, hand, _open(night, hand).facts._replace(took_card=taken)), ()
        case ev.OutcomeRecorded(hand=hand, facts=facts, note=note):
            return _settled(night, hand, merged(_open(night, hand).facts, facts), note)
        case ev.HandPassedOut(hand=hand):
            return _settled(night, hand, _open(night, hand).facts._replace(passed_out=True), None)
        case ev.MisdealDeclared(hand=hand, note=note):
            return _settled(night, hand, _open(night, hand).facts._replace(misdeal=True, took_card=None), note)
        case ev.HandRecorded(hand=hand, facts=facts, note=note):
            return _recorded(night, hand, read_hand(facts), note, origin)
        case ev.HandCorrected(hand=hand, facts=facts, note=note):
            return _corrected(night, hand, read_hand(facts), note, origin)
        case ev.HandVoided(hand=hand):
            return _voided(night, hand, origin)
        case ev.PlayersReseated(from_hand=int()):
            return _reseated(night, event)
        case ev.RulesChanged():
            return _rules_changed(night, event, books), ()
        case ev.ChipsCounted():
            return _counted(night, event, origin)
        case ev.ChipsBought(player=player, chips=chips, paid=paid):
            return move_chips(night, "bought", {player: chips}, paid_by(night, "paid in", player, None, paid))
        case ev.ChipsSold(player=player, chips=chips, paid=paid):
            return move_chips(night, "sold", {player: -chips}, paid_by(night, "paid out", None, player, paid))
        case ev.ChipsTransferred(from_player=giver, to_player=taker, chips=chips, paid=paid):
            return move_chips(
                night, "transfer", {giver: -chips, taker: chips}, paid_by(night, "paid", taker, giver, paid)
            )
        case ev.PoolAdjusted(chips=chips):
            step = work_out(PoolStep(chips=chips, after=night.carry), night.carry, night.rules, night.accounts)
            return with_nothing_lost(night._replace(steps=(*night.steps, step))), step.entries
        case ev.NightClosed():
            return end_night(night, event)
        case ev.NightReopened(revision=revision):
            return resume_night(night, revision)
        case _:
            return _without_chips(night, event, origin), ()


def _without_chips(night: Night, event: ev.NightEvent, origin: Origin) -> Night:
    match event:
        case ev.PlayerSeated(player=player, seat=seat):
            seats = (*night.seats[: seat - 1], player, *night.seats[seat - 1 :])
            return _with_players(night._replace(seats=seats), (player,))
        case ev.PlayerUnseated(player=player):
            return night._replace(seats=tuple(other for other in night.seats if other != player))
        case ev.PlayersReseated(players=players):
            return night._replace(seats=tuple(players))
        case ev.DealerSet(player=player):
            return night._replace(dealer=player)
        case ev.HandDisputed(hand=hand, player=player, note=note):
            disputes = {**night.disputes, hand: night.disputes.get(hand, 0) + 1}
            return _noted(night._replace(disputes=disputes), hand, note, origin, player)
        case ev.DisputeResolved(hand=hand, note=note):
            disputes = {number: count for number, count in night.disputes.items() if number != hand}
            return _noted(night._replace(disputes=disputes), hand, note, origin)
        case ev.NoteAdded(hand=hand, note=note):
            return _noted(night, hand, note, origin)
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of a night in progress")


# The beginning


def _opened(event: ev.NightOpened, origin: Origin, books: Books) -> Evolved:
    rules = rules_for(books(event.digest, event.rulebook), event.stake)
    seats = tuple(event.players)
    first = start(seats, event.dealer, event.pool)
    night = Night(
        opened=event,
        version=origin.version,
        rules=rules,
        rulebook=event.rulebook,
        house_rules=event.house_rules,
        seats=seats,
        sat=seats,
        first=first,
        first_rules=rules,
        steps=(),
        purses=dict.fromkeys(seats, Purse()),
        history=(Undoable(origin.command, origin.version, origin.version, ((event, origin),)),),
    )
    if not event.pool_added:
        return night, ()
    accounts = night.accounts
    brought = entry("pool brought in", None, {accounts.pool: event.pool_added, accounts.till: -event.pool_added})
    carry = first._replace(pool=first.pool + event.pool_added)
    night = night._replace(steps=(ChipsStep(after=carry, entries=(brought,)),))
    require_countable(night)
    return night, (brought,)


# Hands


def _dealt(night: Night, event: ev.HandDealt, origin: Origin) -> Evolved:
    facts = Hand(players=tuple(event.players), dealer=event.dealer)
    return _begun(night, event.hand, facts, origin, settled=False, note=None)


def _recorded(night: Night, number: int, facts: Hand, note: Mapping[str, str] | None, origin: Origin) -> Evolved:
    step = night.hand(number)
    if step is None:
        return _begun(night, number, facts, origin, settled=True, note=note)
    return _replaced(night, step._replace(facts=facts, note=note, settled=True, origin=origin), step)


def _begun(
    night: Night, number: int, facts: Hand, origin: Origin, *, settled: bool, note: Mapping[str, str] | None
) -> Evolved:
    step = HandStep(
        number=number,
        facts=facts,
        note=note,
        settled=settled,
        origin=origin,
        rules=night.rules,
        before=night.carry,
        after=night.carry,
        seats=night.seats,
        named=night.dealer,
    )
    done = work_out(step, night.carry, night.rules, night.accounts)
    assert isinstance(done, HandStep)
    after = night._replace(
        steps=(*night.steps, done),
        hand_at=(*night.hand_at, len(night.steps)),
        seats=_seats_behind(night, night.seats, done.leaves) if settled else night.seats,
        dealer=None,
    )
    return with_posted(_with_players(after, facts.players or ()), done.entries), done.entries


def _seats_behind(night: Night, were: tuple[str, ...], seated: tuple[str, ...]) -> tuple[str, ...]:
    """Return who is seated when the last hand leaves others than it did, but for those who came or went since."""
    if seated == were:
        return night.seats
    stayed = [player for player in seated if player not in were or player in night.seats]
    return (*stayed, *(player for player in night.seats if player not in were and player not in seated))


def _continued(night: Night, number: int, facts: Hand) -> Evolved:
    step = _open(night, number)
    return _replaced(night, step._replace(facts=facts), step)


def _called(night: Night, number: int, player: str, call: str) -> Evolved:
    facts = _open(night, number).facts
    return _said(night, number, facts._replace(bids=(*(facts.bids or ()), (player, call)))), ()


def _said(night: Night, number: int, facts: Hand) -> Night:
    """Let a hand in progress have facts that move nothing before it ends."""
    index = night.hand_at[number - 1]
    step = _open(night, number)._replace(facts=facts)
    return night._replace(steps=(*night.steps[:index], step, *night.steps[index + 1 :]))


def _settled(night: Night, number: int, facts: Hand, note: Mapping[str, str] | None) -> Evolved:
    step = _open(night, number)
    return _replaced(night, step._replace(facts=facts, settled=True, note=note or step.note), step)


def _replaced(night: Night, new: HandStep, old: HandStep) -> Evolved:
    """Put a hand in progress in the place of what it was.

    Behind it may stand chips that were bought meanwhile, and, where its end was undone, a correction of another night
    that found less in the pool.
    """
    index = night.hand_at[new.number - 1]
    steps = cascade_from(night, index, new)
    done = steps[index]
    entries = added(old.entries, done.entries)
    if index + 1 < len(steps):
        entries += corrections(night.steps[index + 1 :], steps[index + 1 :], "correction")
    seats = _seats_behind(night, old.facts.players or (), done.leaves) if done.settled else night.seats
    after = _with_players(night._replace(steps=steps, seats=seats), done.facts.players or ())
    return with_posted(after, entries), entries


def cascade_from(night: Night, index: int, step: HandStep) -> tuple[Any, ...]:
    """Return the steps with one hand replaced and all behind it worked out again.

    Raises ``Refused`` when the hand itself is not possible.
    """
    done = work_out(step, step.before, step.rules, night.accounts)
    if index == len(night.steps) - 1:
        return (*night.steps[:index], done)
    steps = (*night.steps[:index], done, *night.steps[index + 1 :])
    return cascade(steps, index + 1, done.after, step.rules, night.accounts)


def merged(facts: Hand, outcome: Mapping[str, Any]) -> Hand:
    """Return what was logged of a hand, with how it ended."""
    ending = read_hand(outcome)
    said = {key: getattr(ending, key) for key in outcome}
    return facts._replace(**said)


def _corrected(night: Night, number: int, facts: Hand, note: Mapping[str, str] | None, origin: Origin) -> Evolved:
    step = _hand(night, number)
    if step.review is not None and facts == step.facts:
        confirmed = step._replace(review=None, confirmed=True, corrections=(*step.corrections, origin))
        index = night.hand_at[number - 1]
        return night._replace(steps=(*night.steps[:index], confirmed, *night.steps[index + 1 :])), ()
    new = step._replace(
        facts=facts,
        note=note or step.note,
        void=False,
        review=None,
        confirmed=False,
        corrections=(*step.corrections, origin),
    )
    return _rewritten(_with_players(night, facts.players or ()), new, "correction")


def _voided(night: Night, number: int, origin: Origin) -> Evolved:
    step = _hand(night, number)
    new = step._replace(void=True, settled=True, review=None, corrections=(*step.corrections, origin))
    return _rewritten(night, new, "void")


def _rewritten(night: Night, new: HandStep, memo: str) -> Evolved:
    steps = cascade_from(night, night.hand_at[new.number - 1], new)
    entries = corrections(night.steps, steps, memo)
    after = night._replace(steps=steps)
    if new.number == night.hands:
        after = _with_seats_and_dealer(night, after, _hand(night, new.number), _hand(after, new.number))
    return with_nothing_lost(with_moved(after, entries)), entries


def _with_seats_and_dealer(night: Night, after: Night, old: HandStep, new: HandStep) -> Night:
    """A correction of the last hand says who is seated behind it; a void one did not use up who was named to deal."""
    dealer = night.dealer
    if new.void and dealer is None:
        dealer = new.named
    elif old.void and not new.void and dealer == new.named:
        dealer = None
    return after._replace(seats=_seats_behind(night, old.leaves, new.leaves), dealer=dealer)


def _reseated(night: Night, event: ev.PlayersReseated) -> Evolved:
    """Give every hand since ``from_hand`` the seat order it really had; who is not named keeps his left neighbour."""
    assert event.from_hand is not None
    order = tuple(event.players)
    start_at = night.hand_at[event.from_hand - 1]
    first = night.steps[start_at]
    assert isinstance(first, HandStep)
    steps = list(night.steps)
    for index in range(start_at, len(steps)):
        step = steps[index]
        if isinstance(step, HandStep):
            steps[index] = step._replace(facts=step.facts._replace(players=reordered(step.facts.players or (), order)))
    done = cascade(steps, start_at, first.before, first.rules, night.accounts)
    index = night.hand_at[-1]
    last = done[index]
    assert isinstance(last, HandStep)
    if last.review and not last.settled:  # the calls made so far were made in the order they sit in
        done = (*done[:index], last._replace(facts=_hand(night, last.number).facts, review=None), *done[index + 1 :])
    entries = corrections(night.steps, done, "correction")
    seats = reordered(night.seats, order)
    return with_nothing_lost(with_moved(night._replace(steps=done, seats=seats), entries)), entries


def reordered(players: tuple[str, ...], order: tuple[str, ...]) -> tuple[str, ...]:
    """Return players in another seat order; who is not in it stays behind the player he sat behind."""
    present = [player for player in order if player in players]
    for index, player in enumerate(players):
        if player not in order:
            behind = next((other for other in reversed(players[:index]) if other in present), None)
            present.insert(0 if behind is None else present.index(behind) + 1, player)
    return tuple(present)


# Rules, counts, chips


def _rules_changed(night: Night, event: ev.RulesChanged, books: Books) -> Night:
    rules = rules_for(books(event.digest, event.rulebook), event.stake)
    return night._replace(
        rules=rules,
        rulebook=event.rulebook,
        house_rules=event.house_rules,
        steps=(*night.steps, RulesStep(rules=rules, after=night.carry)),
    )


def _counted(night: Night, event: ev.ChipsCounted, origin: Origin) -> Evolved:
    accounts = night.accounts
    players: tuple[JournalEntry, ...] = ()
    books_gap = event.gap == "shortage"
    if books_gap:
        for player, chips in event.counts.items():
            if player != "pool":
                gap = chips - night.purses[player].stack
                players = (*players, *gap_entry(accounts.player(player), gap, accounts))
    step = CountStep(
        version=origin.version,
        counts=event.counts,
        gap=event.gap,
        pool=event.counts.get("pool", night.carry.pool) if books_gap else None,
        players=players,
        after=night.carry,
        entries=players,
    )
    if "pool" not in event.counts:
        step = step._replace(pool=None)
    done = work_out(step, night.carry, night.rules, accounts)
    return with_nothing_lost(with_moved(night._replace(steps=(*night.steps, done)), done.entries)), done.entries


def closed_otherwise(night: Night, number: int, facts: Hand, close: Callable[[Night], ev.NightClosed]) -> Night:
    """Return a closed night with one hand corrected, or added behind the last, and closed again.

    Raises ``Refused`` when the hand is not possible.
    """
    before, _entries = resume_night(night, night.revision)
    origin = Origin("", night.version)
    if before.hand(number) is None:
        after, _entries = _begun(before, number, facts, origin, settled=True, note=None)
    else:
        after, _entries = _corrected(before, number, facts, None, origin)
    closed, _entries = end_night(after, close(after))
    return closed._replace(closings=night.closings)


# Undo


def _undone(night: Night, event: ev.CommandUndone, origin: Origin, books: Books) -> Evolved:
    """Return to what the night was before one command; what came after it, and cannot be undone, still holds."""
    last = night.history[-1]
    if last.command == event.command and night.recent:
        base = night.recent[-1]._replace(recent=night.recent[:-1])
    else:
        base = _refolded(night, event.command, books)
    entries = corrections(night.steps, base.steps, "undone")
    revision = base.revision if base.closed else night.revision + night.closed
    return base._replace(version=origin.version, closings=night.closings, revision=revision), entries


def _refolded(night: Night, without: str, books: Books) -> Night:
    state: Night | None = None
    for item in night.history:
        if item.command == without or (state is not None and _is_of_no_hand(item, state)):
            continue
        for event, origin in item.events:
            state, _entries = evolve(state, event, origin, books)
    assert state is not None
    return state


def _is_of_no_hand(item: Undoable, state: Night) -> bool:
    """Tell whether something is a dispute about a hand that is not there any more."""
    event = item.events[0][0]
    return isinstance(event, ev.HandDisputed) and state.hand(event.hand) is None


def _remembering(before: Night, after: Night, event: ev.NightEvent, origin: Origin, *, recent: bool) -> Night:
    """Keep what can be returned to: the events of each command, and the night before each of the last few."""
    last = before.history[-1]
    if last.command == origin.command:
        grown = last._replace(version=origin.version, events=(*last.events, (event, origin)))
        return after._replace(version=origin.version, history=(*before.history[:-1], grown))
    item = Undoable(origin.command, origin.version, origin.version, ((event, origin),))
    return after._replace(
        version=origin.version,
        history=(*before.history, item),
        recent=(*before.recent[-RECENT:], before.without_memory()) if recent else (),
    )


# Helpers


def _hand(night: Night, number: int) -> HandStep:
    step = night.hand(number)
    if step is None:
        raise AssertionError(f"there is no hand {number}")
    return step


def _open(night: Night, number: int) -> HandStep:
    step = _hand(night, number)
    if step.settled:
        raise AssertionError(f"hand {number} is settled")
    return step


def _with_players(night: Night, players: tuple[str, ...]) -> Night:
    new = tuple(player for player in players if player not in night.purses)
    if not new:
        return night
    return night._replace(sat=(*night.sat, *new), purses={**night.purses, **dict.fromkeys(new, Purse())})


def _noted(
    night: Night, hand: int | None, note: Mapping[str, str] | None, origin: Origin, player: str | None = None
) -> Night:
    if note is None and player is None:
        return night
    return night._replace(notes=(*night.notes, Said(hand, player, note, origin)))
