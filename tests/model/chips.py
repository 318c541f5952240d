"""The Nap family, one hand at a time, chips moved one payment after the other (contract 2; rules 1.1 to 1.12)."""

from __future__ import annotations

from typing import Any

from .rules import Data, bid_of, effective
from .seats import Deal, Seating, contract_of, took_enough

POOL = "(pool)"
KINDS = ("opening", "ante", "dealer", "join")  # the kinds of stake that can stand, or be taken back


class ChipNight:
    """The purses, the pool, and what one deal leaves to the next."""

    def __init__(self, sheet: Data, rulebook: Data) -> None:
        self.rules = effective(rulebook, sheet.get("house_rules"))
        self.stake = int(sheet.get("stake", 1))
        self.table = Seating(list(sheet["players"]), sheet["dealer"])
        self.purse: dict[str, int] = dict.fromkeys(sheet["players"], 0)
        self.purse[POOL] = int(sheet.get("pool", 0))
        self.hands: list[Data] = []
        self.doubled = False  # double_next: until a bid is made
        # Stakes of the deal in hand; after a misdeal, or a passed-out deal with standing stakes, they stand.
        self.stakes: dict[str, dict[str, int]] = {kind: {} for kind in KINDS}
        self.opening_deal = False  # the stakes are those of a deal that opened a pool
        self.passed_standing = False  # they stand since a passed-out deal
        # Join fees.
        self.pool_number = 1
        self.in_pool: dict[str, int] = {}  # the last pool that a player had his part in
        self.owes_fee: set[str] = set()

    def give(self, giver: str, taker: str, chips: int) -> None:
        """Move chips from one purse to another."""
        self.purse[giver] -= chips
        self.purse[taker] += chips

    def deal(self, facts: Data) -> Deal:
        """The seats of the hand that these facts would make; changes nothing."""
        return self.table.deal(facts, self.rules)

    def play(self, facts: Data) -> Data:
        """Score one hand and add it to the night: stakes, purchases, peeks, fines, result, payments, pool."""
        deal = self.deal(facts)
        for player in deal.seats:
            self.purse.setdefault(player, 0)
        before = dict(self.purse)

        self.seat_joiners(deal)
        self.pay_stakes(deal)
        bought = self.buy_cards(facts)
        peeked = self.pay_peeks(facts)

        line: Data = {"hand": len(self.hands) + 1, "dealer": deal.dealer}
        same_dealer = False
        contract = contract_of(facts, self.rules, deal)
        if facts.get("misdeal"):
            line["result"] = "misdeal"
            same_dealer = True
            self.give(deal.dealer, POOL, self.rules["fines"]["misdeal"]["pool"] * self.stake)
            if self.rules["pool"]["refund_on_misdeal"]:
                for paid in (bought, peeked):
                    for player, chips in paid.items():
                        self.give(POOL, player, chips)
        elif contract is None:
            line["result"] = "passed_out"
            same_dealer = self.rules["auction"]["all_pass"] == "redeal_same"
            if self.rules["auction"]["all_pass"] == "double_next":
                self.doubled = True
            if self.rules["pool"]["stakes_stand_when_passed"]:
                self.passed_standing = True
            else:
                self.forget_stakes()
        else:
            bidder, bid_id = contract
            line["bidder"], line["bid"] = bidder, bid_id
            bid = bid_of(self.rules, bid_id)
            self.pay_fines(facts, bidder)
            line["result"] = outcome(facts, bidder, bid)
            if line["result"] == "made":
                self.pay_made(facts, deal, bidder, bid)
            elif line["result"] == "failed":
                self.pay_failed(facts, deal, bidder, bid)
            self.forget_stakes()

        changes = {player: self.purse[player] - before[player] for player in deal.payers}
        # A dealer who sits out unpaid may owe his stake; who is out may take a standing stake back.
        for player in deal.seats:
            if player not in changes and self.purse[player] != before[player]:
                changes[player] = self.purse[player] - before[player]
        line["changes"] = changes
        line["pool"] = self.purse[POOL]
        self.hands.append(line)
        if self.purse[POOL] == 0:
            self.pool_number += 1
        self.table.done(deal, same_dealer)
        return line

    # -- stakes --------------------------------------------------------------------------------------------------

    def seat_joiners(self, deal: Deal) -> None:
        """Who sits down after the night's first hand owes the join fee, once per pool (rulings, stakes)."""
        if self.hands:
            for player in deal.seats:
                if player not in self.table.seats and self.in_pool.get(player) != self.pool_number:
                    self.owes_fee.add(player)
        self.owes_fee = {player for player in self.owes_fee if player in deal.seats}

    def pay_stakes(self, deal: Deal) -> None:
        """Opening stakes or the dealer's stake, antes, join fees; nothing that stands is paid again."""
        pool = self.rules["pool"]
        opening = pool["opening_stake"] * self.stake
        pool_found = self.purse[POOL]
        if not any(self.stakes.values()):
            self.opening_deal = opening > 0 and pool_found == 0
            self.passed_standing = False

        if pool["join_fee"] == "fair_share":
            fee = -(-pool_found // len(deal.payers))
        elif pool["join_fee"] == "opening":
            fee = opening
        else:
            fee = 0

        for player in deal.payers:
            if self.opening_deal:
                self.put_stake("opening", player, opening)
            elif player in self.owes_fee:
                self.put_stake("join", player, fee)
            self.owes_fee.discard(player)
            self.put_stake("ante", player, pool["ante"] * self.stake)
        if not self.opening_deal and not self.passed_standing:
            self.put_stake("dealer", deal.dealer, pool["dealer_stake"] * self.stake)

        for player in deal.seats:
            if player not in self.owes_fee:
                self.in_pool[player] = self.pool_number

    def put_stake(self, kind: str, player: str, chips: int) -> None:
        """One stake into the pool, unless the player has one of this kind standing."""
        if chips and player not in self.stakes[kind]:
            self.give(player, POOL, chips)
            self.stakes[kind][player] = chips

    def forget_stakes(self) -> None:
        """After a hand that was played, and a passed-out one without standing stakes, they are just pool."""
        self.stakes = {kind: {} for kind in KINDS}
        self.passed_standing = False

    # -- purchases, peeks, fines ---------------------------------------------------------------------------------

    def buy_cards(self, facts: Data) -> dict[str, int]:
        """Purchase Nap: so much a card, or a flat price for any number but none (rules 1.6)."""
        paid: dict[str, int] = {}
        for player, cards in facts.get("bought", {}).items():
            if cards > 0:
                buy = self.rules["pool"]["buy"]
                paid[player] = buy["price"] * self.stake * (cards if buy["per"] == "card" else 1)
                self.give(player, POOL, paid[player])
        return paid

    def pay_peeks(self, facts: Data) -> dict[str, int]:
        """Peep Nap: each look at the card is paid to the pool (rules 1.1)."""
        paid: dict[str, int] = {}
        for player in facts.get("peeks", []):
            paid[player] = self.rules["pool"]["peek"] * self.stake
            self.give(player, POOL, paid[player])
        return paid

    def pay_fines(self, facts: Data, bidder: str) -> None:
        """Revoke and cards out of turn (contract 2). A bidder pays only for a lead whose fine goes to the pool."""
        fines = self.rules["fines"]
        for offence in ("led_out_of_turn", "played_out_of_turn"):
            chips = fines[offence]["chips"] * self.stake
            to_pool = fines[offence]["to"] == "pool"
            for player in dict.fromkeys(facts.get(offence, [])):
                if player != bidder:
                    self.give(player, POOL if to_pool else bidder, chips)
                elif offence == "led_out_of_turn" and to_pool:
                    self.give(player, POOL, chips)
        if "revoke" in facts:
            self.give(facts["revoke"], POOL, fines["revoke"]["pool"] * self.stake)

    # -- the contract and the pool -------------------------------------------------------------------------------

    def times(self) -> int:
        """What one chip of a contract is worth: the stake, doubled after an all-pass under double_next."""
        return self.stake * 2 if self.doubled else self.stake

    def pay_made(self, facts: Data, deal: Deal, bidder: str, bid: Data) -> None:
        """Every payer pays the bidder, or the revoker pays for all of them; the bid takes the pool if it may."""
        revoker = facts.get("revoke")
        for payer in deal.payers:
            if payer != bidder:
                self.give(payer if revoker is None else revoker, bidder, bid["collects"] * self.times())
        if bid["takes_pool"] and (revoker is None or self.rules["pool"]["revoke_awards_pool"]):
            self.give(POOL, bidder, self.purse[POOL])
        self.doubled = False

    def pay_failed(self, facts: Data, deal: Deal, bidder: str, bid: Data) -> None:
        """The bidder pays each payer who kept his turn, then the pool, then the stakes go back if the rules say so."""
        pays, on_fail_pool = bid["pays"], bid["on_fail_pool"]
        if facts.get("took_widow"):
            widow = self.rules["pool"]["widow"]
            pays, on_fail_pool = widow.get("fail_pays", pays), widow["on_fail_pool"]
        offenders = facts.get("led_out_of_turn", []) + facts.get("played_out_of_turn", [])

        if bid["pays_players"]:
            for payer in deal.payers:
                if payer != bidder and payer not in offenders:
                    self.give(bidder, payer, pays * self.times())
        self.give(bidder, POOL, self.owed_to_pool(on_fail_pool, pays, len(deal.payers)))

        if self.rules["pool"]["failed_pot"] == "refund":
            for player in deal.seats:
                own = sum(self.stakes[kind].get(player, 0) for kind in KINDS)
                self.give(POOL, player, min(own, self.purse[POOL]))

    def owed_to_pool(self, on_fail_pool: Any, pays: int, payers: int) -> int:
        """What a failed bid adds to the pool as it now stands."""
        if on_fail_pool == "double":
            return self.purse[POOL]
        if on_fail_pool == "per_player":
            return pays * payers * self.times()
        if on_fail_pool == "none":
            return 0
        return int(on_fail_pool["fixed"]) * self.times()

    def result(self) -> Data:
        """The night so far, in the shape of `kittybook score` (contract 3)."""
        balances = {player: chips for player, chips in self.purse.items() if player != POOL}
        return {"hands": list(self.hands), "balances": balances, "pool": self.purse[POOL]}


def outcome(facts: Data, bidder: str, bid: Data) -> str:
    """Made, failed or void: a revoke decides at once, a wrong number of cards may leave nothing to pay."""
    if "revoke" in facts:
        return "failed" if facts["revoke"] == bidder else "made"
    foul = facts.get("foul")
    if foul == "both":
        return "void"
    made = facts["made"] if "made" in facts else took_enough(bid, facts["tricks"])
    if foul == "opponent" and not made:
        return "void"
    if foul == "bidder_more" and made:
        return "void"
    return "made" if made else "failed"
