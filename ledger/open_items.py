"""Open items: what each party still has to come, or owes, by night and in all; and what a payment settles.

Parties are members, ``till`` and ``shortage``; a banker is a member. Positive is owed to the party. The open items of
a night sum to zero, and so do those of a club.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ledger.club import Amounts, Club, ClubNight
from ledger.journal import SHORTAGE, TILL


def of_night(club: Club, night: ClubNight) -> dict[str, int]:
    """Return what is open of a night by party, members under the ids they go by, in ``night.unit``; never a zero.

    An open night owes nothing yet; what was paid of it beforehand shows.
    """
    return _summed(club, *([night.due] if night.closed else []), night.moved)


def of_club(club: Club) -> dict[str, dict[str, int]]:
    """Return what is open in all, by unit and party: of all closed nights, and what belongs to none."""
    found: dict[str, list[Amounts]] = {unit: [amounts] for unit, amounts in club.on_account.items()}
    for night in club.nights.values():
        found.setdefault(night.unit, []).extend([*([night.due] if night.closed else []), night.moved])
    summed = {unit: _summed(club, *amounts) for unit, amounts in sorted(found.items())}
    return {unit: parties for unit, parties in summed.items() if parties}


def is_settled(club: Club, night: ClubNight) -> bool:
    """Tell whether nobody has anything open from a closed night; who is quits with the club has not."""
    if not night.closed:
        return False
    parties = of_night(club, night)
    return not parties or not of_club(club).get(night.unit, {}).keys() & parties.keys()


def settled_by(club: Club, payer: str, payee: str, amount: int, unit: str) -> list[dict[str, Any]]:
    """Return which nights a payment settles that names none, and how much of each.

    The oldest closed night in which the payer still owes comes first, with what he owes there; then those in which
    the payee is still owed. It goes by members: the till owes and is owed for all of them. What is left belongs to no
    night.
    """
    parts: dict[str, int] = {}
    members = [(party, sign) for party, sign in ((payer, -1), (payee, 1)) if party not in (TILL, SHORTAGE)]
    for party, sign in members:
        for night, items in _closed(club, unit):
            settles = min(amount, sign * items.get(party, 0) - parts.get(night.id, 0))
            if settles > 0:
                parts[night.id] = parts.get(night.id, 0) + settles
                amount -= settles
    return [{"night": night, "amount": part} for night, part in parts.items()]


def units_of(club: Club, payer: str, payee: str) -> list[str]:
    """Return the units in which a payer owes anything, or a payee is owed anything."""
    return [unit for unit, parties in of_club(club).items() if parties.get(payer, 0) < 0 or parties.get(payee, 0) > 0]


def _closed(club: Club, unit: str) -> Iterator[tuple[ClubNight, Mapping[str, int]]]:
    """Yield closed nights with something open, by date and then as they were opened."""
    for night in sorted(club.nights.values(), key=lambda night: night.date):
        if night.closed and night.unit == unit:
            yield night, of_night(club, night)


def _summed(club: Club, *amounts: Amounts) -> dict[str, int]:
    sums: dict[str, int] = {}
    for items in amounts:
        for party, amount in items.items():
            member = club.resolved(party)
            sums[member] = sums.get(member, 0) + amount
    return {party: amount for party, amount in sums.items() if amount}
