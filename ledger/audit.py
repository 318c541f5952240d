"""Whether a book is what it was, and whether today's code would write it again as it stands."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from typing import Any, Final

from ledger.codec import chain_digest
from ledger.errors import LedgerError, StoreDamaged
from ledger.history import postings_of
from ledger.journal import JournalEntry
from ledger.receipts import receipt_as_typed, receipt_of
from ledger.rulebook import Rulebook
from ledger.service import Ledger, advance, night_stream
from ledger.service.states import UNREPLAYABLE
from ledger.store import CLUB, GENESIS, Audit, CommandRow, Posting, Reader, Recorded
from ledger.stores import open_store
from ledger.stores.verify import Finding, Part, Place, verify, verify_part

STATES_KEPT: Final = 256

WORTH_A_PROCESS: Final = 20_000
"""From so many events on, a second process is worth its start."""

HEAD_START: Final = 1_500
"""So many events are examined while the second process starts."""


def verify_book(ledger: Ledger, club: str, *, limit: int = 100, beside: bool = False) -> list[Finding]:
    """Return what is wrong with a club's book, the first row that differs first.

    Checks the chain against the head, every posting and balance, everything kept beside the events, and replays
    every event: today's code must come to the postings that are stored. With ``beside`` a second process examines the
    second half of a large book.
    """
    with ledger.store.audit(club) as audit:
        examine = partial(
            verify,
            audit,
            rulebook_digest=_digest_of,
            check=Replay(audit, ledger.reading(club, audit).pinned).complaint,
            check_command=_answer_fits,
            limit=limit,
        )
        address = ledger.store.address
        middle = _middle(audit) if beside and address is not None and (os.cpu_count() or 1) > 1 else None
        if address is None or middle is None:
            return examine()
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            rest = pool.submit(
                verified_behind, middle.position, middle.digest, address, club, until=_length(audit), limit=limit
            )
            return examine(until=middle.position, rest=rest.result)


def _length(audit: Audit) -> int:
    position: object = audit.head().position
    return position if isinstance(position, int) else 0  # a damaged file may hold anything there


def _middle(audit: Audit) -> Recorded | None:
    """Return the row after which a second process begins, the last of its command: if that is worth the start."""
    length = _length(audit)
    if length < WORTH_A_PROCESS:
        return None
    try:
        if audit.events(length, 1):  # behind what the head says: that is for one to sort out
            return None
        page = audit.events(length // 2 - 1 + min(HEAD_START, length // 16), 100)
    except StoreDamaged:
        return None
    return next((row for row, behind in pairwise(page) if row.command_id != behind.command_id), None)


def verified_behind(position: int, digest: str, address: str, club: str, *, until: int, limit: int) -> Part:
    """Return what is wrong with a book's events behind a position, where the chain comes to a digest."""
    store = open_store(address, checked=False)
    try:
        with store.audit(club) as audit:
            begin = Place(position=position, digest=digest, versions=audit.versions(position))
            replay = Replay(audit, Ledger(store).reading(club, audit).pinned, pools=audit.pools(position))
            return verify_part(
                audit, begin, until=until, check=replay.complaint, check_command=_answer_fits, limit=limit
            )
    finally:
        store.close()


def receipt_status(ledger: Ledger, club: str, night: str, code: str) -> str:
    """Return what a receipt is to a night: ``as signed``, ``superseded``, or ``not in this history``.

    The digests are worked out again from the first event: a book that was edited gives another receipt. Raises
    ``NightUnknown``.
    """
    with ledger.store.read(club) as reader:
        state = ledger.night(club, night, reader)
        made_again = _receipts(reader, night_stream(night))
    receipts = [closing.receipt for closing in state.closings]
    typed = receipt_as_typed(code)
    if typed not in receipts or typed not in made_again:
        return "not in this history"
    newest = state.closed and typed == receipts[-1] and state.closings[-1].revision == state.revision
    return "as signed" if newest else "superseded"


def _receipts(reader: Reader, stream: str) -> set[str]:
    """Return the receipts of a night's closings, as what is stored makes them and not as it says they are."""
    receipts = set()
    digest, position = GENESIS, 0
    while page := reader.events(position):
        position = page[-1].position
        for row in page:
            digest = chain_digest(digest, row)
            if row.stream == stream and row.type == "NightClosed":
                receipts.add(receipt_of(digest))
    return receipts


def rebuild(ledger: Ledger, club: str) -> list[str]:
    """Make the balances of a club anew from its postings, which are never touched; return what was noticed.

    A line that begins with ``scoring_changed`` names a hand that today's code would post differently.
    """
    lines = []
    with ledger.store.read(club) as reader:
        replay = Replay(reader, ledger.reading(club, reader).pinned)
        position = 0
        while page := reader.events(position):
            position = page[-1].position
            for recorded in page:
                if complaint := replay.complaint(recorded):
                    lines.append(f"scoring_changed: position {recorded.position} ({recorded.stream}): {complaint}")
    (differed,) = ledger.store.transact(club, [lambda transaction: transaction.rebuild_balances()])
    if isinstance(differed, LedgerError):
        raise differed
    lines.append(f"balances made anew from the postings: {differed} differed")
    return lines


