"""Commands to events: what a night allows, and why it refuses the rest.

When two things are wrong, the first of these is reported: the night's state, the hand's number, the players named,
the auction. What the rules say of the rest of a hand is refused when its event is worked out (``evolve``), so that no
hand is worked out twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger import commands as cmd
from ledger import events as ev
from ledger.auction import Auction
from ledger.errors import (
    AlreadyBought,
    AlreadyPeeked,
    AlreadySeated,
    AuctionOpen,
    BadValue,
    DrawNeeded,
    HandIsVoid,
    HandNotBegun,
    HandNotNext,
    HandOpen,
    HandSettled,
    HandUnknown,
    MissingKey,
    MoneyNotKept,
    NightIsClosed,
    NightIsOpen,
    NotDisputed,
    NothingToUndo,
    NotNewest,
    NotSeated,
    SeatsDiffer,
)
from ledger.hands import Hand, as_read, read_hand
from ledger.night.state import Night, Origin
from ledger.night.steps import HandStep
from ledger.play import auction_of, seats_of

Events = list[ev.NightEvent]


def decide(night: Night, command: cmd.NightCommand) -> Events:
    """Return the events that a command causes in a night that exists.

    Opening, reopening and the rules are decided with the club (``ledger.club``), since they depend on more than one
    night. Raises ``Refused``.
    """
    match command:
        case cmd.Dispute(hand=hand, player=player, note=note):
            _require_hand(night, hand)
            if player is not None:
                _require_sat(night, player)
            return [ev.HandDisputed(hand=hand, player=player, note=note)]
        case cmd.ResolveDispute(hand=hand, note=note):
            _require_hand(night, hand)
            if hand not in night.disputes:
                raise NotDisputed(field="hand", hand=hand)
            return [ev.DisputeResolved(hand=hand, note=note)]
        case cmd.AddNote(hand=hand, note=note):
            if hand is not None:
                _require_hand(night, hand)
            return [ev.NoteAdded(hand=hand, note=note)]
        case cmd.Undo():
            return _undo(night, command)
    if night.closed:
        raise NightIsClosed(night=night.opened.night)
    match command:
        case cmd.BuyCards() | cmd.Peek() | cmd.Bid() | cmd.Pass() | cmd.TakePeepCard():
            return _step(night, command)
        case cmd.RecordOutcome() | cmd.DeclareMisdeal() | cmd.RecordHand():
            return _end(night, command)
        case cmd.CorrectHand() | cmd.VoidHand():
            return _correct(night, command)
        case cmd.SeatPlayer() | cmd.UnseatPlayer() | cmd.Reseat() | cmd.SetDealer():
            return _seat(night, command)
        case cmd.BuyIn() | cmd.CashOut() | cmd.Transfer():
            return _chips(night, command)
        case cmd.CountChips():
            return _count(night, command)
        case cmd.CloseNight():
            return _close(night, command)
        case _:
            raise AssertionError(f"{type(command).__name__} is not decided by a night alone")


# A hand step by step


def _step(night: Night, command: cmd.BuyCards | cmd.Peek | cmd.Bid | cmd.Pass | cmd.TakePeepCard) -> Events:
    dealt = _dealt(night, command.hand)
    step = _in_progress(night, dealt, command.hand)
    facts = step.facts
    match command:
        case cmd.Peek(hand=hand, player=player):
            if player in facts.peeks:
                raise AlreadyPeeked(field="player", player=player)
            event: ev.NightEvent = ev.PeekPaid(hand=hand, player=player)
        case cmd.BuyCards(hand=hand, player=player, cards=cards):
            if player in facts.bought:
                raise AlreadyBought(field="player", player=player)
            event = ev.CardsBought(hand=hand, player=player, cards=cards)
        case cmd.TakePeepCard(hand=hand, taken=taken):
            event = ev.PeepCardTaken(hand=hand, taken=taken)
        case cmd.Bid() | cmd.Pass():
            return [*dealt, *_call(step, command)]
    return [*dealt, event]


def _call(step: HandStep, command: cmd.Bid | cmd.Pass) -> Events:
    assert step.seating is not None
    player = command.player
    if player not in (step.facts.players or ()):
        raise NotSeated(field="player", player=player)
    auction = running_auction(step)
    auction.call(player, command.bid if isinstance(command, cmd.Bid) else "pass")
    if isinstance(command, cmd.Bid):
        return [ev.BidMade(hand=command.hand, player=player, bid=command.bid)]
    events: Events = [ev.Passed(hand=command.hand, player=player)]
    if auction.passed_out:
        events.append(ev.HandPassedOut(hand=command.hand))
    return events


def running_auction(step: HandStep) -> Auction:
    """Return the auction of a hand in progress, as far as it has gone."""
    assert step.seating is not None
    auction = auction_of(step.rules, step.before, step.seating)
    for player, call in step.facts.bids or ():
        auction.call(player, call)
    return auction


def _dealt(night: Night, number: int) -> list[ev.NightEvent]:
    """Return the event that deals a hand, unless it is in progress."""
    require_unrecorded(night, number)
    if night.hand(number) is not None:
        return []
    if night.open_hand is not None:
        raise HandOpen(hand=night.open_hand.number)
    _require_next(night, number)
    return [ev.HandDealt(hand=number, players=list(night.seats), dealer=next_dealer(night))]


def next_dealer(night: Night) -> str:
    """Return who deals the next hand.

    Raises ``Refused`` when too few or too many are seated.
    """
    named = night.dealer if night.dealer in night.seats else None
    return night.rules.seating(night.seats, (), night.carry, named).dealer


def _in_progress(night: Night, dealt: list[ev.NightEvent], number: int) -> HandStep:
    if not dealt:
        step = night.hand(number)
        assert step is not None
        return step
    event = dealt[0]
    assert isinstance(event, ev.HandDealt)
    players = tuple(event.players)
    return HandStep(
        number=number,
        facts=Hand(players=players, dealer=event.dealer),
        note=None,
        settled=False,
        origin=Origin("", 0),
        rules=night.rules,
        before=night.carry,
        after=night.carry,
        seating=night.rules.seating(players, (), night.carry, event.dealer),
    )


# A hand's end


def _end(night: Night, command: cmd.RecordOutcome | cmd.DeclareMisdeal | cmd.RecordHand) -> Events:
    if isinstance(command, cmd.RecordHand):
        return _record(night, command)
    dealt = _dealt(night, command.hand)
    if isinstance(command, cmd.DeclareMisdeal):
        return [*dealt, ev.MisdealDeclared(hand=command.hand, note=command.note)]
    if dealt:
        raise HandNotBegun(field="hand", hand=command.hand)
    step = _in_progress(night, dealt, command.hand)
    auction = running_auction(step)
    if not auction.over:
        raise AuctionOpen(turn=auction.turn)
    outcome: dict[str, Any] = dict(command.irregularities or {})
    for key, value in (("made", command.made), ("tricks", command.tricks)):
        if value is not None:
            outcome[key] = value
    return [ev.OutcomeRecorded(hand=command.hand, facts=outcome, note=command.note)]


def _record(night: Night, command: cmd.RecordHand) -> Events:
    require_unrecorded(night, command.hand)
    step = night.hand(command.hand)
    facts = read_hand(command.facts)
    if step is None:
        if night.open_hand is not None:
            raise HandOpen(hand=night.open_hand.number)
        _require_next(night, command.hand)
    facts = _placed(night, facts, step)
    return [ev.HandRecorded(hand=command.hand, facts=as_read(facts), note=command.note)]


def _placed(night: Night, facts: Hand, step: HandStep | None) -> Hand:
    """Write players and dealer into the facts of a hand, where they do not say: as recorded, or as the table sits."""
    players = facts.players or (night.seats if step is None else step.facts.players or ())
    dealer = facts.dealer
    if dealer is None:
        dealer = night.dealer if step is None else step.facts.dealer
        if dealer is None or dealer not in players or dealer in facts.out:
            rules, before = (night.rules, night.carry) if step is None else (step.rules, step.before)
            seats = seats_of(before, facts._replace(players=players))  # who is out keeps his place
            dealer = rules.seating(seats, facts.out, before, None).dealer
    return facts._replace(players=players, dealer=dealer)


# Corrections


def _correct(night: Night, command: cmd.CorrectHand | cmd.VoidHand) -> Events:
    step = _require_hand(night, command.hand)
    if not step.settled:
        raise HandOpen(hand=command.hand)
    if isinstance(command, cmd.VoidHand):
        if step.void:
            raise HandIsVoid(field="hand", hand=command.hand)
        return [ev.HandVoided(hand=command.hand, reason=command.reason)]
    facts = corrected_facts(night, step, command.facts)
    return [ev.HandCorrected(hand=command.hand, facts=as_read(facts), reason=command.reason, note=command.note)]


def corrected_facts(night: Night, step: HandStep | None, given: Mapping[str, Any]) -> Hand:
    """Return a hand's new facts, players and dealer as recorded unless they are named; without a step, the next's."""
    return _placed(night, read_hand(given), step)


def _undo(night: Night, command: cmd.Undo) -> Events:
    newest = night.newest(command.command, command.version)
    if newest is None:
        raise NothingToUndo
    if command.command is None and command.version is None:
        raise MissingKey(field="command")
    if command.command not in (None, newest.command):
        raise NotNewest(field="command", newest=newest.command)
    if command.version is not None and not newest.is_named(None, command.version):
        raise NotNewest(field="version", newest=newest.command)
    if night.closed and not isinstance(newest.events[0][0], _ALLOWED_CLOSED):
        raise NightIsClosed(night=night.opened.night)
    return [ev.CommandUndone(command=newest.command, first_version=newest.first_version, version=newest.version)]


_ALLOWED_CLOSED = (ev.NightClosed, ev.HandDisputed, ev.DisputeResolved, ev.NoteAdded)


# Seats and chips


def _seat(night: Night, command: cmd.SeatPlayer | cmd.UnseatPlayer | cmd.Reseat | cmd.SetDealer) -> Events:
    match command:
        case cmd.SeatPlayer(player=player, seat=seat):
            if player in night.seats:
                raise AlreadySeated(field="player", player=player)
            last = len(night.seats) + 1
            if seat is not None and seat > last:
                raise BadValue(field="seat", wanted=f"at most {last}")
            return [ev.PlayerSeated(player=player, seat=seat or last)]
        case cmd.UnseatPlayer(player=player):
            _require_seated(night, player)
            return [ev.PlayerUnseated(player=player)]
        case cmd.SetDealer(player=player):
            _require_seated(night, player)
            return [ev.DealerSet(player=player)]
        case cmd.Reseat(players=players, from_hand=from_hand):
            if sorted(players) != sorted(night.seats):
                raise SeatsDiffer(field="players", seated=", ".join(night.seats))
            if from_hand is not None and from_hand <= night.hands:
                return [ev.PlayersReseated(players=list(players), from_hand=from_hand)]
            if from_hand is not None and from_hand > night.hands + 1:
                raise HandNotNext(field="from_hand", hand=from_hand, next=night.hands + 1)
            return [ev.PlayersReseated(players=list(players))]


def _chips(night: Night, command: cmd.BuyIn | cmd.CashOut | cmd.Transfer) -> Events:
    if command.paid and night.opened.money is None:
        raise MoneyNotKept(field="paid")
    chips, paid = command.chips, command.paid
    match command:
        case cmd.BuyIn(player=player):
            _require_sat(night, player)
            return [ev.ChipsBought(player=player, chips=chips, paid=paid)]
        case cmd.CashOut(player=player):
            _require_sat(night, player)
            return [ev.ChipsSold(player=player, chips=chips, paid=paid)]
        case cmd.Transfer(from_=giver, to=taker, note=note):
            _require_sat(night, giver, "from")
            _require_sat(night, taker, "to")
            if giver == taker:
                raise BadValue(field="to", wanted="another player")
            return [ev.ChipsTransferred(from_player=giver, to_player=taker, chips=chips, paid=paid, note=note)]


def _count(night: Night, command: cmd.CountChips) -> Events:
    if night.open_hand is not None:
        raise HandOpen(hand=night.open_hand.number)
    for player, chips in command.counts.items():
        if player != "pool":
            _require_sat(night, player, f"counts.{player}")
        elif night.rules.book.family == "pepper":
            raise BadValue(field="counts.pool", wanted="left out: Pepper has no pool")
        elif chips < 0:
            raise BadValue(field="counts.pool", wanted="at least 0")
    return [ev.ChipsCounted(counts=dict(command.counts), gap=command.gap)]


def _close(night: Night, command: cmd.CloseNight) -> Events:
    if night.open_hand is not None:
        raise HandOpen(hand=night.open_hand.number)
    choice = command.pool
    if choice is None:
        if night.rules.book.pool.at_close == "draw" and night.pool:
            raise DrawNeeded(field="pool")
        choice = "split" if night.rules.book.pool.at_close == "split" else "carry"
    if isinstance(choice, Mapping):
        _require_sat(night, choice["to"], "pool.to")
    return [closing(night, choice)]


def closing(night: Night, choice: str | Mapping[str, str]) -> ev.NightClosed:
    """Return how a night ends when this becomes of its pool: shares, what is carried on, and everybody's result."""
    shares: dict[str, int] = {}
    if isinstance(choice, Mapping):
        shares = {choice["to"]: night.pool} if night.pool else {}
    elif choice == "split":
        shares = split(night.pool, night.seats, night.carry.dealer)
    return ev.NightClosed(
        revision=night.revision,
        pool=choice,
        shares=shares,
        carried=night.pool - sum(shares.values()),
        results={player: purse.balance + shares.get(player, 0) for player, purse in night.purses.items()},
    )


