"""Amounts of money as people type them, and the currencies there are to choose from."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any, Final

from babel.numbers import get_currency_precision

from ledger.commands.reading import exponent_of
from ledger.errors import BadValue, MissingKey
from web.forms import Form
from web.words import gettext

_SPACES: Final = str.maketrans("", "", " \u00a0\u202f'’")


def in_minor_units(form: Form, name: str, unit: str) -> int | None:
    """Return what was filled in, in minor units of a currency, or as chips; None where nothing was.

    A comma or a full stop may stand before the decimals; nothing stands between thousands. Raises ``BadValue``.
    """
    text = form.value(name).translate(_SPACES).replace("−", "-")
    if not text:
        return None
    exponent = get_currency_precision(unit) if is_currency(unit) else 0
    wanted = gettext("an amount such as %(example)s", example="2.50" if exponent == 2 else "25")
    try:
        amount = Decimal(text.replace(",", ".")).scaleb(exponent) if len(text) <= 20 else Decimal("NaN")
    except InvalidOperation:
        raise BadValue(field=name, wanted=wanted) from None
    if not amount.is_finite() or amount != int(amount):
        raise BadValue(field=name, wanted=wanted)
    return int(amount)


def as_typed(amount: int, unit: str) -> str:
    """Return an amount as somebody would fill it in."""
    exponent = get_currency_precision(unit) if is_currency(unit) else 0
    return format(Decimal(amount).scaleb(-exponent), "f")


def money_of(form: Form) -> dict[str, Any] | None:
    """Return what a chip is worth as a form says, fields ``currency`` and ``chip``; None where chips alone are kept.

    Raises ``BadValue`` and ``MissingKey``.
    """
    currency = (form.text("currency") or "").upper()
    if not currency:
        if form.text("chip"):
            raise MissingKey(field="currency")
        return None
    exponent_of(currency, "currency")
    chip = in_minor_units(form, "chip", currency)
    if chip is None:
        raise MissingKey(field="chip")
    return {"currency": currency, "chip": chip}


def is_currency(unit: str) -> bool:
    """Tell whether a unit of the book is a currency."""
    return len(unit) == 3 and unit.isupper()
