"""Tables for people, in plain text: columns that line up whatever the names are written in."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from typing import Any


def night_table(sheet: dict[str, Any], answer: dict[str, Any]) -> str:
    """Return a scored night as a table: a row a hand, a column a player, the pool carried from hand to hand."""
    names = list(answer["balances"])
    for hand in answer["hands"]:
        names.extend(name for name in hand["changes"] if name not in names)
    pepper = "games" in answer
    head = ["hand", "dealer", "bidder", "bid", "result", *names, *([] if pepper else ["pool"])]
    rows = [
        [
            str(hand["hand"]),
            hand["dealer"],
            hand.get("bidder", ""),
            hand.get("bid", "").replace("_", " "),
            hand["result"].replace("_", " "),
            *(signed(hand["changes"].get(name)) for name in names),
            *([] if pepper else [str(hand["pool"])]),
        ]
        for hand in answer["hands"]
    ]
    total = ["", "", "", "", "score" if pepper else "balance"]
    total += [signed(answer["balances"].get(name)) for name in names]
    total += [] if pepper else [str(answer["pool"])]
    stake = sheet.get("stake", 1)
    title = f"{answer['id'] or 'Night'} · {answer['rulebook']}" + (f" · stake {stake}" if stake != 1 else "")
    brought = sheet.get("pool", 0)
    lines = [title, f"pool brought forward {brought}"] if brought else [title]
    lines.append(columns(head, rows, total, left=5))
    for number, game in enumerate(answer.get("games", []), start=1):
        scores = ", ".join(f"{team} {points}" for team, points in game["scores"].items())
        lines.append(f"game {number}: {game['winner']} won with hand {game['last_hand']} ({scores})")
    return "\n".join(lines) + "\n"


def columns(
    head: Sequence[str], rows: Sequence[Sequence[str]], total: Sequence[str] | None = None, *, left: int = 1
) -> str:
    """Return rows under a head; the first ``left`` columns are text, the others numbers at the right."""
    every = [head, *rows, *([total] if total else [])]
    widths = [max(_width(row[index]) for row in every) for index in range(len(head))]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))

    def line(row: Sequence[str]) -> str:
        cells = (
            _padded(cell, width, right=index >= left)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return "  ".join(cells).rstrip()

    lines = [line(head), rule, *(line(row) for row in rows)]
    if total:
        lines += [rule, line(total)]
    return "\n".join(lines)


def signed(change: int | None) -> str:
    """Return a change with its sign, nothing for somebody who was not there."""
    if change is None:
        return ""
    return f"+{change}" if change > 0 else str(change)


def amount(units: int, exponent: int | None, *, sign: bool = False) -> str:
    """Return an amount for people: minor units of a currency with so many decimals, or chips (None)."""
    text = str(units) if not exponent else format(Decimal(units).scaleb(-exponent), "f")
    return f"+{text}" if sign and units > 0 else text


def _padded(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if right else cell + space


def _width(cell: str) -> int:
    """Return how many columns of a terminal a text takes: wide letters two, combining marks none."""
    if cell.isascii():
        return len(cell)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in cell)
    return len(cell) + wide - sum(unicodedata.category(char) in {"Mn", "Me", "Cf"} for char in cell)
