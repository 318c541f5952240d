"""Backups by rule: at every close of a night and nightly, to each place that there is, in a thread of their own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import structlog

from ledger.errors import BackupFailed, LedgerError
from ledger.service import Ledger
from ledger.stores.sqlite import Noted, SqliteStore, backup, note, noted
from ledger.stores.sqlite.files import FileLock, beside, refusals
from ledger.upkeep.rehearsals import Rehearsal, is_due, keep
from ledger.upkeep.rule import last_nightly, made_at, name_of, superfluous

PAUSE: Final = 1.0
"""Seconds between looks at how far the book goes."""

AGAIN: Final = timedelta(minutes=10)
"""After a failure it is tried again so much later, and at once where a missing folder has come back."""

_ABANDONED: Final = timedelta(days=1)
_READ_AT_ONCE: Final = 1_000

_log = structlog.get_logger("kittybook")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why there is no newer backup in a place."""

    place: Path
    at: datetime
    code: str
    detail: str
    absent: bool


class Upkeep(threading.Thread):
    """Makes the backups of a served store. It reads like everybody else, so that no tap waits for it."""

    def __init__(
        self, store: SqliteStore, places: Sequence[str | Path] = (), *, clock: Callable[[], datetime] | None = None
    ) -> None:
        """Without places, backups go into a folder beside the store, which is made; others must be there.

        A stick that is not plugged in looks like a folder that is missing: to make it would fill the wrong disk.
        """
        super().__init__(name="upkeep", daemon=True)
        self._store = store
        self._ledger = Ledger(store)
        self._own = None if places else default_place(store.path)
        self.places = [*dict.fromkeys(Path(place).absolute() for place in places)] or [default_place(store.path)]
        self._clock = clock or (lambda: datetime.now(UTC))
        self._ended = threading.Event()
        self._one_at_a_time = threading.Lock()
        self._seen: dict[str, tuple[str, int]] = {}
        self._closes: dict[str, int] = {}
        self._failures: dict[Path, Failure] = {}
        self._rehearsal: Rehearsal | None = None

    def run(self) -> None:
        while True:
            try:
                self.look()
                self.rehearse()
            except (LedgerError, OSError) as error:  # the store is busy, or gone for a while: the next look may do
                _log.warning("backups_not_looked_after", why=str(error))
            if self._ended.wait(PAUSE):
                break
        if self._rehearsal is not None:
            self._rehearsal.stop()

    def stop(self) -> None:
        """End after what is being made; the thread may be joined."""
        self._ended.set()

    def failures(self) -> list[Failure]:
        """Return the places that wait for a backup in vain."""
        return list(self._failures.values())

    def last(self) -> str | None:
        """Return when the last backup was made, of the club that has waited longest; None where one has none."""
        latest = [next((each.at for each in noted(self._store, club)), None) for club in self._store.clubs()]
        return min((at for at in latest if at is not None), default=None) if all(latest) else None

    def look(self) -> list[Path]:
        """Make the backups that are due now; return them. Raises what the store raises when it cannot be read."""
        made: list[Path] = []
        with self._one_at_a_time:
            clubs = [club for club in self._store.clubs() if self._is_founded(club)]
            if not clubs:
                return made
            now = self._clock()
            for place in self.places:
                if self._ended.is_set():
                    break
                if self._is_due(place, clubs, now) and not self._must_wait(place, now):
                    file = self._tried(place, clubs, now)
                    if file is not None:
                        made.append(file)
        return made

    def rehearse(self) -> None:
        """Begin the rehearsal that is due, or remember what the one came to that went on. It waits for nothing."""
        if self._rehearsal is None:
            file = is_due(self._store, self._clock())
            self._rehearsal = None if file is None else Rehearsal(file, self._store.path.parent)
            return
        outcome = self._rehearsal.outcome()
        if outcome is None:
            return
        file, self._rehearsal = self._rehearsal.file, None
        for one in keep(self._store, file, outcome, _stamp(self._clock())):
            if one.why is None:
                _log.info("backup_rehearsed", file=one.file, club=one.club, position=one.position)
            else:
                _log.error("rehearsal_failed", file=one.file, club=one.club, why=one.why)

    # When

    def _is_due(self, place: Path, clubs: list[str], now: datetime) -> bool:
        return any(self._is_due_for(place, club, now) for club in clubs)

    def _is_due_for(self, place: Path, club: str, now: datetime) -> bool:
        every = noted(self._store, club)
        last = next((each for each in every if each.place == os.path.realpath(place)), None)
        close = self._last_close(club, every)
        if last is None or last.position < close:
            return True
        with self._store.read(club) as reader:
            settings = self._ledger.club(club, reader)
        at = datetime.fromisoformat(last.at)
        return at < last_nightly(now, settings.zone, settings.cut_off) or at > now + AGAIN  # the clock was wrong

    def _last_close(self, club: str, every: list[Noted]) -> int:
        """Return the position at which a night was closed last, as far as that is behind any backup; else 0."""
        with self._store.read(club) as reader:
            head = reader.head()
            epoch, seen = self._seen.get(club, ("", 0))
            if epoch != head.epoch:
                seen, self._closes[club] = min((each.position for each in every), default=head.position), 0
            while seen < head.position and (rows := reader.events(seen, _READ_AT_ONCE)):
                seen = rows[-1].position
                for row in rows:
                    if row.type == "NightClosed":
                        self._closes[club] = row.position
            self._seen[club] = head.epoch, seen
        return self._closes[club]

    def _must_wait(self, place: Path, now: datetime) -> bool:
        failure = self._failures.get(place)
        if failure is None or (failure.absent and os.path.isdir(place)):
            return False
        return abs(now - failure.at) < AGAIN

    def _is_founded(self, club: str) -> bool:
        with self._store.read(club) as reader:
            return reader.version("club") > 0

    # How

    def _tried(self, place: Path, clubs: list[str], now: datetime) -> Path | None:
        try:
            file = self._made(place, clubs, now)
        except (LedgerError, OSError) as found:
            error = found if isinstance(found, LedgerError) else BackupFailed(path=str(place), why=str(found))
            failure = Failure(
                place=place, at=now, code=error.code, detail=error.detail, absent=isinstance(error, _PlaceMissing)
            )
            before = self._failures.get(place)
            self._failures[place] = failure
            if before is None or before.code != failure.code or not failure.absent:  # an absence is told once
                _log.warning("backup_failed", place=str(place), code=error.code, detail=error.detail)
            return None
        self._failures.pop(place, None)
        return file

    def _made(self, place: Path, clubs: list[str], now: datetime) -> Path | None:
        """Make one backup, checked before it bears its name; None where another process is at it."""
        self._require_place(place)
        turn = FileLock(beside(self._store.path, ".backup"))
        if not turn.take(exclusive=True):
            return None
        try:
            file = place / name_of(clubs, now)
            heads = backup(self._store, file)
            note(self._store, file, heads, _stamp(now))
            positions: dict[str, Any] = {club: head.position for club, head in heads.items()}
            _log.info("backed_up", file=str(file), positions=positions)
            self._tidied(place, clubs, now)
        finally:
            turn.release()
        return file

    def _require_place(self, place: Path) -> None:
        if place == self._own:
            with refusals(place):
                place.mkdir(mode=0o700, exist_ok=True)
        if not os.path.isdir(place):  # whatever the reason
            raise _PlaceMissing(path=str(place))

    def _tidied(self, place: Path, clubs: list[str], now: datetime) -> None:
        """Remove what need be kept no longer, and what was left by one who was killed."""
        with refusals(place):
            found = {at: file for file in place.iterdir() if (at := made_at(file.name, clubs)) is not None}
            for at in superfluous(found, now):
                found[at].unlink(missing_ok=True)
                _log.info("backup_thinned_out", file=str(found[at]))
            for file in place.glob("*.part*"):
                name = file.name.partition(".db.")[0] + ".db"
                if (at := made_at(name, clubs)) is not None and now - at > _ABANDONED:
                    with suppress(OSError):
                        file.unlink()


class _PlaceMissing(BackupFailed):
    code = "backup_place_missing"
    sentence = "There is no folder {path} to put backups into; it is looked for again and again."


def default_place(store: Path) -> Path:
    """Return the folder beside a store that its backups go into where no other is named."""
    return store.with_name(f"{store.stem}-backups")


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
