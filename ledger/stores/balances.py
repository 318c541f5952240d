"""Balances are kept so that nobody has to add up; here they are added up."""

from __future__ import annotations

from ledger import codec
from ledger.store import Audit


def wrong_balances(book: Audit) -> dict[tuple[str, str, str], int]:
    """Return the balances that are not the sum of their postings, and that sum: (scope, account, unit) to amount."""
    due: dict[tuple[str, str, str], int] = {}
    position = 0
    while events := book.events(position):
        position = events[-1].position
        for key, amount in codec.changes(events).items():
            due[key] = due.get(key, 0) + amount
    kept: dict[tuple[str, str, str], int] = {}
    after = ("", "", "")
    while rows := book.all_balances(after):
        kept |= {(row.scope, row.account, row.unit): row.amount for row in rows}
        after = rows[-1].scope, rows[-1].account, rows[-1].unit
    return {key: due.get(key, 0) for key in due | kept if due.get(key, 0) != kept.get(key, 0)}
