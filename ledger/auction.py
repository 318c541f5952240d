"""The auction: whose turn it is, which bids are legal, and when it is over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ledger.errors import (
    AlreadySpoken,
    AuctionOpen,
    AuctionOver,
    BidNeeds,
    BidTooLow,
    BidUnknown,
    ForcedBid,
    NotYourTurn,
    OwnBid,
    SitsOut,
)
from ledger.rulebook import Bid, Rulebook

PASS: Final = "pass"
NAP: Final = "nap"
"""The bid whose bidder may speak again where ``nap_may_raise`` says so."""


class Auction:
    """An auction as far as it has gone.

    ``order`` names the players who hold cards, eldest first, the dealer (or the last before him) last.
    With ``eldest_bids_lowest`` eldest is deemed to have made the lowest bid (Wolf's pepper round).
    """

    __slots__ = ("_book", "_eldest_bids_lowest", "_made", "_order", "_passed", "_waiting", "bid", "bidder", "raiser")

    def __init__(self, book: Rulebook, order: Sequence[str], *, eldest_bids_lowest: bool = False) -> None:
        self._book = book
        self._order = tuple(order)
        self._eldest_bids_lowest = eldest_bids_lowest
        self._waiting = list(reversed(order))
        self._passed: set[str] = set()
        self._made: list[tuple[str, str]] = []
        self.bidder: str | None = None
        self.bid: str | None = None
        self.raiser: str | None = None

    @property
    def turn(self) -> str | None:
        """Return who speaks next, if anybody is left to speak."""
        return self._waiting[-1] if self._waiting else self.raiser

    @property
    def over(self) -> bool:
        """Tell whether the standing bid is final: nobody has to speak, or nobody could beat it."""
        return not self._waiting or self._unbeatable()

    @property
    def passed_out(self) -> bool:
        """Tell whether everybody has passed and no bid falls to anyone."""
        return not self._waiting and self.bidder is None

    def must_bid(self, player: str) -> bool:
        """Tell whether a player may not pass now."""
        if self._eldest_bids_lowest and not self._made and player == self._order[0]:
            return True
        return self._book.all_pass == "dealer_min" and self.bidder is None and self._waiting == [player]

    def legal_bids(self) -> list[Bid]:
        """Return the bids that the player whose turn it is may make, lowest first."""
        player = self.turn
        if player is None or player == self.bidder:
            return []
        if self._eldest_bids_lowest and not self._made:
            return [self._book.bids_by_id[self._book.minimum_bid]]
        return [bid for bid in self._book.bids if bid.id in self._book.rank and self._beats(bid)]

    def call(self, player: str, call: str) -> None:
        """Take a player's bid or ``"pass"``.

        Raises the first of ``SitsOut``, ``OwnBid``, ``AlreadySpoken``, ``NotYourTurn``, ``BidUnknown``,
        ``AuctionOver`` (nothing beats the standing bid), ``BidTooLow``, ``BidNeeds`` and ``ForcedBid`` that applies.
        """
        self._require_turn(player)
        if call == PASS:
            if self.must_bid(player):
                raise ForcedBid(player=player)
            self._passed.add(player)
        else:
            self._require_higher(call)
            self._made.append((player, call))
            self.bidder, self.bid = player, call
        self._advance()

    def _require_turn(self, player: str) -> None:
        if player == self.turn:
            return
        if player not in self._order:
            raise SitsOut(field="player", player=player)
        if player == self.bidder:
            raise OwnBid(player=player)
        if player in self._passed or (not self._book.until_passed and player not in self._waiting):
            raise AlreadySpoken(player=player)
        raise NotYourTurn(turn=self.turn, player=player)

    def _require_higher(self, call: str) -> None:
        book = self._book
        bid = book.bids_by_id.get(call)
        if bid is None:
            raise BidUnknown(field="bid", rulebook=book.id, bid=call)
        if self._unbeatable():
            raise AuctionOver(field="bid")
        if call not in book.rank:
            raise BidTooLow(field="bid", bid=call, standing=f"the minimum, {book.minimum_bid}: it")
        if self.bid is not None and book.rank[call] <= book.rank[self.bid]:
            raise BidTooLow(field="bid", bid=call, standing=self.bid)
        if bid.over is not None and bid.over != self.bid:
            raise BidNeeds(bid=call, needs=bid.over)
        if self._eldest_bids_lowest and len(self._made) == 0 and call != book.minimum_bid:
            raise ForcedBid(field="bid", player=self._order[0])

    def _beats(self, bid: Bid) -> bool:
        higher = self.bid is None or self._book.rank[bid.id] > self._book.rank[self.bid]
        return higher and (bid.over is None or bid.over == self.bid)

    def _unbeatable(self) -> bool:
        return self.bid is not None and not any(
            self._beats(bid) for bid in self._book.bids if bid.id in self._book.rank
        )

    def _advance(self) -> None:
        if not self._waiting:  # the raiser has spoken
            self.raiser = None
            return
        self._waiting.pop()
        if self._waiting:
            return
        if self._book.until_passed and self.bidder is not None:
            start = self._order.index(self.bidder)
            round_again = (*self._order[start + 1 :], *self._order[:start])
            self._waiting = [player for player in reversed(round_again) if player not in self._passed]
        elif self.bidder is None and self._book.all_pass == "eldest_min":
            self.bidder, self.bid = self._order[0], self._book.minimum_bid
        if not self._waiting and self._book.nap_may_raise:
            self.raiser = self._overcalled()

    def _overcalled(self) -> str | None:
        """Return the Nap bidder, if he was overcalled and could still raise (Peel: when he is challenged)."""
        napper = next((player for player, bid in self._made if bid == NAP), None)
        return None if napper == self.bidder or self._unbeatable() else napper


def read_auction(
    book: Rulebook, order: Sequence[str], calls: Sequence[tuple[str, str]], *, eldest_bids_lowest: bool = False
) -> Auction:
    """Return a whole auction that is over, as it stands in the facts of a hand.

    Raises what ``Auction.call`` raises, and ``AuctionOpen`` where somebody has yet to speak.
    """
    auction = Auction(book, order, eldest_bids_lowest=eldest_bids_lowest)
    for player, call in calls:
        auction.call(player, call)
    if not auction.over:
        raise AuctionOpen(field="bids", turn=auction.turn)
    return auction
