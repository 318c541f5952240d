"""How a hand for chips ends: made, failed, void, passed out or misdealt (Foster; Rockets; contract section 2)."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.hands import Hand
from ledger.payments import Contract, Moves, Record, run
from ledger.play.carry import Carry, Played, Standing
from ledger.play.rules import Rules
from ledger.play.stakes import Table


def settle_chips(
    rules: Rules, table: Table, hand: Hand, *, bidder: str, bid: str, made: bool | None, record: Record | None
) -> Played:
    """Pay fines, then the contract, then what becomes of the pool as it stands at that moment."""
    payments = rules.payments
    purses, pool, payers = table.purses, table.pool, table.seating.payers
    opponents = [player for player in payers if player != bidder]
    roles: dict[str, Sequence[str]] = {
        "payers": payers,
        "bidder": (bidder,),
        "opponents": opponents,
        "receivers": opponents,
    }
    if hand.led_out_of_turn or hand.played_out_of_turn:
        pool = _fine_out_of_turn(rules, hand, roles, purses, pool, record)
    if hand.revoke is not None:
        roles["revoker"] = (hand.revoke,)
        pool = run(payments.revoke, roles, purses, pool, None, record)
    contracts = payments.doubled if table.carry.doubled else payments.contracts
    result, moves = _result(contracts[bid], hand, bidder, made)
    pool = run(moves, roles, purses, pool, None, record)
    if result == "failed" and payments.own_stakes_back and table.standing is not None:
        pool = _return_stakes(payments.own_stakes_back, table, pool, record)
    doubled = table.carry.doubled and result != "made"
    return _played(table, pool, result, bidder=bidder, bid=bid, step=1, doubled=doubled, record=record)


def settle_misdeal(rules: Rules, table: Table, record: Record | None) -> Played:
    """Give peeks and purchases back, fine the dealer where that is the rule, and let the stakes stand."""
    payments, hand, pool = rules.payments, table.hand, table.pool
    if rules.book.pool.refund_on_misdeal:
        buyers = [player for player, cards in hand.bought.items() if cards]
        roles = {"peekers": hand.peeks, "buyers": buyers}
        pool = run(payments.refund, roles, table.purses, pool, hand.bought, record)
    pool = run(payments.misdeal, {"dealer": (table.seating.dealer,)}, table.purses, pool, None, record)
    return _played(table, pool, "misdeal", step=0, doubled=table.carry.doubled, standing=table.standing, record=record)


def settle_passed_out(rules: Rules, table: Table, record: Record | None) -> Played:
    """Leave everything where it is; the rules say who deals next, and whether stakes stand or are doubled."""
    book = rules.book
    stand = book.pool.stakes_stand_when_passed and table.standing is not None
    return _played(
        table,
        table.pool,
        "passed_out",
        step=0 if book.all_pass == "redeal_same" else 1,
        doubled=table.carry.doubled or book.all_pass == "double_next",
        standing=table.standing._replace(passed=True) if stand and table.standing else None,
        record=record,
    )


def _result(contract: Contract, hand: Hand, bidder: str, made: bool | None) -> tuple[str, Moves]:
    failed = contract.failed_with_widow if hand.took_widow else contract.failed
    if hand.revoke is not None:
        return ("failed", failed) if hand.revoke == bidder else ("made", contract.revoked)
    if is_void(hand.foul, made=bool(made)):
        return "void", ()
    return ("made", contract.made) if made else ("failed", failed)


def is_void(foul: str | None, *, made: bool) -> bool:
    """Tell whether a wrong number of cards voids the contract (Foster; both sides foul: contract section 2)."""
    return foul == "both" or (foul == "opponent" and not made) or (foul == "bidder_more" and made)


def _fine_out_of_turn(
    rules: Rules,
    hand: Hand,
    roles: dict[str, Sequence[str]],
    purses: dict[str, int],
    pool: int,
    record: Record | None,
) -> int:
    """Fine each offender once a list; an opponent among them gets nothing if the bid fails."""
    led, played = hand.led_out_of_turn, hand.played_out_of_turn
    opponents = roles["opponents"]
    roles["led"] = led
    roles["opponents_led"] = [player for player in led if player in opponents]
    roles["opponents_played"] = [player for player in played if player in opponents]
    roles["receivers"] = [player for player in opponents if player not in led and player not in played]
    pool = run(rules.payments.led, roles, purses, pool, None, record)
    return run(rules.payments.played, roles, purses, pool, None, record)


def _return_stakes(moves: Moves, table: Table, pool: int, record: Record | None) -> int:
    """Give each who is still seated his own stake of this deal, or one that stood for it; who has left forfeits his."""
    stakes = table.standing.stakes if table.standing else {}
    staked = tuple(player for player in stakes if player in table.seats)
    for player in staked:
        table.purses.setdefault(player, 0)
    return run(moves, {"staked": staked}, table.purses, pool, stakes, record)


def _played(
    table: Table,
    pool: int,
    result: str,
    *,
    step: int,
    doubled: bool,
    record: Record | None,
    bidder: str | None = None,
    bid: str | None = None,
    standing: Standing | None = None,
) -> Played:
    seating, purses = table.seating, table.purses
    if len(purses) > len(seating.payers):
        purses = {player: change for player, change in purses.items() if change or player in seating.payers}
    carry = Carry(table.seats, seating.dealer, step, pool, table.members, standing, doubled, None, True)
    return Played(carry, seating.payers, seating.dealer, bidder, bid, result, purses, record or [])
