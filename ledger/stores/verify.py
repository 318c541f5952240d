"""Whether a book is what it was when it was written: the chain, the sums, and everything kept beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeAlias

from ledger import codec
from ledger.errors import StoreDamaged
from ledger.store import GENESIS, Audit, CommandRow, Recorded

ERASED: Final = "text_erased"

_MISSHAPEN: Final = (TypeError, ValueError, AttributeError)
"""What breaks on a value of another kind than was written: a digest that is no number, a text that is no text."""


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


def verify(
    book: Audit,
    *,
    rulebook_digest: Callable[[str], str] | None = None,
    check: Callable[[Recorded], str | None] | None = None,
    check_command: CheckCommand | None = None,
    limit: int = 100,
) -> list[Finding]:
    """Return what is wrong with a club's book, the first row that differs first; at most ``limit`` faults.

    ``rulebook_digest`` works out the digest of a stored rulebook's body. ``check`` is shown every event in order, and
    answers with a sentence when it, replayed, does not come out as it is stored. ``check_command`` is shown every
    remembered command with its events, and tells whether what is remembered of its answer fits them. Memory grows
    with the balances and the streams, not with the events.
    """
    findings: list[Finding] = []
    faults = 0
    for finding in _examine(book, rulebook_digest, check, check_command):
        findings.append(finding)
        faults += finding.is_fault
        if faults == limit:
            break
    return findings


def _examine(
    book: Audit,
    rulebook_digest: Callable[[str], str] | None,
    check: Callable[[Recorded], str | None] | None,
    check_command: CheckCommand | None,
) -> Iterator[Finding]:
    try:
        for damage in book.damage():
            yield Finding(code="store_damaged", detail=damage)
        totals: dict[tuple[str, str, str], int] = {}
        yield from _examine_events(book, totals, check, check_command)
        for stray in book.strays():
            yield Finding(code="stray", detail=stray)
        yield from _examine_balances(book, totals)
        if rulebook_digest is not None:
            yield from _examine_rulebooks(book, rulebook_digest)
    except StoreDamaged as damaged:
        row = {key: damaged.facts[key] for key in ("position", "stream", "version") if key in damaged.facts}
        yield Finding(code="store_damaged", detail=str(damaged), **row)  # type: ignore[arg-type]
    except _MISSHAPEN as error:
        yield Finding(code="store_damaged", detail=f"a row holds what cannot stand there: {error}")


def _examine_events(
    book: Audit,
    totals: dict[tuple[str, str, str], int],
    check: Callable[[Recorded], str | None] | None,
    check_command: CheckCommand | None,
) -> Iterator[Finding]:
    digest, position = GENESIS, 0
    versions: dict[str, int] = {}
    for page in _pages(book):
        for row in page:
            yield from _examine_row(row, digest, position, versions.get(row.stream, 0))
            if check is not None and (complaint := check(row)):
                yield at(row, "replay_differs", complaint)
            digest, position, versions[row.stream] = row.digest, row.position, row.version
        for key, amount in codec.changes(page).items():
            totals[key] = totals.get(key, 0) + amount
        yield from _examine_texts(book, page)
        yield from _examine_commands(book, page, check_command)
    head = book.head()
    if (position, digest) != (head.position, head.digest):
        yield Finding(
            code="head_wrong",
            detail=f"the head says position {head.position}, digest {head.digest};"
            f" the events end at position {position}, digest {digest}",
        )


def _pages(book: Audit) -> Iterator[list[Recorded]]:
    """Yield all events; a page never ends within a command."""
    position = 0
    rest: list[Recorded] = []
    while found := _readable(book, position):
        position = found[-1].position
        page = rest + found
        whole = len(page)
        while whole and page[whole - 1].command_id == page[-1].command_id:
            whole -= 1
        rest = page[whole:]
        yield page[:whole]
    yield rest


def _readable(book: Audit, after: int) -> list[Recorded]:
    """Return a page of events; before a row that cannot be read, those that can."""
    try:
        return book.events(after)
    except StoreDamaged as damaged:
        broken = damaged.facts.get("position")
        if isinstance(broken, int) and broken > after + 1:
            return book.events(after, broken - after - 1)
        raise


def _examine_row(row: Recorded, digest: str, position: int, version: int) -> Iterator[Finding]:
    if row.position != position + 1:
        yield at(row, "position_gap", f"it comes right after position {position}")
    if row.version != version + 1:
        yield at(row, "version_gap", f"it comes right after version {version}")
    if not _is_chained(digest, row):
        yield at(row, "chain_broken", "this row, or what came before it, is not what was recorded")
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
