"""What people ask of a club's money."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ledger.commands.reading import Chips, Date, HandNumber, Id, NoChips, Note, Party, Unit, Uuid


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPayment:
    """Record that one party paid another; it settles the oldest open night first, unless it names one."""

    from_: Party
    to: Party
    amount: Chips
    night: Id | None = None
    method: Note | None = None
    date: Date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReversePayment:
    """Take back a payment, named by the id of the command that recorded it."""

    payment: Uuid
    reason: Note


@dataclass(frozen=True, slots=True, kw_only=True)
class PostAdjustment:
    """Move an amount from one party's account to another's, without cash."""

    from_: Party
    to: Party
    amount: Chips
    reason: Note
    unit: Unit | None = None
    night: Id | None = None
    hand: HandNumber | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargeTable:
    """Charge each who sat in a night an amount that is the club's."""

    night: Id
    amount_each: Chips
    reason: Note


@dataclass(frozen=True, slots=True, kw_only=True)
class CountCash:
    """Say what the cash box holds; the book follows, and the gap is a shortage."""

    amount: NoChips
    note: Note | None = None


MoneyCommand: TypeAlias = RecordPayment | ReversePayment | PostAdjustment | ChargeTable | CountCash
