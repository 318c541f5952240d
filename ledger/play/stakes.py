"""What is paid before a card is played: stakes of the deal, fees of those who join, cards bought, peeks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ledger.hands import Hand
from ledger.payments import Moves, Record, run
from ledger.play.carry import Carry, Standing
from ledger.play.rules import Rules, Seating


class Table(NamedTuple):
    """A hand in progress: purses (changes so far) and pool after stakes, purchases and peeks."""

    carry: Carry
    seats: tuple[str, ...]
    seating: Seating
    purses: dict[str, int]
    pool: int = 0
    members: frozenset[str] = frozenset()
    standing: Standing | None = None
    hand: Hand = Hand()


def lay_stakes(
    rules: Rules, carry: Carry, seats: tuple[str, ...], seating: Seating, hand: Hand, record: Record | None
) -> Table:
    """Take stakes, purchases and peeks, in this order (contract, section 2)."""
    purses = dict.fromkeys(seating.payers, 0)
    if seating.sits_out is not None and seating.sits_out not in purses:
        purses[seating.sits_out] = 0
    pool = carry.pool
    members = carry.members if carry.dealt else frozenset(seats)
    if carry.pool == 0:  # a new pool: who is not seated when it begins has no part in it
        members = members.intersection(seats)
    standing: Standing | None = None
    if rules.has_stakes:
        pool, standing = _stakes(rules, carry, seating, members, purses, record)
    payments = rules.payments
    if hand.bought:
        buyers = [player for player, cards in hand.bought.items() if cards]
        pool = run(payments.purchase, {"buyers": buyers}, purses, pool, hand.bought, record)
    if hand.peeks:
        pool = run(payments.peek, {"peekers": hand.peeks}, purses, pool, None, record)
    if not members.issuperset(seating.payers):
        members = members.union(seating.payers)
    return Table(carry, seats, seating, purses, pool, members, standing, hand)


def _stakes(
    rules: Rules,
    carry: Carry,
    seating: Seating,
    members: frozenset[str],
    purses: dict[str, int],
    record: Record | None,
) -> tuple[int, Standing]:
    """Take opening stakes, antes, the dealer's stake and join fees; return the pool and what each has staked.

    Foster: all contribute when a pool is opened, each dealer adds at every later deal. Stakes that stand after a
    deal that was not played are not paid again.
    """
    payments = rules.payments
    before = carry.standing
    staked = dict(before.stakes) if before else {}
    payers = seating.payers
    pool = carry.pool

    def take(moves: Moves, role: str, players: Iterable[str], counts: dict[str, int] | None = None) -> tuple[str, ...]:
        nonlocal pool
        found = tuple(players)
        if moves and found:
            had = {player: purses[player] for player in found}
            pool = run(moves, {role: found}, purses, pool, counts, record)
            for player, purse in had.items():
                staked[player] = staked.get(player, 0) + purse - purses[player]
        return found

    opens = before is None and pool == 0 and bool(payments.opening_stake)
    opening = opens or (before is not None and before.opening)
    share = -(-carry.pool // len(payers))
    openers = take(
        payments.opening_stake,
        "openers",
        (player for player in payers if opening and not (before and player in before.openers)),
    )
    anters = take(payments.ante, "anters", (player for player in payers if not (before and player in before.anters)))
    owes = not opening and not (before and (before.passed or seating.dealer in before.dealers))
    dealers = take(payments.dealer_stake, "dealer", (seating.dealer,) if owes else ())
    if not opening:
        joiners = [player for player in payers if player not in members]
        take(payments.join_fee, "joiners", joiners, dict.fromkeys(joiners, share))
    return pool, Standing(
        opening=opening,
        passed=before is not None and before.passed,
        openers=frozenset(openers) | (before.openers if before else frozenset()),
        anters=frozenset(anters) | (before.anters if before else frozenset()),
        dealers=frozenset(dealers) | (before.dealers if before else frozenset()),
        stakes=staked,
    )
