"""``kill -9`` at any moment: what was answered is there, what is sent again is there once."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from ledger.service import Ledger
from ledger.store import CLUB
from ledger.stores import SqliteStore
from tests.book.kit import THE_CLUB, everything
from tests.faults import worker
from tests.faults.kit import Data, Evening, assert_kept, assert_no_fault, done, evenings, founded, kittybook
from tests.faults.worker import posix

pytestmark = [posix, pytest.mark.faults]

KILLS = 50
HALTS = ("", "", "before", "", "after")
"""Before a commit, after it but before the answer, and (twice as often) wherever chance has it."""


def test_fifty_kills_lose_nothing_and_double_nothing(path: Path) -> None:
    rng = random.Random(63)
    written = evenings(seed=1, count=10, hands=14)
    commands = [command for evening in written for command in evening.commands]
    founded(path)
    answers: list[Data] = []
    fates: Counter[str] = Counter()
    for kill in range(KILLS):
        rest = commands[len(answers) :]
        assert rest, "there is too little to send"
        with _kept_open(path) if kill % 2 else ExitStack():
            answers += _sent_until_killed(rng, path, rest, HALTS[kill % len(HALTS)])
            fates["torn"] += _pages_without_commit(path) > 0
        fates.update(_fates(path, commands[len(answers) :][:4]))
    assert fates["torn"], "no kill left a transaction in the log that was not committed"
    assert fates["recorded"], "no kill came between a commit and its answer"
    assert fates["unrecorded"], "no kill came between sending and the commit"
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        answers += done(ledger, *commands[len(answers) :][:100])
        for command in commands[len(answers) :]:
            answers += done(ledger, command)
        for command, first in zip(commands, answers, strict=True):
            (again,) = done(ledger, command)
            assert again["status"] == "duplicate"
            assert [again[key] for key in ("id", *REMEMBERED)] == [first[key] for key in ("id", *REMEMBERED)]
    assert_kept(path, written)


REMEMBERED = ("version", "position", "events", "changes")


def _sent_until_killed(rng: random.Random, path: Path, commands: list[Data], halt: str) -> list[Data]:
    """Let a process send commands, kill it, and return all that it was answered: verdicts in the order of sending."""
    batches = []
    taken = 0
    while taken < min(len(commands), 40):
        size = rng.choice([1, 1, 1, 2, 4])
        batches.append(commands[taken : taken + size])
        taken += size
    if halt:
        verdicts = _killed_at(path, batches, halt, rng.randint(1, 5))
    else:
        process, pipe = worker.start(worker.send, path, batches)
        verdicts = [worker.heard(pipe) for _ in range(rng.randint(0, 3))]
        _wait(rng.uniform(0, 0.004))
        worker.killed(process)
        verdicts += worker.told(pipe)
    assert [verdict["id"] for verdict in verdicts] == [command["id"] for command in commands[: len(verdicts)]]
    assert {verdict["status"] for verdict in verdicts} <= {"recorded", "duplicate"}, verdicts
    return verdicts


def _killed_at(path: Path, batches: list[list[Data]], halt: str, commits: int) -> list[Data]:
    """Let a process send batches, kill it before or after so many commits, and return what it was answered."""
    process, pipe = worker.start(worker.send, path, batches, halt, commits)
    verdicts = []
    while (said := worker.heard(pipe)) != "halted":
        verdicts.append(said)
    worker.killed(process)
    return verdicts


def _wait(seconds: float) -> None:
    """Sleep, to the microsecond."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


@contextmanager
def _kept_open(path: Path) -> Iterator[None]:
    """Have the store open, and a snapshot: the log is then not recovered, but taken over as the dead left it."""
    with SqliteStore(path) as store, store.read(THE_CLUB) as reader:
        head = reader.head()
        yield
        assert reader.events(head.position) == []


