"""Commands as they are sent over HTTP, and their verdicts as they are answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import flask
from flask import Response, url_for

from api.answers import answered
from api.auth import note_refusal, sender
from api.bodies import json_body
from api.errors import refusal, verdict_problem
from api.schemas.commands import complaints
from api.state import state
from ledger import values
from ledger.commands import CLUB_COMMANDS, NIGHT_COMMANDS, command_id
from ledger.errors import BadValue, LedgerError, NightUnknown, NotJson, Unreadable, WrongScope
from ledger.service import Answer, Request, night_stream, read_request

_STATUSES: Final[Mapping[str, int]] = {"recorded": 201, "duplicate": 200, "preview": 200, "late": 202}

_OPENING: Final = "OpenNight"


def answer_commands(club: str, night: str | None) -> Response:
    """Carry out one command, or a batch, of a club or of one of its nights."""
    body, dry_run = _object_sent(), _is_dry()
    if "commands" in body:
        return _answer_batch(club, night, body, dry_run=dry_run)
    return _answer_one(club, night, body, dry_run=dry_run)


def answer_opening(club: str) -> Response:
    """Open a night, and say where it is."""
    body = _object_sent()
    kind = body.get("type")
    if isinstance(kind, str) and kind != _OPENING and kind in {**NIGHT_COMMANDS, **CLUB_COMMANDS}:
        raise WrongScope(field="type", type=kind, wanted="another address: here nights are opened")
    return _answer_one(club, None, body, dry_run=_is_dry(), opening=True)


def _object_sent() -> dict[str, Any]:
    """Return the object that the body is. Raises ``NotJson`` for anything else: nothing in it could be to blame."""
    body = json_body()
    if not isinstance(body, dict):
        raise NotJson(where="The body", why="it is no object")
    return body


def _is_dry() -> bool:
    said = flask.request.args.get("dry_run", "false")
    if said not in ("true", "false"):
        raise BadValue(field="dry_run", wanted="true or false")
    return said == "true"


def _answer_one(
    club: str, night: str | None, body: dict[str, Any], *, dry_run: bool, opening: bool = False
) -> Response:
    try:
        request = _read(body, night, dry_run=dry_run, opening=opening)
    except Unreadable as error:
        return refusal(error, id=_id_of(body), errors=complaints(body) or None)
    (verdict,) = state().ledger.carry_out(club, [request], sender(request))
    _note_refusals(verdict)
    if verdict["status"] == "refused":
        return verdict_problem(verdict)
    headers = {}
    if opening and "position" in verdict:
        verdict["night"] = opened = _opened(club, verdict)
        headers["Location"] = url_for("nights.night", club=club, night=opened)
    return answered(verdict, _STATUSES[verdict["status"]], **headers)


def _answer_batch(club: str, night: str | None, body: dict[str, Any], *, dry_run: bool) -> Response:
    values.mapping(body, "", {"commands"})
    commands = values.sequence(body["commands"], "commands", 10_000)
    if night is not None:
        with state().ledger.store.read(club) as reader:
            if not reader.version(night_stream(night)):
                raise NightUnknown(field="night", night=night)
    requests = [_read_or_refuse(command, night, dry_run=dry_run) for command in commands]
    verdicts = state().ledger.carry_out(club, requests, sender(*requests))
    _note_refusals(*verdicts)
    for command, verdict in zip(commands, verdicts, strict=True):
        if verdict["id"] is None:
            verdict["id"] = _id_of(command)
    return answered({"verdicts": verdicts})


def _read_or_refuse(data: Any, night: str | None, *, dry_run: bool) -> Request | LedgerError:  # noqa: ANN401 - JSON is of any shape
    try:
        return _read(data, night, dry_run=dry_run)
    except LedgerError as error:
        return error


def _read(data: Any, night: str | None, *, dry_run: bool, opening: bool = False) -> Request:  # noqa: ANN401 - as above
    command = values.mapping(data, "The command")
    if command.get("type") == _OPENING and not opening:
        raise WrongScope(field="type", type=_OPENING, wanted="the nights of a club: send it there")
    if night is not None:
        if command.get("night") not in (None, night):
            raise BadValue(field="night", wanted=f"left out, or {night}, as in the address")
        command = {**command, "night": night}
    return read_request(command, dry_run=dry_run)


def _id_of(data: Any) -> str | None:  # noqa: ANN401 - as above
    """Return the id of a command that is wrong otherwise, so that its sender knows his own."""
    try:
        return command_id(data["id"])
    except (LedgerError, KeyError, TypeError, IndexError):
        return None


def _note_refusals(*verdicts: Answer) -> None:
    """Note once what a caller was refused for his role."""
    refused = next((verdict for verdict in verdicts if verdict.get("code") == "role_needed"), None)
    if refused is not None:
        note_refusal("send_command")


def _opened(club: str, verdict: Answer) -> str:
    first = verdict["events"][0]["position"]
    with state().ledger.store.read(club) as reader:
        (event,) = reader.events(first - 1, 1)
    return event.stream.removeprefix(night_stream(""))
