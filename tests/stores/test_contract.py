"""What every store promises, in sentences."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from ledger import codec
from ledger.errors import ClubExists, ClubUnknown, LedgerError, Refused, StoreBusy, WrongVersion
from ledger.store import (
    CLUB,
    GENESIS,
    JSON,
    EventStore,
    JournalLine,
    JournalRow,
    NewEvent,
    Posting,
    Recorded,
    Transaction,
)
from ledger.stores import MemoryStore, SqliteStore
from tests.stores.kit import (
    AT,
    CHIPS,
    NIGHT,
    THE_CLUB,
    append,
    body_sha,
    do,
    everything,
    fill,
    findings,
    hand,
    key,
    posting,
    record,
)


class TooLate(Refused):
    code = "too_late"
    sentence = "Too late."


def refuse(tx: Transaction) -> list[Recorded]:
    record(tx, hand(99))
    raise TooLate


# Clubs


def test_a_new_club_is_empty(store: EventStore) -> None:
    with store.read(THE_CLUB) as book:
        assert (book.head().position, book.head().digest, book.head().epoch) == (0, GENESIS, "epoch-1")
        assert book.version(NIGHT) == 0
        assert (book.events(), list(book.stream(NIGHT)), book.streams(""), book.postings()) == ([], [], [], [])
        assert book.balances(NIGHT) == {}
        assert book.balance("till", CHIPS, NIGHT) == 0
        assert book.command("x") is None
        assert book.rulebook("x") is None
        assert book.texts(["x"]) == {}


def test_a_club_is_founded_once(store: EventStore) -> None:
    with pytest.raises(ClubExists):
        store.found(THE_CLUB, "epoch-2")
    with pytest.raises(ClubExists):
        store.found(THE_CLUB, "epoch-2", another=True)


def test_a_second_club_must_be_meant(store: EventStore) -> None:
    with pytest.raises(ClubExists):
        store.found("friday", "epoch-2")
    store.found("friday", "epoch-2", another=True)
    assert store.clubs() == ["friday", THE_CLUB]


def test_clubs_share_nothing(store: EventStore) -> None:
    store.found("friday", "epoch-2", another=True)
    command = key("same-id")
    do(store, lambda tx: record(tx, command=command, texts={"r": ("00", "ours")}))
    do(store, lambda tx: record(tx, hand(amount=9), command=command, texts={"r": ("00", "theirs")}), "friday")
    with store.read("friday") as book:
        assert book.balance("player:ann", CHIPS, NIGHT) == 9
        assert book.head().position == 1
        assert book.texts(["r"]) == {"r": ("00", "theirs")}
    with store.read(THE_CLUB) as book:
        assert book.balance("player:ann", CHIPS, NIGHT) == 5
    assert findings(store) == findings(store, "friday") == []


def test_nothing_is_done_for_a_club_that_does_not_exist(store: EventStore) -> None:
    with pytest.raises(ClubUnknown), store.read("nobody"):
        pass
    with pytest.raises(ClubUnknown):
        store.transact("nobody", [record])


# Appending and reading back


def test_an_event_comes_back_as_it_went_in(store: EventStore) -> None:
    event = NewEvent(
        type="HandRecorded",
        data={"hand": 1, "players": ["ann", "bob"], "facts": {"made": True, "note": None}, "emoji": "🂡 \u2028 \x00 é"},
        postings=(posting("player:ann", 7), posting("pool:main", -7), posting("till", 0, entry=2, unit="EUR")),
    )
    [row] = do(
        store,
        lambda tx: tx.append(
            NIGHT, 0, [event], command=("c-1", "f" * 64, "RecordHand"), actor="user:1", device=None,
            recorded_at=AT, device_time="2026-11-26T21:15:00+01:00", answer="{}",
        ),
    )  # fmt: skip
    assert everything(store) == [row]
    with store.read(THE_CLUB) as book:
        assert list(book.stream(NIGHT)) == [row]
        assert (book.head().position, book.head().digest) == (1, row.digest)
    assert (row.club, row.stream, row.version, row.position, row.type) == (THE_CLUB, NIGHT, 1, 1, "HandRecorded")
    assert (row.command_id, row.actor, row.device) == ("c-1", "user:1", None)
    assert (row.recorded_at, row.device_time) == (AT, "2026-11-26T21:15:00+01:00")
    assert (row.data, row.postings) == (event.data, event.postings)
    assert json.loads(row.text) == event.data
    assert row.digest == codec.chain_digest(GENESIS, row)


def test_streams_count_versions_and_the_club_counts_positions(store: EventStore) -> None:
    append(store, hand(1), stream="night:a")
    append(store, hand(1), hand(2), stream="night:b")
    append(store, hand(2), stream="night:a")
    rows = everything(store)
    assert [(row.position, row.stream, row.version) for row in rows] == [
        (1, "night:a", 1),
        (2, "night:b", 1),
        (3, "night:b", 2),
        (4, "night:a", 2),
    ]
    with store.read(THE_CLUB) as book:
        assert list(book.stream("night:a")) == [rows[0], rows[3]]
        assert list(book.stream("night:a", after=1)) == [rows[3]]
        assert book.events(after=1, limit=2) == rows[1:3]
        assert book.events(after=4) == []
        assert (book.version("night:a"), book.version("night:b"), book.version("night:")) == (2, 2, 0)


def test_streams_are_listed_by_name_and_paged_by_name(store: EventStore) -> None:
    for name in ("night:b", "club", "night:a", "night:a2", "nightly", "night:ü", "night:a"):
        append(store, stream=name)
    with store.read(THE_CLUB) as book:
        assert book.streams("night:") == [("night:a", 2), ("night:a2", 1), ("night:b", 1), ("night:ü", 1)]
        assert book.streams("night:", after="night:a", limit=2) == [("night:a2", 1), ("night:b", 1)]
        assert book.streams("night:", limit=1) == [("night:a", 2)]
        assert [name for name, _ in book.streams("")] == [
            "club",
            "night:a",
            "night:a2",
            "night:b",
            "night:ü",
            "nightly",
        ]
        assert book.streams("x") == book.streams("night:", after="nightz") == []


def test_an_append_behind_another_version_is_refused_and_names_the_current_one(store: EventStore) -> None:
    append(store)
    before = everything(store)
    for expected in (0, 2):
        with pytest.raises(WrongVersion) as refused:
            do(store, partial(record, expected=expected))
        assert refused.value.facts["current"] == 1
    assert everything(store) == before


def test_one_job_may_write_to_two_streams(store: EventStore) -> None:
    def correct(tx: Transaction) -> None:
        command = key("both")
        record(tx, hand(1), stream=CLUB, command=command, answer=None)
        record(tx, hand(1), hand(2), command=command, answer=lambda rows: json.dumps(rows[-1].position))

    do(store, correct)
    with store.read(THE_CLUB) as book:
        command = book.command("both")
        assert command is not None
        assert (command.stream, command.first_version, command.version) == (NIGHT, 1, 2)
        assert (command.first_position, command.position, command.answer) == (2, 3, "3")
    assert findings(store) == []


def test_what_a_job_writes_it_can_read(store: EventStore) -> None:
    def look(tx: Transaction) -> None:
        [row] = record(tx, hand(amount=3), command=key("c"), texts={"r": ("00", "note")})
        assert tx.version(NIGHT) == 1
        assert tx.events() == list(tx.stream(NIGHT)) == [row]
        assert tx.balances(NIGHT) == {("player:ann", CHIPS): 3, ("player:bob", CHIPS): -3}
        assert tx.command("c") is not None
        assert tx.texts(["r"]) == {"r": ("00", "note")}
        assert tx.head().digest == row.digest

    do(store, look)


def test_a_snapshot_stays_what_it_was(store: EventStore) -> None:
    append(store)
    with store.read(THE_CLUB) as book:
        append(store, hand(2))
        with store.read(THE_CLUB) as later:
            assert later.version(NIGHT) == 2
        assert (book.version(NIGHT), len(book.events()), book.head().position) == (1, 1, 1)
        assert book.balance("player:ann", CHIPS, NIGHT) == 5


def test_long_streams_come_whole_and_in_order(store: EventStore) -> None:
    do(store, lambda tx: record(tx, *(hand(number) for number in range(1, 1204))))
    with store.read(THE_CLUB) as book:
        versions = [row.version for row in book.stream(NIGHT)]
        assert versions == list(range(1, 1204))
        assert all(len(row.postings) == 2 for row in book.stream(NIGHT, after=499))
        assert len(book.events()) == 1000
    assert findings(store) == []


# Sums


def test_balances_of_a_night_and_of_the_club_are_kept_apart(store: EventStore) -> None:
    paid = NewEvent(type="Paid", data={}, postings=(posting("player:ann", -2), posting("pool:main", 2)))
    for stream in ("night:a", "night:a", "night:b"):
        append(store, paid, stream=stream)
    with store.read(THE_CLUB) as book:
        assert book.balances("night:a") == {("player:ann", CHIPS): -4}
        assert book.balances("night:b") == {("player:ann", CHIPS): -2}
        assert book.balances(CLUB) == {("pool:main", CHIPS): 6}
        assert book.balance("pool:main", CHIPS, CLUB) == 6


def test_a_balance_of_zero_is_left_out(store: EventStore) -> None:
    append(store, hand(amount=5), hand(amount=-5))
    append(store, hand(amount=1))
    append(store, hand(amount=-1))
    with store.read(THE_CLUB) as book:
        assert book.balances(NIGHT) == {}
        assert book.balance("player:ann", CHIPS, NIGHT) == 0


@pytest.mark.parametrize(
    "postings",
    [
        (posting("player:ann", 1),),
        (posting("player:ann", 1), posting("till", -1, unit="EUR")),
        (posting("player:ann", 1), posting("till", -1, entry=2)),
        (posting("nobody", 1), posting("till", -1)),
        (posting("till", 2**53), posting("pool:main", -(2**53))),
        (posting("till", 1.0), posting("pool:main", -1.0)),  # type: ignore[arg-type]
        (posting("till", True), posting("pool:main", -1)),
    ],
)
def test_entries_that_do_not_sum_to_zero_cannot_be_stored(store: EventStore, postings: tuple[Posting, ...]) -> None:
    with pytest.raises(AssertionError):
        append(store, hand(), NewEvent(type="Paid", data={}, postings=postings))
    assert everything(store) == []
    assert findings(store) == []


def test_a_journal_is_paged_by_position_and_line(store: EventStore) -> None:
    append(store, hand(1), stream="night:a")
    append(store, hand(1, winner="cal"), hand(2), stream="night:b")
    append(store, hand(2), stream="night:a")
    with store.read(THE_CLUB) as book:
        lines = book.postings()
        assert [(line.position, line.line) for line in lines] == [(p, n) for p in range(1, 5) for n in (1, 2)]
        assert {line.recorded_at for line in lines} == {AT}
        paged: list[JournalLine] = []
        while page := book.postings(after=(paged[-1].position, paged[-1].line) if paged else (0, 0), limit=3):
            paged += page
        assert paged == lines
        rows: list[JournalRow] = []
        while found := book.journal(rows[-1][:2] if rows else (0, 0), 3):
            rows += found
        assert rows == [(*line[:5], *line.posting) for line in lines]
        assert book.journal((2, 1), 1) == lines[3:4]
        of_a = book.postings(stream="night:a")
        assert [(line.position, line.version, line.posting.account) for line in of_a] == [
            (1, 1, "player:ann"),
            (1, 1, "player:bob"),
            (4, 2, "player:ann"),
            (4, 2, "player:bob"),
        ]
        assert book.postings(stream="night:a", after=(1, 1), limit=2) == of_a[1:3]
        assert book.postings(stream="night:a", after=(2, 2)) == of_a[2:]
        assert book.postings(stream="night:a", account="player:bob", after=(1, 2)) == of_a[3:]
        moves = book.moves(["night:b", "night:a", "night:none"], "player:ann")
        assert moves == [
            (line.stream, line.position, line.line, line.posting.hand, line.posting.memo, line.posting.unit,
             line.posting.amount)
            for line in book.postings(account="player:ann")
            if line.stream in ("night:a", "night:b")
        ]  # fmt: skip
        assert len(moves) > 1
        assert [line.position for line in book.postings(account="player:ann")] == [1, 3, 4]
        assert book.postings(account="player:dot") == []


def test_a_member_statement_finds_lines_across_streams(store: EventStore) -> None:
    for stream in ("night:a", "night:b", CLUB):
        closed = NewEvent(type="Closed", data={}, postings=(posting("member:ann", 4), posting("exchange", -4)))
        append(store, hand(), closed, stream=stream)
    with store.read(THE_CLUB) as book:
        lines = book.postings(account="member:ann")
        assert [(line.position, line.stream) for line in lines] == [(2, "night:a"), (4, "night:b"), (6, CLUB)]
        assert book.postings(account="member:ann", after=(2, 1), limit=1) == lines[1:2]
        assert book.balance("member:ann", CHIPS, CLUB) == 12


# Commands


def test_a_command_is_remembered_with_what_it_recorded(store: EventStore) -> None:
    append(store)
    do(store, lambda tx: record(tx, hand(2), hand(3), command=key("c"), answer='{"changes":{"ann":5}}'))
    with store.read(THE_CLUB) as book:
        command = book.command("c")
    assert command is not None
    assert (command.fingerprint, command.stream, command.type) == ("f" * 64, NIGHT, "RecordHand")
    assert (command.first_version, command.version, command.first_position, command.position) == (2, 3, 2, 3)
    assert command.answer == '{"changes":{"ann":5}}'


def test_a_retry_is_told_by_its_id_before_its_version(store: EventStore) -> None:
    def carry_out(tx: Transaction) -> str:
        known = tx.command("c")
        if known is not None:
            return f"duplicate of version {known.version}"
        return f"version {record(tx, command=key('c'), expected=0)[-1].version}"

    assert do(store, carry_out) == "version 1"
    assert do(store, carry_out) == "duplicate of version 1"
    assert store.transact(THE_CLUB, [carry_out, carry_out]) == ["duplicate of version 1"] * 2
    assert len(everything(store)) == 1


def test_a_command_cannot_be_remembered_twice(store: EventStore) -> None:
    do(store, partial(record, command=key("c")))
    with pytest.raises(AssertionError):
        do(store, partial(record, command=key("c")))
    assert len(everything(store)) == 1


def test_a_command_that_is_not_remembered_records_nothing(store: EventStore) -> None:
    with pytest.raises(AssertionError):
        do(store, lambda tx: record(tx, answer=None))
    assert everything(store) == []


def test_a_refused_command_need_not_be_remembered(store: EventStore) -> None:
    def refuse_half_way(tx: Transaction) -> list[Recorded]:
        record(tx, answer=None)
        raise TooLate

    [refusal, rows] = store.transact(THE_CLUB, [refuse_half_way, record])
    assert isinstance(refusal, TooLate)
    assert isinstance(rows, list)


def test_an_append_needs_an_event(store: EventStore) -> None:
    with pytest.raises(AssertionError):
        do(
            store,
            lambda tx: tx.append(NIGHT, 0, [], command=key(), actor="a", device=None, recorded_at=AT, answer="{}"),
        )


@pytest.mark.parametrize("data", [{"amount": 1.5}, {"amount": 2**53}, {"name": "\ud800"}, {"day": {1, 2}}, {1: "one"}])
def test_data_without_canonical_json_cannot_be_stored(store: EventStore, data: dict[str, JSON]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        append(store, NewEvent(type="Odd", data=data))
    assert everything(store) == []


# Jobs


def test_a_refused_job_leaves_nothing(store: EventStore) -> None:
    append(store)
    with store.read(THE_CLUB) as book:
        before = book.head(), book.balances(NIGHT)
    [refusal] = store.transact(THE_CLUB, [refuse])
    assert isinstance(refusal, TooLate)
    with store.read(THE_CLUB) as book:
        assert (book.head(), book.balances(NIGHT)) == before
    assert findings(store) == []


def test_in_a_batch_each_job_is_judged_alone(store: EventStore) -> None:
    jobs: list[Callable[[Transaction], list[Recorded]]] = [
        lambda tx: record(tx, hand(1)),
        refuse,
        lambda tx: record(tx, hand(2)),
        lambda tx: record(tx, expected=0),
        lambda tx: record(tx, hand(3)),
    ]
    results = store.transact(THE_CLUB, jobs)
    codes = [result.code if isinstance(result, LedgerError) else result[0].version for result in results]
    assert codes == [1, "too_late", 2, "wrong_version", 3]
    assert [row.data["hand"] for row in everything(store)] == [1, 2, 3]
    assert findings(store) == []


@pytest.mark.parametrize("failure", [ZeroDivisionError, StoreBusy])
def test_a_failure_undoes_the_whole_batch(store: EventStore, failure: type[Exception]) -> None:
    append(store)

    def fail(tx: Transaction) -> list[Recorded]:
        record(tx)
        raise failure

    for jobs in ([fail], [record, refuse, fail, record]):
        with pytest.raises(failure):
            store.transact(THE_CLUB, jobs)
    assert len(everything(store)) == 1
    append(store)
    assert findings(store) == []


def test_no_jobs_are_no_work(store: EventStore) -> None:
    assert store.transact(THE_CLUB, []) == []


# Texts and rulebooks


def test_an_erased_text_is_gone_and_the_chain_stays_whole(store: EventStore) -> None:
    fill(store)
    head = everything(store)[-1].digest
    do(store, lambda tx: tx.erase_text("n1"))
    do(store, lambda tx: tx.erase_text("n1"))
    with store.read(THE_CLUB) as book:
        assert book.texts(["n1", "n2", "n3"]) == {"n1": None, "n2": ("01ff", "Bob paid for all")}
        assert book.head().digest == head
    assert [(finding.code, finding.is_fault) for finding in findings(store)] == [("text_erased", False)]


def test_a_refused_erasure_erases_nothing(store: EventStore) -> None:
    fill(store)

    def erase_and_refuse(tx: Transaction) -> None:
        tx.erase_text("n1")
        raise TooLate

    store.transact(THE_CLUB, [erase_and_refuse])
    with store.read(THE_CLUB) as book:
        assert book.texts(["n1"]) == {"n1": ("00ff", "Ann revoked")}


def test_a_text_is_written_once(store: EventStore) -> None:
    append(store, texts={"r": ("00", "first")})
    with pytest.raises(AssertionError):
        append(store, texts={"r": ("00", "second")})
    with pytest.raises(AssertionError):
        do(store, lambda tx: tx.erase_text("unheard"))
    assert len(everything(store)) == 1


def test_a_rulebook_is_kept_by_its_digest(store: EventStore) -> None:
    for body in ("rules", "rules"):
        do(store, partial(record, rulebooks={body_sha(body): body}))
    with store.read(THE_CLUB) as book:
        assert book.rulebook(body_sha("rules")) == "rules"
        assert book.rulebook("0" * 64) is None
    assert findings(store) == []


# Threads, and stores among themselves


def test_threads_lose_nothing_and_double_nothing(store: EventStore) -> None:
    results: list[int] = []

    def write(thread: int) -> None:
        for number in range(12):
            own = f"night:{thread}"
            rows = append(store, hand(number), stream=own if number % 2 else NIGHT)
            results.append(rows[0].position)
            with store.read(THE_CLUB) as book:
                assert book.version(own) == (number + 1) // 2
                assert sum(book.balances(own).values()) == 0

    threads = [threading.Thread(target=write, args=[thread]) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == list(range(1, 97))
    assert findings(store) == []


def numbered(number: int, tx: Transaction) -> list[Recorded]:
    return record(tx, hand(number), command=key(f"c-{number}"))


def test_the_same_appends_give_the_same_digests_on_every_store(tmp_path: Path) -> None:
    digests = []
    for store in (MemoryStore(), SqliteStore(tmp_path / "book.db", create=True)):
        store.found(THE_CLUB, "epoch-1")
        for number in range(3):
            do(store, partial(numbered, number))
        digests.append([row.digest for row in everything(store)])
        store.close()
    assert digests[0] == digests[1]


def test_the_chain_never_changes_its_meaning(store: EventStore) -> None:
    for number in (1, 2):
        do(store, partial(numbered, number))
    first, second = everything(store)
    data = '{"bid":"nap","bidder":"ann","hand":2,"made":true,"note":null}'
    postings = [[1, 2, "nap made", "player:ann", CHIPS, 5], [1, 2, "nap made", "player:bob", CHIPS, -5]]
    fields: Any = [THE_CLUB, NIGHT, 2, 2, "HandRecorded", data, "c-2", "user:1", "tablet-1", AT, None, postings]
    assert second.digest == hashlib.sha256(bytes.fromhex(first.digest) + rfc8785.dumps(fields)).hexdigest()
    assert first.digest == "b53c9545965a8f31906d6d911d4cad431db0c63d4dfe3efbc0a8309f37a79e76"
