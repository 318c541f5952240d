"""Group commit: commands that come while another is being written are written together, each still judged alone."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Final

from ledger.errors import LedgerError, StoreBusy, Unavailable
from ledger.store import EventStore, Transaction

AT_ONCE: Final = 32
"""So many commands share a transaction at most, so that nobody waits long for others."""

Job = Callable[[Transaction, bool], Any]
"""What is done in a transaction; it is told whether it is the first there, and so sees only what is durable."""


class _Waiting:
    """A job that waits: for its result, or for its turn to write what waits."""

    def __init__(self, job: Job, publish: Callable[[], None]) -> None:
        self.job = job
        self.publish = publish
        self.answered = False
        self.result: Any = None
        self.error: Exception | None = None
        self.leads = False
        self.woken = Lock()


class Group:
    """Writers of one club queue; whoever finds nobody writing writes for all who wait, then hands on.

    One durable commit costs as much for many commands as for one, so a busy table gets more of them through; a lonely
    one waits for nobody.
    """

    def __init__(self) -> None:
        self._guard = Lock()
        self._queues: dict[str, list[_Waiting]] = {}

    def transact(self, store: EventStore, club: str, job: Job, publish: Callable[[], None]) -> Any:  # noqa: ANN401 - what the job returns
        """Return what a job returns, once that is durable; ``publish`` is called first, in the order of writing.

        Raises what the job raises, and what ``EventStore.transact`` raises: then nothing of it was written.
        """
        mine = _Waiting(job, publish)
        with self._guard:
            queue = self._queues.get(club)
            if queue is None:
                self._queues[club] = []
                mine.leads = True
            else:
                mine.woken.acquire()
                queue.append(mine)
        if not mine.leads:
            mine.woken.acquire()
        if mine.leads:
            self._lead(store, club, mine)
        if mine.error is not None:
            raise mine.error
        if not mine.answered:
            raise StoreBusy()  # whoever wrote was stopped; the same may be sent again
        return mine.result

    def _lead(self, store: EventStore, club: str, mine: _Waiting) -> None:
        with self._guard:
            queue = self._queues[club]
            together, queue[:] = [mine, *queue[: AT_ONCE - 1]], queue[AT_ONCE - 1 :]
        try:
            _write(store, club, together)
        finally:
            with self._guard:
                if queue:
                    following = queue.pop(0)
                    following.leads = True
                    following.woken.release()
                else:
                    del self._queues[club]
            for waiting in together[1:]:
                waiting.woken.release()


def _write(store: EventStore, club: str, together: list[_Waiting]) -> None:
    jobs = [_told(waiting.job, first=place == 0) for place, waiting in enumerate(together)]
    try:
        results = store.transact(club, jobs)
    except Unavailable as error:
        for waiting in together:
            waiting.error = error
        return
    except Exception as error:  # noqa: BLE001 - it is raised again, where it belongs
        if len(together) > 1:  # all of them were undone for one: let it be his alone
            for waiting in together:
                _write(store, club, [waiting])
        else:
            together[0].error = error
        return
    for waiting, result in zip(together, results, strict=True):
        if isinstance(result, LedgerError):
            waiting.error = result
        else:
            waiting.result, waiting.answered = result, True
            waiting.publish()


def _told(job: Job, *, first: bool) -> Callable[[Transaction], Any]:
    return lambda transaction: job(transaction, first)
