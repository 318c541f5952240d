"""A rulebook's payments as moves, and what moves do to purses and pool. Arithmetic only.

A rulebook compiles to moves: small data, run in order, that say who pays whom how much. No game is known by
name here or in whatever else interprets moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from ledger.rulebook import Bid, Rulebook
from ledger.rulebook.model import PoolEffect

POOL: Final = "pool"
SCORE: Final = "score"

Times = Literal["once", "cards", "payers", "held", "own"]
"""How often a move's chips are paid: once, for each card bought, for each payer of the hand, as often as it takes
to equal what the pool holds, or as often as each player's own stake has chips."""


class Move(NamedTuple):
    """One payment: each of the ``payer`` role pays ``chips`` to each of the ``receiver`` role.

    ``in_place_of`` names a role that pays instead of the payers, once for each of them. With ``apart`` every
    payer's part is a journal entry of its own, as when it is logged by itself.
    """

    memo: str
    payer: str
    receiver: str
    chips: int
    times: Times = "once"
    in_place_of: str = ""
    apart: bool = False


Moves = tuple[Move, ...]
Roles = Mapping[str, Sequence[str]]
"""Who plays each role in a hand: payers, dealer, joiners, peekers, buyers, led, played, opponents, bidder,
receivers, revoker, staked; in Pepper bidders and defenders. (``led`` and ``played`` alone are all offenders,
``opponents_led`` and ``opponents_played`` those who play against the bidder.)"""

Record = list[tuple[str, dict[str, int], int]]
"""Entries: memo, change of each purse, change of the pool; each sums to zero."""


class Contract(NamedTuple):
    """The moves of one bid, by how it ended."""

    made: Moves
    failed: Moves
    failed_with_widow: Moves
    revoked: Moves


class Payments(NamedTuple):
    """Everything a rulebook can make people pay, at one stake."""

    opening_stake: Moves
    ante: Moves
    dealer_stake: Moves
    join_fee: Moves
    peek: Moves
    purchase: Moves
    refund: Moves
    misdeal: Moves
    revoke: Moves
    led: Moves
    played: Moves
    own_stakes_back: Moves
    contracts: Mapping[str, Contract]
    doubled: Mapping[str, Contract]


def compile_payments(book: Rulebook, stake: int) -> Payments:
    """Return the moves of a rulebook with every chip amount times ``stake``."""
    pool, fines = book.pool, book.fines
    peek = _into_pool("peek", "peekers", pool.peek or 0, stake)
    buy = pool.buy
    per_card: Times = "cards" if buy and buy.per == "card" else "once"
    purchase = _into_pool("purchase", "buyers", buy.price if buy else 0, stake, per_card)
    led, played = fines["led_out_of_turn"], fines["played_out_of_turn"]
    return Payments(
        opening_stake=_into_pool("opening stake", "openers", pool.opening_stake, stake),
        ante=_into_pool("ante", "anters", pool.ante, stake),
        dealer_stake=_into_pool("dealer's stake", "dealer", pool.dealer_stake, stake),
        join_fee=_join_fee(pool.join_fee, pool.opening_stake, stake),
        peek=peek,
        purchase=purchase,
        refund=tuple(
            Move(f"{move.memo} returned", POOL, move.payer, move.chips, move.times, apart=True)
            for move in (*purchase, *peek)
        ),
        misdeal=_into_pool("misdeal", "dealer", fines["misdeal"].chips, stake),
        revoke=_into_pool("revoke", "revoker", fines["revoke"].chips, stake),
        # Only a lead out of turn that the pool is paid for fines the bidder too (Foster; contract section 2).
        led=_moves(Move("led out of turn", *_fine_roles(led.to, "led"), led.chips * stake, apart=True)),
        played=_moves(Move("played out of turn", "opponents_played", played.to, played.chips * stake, apart=True)),
        own_stakes_back=(Move("stakes returned", POOL, "staked", 1, "own"),) if pool.failed_pot == "refund" else (),
        contracts={bid.id: _contract(book, bid, stake) for bid in book.bids},
        doubled={bid.id: _contract(book, bid, 2 * stake) for bid in book.bids},
    )


def _join_fee(fee: str, opening_stake: int, stake: int) -> Moves:
    match fee:
        case "opening":
            return _into_pool("join fee", "joiners", opening_stake, stake)
        case "fair_share":
            return _into_pool("join fee", "joiners", 1, 1, "own")
        case _:
            return ()


def _fine_roles(to: str, role: str) -> tuple[str, str]:
    return (role, POOL) if to == POOL else (f"opponents_{role}", to)


def _into_pool(memo: str, payer: str, chips: int, stake: int, times: Times = "once") -> Moves:
    return _moves(Move(memo, payer, POOL, chips * stake, times, apart=True))


def _moves(*moves: Move) -> Moves:
    return tuple(move for move in moves if move.chips)


