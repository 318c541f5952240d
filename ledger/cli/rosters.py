"""A list of members into the book: read and compared first, then written, all of it or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import click

from ledger.cli.opening import Book, Refusal, say
from ledger.club import Club
from ledger.errors import WrongVersion
from ledger.exports.spreadsheets import unguarded
from ledger.imports.members import Fault, Unfit, read
from ledger.imports.roster import Kind, Known, Step, commands, plan
from ledger.service import read_request
from ledger.store import Reader

_TOLD: Final = 20
"""So many wrong rows are told of; who has more has another problem."""


def import_roster(
    book: Book,
    raw: bytes,
    file: str,
    columns: Mapping[str, Sequence[str]],
    *,
    encoding: str | None = None,
    guarded: bool = False,
    rename: bool = False,
    dry_run: bool = False,
) -> None:
    """Import a file, or only say what would become of it: a line for each change. Raises ``Refusal``."""
    try:
        roster = read(raw, columns, encoding=encoding, name_of=unguarded if guarded else str)
    except Unfit as error:
        raise Refusal(f"{file}: {error}.") from None
    with book.read() as (club, reader):
        version = club.version
        steps, clashes = plan(roster.rows, list(_known(club, reader)), rename=rename)
    _require_none(file, sorted((*roster.faults, *clashes)))
    if roster.ignored:
        say(f"{file}: nothing is read of {', '.join(roster.ignored)}.")
    if not dry_run:
        _write(book, file, version, steps)
    for step in steps:
        if dry_run or step.kind is not Kind.SAME:
            click.echo(f"line {step.row.line}: {_told(step, dry_run=dry_run)}.")
    click.echo(f"{file}: {_summary(steps, dry_run=dry_run)}.")


def _known(club: Club, reader: Reader) -> Iterator[Known]:
    kept = reader.texts({ref for member in club.members.values() for ref in member.names})
    for member in club.members.values():
        names = {ref: text[1] for ref in member.names if (text := kept.get(ref)) is not None}
        name = names.pop(member.name["ref"], None)
        yield Known(
            member.id,
            member.number,
            club.resolved(member.id),
            None if member.erased else name,
            frozenset(names.values()) - {name},
            member.archived,
        )


def _require_none(file: str, faults: Sequence[Fault]) -> None:
    if not faults:
        return
    for fault in faults[:_TOLD]:
        say(f"{file}, line {fault.line}: {fault.why}")
    if len(faults) > _TOLD:
        say(f"{file}: and {len(faults) - _TOLD} more.")
    raise Refusal(f"{file}: nothing is imported, since {_rows(len(faults))} wrong.")


def _write(book: Book, file: str, version: int, steps: Sequence[Step]) -> None:
    requests = [read_request(command) for command in commands(book.club, version, steps)]
    try:
        if requests:
            book.ledger.carry_out_together(book.club, requests, book.sender)
    except WrongVersion:
        raise Refusal(f"{file}: nothing is imported, since the book has changed meanwhile; try again.") from None


def _told(step: Step, *, dry_run: bool) -> str:
    is_, would = ("would be", "would be") if dry_run else ("is", "is now")
    name, member = step.row.name, step.member
    match step.kind:
        case Kind.ADDED:
            also = f"; so is {' and '.join(step.also)} called" if step.also else ""
            return f"{name} {is_} added as {member}, number {step.number}{also}"
        case Kind.RENAMED:
            return f"{member} {would} called {name}; he {step.why}"
        case Kind.SAME:
            return f"{name} is {member}, number {step.number}, already{step.why and f' and {step.why}'}"
        case Kind.DIFFERENT:
            return f"{member} {step.why}; left as it is"


def _summary(steps: Sequence[Step], *, dry_run: bool) -> str:
    count = Counter(step.kind for step in steps)
    would = "would be " if dry_run else ""
    left = count[Kind.SAME] + count[Kind.DIFFERENT]
    different = f", {count[Kind.DIFFERENT]} of them different here" if count[Kind.DIFFERENT] else ""
    return f"{count[Kind.ADDED]} {would}added, {count[Kind.RENAMED]} {would}renamed, {left} left{different}"


def _rows(count: int) -> str:
    return "1 row is" if count == 1 else f"{count} rows are"
