"""Whether a book is what it was when it was written: the chain, the sums, and everything kept beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from ledger import codec
from ledger.errors import StoreDamaged
from ledger.store import GENESIS, Audit, CommandRow, Recorded

ERASED: Final = "text_erased"


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
    limit: int = 100,
) -> list[Finding]:
    """Return what is wrong with a club's book, the first row that differs first; at most ``limit`` faults.

    ``rulebook_digest`` works out the digest of a stored rulebook's body. ``check`` is shown every event in order, and
    answers with a sentence when it, replayed, does not come out as it is stored. Memory grows with the balances and
    the streams, not with the events.
    """
    findings: list[Finding] = []
    faults = 0
    for finding in _examine(book, rulebook_digest, check):
        findings.append(finding)
        faults += finding.is_fault
        if faults == limit:
            break
    return findings


def _examine(
    book: Audit, rulebook_digest: Callable[[str], str] | None, check: Callable[[Recorded], str | None] | None
) -> Iterator[Finding]:
    try:
        for damage in book.damage():
            yield Finding(code="store_damaged", detail=damage)
        totals: dict[tuple[str, str, str], int] = {}
        yield from _examine_events(book, totals, check)
        for position, line in book.stray_postings():
            yield Finding(code="posting_stray", detail=f"posting {line} of event {position}, which does not exist")
        yield from _examine_balances(book, totals)
        yield from _examine_commands(book)
        if rulebook_digest is not None:
            yield from _examine_rulebooks(book, rulebook_digest)
    except StoreDamaged as damaged:
        yield Finding(code="store_damaged", detail=str(damaged))


def _examine_events(
    book: Audit, totals: dict[tuple[str, str, str], int], check: Callable[[Recorded], str | None] | None
) -> Iterator[Finding]:
    head = book.head()
    digest, position = GENESIS, 0
    versions: dict[str, int] = {}
    while page := book.events(position):
        for row in page:
            if row.position != position + 1:
                yield _at(row, "position_gap", f"comes right after position {position}")
            if row.version != versions.get(row.stream, 0) + 1:
                yield _at(row, "version_gap", f"comes right after version {versions.get(row.stream, 0)}")
            if codec.chain_digest(digest, row) != row.digest:
                yield _at(row, "chain_broken", "the row, or the one before, is not what was signed")
            for entry, unit, total in codec.imbalances(row.postings):
                yield _at(row, "out_of_balance", f"entry {entry} is out of balance by {total} {unit}")
            if check is not None and (complaint := check(row)):
                yield _at(row, "replay_differs", complaint)
            digest, position, versions[row.stream] = row.digest, row.position, row.version
        _add(totals, page)
        yield from _examine_texts(book, page)
        yield from _examine_origins(book, page)
    if (position, digest) != (head.position, head.digest):
        yield Finding(
            code="head_wrong",
            detail=f"the head says position {head.position}, digest {head.digest}; the events end at {position}, {digest}",
        )


def _add(totals: dict[tuple[str, str, str], int], page: Sequence[Recorded]) -> None:
    for key, amount in codec.changes(page).items():
        totals[key] = totals.get(key, 0) + amount


def _examine_texts(book: Audit, page: Sequence[Recorded]) -> Iterator[Finding]:
    stated = [
        (row, ref, digest)
        for row in page
        if '"sha256":' in row.text
        for ref, digest in codec.text_references(row.data)
    ]
    kept = book.texts({ref for _, ref, _ in stated}) if stated else {}
    for row, ref, digest in stated:
        if ref not in kept:
            yield _at(row, "text_missing", f"text {ref} is gone without a trace")
        elif (found := kept[ref]) is None:
            yield _at(row, ERASED, f"text {ref} was erased")
        elif codec.text_digest(*found) != digest:
            yield _at(row, "text_altered", f"text {ref} is not what was signed")


def _examine_origins(book: Audit, page: Sequence[Recorded]) -> Iterator[Finding]:
    for command_id, rows in groupby(page, key=lambda row: row.command_id):
        if book.command(command_id) is None:
            yield _at(next(rows), "command_missing", f"its command {command_id} is not remembered")


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


def _examine_commands(book: Audit) -> Iterator[Finding]:
    after = ""
    while page := book.all_commands(after):
        for row in page:
            after = row.command_id
            if not _points_at_its_events(book, row):
                yield Finding(code="command_wrong", detail=f"command {after} does not point at its events")


def _points_at_its_events(book: Audit, command: CommandRow) -> bool:
    count = command.position - command.first_position + 1
    if count < 1 or command.version - command.first_version + 1 != count:
        return False
    ends = [*book.events(command.first_position - 1, 1), *book.events(command.position - 1, 1)]
    return [(row.position, row.version, row.stream, row.command_id) for row in ends] == [
        (command.first_position, command.first_version, command.stream, command.command_id),
        (command.position, command.version, command.stream, command.command_id),
    ]


def _examine_rulebooks(book: Audit, rulebook_digest: Callable[[str], str]) -> Iterator[Finding]:
    after = ""
    while page := book.all_rulebooks(after):
        for after, body in page:
            if rulebook_digest(body) != after:
                yield Finding(code="rulebook_altered", detail=f"rulebook {after} is not what was signed")


def _at(row: Recorded, code: str, detail: str) -> Finding:
    return Finding(code=code, detail=detail, position=row.position, stream=row.stream, version=row.version)
