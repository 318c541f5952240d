"""What may be done at a night now: the commands that are legal, ready to send."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from ledger import events as ev
from ledger.auction import Auction
from ledger.errors import Refused
from ledger.hands import Hand, facts_of
from ledger.night import Night
from ledger.night.decide import next_dealer, running_auction
from ledger.night.steps import HandStep
from ledger.play import auction_of
from ledger.play.rules import Seating
from ledger.projections import Names, label_of
from ledger.rulebook import Bid

Action: TypeAlias = dict[str, Any]
"""``type`` and ``data`` of a command, and a ``label`` for people."""

MOST_CARDS = 5
"""How many cards one may buy (contract, section 1)."""


def actions(night: Night, names: Names = str, *, may_reopen: bool = True) -> list[Action]:
    """Return the commands that are legal now and need nobody to fill anything in.

    ``may_reopen`` says what a night alone cannot know: whether nothing was built on its closing yet. What needs
    something that only people know (who sits down, how many chips, a reason) is legal too, and not among them.
    """
    return [*_Now(night, names).all(may_reopen=may_reopen)]


class _Now:
    def __init__(self, night: Night, names: Names) -> None:
        self._night = night
        self._names = names
        self._book = night.rules.book

    def all(self, *, may_reopen: bool) -> Iterator[Action]:
        if not self._night.closed:
            if self._night.open_hand is not None:
                yield from self._hand_in_progress(self._night.open_hand)
            else:
                yield from self._next_hand()
            yield from self._around()
        yield from self._questioned()
        yield from self._undo(may_reopen=may_reopen)

    # A hand

    def _hand_in_progress(self, step: HandStep) -> Iterator[Action]:
        assert step.seating is not None
        try:
            auction = running_auction(step)
        except Refused:
            return  # a correction has made its calls impossible; it can be recorded whole, or taken back
        yield from self._prices(step.number, step.seating, step.facts)
        yield from self._calls(step.number, auction)
        if auction.over and auction.bidder is not None and auction.bid is not None:
            yield from self._outcomes(step, auction.bidder, self._book.bids_by_id[auction.bid])
        yield self._misdeal(step.number)

    def _next_hand(self) -> Iterator[Action]:
        night, hand = self._night, self._night.hands + 1
        try:
            seating = night.rules.seating(night.seats, (), night.carry, next_dealer(night))
        except Refused:
            return  # too few or too many are seated for a hand
        auction = auction_of(night.rules, night.carry, seating)
        yield from self._prices(hand, seating, Hand())
        yield from self._calls(hand, auction)
        yield self._misdeal(hand)
        yield from self._nobody_bids(hand, seating, auction)

    def _prices(self, hand: int, seating: Seating, facts: Hand) -> Iterator[Action]:
        for player in seating.eldest_first:
            name = self._names(player)
            if self._book.pool.peek is not None and player not in facts.peeks:
                yield _action("Peek", f"{name} peeks", hand=hand, player=player)
            if self._book.pool.buy is not None and player not in facts.bought:
                for cards in range(1, MOST_CARDS + 1):
                    words = f"{name} buys {_count(cards, 'card')}"
                    yield _action("BuyCards", words, hand=hand, player=player, cards=cards)

    def _calls(self, hand: int, auction: Auction) -> Iterator[Action]:
        player = auction.turn
        if player is None:
            return
        name = self._names(player)
        for bid in auction.legal_bids():
            yield _action("Bid", f"{name} bids {self._title(bid)}", hand=hand, player=player, bid=bid.id)
        if not auction.must_bid(player):
            yield _action("Pass", f"{name} passes", hand=hand, player=player)

    def _outcomes(self, step: HandStep, bidder: str, bid: Bid) -> Iterator[Action]:
        name, hand = self._names(bidder), step.number
        if self._book.family == "pepper":
            for tricks in range(self._book.tricks + 1):
                words = f"{_result(bid.made_with(tricks))} with {_count(tricks, 'trick')}"
                yield _action("RecordOutcome", f"{name}'s {self._title(bid)} is {words}", hand=hand, tricks=tricks)
            return
        for made in (True, False):
            words = f"{name}'s {self._title(bid)} is {_result(made)}"
            yield _action("RecordOutcome", words, hand=hand, made=made)
        if self._book.pool.peek is not None:
            for taken in (True, False):
                if step.facts.took_card is not taken:
                    words = f"{name} {'takes' if taken else 'leaves'} the peep card"
                    yield _action("TakePeepCard", words, hand=hand, taken=taken)

    def _misdeal(self, hand: int) -> Action:
        return _action("DeclareMisdeal", f"hand {hand} is misdealt", hand=hand)

    def _nobody_bids(self, hand: int, seating: Seating, auction: Auction) -> Iterator[Action]:
        """A hand that nobody wanted, told whole; where somebody must bid, he has the lowest."""
        eldest, last = seating.eldest_first[0], seating.eldest_first[-1]
        if auction.must_bid(eldest) or self._book.all_pass == "eldest_min":
            forced = eldest
        elif self._book.all_pass == "dealer_min":
            forced = last
        else:
            yield _action("RecordHand", "everybody passed", hand=hand, passed_out=True)
            return
        bid = self._book.bids_by_id[self._book.minimum_bid]
        for made in (True, False):
            words = f"nobody else bids, and {self._names(forced)}'s {self._title(bid)} is {_result(made)}"
            ending = {"tricks": _tricks(bid, made)} if self._book.family == "pepper" else {"made": made}
            yield _action("RecordHand", words, hand=hand, bidder=forced, bid=bid.id, **ending)

    # Around the hands

    def _around(self) -> Iterator[Action]:
        night = self._night
        for player in night.seats:
            yield _action("UnseatPlayer", f"{self._names(player)} leaves", player=player)
        if night.open_hand is not None:
            return
        for player in night.seats:
            if player != self._dealer():
                yield _action("SetDealer", f"{self._names(player)} deals next", player=player)
        counts = {player: purse.stack for player, purse in night.purses.items()}
        if self._book.family == "nap":
            counts["pool"] = night.pool
        yield _action("CountChips", "the chips on the table agree with the book", counts=counts, gap="leave")
        yield from self._closings()

    def _dealer(self) -> str | None:
        try:
            return next_dealer(self._night)
        except Refused:
            return self._night.dealer

    def _closings(self) -> Iterator[Action]:
        pool = self._night.pool
        if not pool:
            yield _action("CloseNight", "close the night", pool="carry")
            return
        yield _action("CloseNight", f"close the night; the pool of {pool} waits for the next", pool="carry")
        if self._night.seats:
            yield _action("CloseNight", f"close the night; the pool of {pool} is shared", pool="split")
        if self._book.pool.at_close == "draw":
            for player in self._night.seats:
                words = f"close the night; {self._names(player)} has drawn the pool of {pool}"
                yield _action("CloseNight", words, pool={"to": player})

    # What is in question, and what can be taken back

    def _questioned(self) -> Iterator[Action]:
        night, steps = self._night, self._night.hand_steps()
        last = next((step.number for step in reversed(steps) if step.settled), None)
        if last is not None and last not in night.disputes:
            yield _action("Dispute", f"dispute hand {last}", hand=last)
        for hand in sorted(night.disputes):
            yield _action("ResolveDispute", f"the dispute about hand {hand} is settled", hand=hand)
        for step in steps:
            if step.review is not None and step.settled and not night.closed:
                words = f"hand {step.number} stands as it was recorded"
                facts = facts_of(step.facts)
                yield _action("CorrectHand", words, hand=step.number, facts=facts, reason="It stands as recorded.")

    def _undo(self, *, may_reopen: bool) -> Iterator[Action]:
        newest = self._night.newest()
        if newest is None:
            return
        first = newest.events[0][0]
        if isinstance(first, ev.NightClosed):
            legal = may_reopen
        else:
            legal = not self._night.closed or isinstance(first, ev.HandDisputed | ev.DisputeResolved | ev.NoteAdded)
        if legal:
            yield _action(
                "Undo", f"take back: {label_of(newest.events[-1][0], self._night, self._names)}", command=newest.command
            )

    def _title(self, bid: Bid) -> str:
        return self._book.bid_name(bid.id)


def _tricks(bid: Bid, made: bool) -> int:
    """Return tricks with which a bid is made, or just failed."""
    if made:
        return bid.tricks
    return bid.tricks - 1 if bid.tricks else 1


def _result(made: bool) -> str:
    return "made" if made else "failed"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _action(kind: str, label: str, **data: object) -> Action:
    return {"type": kind, "data": data, "label": label}
