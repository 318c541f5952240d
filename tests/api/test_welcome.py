"""A club that nobody has come into yet: the server prints the link for its owner, to a terminal and nowhere else."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ledger import people
from ledger.errors import CodeWrong
from ledger.people import By, Door
from ledger.service import Ledger, Sender
from ledger.stores import SqliteStore, people_of
from tests.api.server import free_port, once
from tests.cli.book import kittybook

pytestmark = pytest.mark.skipif(os.name == "nt", reason="terminals are another matter there")

GOOD = "correct horse battery"
LINK = re.compile(r"http://127\.0\.0\.1:(\d+)/invite#([A-Za-z0-9_-]{43})\r?$", re.MULTILINE)


@contextmanager
def opened(store: Path) -> Iterator[Door]:
    with SqliteStore(store) as found:
        ledger = Ledger(found)
        yield Door(people=people_of(found), clock=ledger.now, chance=ledger.chance)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with SqliteStore(tmp_path / "book.db", create=True) as made:
        Ledger(made).found("feathers", "The Feathers", Sender(actor="cli"))
    return tmp_path / "book.db"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def started(store: Path, log: Path, *, terminal: bool) -> str:
    """Start a server, end it as soon as it answers, and return all that it printed."""
    outside, inside = os.openpty() if terminal else os.pipe()
    program = [sys.executable, "-m", "tests.api.serving", "--db", str(store), "--port", str(free_port())]
    with log.open("ab") as logged:
        process = subprocess.Popen(program, stdout=inside, stderr=logged)
    os.close(inside)
    said = ""
    for heard in _heard(outside):
        said += heard
        if "/api/docs" in said and process.returncode is None:
            once(int(re.findall(r":(\d+)/", said)[0]), "GET", "/api/v1/health")
            process.terminate()
            assert process.wait(20) == 0
    os.close(outside)
    return said


def _heard(outside: int) -> Iterator[str]:
    with suppress(OSError):  # nobody is at the other end of the terminal any more
        while heard := os.read(outside, 4096):
            yield heard.decode()


def secret_in(said: str) -> str:
    (found,) = LINK.findall(said)
    assert "No owner of The Feathers has come in yet." in said
    assert f"http://127.0.0.1:{found[0]}/\r\n" in said  # where it really listens
    return str(found[1])


def test_the_link_is_fresh_at_every_start_until_somebody_comes_in(store: Path, log: Path) -> None:
    first, second = (secret_in(started(store, log, terminal=True)) for _ in range(2))
    with opened(store) as door:
        with pytest.raises(CodeWrong):
            people.look(door, first)
        came = people.use_link(door, second, By(actor="x"), name="Gwen", password=GOOD, club_name="x")
    assert (came.user.role, came.user.name) == ("owner", "Gwen")
    third = started(store, log, terminal=True)
    assert "invite" not in third
    assert "No owner" not in third
    logged = log.read_text(encoding="utf-8")
    assert first not in logged
    assert second not in logged


def test_where_nobody_sits_the_command_stands_that_prints_it(store: Path, log: Path) -> None:
    said = started(store, log, terminal=False)
    assert "invite#" not in said
    assert "No owner of The Feathers has come in yet." in said
    (words,) = re.findall(r"^  kittybook (user .*)$", said, re.MULTILINE)
    printed = kittybook(*shlex.split(words)).stdout
    (found,) = LINK.findall(printed)
    with opened(store) as door:
        assert people.use_link(door, found[1], By(actor="x"), password=GOOD, club_name="x").user.role == "owner"
