"""Whether a backup is worth anything: restored into a store of its own for a trial, and played from the first event.

A served book does so with its newest backup by itself, once a week, in a process of its own that gives way to all
others, and only when nobody has recorded anything for a while: no tap waits for it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from ledger.audit import verify_book
from ledger.errors import LedgerError
from ledger.service import Ledger
from ledger.store import EventStore
from ledger.stores.sqlite import Rehearsed, SqliteStore, note_rehearsal, noted, rehearsed, restore

EVERY: Final = timedelta(days=7)
"""How often a served book rehearses by itself."""

AGAIN: Final = timedelta(days=1)
"""How soon after one that failed."""

QUIET: Final = timedelta(minutes=10)
"""Only when nothing was recorded for so long."""

OLD: Final = timedelta(days=30)
"""When the last good rehearsal is older, that is told in red."""

_GIVES_WAY: Final = 19
_FOLDER: Final = ".kittybook-rehearsal-"
_ABANDONED: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a file held, position and digest by club, and what was wrong; None where everything was as it should be."""

    heads: dict[str, tuple[int, str]]
    why: str | None


def rehearse(file: Path, place: Path) -> Outcome:
    """Restore a backup into a store that is thrown away, follow its chain, and play every event again.

    That store is made in a folder of its own in ``place``, beside the book: there is room for one, and nobody looks.
    """
    heads: dict[str, tuple[int, str]] = {}
    _tidy(place)
    try:
        with tempfile.TemporaryDirectory(prefix=_FOLDER, dir=place) as folder:
            trial = Path(folder) / "trial.db"
            found = restore(file, trial, epoch=str(uuid.uuid4()), stamp="rehearsal").heads
            heads.update({club: (head.position, head.digest) for club, head in found.items()})
            with SqliteStore(trial) as store:
                for club in heads:
                    faults = [one for one in verify_book(Ledger(store), club, limit=20) if one.is_fault]
                    if faults:
                        return Outcome(heads=heads, why=f"{club}: {faults[0]}")
    except LedgerError as error:
        return Outcome(heads=heads, why=error.detail)
    except OSError as error:
        return Outcome(heads=heads, why=error.strerror or str(error))
    return Outcome(heads=heads, why=None)


def _tidy(place: Path) -> None:
    """Remove what was left by a rehearsal that was killed."""
    for folder in place.glob(f"{_FOLDER}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _ABANDONED.total_seconds():
                shutil.rmtree(folder)


def keep(store: SqliteStore, file: Path, outcome: Outcome, at: str) -> list[Rehearsed]:
    """Remember what a rehearsal came to, for every club of a store; return that.

    A backup that is sound and of another book, or that lacks a club, would not bring this one back.
    """
    told = []
    for club in store.clubs():
        position, digest = outcome.heads.get(club, (0, ""))
        why = outcome.why
        if why is None and club not in outcome.heads:
            why = f"it does not hold {club}"
        elif why is None and not _is_of_this_book(store, club, position, digest):
            why = f"it holds another book of {club}"
        told.append(Rehearsed(club=club, at=at, file=str(file), position=position, why=why))
    note_rehearsal(store, told)
    return told


def _is_of_this_book(store: EventStore, club: str, position: int, digest: str) -> bool:
    if position == 0:
        return True
    with store.read(club) as reader:
        rows = reader.events(position - 1, 1)
    return bool(rows) and rows[0].digest == digest


def is_due(store: SqliteStore, now: datetime) -> Path | None:
    """Return the backup that should be rehearsed now; None where none needs be, or somebody may be playing."""
    files = [file for club in store.clubs() if (file := _newest(store, club)) and _is_time(store, club, now)]
    return files[0] if files and all(_is_quiet(store, club, now) for club in store.clubs()) else None


def _newest(store: SqliteStore, club: str) -> Path | None:
    files = (Path(one.place) / one.file for one in noted(store, club))
    return next((file for file in files if file.is_file()), None)  # a stick may be elsewhere


def _is_time(store: SqliteStore, club: str, now: datetime) -> bool:
    last = next(iter(rehearsed(store, club, limit=1)), None)
    return last is None or datetime.fromisoformat(last.at) + (EVERY if last.why is None else AGAIN) <= now


def _is_quiet(store: SqliteStore, club: str, now: datetime) -> bool:
    with store.read(club) as reader:
        position = reader.head().position
        rows = reader.events(position - 1, 1) if position else []
    return all(abs(now - datetime.fromisoformat(row.recorded_at)) >= QUIET for row in rows)


class Rehearsal:
    """A rehearsal that goes on in a process of its own."""

    def __init__(self, file: Path, place: Path) -> None:
        self.file = file
        program = [sys.executable, "-P", "-m", "ledger.upkeep.rehearsals", str(file), str(place)]
        self._process = subprocess.Popen(
            program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def outcome(self) -> Outcome | None:
        """Return what it came to; None as long as it goes on."""
        if self._process.poll() is None:
            return None
        said, _nothing = self._process.communicate()
        try:
            told = json.loads(said)
            return Outcome(heads={club: (head[0], head[1]) for club, head in told["heads"].items()}, why=told["why"])
        except (ValueError, KeyError, TypeError):
            return Outcome(heads={}, why=f"the rehearsal broke off with code {self._process.returncode}")

    def stop(self) -> None:
        """Break it off; it leaves nothing behind."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.communicate()


def _alone() -> None:
    def end(*_: object) -> None:
        raise SystemExit(1)  # and what was unpacked is removed

    signal.signal(signal.SIGTERM, end)
    with suppress(OSError):  # where that is forbidden it takes its turn like everybody
        os.nice(_GIVES_WAY)
    sys.stdout.write(json.dumps(asdict(rehearse(Path(sys.argv[1]), Path(sys.argv[2])))))


if __name__ == "__main__":
    _alone()
