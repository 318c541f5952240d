"""Eight at once, processes and threads: nothing is lost, nothing is there twice, and nobody hears of locks."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import ClubExists
from ledger.service import Ledger, Sender, read_request
from ledger.store import CLUB, Recorded
from ledger.stores import SqliteStore
from tests.book.kit import THE_CLUB, everything
from tests.faults import worker
from tests.faults.kit import MEMBERS, Data, assert_no_fault, done, founded, kittybook
from tests.faults.worker import posix
from tests.fuzz.nights import rulebook_data
from tests.model import open_night

pytestmark = [posix, pytest.mark.faults]

EIGHT = 8
GAME = "rockets-peep-nap"

AtOnce = Callable[[Path, list[list[Data]]], list[list[Data]]]


def in_processes(path: Path, commands: list[list[Data]]) -> list[list[Data]]:
    """Let each of several processes send its commands, all at the same time; return the verdicts of each."""
    return worker.together(worker.race, [(path, f"tablet-{n}", each) for n, each in enumerate(commands)])


def in_threads(path: Path, commands: list[list[Data]]) -> list[list[Data]]:
    """The same with threads that share one ``Ledger``."""
    ready = threading.Barrier(len(commands))
    with SqliteStore(path) as store, ThreadPoolExecutor(len(commands)) as pool:
        ledger = Ledger(store)

        def send(device: str, requests: list[Data]) -> list[Data]:
            ready.wait()
            answers = []
            for each in requests:
                answers += ledger.carry_out(THE_CLUB, [read_request(each)], Sender(actor="scorer", device=device))
                time.sleep(worker.REST if answers[-1]["status"] == "recorded" else 0)
            return answers

        return list(pool.map(send, [f"tablet-{n}" for n in range(len(commands))], commands))


@pytest.fixture(params=[in_processes, in_threads])
def at_once(request: pytest.FixtureRequest) -> AtOnce:
    send: AtOnce = request.param
    return send


def command(kind: str, night: str | None = None, **data: Any) -> Data:
    envelope = {"id": str(uuid.uuid4()), "type": kind, "data": data}
    return envelope if night is None else {**envelope, "night": night}


def opened(night: str, table: str = GAME) -> Data:
    return command("OpenNight", table=table, night=night, players=list(MEMBERS), dealer="ann")


def a_hand(night: str, number: int, sender: int) -> Data:
    """A hand that tells by its facts who sent it."""
    bids = ["one", "two", "three", "four"]
    facts = {"bidder": MEMBERS[sender % 4], "bid": bids[(sender + number) % 4], "made": sender < 4}
    return command("RecordHand", night, hand=number, peeks=[MEMBERS[(sender + 1) % 4]], **facts)


def test_eight_on_one_night_each_hand_is_recorded_by_exactly_one(path: Path, at_once: AtOnce) -> None:
    hands = 16
    founded(path, [GAME])
    with SqliteStore(path) as store:
        done(Ledger(store), opened("n"))
    sent = [[a_hand("n", number, sender) for number in range(1, hands + 1)] for sender in range(EIGHT)]
    verdicts = at_once(path, sent)
    winners: dict[int, int] = {}
    for sender, answers in enumerate(verdicts):
        assert [answer["id"] for answer in answers] == [each["id"] for each in sent[sender]]
        for number, answer in enumerate(answers, 1):
            if answer["status"] == "recorded":
                assert number not in winners, "two were told that theirs was recorded"
                winners[number] = sender
            else:
                assert answer["code"] == "hand_settled"
    assert sorted(winners) == list(range(1, hands + 1))
    assert len(set(winners.values())) > 1, "there was no race"
    for sender, answers in enumerate(verdicts):
        for number, answer in enumerate(answers, 1):
            if winners[number] != sender:
                assert f"tablet-{winners[number]}" in answer["detail"]
    _assert_night(path, "n", [sent[winners[number]][number - 1] for number in range(1, hands + 1)])


def test_eight_who_are_ahead_or_behind_of_one_another_go_on(path: Path, at_once: AtOnce) -> None:
    """Each sends every other hand only: who is early is told which hand is next, and sends it again later."""
    founded(path, [GAME])
    with SqliteStore(path) as store:
        done(Ledger(store), opened("n"))
    hands = [a_hand("n", number, number % EIGHT) for number in range(1, EIGHT + 1)]
    verdicts = at_once(path, [[each] * 60 for each in hands])
    for answers in verdicts:
        statuses = [answer["status"] for answer in answers]
        recorded = statuses.count("recorded")
        assert {answer.get("code", "hand_not_next") for answer in answers} == {"hand_not_next"}
        assert statuses == ["refused"] * (len(statuses) - recorded - statuses.count("duplicate")) + [
            "recorded"
        ] * recorded + ["duplicate"] * statuses.count("duplicate")
        assert recorded <= 1
    held = sum(answers[-1]["status"] != "refused" for answers in verdicts)
    _assert_night(path, "n", hands[:held])


def test_eight_tables_at_once(path: Path, at_once: AtOnce) -> None:
    hands = 8
    founded(path, [])
    tables = [f"table-{n}" for n in range(EIGHT)]
    with SqliteStore(path) as store:
        done(Ledger(store), *(command("OpenTable", table=each, name=each, rulebook=GAME) for each in tables))
    sent = [
        [opened(f"n{n}", table), *(a_hand(f"n{n}", number, n) for number in range(1, hands + 1))]
        for n, table in enumerate(tables)
    ]
    verdicts = at_once(path, sent)
    assert {answer["status"] for answers in verdicts for answer in answers} == {"recorded"}
    positions = [event["position"] for answers in verdicts for answer in answers for event in answer["events"]]
    assert len(positions) == len(set(positions))
    for n in range(EIGHT):
        _assert_night(path, f"n{n}", sent[n][1:])


def test_the_same_command_from_eight_is_recorded_once(path: Path, at_once: AtOnce) -> None:
    founded(path, [GAME])
    commands = [opened("n"), *(a_hand("n", number, number) for number in range(1, 13)), command("CloseNight", "n")]
    verdicts = at_once(path, [commands] * EIGHT)
    for answers in zip(*verdicts, strict=True):
        assert Counter(answer["status"] for answer in answers) == {"recorded": 1, "duplicate": EIGHT - 1}
        for key in ("version", "position", "events", "changes"):
            assert all(answer[key] == answers[0][key] for answer in answers)
    _assert_night(path, "n", commands[1:-1])


def test_one_id_for_eight_different_commands_is_one_command(path: Path, at_once: AtOnce) -> None:
    founded(path, [GAME])
    with SqliteStore(path) as store:
        done(Ledger(store), opened("n"))
    sent = [[{**a_hand("n", 1, sender), "id": str(uuid.UUID(int=1))}] for sender in range(EIGHT)]
    verdicts = [answer for (answer,) in at_once(path, sent)]
    told = Counter(answer.get("code", answer["status"]) for answer in verdicts)
    assert told == {"recorded": 1, "command_id_reused": EIGHT - 1}
    (winner,) = (n for n, answer in enumerate(verdicts) if answer["status"] == "recorded")
    _assert_night(path, "n", sent[winner])


def test_a_night_that_is_closed_while_hands_come_in_loses_none(path: Path, at_once: AtOnce) -> None:
    """Faults, B09: each hand is in the night, or named as settled, or kept as late for the treasurer to look at."""
    hands = 12
    founded(path, [GAME])
    with SqliteStore(path) as store:
        done(Ledger(store), opened("n"))
    sent = [[a_hand("n", number, sender) for number in range(1, hands + 1)] for sender in range(EIGHT - 1)]
    closing = command("CloseNight", "n")
    sent.append([*(command("AddMember", name=f"Guest {n}") for n in range(6)), closing])
    verdicts = at_once(path, sent)
    assert verdicts[-1][-1]["status"] == "recorded"
    recorded = {
        request["data"]["hand"]: request
        for requests, answers in zip(sent[:-1], verdicts, strict=False)
        for request, answer in zip(requests, answers, strict=True)
        if answer["status"] == "recorded"
    }
    late = [answer["id"] for answers in verdicts for answer in answers if answer["status"] == "late"]
    told = {answer.get("code", answer["status"]) for answers in verdicts for answer in answers}
    assert told <= {"recorded", "late", "hand_settled"}
    assert sorted(recorded) == list(range(1, len(recorded) + 1))
    assert len(late) == (hands - len(recorded)) * (EIGHT - 1)
    _assert_night(path, "n", [recorded[number] for number in sorted(recorded)])
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        done(ledger, *(command("RefuseLateHand", command=hand, reason="told otherwise") for hand in late[:2]))
        assert_no_fault(ledger)


def test_one_table_is_opened_once(path: Path, at_once: AtOnce) -> None:
    """Checks across streams are exact: two nights of one table are never open at once, two ids are never the same."""
    founded(path, [GAME])
    night: Data = {"table": GAME, "players": list(MEMBERS), "dealer": "ann"}
    member: Data = {"name": "Eve", "number": 14}
    verdicts = at_once(path, [[command("OpenNight", **night), command("AddMember", **member)] for _ in range(EIGHT)])
    for answers, code in zip(zip(*verdicts, strict=True), ("table_busy", "number_taken"), strict=True):
        assert Counter(answer.get("code", answer["status"]) for answer in answers) == {"recorded": 1, code: EIGHT - 1}
    with SqliteStore(path) as store:
        assert_no_fault(Ledger(store))


def test_one_club_is_begun_once(path: Path) -> None:
    """Eight run ``kittybook init`` on one file: one is told that the book is his, and it is."""
    clubs = [(path, f"Club {n}") for n in range(EIGHT)]
    told = [answer for (answer,) in worker.together(worker.init, clubs)]
    assert Counter(exit_code for exit_code, _output in told) == {0: 1, 1: EIGHT - 1}
    (winner,) = (n for n, (exit_code, _output) in enumerate(told) if exit_code == 0)
    with SqliteStore(path) as store, store.read("club") as reader:
        club = Ledger(store).club("club", reader)
        (kept,) = reader.texts([club.name["ref"]]).values()
    assert kept is not None
    assert kept[1] == clubs[winner][1]


def test_a_club_that_two_begin_at_once_is_the_first_ones(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between making room for a book and its first event somebody else writes the first event."""
    with SqliteStore(path, create=True) as store:
        found = store.found

        def found_and_overtaken(club: str, epoch: str, *, another: bool = False) -> None:
            found(club, epoch, another=another)
            monkeypatch.undo()
            Ledger(store).found(club, "The quick", Sender(actor="other"))

        monkeypatch.setattr(store, "found", found_and_overtaken)
        with pytest.raises(ClubExists):
            Ledger(store).found(THE_CLUB, "The slow", Sender(actor="owner"))
        assert_no_fault(Ledger(store))


