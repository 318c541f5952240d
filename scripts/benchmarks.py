"""Measure what Kittybook promises: `scripts/bench [NAME...]`.

A benchmark prints its own lines and returns whether it kept its limit; one without a limit returns True.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from ledger.sheet import score

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts import bench_api, bench_book, bench_money  # noqa: E402 - this file is run by its path

BENCHMARKS: dict[str, Callable[[], bool]] = {}


def main(names: list[str]) -> int:
    """Run the benchmarks that are named, or all of them."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    kept = [BENCHMARKS[name]() for name in names or BENCHMARKS]
    return 0 if all(kept) else 1


def benchmark(run: Callable[[], bool]) -> Callable[[], bool]:
    """Register a benchmark under the name of its function."""
    BENCHMARKS[run.__name__] = run
    return run


@benchmark
def hands() -> bool:
    """Hands a second on one core, scoring one long night: as objects, and from line to line of JSON."""
    night = _long_night("rockets-peep-nap-1", hands=20_000)
    line = json.dumps(night)
    count = len(night["hands"])
    plain = count / median(_seconds(lambda: score(night)) for _ in range(5))
    through_json = count / median(_seconds(lambda: json.dumps(score(json.loads(line)))) for _ in range(5))
    print(
        f"hands: {plain:,.0f} hands/s, {through_json:,.0f} with JSON both ways, "
        f"ratio {plain / through_json:.2f} (at least 50,000; {count:,} hands, median of 5)"
    )
    return plain >= 50_000


@benchmark
def help() -> bool:
    """`kittybook --help` against merely importing click, by the same interpreter, taken in turn."""
    kittybook = str(Path(sys.executable).with_name("kittybook"))
    command, floor = [], []
    for _ in range(11):
        command.append(_seconds(lambda: _run(kittybook, "--help")))
        floor.append(_seconds(lambda: _run(sys.executable, "-c", "import click")))
    ratio, limit = median(command) / median(floor), 2.0
    print(
        f"help: kittybook --help {median(command) * 1000:.0f} ms, import click {median(floor) * 1000:.0f} ms, "
        f"ratio {ratio:.2f} (at most {limit:g}; median of 11)"
    )
    return ratio <= limit


for measurement in (
    bench_book.command,
    bench_book.peer,
    bench_book.flat,
    bench_book.verify,
    bench_book.season,
    bench_money.statement,
    *bench_api.ALL,
):
    benchmark(measurement)


def _long_night(sheet_id: str, *, hands: int) -> dict[str, Any]:
    """Repeat an evening's hands; each round begins with the first dealer and all its players."""
    for line in (ROOT / "tests" / "cases" / "evenings.jsonl").read_text(encoding="utf-8").splitlines():
        sheet: dict[str, Any] = json.loads(line)
        if sheet["id"] == sheet_id:
            break
    else:
        raise SystemExit(f"no evening {sheet_id!r} in tests/cases/evenings.jsonl")
    del sheet["expect"]
    first, *others = sheet["hands"]
    evening = [{"players": sheet["players"], "dealer": sheet["dealer"], **first}, *others]
    sheet["hands"] = (evening * (hands // len(evening) + 1))[:hands]
    return sheet


def _seconds(run: Callable[[], object]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
