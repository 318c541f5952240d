"""A backup of a book in use is the book at one moment; a restored one is a new history, and nobody is shown the old."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ledger.service import Ledger, read_request
from ledger.stores import SqliteStore
from ledger.stores.sqlite import backup, restore
from tests.book.kit import THE_CLUB, everything
from tests.faults import worker
from tests.faults.kit import (
    SENDER,
    Data,
    Evening,
    assert_kept,
    assert_no_fault,
    balances,
    done,
    evenings,
    founded,
    kittybook,
)
from tests.faults.worker import posix

GAME = "rockets-peep-nap"


def a_night(night: str, hands: int) -> Evening:
    evening = Evening(night=night, table=GAME, sheet={})
    evening.send("OpenNight", table=GAME, night=night, players=["ann", "bob", "cal", "dot"], dealer="ann")
    for number in range(1, hands + 1):
        evening.send("RecordHand", hand=number, bidder="ann", bid="three", made=number % 2 == 0, peeks=["bob"])
    return evening


@pytest.mark.faults
def test_backups_taken_while_eight_threads_write_hold_what_they_claim(path: Path, tmp_path: Path) -> None:
    founded(path, [])
    nights = [a_night(f"n{n}", 200) for n in range(8)]
    enough = threading.Event()
    with SqliteStore(path) as store, ThreadPoolExecutor(8) as pool:
        ledger = Ledger(store)
        for n, night in enumerate(nights):
            table = {"table": f"t{n}", "name": "T", "rulebook": GAME}
            done(ledger, {"id": ledger.new_id(), "type": "OpenTable", "data": table})
            night.commands[0]["data"]["table"] = f"t{n}"

        def write(night: Evening) -> list[Data]:
            sent = []
            for command in night.commands:
                if enough.wait(0.004):
                    break
                done(ledger, command)
                sent.append(command)
            return sent

        writing = [pool.submit(write, night) for night in nights]
        claims: list[tuple[Path, int]] = []
        try:
            for number in range(4):
                copy = tmp_path / f"backup-{number}.db"
                if number % 2:
                    claims.append((copy, backup(store, copy)[THE_CLUB].position))
                else:
                    told = kittybook("--db", path, "backup", copy)
                    assert told.exit_code == 0
                    claims.append((copy, int(told.output.partition("up to position ")[2].partition(";")[0])))
        finally:
            enough.set()
        sent = [each.result() for each in writing]
        rows = everything(store)
    assert len({position for _copy, position in claims}) > 1, "nothing was written meanwhile"
    for number, (copy, position) in enumerate(claims):
        restored = tmp_path / f"restored-{number}.db"
        told = kittybook("--db", restored, "restore", copy)
        assert told.exit_code == 0
        assert f"up to position {position}; head {rows[position - 1].digest}" in told.output
        with SqliteStore(restored) as store:
            assert everything(store) == rows[:position]
            ledger = Ledger(store)
            assert_no_fault(ledger)
            known = {row.command_id for row in rows[:position]}
            for commands in sent:  # what was not in the backup is sent again, what was is not there twice
                for command in commands:
                    (answer,) = done(ledger, command)
                    assert answer["status"] == ("duplicate" if command["id"] in known else "recorded")
            assert_no_fault(ledger)


def test_a_restored_book_shows_none_of_the_old_future(path: Path, tmp_path: Path) -> None:
    """Not even a service that knew it: hand 3 is another hand now, at the same version of the same night."""
    founded(path, [GAME])
    night = a_night("n", 3)
    copy = tmp_path / "backup.db"
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        done(ledger, *night.commands[:3])
        at_backup = balances(ledger, "n")
        backup(store, copy)
        done(ledger, night.commands[3])
        later = balances(ledger, "n")
        with store.read(THE_CLUB) as reader:
            old = reader.head()
    assert later != at_backup
    assert kittybook("--db", path, "restore", copy).exit_code == 0
    with SqliteStore(path) as store:
        ledger.store = store
        assert balances(ledger, "n") == at_backup
        with store.read(THE_CLUB) as reader:
            new = reader.head()
        assert (new.position, new.epoch == old.epoch) == (old.position - 1, False)
        other = {"hand": 3, "bidder": "dot", "bid": "nap", "made": True}
        done(ledger, {"id": ledger.new_id(), "type": "RecordHand", "night": "n", "data": other})
        assert balances(ledger, "n") == balances(Ledger(store), "n") != later
        (answer,) = ledger.carry_out(THE_CLUB, [read_request(night.commands[3])], SENDER)
        assert (answer["status"], answer["code"]) == ("refused", "hand_settled")
        assert_no_fault(ledger)


def test_restored_twice_from_one_backup_is_two_histories(path: Path, tmp_path: Path) -> None:
    founded(path, [GAME])
    copy = tmp_path / "backup.db"
    with SqliteStore(path) as store:
        backup(store, copy)
    epochs = []
    for number in range(2):
        restore(copy, path, epoch=f"epoch-{number}", stamp=f"{number}")
        with SqliteStore(path) as store, store.read(THE_CLUB) as reader:
            epochs.append(reader.head().epoch)
    assert len(set(epochs)) == 2


@posix
@pytest.mark.faults
def test_a_store_in_use_is_not_restored_over(path: Path, tmp_path: Path) -> None:
    """By whoever it is open: this process, an ``apply`` that waits for lines, another program that reads."""
    founded(path, [GAME])
    night = a_night("n", 2)
    copy = tmp_path / "backup.db"
    assert kittybook("--db", path, "backup", copy).exit_code == 0
    with SqliteStore(path) as store:
        done(Ledger(store), *night.commands[:2])
        _refused(path, copy)
        done(Ledger(store), night.commands[2])
    command = [sys.executable, "-c", "from ledger.cli import main; main()", "--db", str(path), "apply", "-"]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"{}\n")
        process.stdin.flush()
        process.stdout.readline()
        _refused(path, copy)
        process.stdin.close()
    with worker.holding(path, "BEGIN"):
        _refused(path, copy)
    with SqliteStore(path):
        path.with_name("book.db.lock").unlink()  # somebody tidied up
        _refused(path, copy)
    with SqliteStore(path) as store:
        assert balances(Ledger(store), "n")
    assert kittybook("--db", path, "restore", copy).exit_code == 0


def _refused(path: Path, copy: Path) -> None:
    before = path.read_bytes()
    names = {*os.listdir(path.parent), "book.db.lock"}
    result = kittybook("--db", path, "restore", copy)
    assert result.exit_code == 1
    assert "is in use: stop whatever has it open" in result.stderr
    assert path.read_bytes() == before
    assert {*os.listdir(path.parent)} == names


def test_a_backup_that_is_cut_short_or_edited_is_refused_and_the_book_stays(path: Path, tmp_path: Path) -> None:
    evening, later = evenings(seed=12, count=2, hands=4)
    founded(path)
    copy = tmp_path / "backup.db"
    with SqliteStore(path) as store:
        done(Ledger(store), *evening.commands)
        backup(store, copy)
        done(Ledger(store), *later.commands)
    content = copy.read_bytes()
    middle = content.index(b'"hand":2')
    for damaged in (
        b"",
        content[:50],
        content[:4096],
        content[: len(content) // 2],
        content[:-4096],
        content[:middle] + b'"hand":3' + content[middle + 8 :],
    ):
        copy.write_bytes(damaged)
        assert kittybook("--db", path, "restore", copy).exit_code == 1
    assert_kept(path, [evening, later])
    assert sorted(os.listdir(tmp_path)) == ["backup.db", "book.db", "book.db.lock"]


@posix
def test_only_a_file_is_replaced_by_a_backup(path: Path, tmp_path: Path) -> None:
    founded(path, [])
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    for target in (pipe, folder, tmp_path / "nowhere" / "backup.db"):
        result = kittybook("--db", path, "backup", target, "--overwrite")
        assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert pipe.is_fifo()
    assert folder.is_dir()
