"""One hand: who is in it, what the auction was, how it ended, and what it moved."""

from __future__ import annotations

from ledger.auction import Auction, read_auction
from ledger.errors import (
    BadValue,
    BidderMissing,
    BidTooLow,
    BidUnknown,
    FactsClash,
    ForcedBid,
    NoPeeks,
    NoPurchases,
    NoWidow,
    OutOfRange,
    ResultClash,
    ResultMissing,
    TotalTooLarge,
    WidowNeedsNap,
)
from ledger.hands import PASSED_OUT_FACTS, Hand
from ledger.payments import Record
from ledger.play.carry import Carry, Played
from ledger.play.chips import settle_chips, settle_misdeal, settle_passed_out
from ledger.play.points import settle_no_points, settle_points
from ledger.play.rules import Rules, Seating
from ledger.play.stakes import lay_stakes
from ledger.rulebook.model import WIDOW_BID, Bid
from ledger.values import TOTAL_LIMIT


def play(rules: Rules, carry: Carry, hand: Hand, record: Record | None = None) -> Played:
    """Return what a hand came to, and what it leaves to the next.

    ``record`` receives the entries, in order, where they are wanted. Raises ``Refused`` errors; when several things
    are wrong: seats first, then purchases, peeks, the auction, the result, and what happened beside it.
    """
    seats = carry.seats if hand.players is None else seats_of(carry, hand)
    seating = rules.seating(seats, hand.out, carry, hand.dealer)
    nap = rules.book.family == "nap"
    if not nap:
        _require_pepper_facts(hand, seating)
    if hand.bought:
        _require_purchases(rules, seating, hand)
    if hand.peeks:
        _require_peeks(rules, seating, hand)
    bidder, bid, passed_out = _contract(rules, carry, seating, hand)
    if hand.misdeal or passed_out:
        if not nap:
            return settle_no_points(rules, carry, seats, seating, misdeal=hand.misdeal)
        table = lay_stakes(rules, carry, seats, seating, hand, record)
        return _counted((settle_misdeal if hand.misdeal else settle_passed_out)(rules, table, record))
    if bidder is None or bid is None:
        raise BidderMissing(field="bidder" if bidder is None else "bid")
    for offender in (*hand.led_out_of_turn, *hand.played_out_of_turn):
        seating.require_cards(offender, "led_out_of_turn" if offender in hand.led_out_of_turn else "played_out_of_turn")
    if hand.revoke is not None:
        seating.require_cards(hand.revoke, "revoke")
    if hand.took_widow:
        _require_widow(rules, bid)
    if not nap:
        return settle_points(rules, carry, seats, seating, hand, bidder=bidder, bid=bid)
    made = _made(rules, hand, bid)
    table = lay_stakes(rules, carry, seats, seating, hand, record)
    return _counted(settle_chips(rules, table, hand, bidder=bidder, bid=bid, made=made, record=record))


def _counted(played: Played) -> Played:
    """Raise ``TotalTooLarge`` where a hand moves more than can be counted exactly."""
    if played.carry.pool > TOTAL_LIMIT:
        raise TotalTooLarge(field="pool")
    for player, change in played.changes.items():
        if not -TOTAL_LIMIT <= change <= TOTAL_LIMIT:
            raise TotalTooLarge(field=f"the change of {player}")
    return played


def lay(rules: Rules, carry: Carry, hand: Hand, record: Record) -> Seating:
    """Take what a hand in progress has cost so far; return who plays which part in it.

    Raises what ``play`` raises for seats, purchases, peeks and the calls made so far.
    """
    seats = carry.seats if hand.players is None else seats_of(carry, hand)
    seating = rules.seating(seats, hand.out, carry, hand.dealer)
    if hand.bought:
        _require_purchases(rules, seating, hand)
    if hand.peeks:
        _require_peeks(rules, seating, hand)
    if hand.bids:
        _check_calls(rules, carry, seating, hand)
    if rules.book.family == "nap":
        lay_stakes(rules, carry, seats, seating, hand, record)
    return seating


def auction_of(rules: Rules, carry: Carry, seating: Seating) -> Auction:
    """Return the auction of a hand, nobody having spoken yet."""
    return Auction(rules.book, seating.eldest_first, eldest_bids_lowest=_in_pepper_round(rules, carry))


def seats_of(carry: Carry, hand: Hand) -> tuple[str, ...]:
    """Return who is seated: the players named, and those out who keep their place."""
    players = hand.players or ()
    away = [player for player in hand.out if player not in players and player in carry.seats]
    if not away:
        return players
    seats = list(players)
    for player in away:
        before = carry.seats[carry.seats.index(player) - 1 :: -1] if carry.seats.index(player) else ()
        neighbour = next((other for other in before if other in seats), None)
        seats.insert(seats.index(neighbour) + 1 if neighbour else 0, player)
    return tuple(seats)


