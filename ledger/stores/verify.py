"""Whether a book is what it was when it was written: the chain, the sums, and everything kept beside them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, TypeAlias

from ledger import codec
from ledger.errors import StoreDamaged
from ledger.store import GENESIS, Audit, CommandRow, Recorded

ERASED: Final = "text_erased"

_PAGE: Final = 1000

_MISSHAPEN: Final = (TypeError, ValueError, AttributeError)
"""What breaks on a value of another kind than was written: a digest that is no number, a text that is no text."""


Check: TypeAlias = Callable[[Recorded], str | None]
CheckCommand: TypeAlias = Callable[[CommandRow, Sequence[Recorded]], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that is not as it should be, and the row where it shows; an erased text is told, but is no fault."""

    code: str
    detail: str
    position: int | None = None
    stream: str | None = None
    version: int | None = None

    @property
    def is_fault(self) -> bool:
        return self.code != ERASED

    def __str__(self) -> str:
        if self.position is None:
            return self.detail
        return f"position {self.position} ({self.stream}, version {self.version}): {self.detail}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place between two rows: what the next row is checked against, and what the rows on the way here sum to."""

    position: int = 0
    digest: str = GENESIS
    versions: dict[str, int] = field(default_factory=dict)
    """How far each stream goes."""
    totals: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """By scope, account and unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is wrong in a part of a book's rows, and the place behind them: None if they were not read to the end."""

    findings: list[Finding]
    end: Place | None


def verify(
    book: Audit,
    *,
    rulebook_digest: Callable[[str], str] | None = None,
    check: Check | None = None,
    check_command: CheckCommand | None = None,
    limit: int = 100,
    until: int | None = None,
    rest: Callable[[], Part] | None = None,
) -> list[Finding]:
    """Return what is wrong with a club's book, the first row that differs first; at most ``limit`` faults.

    ``rulebook_digest`` works out the digest of a stored rulebook's body. ``check`` is shown every event in order, and
    answers with a sentence when it, replayed, does not come out as it is stored. ``check_command`` is shown every
    remembered command with its events, and tells whether what is remembered of its answer fits them. Memory grows
    with the balances and the streams, not with the events.

    Events behind the position ``until`` are left to somebody else: ``rest`` returns what ``verify_part`` made of them.
    """
    return _limited(_told(_examine(book, rulebook_digest, check, check_command, until, rest)), limit)


def verify_part(
    book: Audit, begin: Place, *, until: int, check: Check, check_command: CheckCommand, limit: int = 100
) -> Part:
    """Examine the events from a place, which is not within a command, until a position."""
    end: Place | None = None

    def examined() -> Iterator[Finding]:
        nonlocal end
        end = yield from _examine_events(book, begin, until, check, check_command)

    return Part(findings=_limited(_told(examined()), limit), end=end)


def _limited(found: Iterator[Finding], limit: int) -> list[Finding]:
    findings: list[Finding] = []
    faults = 0
    for finding in found:
        findings.append(finding)
        faults += finding.is_fault
        if faults == limit:
            break
    return findings


def _told(found: Iterator[Finding]) -> Iterator[Finding]:
    """Yield what is found; where reading breaks, that is the last finding."""
    try:
        yield from found
    except StoreDamaged as damaged:
        row = {key: damaged.facts[key] for key in ("position", "stream", "version") if key in damaged.facts}
        yield Finding(code="store_damaged", detail=str(damaged), **row)  # type: ignore[arg-type]
    except _MISSHAPEN as error:
        yield Finding(code="store_damaged", detail=f"a row holds what cannot stand there: {error}")


def _examine(
    book: Audit,
    rulebook_digest: Callable[[str], str] | None,
    check: Check | None,
    check_command: CheckCommand | None,
    until: int | None,
    rest: Callable[[], Part] | None,
) -> Iterator[Finding]:
    for damage in book.damage():
        yield Finding(code="store_damaged", detail=damage)
    end = yield from _examine_events(book, Place(), until, check, check_command)
    totals = end.totals
    if rest is not None:
        part = rest()
        yield from part.findings
        if part.end is None:
            return
        end = part.end
        _add(end.totals, totals)
    yield from _examine_head(book, end)
    for stray in book.strays():
        yield Finding(code="stray", detail=stray)
    yield from _examine_balances(book, totals)
    if rulebook_digest is not None:
        yield from _examine_rulebooks(book, rulebook_digest)


def _examine_events(
    book: Audit, begin: Place, until: int | None, check: Check | None, check_command: CheckCommand | None
) -> Generator[Finding, None, Place]:
    """Examine the events from one place to another, and return that."""
    digest, position = begin.digest, begin.position
    versions, totals = dict(begin.versions), dict(begin.totals)
    for page in _pages(book, position, until):
        for row in page:
            yield from _examine_row(row, digest, position, versions.get(row.stream, 0))
            if check is not None and (complaint := check(row)):
                yield at(row, "replay_differs", complaint)
            digest, position, versions[row.stream] = row.digest, row.position, row.version
        _add(codec.changes(page), totals)
        yield from _examine_texts(book, page)
        yield from _examine_commands(book, page, check_command)
    return Place(position=position, digest=digest, versions=versions, totals=totals)


def _add(moved: dict[tuple[str, str, str], int], totals: dict[tuple[str, str, str], int]) -> None:
    for key, amount in moved.items():
        totals[key] = totals.get(key, 0) + amount


