"""The journal of a night, a season, or a whole club: every posting, in the order in which it was written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, TypeAlias

from ledger.club import Club, days_of_season
from ledger.exports.spreadsheets import MACHINE, Guard, Profile, Row, guarded_pages
from ledger.store import CLUB, JournalRow, Reader, Recorded

COLUMNS: Final = ("position", "night", "hand", "entry", "memo", "account", "unit", "amount", "recorded_at")

Pages: TypeAlias = Iterator[Sequence[JournalRow]]

_NIGHT: Final = "night:"
_PAGE: Final = 500
_LAST_LINE: Final = 2**53
_STREAM: Final = itemgetter(2)


def journal(reader: Reader, night: str | None = None, profile: Profile = MACHINE) -> Iterator[str]:
    """Yield the journal as CSV; of one night, what was posted there before it was closed."""
    return _written(reader, _pages(reader, None if night is None else f"{_NIGHT}{night}"), profile)


def season_journal(reader: Reader, club: Club, season: str, profile: Profile = MACHINE) -> Iterator[str]:
    """Yield the journal of a season as CSV. Raises ``SeasonUnknown``.

    It has the nights whose dates lie within the season, and of the club's own entries those that name such a night or,
    where they name none, were recorded within it.
    """
    days = days_of_season(club, season)
    nights = {night.id for night in club.nights.values() if days.hold(night.date)}

    def belongs(event: Recorded) -> bool:
        named = nights_named(event)
        return not nights.isdisjoint(named) if named else days.hold(club.day_of(event.version, event.recorded_at))

    return _written(reader, _pages_of(reader, {f"{_NIGHT}{night}" for night in nights}, belongs), profile)


def nights_named(event: Recorded) -> list[str]:
    """Return the nights that an event of the club's own is about."""
    named: Any = [event.data.get("night")]
    among: Any = event.data.get("nights")
    if isinstance(among, list):
        named += [part.get("night") if isinstance(part, dict) else part for part in among]
    return [night for night in dict.fromkeys(named) if isinstance(night, str)]


def _pages(reader: Reader, stream: str | None = None, after: int = 0) -> Pages:
    behind = (after, _LAST_LINE)
    while page := (
        reader.journal(behind, _PAGE) if stream is None else reader.postings(stream=stream, after=behind, limit=_PAGE)
    ):
        behind = page[-1][:2]
        yield page


def _pages_of(reader: Reader, streams: set[str], belongs: Callable[[Recorded], bool]) -> Pages:
    """Yield the lines of some nights, and of the club's events that belong to them.

    All that was written between the first and the last event of the nights is read in one go; before and behind that
    stretch, which may be small in an old book, the club's own lines alone.
    """
    events = _Events(reader)
    first, last = _stretch(reader, streams)

    def chosen(page: Sequence[JournalRow], low: int, high: int) -> Sequence[JournalRow]:
        return [
            row
            for row in page
            if low <= row[0] <= high and (row[2] in streams or (row[2] == CLUB and belongs(events.at(row[0]))))
        ]

    for page in _pages(reader, CLUB):
        yield chosen(page, 0, first - 1)
        if page[-1][0] >= first:
            break
    for page in _pages(reader, after=first - 1):
        whole = page[-1][0] <= last and streams.issuperset(map(_STREAM, page))
        yield page if whole else chosen(page, first, last)
        if page[-1][0] > last:
            break
    for page in _pages(reader, CLUB, last):
        yield chosen(page, last + 1, page[-1][0])


def _stretch(reader: Reader, streams: set[str]) -> tuple[int, int]:
    """Return the position of the first line of some streams, and of their last event; if none, the end of the book."""
    end = reader.head().position + 1
    first, last = end, 0
    for stream in streams:
        for line in reader.postings(stream=stream, limit=1):
            first = min(first, line.position)
            for event in reader.stream(stream, reader.version(stream) - 1):
                last = max(last, event.position)
    return first, last or end


def _written(reader: Reader, pages: Pages, profile: Profile) -> Iterator[str]:
    guard, nights = Guard(), _Nights()
    cell = guard.__getitem__
    events = _Events(reader)

    def night(row: JournalRow) -> str:
        """A correction after the close is posted in the club's stream, and says which night it is of."""
        if row[2] != CLUB:
            return guard[nights[row[2]]]
        named = nights_named(events.at(row[0]))
        return guard[named[0]] if len(named) == 1 else ""

    def rows(page: Sequence[JournalRow]) -> Iterator[Row]:
        """Turn a page column by column: to put each row together by itself would take twice as long."""
        position, _line, stream, _version, at, entry, hand, memo, account, unit, amount = zip(*page, strict=True)
        of = map(night, page) if CLUB in stream else map(cell, map(nights.__getitem__, stream))
        cells = map(cell, memo), map(cell, account), map(cell, unit), amount, map(cell, at)
        return zip(position, of, hand, entry, *cells, strict=True)

    return guarded_pages(COLUMNS, (rows(page) for page in pages if page), profile)


class _Nights(dict[str, str]):
    """Streams to the nights that they are of."""

    def __missing__(self, stream: str) -> str:
        night = stream.removeprefix(_NIGHT)
        self[stream] = night
        return night


class _Events:
    """Events by position; the last that was asked for is known, since its lines come one after the other."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._last: Recorded | None = None

    def at(self, position: int) -> Recorded:
        if self._last is None or self._last.position != position:
            (self._last,) = self._reader.events(position - 1, 1)
        return self._last