def split(pool: int, seats: tuple[str, ...], dealer: str) -> dict[str, int]:
    """Return equal shares of a pool; odd chips go one by one from the seat at the last dealer's left (Peel)."""
    if not pool or not seats:
        return {}
    share, odd = divmod(pool, len(seats))
    start = seats.index(dealer) + 1 if dealer in seats else 0
    first = (*seats[start:], *seats[:start])[:odd]
    shares = {player: share + (player in first) for player in seats}
    return {player: chips for player, chips in shares.items() if chips}


# Guards


def require_unrecorded(night: Night, number: int) -> None:
    """Raise ``HandSettled``, naming what is recorded and by which device, if a hand is not open to be recorded."""
    step = night.hand(number)
    if step is not None and step.settled:
        raise HandSettled(field="hand", hand=number, recorded=told(step), device=step.origin.device or "this book")


def require_closed(night: Night) -> None:
    """Raise ``NightIsOpen`` unless the night is closed."""
    if not night.closed:
        raise NightIsOpen(night=night.opened.night)


def told(step: HandStep) -> str:
    """Return what is recorded of a hand, in a few words."""
    if step.void:
        return "void"
    played = step.played
    if played is None:
        return "in progress"
    if played.bid is None:
        return played.result.replace("_", " ")
    return f"{played.bidder} bid {played.bid.replace('_', ' ')}, {played.result}"


def _require_next(night: Night, number: int) -> None:
    if number != night.hands + 1:
        raise HandNotNext(field="hand", hand=number, next=night.hands + 1)


def _require_hand(night: Night, number: int) -> HandStep:
    step = night.hand(number)
    if step is None:
        raise HandUnknown(field="hand", hand=number)
    return step


def _require_seated(night: Night, player: str, field: str = "player") -> None:
    if player not in night.seats:
        raise NotSeated(field=field, player=player)


def _require_sat(night: Night, player: str, field: str = "player") -> None:
    if player not in night.purses:
        raise NotSeated(field=field, player=player)