def _pages_without_commit(path: Path) -> int:
    """Count the pages at the end of the write-ahead log that no commit follows.

    A frame begins with the page's number, the size of the database if it is the last of a commit, and two salts,
    which are the log's if it was written since the last checkpoint (https://www.sqlite.org/fileformat2.html, 4.1).
    """
    log = path.with_name(f"{path.name}-wal")
    content = log.read_bytes() if log.exists() else b""
    page, salts = int.from_bytes(content[8:12], "big"), content[16:24]
    count = 0
    for start in range(32, len(content) - 24, 24 + page) if page else ():
        if content[start + 8 : start + 16] != salts:
            break
        committed = int.from_bytes(content[start + 4 : start + 8], "big")
        count = 0 if committed else count + 1
    return count


def _fates(path: Path, unanswered: list[Data]) -> list[str]:
    """Return what became of commands that were not answered: no later one is recorded without an earlier."""
    with SqliteStore(path) as store, store.read(THE_CLUB) as reader:
        fates = ["unrecorded" if reader.command(command["id"]) is None else "recorded" for command in unanswered]
        head = reader.head()
        last = reader.events(head.position - 1)
    assert fates == sorted(fates), "recorded out of order"
    assert [(row.position, row.digest) for row in last] == [(head.position, head.digest)]
    return fates


def test_an_ante_is_paid_once_whenever_the_server_is_killed(path: Path) -> None:
    """Faults, B63: a stake belongs to its deal, not to the tap that happened to begin it, sent however often."""
    evening = Evening(night="n", table="russian-napoleon", sheet={})
    evening.send("OpenNight", table=evening.table, night="n", players=["ann", "bob", "cal"], dealer="ann")
    evening.send("Bid", hand=1, player="bob", bid="two")
    evening.send("Pass", hand=1, player="cal")
    evening.send("DeclareMisdeal", hand=1)  # the antes stand
    evening.send("Pass", hand=2, player="bob")
    evening.send("RecordHand", hand=2, bidder="cal", bid="three", made=True)
    evening.send("RecordHand", hand=3, bidder="cal", bid="three", made=False)
    founded(path)
    for number in range(1, len(evening.commands) + 1):
        batches = [[command] for command in evening.commands[:number]]
        _killed_at(path, batches, "before", number)
        _killed_at(path, batches, "after", number)
    with SqliteStore(path) as store, store.read(THE_CLUB) as reader:
        lines = [line.posting for line in reader.postings(stream="night:n")]
        antes = Counter((line.hand, line.account) for line in lines if line.memo == "ante" and line.amount == -1)
        assert antes == Counter({(hand, f"player:{player}"): 1 for hand in (1, 3) for player in ("ann", "bob", "cal")})
        assert_no_fault(Ledger(store))


def test_a_name_that_was_erased_is_in_no_file_though_the_server_was_killed(path: Path) -> None:
    """Between erasing it and emptying the log, in which it could still be read."""
    founded(path, [])
    commands: list[Data] = [
        {"id": str(uuid.UUID(int=1)), "type": "AddMember", "data": {"member": "xyl", "name": "Xylophonist"}},
        {"id": str(uuid.UUID(int=2)), "type": "EraseMember", "data": {"member": "xyl"}},
    ]
    _killed_at(path, [[command] for command in commands], "after", 2)
    assert _files_with(path.parent, b"Xylophonist") == ["book.db-wal"]
    with SqliteStore(path) as store:
        assert done(Ledger(store), commands[1])[0]["status"] == "duplicate"
        assert _files_with(path.parent, b"Xylophonist") == []


def test_a_name_that_was_erased_while_somebody_read_is_in_no_file_soon_after(path: Path) -> None:
    founded(path, [])
    with SqliteStore(path) as store:
        ledger = Ledger(store)

        def send(kind: str, **data: str) -> None:
            done(ledger, {"id": ledger.new_id(), "type": kind, "data": data})

        send("AddMember", member="xyl", name="Xylophonist")
        with store.read(THE_CLUB):
            send("EraseMember", member="xyl")
        send("AddMember", member="zoe", name="Zoe")
        assert _files_with(path.parent, b"Xylophonist") == []


