"""`python -m tests.model FILE…`: check sheets that carry `expect`, print every difference, exit 1 if there is one."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import Data, score

RULEBOOKS = Path(__file__).parents[2] / "ledger" / "rulebooks"


def load_rulebook(named: str | Data) -> Data:
    """A preset's id, a path to a TOML file, or the rulebook itself."""
    if isinstance(named, dict):
        return named
    path = Path(named) if named.endswith(".toml") else RULEBOOKS / f"{named}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def read_sheets(path: Path) -> Iterator[Data]:
    """The sheets of a `.json` file (one) or a `.jsonl` file (one a line), or a rulebook's examples but the refused."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        rulebook = tomllib.loads(text)
        for example in rulebook.get("examples", []):
            if "error" not in example.get("expect", {}):
                yield {"id": f"{rulebook['id']}, {example['name']}:", "rulebook": rulebook, **example}
        return
    if path.suffix == ".json":
        yield json.loads(text)
        return
    for line in text.splitlines():
        if line.strip():
            yield json.loads(line)


def differences(expected: Any, found: Any, where: str) -> Iterator[str]:
    """Everything that is expected and not so, by place; what `expect` leaves out is not looked at."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in expected:
            yield from differences(expected[key], found.get(key), f"{where} {key}")
        if where.endswith("changes"):
            for key in found.keys() - expected.keys():
                yield f"{where} {key}: not expected, found {found[key]!r}"
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for number, (one, other) in enumerate(zip(expected, found, strict=True), 1):
            yield from differences(one, other, f"{where} {number}")
    elif expected != found:
        yield f"{where}: expected {expected!r}, found {found!r}"


def main(paths: list[str]) -> int:
    """Check every file; 0 when all agree, 1 when not, 2 without files."""
    if not paths:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    sheets = wrong = 0
    for path in paths:
        for sheet in read_sheets(Path(path)):
            sheets += 1
            answer = score(sheet, load_rulebook(sheet["rulebook"]))
            for difference in differences(sheet.get("expect", {}), answer, sheet.get("id", f"sheet {sheets}")):
                wrong += 1
                sys.stdout.write(f"{difference}\n")
    sys.stdout.write(f"{sheets} sheets, {wrong} differences\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