def _require_purchases(rules: Rules, seating: Seating, hand: Hand) -> None:
    if rules.book.pool.buy is None:
        raise NoPurchases(field="bought", rulebook=rules.book.id)
    for player in hand.bought:
        seating.require_cards(player, "bought")


def _require_peeks(rules: Rules, seating: Seating, hand: Hand) -> None:
    if rules.book.pool.peek is None:
        raise NoPeeks(field="peeks", rulebook=rules.book.id)
    for player in hand.peeks:
        if player not in seating.eldest_first:
            seating.require_cards(player, "peeks")


def _contract(rules: Rules, carry: Carry, seating: Seating, hand: Hand) -> tuple[str | None, str | None, bool]:
    """Return bidder, bid, and whether the hand was passed out."""
    bidder, bid = hand.bidder, hand.bid
    passed_out = hand.passed_out
    if hand.bids is not None:
        for player, _call in hand.bids:
            seating.require_cards(player, "bids")
        if hand.misdeal:
            _check_calls(rules, carry, seating, hand)
            return None, None, False
        auction = read_auction(
            rules.book, seating.eldest_first, hand.bids, eldest_bids_lowest=_in_pepper_round(rules, carry)
        )
        passed_out = _agree(auction, hand)
        bidder, bid = auction.bidder, auction.bid
    if passed_out:
        _require_may_pass(rules, carry, seating)
    elif bidder is not None and bid is not None and hand.bids is None:
        seating.require_cards(bidder, "bidder")
        if bid not in rules.book.rank:
            if bid not in rules.book.bids_by_id:
                raise BidUnknown(field="bid", rulebook=rules.book.id, bid=bid)
            raise BidTooLow(field="bid", bid=bid, standing=f"the minimum, {rules.book.minimum_bid}: it")
    return bidder, bid, passed_out


def _check_calls(rules: Rules, carry: Carry, seating: Seating, hand: Hand) -> None:
    """A misdeal may be found in mid-auction: the calls that were made must be legal, and may stop anywhere."""
    auction = auction_of(rules, carry, seating)
    for player, call in hand.bids or ():
        auction.call(player, call)


def _agree(auction: Auction, hand: Hand) -> bool:
    """Compare the auction with what else the facts say; return whether all passed."""
    if hand.passed_out and auction.bidder is not None:
        raise FactsClash(field="passed_out", other="bids")
    if hand.bidder is not None and hand.bidder != auction.bidder:
        raise FactsClash(field="bidder", other="bids")
    if hand.bid is not None and hand.bid != auction.bid:
        raise FactsClash(field="bid", other="bids")
    if auction.passed_out:
        for key, fact, unsaid in zip(Hand._fields, hand, Hand(), strict=True):
            if fact != unsaid and key not in PASSED_OUT_FACTS:
                raise FactsClash(field=key, other="bids")
    return auction.passed_out


def _require_may_pass(rules: Rules, carry: Carry, seating: Seating) -> None:
    if _in_pepper_round(rules, carry) or rules.book.all_pass == "eldest_min":
        raise ForcedBid(field="passed_out", player=seating.eldest_first[0])
    if rules.book.all_pass == "dealer_min":
        raise ForcedBid(field="passed_out", player=seating.eldest_first[-1])


def _in_pepper_round(rules: Rules, carry: Carry) -> bool:
    score = rules.book.score
    if score is None or not score.pepper_round:
        return False
    game = carry.game
    return (0 if game is None or game.winner is not None else game.hands) < score.pepper_round


def _require_widow(rules: Rules, bid: str) -> None:
    if rules.book.pool.widow is None:
        raise NoWidow(field="took_widow", rulebook=rules.book.id)
    if bid != WIDOW_BID:
        raise WidowNeedsNap(field="took_widow", needed=WIDOW_BID, bid=bid)


def _require_pepper_facts(hand: Hand, seating: Seating) -> None:
    if hand.players is not None and any("+" in player for player in seating.payers):
        raise BadValue(field="players", wanted="names without '+', which joins the names of a team")
    for key in ("led_out_of_turn", "played_out_of_turn"):
        if getattr(hand, key):
            raise FactsClash(field=key, other="Pepper, which has no chips to fine")


def _made(rules: Rules, hand: Hand, bid_id: str) -> bool | None:
    """Return whether the bid was made, where that still matters."""
    if hand.surrendered or hand.granted is not None:
        raise FactsClash(field="surrendered" if hand.surrendered else "granted", other="a game for chips")
    bid: Bid = rules.book.bids_by_id[bid_id]
    made = hand.made
    if hand.tricks is not None:
        if hand.tricks > rules.book.tricks:
            raise OutOfRange(field="tricks", low=0, high=rules.book.tricks)
        truth = bid.made_with(hand.tricks)
        if made is not None and made is not truth:
            raise ResultClash(field="made", bid=bid_id, tricks=hand.tricks, truth="made" if truth else "failed")
        made = truth
    if made is None and hand.revoke is None and hand.foul != "both":
        raise ResultMissing(field="made", bid=bid_id)
    return made
