"""A process that appends and says what was answered, for tests that run many of them or kill one.

python -m tests.stores.worker STORE CLUB STREAM COUNT: one line per answered append, "position command_id".
"""

from __future__ import annotations

import subprocess
import sys
import uuid
from pathlib import Path

from ledger.stores import SqliteStore
from tests.stores.kit import THE_CLUB, do, hand, key, record

HERE = Path(__file__).parents[2]


def main(path: str, club: str, stream: str, count: str) -> None:
    store = SqliteStore(path, timeout=30)
    for number in range(int(count)):
        command = str(uuid.uuid4())
        rows = do(store, lambda tx: record(tx, hand(number), stream=stream, command=key(command)), club)  # noqa: B023
        sys.stdout.write(f"{rows[0].position} {command}\n")
        sys.stdout.flush()


def start(path: Path, stream: str, count: int, *, club: str = THE_CLUB) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.stores.worker", str(path), club, stream, str(count)]
    return subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answers(process: subprocess.Popen[str]) -> dict[int, str]:
    """Wait for a worker; return the command ids it was answered for, by position."""
    said, complaints = process.communicate(timeout=60)
    assert process.returncode == 0, complaints
    return parsed(said)


def parsed(said: str) -> dict[int, str]:
    """Return what whole lines say; a line that was cut off was no answer."""
    lines = said.split("\n")[:-1]
    return {int(position): command for position, command in map(str.split, lines)}


def killed_after(path: Path, lines: int, *, stream: str = "night:killed", club: str = THE_CLUB) -> dict[int, str]:
    """Let a worker append without end, kill it (-9) right after so many answers; return all that it was answered."""
    process = start(path, stream, 1_000_000, club=club)
    assert process.stdout is not None
    said = "".join(process.stdout.readline() for _ in range(lines))
    process.kill()
    said += process.stdout.read()  # communicate() would miss what was read ahead
    process.communicate()
    return parsed(said)


if __name__ == "__main__":
    main(*sys.argv[1:])
