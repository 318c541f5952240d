"""What is kept in memory is a cache, never a source: it shows what is in the book, all of it, and nothing else."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from ledger.errors import DiskFull, LedgerError, StoreBusy
from ledger.projections import night_state
from ledger.service import Answer, Ledger, read_request
from ledger.store import EventStore, Transaction
from ledger.stores import MemoryStore, SqliteStore
from tests.book.kit import THE_CLUB, plain
from tests.book.test_machine import BookMachine
from tests.faults import worker
from tests.faults.kit import GAMES, SENDER, Data, assert_kept, assert_no_fault, done, evenings, founded
from tests.faults.worker import posix
from tests.fuzz.nights import rulebook_data

T = TypeVar("T")


def shown(ledger: Ledger) -> Any:
    """Return everything that a ledger shows of the club and its nights."""
    with ledger.store.read(THE_CLUB) as reader:
        club = ledger.club(THE_CLUB, reader)
        nights = [plain(ledger.night(THE_CLUB, night, reader)) for night in club.nights]
        return reader.head(), plain(club), nights


def test_two_who_write_in_turns_see_each_other_at_once(path: Path) -> None:
    """Two servers on one file, each with a cache: every answer and every state is that of one who remembers nothing."""
    written = evenings(seed=16, count=2, hands=5)
    founded(path)
    with SqliteStore(path) as one, SqliteStore(path) as other:
        ledgers = [Ledger(one), Ledger(other)]
        for number, command in enumerate(command for evening in written for command in evening.commands):
            writer, reader = ledgers if number % 3 else reversed(ledgers)
            before = shown(reader)
            (answer,) = done(writer, command)
            assert shown(reader) == shown(writer) == shown(Ledger(one)) != before
            (again,) = done(reader, command)
            assert {**again, "status": "recorded"} == {**answer, "balances_version": again["balances_version"]}
    assert_kept(path, written)


@posix
@pytest.mark.faults
def test_another_process_is_seen_at_once(path: Path) -> None:
    (evening,) = evenings(seed=17, count=1, hands=6)
    founded(path)
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        done(ledger, *evening.commands[:5])
        shown(ledger)
        process, pipe = worker.start(worker.send, path, [[command] for command in evening.commands[5:]])
        for verdict in worker.told(pipe):
            assert verdict["status"] == "recorded"
            head, _club, nights = shown(ledger)
            assert head.position >= verdict["position"]
            assert nights[0]["version"] >= verdict["version"]
        process.join(worker.PATIENCE)
        assert shown(ledger) == shown(Ledger(store))
    assert_kept(path, [evening])


def test_who_reads_an_older_snapshot_is_shown_that_and_spoils_nothing(path: Path) -> None:
    """A snapshot taken before a hand shows the night before it, though the cache knows better."""
    (evening,) = evenings(seed=18, count=1, hands=4)
    founded(path)
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        done(ledger, *evening.commands[:4])
        for command in evening.commands[4:]:
            with store.read(THE_CLUB) as snapshot:
                before = plain(Ledger(store).night(THE_CLUB, evening.night, snapshot))
                done(ledger, command)
                assert plain(ledger.night(THE_CLUB, evening.night, snapshot)) == before
            assert shown(ledger) == shown(Ledger(store))
    assert_kept(path, [evening])


def test_more_nights_than_are_kept_in_memory() -> None:
    store = MemoryStore()
    ledger = Ledger(store)
    ledger.found(THE_CLUB, "Thursday", SENDER)

    def send(kind: str, night: str | None = None, **data: Any) -> None:
        request = {"id": str(uuid.uuid4()), "type": kind, "data": data}
        done(ledger, request if night is None else {**request, "night": night})

    for member in ("ann", "bob"):
        send("AddMember", member=member, name=member.title())
    for number in range(70):
        send("OpenTable", table=f"t{number}", name="T", rulebook=GAMES[0])
        send("OpenNight", table=f"t{number}", night=f"n{number}", players=["ann", "bob"], dealer="ann")
    for hand in (1, 2):
        for number in range(70):
            send("RecordHand", f"n{number}", hand=hand, bidder="ann", bid="three", made=True)
    assert shown(ledger) == shown(Ledger(store))
    assert_no_fault(ledger)


def test_what_clubs_call_their_rulebooks_stays_with_each() -> None:
    """Two clubs of one server publish the same rules under the same id, each with a title of its own."""
    store = MemoryStore()
    ledger = Ledger(store)
    titles = {"ours": "Ours", "theirs": "Theirs"}
    for club, title in titles.items():
        ledger.found(club, club, SENDER, another=True)
        rulebook = {**rulebook_data(GAMES[0]), "id": "house", "title": {"en": title}}
        commands: list[tuple[str, Data]] = [
            ("AddMember", {"member": "ann", "name": "Ann"}),
            ("AddMember", {"member": "bob", "name": "Bob"}),
            ("PublishRulebook", {"rulebook": rulebook}),
            ("OpenTable", {"table": "t", "name": "T", "rulebook": "house"}),
            ("OpenNight", {"table": "t", "night": "n", "players": ["ann", "bob"], "dealer": "ann"}),
        ]
        requests = [read_request({"id": ledger.new_id(), "type": kind, "data": data}) for kind, data in commands]
        assert {answer["status"] for answer in ledger.carry_out(club, requests, SENDER)} == {"recorded"}
    for reading in (ledger, Ledger(store)):
        for club, title in titles.items():
            with store.read(club) as reader:
                assert night_state(reading.night(club, "n", reader), str)["rulebook"]["title"] == {"en": title}


# Commands that fail


class Failing:
    """A store that can be told to fail when everything is worked out and written, right before it would be durable."""

    def __init__(self, inner: EventStore) -> None:
        self._inner = inner
        self.failure: type[BaseException] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def transact(self, club: str, jobs: Sequence[Callable[[Transaction], T]]) -> list[T | LedgerError]:
        def fail(_transaction: Transaction) -> T:
            assert self.failure is not None
            raise self.failure()

        return self._inner.transact(club, [*jobs, fail] if self.failure else jobs)

    @contextmanager
    def failing(self, failure: type[BaseException]) -> Iterator[None]:
        self.failure = failure
        try:
            with pytest.raises(failure):
                yield
        finally:
            self.failure = None


class FailingMachine(BookMachine):
    """Every command fails at its commit first, sometimes twice; then it is sent again, and must not have been there."""

    store: Any

    def send(self, kind: str, night: str | None = None, **data: Any) -> Answer:
        given = {key.rstrip("_"): value for key, value in data.items() if value is not None}
        request = self.book.request(kind, night, data=given)
        if self.sent and self.chance(0.5) and _can_be_read(request):
            before = shown(self.book.ledger)
            with self.store.failing(StoreBusy if self.chance(0.5) else ZeroDivisionError):
                self.book.carry_out(request)
            assert shown(self.book.ledger) == before == shown(self.book.replayed().ledger)
        return super().send(kind, night, **data)


def _can_be_read(request: Data) -> bool:
    try:
        read_request(request)
    except LedgerError:
        return False
    return True


STORES: dict[str, Callable[[Path], EventStore]] = {
    "memory": lambda _folder: Failing(MemoryStore()),
    "sqlite": lambda folder: Failing(SqliteStore(folder / "book.db", create=True)),
}


@pytest.mark.parametrize("name", sorted(STORES))
def test_what_failed_is_never_shown(name: str) -> None:
    machine = type("Machine", (FailingMachine,), {"make": staticmethod(STORES[name])})
    examples = settings.default.max_examples if settings.default else 50
    run_state_machine_as_test(machine, settings=settings(max_examples=max(1, examples // 20), stateful_step_count=20))


def test_what_failed_and_was_sent_again_is_there_once(path: Path) -> None:
    """Every command fails once, by no room, a lock, or a fault of our own; the book is that of a smooth evening."""
    written = evenings(seed=19, count=2, hands=8)
    founded(path)
    failures = [DiskFull, StoreBusy, ZeroDivisionError, KeyboardInterrupt]
    with SqliteStore(path) as inner:
        store = Failing(inner)
        ledger = Ledger(store)
        commands = [command for evening in written for command in evening.commands]
        for number, command in enumerate(commands):
            with store.failing(_worded(failures[number % 4])):
                ledger.carry_out(THE_CLUB, [read_request(command)], SENDER)
            (answer,) = done(ledger, command)
            assert answer["status"] == "recorded"
    assert_kept(path, written)


def test_a_batch_that_fails_in_the_middle_keeps_what_was_before(path: Path) -> None:
    """The caller hears of no verdict, and sends all again: what was recorded is a duplicate then."""
    (evening,) = evenings(seed=20, count=1, hands=6)
    founded(path)
    with SqliteStore(path) as inner:
        store = Failing(inner)
        ledger = Ledger(store)
        batch = [read_request(command) for command in evening.commands[:8]]
        transact, left = store.transact, 5

        def transact_some(club: str, jobs: Sequence[Callable[[Transaction], T]]) -> list[T | LedgerError]:
            nonlocal left
            left -= 1
            store.failure = None if left >= 0 else StoreBusy
            return transact(club, jobs)

        store.transact = transact_some  # type: ignore[method-assign]
        with store.failing(StoreBusy):
            ledger.carry_out(THE_CLUB, batch, SENDER)
        del store.transact
        again = done(ledger, *evening.commands)
        assert [answer["status"] for answer in again] == ["duplicate"] * 5 + ["recorded"] * (len(again) - 5)
    assert_kept(path, [evening])


def _worded(failure: type[BaseException]) -> type[BaseException]:
    """Some say why."""
    if failure is not DiskFull:
        return failure

    class NoRoom(DiskFull):
        def __init__(self) -> None:
            super().__init__(why="made up")

    return NoRoom
