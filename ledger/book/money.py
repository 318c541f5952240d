"""A club's money outside the hands: payments, adjustments, charges, cash."""

from __future__ import annotations

from typing import assert_never

from ledger import club as clubs
from ledger import commands as cmd
from ledger import events as ev
from ledger import open_items
from ledger.book.closed_nights import as_corrected
from ledger.book.context import Context
from ledger.club import Club
from ledger.errors import (
    BadValue,
    HandUnknown,
    MemberUnknown,
    MissingKey,
    MoneyNotKept,
    PaymentIsReversed,
    PaymentUnknown,
    SameParty,
    UnitUnclear,
    UnitUnknown,
)
from ledger.journal import CASH, SHORTAGE, TILL


def decide(context: Context, club: Club, command: cmd.MoneyCommand, command_id: str) -> ev.MoneyEvent:
    """Return what a command does to a club's money. Raises ``Refused``."""
    match command:
        case cmd.RecordPayment():
            return _payment(context, club, command, command_id)
        case cmd.ReversePayment(payment=payment, reason=reason):
            known = club.payments.get(payment)
            if known is None:
                raise PaymentUnknown(field="payment", payment=payment)
            if known.reversed:
                raise PaymentIsReversed(field="payment")
            was = known.event
            return ev.PaymentReversed(
                payment=payment,
                from_party=was.from_party,
                to_party=was.to_party,
                amount=was.amount,
                unit=was.unit,
                nights=was.nights,
                reason=reason,
            )
        case cmd.PostAdjustment():
            return _adjustment(context, club, command)
        case cmd.ChargeTable(night=night, amount_each=amount, reason=reason):
            known_night = clubs.require_night(club, night)
            return ev.TableCharged(
                night=night,
                members=list(context.night(night).sat),
                amount_each=amount,
                unit=known_night.unit,
                reason=reason,
            )
        case cmd.CountCash(amount=amount, note=note):
            if club.money is None:
                raise MoneyNotKept(field="amount")
            unit = str(club.money["currency"])
            return ev.CashCounted(amount=amount, gap=amount + context.balance(CASH, unit), unit=unit, note=note)
        case _:
            assert_never(command)


def _payment(context: Context, club: Club, command: cmd.RecordPayment, command_id: str) -> ev.PaymentRecorded:
    payer, payee = command.from_, command.to
    unit = unit_of_payment(club, payer, payee, command.night)
    if command.night is not None:
        nights = [{"night": command.night, "amount": command.amount}]
    else:
        nights = open_items.settled_by(club, payer, payee, command.amount, unit)
    return ev.PaymentRecorded(
        payment=command_id,
        from_party=payer,
        to_party=payee,
        amount=command.amount,
        unit=unit,
        date=command.date or context.today,
        nights=nights,
        method=command.method,
    )


def unit_of_payment(club: Club, payer: str, payee: str, night: str | None) -> str:
    """Return the unit that a payment is in: its night's; else where something is open; else the club's only one.

    Raises ``MemberUnknown``, ``NightUnknown``, ``UnitUnclear``.
    """
    payer, payee = club.resolved(payer), club.resolved(payee)
    _require_parties(club, payer, payee)
    if night is not None:
        return clubs.require_night(club, night).unit
    units = open_items.units_of(club, payer, payee) or _units(club)
    if len(units) == 1:
        return units[0]
    if not units:
        raise MissingKey(field="night")
    raise UnitUnclear(field="night", units=", ".join(units))


def _units(club: Club) -> list[str]:
    """Return the units that members' accounts may be kept in."""
    if club.money is not None:
        return [str(club.money["currency"])]
    return sorted({night.unit for night in club.nights.values()})


def _adjustment(context: Context, club: Club, command: cmd.PostAdjustment) -> ev.AdjustmentPosted:
    _require_parties(club, command.from_, command.to)
    if command.night is None:
        if command.hand is not None:
            raise MissingKey(field="night")
        unit = command.unit or _unit_of_adjustment(club)
        if unit not in {*_units(club), *(night.unit for night in club.nights.values())}:
            raise UnitUnknown(field="unit", unit=unit)
    else:
        night = clubs.require_night(club, command.night)
        unit = night.unit
        if command.unit not in (None, unit):
            raise BadValue(field="unit", wanted=f"left out, or {unit}: that night is settled in it")
        if command.hand is not None:
            state = context.night(night.id)
            if state.closed:
                state = as_corrected(context, club, night.id)  # a late hand may have come to it
            if state.hand(command.hand) is None:
                raise HandUnknown(field="hand", hand=command.hand)
    return ev.AdjustmentPosted(
        from_party=command.from_,
        to_party=command.to,
        amount=command.amount,
        unit=unit,
        reason=command.reason,
        night=command.night,
        hand=command.hand,
    )


def _unit_of_adjustment(club: Club) -> str:
    units = _units(club)
    if len(units) == 1:
        return units[0]
    if not units:
        raise MissingKey(field="unit")
    raise UnitUnclear(field="unit", units=", ".join(units))


def _require_parties(club: Club, payer: str, payee: str) -> None:
    """Who left, or was erased, may still owe; who never was may not."""
    for field, party in (("from", payer), ("to", payee)):
        if party not in (TILL, SHORTAGE) and party not in club.members:
            raise MemberUnknown(field=field, member=party)
    if payer == payee:
        raise SameParty(field="to", party=payer)