def _files_with(folder: Path, words: bytes) -> list[str]:
    return [file.name for file in folder.iterdir() if words in file.read_bytes()]


# The command line


def test_apply_killed_and_run_again_on_the_same_file(path: Path, tmp_path: Path) -> None:
    written = evenings(seed=2, count=2, hands=12)
    commands = [command for evening in written for command in evening.commands]
    file = tmp_path / "commands.jsonl"
    file.write_text("".join(json.dumps(command) + "\n" for command in commands))
    founded(path)
    answered: dict[str, Data] = {}
    for lines in (1, 20):
        with subprocess.Popen(
            [sys.executable, "-c", "from ledger.cli import main; main()", "--db", path, "apply", file],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            said = b"".join(process.stdout.readline() for _ in range(len(answered) + lines))
            process.kill()
            said += process.stdout.read()
        verdicts = [json.loads(line) for line in said.split(b"\n")[:-1]]
        assert [verdict["status"] for verdict in verdicts[: len(answered)]] == ["duplicate"] * len(answered)
        for verdict in verdicts:
            first = answered.setdefault(verdict["id"], verdict)
            assert [verdict[key] for key in REMEMBERED] == [first[key] for key in REMEMBERED]
        assert len(verdicts) == len(answered) < len(commands)
    result = kittybook("--db", path, "apply", file)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == len(commands)
    assert kittybook("--db", path, "verify").exit_code == 0
    assert_kept(path, written)


def test_init_that_was_cut_off_can_be_run_again(path: Path) -> None:
    with SqliteStore(path, create=True) as store:
        store.found("thursday", "epoch-1")
    assert kittybook("--db", path, "verify").exit_code == 1
    assert kittybook("--db", path, "init", "--club", "Thursday").exit_code == 0
    assert kittybook("--db", path, "verify").exit_code == 0
    assert kittybook("--db", path, "init", "--club", "Thursday").exit_code == 1


@pytest.mark.parametrize("closed", [True, False])
def test_restore_killed_at_any_step_leaves_the_old_book_or_the_new(path: Path, tmp_path: Path, closed: bool) -> None:
    """And the old one in full: in its place, or set aside. ``closed``: the store was left in good order."""
    first, second = evenings(seed=3, count=2, hands=3)
    founded(path)
    process, pipe = worker.start(worker.send, path, [first.commands])
    assert len(list(worker.told(pipe))) == len(first.commands)
    process.join(worker.PATIENCE)
    copy = tmp_path / "backup.db"
    assert kittybook("--db", path, "backup", copy).exit_code == 0
    _killed_at(path, [[command] for command in second.commands], "after", len(second.commands))
    if closed:
        SqliteStore(path).close()
    new = [command["id"] for command in first.commands]
    old = new + [command["id"] for command in second.commands]
    crashed = tmp_path / "crashed"
    outcomes = []
    for step in range(1, 100):
        shutil.rmtree(crashed, ignore_errors=True)
        crashed.mkdir()
        for suffix in ("", "-wal"):
            if (file := path.with_name(path.name + suffix)).exists():
                shutil.copy(file, crashed / file.name)
        store = crashed / path.name
        process, pipe = worker.start(worker.restore, copy, store, step)
        finished = list(worker.told(pipe))
        process.join(worker.PATIENCE)
        held = _commands_of(store)
        if held == new:
            assert _commands_of(store.with_name(f"{store.name}.before-stamp")) == old
        else:
            assert held == old
        outcomes.append("new" if held == new else "old")
        if finished:
            break
    assert finished == ["done"]
    assert kittybook("--db", store, "verify").exit_code == 0
    assert outcomes == sorted(outcomes, reverse=True)
    assert {"old", "new"} == set(outcomes)


def _commands_of(path: Path) -> list[str]:
    """Return the ids of all commands for nights that a store holds, in order."""
    with SqliteStore(path) as store:
        return list(dict.fromkeys(row.command_id for row in everything(store) if row.stream != CLUB))
