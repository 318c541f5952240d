"""Amounts, days and times as people read them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from babel.numbers import format_currency, format_decimal, get_currency_precision
from flask_babel import format_date, format_datetime, get_locale

from web.words import gettext

MINUS: Final = "\u2212"


def units(amount: int, unit: str = "", sign: bool = True) -> str:
    """Return an amount of a unit of the book: minor units of a currency as money, chips and points as they are."""
    locale = get_locale() or "en"
    size = abs(amount)
    if _is_currency(unit):
        exponent = get_currency_precision(unit)
        text = format_currency(Decimal(size).scaleb(-exponent), unit, locale=locale)
    else:
        text = format_decimal(size, locale=locale)
    before = MINUS if amount < 0 else "+" if sign and amount > 0 else ""
    return f"{before}{text}"


def unit_name(unit: str) -> str:
    """Return what a unit is called."""
    if _is_currency(unit):
        return unit
    return gettext("points") if unit == "points" else gettext("chips")


def day(iso: str) -> str:
    """Return a date of the club as people read it."""
    return str(format_date(date.fromisoformat(iso), "EEE d MMM y", rebase=False))


def moment(iso: str, zone: str = "UTC") -> str:
    """Return a time of the book in the zone of the club."""
    return str(format_datetime(datetime.fromisoformat(iso).astimezone(ZoneInfo(zone)), "d MMM y, HH:mm", rebase=False))


def clock(iso: str, zone: str = "UTC") -> str:
    """Return the time of day of a time of the book, in the zone of the club."""
    return str(format_datetime(datetime.fromisoformat(iso).astimezone(ZoneInfo(zone)), "HH:mm", rebase=False))


_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser(agent: str | None) -> str:
    """Return what people call the browser that names itself so; who is none of these says so itself."""
    name = next((name for mark, name in _BROWSERS if mark in (agent or "")), None)
    system = next((name for mark, name in _SYSTEMS if mark in (agent or "")), None)
    if name is None:
        return agent or gettext("An unknown browser")
    return gettext("%(browser)s on %(system)s", browser=name, system=system) if system else name


def _is_currency(unit: str) -> bool:
    return len(unit) == 3 and unit.isupper()
