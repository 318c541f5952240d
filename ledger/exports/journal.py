"""The journal of a night, or of a whole club: every posting, in the order in which it was written."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ledger.exports.spreadsheets import MACHINE, Cell, Profile, csv_lines
from ledger.store import JournalLine, Reader

COLUMNS: Final = ("position", "night", "hand", "entry", "memo", "account", "unit", "amount", "recorded_at")

_NIGHT: Final = "night:"


def journal(reader: Reader, night: str | None = None, profile: Profile = MACHINE) -> Iterator[str]:
    """Yield the journal as lines of CSV; of one night, what was posted there before it was closed."""
    return csv_lines(COLUMNS, _rows(reader, None if night is None else f"{_NIGHT}{night}"), profile)


def _rows(reader: Reader, stream: str | None) -> Iterator[tuple[Cell, ...]]:
    @lru_cache(maxsize=16)
    def night_of(stream: str, position: int) -> str:
        """A correction after the close is posted in the club's stream, and says which night it is of."""
        if stream.startswith(_NIGHT):
            return stream.removeprefix(_NIGHT)
        (event,) = reader.events(position - 1, 1)
        return str(event.data.get("night", ""))

    after = (0, 0)
    while page := reader.postings(stream=stream, after=after):
        after = (page[-1].position, page[-1].line)
        for line in page:
            yield _row(line, night_of(line.stream, line.position))


def _row(line: JournalLine, night: str) -> tuple[Cell, ...]:
    posting = line.posting
    return (
        line.position, night, posting.hand, posting.entry, posting.memo, posting.account, posting.unit,
        posting.amount, line.recorded_at,
    )  # fmt: skip
