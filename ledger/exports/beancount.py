"""A club's book for beancount: ``bean-check`` accepts it, and no longer when a unit is changed.

What people wrote stands in quotes. A balance is of the morning of its day, so a night's stands on the day after.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from ledger.exports.accounting import (
    Accounts,
    Close,
    End,
    Evening,
    Item,
    Line,
    Path,
    Transaction,
    decimal,
    is_money,
    on_one_line,
)
from ledger.exports.days import day_after

_LONGEST: Final = 24
"""So many characters may a commodity have where beancount is strictest."""

_WRITTEN_PLAINLY: Final = re.compile(r"points|chips:[a-z0-9][a-z0-9._-]*\.[0-9]+")

_MAY_BEGIN: Final = re.compile(r"[a-z0-9]")
_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9-]")


def beancount(accounts: Accounts) -> Iterator[str]:
    """Yield the file in pieces that end with a line."""
    yield f'option "title" {_quoted(accounts.title)}\n'
    for unit in filter(is_money, accounts.units):
        yield f'option "operating_currency" "{unit}"\n'
    first = min(accounts.first_days.values(), default="1970-01-01")
    yield "\n"
    for unit in accounts.units:
        yield f"{first} commodity {_commodity(unit)}\n  unit: {_quoted(unit)}\n"
    yield "\n"
    for account, day in sorted(accounts.first_days.items()):
        yield f"{day} open {_account(account)}\n  account: {_quoted(':'.join(account))}\n"
        if name := accounts.name(account):
            yield f"  name: {_quoted(name)}\n"
    for item in accounts.items():
        yield _item(accounts, item)


def _item(accounts: Accounts, item: Item) -> str:
    match item:
        case Transaction(day=day, position=position, night=night, title=title, spoken=spoken, lines=lines):
            payee = f"{_quoted(night)} " if night else ""
            words = "".join(f"  {key}: {_quoted(text)}\n" for key, text in spoken)
            return f"\n{day} * {payee}{_quoted(title)}\n  position: {position}\n{words}" + "".join(
                f"  {_account(line.account)}  {_number(accounts, line)} {_commodity(line.unit)}\n" for line in lines
            )
        case Evening(day=day, lines=lines) | End(day=day, lines=lines):
            return f"\n{_assertions(accounts, day_after(day), lines)}"
        case Close():
            return ""  # more may follow on the same day, of which beancount keeps no order


def _assertions(accounts: Accounts, day: str, lines: Iterable[Line]) -> str:
    """Return assertions that are exact: without ``~ 0`` a balance may be off by one in the last place."""
    return "".join(
        f"{day} balance {_account(line.account)}  {_number(accounts, line)} ~ 0 {_commodity(line.unit)}\n"
        for line in lines
    )


def _number(accounts: Accounts, line: Line) -> str:
    return decimal(line.amount, accounts.units[line.unit])


def _account(path: Path) -> str:
    return ":".join(map(_part, path))


@lru_cache(maxsize=10_000)
def _part(name: str) -> str:
    """Return an id as part of an account's name, no two the same.

    It begins with a capital or a digit; ids have no capitals, so these also say what cannot stand there.
    """
    first = name[:1].upper() if _MAY_BEGIN.match(name) else "".join(map(_by_number, name[:1]))
    return first + _NOT_IN_NAMES.sub(_spelt, name[1:])


def _spelt(match: re.Match[str]) -> str:
    return {".": "Dot", "_": "Low"}.get(match[0]) or _by_number(match[0])


def _by_number(char: str) -> str:
    return f"U{ord(char):x}U"


@lru_cache(maxsize=1_000)
def _commodity(unit: str) -> str:
    """Return a unit as a commodity, no two the same: of one that would not fit, the beginning of its digest."""
    if is_money(unit):
        return unit
    written = unit.upper().replace(":", ".")
    if _WRITTEN_PLAINLY.fullmatch(unit) and len(written) <= _LONGEST:
        return written
    kind = "CHIPS-" if unit.startswith("chips:") else "UNIT-"
    digest = hashlib.sha256(unit.encode("utf-8", "surrogatepass")).hexdigest().upper()
    return f"{kind}{digest}"[:_LONGEST]


def _quoted(text: str) -> str:
    return '"' + on_one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