class Replay:
    """Works a book out again, event by event in order, and tells where it comes out otherwise than it is stored."""

    def __init__(
        self,
        reader: Reader,
        books: Callable[[str, str], Rulebook],
        *,
        pools: Mapping[tuple[str, str], int] | None = None,
    ) -> None:
        """Begin with the first event; behind others, with what they left in the ``pools``."""
        self._reader = reader
        self._books = books
        self._states: OrderedDict[str, Any] = OrderedDict()
        self._closed = ""
        self._pools = dict(pools or {})

    def complaint(self, recorded: Recorded) -> str | None:
        """Return a sentence if today's code makes other postings of an event than are stored with it."""
        stream = recorded.stream
        try:
            state = self._before(recorded)
            after, entries = advance(state, recorded, self._books, recent=False)
            closed = recorded.type == "NightClosed"
            told = _closing_told(state, recorded) if closed else None
        except UNREPLAYABLE as error:  # whatever breaks on it is the finding
            self._states.pop(stream, None)
            return f"{recorded.type} cannot be replayed: {str(error) or type(error).__name__}"
        self._keep(stream, after, closed=closed)
        complaint = self._pool_brought(recorded) or told
        if (entries or recorded.postings) and not _same(entries, recorded.postings):
            return _difference(postings_of(entries), recorded.postings)
        return complaint

    def _keep(self, stream: str, state: Any, *, closed: bool) -> None:  # noqa: ANN401 - a Club or a Night
        """Keep a state for the stream's next event: of the closed nights only the last, which may be opened again.

        What is kept for long is gone through by the garbage collector again and again.
        """
        self._states[stream] = state
        self._states.move_to_end(stream)
        if closed and stream != self._closed:
            self._states.pop(self._closed, None)
            self._closed = stream
        if len(self._states) > STATES_KEPT:
            self._states.popitem(last=False)

    def _before(self, recorded: Recorded) -> Any:  # noqa: ANN401 - a Club or a Night
        """Return the state before an event; one that was put away is worked out again from its stream."""
        state = self._states.get(recorded.stream)
        if state is None and recorded.version > 1:
            for earlier in self._reader.stream(recorded.stream):
                if earlier.version >= recorded.version:
                    break
                state, _entries = advance(state, earlier, self._books, recent=False)
        return state

    def _pool_brought(self, recorded: Recorded) -> str | None:
        """A night must find the pool that was left: nothing between two nights may make or lose chips."""
        complaint = None
        if recorded.type == "NightOpened" and recorded.stream != CLUB:
            key = (f"pool:{recorded.data['table']}", str(recorded.data["unit"]))
            found, left = recorded.data["pool"], self._pools.get(key, 0)
            if found != left:
                complaint = f"the night began with a pool of {found}; {left} were left"
        for _entry, _hand, _memo, account, unit, amount in recorded.postings:
            if account.startswith("pool:"):
                self._pools[account, unit] = self._pools.get((account, unit), 0) + amount
        return complaint


def _closing_told(night: Any, recorded: Recorded) -> str | None:  # noqa: ANN401 - a Club or a Night
    """What a closing says that everybody comes to, and that is carried on, must be what purses and pool hold."""
    data: dict[str, Any] = recorded.data
    shares = data["shares"]
    results = {player: purse.balance + shares.get(player, 0) for player, purse in night.purses.items()}
    carried = night.pool - sum(shares.values())
    if (data["results"], data["carried"]) == (results, carried):
        return None
    return f"it closed with {data['results']} and carried {data['carried']}; by its hands with {results} and {carried}"


def _answer_fits(command: CommandRow, rows: Sequence[Recorded]) -> bool:
    """Tell whether the answer that a command is given again names the events that it recorded."""
    own = [row for row in rows if row.stream == command.stream]
    told = [f'{{"type": "{row.type}", "version": {row.version}, "position": {row.position}}}' for row in own]
    places = f'"version": {command.version}, "position": {command.position}, "events": [{", ".join(told)}]}}'
    return command.answer.startswith('{"stream": "') and command.answer.endswith(places)


def _digest_of(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def _same(entries: Sequence[JournalEntry], stored: Sequence[Posting]) -> bool:
    """Compare as plain tuples: quicker than making postings of entries that nearly always agree."""
    return stored == tuple(
        (number, item.hand, item.memo, *posting)
        for number, item in enumerate(entries, start=1)
        for posting in item.postings
    )


def _difference(today: tuple[Posting, ...], stored: tuple[Posting, ...]) -> str:
    for one, other in zip(today, stored, strict=False):
        if one != other:
            hand = f"hand {other.hand}: " if other.hand is not None else ""
            return (
                f"{hand}{other.memo}, {other.account}: {other.amount} {other.unit} stored,"
                f" {one.amount} {one.unit} to {one.account} ({one.memo}) by today's rules"
            )
    return f"{len(stored)} postings stored, {len(today)} by today's rules"
