"""What a list of members comes to in a club: who would be added, renamed or left, before anything is written."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import Any, NamedTuple

from ledger.club import free_id
from ledger.codec import canonical_json
from ledger.imports.members import NUMBER_LIMIT, Fault, Row
from ledger.imports.night import NAMESPACE, Command


class Known(NamedTuple):
    """A membership of the club. ``person`` is the id he goes by now; ``name`` is None where it was erased."""

    id: str
    number: int
    person: str
    name: str | None
    former: frozenset[str] = frozenset()
    archived: bool = False


class Kind(StrEnum):
    ADDED = "added"
    RENAMED = "renamed"
    SAME = "same"
    DIFFERENT = "different"


class Step(NamedTuple):
    """What becomes of a row. ``also`` are others who are called so; ``why`` says what the book has otherwise."""

    row: Row
    kind: Kind
    member: str
    number: int
    also: tuple[str, ...] = ()
    why: str = ""


class _Clash(Exception):
    """What keeps a row from being imported, in words."""


def plan(rows: Sequence[Row], known: Sequence[Known], *, rename: bool) -> tuple[list[Step], list[Fault]]:
    """Return what becomes of each row, and what is wrong with rows; where anything is, nothing may be written.

    A member is known by his id, else by his number, else by exactly what he is called.
    """
    faults = list(_repeated(rows))
    wrong = {fault.line for fault in faults}
    club = _Club(known)
    found: list[tuple[Row, Known | None]] = []
    lines: dict[str, int] = {}
    for row in rows:
        if row.line in wrong:
            continue
        try:
            one = club.find(row)
            if one is not None and (first := lines.setdefault(one.id, row.line)) != row.line:
                raise _Clash(f"that is {one.id}, like line {first}.")
        except _Clash as clash:
            faults.append(Fault(row.line, str(clash)))
        else:
            found.append((row, one))
    new = _Additions([row for row, one in found if one is None], known)
    steps = [new.step(row, club) if one is None else club.compared(row, one, rename=rename) for row, one in found]
    return steps, sorted(faults)


def commands(club: str, version: int, steps: Iterable[Step]) -> list[Command]:
    """Return the commands of a plan that was made at a version of the club's own stream.

    The same plan gives the same ids. No id is made of a name: who erases one must not leave its digest behind.
    """
    made: list[Command] = []
    for step in steps:
        data: dict[str, Any] = {"member": step.member, "name": step.row.name}
        if step.kind is Kind.ADDED:
            made.append(_command([club, "AddMember", step.member, step.number], {**data, "number": step.number}))
        elif step.kind is Kind.RENAMED:
            made.append(_command([club, "RenameMember", step.member, version], data))
    if made:
        made[0]["expected_version"] = version
    return made


def _command(key: list[Any], data: dict[str, Any]) -> Command:
    return {"id": str(uuid.uuid5(NAMESPACE, canonical_json(key))), "type": key[1], "data": data}


def _repeated(rows: Sequence[Row]) -> Iterator[Fault]:
    """Yield who is in the file twice: by id, by number, or by a name that nothing tells from another."""
    ids: dict[str, int] = {}
    numbers: dict[int, int] = {}
    names: dict[str, tuple[int, bool]] = {}
    for row in rows:
        bare = row.id is None and row.number is None
        first, any_bare = names.get(row.name, (row.line, bare))
        names[row.name] = (first, any_bare or bare)
        if row.id is not None and ids.setdefault(row.id, row.line) != row.line:
            yield Fault(row.line, f"the id {row.id} is in line {ids[row.id]} already.")
        elif row.number is not None and numbers.setdefault(row.number, row.line) != row.line:
            yield Fault(row.line, f"the number {row.number} is in line {numbers[row.number]} already.")
        elif first != row.line and (any_bare or bare):
            yield Fault(row.line, f"{row.name} is in line {first} already: two of one name need ids or numbers.")


class _Club:
    """Who is known, by all that he may be known by."""

    def __init__(self, known: Sequence[Known]) -> None:
        self._ids = {one.id: one for one in known}
        self._numbers = {one.number: one for one in known}
        self._called = _grouped((one.name, one) for one in known if one.name is not None)
        self._once = _grouped((name, one) for one in known if one.name is not None for name in one.former)

    def find(self, row: Row) -> Known | None:
        """Return whom a row is about, or None for somebody new. Raises ``_Clash``."""
        one = self._ids.get(row.id) if row.id is not None else None
        numbered = self._numbers.get(row.number) if row.number is not None else None
        if row.id is not None and numbered is not None and (one is None or one.person != numbered.person):
            raise _Clash(f"the number {row.number} is that of {numbered.id}, not of {row.id}.")
        if row.id is not None or row.number is not None:
            return one or numbered
        for called in (self._called, self._once):
            found = called.get(row.name, [])
            if len({other.person for other in found}) > 1:
                ids = ", ".join(other.id for other in found)
                raise _Clash(f"{len(found)} are or were called {row.name} ({ids}): an id or number must say who.")
            if found:
                return min(found, key=lambda other: other.id != other.person)
        return None

    def compared(self, row: Row, one: Known, *, rename: bool) -> Step:
        """Return what becomes of a row about somebody known."""
        if one.name is None:
            return Step(row, Kind.DIFFERENT, one.id, one.number, why="was erased")
        whys = []
        person = self._ids[one.person]
        renamed = False
        if row.name not in (one.name, person.name):
            bare = row.id is None and row.number is None
            renamed = rename and one.id == one.person and not bare
            if renamed:
                whys.append(f"was called {one.name}")
            else:
                whys.append(f"is called {person.name} in the book, {row.name} in the file")
        if row.number is not None and row.number not in (one.number, person.number):
            whys.append(f"has the number {one.number} for good, not {row.number}")
        kind = Kind.RENAMED if renamed else Kind.DIFFERENT if whys else Kind.SAME
        if kind is Kind.SAME and self._ids[one.person].archived:
            whys.append("is archived")
        return Step(row, kind, one.id, one.number, why=" and ".join(whys))

    def called(self, name: str) -> tuple[str, ...]:
        return tuple(one.id for one in self._called.get(name, []))


class _Additions:
    """Ids and numbers for those who are new: as the file has them, else what is free."""

    def __init__(self, rows: Sequence[Row], known: Sequence[Known]) -> None:
        self._ids: dict[str, object] = dict.fromkeys(one.id for one in known)
        self._ids.update((row.id, None) for row in rows if row.id is not None)
        taken = {one.number for one in known} | {row.number for row in rows if row.number is not None}
        first = max(taken, default=0) + 1
        self._free = (
            number for number in chain(range(first, NUMBER_LIMIT + 1), range(1, first)) if number not in taken
        )

    def step(self, row: Row, club: _Club) -> Step:
        number = row.number or next(self._free)
        member = row.id
        if member is None:
            member = row.typed if row.typed is not None and row.typed not in self._ids else None
            member = member or free_id(f"m{number}", self._ids)
            self._ids[member] = None
        return Step(row, Kind.ADDED, member, number, also=club.called(row.name))


def _grouped(pairs: Iterable[tuple[str, Known]]) -> Mapping[str, list[Known]]:
    groups: dict[str, list[Known]] = {}
    for name, one in pairs:
        groups.setdefault(name, []).append(one)
    return groups
