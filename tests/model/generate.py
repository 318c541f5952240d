"""Random nights that a scorekeeper could have written down: every hand fact of contract 2, always valid."""

from __future__ import annotations

import random
from typing import Any

from . import ChipNight, Data, PepperNight, open_night
from .chips import outcome
from .house import random_house_rules
from .rules import bid_of, effective
from .seats import Deal, contract_of, took_enough

NAMES = ["ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ivy", "jim", "kit", "lou", "max", "nan", "oz", "pip"]
TOO_RICH = 1_000_000  # a pool that large is doubled no more, lest a long night leaves the integers


def random_sheet(
    rng: random.Random,
    rulebook: Data,
    hands: int,
    *,
    house_rules: float = 0.5,
    auctions: float = 0.4,
    comings: float = 0.12,
    unusual: float = 0.3,
    edge: bool = True,
    inline: bool = False,
    sheet_id: str = "random",
) -> Data:
    """One night sheet without `expect`.

    `house_rules` is the chance that the night has some; `auctions` that a hand has its whole auction; `comings` that
    somebody comes, goes or changes seats before a hand; `unusual` that something irregular happens in one. `edge=False`
    leaves out what neither contract nor rulings settle: who comes back, seats that change or a misdeal while stakes
    stand, half an auction before a misdeal, points paid to a winner who may have fewer. `inline` puts the rulebook
    itself into the sheet.
    """
    house = random_house_rules(rng, rulebook) if rng.random() < house_rules else {}
    if not edge and effective(rulebook, house)["score"]["both_reach"] == "bidder":
        house["per_point"] = 0
    fewest, most = rulebook["table"]["players"]
    players = rng.sample(NAMES, rng.randint(fewest, min(most, len(NAMES) - 4)))
    sheet: Data = {"id": sheet_id, "rulebook": rulebook if inline else rulebook["id"], "players": players}
    sheet["dealer"] = rng.choice(players)
    if house:
        sheet["house_rules"] = house
    if rng.random() < 0.35:
        sheet["stake"] = rng.randint(2, 5)
    night = open_night(sheet, rulebook)
    if isinstance(night, PepperNight):
        if rng.random() < 0.5:
            target, below = night.rules["score"]["target"], rng.choice([3, 14])
            sheet["scores"] = {team: target - rng.randint(1, below) for team in night.named_scores()}
    else:
        sheet["pool"] = rng.choice([0, 0, 0, rng.randint(1, 40)])
    night = open_night(sheet, rulebook)
    writer = Writer(rng, night, auctions, comings, unusual, edge)
    sheet["hands"] = []
    for _ in range(hands):
        facts = writer.hand()
        night.play(facts)
        sheet["hands"].append(facts)
    return sheet