def test_who_reads_while_eight_write_sees_whole_books(path: Path) -> None:
    """Faults, B77: eight tablets post while the treasurer exports and verifies."""
    hands = 60
    founded(path, [GAME])
    with SqliteStore(path) as store, ThreadPoolExecutor(EIGHT) as pool:
        ledger = Ledger(store)
        done(ledger, opened("n"))
        start = threading.Event()

        def send(sender: int) -> set[str]:
            start.wait(60)
            batches = ([read_request(a_hand("n", number, sender))] for number in range(1, hands + 1))
            return {ledger.carry_out(THE_CLUB, batch, Sender(actor="s"))[0]["status"] for batch in batches}

        writing = [pool.submit(send, sender) for sender in range(EIGHT)]
        heads = [_whole_snapshot(ledger)]
        start.set()
        while not all(each.done() for each in writing):
            heads.append(_whole_snapshot(ledger))
            assert_no_fault(ledger)
            assert kittybook("--db", path, "verify").exit_code == 0
        heads.append(_whole_snapshot(ledger))
        assert set().union(*(each.result() for each in writing)) <= {"recorded", "refused"}
    assert len(set(heads)) > 2, "nothing was written meanwhile"
    assert heads == sorted(heads)


def _whole_snapshot(ledger: Ledger) -> int:
    """Read everything in one snapshot, page by page; return where it ends."""
    with ledger.store.read(THE_CLUB) as reader:
        rows: list[Recorded] = []
        while page := reader.events(rows[-1].position if rows else 0, 7):
            rows += page
        head = reader.head()
        night = ledger.night(THE_CLUB, "n", reader)
        sums: Counter[str] = Counter()
        for row in rows:
            for line in row.postings:
                sums[line.account] += line.amount
        assert (len(rows), rows[-1].digest) == (head.position, head.digest)
        assert night.version == sum(row.stream == "night:n" for row in rows)
        for player, purse in night.purses.items():
            assert purse.balance == sums[f"player:{player}"]
        assert reader.balance(f"pool:{GAME}", f"chips:{GAME}.1", CLUB) == sums[f"pool:{GAME}"] == night.pool
    return head.position


def _assert_night(path: Path, night: str, hands: list[Data]) -> None:
    """The night holds these hands in this order, and comes to what the other reading of the rules makes of them."""
    model = open_night({"players": list(MEMBERS), "dealer": "ann", "pool": 0}, rulebook_data(GAME))
    for hand in hands:
        model.play({key: value for key, value in hand["data"].items() if key != "hand"})
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        assert_no_fault(ledger)
        rows = [row for row in everything(store) if row.stream == f"night:{night}" and row.type == "HandRecorded"]
        assert [row.command_id for row in rows] == [hand["id"] for hand in hands]
        with store.read(THE_CLUB) as reader:
            state = ledger.night(THE_CLUB, night, reader)
        assert {player: purse.balance for player, purse in state.purses.items()} == model.result()["balances"]
        assert [step.number for step in state.hand_steps()] == list(range(1, len(hands) + 1))
