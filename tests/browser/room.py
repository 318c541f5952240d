"""A club's room for tests of its screens: its server can go and come back, and devices of every role are paired."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

from flask import Flask
from playwright.sync_api import Browser, BrowserContext
from waitress.server import create_server

from api.app import listeners_of
from api.state import State
from ledger import people
from ledger.people import By
from ledger.service import Sender, read_request
from ledger.stores import SqliteStore
from tests.browser.kit import context_of, make_demo
from web.app import create_app

LAN: Final = "club.lan"
"""What the server is called in the network, where nothing is a secure context."""

LONG: Final = "Wolfgang-Amadeus Featherstonehaugh-Cholmondeley of the Marshes"[:60]
ARABIC: Final = "عبد الرحمن بن محمد"
TEN: Final = (LONG, ARABIC, "Rosa", "Callum", "Ines", "Tariq", "Zoë", "Łucja", "Олу", "👩‍👩‍👧‍👦 The Family")
"""Ten players, whose names a screen must find room for."""

PLAYED: Final = (
    (0, "four", True),
    (0, "nap", True),
    (1, "wellington", False),
    (4, "misere", True),
    (2, "three", False),
)
"""Who bids what, and whether he makes it: again and again."""


class Room:
    """A club, served at an address that stays the same."""

    def __init__(self, path: Path, club: str) -> None:
        self.path, self.club = path, club
        self.port = 0
        self._tokens: dict[str, str] = {}
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def address_in_the_network(self) -> str:
        """Where a browser finds it that asks the server itself for every name (``proxy``)."""
        return f"http://{LAN}:{self.port}"

    @property
    def state(self) -> State:
        found: State = self._app.extensions["kittybook"]
        return found

    @property
    def store(self) -> SqliteStore:
        return self._store

    def start(self) -> None:
        """Serve, at the port that was served before."""
        self._store = SqliteStore(self.path)
        self._app: Flask = create_app(self._store, hosts=[LAN])
        self._server = create_server(self._app, host="127.0.0.1", port=self.port, threads=24)
        self.port = self._server.effective_port
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Serve no more, and let go of whoever listens."""
        listeners_of(self._app).close()
        self._server.task_dispatcher.shutdown()  # what is being answered is answered first
        sockets = self._server._map
        with suppress(OSError):  # it may be gone with the last that was answered
            self._server.trigger.pull_trigger(lambda: self._server.asyncore.close_all(sockets, ignore_all=True))
        self._thread.join(5)
        assert not self._thread.is_alive()
        self._store.close()

    def code(self, role: str = "viewer", name: str = "a screen") -> str:
        """Return a code that a device is paired by."""
        _link, code = people.pairing_code(self.state.door, self.club, name, role, By(actor="cli"))
        return code

    def secret(self, role: str) -> str:
        """Return the secret of a device of a role."""
        if role not in self._tokens:
            code = self.code(role, f"the {role}'s")
            _device, self._tokens[role] = people.pair(self.state.door, code, By(actor="nobody", address="127.0.0.1"))
        return self._tokens[role]

    def window(
        self, browser: Browser, size: tuple[int, int], theme: str = "dark", role: str = "viewer", **options: Any
    ) -> BrowserContext:
        """Return a window of a device of the club."""
        context = context_of(browser, size, theme, **options)
        for url in (self.address, self.address_in_the_network):
            context.add_cookies([{"name": "s", "value": self.secret(role), "url": url, "httpOnly": True}])
        return context

    def ask(self, path: str) -> Any:
        """Read something of the club."""
        return self._call(Request(f"{self.address}/api/v1/clubs/{self.club}{path}"), "viewer")

    def send(self, kind: str, night: str, **data: Any) -> Any:
        """Book a command of a night over the API, as the scorekeeper's tablet does."""
        body = {"id": str(uuid.uuid4()), "type": kind, "data": data}
        request = Request(
            f"{self.address}/api/v1/clubs/{self.club}/nights/{night}/commands",
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Origin": self.address},
        )
        return self._call(request, "scorekeeper")

    def do(self, kind: str, at: str | None = None, **data: Any) -> None:
        """Carry out a command of the club, or of the night ``at``, whoever may."""
        place = {} if at is None else {"night": at}
        request = read_request({"id": str(uuid.uuid4()), "type": kind, "data": data, **place})
        (answer,) = self.state.ledger.carry_out(self.club, [request], Sender(actor="cli"))
        assert answer["status"] == "recorded", answer

    def _call(self, request: Request, role: str) -> Any:
        request.add_header("Cookie", f"s={self.secret(role)}")
        with urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def ten_sit_down(self) -> str:
        """Open a night of ten with long names, who play for a great deal; return it."""
        ids = [f"player-{number}" for number in range(1, len(TEN) + 1)]
        for member, name in zip(ids, TEN, strict=True):
            self.do("AddMember", member=member, name=name)
        self.do("OpenTable", table="high", name=f"High stakes, {LONG[:40]}", rulebook="rockets-peep-nap", stake=35_273)
        self.do("OpenNight", table="high", night="high", date="2026-11-28", players=ids, dealer=ids[-1])
        for number in range(1, 16):
            bidder, bid, made = PLAYED[number % len(PLAYED)]
            facts: dict[str, Any] = {"bidder": ids[bidder], "bid": bid, "made": made}
            if bid != "misere":
                facts["trumps"] = ("spades", "hearts", "diamonds", "clubs", "none")[number % 5]
            self.send("RecordHand", "high", hand=number, peeks=ids[number % 7 : number % 7 + 3], **facts)
        return "high"


@contextmanager
def room_of_the_demo(path: Path) -> Iterator[Room]:
    """Give the room of the club that has played for weeks."""
    room = Room(path, make_demo(path))
    try:
        yield room
    finally:
        room.stop()
