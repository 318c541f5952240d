"""A rulebook as a payment table in a terminal, that can be checked against the book on the shelf."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any, Final

from ledger.cli.tables import columns
from ledger.payment_table import Conditions, Ladder, changes, conditions, ladder, legend
from ledger.rulebook import Rulebook

WIDTH: Final = 100
CHANGED: Final = "*"


def payment_table(book: Rulebook, base: Rulebook, *, stake: int = 1, language: str = "en") -> str:
    """Return a rulebook for people to read; what differs from ``base``, the one without house rules, is marked.

    Chips are at ``stake``, points of Pepper as they are; ``language`` is that of the titles.
    """
    parts = [_head(book, stake, language)]
    parts.append(_ladder_text(ladder(book, stake, language), ladder(base, stake, language)))
    parts.append("\n".join(textwrap.fill(line, WIDTH) for line in legend(book)))
    parts.extend(_sections(conditions(book, stake, language), conditions(base, stake, language)))
    if book is not base:
        parts.append(_house_rules(changes(base, book)))
    if book.notes.strip():
        parts.append("Notes\n\n" + _filled(book.notes))
    parts.append(f"Digest {book.digest}")
    return "\n\n".join(parts)


# Round the ladder


def _head(book: Rulebook, stake: int, language: str) -> str:
    title = book.name(language)
    source = textwrap.fill(" · ".join(filter(None, (book.id, book.source))), WIDTH)
    return "\n".join([title, "=" * len(title), source, *([f"Chips at stake {stake}."] if stake != 1 else [])])


def _house_rules(changed: list[tuple[str, Any, Any]]) -> str:
    if not changed:
        return "The house rules change nothing."
    rows = [[f"  {path}", f"{_shown(old)} -> {_shown(new)}"] for path, old, new in changed]
    width = max(len(path) for path, _values in rows)
    head = f"House rules, at stake 1 (marked {CHANGED})"
    return "\n".join([head, *(f"{path:<{width}}  {values}" for path, values in rows)])


def _shown(value: object) -> str:
    match value:
        case None:
            return "left out"
        case bool():
            return str(value).lower()
        case dict():
            return "{" + ", ".join(f"{key}: {_shown(item)}" for key, item in value.items()) + "}"
        case _:
            return str(value)


def _filled(notes: str) -> str:
    paragraphs = re.split(r"\n\s*\n", notes.strip())
    return "\n\n".join(textwrap.fill(" ".join(paragraph.split()), WIDTH) for paragraph in paragraphs)


def _ladder_text(rows: Ladder, before: Ladder) -> str:
    names = [name for name in next(iter(rows.values())) if any(row[name] for row in (*rows.values(), *before.values()))]
    table = [
        [_marked(row[name], before[bid][name] if bid in before else None) for name in names]
        for bid, row in rows.items()
    ]
    by_column = [_aligned(column) for column in zip(*table, strict=True)]
    return columns(names, list(zip(*by_column, strict=True)), left=len(names))


def _marked(cell: str, before: str | None) -> str:
    return cell if cell == before else f"{cell or '-'}{CHANGED}"


def _aligned(column: tuple[str, ...]) -> list[str]:
    """Return cells under each other at the right where all are numbers, the mark of a change beside them."""
    figures = [cell.removesuffix(CHANGED) for cell in column]
    if not all(re.fullmatch(r"-?\d*", figure) for figure in figures):
        return list(column)
    width = max(map(len, figures))
    return [f"{figure:>{width}}{cell[len(figure) :]}" for figure, cell in zip(figures, column, strict=True)]


# Beside the ladder


def _sections(conditions: Conditions, before: Conditions) -> Iterator[str]:
    width = max(len(label) for lines in conditions.values() for label in lines)
    for section, lines in conditions.items():
        text = [section]
        for label, words in lines.items():
            mark = " " if before[section].get(label) == words else CHANGED
            head = f"{mark} {label:<{width}}  "
            text.append(textwrap.fill(words, WIDTH, initial_indent=head, subsequent_indent=" " * len(head)))
        yield "\n".join(text)