def _examine_head(book: Audit, end: Place) -> Iterator[Finding]:
    head = book.head()
    if (end.position, end.digest) != (head.position, head.digest):
        yield Finding(
            code="head_wrong",
            detail=f"the head says position {head.position}, digest {head.digest};"
            f" the events end at position {end.position}, digest {end.digest}",
        )


def _pages(book: Audit, after: int, until: int | None) -> Iterator[list[Recorded]]:
    """Yield the events behind a position, all or until another; a page never ends within a command."""
    rest: list[Recorded] = []
    while found := _readable(book, after, until):
        after = found[-1].position
        page = rest + found
        whole = len(page)
        while whole and page[whole - 1].command_id == page[-1].command_id:
            whole -= 1
        rest = page[whole:]
        yield page[:whole]
    yield rest


def _readable(book: Audit, after: int, until: int | None) -> list[Recorded]:
    """Return a page of events; before a row that cannot be read, those that can."""
    limit = _PAGE if until is None else min(_PAGE, until - after)
    if limit <= 0:
        return []
    try:
        page = book.events(after, limit)
    except StoreDamaged as damaged:
        broken = damaged.facts.get("position")
        if not isinstance(broken, int) or broken <= after + 1:
            raise
        page = book.events(after, broken - after - 1)
    return page if until is None else [row for row in page if row.position <= until]


def _examine_row(row: Recorded, digest: str, position: int, version: int) -> Iterator[Finding]:
    if row.position != position + 1:
        yield at(row, "position_gap", f"it comes right after position {position}")
    if row.version != version + 1:
        yield at(row, "version_gap", f"it comes right after version {version}")
    if not _is_chained(digest, row):
        yield at(row, "chain_broken", "this row, or what came before it, is not what was recorded")
    if row.postings:
        for entry, unit, total in codec.imbalances(row.postings):
            yield at(row, "out_of_balance", f"entry {entry} is out of balance by {total} {unit}")


def _is_chained(previous: str, row: Recorded) -> bool:
    try:
        return codec.chain_digest(previous, row) == row.digest
    except _MISSHAPEN:
        return False


def _examine_texts(book: Audit, rows: Sequence[Recorded]) -> Iterator[Finding]:
    stated = [
        (row, ref, digest) for row in rows if '"sha256":' in row.text for ref, digest in codec.text_references(row.data)
    ]
    if not stated:
        return
    kept = book.texts({ref for _, ref, _ in stated})
    for row, ref, digest in stated:
        if ref not in kept:
            yield at(row, "text_missing", f"text {ref} is gone without a trace")
        elif (found := kept[ref]) is None:
            yield at(row, ERASED, f"text {ref} was erased")
        elif not _is_text(found, digest):
            yield at(row, "text_altered", f"text {ref} is not what was recorded")


def _is_text(kept: tuple[str, str], digest: str) -> bool:
    try:
        return codec.text_digest(*kept) == digest
    except _MISSHAPEN:
        return False


def _examine_commands(book: Audit, page: Sequence[Recorded], check_command: CheckCommand | None) -> Iterator[Finding]:
    known = book.commands({row.command_id for row in page})
    for command_id, group in groupby(page, key=lambda row: row.command_id):
        rows = list(group)
        command = known.get(command_id)
        if command is None:
            yield at(rows[0], "command_missing", f"its command {command_id} is not remembered")
        elif not _pointsat(command, rows):
            yield at(rows[0], "command_wrong", f"its command {command_id} is remembered with other events")
        elif check_command is not None and not check_command(command, rows):
            yield at(rows[0], "command_wrong", f"the answer that is kept of its command {command_id} is not its own")


def _pointsat(command: CommandRow, rows: Sequence[Recorded]) -> bool:
    """Return whether a command that recorded these rows, perhaps in several streams, is remembered with one's."""
    own = [row for row in rows if row.stream == command.stream]
    return bool(own) and (own[0].version, own[-1].version, own[0].position, own[-1].position) == (
        command.first_version,
        command.version,
        command.first_position,
        command.position,
    )


def _examine_balances(book: Audit, totals: dict[tuple[str, str, str], int]) -> Iterator[Finding]:
    after = ("", "", "")
    while page := book.all_balances(after):
        for row in page:
            after = row.scope, row.account, row.unit
            due = totals.pop(after, 0)
            if row.amount != due:
                yield _balance_wrong(after, row.amount, due)
    for key, due in totals.items():
        if due:
            yield _balance_wrong(key, 0, due)


def _balance_wrong(key: tuple[str, str, str], found: int, due: int) -> Finding:
    scope, account, unit = key
    return Finding(
        code="balance_wrong", detail=f"{account} in {scope} stands at {found} {unit}; its postings sum to {due}"
    )


def _examine_rulebooks(book: Audit, rulebook_digest: Callable[[str], str]) -> Iterator[Finding]:
    after = ""
    while page := book.all_rulebooks(after):
        for after, body in page:
            if rulebook_digest(body) != after:
                yield Finding(code="rulebook_altered", detail=f"rulebook {after} is not what was signed")


def at(row: Recorded, code: str, detail: str) -> Finding:
    """Return a finding about a row."""
    return Finding(code=code, detail=detail, position=row.position, stream=row.stream, version=row.version)
