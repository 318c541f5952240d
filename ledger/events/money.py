"""What happened to a club's money outside the hands: payments, adjustments, charges, counts of cash.

Amounts are above zero, in ``unit``: minor units of a currency, or the chips of a table that plays for chips alone.
A party is a member, ``till`` or ``shortage``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ledger.events.shapes import Money, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRecorded:
    """One party handed another an amount. ``nights`` say how much of it settles which night; the rest is on account.

    ``payment`` is the id of the command that recorded it.
    """

    payment: str
    from_party: str
    to_party: str
    amount: int
    unit: str
    date: str
    nights: Sequence[Mapping[str, Any]]
    method: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentReversed:
    """A payment was recorded wrongly or came back; it stays in the book, and this undoes what it moved."""

    payment: str
    from_party: str
    to_party: str
    amount: int
    unit: str
    nights: Sequence[Mapping[str, Any]]
    reason: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustmentPosted:
    """An amount was moved from one party's account to another's, and no cash changed hands."""

    from_party: str
    to_party: str
    amount: int
    unit: str
    reason: Text
    night: str | None = None
    hand: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCharged:
    """Each who sat in a night owes the club an amount: table money, tea."""

    night: str
    members: Sequence[str]
    amount_each: int
    unit: str
    reason: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class CashCounted:
    """The cash box was counted; what it holds more than the book said (``gap``; below zero: less) is a shortage."""

    amount: int
    gap: int
    unit: str
    note: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMoneyChanged:
    """A chip of a table is worth something else from now on, so its chips are another unit.

    ``chips`` lay in the pool. They were shared out (``shares``, in chips of the old unit, by member), or became
    ``converted`` chips of the new unit; what those are worth less, or more, the till keeps or gives. ``holder`` has
    the money of the pool.
    """

    table: str
    money: Money
    unit: str
    old_money: Money | None
    old_unit: str
    pool: str
    chips: int
    converted: int
    shares: Mapping[str, int]
    holder: str


MoneyEvent: TypeAlias = (
    PaymentRecorded | PaymentReversed | AdjustmentPosted | TableCharged | CashCounted | TableMoneyChanged
)
