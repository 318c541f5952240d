"""What clubs and nights are, kept in memory as far as they go: a cache, never a source."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Final

from ledger import club as clubs
from ledger.errors import LedgerError
from ledger.history import event_from
from ledger.journal import JournalEntry
from ledger.night import Night, Origin, evolve
from ledger.night.state import Closing
from ledger.receipts import receipt_of
from ledger.rulebook import Rulebook
from ledger.store import CLUB, Recorded

NIGHTS_KEPT: Final = 32

UNREPLAYABLE: Final = (
    LedgerError,
    AssertionError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    RecursionError,
)
"""What a stored event may raise when it is not what it was: an edited row may say anything."""


class Cache:
    """States by club, epoch and stream, each with the version it is of; bounded, shared by threads, never a source."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._states: OrderedDict[tuple[str, str, str], Any] = OrderedDict()
        self.books: dict[str, Rulebook] = {}

    def get(self, key: tuple[str, str, str]) -> Any:  # noqa: ANN401 - a Club or a Night
        with self._lock:
            state = self._states.get(key)
            if state is not None:
                self._states.move_to_end(key)
            return state

    def put(self, key: tuple[str, str, str], state: Any) -> None:  # noqa: ANN401 - as above
        with self._lock:
            self._states[key] = state
            self._states.move_to_end(key)
            while len(self._states) > NIGHTS_KEPT:
                self._states.popitem(last=False)


def night_stream(night: str) -> str:
    """Return the name of a night's stream."""
    return f"night:{night}"


def advance(
    state: Any,  # noqa: ANN401 - a Club or a Night
    recorded: Recorded,
    books: Callable[[str, str], Rulebook],
    *,
    recent: bool = True,
) -> tuple[Any, tuple[JournalEntry, ...]]:
    """Return a club or night after a stored event, and the entries that today's code makes of it.

    Without ``recent`` a night keeps no earlier states, which makes a replay quicker and undoing slower.
    """
    event = event_from(recorded)
    if recorded.stream == CLUB:
        return clubs.evolve(state, event, recorded.version)
    origin = Origin(recorded.command_id, recorded.version, recorded.actor, recorded.device, recorded.recorded_at)
    night, entries = evolve(state, event, origin, books, recent=recent)
    if recorded.type == "NightClosed":
        night = with_receipt(night, recorded.digest)
    return night, entries


def with_receipt(night: Night, digest: str) -> Night:
    """Return a night whose last closing has its receipt."""
    last = night.closings[-1]
    return night._replace(closings=(*night.closings[:-1], Closing(last.revision, receipt_of(digest))))
