"""Tables for machines: comma and CRLF, plain numbers, and no text that a spreadsheet would take for a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

Cell: TypeAlias = str | int | None

_GUARDED: Final = frozenset("=+-@\t\r\n'＝＋－＠")
"""How a text begins that a spreadsheet may calculate, in narrow and wide letters; and the guard itself."""


def csv_lines(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Yield a table line by line, the head first (contract, section 9). Text is guarded, numbers are plain."""
    write = csv.writer(_Echo(), lineterminator="\r\n").writerow
    yield write(head)
    for row in rows:
        yield write([_guarded(cell) for cell in row])


def _guarded(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in _GUARDED else cell


class _Echo:
    """What the csv module writes to: it hands each line back."""

    def write(self, line: str) -> str:
        return line
