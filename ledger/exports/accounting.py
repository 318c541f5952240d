"""A club's book as accountants know it: transactions in the order of their days, and what accounts then stand at.

What ``hledger`` and ``beancount`` write each in its own words. Signs are turned round: in the book positive is owed
to the account's owner, here positive is an asset of the club, as both programs have it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from babel.numbers import get_currency_precision

from ledger.club import Club, Days, days_of_season
from ledger.exports.days import day_given
from ledger.store import CLUB, JSON, Reader, Recorded, scope_of
from ledger.values import BIDI_CONTROLS

Path: TypeAlias = tuple[str, ...]
"""An account, from the general to the particular; ids in it are as they are in the book."""

Key: TypeAlias = tuple[Path, str]
"""An account and a unit: what has a balance."""

_NIGHT: Final = "night:"

_OF_THE_CLUB: Final[Mapping[str, Path]] = {
    "cash": ("assets", "cash"),
    "member": ("liabilities", "members"),
    "pool": ("liabilities", "pool"),
    "charges": ("income", "charges"),
    "exchange": ("equity", "exchange"),
    "till": ("equity", "till"),
    "shortage": ("equity", "shortage"),
    "player": ("equity", "players"),
    "game": ("equity", "games"),
}
_OF_A_NIGHT: Final = {"player": "players", "game": "games", "till": "till", "shortage": "shortage"}

_SPOKEN: Final = ("reason", "note", "method")
"""What an event may say to people beside its entries."""


class Words(Protocol):
    """What people, tables and notes are called."""

    def text(self, reference: Mapping[str, str] | None) -> str | None: ...

    def club(self) -> str: ...

    def member(self, member: str) -> str: ...

    def table(self, table: str) -> str: ...


class Line(NamedTuple):
    account: Path
    unit: str
    amount: int
    """In minor units, or chips, or points; positive is an asset."""


class Transaction(NamedTuple):
    """A journal entry. Its lines sum to zero in every unit. Position 0 is what was brought forward."""

    day: str
    position: int
    night: str | None
    title: str
    spoken: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]


class Close(NamedTuple):
    """What a night's accounts stand at, and the club's accounts that it moved, just after it was closed."""

    day: str
    night: str
    lines: tuple[Line, ...]


class Evening(NamedTuple):
    """What the accounts of all nights that were closed on a day stand at when that day is over."""

    day: str
    lines: tuple[Line, ...]


class End(NamedTuple):
    """What the store says that the accounts stand at, at the end of everything."""

    day: str
    lines: tuple[Line, ...]


Item: TypeAlias = Transaction | Close | Evening | End


@dataclass(slots=True)
class _Day:
    nights: dict[str, None] = field(default_factory=dict)
    positions: list[int] = field(default_factory=list)


class Accounts:
    """The accounts, units and items of a book, or of one season of it, seen through one snapshot.

    A season takes what is dated within it, and begins with what was brought forward. In memory are the balances, and
    a number for each event of the club's own; postings are read page by page.
    """

    def __init__(self, club: Club, reader: Reader, words: Words, season: str | None = None) -> None:
        """Look through the whole book once. Raises ``SeasonUnknown``."""
        self.days: Days = days_of_season(club, season)
        self.first_days: dict[Path, str] = {}
        self.units: dict[str, int] = {}
        self.title = words.club() if season is None else f"{words.club()}, season {season}"
        self._club = club
        self._reader = reader
        self._words = words
        self._index: dict[str, _Day] = {}
        self._night_days: dict[str, str] = {}
        self._before: dict[Key, int] = {}
        self._kept: dict[Key, int] = {}
        self._look_through()

    def name(self, account: Path) -> str | None:
        """Return what the owner of a club-wide account is called."""
        match account:
            case "liabilities", "members", member if member in self._club.members:
                return self._words.member(member)
            case "liabilities", "pool", table if table in self._club.tables:
                return f"the pool of {self._words.table(table)}"
            case _:
                return None

    def items(self) -> Iterator[Item]:
        """Yield transactions by day and position, and between them what accounts stand at."""
        running = dict(self._before)
        if brought := self._lines(running, (key for key, amount in running.items() if amount)):
            yield Transaction(self.days.first, 0, None, "brought forward", (), brought)
        day = self.days.first
        for day in sorted(self._index):
            yield from self._items_of(day, running)
        if self._kept:
            yield End(day, self._lines(self._kept, sorted(self._kept)))

    def _items_of(self, day: str, running: dict[Key, int]) -> Iterator[Item]:
        found = self._index[day]
        touched: dict[str, dict[Key, None]] = {stream: {} for stream in found.nights}
        closed: dict[Key, None] = {}
        club = (self._reader.events(position - 1, 1)[0] for position in found.positions)
        for row in merge(club, *map(self._reader.stream, found.nights), key=lambda row: row.position):
            for transaction in self._transactions(row, day):
                for line in transaction.lines:
                    key = line.account, line.unit
                    running[key] = running.get(key, 0) - line.amount
                    if row.stream in touched:
                        touched[row.stream][key] = None
                yield transaction
            if row.type == "NightClosed" and (mine := touched.get(row.stream)):
                closed |= mine
                yield Close(day, _night_of(row.stream), self._lines(running, mine))
        if closed:
            yield Evening(day, self._lines(running, closed))

    def _transactions(self, row: Recorded, day: str) -> Iterator[Transaction]:
        night = _night_of(row.stream) if row.stream != CLUB else row.data.get("night")
        for _entry, postings in groupby(row.postings, lambda posting: posting.entry):
            lines = tuple(postings)
            memo, hand = lines[0].memo, lines[0].hand
            yield Transaction(
                day=day,
                position=row.position,
                night=night if isinstance(night, str) else None,
                title=memo if hand is None else f"hand {hand}: {memo}",
                spoken=tuple(self._spoken(row.data)),
                lines=tuple(Line(_path(p.account, row.stream), p.unit, -p.amount) for p in lines),
            )

    def _spoken(self, data: Mapping[str, JSON]) -> Iterator[tuple[str, str]]:
        for key in _SPOKEN:
            said: Any = data.get(key)
            text = self._words.text(said) if isinstance(said, dict) and "ref" in said else said
            if isinstance(text, str) and text:
                yield key, text

    def _lines(self, amounts: Mapping[Key, int], keys: Iterable[Key]) -> tuple[Line, ...]:
        return tuple(Line(account, unit, -amounts[account, unit]) for account, unit in keys)

    # Before anything is written

    def _look_through(self) -> None:
        after: dict[Key, int] = {}
        exponents: dict[str, int] = {}
        position = 0
        while page := self._reader.events(position):
            position = page[-1].position
            for row in page:
                _learn_exponent(row.data.get("money"), exponents)
                if row.type == "NightOpened" and (day := day_given(row.data)):
                    self._night_days.setdefault(row.stream, day)
                if row.postings:
                    self._note(row, after)
        for (account, _unit), amount in self._before.items():
            if amount:
                self.first_days[account] = self.days.first
        self._keep(after)
        self.units = {unit: _exponent(unit, exponents) for unit in sorted(self.units)}

    def _note(self, row: Recorded, after: dict[Key, int]) -> None:
        """Note which day a row is of, and what it moves if that lies outside the season."""
        day = self._day(row)
        moved = None
        if not self.days.hold(day):
            moved = self._before if day < self.days.first else after
        else:
            found = self._index.setdefault(day, _Day())
            if row.stream == CLUB:
                found.positions.append(row.position)
            else:
                found.nights[row.stream] = None
        for posting in row.postings:
            account, unit = _path(posting.account, row.stream), posting.unit
            if moved is not None:
                moved[account, unit] = moved.get((account, unit), 0) + posting.amount
            else:
                self.first_days[account] = min(day, self.first_days.get(account, day))
                self._kept[account, unit] = 0
            self.units[unit] = 0

    def _day(self, row: Recorded) -> str:
        """Return the date of a row: that of its night, or its own."""
        if row.stream == CLUB:
            return day_given(row.data) or self._club.day_of(row.version, row.recorded_at)
        if row.stream not in self._night_days:
            self._night_days[row.stream] = self._club.day_of(self._club.version, row.recorded_at)
        return self._night_days[row.stream]

    def _keep(self, after: Mapping[Key, int]) -> None:
        """Take the balances that the store keeps, less what was moved after the season."""
        stored: dict[Key, int] = {}
        for scope in self._scopes():
            for (account, unit), amount in self._reader.balances(scope).items():
                stored[_path(account, scope), unit] = amount
        for key in {*stored, *after, *self._kept, *self._before}:
            amount = stored.get(key, 0) - after.get(key, 0)
            if key in self._kept or amount:
                self._kept[key] = amount
                self.first_days.setdefault(key[0], self.days.first or min(self._index, default="1970-01-01"))
                self.units.setdefault(key[1], 0)

    def _scopes(self) -> Iterator[str]:
        yield CLUB
        name = ""
        while page := self._reader.streams("", name):
            name = page[-1][0]
            yield from (stream for stream, _version in page if stream != CLUB)


def decimal(amount: int, exponent: int) -> str:
    """Return an amount of minor units as decimals: ``-5`` with two of them is ``-0.05``."""
    whole, rest = divmod(abs(amount), 10**exponent)
    sign = "-" if amount < 0 else ""
    return f"{sign}{whole}.{rest:0{exponent}}" if exponent else f"{sign}{whole}"


def is_money(unit: str) -> bool:
    """Return whether a unit is a currency."""
    return len(unit) == 3 and unit.isascii() and unit.isalpha() and unit.isupper()


def on_one_line(text: str) -> str:
    """Return what people wrote as one line that reads as it is written: what cannot be seen is named."""
    return "".join(map(_visible, " ".join(text.splitlines())))


def _visible(char: str) -> str:
    if char == "\t":
        return " "
    hidden = char in BIDI_CONTROLS or unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}
    return f"<U+{ord(char):04X}>" if hidden else char


def _path(account: str, stream: str) -> Path:
    kind, colon, owner = account.partition(":")
    if scope_of(account, stream) == CLUB:
        path = _OF_THE_CLUB[kind]
    else:
        path = ("liabilities", "nights", _night_of(stream), _OF_A_NIGHT[kind])
    return (*path, owner) if colon else path


def _night_of(stream: str) -> str:
    return stream.removeprefix(_NIGHT)


def _exponent(unit: str, known: Mapping[str, int]) -> int:
    if not is_money(unit):
        return 0
    return known[unit] if unit in known else get_currency_precision(unit)


def _learn_exponent(money: JSON, exponents: dict[str, int]) -> None:
    match money:
        case {"currency": str(currency), "exponent": int(exponent)}:
            exponents.setdefault(currency, exponent)
        case _:
            pass
