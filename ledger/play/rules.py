"""A rulebook made ready to play: its payments compiled, its seatings worked out once each."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ledger.errors import NotSeated, SitsOut, TooFewPlayers, TooManyPlayers
from ledger.payments import SCORE, compile_payments, compile_points, run
from ledger.play.carry import Carry
from ledger.rulebook import Rulebook

_SEATINGS_KEPT = 4_096


class Seating(NamedTuple):
    """Who deals, pays and holds cards in one hand."""

    dealer: str
    payers: tuple[str, ...]
    eldest_first: tuple[str, ...]
    sits_out: str | None

    def require_cards(self, player: str, field: str) -> None:
        """Raise ``NotSeated`` or ``SitsOut`` unless the player holds cards."""
        if player not in self.eldest_first:
            if player in self.payers or player == self.sits_out:
                raise SitsOut(field=field, player=player)
            raise NotSeated(field=field, player=player)


class Rules:
    """A rulebook at one stake, ready to play."""

    def __init__(self, book: Rulebook, stake: int) -> None:
        self.book = book
        self.stake = stake
        self.payments = compile_payments(book, stake)
        self.points = _points(book) if book.family == "pepper" else {}
        pool = self.payments
        self.has_stakes = bool(pool.opening_stake or pool.ante or pool.dealer_stake or pool.join_fee)
        self._seatings: dict[tuple[object, ...], Seating] = {}

    def seating(self, seats: tuple[str, ...], out: tuple[str, ...], carry: Carry, dealer: str | None) -> Seating:
        """Return who plays which part when these are seated.

        Raises ``NotSeated`` for a dealer or a player out who is not there, ``TooFewPlayers``, ``TooManyPlayers``.
        """
        key = (seats, out, dealer) if dealer is not None else (seats, out, carry.dealer, carry.step, carry.seats)
        seating = self._seatings.get(key)
        if seating is None:
            if len(self._seatings) >= _SEATINGS_KEPT:
                self._seatings.clear()
            seating = self._seatings[key] = self._seat(seats, out, carry, dealer)
        return seating

    def _seat(self, seats: tuple[str, ...], out: tuple[str, ...], carry: Carry, dealer: str | None) -> Seating:
        for player in out:
            if player not in seats:
                raise NotSeated(field="out", player=player)
        present = tuple(player for player in seats if player not in out)
        fewest, most = self.book.players
        if len(present) < fewest:
            raise TooFewPlayers(field="players", rulebook=self.book.id, limit=fewest, count=len(present))
        if len(present) > most:
            raise TooManyPlayers(field="players", rulebook=self.book.id, limit=most, count=len(present))
        if dealer is None:
            dealer = next_dealer(seats, present, carry)
        elif dealer not in present:
            raise NotSeated(field="dealer", player=dealer)
        deals = present.index(dealer)
        eldest_first = (*present[deals + 1 :], *present[: deals + 1])
        threshold = self.book.dealer_sits_out_from
        if threshold is None or len(present) < threshold:
            return Seating(dealer, present, eldest_first, None)
        pays = self.book.dealer_out_pays
        payers = present if pays else tuple(player for player in present if player != dealer)
        return Seating(dealer, payers, eldest_first[:-1], dealer)


def _points(book: Rulebook) -> dict[str, dict[str, tuple[int, int]]]:
    """Return what bidders and defenders score, by bid and outcome."""
    sides = {side: (side,) for side in (SCORE, "bidders", "defenders")}
    table: dict[str, dict[str, tuple[int, int]]] = {}
    for bid, outcomes in compile_points(book).items():
        table[bid] = {}
        for outcome, moves in outcomes.items():
            purses = dict.fromkeys(sides, 0)
            run(moves, sides, purses, 0)
            table[bid][outcome] = (purses["bidders"], purses["defenders"])
    return table


def next_dealer(seats: tuple[str, ...], present: tuple[str, ...], carry: Carry) -> str:
    """Return who deals by rotation: the next at the last dealer's left who is in this hand.

    Where the last dealer has left the table, his place in the old seat order decides.
    """
    last = carry.dealer
    if last in seats:
        start = seats.index(last)
        around = (*seats[start:], *seats[:start])
        if carry.step:
            around = (*around[1:], last)
    elif last in carry.seats:
        start = carry.seats.index(last)
        around = (*carry.seats[start + 1 :], *carry.seats[:start], *seats)
    else:
        around = seats
    return next(player for player in around if player in present)


@lru_cache(maxsize=256)
def rules_for(book: Rulebook, stake: int = 1) -> Rules:
    """Return a rulebook ready to play, every chip amount times ``stake``."""
    return Rules(book, stake)
