"""People and devices in memory, for tests (``ledger.people.People``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ledger.people.model import KEYS, Entry, R, Records, Row
from ledger.stores.turns import Turns

_TIMEOUT = 5.0


class MemoryPeople:
    """The people of every club, as values: a writer changes a copy and puts it in its place."""

    def __init__(self) -> None:
        self._rows: _Rows = {}
        self._writing = Turns()

    @contextmanager
    def read(self) -> Iterator[Records]:
        yield _Records({kind: rows.copy() for kind, rows in self._rows.items()})

    @contextmanager
    def write(self, *, patient: bool = True) -> Iterator[Records]:
        with self._writing.take(_TIMEOUT if patient else 0):
            draft = {kind: rows.copy() for kind, rows in self._rows.items()}
            yield _Records(draft)
            self._rows = draft


_Rows = dict[type[object], dict[tuple[object, ...], Row]]


class _Records:
    def __init__(self, rows: _Rows) -> None:
        self._rows = rows

    def get(self, kind: type[R], /, *key: str) -> R | None:
        found = self._rows.get(kind, {}).get(key)
        return found if isinstance(found, kind) else None

    def all(self, kind: type[R], club: str, /, **equal: str) -> list[R]:
        return [
            row
            for row in self._rows.get(kind, {}).values()
            if isinstance(row, kind)
            and row.club == club
            and all(getattr(row, column) == value for column, value in equal.items())
        ]

    def count(self, kind: type[Row], club: str) -> int:
        return len(self.all(kind, club))

    def put(self, row: Row) -> None:
        rows = self._rows.setdefault(type(row), {})
        key = _key(row)
        if isinstance(row, Entry) and key in rows:
            raise AssertionError("a line of the trail is never written over")
        rows[key] = row

    def drop(self, row: Row) -> None:
        if isinstance(row, Entry):
            raise AssertionError("a line of the trail is never dropped")
        self._rows.get(type(row), {}).pop(_key(row), None)

    def drop_before(self, kind: type[Row], column: str, moment: str) -> None:
        rows = self._rows.get(kind, {})
        for key, row in list(rows.items()):
            kept = getattr(row, column)
            if kept is not None and kept < moment:
                del rows[key]

    def note(self, club: str, at: str, actor: str, what: str, about: str | None, address: str | None) -> None:
        number = len(self.all(Entry, club)) + 1
        self.put(Entry(club=club, number=number, at=at, actor=actor, what=what, about=about, address=address))

    def trail(self, club: str, before: int | None = None, limit: int = 100) -> list[Entry]:
        found = [row for row in reversed(self.all(Entry, club)) if before is None or row.number < before]
        return found[:limit]


def _key(row: Row) -> tuple[object, ...]:
    return tuple(getattr(row, key) for key in KEYS[type(row)])
