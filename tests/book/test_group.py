"""Commands that come together are written together: each judged alone, none lost, none remembered that was undone."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ledger.audit import verify_book
from ledger.errors import DiskFull, LedgerError
from ledger.service import Ledger, Sender, read_request
from ledger.store import Transaction
from ledger.stores import SqliteStore
from tests.book.kit import THE_CLUB

SENDER = Sender(actor="test")
PLAYERS = [f"p{number}" for number in range(8)]


class SlowStore(SqliteStore):
    """The first transaction waits until it is let go, so that others queue behind it; each says how many it held."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, create=True)
        self.sizes: list[int] = []
        self.gate = threading.Event()
        self.gate.set()
        self.began = threading.Event()
        self.fails: LedgerError | None = None

    def transact(self, club: str, jobs: Sequence[Callable[[Transaction], Any]]) -> list[Any]:
        self.sizes.append(len(jobs))
        self.began.set()
        assert self.gate.wait(20)
        if self.fails is None or len(self.sizes) < 2:
            return super().transact(club, jobs)
        error, self.fails = self.fails, None

        def undone(_transaction: Transaction) -> None:
            raise error

        return super().transact(club, [*jobs, undone])  # all were carried out, and none is kept


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with SlowStore(tmp_path / "book.db") as store:
        ledger = Ledger(store)
        ledger.found(THE_CLUB, "Club", SENDER)
        store.sizes.clear()
        yield store


def together(store: SlowStore, commands: Sequence[dict[str, Any]], ledger: Ledger) -> list[Any]:
    """Send a command, and while it is written all the others at once; return what became of each."""
    answers: list[Any] = [None] * len(commands)

    def send(place: int) -> None:
        try:
            (answers[place],) = ledger.carry_out(THE_CLUB, [read_request(commands[place])], SENDER)
        except Exception as error:  # noqa: BLE001 - it is looked at
            answers[place] = error

    store.gate.clear()
    store.began.clear()
    threads = [threading.Thread(target=send, args=(place,)) for place in range(len(commands))]
    threads[0].start()
    assert store.began.wait(20)
    for thread in threads[1:]:
        thread.start()
    while len(ledger._group._queues.get(THE_CLUB, ())) < len(commands) - 1:
        pass  # until all of them wait
    store.gate.set()
    for thread in threads:
        thread.join(20)
    return answers


def command(kind: str, **data: Any) -> dict[str, Any]:
    return {"id": str(uuid.uuid4()), "type": kind, "data": data}


def added(name: str) -> dict[str, Any]:
    return command("AddMember", member=name, name=name.title())


def test_who_waits_is_written_together_and_everybody_is_answered(store: SlowStore) -> None:
    ledger = Ledger(store)
    answers = together(store, [added(name) for name in PLAYERS], ledger)
    assert [answer["status"] for answer in answers] == ["recorded"] * 8
    assert sorted(answer["version"] for answer in answers) == [*range(2, 10)]
    assert store.sizes == [1, 7]
    assert verify_book(ledger, THE_CLUB) == []


def test_each_is_judged_alone(store: SlowStore) -> None:
    """Twice the same id is once recorded; a name that is taken is refused, and leaves nothing."""
    ledger = Ledger(store)
    twice = added("cal")
    answers = together(store, [added("ann"), added("ann"), twice, twice, added("dot")], ledger)
    assert sorted(one["status"] for one in answers) == ["duplicate", "recorded", "recorded", "recorded", "refused"]
    assert (answers[1]["status"], answers[1]["code"]) == ("refused", "member_exists")
    assert len(store.sizes) == 2
    with store.read(THE_CLUB) as reader:
        assert sorted(ledger.club(THE_CLUB, reader).members) == ["ann", "cal", "dot"]
    assert verify_book(ledger, THE_CLUB) == []


def test_what_was_undone_is_not_remembered(store: SlowStore) -> None:
    """The disk fills up under a group: all are told, none is there, and what follows is judged by what is."""
    ledger = Ledger(store)
    store.fails = DiskFull(why="test")
    answers = together(store, [added(name) for name in ("ann", "bob", "cal")], ledger)
    assert answers[0]["status"] == "recorded"
    assert [type(answer) for answer in answers[1:]] == [DiskFull, DiskFull]
    with store.read(THE_CLUB) as reader:
        assert sorted(ledger.club(THE_CLUB, reader).members) == ["ann"]
    (again,) = ledger.carry_out(THE_CLUB, [read_request(command("AddMember", name="Bob"))], SENDER)
    assert again["version"] == 3
    with store.read(THE_CLUB) as reader:
        assert sorted(ledger.club(THE_CLUB, reader).members) == ["ann", "m2"]
    assert verify_book(ledger, THE_CLUB) == []


def test_a_fault_of_one_is_his_alone(store: SlowStore, monkeypatch: pytest.MonkeyPatch) -> None:
    from ledger import book

    decide = book.decide

    def broken(context: Any, asked: Any, **options: Any) -> Any:
        if getattr(asked, "member", None) == "cal":
            raise ZeroDivisionError
        return decide(context, asked, **options)

    monkeypatch.setattr(book, "decide", broken)
    ledger = Ledger(store)
    answers = together(store, [added(name) for name in ("ann", "bob", "cal", "dot")], ledger)
    assert isinstance(answers[2], ZeroDivisionError)
    assert [answers[place]["status"] for place in (0, 1, 3)] == ["recorded"] * 3
    assert verify_book(ledger, THE_CLUB) == []
