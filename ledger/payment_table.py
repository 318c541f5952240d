"""What a rulebook says, as a payment table: its bids, and what holds beside them, in cells and words.

Terminals and pages show the same words. Who shows them in another language says how they are translated: ``say`` takes
a sentence in English, with names in braces for what is filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from ledger.play import rules_for
from ledger.rulebook import Bid, Rulebook
from ledger.rulebook.model import PoolEffect, title_in

REBUILT: Final = "†"

Say: TypeAlias = Callable[..., str]

Ladder: TypeAlias = dict[str, dict[str, str]]
"""A row for each bid, by its id: cells by column."""

Conditions: TypeAlias = dict[str, dict[str, str]]
"""What holds beside the ladder: words by section and label."""


def plainly(words: str, **values: object) -> str:
    """Say a sentence as it stands."""
    return words.format(**values)


def changes(base: Rulebook, book: Rulebook) -> list[tuple[str, Any, Any]]:
    """Return every switch in which two rulebooks differ, with its value in each; ``None`` where it is left out."""
    before, after = _leaves(base.effective), _leaves(book.effective)
    paths = [*before, *(path for path in after if path not in before)]
    return [(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)]


def _leaves(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for key, value in data.items():
        if key == "bids":
            for bid in value:
                leaves.update(_leaves(bid, f"bids.{bid['id']}."))
        elif isinstance(value, dict) and key not in {"on_fail_pool", "buy", "widow", "negotiate"}:
            leaves.update(_leaves(value, f"{prefix}{key}."))
        else:
            leaves[f"{prefix}{key}"] = value
    return leaves


# The ladder


def ladder(book: Rulebook, stake: int, language: str, say: Say = plainly) -> Ladder:
    """Return what each bid that may be made collects and pays, lowest first."""
    return {bid.id: _row(book, bid, stake, language, say) for bid in book.bids if bid.id in book.rank}


def legend(book: Rulebook, say: Say = plainly) -> Iterator[str]:
    """Yield what the columns of the ladder mean."""
    if book.score is not None:
        yield say("made, fell short: points of the bidding side.")
        yield say("defenders, swept: points of defenders who play and take a trick, or none.")
        if book.score.surrender or book.score.negotiate:
            yield say("surrendered, granted: points of both sides, the bidders' first.")
    else:
        yield say("made: what each of the others pays the bidder. failed: what the bidder pays each of them.")
        if book.dealer_sits_out_from is not None and book.dealer_out_pays:
            yield say("payers, into the pool: everybody in the hand, the bidder and a dealer who sits out included.")
        else:
            yield say("payers, into the pool: everybody in the hand, the bidder included.")
    if any(bid.unattested for bid in book.bids):
        yield say(
            "{mark} reconstructed: this row is lost in the source, and rebuilt from other witnesses or by "
            "analogy; see the notes.",
            mark=REBUILT,
        )


def _row(book: Rulebook, bid: Bid, stake: int, language: str, say: Say) -> dict[str, str]:
    needed = say("just {tricks}", tricks=bid.tricks) if bid.exactly else str(bid.tricks)
    return {
        "bid": (title_in(bid.title, language) or bid.id) + (REBUILT if bid.unattested else ""),
        "id": bid.id,
        "tricks": say("none") if bid.exactly and bid.tricks == 0 else needed,
        **(_points(book, bid, say) if book.family == "pepper" else _chips(book, bid, stake, say)),
        "trumps": "" if bid.trumps else say("none"),
        "only over": book.bid_name(bid.over, language) if bid.over else "",
    }


def _chips(book: Rulebook, bid: Bid, stake: int, say: Say) -> dict[str, str]:
    stays = say("stays") if _has_pool(book) else ""
    back = say("stakes go back") if book.pool.failed_pot == "refund" else ""
    failed = [_effect(bid.on_fail_pool, bid.pays, stake, say), back]
    return {
        "made": str(bid.collects * stake),
        "failed": str(bid.pays * stake) if bid.pays_players else "-",
        "pool if made": say("taken") if bid.takes_pool else stays,
        "pool if failed": "; ".join(filter(None, failed)) or stays,
    }


def _effect(effect: PoolEffect, pays: int, stake: int, say: Say) -> str:
    match effect:
        case "none" | 0:
            return ""
        case "double":
            return say("bidder doubles it")
        case "per_player":
            return say("bidder adds {chips} x payers", chips=pays * stake)
        case _:
            return say("bidder adds {chips}", chips=effect * stake)


def _has_pool(book: Rulebook) -> bool:
    """Tell whether anything at all comes into the pool, or takes it."""
    pool, fines = book.pool, book.fines.values()
    return any(
        (
            *(pool.opening_stake, pool.ante, pool.dealer_stake, pool.peek, pool.buy and pool.buy.price),
            *(bid.takes_pool or bid.on_fail_pool not in {"none", 0} for bid in book.bids),
            pool.widow and pool.widow.on_fail_pool not in {"none", 0},
            *(fine.to == "pool" and fine.chips for fine in fines),
        )
    )


def _points(book: Rulebook, bid: Bid, say: Say) -> dict[str, str]:
    """Return points from the table that also scores hands."""
    score, points = book.score, rules_for(book).points[bid.id]
    assert score is not None
    made = [points[str(tricks)][0] for tricks in range(book.tricks + 1) if bid.made_with(tricks)]
    granted = say(" or ").join(str(tricks) for tricks in range(1, score.negotiate.get(bid.id, 0) + 1))
    return {
        "made": str(made[0]) if made[0] == made[-1] else say("{least} to {most}", least=made[0], most=made[-1]),
        "fell short": str(-bid.pays),
        "defenders": say("1 a trick") if bid.defenders is None else str(bid.defenders),
        "swept": str(points[str(book.tricks)][1]),
        "surrendered": "{} : {}".format(*points["surrendered"]) if score.surrender else "",
        "granted": f"{bid.collects} : {granted}" if granted else "",
    }


# Beside the ladder


def conditions(book: Rulebook, stake: int, language: str, say: Say = plainly) -> Conditions:
    """Return what holds beside the ladder: the pool, prices, fines, the deal."""
    if book.family == "pepper":
        return {say("The game"): _game(book, stake, say), say("The deal"): _deal(book, language, say)}
    nothing = {say("fed by"): say("nothing: there is no pool")}
    return {
        say("The pool"): _pool(book, stake, say) if _has_pool(book) else nothing,
        say("Prices, to the pool"): _prices(book, stake, say),
        say("Fines"): _fines(book, stake, say),
        say("The deal"): {say("dealer"): _dealer(book, say), **_deal(book, language, say)},
    }


def _pool(book: Rulebook, stake: int, say: Say) -> dict[str, str]:
    pool, none = book.pool, say("none")
    opening, ante, dealer = (chips * stake for chips in (pool.opening_stake, pool.ante, pool.dealer_stake))
    every_deal = (
        say("{chips} from the dealer, every deal that does not open a pool", chips=dealer)
        if opening
        else say("{chips} from the dealer, every deal", chips=dealer)
    )
    return {
        say("opening stake"): (
            say("{chips} from each payer, when a deal finds the pool empty", chips=opening) if opening else none
        ),
        say("ante"): say("{chips} from each payer, every deal", chips=ante) if ante else none,
        say("dealer's stake"): every_deal if dealer else none,
        say("late-comer"): _late_comer(book, opening, say),
        say("made by a revoke"): (
            say("a bid that takes the pool takes it") if pool.revoke_awards_pool else say("the pool stays")
        ),
        say("failed bid"): (
            say("everybody gets his own stakes of the deal back")
            if pool.failed_pot == "refund"
            else say("what the pool holds carries over")
        ),
        say("closing"): {
            "carry": say("the pool stays for the next night"),
            "split": say("the pool is split equally, odd chips from the last dealer's left"),
            "draw": say("the pool goes to who draws for it"),
        }[pool.at_close],
    }


def _late_comer(book: Rulebook, opening: int, say: Say) -> str:
    if book.pool.join_fee == "fair_share":
        return say("his share of it, rounded up, at his first deal of a running pool")
    if book.pool.join_fee == "opening" and opening:
        return say("{chips} at his first deal of a running pool", chips=opening)
    return say("nothing more")


def _prices(book: Rulebook, stake: int, say: Say) -> dict[str, str]:
    peek, buy, widow = book.pool.peek, book.pool.buy, book.pool.widow
    taker, cards, price = say("none"), say("none for sale"), say("no peeks")
    if widow is not None:
        into, pays = _effect(widow.on_fail_pool, widow.fail_pays, stake, say), widow.fail_pays * stake
        taker = say("free; who takes it must bid Nap, and if he fails pays {chips} each", chips=pays)
        taker += f" ({into})" if into else ""
    if buy is not None:
        chips = buy.price * stake
        cards = (
            say("{chips} each, up to five", chips=chips)
            if buy.per == "card"
            else say("{chips} whatever their number, up to five", chips=chips)
        )
    if peek is not None:
        price = say("{chips}, once a hand", chips=peek * stake) if peek else say("free, once a hand")
    return {say("peek"): price, say("cards"): cards, say("widow"): taker}


def _fines(book: Rulebook, stake: int, say: Say) -> dict[str, str]:
    chips = {name: fine.chips * stake for name, fine in book.fines.items()}
    led, played = book.fines["led_out_of_turn"].to, book.fines["played_out_of_turn"].to
    to = {"pool": say("the pool"), "bidder": say("the bidder")}
    by = say("from the bidder too") if led == "pool" else say("from an opponent")
    revoke = say("the hand ends: the bidder's own is a failed bid, an opponent pays for all as if it were made")
    if chips["revoke"]:
        revoke += "; " + say("{chips} more to the pool", chips=chips["revoke"])
    return {
        say("revoke"): revoke,
        say("led out of turn"): _out_of_turn(chips["led_out_of_turn"], to[led], by, say),
        say("played out of turn"): _out_of_turn(chips["played_out_of_turn"], to[played], say("from an opponent"), say),
        say("misdeal"): (
            say("{chips} to the pool, from the dealer", chips=chips["misdeal"]) if chips["misdeal"] else say("nothing")
        ),
    }


def _out_of_turn(chips: int, whom: str, by: str, say: Say) -> str:
    return say("{chips} to {whom}, {by}; an opponent gets nothing from a failed bid", chips=chips, whom=whom, by=by)


def _dealer(book: Rulebook, say: Say) -> str:
    if book.dealer_sits_out_from is None:
        return say("always plays")
    least = book.dealer_sits_out_from
    words = (
        say("takes no cards with {least} players or more; then he pays and is paid", least=least)
        if book.dealer_out_pays
        else say("takes no cards with {least} players or more; then he neither pays nor is paid", least=least)
    )
    return words + (say(", and owes his stake") if book.pool.dealer_stake else "")


def _deal(book: Rulebook, language: str, say: Say) -> dict[str, str]:
    pool, (fewest, most) = book.pool, book.players
    lowest = book.bid_name(book.minimum_bid, language)
    staked = pool.opening_stake or pool.ante or pool.dealer_stake
    stand = "; " + say("stakes stand and nobody stakes again") if staked and pool.stakes_stand_when_passed else ""
    misdeal = [say("the same dealer deals again")]
    if staked:
        misdeal.append(say("stakes stand"))
    if pool.peek is not None or pool.buy is not None:
        misdeal.append(
            say("peeks and purchases go back")
            if pool.refund_on_misdeal
            else say("peeks and purchases stay in the pool")
        )
    auction = [
        say("goes round until all but one have passed") if book.until_passed else say("each speaks once"),
        say("the lowest bid is {bid}", bid=lowest),
    ]
    if book.nap_may_raise:
        auction.append(say("an overcalled Nap bidder may speak again"))
    return {
        say("players"): say("{least} to {most}", least=fewest, most=most) if fewest < most else str(most),
        say("tricks"): str(book.tricks),
        say("auction"): "; ".join(auction),
        say("all pass"): {
            "redeal_next": say("thrown in; the next dealer deals") + stand,
            "redeal_same": say("thrown in; the same dealer deals again") + stand,
            "dealer_min": say("{bid} falls to the dealer, or if he sits out to the last with cards", bid=lowest),
            "eldest_min": say("{bid} falls to eldest, at the dealer's left", bid=lowest),
            "double_next": say("the next dealer deals; bids collect and pay double until one is made") + stand,
        }[book.all_pass],
        say("misdeal"): "; ".join(misdeal),
    }


def _game(book: Rulebook, stake: int, say: Say) -> dict[str, str]:
    score, none = book.score, say("none")
    assert score is not None
    refused = say(", but not when clubs are trumps") if score.dirty_clubs else ""
    return {
        say("target"): say("{points} points", points=score.target),
        say("both reach it"): {
            "play_on": say("they play on until one team alone is there"),
            "higher": say("the higher score wins; a tie plays on"),
            "bidder": say("the bidding side wins"),
        }[score.both_reach],
        say("made bid"): (
            say("scores every trick taken, if they are more")
            if score.score_what_you_get
            else say("scores the points above")
        ),
        say("surrender"): say("before play") + refused if score.surrender else say("not allowed"),
        say("granted tricks"): say("in place of play") + refused if score.negotiate else none,
        say("pepper round"): (
            say(
                "in the first {hands} hands of a game eldest counts as having made the lowest bid",
                hands=score.pepper_round,
            )
            if score.pepper_round
            else none
        ),
        say("revoke"): say(
            "by the bidding side: it has failed, and the defenders score their tricks, at least one; by a defender: "
            "a surrender"
        ),
        say("chips"): _stakes(book, stake, say),
    }


def _stakes(book: Rulebook, stake: int, say: Say) -> str:
    game, point = book.stakes.per_game * stake, book.stakes.per_point * stake
    chips = [say("{chips} a game", chips=game)] if game else []
    chips += [say("{chips} for each point between the scores", chips=point)] if point else []
    if not chips:
        return say("none change hands")
    return say("each loser pays the winner at his left {chips}", chips=say(" and ").join(chips))
