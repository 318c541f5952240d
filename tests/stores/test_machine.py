"""Any sequence of appends, refusals, failures and erasures leaves every store as a plain list would have it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from ledger.errors import LedgerError, Refused, WrongVersion
from ledger.store import CLUB, EventStore, NewEvent, Posting, Recorded, Transaction, scope_of
from tests.stores.conftest import STORES
from tests.stores.kit import THE_CLUB, do, findings, key, posting, record, text_sha

STREAMS = st.sampled_from(["club", "night:a", "night:b"])
ACCOUNTS = st.sampled_from(["player:ann", "player:bob", "pool:main", "member:ann", "till", "game:1"])
UNITS = st.sampled_from(["chips:main.1", "EUR"])


@st.composite
def new_events(draw: st.DrawFn) -> NewEvent:
    postings: list[Posting] = []
    for entry in range(1, draw(st.integers(0, 2)) + 1):
        unit, amount = draw(UNITS), draw(st.integers(-(10**9), 10**9))
        postings.append(posting(draw(ACCOUNTS), amount, entry=entry, unit=unit))
        postings.append(posting(draw(ACCOUNTS), -amount, entry=entry, unit=unit))
    data = draw(st.dictionaries(st.sampled_from("abc"), st.integers(-9, 9) | st.text(max_size=3), max_size=2))
    return NewEvent(type=draw(st.sampled_from(["A", "B"])), data={**data}, postings=tuple(postings))


APPENDS = st.tuples(STREAMS, st.lists(new_events(), min_size=1, max_size=3), st.integers(0, 5))


class Nothing(Refused):
    code = "nothing"
    sentence = "Nothing."


class BookMachine(RuleBasedStateMachine):
    """The model is a list of (stream, event) and what was refused must have left no trace in it."""

    make: Callable[[Path], EventStore]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = type(self).make(Path(self.folder.name))
        self.log: list[tuple[str, NewEvent]] = []
        self.commands: dict[str, tuple[int, int]] = {}
        self.texts: dict[str, tuple[str, str] | None] = {}

    @initialize()
    def found(self) -> None:
        self.store.found(THE_CLUB, "epoch-1")

    def version(self, stream: str) -> int:
        return sum(name == stream for name, _ in self.log)

    def job(self, stream: str, events: list[NewEvent], fate: int) -> Callable[[Transaction], list[Recorded]]:
        """Fates: 0 a wrong version, 1 refused after appending, otherwise recorded."""

        def carry_out(tx: Transaction) -> list[Recorded]:
            expected = tx.version(stream) + (fate == 0)
            rows = record(tx, *events, stream=stream, expected=expected)
            if fate == 1:
                raise Nothing
            return rows

        return carry_out

    def note(self, stream: str, events: list[NewEvent], rows: list[Recorded] | LedgerError, fate: int) -> None:
        if fate < 2:
            assert isinstance(rows, (WrongVersion, Nothing)[fate])
            return
        assert not isinstance(rows, LedgerError)
        first = len(self.log) + 1
        assert [row.version for row in rows] == [self.version(stream) + n for n in range(1, len(events) + 1)]
        self.log += [(stream, event) for event in events]
        assert [row.position for row in rows] == list(range(first, len(self.log) + 1))
        self.commands[rows[0].command_id] = first, len(self.log)

    @rule(append=APPENDS)
    def one(self, append: tuple[str, list[NewEvent], int]) -> None:
        stream, events, fate = append
        [rows] = self.store.transact(THE_CLUB, [self.job(stream, events, fate)])
        self.note(stream, events, rows, fate)

    @rule(appends=st.lists(APPENDS, max_size=4))
    def a_batch(self, appends: list[tuple[str, list[NewEvent], int]]) -> None:
        results = self.store.transact(THE_CLUB, [self.job(*append) for append in appends])
        for (stream, events, fate), rows in zip(appends, results, strict=True):
            self.note(stream, events, rows, fate)

    @rule(appends=st.lists(APPENDS, max_size=3))
    def a_batch_that_fails(self, appends: list[tuple[str, list[NewEvent], int]]) -> None:
        def fail(tx: Transaction) -> list[Recorded]:
            record(tx)
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            self.store.transact(THE_CLUB, [*(self.job(*append) for append in appends), fail])

    @rule(first=STREAMS, second=STREAMS, event=new_events())
    def two_streams(self, first: str, second: str, event: NewEvent) -> None:
        def carry_out(tx: Transaction) -> list[Recorded]:
            command = key()
            return record(tx, event, stream=first, command=command, answer=None) + record(
                tx, event, event, stream=second, command=command
            )

        if first != second:
            do(self.store, carry_out)
            self.log += [(first, event), (second, event), (second, event)]

    @rule(words=st.text(max_size=5))
    def write_a_note(self, words: str) -> None:
        ref = f"note-{len(self.texts)}"
        event = NewEvent(type="Noted", data={"note": {"ref": ref, "sha256": text_sha("0f", words)}})
        do(self.store, lambda tx: record(tx, event, stream=CLUB, texts={ref: ("0f", words)}))
        self.log.append((CLUB, event))
        self.texts[ref] = "0f", words

    @rule(data=st.data())
    def erase_a_note(self, data: st.DataObject) -> None:
        if self.texts:
            ref = data.draw(st.sampled_from(sorted(self.texts)))
            do(self.store, lambda tx: tx.erase_text(ref))
            self.texts[ref] = None

    @invariant()
    def the_store_holds_what_the_model_holds(self) -> None:
        if THE_CLUB not in self.store.clubs():
            return
        with self.store.read(THE_CLUB) as book:
            rows = book.events()
            assert [(row.stream, row.type, row.data, row.postings) for row in rows] == [
                (stream, event.type, event.data, event.postings) for stream, event in self.log
            ]
            assert book.head().position == len(self.log)
            for stream in ("club", "night:a", "night:b"):
                assert list(book.stream(stream)) == [row for row in rows if row.stream == stream]
                assert book.version(stream) == self.version(stream)
                assert book.balances(stream) == self.balances(stream)
            assert book.texts(self.texts) == self.texts
            for command_id, ends in self.commands.items():
                command = book.command(command_id)
                assert command is not None
                assert (command.first_position, command.position) == ends

    def balances(self, scope: str) -> dict[tuple[str, str], int]:
        totals: dict[tuple[str, str], int] = {}
        for stream, event in self.log:
            for line in event.postings:
                if scope_of(line.account, stream) == scope:
                    totals[line.account, line.unit] = totals.get((line.account, line.unit), 0) + line.amount
        return {account: total for account, total in totals.items() if total}

    def teardown(self) -> None:
        found = findings(self.store)
        assert [finding for finding in found if finding.is_fault] == []
        assert len(found) == sum(text is None for text in self.texts.values())
        self.store.close()
        self.folder.cleanup()


@pytest.mark.parametrize("name", sorted(STORES))
def test_any_sequence(name: str) -> None:
    machine = type("Machine", (BookMachine,), {"make": staticmethod(STORES[name])})
    run_state_machine_as_test(machine, settings=settings(max_examples=25, stateful_step_count=20))
