"""Pepper, one hand at a time (rules 1.13 to 1.16; contract 1 "Pepper", 2 and 3)."""

from __future__ import annotations

from .rules import Data, bid_of, effective
from .seats import Deal, Seating, contract_of, took_enough


class PepperNight:
    """Two teams, their scores in the running game, and the games that are finished."""

    def __init__(self, sheet: Data, rulebook: Data) -> None:
        self.rules = effective(rulebook, sheet.get("house_rules"))
        self.stake = int(sheet.get("stake", 1))
        self.table = Seating(list(sheet["players"]), sheet["dealer"])
        self.teams = teams_of(sheet["players"])
        given = sheet.get("scores", {})
        self.scores = [int(given.get("+".join(team), 0)) for team in self.teams]
        self.hands: list[Data] = []
        self.games: list[Data] = []
        self.game_over = False
        self.hands_of_game = 0  # misdeals not counted: for the pepper round

    def deal(self, facts: Data) -> Deal:
        """The seats of the hand that these facts would make; changes nothing."""
        return self.table.deal(facts, self.rules)

    def play(self, facts: Data) -> Data:
        """Score one hand, add it to the game, and see whether the game is over."""
        deal = self.deal(facts)
        if self.game_over:  # the hand after a finished game starts another at 0:0
            self.game_over = False
            self.scores = [0, 0]
            self.hands_of_game = 0
        elif seats_crossed(self.teams, teams_of(deal.payers)):
            self.scores.reverse()
        self.teams = teams_of(deal.payers)

        line: Data = {"hand": len(self.hands) + 1, "dealer": deal.dealer}
        same_dealer = False
        points = [0, 0]
        contract = contract_of(facts, self.rules, deal)
        if facts.get("misdeal"):
            line["result"] = "misdeal"
            same_dealer = True
        elif contract is None:
            line["result"] = "passed_out"
            same_dealer = self.rules["auction"]["all_pass"] == "redeal_same"
        else:
            bidder, bid_id = contract
            line["bidder"], line["bid"] = bidder, bid_id
            side = 0 if bidder in self.teams[0] else 1
            line["result"], bidders, defenders = self.points(facts, self.teams[side], bid_of(self.rules, bid_id))
            points[side], points[1 - side] = bidders, defenders
        if line["result"] != "misdeal":
            self.hands_of_game += 1

        self.scores = [self.scores[0] + points[0], self.scores[1] + points[1]]
        line["changes"] = {"+".join(self.teams[0]): points[0], "+".join(self.teams[1]): points[1]}
        line["pool"] = 0
        self.hands.append(line)
        if contract is not None and line["result"] != "misdeal":
            winner = self.winner(side)
            if winner is not None:
                self.finish(winner, deal)
        self.table.done(deal, same_dealer)
        return line

    def points(self, facts: Data, bidders: list[str], bid: Data) -> tuple[str, int, int]:
        """Result, points of the bidding side, points of the defenders."""
        score = self.rules["score"]
        if "revoke" in facts:
            if facts["revoke"] not in bidders:  # counts as a surrender
                return "made", bid["collects"], 0
            theirs = self.rules["table"]["tricks"] - facts["tricks"] if "tricks" in facts else 1
            return "failed", -bid["pays"], bid.get("defenders", max(1, theirs))
        if facts.get("foul") == "both":
            return "void", 0, 0
        if facts.get("surrendered"):
            return "made", bid["collects"], 0
        if "granted" in facts:
            return "made", bid["collects"], facts["granted"]

        ours = facts["tricks"]
        theirs = self.rules["table"]["tricks"] - ours
        made = took_enough(bid, ours)
        if (facts.get("foul") == "opponent" and not made) or (facts.get("foul") == "bidder_more" and made):
            return "void", 0, 0
        if theirs > 0:
            defence = bid.get("defenders", theirs)
        elif score["swept"] == "lose_bid":
            defence = -bid["collects"]
        else:
            defence = 0
        if not made:
            return "failed", -bid["pays"], defence
        if score["score_what_you_get"]:
            return "made", max(bid["collects"], ours), defence
        return "made", bid["collects"], defence

    def winner(self, bidding_side: int) -> int | None:
        """Which side has won after this hand, if any; both at the target: as `both_reach` says (rules C20)."""
        target = self.rules["score"]["target"]
        reached = [side for side in (0, 1) if self.scores[side] >= target]
        if len(reached) < 2:
            return reached[0] if reached else None
        both_reach = self.rules["score"]["both_reach"]
        if both_reach == "bidder":
            return bidding_side
        if both_reach == "higher" and self.scores[0] != self.scores[1]:
            return 0 if self.scores[0] > self.scores[1] else 1
        return None

    def finish(self, winner: int, deal: Deal) -> None:
        """Write the game down; each loser pays the winner at his left (contract 1, `[stakes]`)."""
        stakes = self.rules["stakes"]
        difference = max(0, self.scores[winner] - self.scores[1 - winner])
        price = self.stake * (stakes["per_game"] + stakes["per_point"] * difference)
        chips = dict.fromkeys(deal.payers, 0)
        for seat, player in enumerate(deal.payers):
            if player not in self.teams[winner]:
                left = deal.payers[(seat + 1) % len(deal.payers)]
                chips[player] -= price
                chips[left] += price
        self.games.append({
            "winner": "+".join(self.teams[winner]),
            "last_hand": len(self.hands),
            "scores": self.named_scores(),
            "chips": chips,
        })  # fmt: skip
        self.game_over = True

    def named_scores(self) -> dict[str, int]:
        """The scores by team name: first seat + third, second + fourth."""
        return {"+".join(team): points for team, points in zip(self.teams, self.scores, strict=True)}

    def result(self) -> Data:
        """The night so far, in the shape of `kittybook score` (contract 3)."""
        winner = self.games[-1]["winner"] if self.games else None
        scores = self.named_scores()
        return {"hands": list(self.hands), "balances": scores, "pool": 0, "winner": winner, "games": list(self.games)}


def teams_of(players: list[str]) -> list[list[str]]:
    """Partners sit opposite."""
    return [list(players[0::2]), list(players[1::2])]


def seats_crossed(old: list[list[str]], new: list[list[str]]) -> bool:
    """A pair that stays together keeps its score, wherever it now sits; else scores stay by position (rulings)."""
    was, now = [set(team) for team in old], [set(team) for team in new]
    if was[0] == now[0] or was[1] == now[1]:
        return False
    return was[0] == now[1] or was[1] == now[0]