class Writer:
    """Writes one hand after another, knowing how the night stands."""

    def __init__(
        self,
        rng: random.Random,
        night: ChipNight | PepperNight,
        auctions: float,
        comings: float,
        unusual: float,
        edge: bool,
    ) -> None:
        self.rng = rng
        self.night = night
        self.rules = night.rules
        self.auctions = auctions
        self.comings = comings
        self.unusual = unusual
        self.edge = edge
        self.pepper = isinstance(night, PepperNight)
        self.sat = set(night.table.seats)

    def chance(self, part: float) -> bool:
        return self.rng.random() < part

    # -- one hand ------------------------------------------------------------------------------------------------

    def hand(self) -> Data:
        """A misdeal, a passed-out deal or a played hand."""
        rng, facts = self.rng, self.change_of_seats()
        kind = rng.choices(["played", "misdeal", "passed_out"], [82, 9, 9])[0]
        if kind == "misdeal" and not self.edge and self.stakes_stand():
            kind = "played"
        if kind == "passed_out" and self.somebody_must_bid():
            kind = "played"
        settled = self.edge or not self.stakes_stand()
        if kind == "played" and settled:
            facts |= self.somebody_out(facts)
        if self.chance(0.04) and settled:
            here = [player for player in self.seats(facts) if player not in facts.get("out", [])]
            facts["dealer"] = rng.choice(here)
        deal = self.night.deal(facts)

        if kind == "played" and self.chance(self.auctions):
            facts["bids"] = self.auction(deal)
            while contract_of(facts, self.rules, deal) is None and ("out" in facts or self.somebody_must_bid()):
                facts["bids"] = self.auction(deal)
            if contract_of(facts, self.rules, deal) is None:
                kind = "passed_out"
        facts |= self.peeks_and_purchases(deal)
        if kind == "misdeal":
            self.misdeal(facts, deal)
        elif kind == "passed_out":
            self.passed_out(facts, deal)
        else:
            self.played(facts, deal)
        if self.chance(0.04):
            facts["note"] = rng.choice(["candle fell over", "спорили долго", "wrong deck"])
        return facts

    def misdeal(self, facts: Data, deal: Deal) -> None:
        """Found at any time: with no auction, or as much of one as there was."""
        facts["misdeal"] = True
        if self.edge and self.chance(0.2):
            begun = self.auction(deal)[: self.rng.randint(1, len(deal.active)) - 1]
            if begun:
                facts["bids"] = begun

    def passed_out(self, facts: Data, deal: Deal) -> None:
        """Everybody passes; the whole auction says so by itself in a redeal game."""
        redeals = self.rules["auction"]["all_pass"] in ("redeal_next", "redeal_same")
        if "bids" not in facts and self.chance(self.auctions):
            facts["bids"] = [[player, "pass"] for player in deal.active]
        if "bids" not in facts or not redeals or self.chance(0.5):
            facts["passed_out"] = True
        if not self.pepper and self.rules["pool"]["peek"] is not None and facts.get("passed_out") and self.chance(0.05):
            facts["took_card"] = True

    def played(self, facts: Data, deal: Deal) -> None:
        """Somebody bids, and it is made or not."""
        rng = self.rng
        if "bids" not in facts:
            facts["bidder"] = rng.choice(deal.active)
            facts["bid"] = rng.choice(self.rules["bids"])["id"]
        contract = contract_of(facts, self.rules, deal)
        assert contract is not None
        if self.chance(0.4):
            facts["bidder"], facts["bid"] = contract
        bidder, bid = contract[0], bid_of(self.rules, contract[1])
        if bid.get("trumps", True) and self.chance(0.4):
            suits = ["clubs", "diamonds", "hearts", "spades"]
            facts["trumps"] = rng.choice([*suits, "none"] if self.pepper else suits)
        if self.pepper:
            self.pepper_outcome(facts, deal, bid)
            return
        if self.rules["pool"]["peek"] is not None and self.chance(0.3):
            facts["took_card"] = self.chance(0.8)
        if self.rules["pool"]["widow"] is not None and bid["id"] == "nap" and self.chance(0.5):
            facts["took_widow"] = True
        self.chip_outcome(facts, deal, bidder, bid)

    # -- seats ---------------------------------------------------------------------------------------------------

    def stakes_stand(self) -> bool:
        return isinstance(self.night, ChipNight) and any(self.night.stakes.values())

    def seats(self, facts: Data) -> list[str]:
        seats: list[str] = facts.get("players", self.night.table.seats)
        return seats

    def change_of_seats(self) -> Data:
        """Somebody sits down, leaves, comes back, changes seats; or the same players are named again."""
        rng, seats = self.rng, list(self.night.table.seats)
        if not self.chance(self.comings) or (self.stakes_stand() and not self.edge):
            return {}
        fewest, most = self.rules["table"]["players"]
        new = rng.choice([name for name in NAMES if name not in seats])
        if new in self.sat and not self.edge:
            return {}
        self.sat.add(new)
        first_hand = not self.night.hands
        what = rng.choice(["join", "join", "leave", "leave", "same", "replace", "reseat"])
        if what == "join" and len(seats) < most:
            seats.insert(rng.randint(0, len(seats)), new)
        elif what == "leave" and len(seats) > fewest and not first_hand:
            seats.remove(rng.choice(seats))
        elif what == "replace" and not first_hand and (self.edge or not self.pepper):
            seats[rng.randrange(len(seats))] = new
        elif what == "reseat" and self.edge:
            rng.shuffle(seats)
        return {"players": seats}

    def somebody_out(self, facts: Data) -> Data:
        """Now and then one sits a hand out, where enough are left."""
        seats = self.seats(facts)
        if self.pepper or len(seats) <= self.rules["table"]["players"][0] or not self.chance(0.06):
            return {}
        if not self.night.hands:  # the sheet's dealer deals the first hand
            seats = [player for player in seats if player != self.night.table.dealer]
        return {"out": [self.rng.choice(seats)]}

    # -- the auction ---------------------------------------------------------------------------------------------

    def somebody_must_bid(self) -> bool:
        """No passed-out hand: a forced bid, Pepper's minimum, or the pepper round."""
        auction = self.rules["auction"]
        if auction["all_pass"] in ("dealer_min", "eldest_min"):
            return True
        return self.pepper and (auction["minimum_bid"] is not None or self.in_pepper_round())

    def in_pepper_round(self) -> bool:
        """The first hands of a game, in which eldest is deemed to have bid the lowest."""
        if not isinstance(self.night, PepperNight):
            return False
        played = 0 if self.night.game_over else self.night.hands_of_game
        return played < int(self.rules["score"]["pepper_round"])

    def may_follow(self, standing: str | None) -> list[str]:
        """The bids that may be made over the standing one."""
        ids = [bid["id"] for bid in self.rules["bids"]]
        higher = self.rules["bids"][0 if standing is None else ids.index(standing) + 1 :]
        return [bid["id"] for bid in higher if bid.get("over") in (None, standing)]

    def auction(self, deal: Deal) -> list[list[str]]:
        """A whole legal auction; it may come to nothing but passes where nobody must bid."""
        rng, active = self.rng, deal.active
        auction = self.rules["auction"]
        forced = auction["all_pass"] == "dealer_min" or (self.pepper and auction["minimum_bid"] is not None)
        until_passed = auction["rounds"] == "until_passed"
        boldness = rng.choice([0.1, 0.4, 0.7])

        entries: list[list[str]] = []
        standing: str | None = None
        holder: str | None = None
        passed: set[str] = set()
        turn = 0
        while turn < len(active) or (until_passed and len(passed) < len(active) - (holder is not None)):
            player = active[turn % len(active)]
            turn += 1
            if player in passed or player == holder:
                continue
            choices = self.may_follow(standing)
            if turn == 1 and self.in_pepper_round():
                bid = self.rules["bids"][0]["id"]
            elif choices and (self.chance(boldness) or (forced and standing is None and player == active[-1])):
                bid = choices[min(int(rng.expovariate(0.6)), len(choices) - 1)]
            else:
                entries.append([player, "pass"])
                passed.add(player)
                continue
            entries.append([player, bid])
            standing, holder = bid, player

        if standing is not None and not self.may_follow(standing):
            while entries[-1][1] == "pass" and self.chance(0.8):  # passes after an unbeatable bid may be left out
                entries.pop()
        elif auction["nap_may_raise"] and not until_passed and standing is not None and self.chance(0.6):
            for player, bid in list(entries):
                if bid == "nap" and player != holder:
                    entries.append([player, rng.choice([*self.may_follow(standing), "pass"])])
        return entries

    # -- what happened -------------------------------------------------------------------------------------------

    def some(self, players: list[str], part: float) -> list[str]:
        return [player for player in self.rng.sample(players, len(players)) if self.chance(part)]

    def peeks_and_purchases(self, deal: Deal) -> Data:
        """Any who hold cards; the stock must hold the cards that are bought (rules 1.6)."""
        facts: Data = {}
        if self.pepper:
            return facts
        if self.rules["pool"]["peek"] is not None and self.chance(0.8):
            facts["peeks"] = self.some(deal.active, 0.5)
        if self.rules["pool"]["buy"] is not None and self.chance(0.7):
            stock = 46 - 5 * len(deal.active)
            facts["bought"] = {}
            for player in self.some(deal.active, 0.6):
                cards = min(self.rng.randint(0, 5), stock)
                stock -= cards
                facts["bought"][player] = cards
        return {key: value for key, value in facts.items() if value or self.chance(0.1)}

    def made_or_tricks(self, bid: Data) -> Data:
        """The result as the scorekeeper gives it: a yes or no, the tricks, or both."""
        tricks = self.rng.randint(0, self.rules["table"]["tricks"])
        if self.chance(0.4) and bid.get("trumps", True):
            tricks = max(tricks, bid["tricks"])
        if bid["exactly"] and self.chance(0.5):
            tricks = bid["tricks"]
        told = {"made": took_enough(bid, tricks), "tricks": tricks}
        if self.chance(0.15):
            return told
        key = "tricks" if self.pepper or self.chance(0.35) else "made"
        return {key: told[key]}

    def chip_outcome(self, facts: Data, deal: Deal, bidder: str, bid: Data) -> None:
        """Made or failed, and whatever went wrong on the way."""
        assert isinstance(self.night, ChipNight)
        rng = self.rng
        result: Data = self.made_or_tricks(bid)
        if self.chance(self.unusual):
            what = rng.choice(["revoke", "foul", "out of turn", "out of turn", "both"])
            if what in ("revoke", "both"):
                result = {"made": self.chance(0.5)} if self.chance(0.2) else {}
                result["revoke"] = bidder if self.chance(0.35) else rng.choice(deal.active)
            elif what == "foul":
                result["foul"] = rng.choice(["opponent", "bidder_more", "bidder_fewer", "both"])
                if result["foul"] == "both" and self.chance(0.6):
                    result = {"foul": "both"}
            if what in ("out of turn", "both") or (what == "foul" and self.chance(0.3)):
                for offence in ("led_out_of_turn", "played_out_of_turn"):
                    if self.chance(0.6):
                        result[offence] = self.some(deal.active, 0.35)
        on_fail_pool: Any = bid["on_fail_pool"]
        if facts.get("took_widow"):
            on_fail_pool = self.rules["pool"]["widow"]["on_fail_pool"]
        rich = self.night.purse["(pool)"] > TOO_RICH
        if rich and on_fail_pool == "double" and outcome(result, bidder, bid) == "failed":
            result = {"made": True}
        facts |= result

    def pepper_outcome(self, facts: Data, deal: Deal, bid: Data) -> None:
        """Tricks, or a surrender, granted tricks, a revoke."""
        score = self.rules["score"]
        if self.chance(self.unusual):
            clubs = score["dirty_clubs"] and facts.get("trumps", "clubs") == "clubs"
            what = self.rng.choice(["surrendered", "granted", "revoke"])
            if what == "surrendered" and score["surrender"] and not clubs:
                facts["surrendered"] = True
                return
            if what == "granted" and bid["id"] in score["negotiate"] and not clubs:
                facts["granted"] = self.rng.randint(1, score["negotiate"][bid["id"]])
                return
            if what == "revoke":
                facts["revoke"] = self.rng.choice(deal.active)
                if self.chance(0.6):
                    facts["tricks"] = self.rng.randint(0, self.rules["table"]["tricks"])
                return
        facts |= self.made_or_tricks(bid)
