"""Evenings sent over a bad network to a server that is killed: every hand once, and all of it right.

Each evening is written down as commands before anything is sent (``tests/faults/kit.py``), and what it comes to is
worked out by the other reading of the rules (``tests/model``). A scorekeeper sends his evening in order: some answers
he does not wait for, some commands he sends twice, some under another's id. A second one sends hands of the same
evening under ids of his own. Meanwhile the server is killed, again and again, and started on the same file.
"""

from __future__ import annotations

import os
import random
import threading
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ledger.service import Ledger
from ledger.stores import SqliteStore, tokens_of
from ledger.tokens import Token, digest_of
from tests.api.server import Connection, Server
from tests.book.kit import THE_CLUB
from tests.faults.kit import GAMES, Evening, assert_no_fault, evenings, founded, scored

pytestmark = [pytest.mark.faults, pytest.mark.skipif(os.name == "nt", reason="nobody is killed so there")]

AT = f"/api/v1/clubs/{THE_CLUB}"
TREASURER = "kb_chaos"
SECONDS = float(os.environ.get("KITTYBOOK_CHAOS", "12"))


class Scorekeeper(threading.Thread):
    """Sends his evening until all of it is answered, whatever becomes of the network and the server."""

    def __init__(self, port: int, evening: Evening, seed: int) -> None:
        super().__init__(name=evening.night)
        self._rng = random.Random(seed)
        self._connection = Connection(port, TREASURER, timeout=5)
        self._evening = evening
        self.statuses: Counter[int] = Counter()
        self.current: dict[str, Any] | None = None
        self.wrong: list[Any] = []

    def run(self) -> None:
        for command in self._evening.commands:
            self.current = command
            self._deliver(command)
        self.current = None
        self._connection.close()

    def _deliver(self, command: dict[str, Any]) -> None:
        body, path = as_sent(command)
        if self._rng.random() < 0.15:
            self._connection.lose("POST", path, body)  # the answer is lost; perhaps it was recorded, perhaps not
        repeats = 1 + (self._rng.random() < 0.15)
        while repeats:
            try:
                status, _headers, said = self._connection.call("POST", path, body)
            except OSError:
                time.sleep(0.05)
                continue
            self.statuses[status] += 1
            if status in (200, 201):
                repeats -= 1
            elif status == 503:
                time.sleep(0.05)
            else:
                self.wrong.append((status, said))
                return
        if self._rng.random() < 0.1:
            self._cross(command)

    def _cross(self, command: dict[str, Any]) -> None:
        """Send something else under an id that was used: it must be refused, and change nothing."""
        body = {"id": command["id"], "type": "AddNote", "data": {"note": "crossed"}}
        try:
            status, _headers, said = self._connection.call("POST", f"{AT}/nights/{self._evening.night}/commands", body)
        except OSError:
            return
        if status not in (422, 503) or (status == 422 and said["code"] != "command_id_reused"):
            self.wrong.append((status, said))


class Rival(threading.Thread):
    """A second scorekeeper of the same evening, who sends hands that were recorded under ids of his own."""

    def __init__(self, port: int, first: Scorekeeper, evening: Evening) -> None:
        super().__init__(name=f"rival of {evening.night}")
        self._connection = Connection(port, TREASURER, timeout=5)
        self._first, self._evening = first, evening
        self.codes: Counter[str] = Counter()
        self.wrong: list[Any] = []

    def run(self) -> None:
        while self._first.is_alive():
            hand = self._settled()
            if hand is None:
                time.sleep(0.05)
                continue
            facts = {"bidder": "ann", "bid": "three", "made": True}
            body = {"id": str(uuid.uuid4()), "type": "RecordHand", "data": {"hand": hand, **facts}}
            try:
                status, _headers, said = self._connection.call(
                    "POST", f"{AT}/nights/{self._evening.night}/commands", body
                )
            except OSError:
                time.sleep(0.05)
                continue
            self.codes[said.get("code", "")] += 1
            if status not in (409, 503, 404):
                self.wrong.append((status, said))
            time.sleep(0.02)
        self._connection.close()

    def _settled(self) -> int | None:
        """Return a hand that is behind what the other one sends now, so that it was recorded and stays so."""
        current = self._first.current
        number = (current or {}).get("data", {}).get("hand")
        return number - 1 if isinstance(number, int) and number > 1 else None


def as_sent(command: dict[str, Any]) -> tuple[dict[str, Any], str]:
    body = {key: value for key, value in command.items() if key != "night"}
    if command["type"] == "OpenNight":
        return body, f"{AT}/nights"
    return body, f"{AT}/nights/{command['night']}/commands"


def test_every_hand_is_recorded_once_whatever_happens(tmp_path: Path) -> None:
    path = tmp_path / "book.db"
    founded(path)
    with SqliteStore(path) as store:
        digest = digest_of(TREASURER)
        token = Token(club=THE_CLUB, id=digest[:8], name="tablet", role="treasurer", created="2026-11-26")
        tokens_of(store).add(token, digest)
    seed = int(os.environ.get("KITTYBOOK_SEED", "5"))
    written = [evenings(seed + number, 1, 14, games=(game,))[0] for number, game in enumerate(GAMES)]
    server = Server(path, tmp_path / "log")
    server.start()
    try:
        senders = [Scorekeeper(server.port, evening, seed + index) for index, evening in enumerate(written)]
        rivals = [Rival(server.port, sender, evening) for sender, evening in zip(senders, written, strict=True)]
        for thread in (*senders, *rivals):
            thread.start()
        rng, kills, end = random.Random(seed), 0, time.monotonic() + SECONDS
        while any(sender.is_alive() for sender in senders):
            time.sleep(rng.uniform(0.1, 0.6))
            if time.monotonic() < end:
                server.kill()
                kills += 1
                server.start()
        for thread in (*senders, *rivals):
            thread.join()
    finally:
        server.stop()
    assert [sender.wrong for sender in senders] == [[]] * len(senders)
    assert [rival.wrong for rival in rivals] == [[]] * len(rivals)
    assert kills >= 2
    assert sum((sender.statuses for sender in senders), Counter())[200] > 0  # something was sent again
    assert sum((rival.codes for rival in rivals), Counter())["hand_settled"] > 0
    assert {line["status"] for line in server.log() if "status" in line} <= {200, 201, 404, 409, 422, 503}
    assert_kept(path, written)


def assert_kept(path: Path, written: list[Evening]) -> None:
    """The book holds these evenings, each command once and in order, and all comes to what the other reading says."""
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        assert_no_fault(ledger)
        with store.read(THE_CLUB) as reader:
            for evening in written:
                rows = reader.stream(f"night:{evening.night}")
                order = [*dict.fromkeys(row.command_id for row in rows)]
                assert order == [command["id"] for command in evening.commands]
                night = ledger.night(THE_CLUB, evening.night, reader)
                told = scored(evening)
                assert {player: purse.balance for player, purse in night.purses.items()} == told["balances"]
                assert (night.hands, night.closed) == (len(evening.sheet["hands"]), True)
