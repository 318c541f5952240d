"""Who sits, who deals, who holds cards, who pays, and who won the auction (contract 2, rulings "seats and players")."""

from __future__ import annotations

from dataclasses import dataclass

from .rules import Data


@dataclass
class Deal:
    """One deal as the players sit down to it."""

    seats: list[str]  # everyone seated, in seat order
    out: list[str]  # seated, but neither holding cards nor paying
    dealer: str
    payers: list[str]  # who pays and is paid, in seat order
    active: list[str]  # who holds cards, in speaking order: eldest first, the dealer last if he plays


@dataclass
class Seating:
    """The table between two deals."""

    seats: list[str]
    dealer: str  # of the last deal; before the first hand, of the first
    same_dealer: bool = True  # the next deal is dealt by the same player

    def deal(self, facts: Data, rules: Data) -> Deal:
        """Read the seats of the next hand; changes nothing."""
        seats = list(facts.get("players", self.seats))
        out = list(facts.get("out", []))
        dealer = facts.get("dealer") or self.next_dealer(seats, out)

        at_table = [player for player in seats if player not in out]
        place = at_table.index(dealer)
        speaking = at_table[place + 1 :] + at_table[:place] + [dealer]
        payers = list(at_table)
        limit = rules["table"]["dealer_sits_out_from"]
        if limit is not None and len(at_table) >= limit:
            speaking.remove(dealer)
            if not rules["table"]["dealer_out_pays"]:
                payers.remove(dealer)
        return Deal(seats, out, dealer, payers, speaking)

    def next_dealer(self, seats: list[str], out: list[str]) -> str:
        """The same dealer again, or the next seat to his left; if he has left, the next of the old seat order."""
        here = [player for player in seats if player not in out]
        if self.same_dealer and self.dealer in here:
            return self.dealer
        circle = seats if self.dealer in seats else self.seats
        place = circle.index(self.dealer)
        for player in circle[place + 1 :] + circle[:place]:
            if player in here:
                return player
        return here[0]

    def done(self, deal: Deal, same_dealer: bool) -> None:
        """The hand is over: remember the seats and whether the deal moves left."""
        self.seats = deal.seats
        self.dealer = deal.dealer
        self.same_dealer = same_dealer


def contract_of(facts: Data, rules: Data, deal: Deal) -> tuple[str, str] | None:
    """Bidder and bid, as told or as the auction went; None when everybody passed and nobody is forced."""
    if "bidder" in facts:
        return facts["bidder"], facts["bid"]
    spoken = [(player, bid) for player, bid in facts.get("bids", []) if bid != "pass"]
    if spoken:
        return spoken[-1]
    if facts.get("passed_out"):
        return None
    if rules["auction"]["all_pass"] == "eldest_min":
        return deal.active[0], rules["bids"][0]["id"]
    return None


def took_enough(bid: Data, tricks: int) -> bool:
    """At least the tricks of the bid, or exactly those (misère)."""
    if bid["exactly"]:
        return bool(tricks == bid["tricks"])
    return bool(tricks >= bid["tricks"])
