"""Commands over HTTP: once each, refused in one shape, nothing half done."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from flask import Flask

from api.schemas.commands import FIELDS, command_schema, undescribed
from api.schemas.facts import Facts, Irregularities
from ledger.commands import CLUB_COMMANDS, IRREGULARITIES, NIGHT_COMMANDS
from ledger.hands import Hand
from tests.api.kit import NIGHT, PLAYERS, V1, Caller, command

THREE = {"bidder": "bob", "bid": "three", "made": True}


def head(caller: Caller) -> tuple[int, Any]:
    club = caller.read()
    return club["position"], caller.state()["players"]


def test_a_command_is_recorded_and_sent_again_is_a_duplicate(scorer: Caller) -> None:
    sent = command("RecordHand", hand=6, **THREE)
    first = scorer.post(f"/nights/{NIGHT}/commands", sent)
    again = scorer.post(f"/nights/{NIGHT}/commands", sent)
    assert (first.status_code, again.status_code) == (201, 200)
    one, two = first.get_json(), again.get_json()
    assert one["status"] == "recorded"
    assert two["status"] == "duplicate"
    for key in ("id", "version", "position", "events", "changes", "balances", "pool"):
        assert one[key] == two[key]
    assert one["changes"] == {"ann": -3, "bob": 9, "cal": -3, "dot": -3}
    assert scorer.read(f"/nights/{NIGHT}/hands/6")["device"] == "scorekeeper's tablet"


def test_the_same_id_with_other_words_is_something_else(treasurer: Caller) -> None:
    sent = command("AddNote", note="It rained.")
    assert treasurer.post(f"/nights/{NIGHT}/commands", sent).status_code == 201
    assert treasurer.post(f"/nights/{NIGHT}/commands", sent).status_code == 200
    refused = treasurer.post(f"/nights/{NIGHT}/commands", {**sent, "data": {"note": "It snowed."}})
    assert (refused.status_code, refused.get_json()["code"]) == (422, "command_id_reused")


def test_the_same_id_for_something_else_is_refused(scorer: Caller) -> None:
    sent = command("RecordHand", hand=6, **THREE)
    assert scorer.post(f"/nights/{NIGHT}/commands", sent).status_code == 201
    before = head(scorer)
    refused = scorer.post(f"/nights/{NIGHT}/commands", {**sent, "data": {**sent["data"], "bid": "four"}})
    assert (refused.status_code, refused.get_json()["code"]) == (422, "command_id_reused")
    assert head(scorer) == before


def test_another_hand_in_the_same_place_is_refused_and_named(scorer: Caller) -> None:
    scorer.send("RecordHand", hand=6, **THREE)
    refused = scorer.send("RecordHand", hand=6, bidder="cal", bid="four", made=True)
    problem = refused.get_json()
    assert (refused.status_code, problem["code"]) == (409, "hand_settled")
    assert "three" in problem["detail"]
    assert "scorekeeper's tablet" in problem["detail"]


def test_an_expected_version_that_is_not_is_told_with_the_one_that_is(scorer: Caller) -> None:
    sent = {**command("RecordHand", hand=6, **THREE), "expected_version": 2}
    refused = scorer.post(f"/nights/{NIGHT}/commands", sent)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "wrong_version")
    assert refused.get_json()["version"] == scorer.state()["version"]
    right = {**sent, "expected_version": scorer.state()["version"]}
    assert scorer.post(f"/nights/{NIGHT}/commands", right).status_code == 201
    assert scorer.post(f"/nights/{NIGHT}/commands", right).status_code == 200  # the id comes before the version


@pytest.mark.parametrize("how", ["?dry_run=true", "dry_run"])
def test_a_preview_writes_nothing_and_can_be_booked_as_it_was_shown(scorer: Caller, how: str) -> None:
    sent = command("CorrectHand", hand=5, reason="told otherwise", facts={**THREE, "made": False})
    before = head(scorer)
    if how == "dry_run":
        shown = scorer.post(f"/nights/{NIGHT}/commands", {**sent, "dry_run": True})
    else:
        shown = scorer.post(f"/nights/{NIGHT}/commands{how}", sent)
    preview = shown.get_json()
    assert (shown.status_code, preview["status"]) == (200, "preview")
    assert [hand["hand"] for hand in preview["hands"]] == [5]
    assert head(scorer) == before
    booked = scorer.post(f"/nights/{NIGHT}/commands", {**sent, "expected_version": preview["version"]})
    assert booked.status_code == 201
    assert booked.get_json()["balances"] == preview["balances"]


def test_a_batch_is_answered_command_by_command_in_order(scorer: Caller) -> None:
    good = command("Peek", hand=6, player="ann")
    batch = [good, {"id": "no"}, 7, command("Peek", hand=6, player="ann"), good, command("OpenTable", name="x")]
    answered = scorer.post(f"/nights/{NIGHT}/commands", {"commands": batch})
    verdicts = answered.get_json()["verdicts"]
    assert answered.status_code == 200
    assert [verdict["status"] for verdict in verdicts] == [
        "recorded", "refused", "refused", "refused", "duplicate", "refused",
    ]  # fmt: skip
    assert [verdict.get("code") for verdict in verdicts] == [
        None, "bad_value", "bad_value", "already_peeked", None, "missing_key",
    ]  # fmt: skip
    assert verdicts[3]["id"] == batch[3]["id"]  # type: ignore[index]
    assert verdicts[5]["id"] == batch[5]["id"]  # type: ignore[index]


def test_a_batch_of_previews_builds_on_itself(scorer: Caller) -> None:
    batch = [command("RecordHand", hand=hand, **THREE) for hand in (6, 7)]
    before = head(scorer)
    verdicts = scorer.post(f"/nights/{NIGHT}/commands?dry_run=true", {"commands": batch}).get_json()["verdicts"]
    assert [verdict["status"] for verdict in verdicts] == ["preview", "preview"]
    assert verdicts[1]["balances"]["bob"] == verdicts[0]["balances"]["bob"] + 9
    assert head(scorer) == before


def test_a_batch_has_a_limit(scorer: Caller) -> None:
    batch = [command("Peek", hand=6, player="ann")] * 101
    refused = scorer.post(f"/nights/{NIGHT}/commands", {"commands": batch})
    assert (refused.status_code, refused.get_json()["code"]) == (413, "batch_too_large")


def test_a_night_is_opened_once_and_where_it_is_is_said(treasurer: Caller) -> None:
    assert treasurer.send("CloseNight").status_code == 201
    sent = command("OpenNight", table="peep", players=list(PLAYERS), dealer="ann")
    first, again = treasurer.post("/nights", sent), treasurer.post("/nights", sent)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.headers["Location"] == again.headers["Location"]
    opened = treasurer.get(first.headers["Location"])
    assert opened.get_json()["night"] == first.get_json()["night"]
    busy = treasurer.post("/nights", {**sent, "id": str(uuid.uuid4())})
    assert (busy.status_code, busy.get_json()["code"]) == (409, "table_busy")


def test_a_late_hand_waits_for_a_treasurer(scorer: Caller, treasurer: Caller) -> None:
    assert scorer.send("CloseNight").status_code == 201
    sent = command("RecordHand", hand=6, note="last orders", **THREE)
    late = scorer.post(f"/nights/{NIGHT}/commands", sent)
    assert (late.status_code, late.get_json()["status"]) == (202, "late")
    assert scorer.post(f"/nights/{NIGHT}/commands", sent).status_code == 202
    (waiting,) = treasurer.read("/late-hands")["late_hands"]
    assert (waiting["command"], waiting["hand"], waiting["note"]) == (sent["id"], 6, "last orders")
    assert treasurer.send("AdmitLateHand", None, command=sent["id"]).status_code == 201
    assert treasurer.read("/late-hands")["late_hands"] == []


REFUSED: list[tuple[bytes, int, str]] = [
    (b"", 400, "unreadable"),
    (b"{", 400, "unreadable"),
    (b"\xff", 400, "unreadable"),
    (b"[]", 422, "bad_value"),
    (b"null", 422, "bad_value"),
    (b'{"id": NaN}', 400, "unreadable"),
    (b'{"id": 1e999}', 422, "bad_value"),
    (b'{"id": "a", "id": "b"}', 400, "unreadable"),
    (b'{"id": "\\ud800"}', 400, "unreadable"),
    (b'{"\\ud800": 1}', 400, "unreadable"),
    (b"[" * 41 + b"]" * 41, 400, "unreadable"),
    (b"[" * 100_000, 400, "unreadable"),
    (b'{"a":' * 30_000 + b"1" + b"}" * 30_000, 400, "unreadable"),
    (b"1" * 5_000, 400, "unreadable"),
    (b"{}", 400, "missing_key"),
    (b'{"commands": {}}', 422, "bad_value"),
    (b'{"commands": [], "x": 1}', 400, "unknown_key"),
    (b'{"commands": null}', 422, "bad_value"),
]


@pytest.mark.parametrize(("body", "status", "code"), REFUSED, ids=[repr(body[:24]) for body, _, _ in REFUSED])
def test_a_body_that_cannot_be_read_is_refused_and_changes_nothing(
    scorer: Caller, body: bytes, status: int, code: str
) -> None:
    before = head(scorer)
    refused = scorer.post(f"/nights/{NIGHT}/commands", body)
    assert refused.content_type == "application/problem+json"
    assert (refused.status_code, refused.get_json()["code"]) == (status, code)
    assert head(scorer) == before


WRONG: list[tuple[str, dict[str, Any], int, str, str | None]] = [
    ("Bid", {"hand": 6, "player": "bob", "bid": "nine"}, 422, "bid_unknown", "bid"),
    ("BuyIn", {"player": "ann", "chips": True}, 422, "bad_value", "chips"),
    ("BuyIn", {"player": "ann", "chips": "3"}, 422, "bad_value", "chips"),
    ("BuyIn", {"player": "ann", "chips": 5.5}, 422, "bad_value", "chips"),
    ("BuyIn", {"player": "ann", "chips": 10**12}, 422, "out_of_range", "chips"),
    ("BuyIn", {"player": "ann", "chips": 1, "more": 1}, 400, "unknown_key", "more"),
    ("BuyIn", {"player": "ann"}, 400, "missing_key", "chips"),
    ("SeatPlayer", {"player": "nobody"}, 404, "member_unknown", "player"),
    ("SeatPlayer", {"player": "pool"}, 422, "bad_value", "player"),
    ("VoidHand", {"hand": 77, "reason": "x"}, 404, "hand_unknown", "hand"),
    ("Dance", {}, 400, "command_unknown", "type"),
    ("AddMember", {"name": "x"}, 422, "wrong_stream", "night"),
    ("OpenNight", {"table": "peep", "players": ["ann"], "dealer": "ann"}, 422, "wrong_stream", "type"),
]


@pytest.mark.parametrize(("kind", "data", "status", "code", "field"), WRONG)
def test_a_command_that_is_wrong_is_refused_by_code_and_field(
    scorer: Caller, kind: str, data: dict[str, Any], status: int, code: str, field: str | None
) -> None:
    before = head(scorer)
    refused = scorer.send(kind, **data)
    problem = refused.get_json()
    assert (refused.status_code, problem["code"], problem.get("field")) == (status, code, field)
    assert refused.content_type == "application/problem+json"
    assert {"type", "title", "status", "detail"} <= set(problem)
    assert problem["status"] == status
    assert head(scorer) == before


def test_five_and_a_zero_is_five(scorer: Caller) -> None:
    assert scorer.send("BuyIn", player="ann", chips=5.0).status_code == 201


def test_everything_that_is_wrong_with_the_shape_is_told_at_once(scorer: Caller) -> None:
    refused = scorer.post(f"/nights/{NIGHT}/commands", {"id": "x", "type": "BuyIn", "data": {"chips": "1"}})
    errors = refused.get_json()["errors"]
    assert set(errors) == {"id", "data"}
    assert set(errors["data"]) == {"player", "chips"}


def test_a_night_in_the_body_is_that_of_the_address(scorer: Caller) -> None:
    right = command("Peek", NIGHT, hand=6, player="ann")
    wrong = command("Peek", "another", hand=6, player="bob")
    assert scorer.post(f"/nights/{NIGHT}/commands", right).status_code == 201
    assert scorer.post(f"/nights/{NIGHT}/commands", wrong).status_code == 422


def test_what_is_too_large_or_not_json_is_refused(scorer: Caller) -> None:
    large = scorer.post(f"/nights/{NIGHT}/commands", b" " * (1024 * 1024 + 1))
    assert (large.status_code, large.get_json()["code"]) == (413, "too_large")
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        plain = scorer.post(f"/nights/{NIGHT}/commands", b"{}", headers={"Content-Type": kind})
        assert plain.status_code == 415
        assert plain.content_type == "application/problem+json"


def test_a_night_that_is_not_there_is_not_there(scorer: Caller) -> None:
    assert scorer.send("Peek", "never", hand=1, player="ann").status_code == 404
    batch = {"commands": [command("Peek", hand=1, player="ann")]}
    assert scorer.post("/nights/never/commands", batch).status_code == 404


def test_every_command_is_described() -> None:
    assert undescribed() == set()
    assert set(Facts._declared_fields) == set(Hand._fields)
    assert set(Irregularities._declared_fields) == set(IRREGULARITIES)
    for kind in {**NIGHT_COMMANDS, **CLUB_COMMANDS}:
        assert "data" in command_schema(kind)._declared_fields
    assert len(FIELDS) > 20


def test_what_the_description_says_of_a_command_is_what_is_read(app: Flask) -> None:
    described = app.test_client().get(f"{V1}/openapi.json").get_json()
    schemas = described["components"]["schemas"]
    refs = schemas["NightCommand"]["discriminator"]["mapping"]
    assert set(refs) == set(NIGHT_COMMANDS) - {"OpenNight"}
    assert set(schemas["ClubCommand"]["discriminator"]["mapping"]) == set(CLUB_COMMANDS)
    bid = schemas["BidData"]
    assert set(bid["required"]) == {"hand", "player", "bid"}
    assert bid["additionalProperties"] is False
    assert json.dumps(schemas["Bid"]["properties"]["type"]["enum"]) == '["Bid"]'
