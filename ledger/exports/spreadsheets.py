"""Tables as CSV (contract, section 9): for machines, and for Excel in two kinds of country."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from io import StringIO
from itertools import islice
from typing import Final, TypeAlias

Cell: TypeAlias = str | int | Decimal | None
"""What a cell holds decides how it is written: text is guarded, a number never is."""

Row: TypeAlias = Sequence[str | int | None]
"""Cells as they are written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How a table is written; rows end in CRLF and text is UTF-8 in every one."""

    bom: str
    delimiter: str
    decimal_mark: str


MACHINE: Final = Profile(bom="", delimiter=",", decimal_mark=".")

PROFILES: Final[Mapping[str, Profile]] = {
    "machine": MACHINE,
    "excel-eu": Profile(bom="\ufeff", delimiter=";", decimal_mark=","),
    "excel-us": Profile(bom="\ufeff", delimiter=",", decimal_mark="."),
}
"""Excel takes UTF-8 for what it is by the mark before it, and the delimiter that belongs to its decimal mark."""

_ROWS: Final = 500
"""So many rows are written at once: a piece of text in between is all that is kept."""

_CALCULATED: Final = re.compile(r"'|\s*[=+\-@＝＋－＠\t\r\n\0]")
"""How a text begins that a spreadsheet may calculate, in narrow and wide letters, spaces skipped; or the guard."""


def csv_lines(head: Sequence[str], rows: Iterable[Sequence[Cell]], profile: Profile = MACHINE) -> Iterator[str]:
    """Yield a table as text, the head first, in pieces that end where a line ends."""
    guard = Guard()
    mark = profile.decimal_mark

    def written(cell: Cell) -> str | int | None:
        if isinstance(cell, str):
            return guard[cell]
        return format(cell, "f").replace(".", mark) if isinstance(cell, Decimal) else cell

    rest = ([written(cell) for cell in row] for row in rows)
    return guarded_lines(head, rest, profile)


def guarded_lines(head: Sequence[str], rows: Iterable[Row], profile: Profile = MACHINE) -> Iterator[str]:
    """Yield a table whose text went through a ``Guard`` already."""
    rest = iter(rows)
    return guarded_pages(head, iter(lambda: list(islice(rest, _ROWS)), []), profile)


def guarded_pages(head: Sequence[str], pages: Iterable[Iterable[Row]], profile: Profile = MACHINE) -> Iterator[str]:
    """Yield a table page by page: the quickest way, for text that went through a ``Guard`` already."""
    guard = Guard()
    yield profile.bom + _text([[guard[name] for name in head]], profile)
    for page in pages:
        yield _text(page, profile)


class Guard(dict[str, str]):
    """Text to the same text as a cell; what was asked for lately is known."""

    def __missing__(self, text: str) -> str:
        if len(self) >= 10_000:
            self.clear()
        cell = f"'{text}" if _CALCULATED.match(text) else text
        self[text] = cell
        return cell


def _text(rows: Iterable[Row], profile: Profile) -> str:
    page = StringIO(newline="")
    csv.writer(page, delimiter=profile.delimiter, lineterminator="\r\n").writerows(rows)
    return page.getvalue()


def unguarded(cell: str) -> str:
    """Return the text that a cell of such a table was made of."""
    return cell[1:] if cell[:1] == "'" and _CALCULATED.match(cell[1:]) else cell
