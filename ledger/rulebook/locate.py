"""Where in a TOML text a key stands, so that a mistake can be shown by its line (tomllib keeps no lines)."""

from __future__ import annotations

import re

_HEADER = re.compile(r"^\s*(\[\[?)\s*([A-Za-z0-9_.\"'-]+)\s*\]\]?")
_KEY = re.compile(r"^\s*([A-Za-z0-9_.\"'-]+)\s*=")
_PART = re.compile(r"[^.\[\]]+|\[\d+\]")

Path = tuple[str, ...]


def line_of(text: str, field: str) -> int | None:
    """Return the number, from 1, of the line that comes nearest to a field such as ``bids[2].collects``."""
    target: Path = tuple(_PART.findall(field))
    best, found = 0, None
    for number, path in _paths(text):
        if len(path) > best and path == target[: len(path)]:
            best, found = len(path), number
    return found


def _paths(text: str) -> list[tuple[int, Path]]:
    """Return each line that opens a table or sets a key, with the path it stands for."""
    table: Path = ()
    counts: dict[str, int] = {}
    paths = []
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            parts = tuple(_unquoted(header[2]))
            if header[1] == "[[":
                counts[header[2]] = counts.get(header[2], -1) + 1
                parts = (*parts, f"[{counts[header[2]]}]")
            table = parts
            paths.append((number, table))
        elif key := _KEY.match(line):
            paths.append((number, (*table, *_unquoted(key[1]))))
    return paths


def _unquoted(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in dotted.split(".")]
