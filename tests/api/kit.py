"""What the tests of the API share: a club with a night on SQLite, an app for it, and callers of every role."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app, listeners_of
from ledger.access import ROLES
from ledger.service import Ledger, Sender, read_request
from ledger.stores import SqliteStore, tokens_of
from ledger.tokens import Token, digest_of

CLUB: Final = "thursday"
OTHER: Final = "strangers"
NIGHT: Final = "peep-1"
PLAYERS: Final = ("ann", "bob", "cal", "dot")
V1: Final = "/api/v1"

Data = dict[str, Any]


def secret_of(club: str, role: str) -> str:
    return f"kb_{club}_{role}"


def make_store(path: Path) -> None:
    """Make two clubs, each with members, a table, a night of five hands, and a token of every role."""
    with SqliteStore(path, create=True) as store:
        for club in (CLUB, OTHER):
            make_club(store, club)


def make_club(store: SqliteStore, club: str, *, hands: int = 5) -> None:
    ledger, sender = Ledger(store), Sender(actor="owner")
    ledger.found(club, f"The {club} club", sender, another=True)

    def done(kind: str, night: str | None = None, **data: Any) -> None:
        (answer,) = ledger.carry_out(club, [read_request(command(kind, night, **data))], sender)
        assert answer["status"] == "recorded", answer

    for player in (*PLAYERS, "eve"):
        done("AddMember", member=player, name=player.title())
    done("OpenTable", table="peep", name="Peep", rulebook="rockets-peep-nap")
    done("OpenNight", table="peep", night=NIGHT, players=list(PLAYERS), dealer="dot")
    for hand in range(1, hands + 1):
        done("RecordHand", NIGHT, hand=hand, bidder=PLAYERS[hand % 4], bid="three", made=True, peeks=["ann"])
    for role in ROLES:
        digest = digest_of(secret_of(club, role))
        token = Token(club=club, id=digest[:8], name=f"{role}'s tablet", role=role, created="2026-11-26")
        tokens_of(store).add(token, digest)


def command(kind: str, night: str | None = None, /, **data: Any) -> Data:
    made: Data = {"id": str(uuid.uuid4()), "type": kind, "data": data}
    return made if night is None else {**made, "night": night}


class Caller:
    """Somebody of a role, who calls a club's API."""

    def __init__(self, client: FlaskClient, role: str | None, club: str = CLUB) -> None:
        self._client = client
        self._club = club
        self._headers = {} if role is None else {"Authorization": f"Bearer {secret_of(club, role)}"}

    def get(self, path: str = "", *, headers: Data | None = None, club: str | None = None) -> TestResponse:
        at = path if path.startswith("/api/") else f"{V1}/clubs/{club or self._club}{path}"
        return self._client.get(at, headers={**self._headers, **(headers or {})})

    def read(self, path: str = "") -> Any:
        response = self.get(path)
        assert response.status_code == 200, (path, response.get_data(as_text=True))
        return response.get_json()

    def post(self, path: str, body: Any, *, club: str | None = None, **options: Any) -> TestResponse:
        at = path if path.startswith("/api/") else f"{V1}/clubs/{club or self._club}{path}"
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {**self._headers, "Content-Type": "application/json", **options.get("headers", {})}
        return self._client.post(at, data=raw, headers=headers)

    def send(self, kind: str, night: str | None = NIGHT, /, **data: Any) -> TestResponse:
        """Send a command to a night, or to the club."""
        path = "/commands" if night is None else f"/nights/{night}/commands"
        return self.post(path, command(kind, **data))

    def state(self, night: str = NIGHT) -> Any:
        return self.read(f"/nights/{night}")


@contextmanager
def app_for(path: Path) -> Iterator[Flask]:
    with SqliteStore(path) as store:
        app = create_app(store, listeners=3)
        app.testing = False  # as it is served: what is not caught is answered
        yield app
        listeners_of(app).close()
