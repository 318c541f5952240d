"""The one door to a book: read, decide, append, answer. The only reader of the clock, and of chance."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from ledger import book
from ledger.club import Club
from ledger.errors import (
    BatchTooLarge,
    ClubExists,
    ClubUnknown,
    Corrupt,
    LedgerError,
    RoleNeeded,
    Unavailable,
    WrongVersion,
)
from ledger.night import Night
from ledger.rulebook import Rulebook
from ledger.service.desk import Answer, Desk, Means
from ledger.service.group import Group
from ledger.service.request import Request, Sender, read_request
from ledger.service.states import Cache
from ledger.store import EventStore, Reader, Transaction

BATCH_LIMIT: Final = 100


class Ledger:
    """A store of books, with the clubs' and nights' states kept in memory as far as they go.

    ``clock`` returns the time in UTC; ``chance`` returns so many random bytes.
    """

    def __init__(
        self,
        store: EventStore,
        *,
        clock: Callable[[], datetime] | None = None,
        chance: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self.store = store
        self._group = Group()
        self._means = Means(clock=clock or _now, chance=chance, cache=Cache())

    # Writing

    def found(self, club: str, name: str, sender: Sender, *, another: bool = False, **settings: Any) -> Answer:  # noqa: ANN401 - fields of FoundClub
        """Begin a club's book: zone, cut-off and money may be given. Raises ``ClubExists`` and ``Unreadable``."""
        data = {"club": club, "name": name, **{key: value for key, value in settings.items() if value is not None}}
        request = read_request({"id": self.new_id(), "type": "FoundClub", "data": data})
        try:
            self.store.found(club, self.new_id(), another=another)
        except ClubExists:
            if not self._is_blank(club):
                raise
        (answer,) = self.carry_out(club, [request], sender)
        if answer["status"] == "refused":  # somebody was quicker
            raise ClubExists(club=club)
        return answer

    def _is_blank(self, club: str) -> bool:
        """Tell whether a club's book was begun and then cut off before its first event."""
        if club not in self.store.clubs():
            return False
        with self.store.read(club) as reader:
            return reader.head().position == 0

    def carry_out(self, club: str, requests: Sequence[Request | LedgerError], sender: Sender) -> list[Answer]:
        """Carry out a batch in order, each command for itself; return a verdict for each.

        A verdict has ``status``: recorded, duplicate, late, preview or refused (with ``code``, ``detail``, ``field``).
        A request that could not be read may stand in the batch as its error. Raises ``BatchTooLarge``, ``ClubUnknown``,
        ``Corrupt`` and ``Unavailable``: what was answered before it is recorded, and everything may be sent again.
        """
        if len(requests) > BATCH_LIMIT:
            raise BatchTooLarge(field="commands", limit=BATCH_LIMIT)
        answers: list[Answer] = []
        preview: Desk | None = None
        for request in requests:
            if isinstance(request, LedgerError):
                answers.append(refused(None, request))
            elif request.dry_run:
                with self.store.read(club) as reader:
                    preview = Desk(self._means, club, reader, preview)
                    answers.append(self._judged(request, preview.preview, request, sender))
            else:
                preview = None  # what was previewed before this did not happen
                answers.append(self._judged(request, self._write, club, request, sender))
        return answers

    def carry_out_together(self, club: str, requests: Sequence[Request], sender: Sender) -> list[Answer]:
        """Carry out commands in order and in one transaction: all, or none. Return a verdict for each.

        What was carried out before is a duplicate. Raises what the first that is refused is refused for. Others wait
        until all is written.
        """
        desk: Desk | None = None

        def job(transaction: Transaction) -> list[Answer]:
            nonlocal desk
            desk = Desk(self._means, club, transaction)
            return [{"id": request.id, **desk.write(transaction, request, sender)} for request in requests]

        (answers,) = self.store.transact(club, [job])
        if isinstance(answers, LedgerError):
            raise answers
        assert desk is not None
        desk.publish()
        return answers

    def _judged(self, request: Request, act: Callable[..., Answer], *arguments: object) -> Answer:
        try:
            return {"id": request.id, **act(*arguments)}
        except (Unavailable, Corrupt, ClubUnknown):
            raise
        except LedgerError as error:
            return refused(request.id, error)

    def _write(self, club: str, request: Request, sender: Sender) -> Answer:
        desk: Desk | None = None

        def job(transaction: Transaction, first: bool) -> Answer:
            nonlocal desk
            desk = Desk(self._means, club, transaction, durable=first)
            return desk.write(transaction, request, sender)

        def publish() -> None:
            assert desk is not None
            desk.publish()

        answer: Answer = self._group.transact(self.store, club, job, publish)
        return answer

    def now(self) -> datetime:
        """Return the time, in UTC."""
        return self._means.clock()

    def chance(self, size: int) -> bytes:
        """Return so many random bytes."""
        return self._means.chance(size)

    def new_id(self) -> str:
        """Return a new random UUID."""
        return str(uuid.UUID(bytes=self._means.chance(16), version=4))

    # Reading

    def reading(self, club: str, reader: Reader) -> Desk:
        """Return everything that can be known of a club's book through one snapshot."""
        return Desk(self._means, club, reader)

    def club(self, club: str, reader: Reader) -> Club:
        """Return a club's own affairs as they stand."""
        return self.reading(club, reader).require_club()

    def night(self, club: str, night: str, reader: Reader) -> Night:
        """Return a night as it stands. Raises ``NightUnknown``."""
        return self.reading(club, reader).night(night)

    def corrected(self, club: str, night: str, reader: Reader) -> Night:
        """Return a closed night with the corrections made since; its own book does not move."""
        desk = self.reading(club, reader)
        return book.as_corrected(desk, desk.require_club(), night)

    def book(self, club: str, reader: Reader, rulebook: str) -> Rulebook:
        """Return a preset or a rulebook of the club's own. Raises ``RulebookUnknown``."""
        return self.reading(club, reader).book(rulebook)


def refused(command: str | None, error: LedgerError) -> Answer:
    """Return the verdict on a command that was refused."""
    verdict: Answer = {"id": command, "status": "refused", "code": error.code, "detail": error.detail}
    if error.field is not None:
        verdict["field"] = error.field
    if isinstance(error, WrongVersion):
        verdict["version"] = error.facts["current"]
    if isinstance(error, RoleNeeded):
        verdict["role"] = error.facts["role"]
    return verdict


def _now() -> datetime:
    return datetime.now(UTC)
