"""What the tests of files share: books whose money is posted by hand, and the programs that read what is written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from ledger.club import Club, evolve
from ledger.exports.accounting import Accounts
from ledger.exports.beancount import beancount
from ledger.exports.hledger import hledger
from ledger.history import event_from
from ledger.service import Ledger, Sender, read_request
from ledger.store import CLUB, JSON, EventStore, NewEvent, Posting, Reader
from ledger.stores import MemoryStore
from ledger.words import Words
from tests.stores.kit import do

POUNDS: dict[str, JSON] = {"currency": "GBP", "chip": 10, "exponent": 2}


class Book:
    """A club's book in memory, written event by event."""

    def __init__(self, *members: str, name: str = "Club", store: EventStore | None = None) -> None:
        self.store = store or MemoryStore()
        self.ledger = Ledger(self.store)
        self.ledger.found("club", name, Sender(actor="test"), zone="Europe/London", cut_off="06:00")
        for member in members:
            self.send("AddMember", member=member, name=member.title())

    def send(self, kind: str, **data: object) -> None:
        request = read_request({"id": str(uuid.uuid4()), "type": kind, "data": data})
        (answer,) = self.ledger.carry_out("club", [request], Sender(actor="test"))
        assert answer["status"] == "recorded", answer

    def append(
        self,
        stream: str,
        kind: str,
        data: Mapping[str, JSON] | None = None,
        *entries: tuple[str, Mapping[tuple[str, str], int]],
        at: str = "2026-11-24T21:00:00.000Z",
        hand: int | None = None,
        notes: Mapping[str, str] | None = None,
    ) -> None:
        """Write an event with its entries (memo, (account, unit) to amount) and notes in words."""
        postings = tuple(
            Posting(number, hand, memo, account, unit, amount)
            for number, (memo, amounts) in enumerate(entries, 1)
            for (account, unit), amount in amounts.items()
        )
        said = {key: (str(uuid.uuid4()), words) for key, words in (notes or {}).items()}
        refs: dict[str, JSON] = {key: {"ref": ref, "sha256": "0" * 64} for key, (ref, _words) in said.items()}
        event = NewEvent(type=kind, data={**(data or {}), **refs}, postings=postings)
        do(
            self.store,
            lambda tx: tx.append(
                stream,
                tx.version(stream),
                [event],
                command=(str(uuid.uuid4()), "0" * 64, kind),
                actor="test",
                device=None,
                recorded_at=at,
                texts={ref: ("00", words) for ref, words in said.values()},
                answer="{}",
            ),
            "club",
        )

    def night(self, night: str, date: str, *, table: str = "t", at: str | None = None, chips: int = 50) -> None:
        """Play and close a night for money: ann wins ``chips`` of ten pence from bob, the pool gets two more of his."""
        stream, unit, at = f"night:{night}", f"chips:{table}.1", at or f"{date}T21:00:00.000Z"
        opened: dict[str, JSON] = {"night": night, "table": table, "date": date, "unit": unit, "money": POUNDS}
        ann, bob, pool = ("player:ann", unit), ("player:bob", unit), (f"pool:{table}", unit)
        self.append(stream, "NightOpened", opened, at=at)
        self.append(CLUB, "NightBegan", {"night": night, "table": table, "date": date}, at=at)
        bought: dict[tuple[str, str], int] = {("till", unit): -100, bob: 100}
        paid = {("player:bob", "GBP"): 1000, ("cash", "GBP"): -1000}
        self.append(stream, "ChipsBought", {"player": "bob"}, ("bought", bought), ("paid in", paid), at=at)
        self.append(stream, "HandRecorded", {"hand": 1}, ("peek", {bob: -2, pool: 2}), at=at, hand=1)
        self.append(stream, "HandRecorded", {"hand": 2}, ("nap made", {ann: chips, bob: -chips}), at=at, hand=2)
        results = [
            ("result", {ann: -chips, ("exchange", unit): chips, ("exchange", "GBP"): -10 * chips,
                        ("member:ann", "GBP"): 10 * chips}),
            ("result", {bob: 2 + chips - 100, ("till", unit): 100, ("exchange", unit): -2 - chips,
                        ("exchange", "GBP"): 20 + 10 * chips, ("player:bob", "GBP"): -1000,
                        ("member:bob", "GBP"): 1000 - 20 - 10 * chips}),
        ]  # fmt: skip
        self.append(stream, "NightClosed", {"revision": 1}, *results, at=at)
        ended: dict[str, JSON] = {"night": night, "revision": 1, "players": ["ann", "bob"], "unit": "GBP", "due": {}}
        self.append(CLUB, "NightEnded", ended, at=at)

    def payment(self, member: str, amount: int, *, at: str, unit: str = "GBP", **data: JSON) -> None:
        """Let a member pay so much into the cash box."""
        moved = {(f"member:{member}", unit): amount, ("cash", unit): -amount}
        self.append(CLUB, "PaymentRecorded", data, ("payment", moved), at=at)

    def hledger(self, season: str | None = None) -> str:
        return self._written(hledger, season)

    def beancount(self, season: str | None = None) -> str:
        return self._written(beancount, season)

    def _written(self, write: Callable[[Accounts], Iterator[str]], season: str | None) -> str:
        with self.store.read("club") as reader:
            club = club_of(reader)
            return "".join(write(Accounts(club, reader, Words(club, reader), season)))


def club_of(reader: Reader) -> Club:
    """Return the club, without what was written by hand: that is known by its postings alone."""
    club: Club | None = None
    for row in reader.stream(CLUB):
        if row.type.startswith(("Club", "Member", "Table", "Season", "Night")):
            club, _entries = evolve(club, event_from(row), row.version)
    assert club is not None
    return club


def ask_hledger(folder: Path, journal: str, *args: str, code: int = 0) -> str:
    """Run hledger on a journal, and require its exit code; return what it says."""
    if shutil.which("hledger") is None:
        pytest.skip("hledger is not installed: apt-get install hledger")
    return _ask(folder / "book.journal", journal, ["hledger", "-f", "{}", *args], code)


def ask_beancount(folder: Path, text: str, *, code: int = 0) -> str:
    """Run bean-check on a file, and require its exit code; return what it says."""
    program = str(Path(sys.executable).with_name("bean-check"))
    return _ask(folder / "book.beancount", text, [program, "--no-cache", "{}"], code)


def _ask(file: Path, text: str, command: list[str], code: int) -> str:
    file.write_text(text, encoding="utf-8", newline="")
    run = subprocess.run(
        [word.replace("{}", str(file)) for word in command],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "LC_ALL": "C"},
    )
    assert run.returncode == code, (run.stdout + run.stderr)[:3000]
    return run.stdout + run.stderr


def accepted(folder: Path, book: Book, season: str | None = None) -> None:
    """Require that both programs accept a book."""
    ask_hledger(folder, book.hledger(season), "check", "--strict")
    ask_beancount(folder, book.beancount(season))
