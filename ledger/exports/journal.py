"""The journal of a night, or of a whole club: every posting, in the order in which it was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ledger.exports.machine import Cell, csv_lines
from ledger.store import JournalLine, Reader

COLUMNS: Final = ("position", "night", "hand", "entry", "memo", "account", "unit", "amount", "recorded_at")

_NIGHT: Final = "night:"


def journal(reader: Reader, night: str | None = None) -> Iterator[str]:
    """Yield the journal as lines of CSV; of one night, its own stream alone."""
    return csv_lines(COLUMNS, _rows(reader, None if night is None else f"{_NIGHT}{night}"))


def _rows(reader: Reader, stream: str | None) -> Iterator[tuple[Cell, ...]]:
    after = (0, 0)
    while page := reader.postings(stream=stream, after=after):
        after = (page[-1].position, page[-1].line)
        yield from map(_row, page)


def _row(line: JournalLine) -> tuple[Cell, ...]:
    posting = line.posting
    night = line.stream.removeprefix(_NIGHT) if line.stream.startswith(_NIGHT) else ""
    return (
        line.position, night, posting.hand, posting.entry, posting.memo, posting.account, posting.unit,
        posting.amount, line.recorded_at,
    )  # fmt: skip
