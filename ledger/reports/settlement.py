"""What nights came to in money, and who pays whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ledger import open_items
from ledger.club import Club, ClubNight, require_night
from ledger.errors import NightIsOpen
from ledger.journal import TILL
from ledger.night import Night
from ledger.settlement import Policy, Settlement, settle
from ledger.words import Words


class Settled(NamedTuple):
    """Who pays whom in one unit; ``balances`` are what was open, positive is owed to the party."""

    unit: str
    balances: Mapping[str, int]
    settlement: Settlement


def settlement(
    club: Club, nights: Sequence[str] = (), *, policy: Policy = "fewest", threshold: int = 0, banker: str | None = None
) -> list[Settled]:
    """Return who pays whom for closed nights, or without any for everything that is open, unit by unit.

    Corrections, payments, adjustments and charges since are counted in. The banker is that of the nights, where they
    had the same; else the till. Raises ``NightUnknown``, ``NightIsOpen``, ``OutOfBalance``.
    """
    known = [require_night(club, night) for night in dict.fromkeys(nights)]
    for night in known:
        if not night.closed:
            raise NightIsOpen(field="night", night=night.id)
    if known:
        balances: dict[str, dict[str, int]] = {}
        for night in known:
            _add(balances.setdefault(night.unit, {}), open_items.of_night(club, night))
    else:
        balances = open_items.of_club(club)
    bankers = {night.banker for night in known}
    holder = banker or (bankers.pop() if len(bankers) == 1 else TILL)
    return [
        Settled(unit, parties, settle(parties, policy, banker=holder, threshold=threshold))
        for unit, parties in sorted(balances.items())
        if any(parties.values())
    ]


def settlement_data(settled: Settled) -> dict[str, Any]:
    """Return a settlement as data: unit, balances, transfers, and what is carried."""
    return {
        "unit": settled.unit,
        "balances": dict(settled.balances),
        "transfers": [
            {"from": one.payer, "to": one.payee, "amount": one.amount} for one in settled.settlement.transfers
        ],
        "carried": dict(settled.settlement.carried),
    }


def _add(sums: dict[str, int], amounts: Mapping[str, int]) -> None:
    for party, amount in amounts.items():
        sums[party] = sums.get(party, 0) + amount


# A night's own table, which never changes once it is closed

RESULT_COLUMNS: Final = (
    "night", "date", "table", "player_id", "player", "bought", "cashed_out", "result_chips", "result_minor",
    "paid_minor", "open_minor", "currency",
)  # fmt: skip


def results(night: Night, words: Words) -> Iterator[tuple[str | int | None, ...]]:
    """Yield what each player took home, as at the close; of an open night, as it stands (contract, section 9)."""
    opened = night.opened
    for player, purse in night.purses.items():
        money: tuple[int | str | None, ...] = (None, None, None, None)
        if opened.money is not None:
            worth = night.worth(purse.balance)
            money = (worth, purse.paid, worth + purse.paid, str(opened.money["currency"]))
        yield (
            opened.night, opened.date, opened.table, player, words.member(player), purse.bought, purse.sold,
            purse.balance, *money,
        )  # fmt: skip


# Who pays whom for a night

TRANSFER_COLUMNS: Final = (
    "night", "from_id", "from", "to_id", "to", "amount_minor", "currency", "paid_minor", "status",
)  # fmt: skip


def transfers(
    club: Club,
    night: ClubNight,
    words: Words,
    *,
    policy: Policy = "fewest",
    threshold: int = 0,
    banker: str | None = None,
) -> Iterator[tuple[str | int | None, ...]]:
    """Yield what was paid for a closed night and what is still to be paid, by payer and payee.

    Payments are facts and stay; what is still to be paid is worked out from what is open now. Raises ``NightIsOpen``.
    """
    paid: dict[tuple[str, str], int] = {}
    for payment in club.payments.values():
        for part in payment.event.nights if not payment.reversed else ():
            if part["night"] == night.id:
                pair = club.resolved(payment.event.from_party), club.resolved(payment.event.to_party)
                paid[pair] = paid.get(pair, 0) + part["amount"]
    open_: dict[tuple[str, str], int] = {}
    for settled in settlement(club, [night.id], policy=policy, threshold=threshold, banker=banker):
        for one in settled.settlement.transfers:
            open_[one.payer, one.payee] = one.amount
    for pair in sorted({**paid, **open_}):
        if pair[0] == pair[1]:
            continue  # two who turned out to be one person
        done, still = paid.get(pair, 0), open_.get(pair, 0)
        status = "open" if not done else "part" if still else "paid"
        payer, payee = pair
        yield (
            night.id, payer, words.party(payer), payee, words.party(payee), done + still, night.unit, done, status,
        )  # fmt: skip
