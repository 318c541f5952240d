"""What events of a club post, and what they move for the parties of a settlement."""

from __future__ import annotations

from ledger import events as ev
from ledger.club.state import Amounts
from ledger.journal import (
    CASH,
    CHARGES,
    SHORTAGE,
    TILL,
    JournalEntry,
    cash_account,
    entry,
    exchanged,
    member_account,
    party_account,
    pool_account,
    post,
    settled_in,
    worth,
)


def entries_of(event: ev.ClubEvent) -> tuple[JournalEntry, ...]:
    """Return the journal entries of an event of the club; most move nothing."""
    amounts: dict[tuple[str, str], int] = {}
    hand: int | None = None
    match event:
        case ev.TableClosed(unit=unit, money=money, shares=shares):
            memo = "pool shared"
            _shared_out(amounts, event.table, unit, money, shares)
        case ev.TableMoneyChanged():
            memo = "pool shared" if event.shares else "money changed"
            _money_changed(amounts, event)
        case ev.ClosedHandCorrected(unit=unit, money=money):
            memo, hand = "correction", event.hand
            members = {member_account(member): chips for member, chips in event.members.items()}
            exchanged(amounts, members, unit, money)
            post(amounts, pool_account(event.table), unit, event.pool)
            post(amounts, SHORTAGE, unit, event.shortage)
        case ev.PaymentRecorded(from_party=payer, to_party=payee, amount=amount, unit=unit):
            memo = "payment"
            amounts = {(cash_account(payer), unit): amount, (cash_account(payee), unit): -amount}
        case ev.PaymentReversed(from_party=payer, to_party=payee, amount=amount, unit=unit):
            memo = "payment reversed"
            amounts = {(cash_account(payer), unit): -amount, (cash_account(payee), unit): amount}
        case ev.AdjustmentPosted(from_party=giver, to_party=taker, amount=amount, unit=unit):
            memo, hand = "adjustment", event.hand
            amounts = {(party_account(giver), unit): -amount, (party_account(taker), unit): amount}
        case ev.TableCharged(members=charged, amount_each=amount, unit=unit):
            memo = "table charge"
            amounts = {(member_account(member), unit): -amount for member in charged}
            amounts[CHARGES, unit] = amount * len(charged)
        case ev.CashCounted(gap=gap, unit=unit):
            memo = "cash counted"
            amounts = {(CASH, unit): -gap, (SHORTAGE, unit): gap}
        case _:
            return ()
    return (entry(memo, hand, amounts),) if any(amounts.values()) else ()


def _shared_out(
    amounts: dict[tuple[str, str], int], table: str, unit: str, money: ev.Money | None, shares: Amounts
) -> None:
    exchanged(amounts, {member_account(member): chips for member, chips in shares.items()}, unit, money)
    post(amounts, pool_account(table), unit, -sum(shares.values()))


def _money_changed(amounts: dict[tuple[str, str], int], event: ev.TableMoneyChanged) -> None:
    """Post what becomes of a pool whose chips are worth something else now; the till gives or keeps the difference."""
    if event.shares:
        _shared_out(amounts, event.table, event.old_unit, event.old_money, event.shares)
    elif event.chips:
        pool = pool_account(event.table)
        post(amounts, pool, event.old_unit, -event.chips)
        exchanged(amounts, {TILL: event.chips}, event.old_unit, event.old_money)
        post(amounts, pool, event.unit, event.converted)
        exchanged(amounts, {TILL: -event.converted}, event.unit, event.money)


def parties_moved(event: ev.ClubEvent) -> dict[str, int]:
    """Return what an event moved in all for each party of a settlement; nothing of what changes unit."""
    sums: dict[str, int] = {}
    if not isinstance(event, ev.TableMoneyChanged):
        for _night, _unit, parties in moved_parties(event):
            for party, amount in parties.items():
                sums[party] = sums.get(party, 0) + amount
    return sums


def moved_parties(event: ev.ClubEvent) -> list[tuple[str | None, str, Amounts]]:
    """Return what an event moved for the parties of a settlement: of which night (None: of none), unit, by party.

    A pool's money is with whoever holds it: what a pool loses, he owes.
    """
    match event:
        case ev.TableClosed(unit=unit, money=money, shares=shares) if shares:
            return [(None, settled_in(unit, money), _from_holder(event.holder, shares, money))]
        case ev.TableMoneyChanged(old_unit=old_unit, old_money=old, shares=shares):
            if shares:
                return [(None, settled_in(old_unit, old), _from_holder(event.holder, shares, old))]
            changed = ((old_unit, old, -event.chips), (event.unit, event.money, event.converted))
            return [
                (None, settled_in(unit, money), {event.holder: worth(chips, money), TILL: -worth(chips, money)})
                for unit, money, chips in changed
                if event.holder != TILL
            ]
        case ev.ClosedHandCorrected(unit=unit, money=money):
            parties = {member: worth(chips, money) for member, chips in event.members.items()}
            for party, chips in ((event.holder, event.pool), (SHORTAGE, event.shortage)):
                parties[party] = parties.get(party, 0) + worth(chips, money)
            return [(event.night, settled_in(unit, money), parties)]
        case ev.PaymentRecorded() | ev.PaymentReversed():
            sign = 1 if isinstance(event, ev.PaymentRecorded) else -1
            settles: list[tuple[str | None, int]] = [(part["night"], part["amount"]) for part in event.nights]
            settles.append((None, event.amount - sum(amount for _night, amount in settles)))
            return [
                (night, event.unit, {event.from_party: sign * amount, event.to_party: -sign * amount})
                for night, amount in settles
                if amount
            ]
        case ev.AdjustmentPosted(from_party=giver, to_party=taker, amount=amount):
            return [(event.night, event.unit, {giver: -amount, taker: amount})]
        case ev.TableCharged(members=charged, amount_each=amount):
            return [(event.night, event.unit, {**dict.fromkeys(charged, -amount), TILL: amount * len(charged)})]
        case ev.CashCounted(gap=gap, unit=unit):
            return [(None, unit, {TILL: -gap, SHORTAGE: gap})]
        case _:
            return []


def _from_holder(holder: str, shares: Amounts, money: ev.Money | None) -> Amounts:
    parties = {member: worth(chips, money) for member, chips in shares.items()}
    return {**parties, holder: parties.get(holder, 0) - worth(sum(shares.values()), money)}
