"""What if a night had been played by other rules? The same facts, scored again; nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.errors import LedgerError, OtherFamily
from ledger.hands import Hand
from ledger.night import Night
from ledger.night.steps import HandStep
from ledger.play import Carry, Played, play, rules_for
from ledger.projections import running_scores
from ledger.rulebook import Rulebook

Data = dict[str, Any]


def what_if(night: Night, book: Rulebook | None = None) -> Data:
    """Return what a night's hands would have come to by a rulebook: hands, balances, pool, and the differences.

    Each is scored at its own stake; without a rulebook by its own rules.

    A peek or purchase that these rules do not charge costs nothing; a hand that they cannot score, as one with a bid
    that they do not know, is refused by itself and counts nothing. What was decided beside the hands (counts of the
    chips, the pool shared at the close) is left out. Raises ``OtherFamily``.
    """
    shown = book or night.rules.book
    is_nap = shown.family == "nap"
    if shown.family != night.rules.book.family:
        raise OtherFamily(field="rulebook", rulebook=shown.id, current=night.rulebook)
    carry = night.first
    rows: list[Data] = []
    totals: dict[str, int] = dict.fromkeys(night.purses, 0) if is_nap else {}
    for step in _settled(night):
        rules = step.rules if book is None else rules_for(book, step.rules.stake)
        try:
            played = play(rules, carry, _free_of_charge(step.facts, rules.book))
        except LedgerError as error:
            rows.append({"hand": step.number, "error": {"code": error.code, "detail": error.detail}})
            continue
        carry = played.carry
        rows.append(_row(step.number, played))
        for who, change in played.changes.items():
            totals[who] = totals.get(who, 0) + change
    balances = totals if is_nap else _scores(carry, night)
    return {
        "rulebook": {"id": shown.id, "digest": shown.digest, "stake": night.rules.stake},
        "hands": rows,
        "balances": balances,
        "pool": carry.pool,
        "differences": _differences(night, balances),
    }


def _settled(night: Night) -> list[HandStep]:
    return [step for step in night.hand_steps() if step.settled and not step.void]


def _free_of_charge(facts: Hand, book: Rulebook) -> Hand:
    """Return a hand without what the rules do not know, and that so costs nothing."""
    return facts._replace(
        peeks=facts.peeks if book.pool.peek is not None else (),
        bought=facts.bought if book.pool.buy is not None else {},
        note=None,
    )


def _row(number: int, played: Played) -> Data:
    row: Data = {"hand": number, "dealer": played.dealer, "result": played.result}
    if played.bid is not None:
        row |= {"bidder": played.bidder, "bid": played.bid}
    return {**row, "changes": dict(played.changes), "pool": played.carry.pool}


def _scores(carry: Carry, night: Night) -> dict[str, int]:
    return running_scores(night._replace(steps=(), first=carry))


def _differences(night: Night, balances: Mapping[str, int]) -> dict[str, int]:
    """Return by how much each would stand better, or worse, than by these hands as they were scored."""
    if night.rules.book.family == "pepper":
        was = running_scores(night)
    else:
        was = dict.fromkeys(night.purses, 0)
        for step in _settled(night):
            for who, change in step.played.changes.items() if step.played else ():
                was[who] = was.get(who, 0) + change
    return {who: balances.get(who, 0) - was.get(who, 0) for who in dict.fromkeys((*was, *balances))}
