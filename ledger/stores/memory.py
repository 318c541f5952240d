"""A book in memory, for tests and calculations: the same answers and the same digests, gone when the process ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, TypeVar

from ledger import codec
from ledger.errors import ClubExists, ClubUnknown, Corrupt, LedgerError, Unavailable, WrongVersion
from ledger.store import (
    GENESIS,
    Audit,
    BalanceRow,
    CommandKey,
    CommandRow,
    Head,
    JournalLine,
    JournalRow,
    Move,
    NewEvent,
    Reader,
    Recorded,
    Texts,
    Transaction,
)
from ledger.stores.balances import wrong_balances
from ledger.stores.turns import Turns

T = TypeVar("T")

BUSY_TIMEOUT: Final = 5.0


class MemoryStore:
    """Books as values: a writer copies one, changes the copy, and puts it in its place; readers keep what they have."""

    def __init__(self) -> None:
        self._books: dict[str, MemoryBook] = {}
        self._writing = Turns()

    address = None

    def found(self, club: str, epoch: str, *, another: bool = False) -> None:
        with self._writing.take(BUSY_TIMEOUT):
            if club in self._books or (self._books and not another):
                raise ClubExists(club=", ".join(self.clubs()))
            self._books[club] = MemoryBook(club=club, at=Head(position=0, digest=GENESIS, epoch=epoch))

    def clubs(self) -> list[str]:
        return sorted(self._books)

    @contextmanager
    def read(self, club: str) -> Iterator[Reader]:
        yield self._book(club)

    @contextmanager
    def audit(self, club: str) -> Iterator[Audit]:
        yield self._book(club)

    def transact(self, club: str, jobs: Sequence[Callable[[Transaction], T]]) -> list[T | LedgerError]:
        with self._writing.take(BUSY_TIMEOUT):
            book = self._book(club)
            results: list[T | LedgerError] = []
            for job in jobs:
                draft = book.copy()
                try:
                    results.append(job(draft))
                    draft.require_answers()
                except (Unavailable, Corrupt):
                    raise
                except LedgerError as refusal:
                    results.append(refusal)
                else:
                    book = draft
            self._books[club] = book
        return results

    def close(self) -> None:
        self._books.clear()

    def _book(self, club: str) -> MemoryBook:
        if club not in self._books:
            raise ClubUnknown(club=club)
        return self._books[club]


@dataclass(slots=True, kw_only=True)
class MemoryBook:
    """What one club's book holds."""

    club: str
    at: Head
    log: list[Recorded] = field(default_factory=list)
    by_stream: dict[str, tuple[Recorded, ...]] = field(default_factory=dict)
    amounts: dict[tuple[str, str, str], int] = field(default_factory=dict)
    answered: dict[str, CommandRow] = field(default_factory=dict)
    kept_texts: dict[str, tuple[str, str] | None] = field(default_factory=dict)
    kept_rulebooks: dict[str, str] = field(default_factory=dict)
    unanswered: set[str] = field(default_factory=set)

    def copy(self) -> MemoryBook:
        return replace(
            self, log=self.log[:], by_stream=self.by_stream.copy(), amounts=self.amounts.copy(),
            answered=self.answered.copy(), kept_texts=self.kept_texts.copy(),
            kept_rulebooks=self.kept_rulebooks.copy(), unanswered=set(),
        )  # fmt: skip

    # Reading

    def head(self) -> Head:
        return self.at

    def version(self, stream: str) -> int:
        return len(self.by_stream.get(stream, ()))

    def stream(self, stream: str, after: int = 0) -> Iterator[Recorded]:
        yield from self.by_stream.get(stream, ())[after:]

    def events(self, after: int = 0, limit: int = 1000) -> list[Recorded]:
        return self.log[after : after + limit]

    def streams(self, prefix: str, after: str = "", limit: int = 1000) -> list[tuple[str, int]]:
        names = sorted(name for name in self.by_stream if name.startswith(prefix) and name > after)
        return [(name, self.version(name)) for name in names[:limit]]

    def balance(self, account: str, unit: str, scope: str) -> int:
        return self.amounts.get((scope, account, unit), 0)

    def balances(self, scope: str) -> dict[tuple[str, str], int]:
        return {key[1:]: amount for key, amount in sorted(self.amounts.items()) if key[0] == scope and amount}

    def postings(
        self,
        *,
        stream: str | None = None,
        account: str | None = None,
        after: tuple[int, int] = (0, 0),
        limit: int = 1000,
    ) -> list[JournalLine]:
        lines = (
            JournalLine(row.position, line, row.stream, row.version, row.recorded_at, *posting)
            for row in (self.log if stream is None else self.by_stream.get(stream, ()))
            for line, posting in enumerate(row.postings, 1)
            if (row.position, line) > after and account in {None, posting.account}
        )
        return list(islice(lines, limit))

    def journal(self, after: tuple[int, int] = (0, 0), limit: int = 1000) -> Sequence[JournalRow]:
        return self.postings(after=after, limit=limit)

    def moves(self, streams: Sequence[str], account: str) -> list[Move]:
        return sorted(
            (
                (stream, row.position, line, posting.hand, posting.memo, posting.unit, posting.amount)
                for stream in streams
                for row in self.by_stream.get(stream, ())
                for line, posting in enumerate(row.postings, 1)
                if posting.account == account
            ),
            key=lambda move: move[1:3],
        )

    def command(self, command_id: str) -> CommandRow | None:
        return self.answered.get(command_id)

    def texts(self, refs: Iterable[str]) -> dict[str, tuple[str, str] | None]:
        return {ref: self.kept_texts[ref] for ref in refs if ref in self.kept_texts}

    def rulebook(self, digest: str) -> str | None:
        return self.kept_rulebooks.get(digest)

    # Writing

    def append(
        self,
        stream: str,
        expected_version: int,
        events: Sequence[NewEvent],
        *,
        command: tuple[str, str, str],
        actor: str,
        device: str | None,
        recorded_at: str,
        device_time: str | None = None,
        texts: Texts | None = None,
        rulebooks: Mapping[str, str] | None = None,
        answer: str | Callable[[Sequence[Recorded]], str] | None,
    ) -> list[Recorded]:
        current = self.version(stream)
        if current != expected_version:
            raise WrongVersion(stream=stream, current=current, expected=expected_version)
        key = CommandKey(*command)
        rows = codec.record(
            events, club=self.club, head=self.at, stream=stream, version=current, command=key,
            actor=actor, device=device, recorded_at=recorded_at, device_time=device_time,
        )  # fmt: skip
        self.log += rows
        self.by_stream[stream] = (*self.by_stream.get(stream, ()), *rows)
        self.at = replace(self.at, position=rows[-1].position, digest=rows[-1].digest)
        for account, amount in codec.changes(rows).items():
            self.amounts[account] = self.amounts.get(account, 0) + amount
        if known := self.texts(texts or ()):
            raise AssertionError(f"written before: {', '.join(known)}")
        self.kept_texts.update(texts or {})
        self.kept_rulebooks = {**(rulebooks or {}), **self.kept_rulebooks}
        self._remember(key, rows, answer(rows) if callable(answer) else answer)
        return rows

    def erase_text(self, ref: str) -> None:
        if ref not in self.kept_texts:
            raise AssertionError(f"there is no text {ref}")
        self.kept_texts[ref] = None

    def rebuild_balances(self) -> int:
        wrong = wrong_balances(self)
        self.amounts |= wrong
        return len(wrong)

    def require_answers(self) -> None:
        if self.unanswered:
            raise AssertionError(f"nothing is remembered of {', '.join(sorted(self.unanswered))}")

    def _remember(self, key: CommandKey, rows: Sequence[Recorded], answer: str | None) -> None:
        if answer is None:
            if key.id not in self.answered:
                self.unanswered.add(key.id)
            return
        if key.id in self.answered:
            raise AssertionError(f"command {key.id} is remembered already")
        self.unanswered.discard(key.id)
        first, last = rows[0], rows[-1]
        self.answered[key.id] = CommandRow(
            command_id=key.id, fingerprint=key.fingerprint, stream=first.stream, type=key.type,
            first_version=first.version, version=last.version,
            first_position=first.position, position=last.position, answer=answer,
        )  # fmt: skip

    # Looking behind

    def commands(self, command_ids: Iterable[str]) -> dict[str, CommandRow]:
        return {known: self.answered[known] for known in command_ids if known in self.answered}

    def all_balances(self, after: tuple[str, str, str] = ("", "", ""), limit: int = 1000) -> list[BalanceRow]:
        rows = sorted(item for item in self.amounts.items() if item[0] > after)
        return [
            BalanceRow(scope=scope, account=account, unit=unit, amount=amount)
            for (scope, account, unit), amount in rows[:limit]
        ]

    def all_rulebooks(self, after: str = "", limit: int = 100) -> list[tuple[str, str]]:
        return sorted(item for item in self.kept_rulebooks.items() if item[0] > after)[:limit]

    def versions(self, position: int) -> dict[str, int]:
        return {row.stream: row.version for row in self.log[:position]}

    def pools(self, position: int) -> dict[tuple[str, str], int]:
        moved = codec.changes(self.log[:position])
        return {key[1:]: amount for key, amount in moved.items() if key[1].startswith("pool:")}

    def strays(self) -> list[str]:
        ids = {row.command_id for row in self.log}
        return [f"command {known}, which recorded no event" for known in self.answered if known not in ids]

    def damage(self) -> list[str]:
        return []
