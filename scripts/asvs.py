"""The table of the OWASP ASVS in README.md: what ``tests/walls/asvs.toml`` says, row by row."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Final, TypedDict

FILE: Final = Path(__file__).resolve().parent.parent / "tests" / "walls" / "asvs.toml"

CHAPTERS: Final = {
    1: "What is written and read",
    2: "Values and steps",
    3: "In the browser",
    4: "Calls",
    5: "Files",
    6: "Who one is",
    7: "Sessions",
    8: "Who may do what",
    9: "Self-contained tokens",
    10: "OAuth",
    11: "Cryptography",
    12: "TLS",
    13: "Configuration",
    14: "Private data",
    15: "Libraries and answers",
    16: "Logs and errors",
}


WORDS: Final = {"met": "met", "differs": "differ", "not met": "not met", "does not apply": "do not apply"}
"""How a requirement stands, of one and of several."""


class Row(TypedDict, total=False):
    """One requirement: its level, what it asks, and what is to be said of it."""

    level: int
    asks: str
    tests: list[str]
    note: str
    differs: str
    missing: str
    none: str


def rows() -> dict[str, Row]:
    """Return every row by the number of its requirement."""
    found: dict[str, Row] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return found


def verdict(row: Row) -> str:
    """Return how a requirement stands: met only where tests show it."""
    if "none" in row:
        return "does not apply"
    if "missing" in row or not row.get("tests"):
        return "not met"
    return "differs" if "differs" in row else "met"


def table() -> None:
    """Print how many requirements stand how, then every one with the tests that show it."""
    found = rows()
    for levels in ({1}, {2, 3}):
        count = Counter(verdict(row) for row in found.values() if row["level"] in levels)
        said = ", ".join(f"{count[word]} {words}" for word, words in WORDS.items())
        which = "level 1, all of it" if levels == {1} else "what else was set out for, of levels 2 and 3"
        print(f"- {count.total()} requirements ({which}): {said}.")
    print("\n| requirement | level | asks | so it is | shown by, in `tests/` |\n| --- | --- | --- | --- | --- |")
    chapter = 0
    for number, row in found.items():
        if chapter != (chapter := int(number.partition(".")[0])):
            print(f"| **{chapter}** | | **{CHAPTERS[chapter]}** | | |")
        reason = next((row[key] for key in ("none", "missing", "differs", "note") if key in row), "")
        stands = f"{verdict(row)}: {reason}" if reason else verdict(row)
        if verdict(row) != "met":
            stands = f"*{verdict(row)}*: {reason}"
        tests = "<br>".join(f"`{test}`" for test in row.get("tests", []))
        print(f"| {number} | {row['level']} | {row['asks']} | {stands} | {tests} |")
