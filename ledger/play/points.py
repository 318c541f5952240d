"""How a hand of Pepper ends, and how its points make games (Rockets; Melton; Wolf; contract sections 1 and 3)."""

from __future__ import annotations

from ledger.errors import GrantRefused, OutOfRange, ResultClash, ResultMissing, SurrenderRefused, TotalTooLarge
from ledger.hands import Hand
from ledger.play.carry import Carry, Game, Played, team_names
from ledger.play.chips import is_void
from ledger.play.rules import Rules, Seating
from ledger.rulebook.model import Score
from ledger.values import TOTAL_LIMIT


def settle_points(
    rules: Rules, carry: Carry, seats: tuple[str, ...], seating: Seating, hand: Hand, *, bidder: str, bid: str
) -> Played:
    """Score a hand for both teams, and end the game where a team has reached the target."""
    score = rules.book.score
    assert score is not None
    game = running_game(carry, seating.payers)
    bidders_first = bidder in game.first
    outcome, result = _outcome(rules, score, game, hand, bidder=bidder, bid=bid)
    bidders, defenders = (0, 0) if outcome is None else rules.points[bid][outcome]
    first, second = (bidders, defenders) if bidders_first else (defenders, bidders)
    scores = (game.scores[0] + first, game.scores[1] + second)
    names = team_names(game)
    winner = _winner(score, scores, bidders_first=bidders_first)
    after = game._replace(scores=scores, hands=game.hands + 1, winner=None if winner is None else names[winner])
    return _played(carry._replace(game=after, step=1), seats, seating, result, (first, second), bidder=bidder, bid=bid)


def settle_no_points(rules: Rules, carry: Carry, seats: tuple[str, ...], seating: Seating, *, misdeal: bool) -> Played:
    """Leave the scores as they are after a misdeal, or when everybody passed."""
    same_dealer = misdeal or rules.book.all_pass == "redeal_same"
    after = carry._replace(game=running_game(carry, seating.payers), step=0 if same_dealer else 1)
    return _played(after, seats, seating, "misdeal" if misdeal else "passed_out", (0, 0))


def running_game(carry: Carry, players: tuple[str, ...]) -> Game:
    """Return the game that a hand belongs to: the one begun, or a new one at 0:0 after a finished one.

    Pairs that changed seats keep their scores; a substitute takes over the score of the seat.
    """
    first, second = (players[0], players[2]), (players[1], players[3])
    game = carry.game
    if game is None or game.winner is not None:
        return Game(first, second, (0, 0), number=1 if game is None else game.number + 1)
    if {*game.first} == {*second} or {*game.second} == {*first}:
        return game._replace(first=first, second=second, scores=game.scores[::-1])
    return game._replace(first=first, second=second)


def stakes_paid(rules: Rules, game: Game, players: tuple[str, ...]) -> dict[str, int]:
    """Return the chips that a finished game moves: each loser pays the winner at his left, by game and by point.

    Raises ``TotalTooLarge``.
    """
    stakes = rules.book.stakes
    won_first = game.winner == team_names(game)[0]
    ahead = game.scores[0] - game.scores[1] if won_first else game.scores[1] - game.scores[0]
    due = rules.stake * (stakes.per_game + stakes.per_point * max(0, ahead))
    if due > TOTAL_LIMIT:
        raise TotalTooLarge(field="what a game is played for")
    return {player: due if (player in game.first) == won_first else -due for player in players}


def _outcome(rules: Rules, score: Score, game: Game, hand: Hand, *, bidder: str, bid: str) -> tuple[str | None, str]:
    """Return the outcome as the points table names it, nothing where the hand is void, and the result."""
    if hand.tricks is not None and hand.tricks > rules.book.tricks:
        raise OutOfRange(field="tricks", low=0, high=rules.book.tricks)
    if hand.surrendered or hand.granted is not None:
        return _conceded(score, hand, bid), "made"
    if hand.revoke is not None:
        if (hand.revoke in game.first) != (bidder in game.first):
            return "defenders revoked", "made"
        defenders = 1 if hand.tricks is None else max(1, rules.book.tricks - hand.tricks)
        return f"bidders revoked {defenders}", "failed"
    if hand.foul == "both":
        return None, "void"
    if hand.tricks is None:
        raise ResultMissing(field="tricks", bid=bid)
    made = rules.book.bids_by_id[bid].made_with(hand.tricks)
    if hand.made is not None and hand.made is not made:
        raise ResultClash(field="made", bid=bid, tricks=hand.tricks, truth="made" if made else "failed")
    if is_void(hand.foul, made=made):
        return None, "void"
    return str(hand.tricks), "made" if made else "failed"


def _conceded(score: Score, hand: Hand, bid: str) -> str:
    field = "surrendered" if hand.surrendered else "granted"
    if score.dirty_clubs and hand.trumps in {None, "clubs"}:
        why = "clubs must be played" if hand.trumps else "with dirty clubs the trumps must be given"
        raise SurrenderRefused(field=field, why=why)
    if hand.surrendered:
        if not score.surrender:
            raise SurrenderRefused(field=field, why="these rules know no surrender")
        return "surrendered"
    most = score.negotiate.get(bid, 0)
    if hand.granted is None or not 1 <= hand.granted <= most:
        limit = f"1 to {most} tricks" if most > 1 else "1 trick" if most else "none"
        raise GrantRefused(field=field, bid=bid, limit=limit, granted=hand.granted)
    return f"granted {hand.granted}"


def _winner(score: Score, scores: tuple[int, int], *, bidders_first: bool) -> int | None:
    """Return 0 or 1 for the team that has won the game, or nothing while it goes on."""
    first, second = scores[0] >= score.target, scores[1] >= score.target
    if first != second:
        return 0 if first else 1
    if not first or score.both_reach == "play_on":
        return None
    if score.both_reach == "bidder":
        return 0 if bidders_first else 1
    return None if scores[0] == scores[1] else int(scores[1] > scores[0])


def _played(
    carry: Carry,
    seats: tuple[str, ...],
    seating: Seating,
    result: str,
    points: tuple[int, int],
    bidder: str | None = None,
    bid: str | None = None,
) -> Played:
    game = carry.game
    assert game is not None
    after = carry._replace(seats=seats, dealer=seating.dealer, dealt=True)
    changes = dict(zip(team_names(game), points, strict=True))
    return Played(after, seating.payers, seating.dealer, bidder, bid, result, changes, [])
