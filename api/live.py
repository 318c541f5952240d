"""Hints that something was recorded, pushed to whoever listens. A hint says where to look; what is true is read.

One thread asks the store for each club, however many listen.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

from ledger.errors import LedgerError, StoreBusy
from ledger.store import EventStore, Reader

LIMIT: Final = 24
"""How many may listen to one process: each holds a thread. Who comes later is told to poll."""

BEAT: Final = 10.0
"""Seconds between signs of life: a screen knows by them that it is not cut off, the server that somebody is there."""

_PAUSE: Final = 0.25
_READ_AT_ONCE: Final = 1_000
_KEPT: Final = 256

Hint = dict[str, Any]


class TooManyListen(StoreBusy):
    code = "too_many_listen"
    sentence = "As many listen as can; ask again and again instead, with If-None-Match."


class Listeners:
    """Everybody who listens to this process, and a poller for each club that somebody listens to."""

    def __init__(self, store: EventStore, limit: int = LIMIT) -> None:
        self._store = store
        self._limit = limit
        self._guard = threading.Lock()
        self._count = 0
        self._pollers: dict[str, _Poller] = {}
        self.stopping = threading.Event()

    def listen(self, club: str, after: int | None, may_listen: Callable[[], bool] = lambda: True) -> Stream:
        """Return a stream of hints for a club from a position on, or from now; it ends when he may listen no more.

        Raises ``TooManyListen``.
        """
        with self._guard:
            if self._count >= self._limit or self.stopping.is_set():
                raise TooManyListen()
            poller = self._pollers.get(club)
            if poller is None:
                poller = self._pollers[club] = _Poller(self._store, club, self.stopping)
                poller.start()
            listener = _Listener(poller)
            self._count += 1
        stream = Stream(self._leave, listener, self.stopping, may_listen)
        try:
            with self._store.read(club) as reader:
                stream.begin(hints(reader, after), after or 0)
        except BaseException:
            stream.close()
            raise
        return stream

    def stop(self) -> None:
        """Send everybody home."""
        self.stopping.set()
        for poller in list(self._pollers.values()):
            poller.wake()

    def close(self) -> None:
        """Send everybody home, and wait until nobody asks the store any more."""
        self.stop()
        for poller in list(self._pollers.values()):
            poller.join()

    def _leave(self) -> None:
        with self._guard:
            self._count -= 1
            for club, poller in list(self._pollers.items()):
                if not poller.listeners:
                    poller.end()
                    del self._pollers[club]


class Stream:
    """What one listener is sent. It must be closed, whether or not anything was read of it."""

    def __init__(
        self,
        leave: Callable[[], None],
        listener: _Listener,
        stopping: threading.Event,
        may_listen: Callable[[], bool],
    ) -> None:
        self._leave = leave
        self._listener = listener
        self._stopping = stopping
        self._may_listen = may_listen
        self._open = True
        self._missed: list[Hint] = []
        self._told = 0
        self._events = self._all()

    def begin(self, missed: list[Hint], told: int) -> None:
        self._missed, self._told = missed, told

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return next(self._events)

    def close(self) -> None:
        if self._open:
            self._open = False
            self._listener.close()
            self._leave()

    def _all(self) -> Iterator[str]:
        yield "retry: 2000\n\n"
        for hint in self._missed:
            self._told = hint["position"]
            yield _event(hint)
        while not self._stopping.is_set():
            found = self._listener.wait(BEAT)
            if not self._may_listen():
                return
            if not found:
                yield ": beat\n\n"
            for hint in found:
                if hint["position"] > self._told:
                    self._told = hint["position"]
                    yield _event(hint)


class _Listener:
    """One who waits for hints of a club."""

    def __init__(self, poller: _Poller) -> None:
        self._poller = poller
        self._hints: deque[Hint] = deque(maxlen=_KEPT)  # the newest matter
        self._ready = threading.Event()
        poller.listeners.add(self)

    def tell(self, found: list[Hint]) -> None:
        self._hints.extend(found)
        self._ready.set()

    def wait(self, seconds: float) -> list[Hint]:
        self._ready.wait(seconds)
        self._ready.clear()
        found = []
        with suppress(IndexError):
            while True:
                found.append(self._hints.popleft())
        return found

    def close(self) -> None:
        self._poller.listeners.discard(self)


class _Poller(threading.Thread):
    """Asks the store for what is new in a club, and tells all who listen."""

    def __init__(self, store: EventStore, club: str, stopping: threading.Event) -> None:
        super().__init__(name=f"live {club}", daemon=True)
        self._store, self._club = store, club
        with store.read(club) as reader:
            self._position = reader.head().position
        self._stopping = stopping
        self._ended = threading.Event()
        self.listeners: set[_Listener] = set()

    def run(self) -> None:
        while not self._ended.wait(_PAUSE) and not self._stopping.is_set():
            try:
                with self._store.read(self._club) as reader:
                    head = reader.head().position
                    found = hints(reader, self._position) if head != self._position else []
            except LedgerError:
                continue  # busy, or gone for a while: the next try may do
            self._position = head
            if found:
                self._tell(found)

    def wake(self) -> None:
        """Let everybody who waits see that this is the end."""
        self._ended.set()
        self._tell([])

    def end(self) -> None:
        self._ended.set()

    def _tell(self, found: list[Hint]) -> None:
        for listener in list(self.listeners):
            listener.tell(found)


def hints(reader: Reader, after: int | None) -> list[Hint]:
    """Return a hint for every stream that was written to behind a position, in order.

    Without a position, or with one that this book does not reach, a hint of where it stands; so also where more
    happened than need be told.
    """
    head = reader.head()
    stands = {"position": head.position, "night": None, "version": None, "epoch": head.epoch}
    if after is None or after > head.position:
        return [stands]
    rows = reader.events(after, _READ_AT_ONCE)
    if rows and rows[-1].position < head.position:
        return [stands]
    latest = {row.stream: row for row in rows}
    return [
        {
            "position": row.position,
            "night": row.stream.removeprefix("night:") if row.stream.startswith("night:") else None,
            "version": row.version,
            "epoch": head.epoch,
        }
        for row in sorted(latest.values(), key=lambda row: row.position)
    ]


def _event(hint: Hint) -> str:
    return f"id: {hint['position']}\ndata: {json.dumps(hint)}\n\n"
