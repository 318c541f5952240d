"""`python -m tests.golden NAME…`: make golden books from `tests/golden/NAME.commands.jsonl`.

A line of that file is a command, `{"found": …}` with the settings of the club (the first line), or `{"clock": …}`, the
time from then on; every command takes seven seconds. Ids stand in the file and salts are counted, so a book is the
same whoever makes it. Written are `NAME.jsonl` with every row, `NAME.balances.json`, what rulebooks it uses, and in
`events.jsonl` a sample of every event type, or field, that has none yet. What is there already is never written over;
`tests/book/test_history.py` says more.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ledger.codec import canonical_json
from ledger.service import Sender, read_request
from ledger.store import Recorded
from tests.book.kit import THE_CLUB, Book, check, check_verified, everything

GOLDEN = Path(__file__).parent

Data = dict[str, Any]


def main(names: list[str]) -> int:
    """Make the books of these names; 1 when one is there already, 2 without names."""
    if not names:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    for name in names:
        if (GOLDEN / f"{name}.jsonl").exists():
            sys.stderr.write(f"{name}.jsonl is there already, and golden files are never written anew\n")
            return 1
        make(name)
    return 0


def make(name: str) -> None:
    """Play the commands of a golden book, and write down what came of them."""
    found, *lines = map(json.loads, (GOLDEN / f"{name}.commands.jsonl").read_text(encoding="utf-8").splitlines())
    book = Book(**found["found"])
    for line in lines:
        if "clock" in line:
            book.now = datetime.fromisoformat(line["clock"])
            continue
        request = read_request({**line, "at": "2026-11-26T20:00:01+00:00"})
        (answer,) = book.ledger.carry_out(THE_CLUB, [request], Sender(actor="scorer", device="tablet-1"))
        if answer["status"] not in ("recorded", "late"):
            raise SystemExit(f"{name}: {line} {answer}")
        book.now += timedelta(seconds=7)
    check(book)
    check_verified(book)
    rows = everything(book.store)
    written = [line_of(row) for row in rows]
    _write(GOLDEN / f"{name}.jsonl", map(canonical_json, written))
    with book.store.audit(THE_CLUB) as audit:
        balances = [[row.scope, row.account, row.unit, row.amount] for row in audit.all_balances() if row.amount]
        _add_rulebooks(audit.all_rulebooks())
    _write(GOLDEN / f"{name}.balances.json", _rows_of_json(sorted(balances)))
    _add_samples(written)


def line_of(row: Recorded) -> Data:
    """Return a stored row as a line of a golden file: every field, data as the object that it is."""
    line = {name: value for name, value in row._asdict().items() if name != "text"}
    return line | {"postings": [posting._asdict() for posting in row.postings]}


def _add_rulebooks(kept: Any) -> None:
    path = GOLDEN / "rulebooks.json"
    known: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known = {**dict(kept), **known}
    path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _add_samples(rows: list[Data]) -> None:
    """Add the rows to `events.jsonl` that tell a type, or a field of one, which no sample there tells."""
    path = GOLDEN / "events.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    told: dict[str, set[str]] = {}
    for sample in map(json.loads, lines):
        told.setdefault(sample["type"], set()).update(sample["data"])
    for row in sorted(rows, key=lambda row: (-len(row["data"]), row["position"])):
        fields = told.setdefault(row["type"], set())
        if not row["data"].keys() <= fields:
            fields.update(row["data"])
            lines.append(canonical_json(row))
    _write(path, sorted(lines, key=lambda line: json.loads(line)["type"]))


def _rows_of_json(rows: list[list[Any]]) -> Iterator[str]:
    yield "["
    for number, row in enumerate(rows, 1):
        yield f" {json.dumps(row)}{',' if number < len(rows) else ''}"
    yield "]"


def _write(path: Path, lines: Any) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