def _contract(book: Rulebook, bid: Bid, stake: int) -> Contract:
    collect = Move(bid.id, "opponents", "bidder", bid.collects * stake)
    take = (Move("pool taken", POOL, "bidder", 1, "held"),) if bid.takes_pool else ()
    awarded = take if book.pool.revoke_awards_pool else ()
    widow = book.pool.widow
    failed = _failed(bid, bid.pays, bid.on_fail_pool, stake)
    return Contract(
        made=(*_moves(collect), *take),
        failed=failed,
        failed_with_widow=_failed(bid, widow.fail_pays, widow.on_fail_pool, stake) if widow else failed,
        revoked=(*_moves(collect._replace(in_place_of="revoker")), *awarded),
    )


def _failed(bid: Bid, pays: int, on_fail_pool: PoolEffect, stake: int) -> Moves:
    moves = _moves(Move(bid.id, "bidder", "receivers", pays * stake)) if bid.pays_players else ()
    match on_fail_pool:
        case "none":
            return moves
        case "double":
            return (*moves, Move("pool doubled", "bidder", POOL, 1, "held"))
        case "per_player":
            return (*moves, *_moves(Move("into the pool", "bidder", POOL, pays * stake, "payers")))
        case _:
            return (*moves, *_moves(Move("into the pool", "bidder", POOL, on_fail_pool * stake)))


def run(
    moves: Moves,
    roles: Roles,
    purses: dict[str, int],
    pool: int,
    counts: Mapping[str, int] | None = None,
    record: Record | None = None,
) -> int:
    """Carry out moves on purses, in place, and return what the pool then holds.

    ``counts`` says how many cards each buyer bought, or each player's own stake, for moves that count them.
    ``record`` receives the entries.
    """
    for memo, payer, receiver, chips, times, in_place_of, apart in moves:
        if receiver == POOL:
            for player in roles[payer]:
                paid = chips if times == "once" else _counted(chips, times, player, roles, pool, counts)
                purses[player] -= paid
                pool += paid
                if record is not None and paid:
                    record.append((memo, {player: -paid}, paid))
        elif payer == POOL:
            for player in roles[receiver]:
                paid = min(pool, chips if times == "once" else _counted(chips, times, player, roles, pool, counts))
                purses[player] += paid
                pool -= paid
                if record is not None and paid:
                    record.append((memo, {player: paid}, -paid))
        else:
            substitute = roles[in_place_of][0] if in_place_of else None
            together: dict[str, int] = {}
            for gainer in roles[receiver]:
                for player in roles[payer]:
                    loser = substitute or player
                    purses[loser] -= chips
                    purses[gainer] += chips
                    if record is not None:
                        entry = {} if apart else together
                        entry[loser] = entry.get(loser, 0) - chips
                        entry[gainer] = entry.get(gainer, 0) + chips
                        if apart:
                            record.append((memo, entry, 0))
            if record is not None and together:
                record.append((memo, together, 0))
    return pool


def _counted(chips: int, times: Times, player: str, roles: Roles, pool: int, counts: Mapping[str, int] | None) -> int:
    if times == "held":
        return pool
    if times == "payers":
        return chips * len(roles["payers"])
    if counts is None:
        raise AssertionError(f"{times!r} needs counts")
    return chips * counts[player]


Points = Mapping[str, Moves]
"""In Pepper, what each outcome of a bid scores: by tricks of the bidding side, ``surrendered``, ``granted n``,
``defenders revoked`` and ``bidders revoked n`` (n tricks of the defenders)."""


def compile_points(book: Rulebook) -> dict[str, Points]:
    """Return what a Pepper bid scores for bidders and defenders, for every outcome. Points know no stake.

    Rockets, How to Play Pepper: bidders score the bid or lose it; defenders who play score a point a trick, or a
    flat sum against the peppers, and lose the bid when they take none.
    """
    return {bid.id: _points(book, bid) for bid in book.bids}


def _points(book: Rulebook, bid: Bid) -> Points:
    score = book.score
    assert score is not None

    def pair(bidders: int, defenders: int) -> Moves:
        return _moves(Move(bid.id, SCORE, "bidders", bidders), Move(bid.id, SCORE, "defenders", defenders))

    def defence(tricks: int) -> int:
        if tricks == 0:
            return -bid.collects if score.swept == "lose_bid" else 0
        return tricks if bid.defenders is None else bid.defenders

    outcomes = {}
    for tricks in range(book.tricks + 1):
        won = max(bid.collects, tricks) if score.score_what_you_get else bid.collects
        gain = won if bid.made_with(tricks) else -bid.pays
        outcomes[str(tricks)] = pair(gain, defence(book.tricks - tricks))
        outcomes[f"bidders revoked {tricks}"] = pair(-bid.pays, defence(max(1, tricks)))
    outcomes["surrendered"] = outcomes["defenders revoked"] = pair(bid.collects, 0)
    for granted in range(1, score.negotiate.get(bid.id, 0) + 1):
        outcomes[f"granted {granted}"] = pair(bid.collects, granted)
    return outcomes
