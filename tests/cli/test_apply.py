"""`kittybook apply`: a verdict for each line, at once, in order, and nothing else."""

from __future__ import annotations

import functools
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import DiskFull, StoreBusy
from ledger.service import Ledger
from ledger.stores import SqliteStore
from tests.cli.book import apply, command, data, kittybook, lines, record

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.usefixtures("night")
def test_apply_answers_every_line_in_order_and_fails_if_one_was_refused() -> None:
    first = record(1, "bob", "three", True)
    unknown = command("Nonsense")
    verdicts = apply(first, "no json", record(5, "bob", "three", True), unknown, "[1]", '"x"', "", first, code=1)
    assert [verdict["status"] for verdict in verdicts] == ["recorded", *["refused"] * 5, "duplicate"]
    assert [verdict.get("code") for verdict in verdicts[1:6]] == [
        *("unreadable", "hand_not_next", "command_unknown", "bad_value", "bad_value")
    ]
    assert [verdict["id"] for verdict in verdicts] == [
        *(first["id"], None, verdicts[2]["id"], unknown["id"], None, None, first["id"])
    ]
    assert verdicts[0]["changes"] == verdicts[6]["changes"] == {"ann": -3, "bob": 9, "cal": -3, "dot": -3}


def test_apply_reads_a_file_and_commands_of_the_club() -> None:
    kittybook("init", "--club", "Club")
    night = command("OpenNight", None, table="t", night="n", players=["ann", "bob"], dealer="ann")
    Path("commands.jsonl").write_text(
        "\ufeff"
        + lines(
            command("AddMember", None, name="Ann", member="ann"),
            command("AddMember", None, name="Bob", member="bob"),
            command("OpenTable", None, table="t", name="T", rulebook="rockets-napoleon"),
            night,
            record(1, "ann", "two", True, night="n"),
        ).replace("\n", "\r\n"),
        encoding="utf-8",
    )
    result = kittybook("apply", "commands.jsonl")
    assert [json.loads(line)["status"] for line in result.stdout.splitlines()] == ["recorded"] * 5
    assert result.stderr == ""
    assert data("night", "show", "n", "--json")["hands_played"] == 1


@pytest.mark.usefixtures("club")
def test_apply_in_dry_run_builds_line_on_line_and_writes_nothing() -> None:
    before = kittybook("export", "events").stdout
    night = command("OpenNight", None, table="tuesday", night="n", players=["ann", "bob", "cal"], dealer="ann")
    hands = [record(number, "bob", "nap", number % 2 == 0, night="n", peeks=["ann"]) for number in range(1, 151)]
    refused = record(1, "bob", "nap", True, night="n")
    correction = command("CorrectHand", "n", hand=1, facts={"bidder": "bob", "bid": "two", "made": True}, reason="x")
    *verdicts, second, last = apply(night, *hands, refused, correction, options=("--dry-run",), code=1)
    assert {verdict["status"] for verdict in verdicts} == {"preview"}
    assert verdicts[150]["pool"] == 0
    assert verdicts[149]["pool"] == 1
    assert second["code"] == "hand_settled"
    assert [hand["hand"] for hand in last["hands"]] == [1, 2]
    assert kittybook("export", "events").stdout == before


@pytest.mark.usefixtures("night")
def test_apply_as_text_tells_what_changed_and_what_a_correction_would_change() -> None:
    told = kittybook(
        *("apply", "--table", "-"),
        stdin=lines(record(1, "bob", "nap", False, peeks=["ann"]), record(2, "cal", "nap", True), "{", command("X")),
        code=1,
    ).stdout
    assert told.splitlines()[0] == "RecordHand: recorded; Ann +4, Bob -15, Cal +5, Dot +5; pool 1"
    assert "A line: refused. standard input, line 3 cannot be read" in told
    facts = {"bidder": "bob", "bid": "nap", "made": True, "peeks": ["ann"]}
    preview = kittybook(
        *("apply", "--dry-run", "--table", "-"),
        stdin=lines(command("CorrectHand", hand=1, facts=facts, reason="x")),
    ).stdout
    assert "failed -> made  +4 -> -11  -15 -> +31" in preview
    assert "+31 -> +30" in preview


@pytest.mark.usefixtures("club")
def test_apply_of_a_file_that_is_not_there_is_bad_usage() -> None:
    for file in ("none.jsonl", "."):
        assert "cannot be read" in kittybook("apply", file, code=2).stderr


@pytest.mark.parametrize("error", [StoreBusy(), DiskFull(why="no space left")])
def test_apply_stops_where_the_store_cannot_answer_and_what_was_answered_stands(
    night: str, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    real = Ledger.carry_out
    count = 0

    def carry_out(*args: Any, **more: Any) -> Any:
        nonlocal count
        count += 1
        if count == 2:
            raise error
        return real(*args, **more)

    monkeypatch.setattr(Ledger, "carry_out", carry_out)
    hands = lines(record(1, "bob", "two", True), record(2, "bob", "two", True), record(3, "bob", "two", True))
    result = kittybook("apply", "-", stdin=hands, code=1)
    assert [json.loads(line)["status"] for line in result.stdout.splitlines()] == ["recorded"]
    assert str(error) in result.stderr
    assert "stands" in result.stderr
    assert data("night", "show", night, "--json")["hands_played"] == 1


@pytest.mark.usefixtures("night")
def test_a_locked_store_is_busy_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger.stores.SqliteStore", functools.partial(SqliteStore, timeout=0.05))
    connection = sqlite3.connect("kittybook.db", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = kittybook("apply", "-", stdin=lines(record(1, "bob", "two", True)), code=1)
    finally:
        connection.close()
    assert result.stdout == ""
    assert "busy" in result.stderr


@pytest.mark.usefixtures("night")
def test_each_verdict_is_there_before_the_next_line_is_read(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "from ledger.cli import main; main()", "apply", "-"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"id"\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["code"] == "unreadable"
    for number in (1, 2):
        process.stdin.write(lines(record(number, "bob", "two", True)).encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["status"] == "recorded"
    process.stdin.close()
    assert process.wait(10) == 1  # the line that could not be read


@pytest.mark.usefixtures("night")
def test_a_key_given_twice_is_refused_as_nobody_knows_which_was_meant() -> None:
    (verdict,) = [json.loads(line) for line in _twice(record(1, "bob", "three", True))]
    assert (verdict["status"], verdict["code"]) == ("refused", "unreadable")
    assert "'made' twice" in verdict["detail"]


def _twice(told: dict[str, Any]) -> list[str]:
    line = json.dumps(told).replace('"made": true', '"made": true, "made": false')
    return kittybook("apply", "-", stdin=line, code=1).stdout.splitlines()


def test_what_is_no_object_is_said_to_be_none() -> None:
    kittybook("init", "--club", "A Club")
    (verdict,) = apply("[1]", code=1)
    assert verdict["detail"] == "The command must be an object."
