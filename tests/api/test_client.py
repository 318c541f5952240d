"""A client that knows nothing but the description plays a night with it.

Every address, every body and every name of a key comes from ``openapi.json``: what it says is enough.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from tests.api.kit import CLUB, PLAYERS, V1, secret_of


class Client:
    """Calls operations by their ids, with parameters put where the description says."""

    def __init__(self, app: Flask, token: str) -> None:
        self._http = app.test_client()
        self._token = token
        self.description: dict[str, Any] = self._http.get(f"{V1}/openapi.json").get_json()
        self._operations = dict(self._described())

    def _described(self) -> Iterator[tuple[str, tuple[str, str, list[Any], dict[str, Any]]]]:
        for path, item in self.description["paths"].items():
            shared = item.get("parameters", [])
            for method, operation in item.items():
                if method in ("get", "post"):
                    parameters = [*shared, *operation.get("parameters", [])]
                    yield operation["operationId"], (method, path, parameters, operation)

    def call(self, operation: str, body: Any = None, **given: Any) -> tuple[int, Any]:
        method, path, parameters, described = self._operations[operation]
        query: dict[str, Any] = {}
        for parameter in parameters:
            name = parameter["name"]
            if parameter["in"] == "path":
                path = path.replace(f"{{{name}}}", str(given.pop(name)))
            elif parameter["in"] == "query" and name in given:
                query[name] = given.pop(name)
        assert not given, given
        headers = {"Authorization": f"Bearer {self._token}"} if described.get("security") else {}
        send = getattr(self._http, method)
        response = send(path, query_string=query, headers=headers, **({} if body is None else {"json": body}))
        assert str(response.status_code) in described["responses"], (operation, response.status_code)
        return response.status_code, response.get_json()

    def command(self, schema: str, kind: str, **data: Any) -> dict[str, Any]:
        """Make a command by the component that its kind is told apart by."""
        found = self.resolved({"$ref": f"#/components/schemas/{schema}"})
        if "discriminator" in found:
            found = self.resolved({"$ref": found["discriminator"]["mapping"][kind]})
        assert set(found["required"]) <= {"id", "type", "data"}
        assert kind in found["properties"]["type"]["enum"]
        described = self.resolved(found["properties"]["data"])
        assert set(data) <= set(described["properties"]), (kind, data)
        assert set(described.get("required", [])) <= set(data)
        return {"id": str(uuid.uuid4()), "type": kind, "data": data}

    def resolved(self, schema: Any) -> Any:
        while "$ref" in schema:
            schema = self.description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema


@pytest.mark.parametrize("rulebook", ["rockets-peep-nap", "foster-purchase-nap", "wolf-pepper"])
def test_a_night_is_played_by_the_description_alone(app: Flask, rulebook: str) -> None:
    client = Client(app, secret_of(CLUB, "treasurer"))
    rng = random.Random(rulebook)
    _status, books = client.call("rulebooks")
    assert rulebook in [book["id"] for book in books["rulebooks"]]

    opened = client.command("ClubCommand", "OpenTable", table="new", name="New", rulebook=rulebook)
    assert client.call("send_to_club", opened, club=CLUB)[0] == 201
    opening = client.command("OpenNight", "OpenNight", table="new", players=list(PLAYERS), dealer="ann")
    status, verdict = client.call("open_night", opening, club=CLUB)
    assert status == 201
    at = {"club": CLUB, "night": verdict["night"]}

    for _ in range(400):
        state = client.call("night", **at)[1]
        if state["hands_played"] >= 8 and state["hand"]["phase"] == "not_begun":
            break
        choices = [action for action in state["actions"] if action["type"] in PLAYING]
        action = rng.choice(choices)
        sent = client.command("NightCommand", action["type"], **action["data"])
        assert client.call("send_to_night", sent, **at)[0] == 201, action
        assert client.call("send_to_night", sent, **at)[0] == 200
    hands = client.call("hands", **at)[1]["hands"]
    assert len(hands) >= 8
    closing = next(action for action in state["actions"] if action["type"] == "CloseNight")
    assert client.call("send_to_night", client.command("NightCommand", "CloseNight", **closing["data"]), **at)[0] == 201
    closed = client.call("night", **at)[1]
    assert closed["state"] == "closed"
    assert len(closed["receipt"]) == 12
    if closed["scores"] is None:
        assert sum(player["balance"] for player in closed["players"]) + closed["pool"]["chips"] == 0
        for player in closed["players"]:
            told = client.call("explain", account=player["id"], **at)[1]
            assert sum(line["change"] for line in told["lines"]) == told["total"] == player["balance"]


PLAYING = ("Peek", "BuyCards", "Bid", "Pass", "RecordOutcome", "TakePeepCard", "RecordHand")


def test_every_operation_is_described_with_an_id_and_words(app: Flask) -> None:
    description = Client(app, "").description
    assert description["openapi"].startswith("3.1")
    for path, item in description["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            assert operation["operationId"], path
            assert operation["summary"], path
            assert ("security" in operation) is ("{club}" in path)
            assert "default" in operation["responses"]
