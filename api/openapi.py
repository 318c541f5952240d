"""The description of the API (OpenAPI 3.1), made from what it is."""

from __future__ import annotations

import http
import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final

import flask
from flask_smorest import Api, Blueprint
from werkzeug.exceptions import HTTPException
from werkzeug.routing import BaseConverter

from api import errors
from api.answers import release, require_changed, sent, tag_of
from api.bodies import BODY_LIMIT
from api.schemas import fields
from api.schemas.answers import Problem
from api.schemas.commands import command_schema
from api.schemas.door import SENT
from api.schemas.sheet import Sheet
from ledger import values
from ledger.commands import CLUB_COMMANDS, NIGHT_COMMANDS
from ledger.service import BATCH_LIMIT

PREFIX: Final = "/api/v1"

AT_NIGHT: Final = tuple(kind for kind in NIGHT_COMMANDS if kind != "OpenNight")
IN_CLUB: Final = tuple(CLUB_COMMANDS)

_WORDS: Final = """\
The book of a card table over HTTP. Sign in with a token from `kittybook token create`, as
`Authorization: Bearer TOKEN`; a token is good for one club, and for what its role may do. Browsers sign in by a cookie
instead, `s`, or `__Host-s` over https; what they send must come from a page of the same address (403 otherwise).

What is written is written once: make an id (a UUID) for each command, keep it until it is answered, and send the same
again when an answer was lost, or was 503 or 507. Read a night's state, send one of its `actions` with an id of your
own, read again. Reads carry an ETag: ask again with `If-None-Match`, and 304 says that nothing is new. Lists are read
on by `after`, which is the `next` of the page before. Amounts are whole numbers; positive is to the player.\
"""


class Id(BaseConverter):
    """What people may type as an id; anything else is nothing that is there."""

    regex = values.ID_PATTERN.pattern


class LedgerApi(Api):  # type: ignore[misc]  # it has no types
    """flask-smorest with problems for errors, and commands as components."""

    DEFAULT_ERROR_RESPONSE_NAME = "PROBLEM"

    def _register_responses(self) -> None:
        body = {errors.PROBLEM: {"schema": Problem}}
        for status in http.HTTPStatus:
            self.spec.components.response(status.name, {"description": status.phrase, "content": body}, lazy=True)
        self.spec.components.response("PROBLEM", {"description": "Refused", "content": body})

    def handle_http_exception(self, error: HTTPException) -> Any:  # noqa: ANN401 - an answer
        return errors.on_http(error)

    def _openapi_json(self) -> flask.Response:
        require_changed(self._text[1])
        return sent(self._text[0], "application/json", tag=self._text[1])

    @cached_property
    def _text(self) -> tuple[bytes, str]:
        body = json.dumps(self.spec.to_dict(), ensure_ascii=False).encode()
        return body, tag_of(body)


def make_api(app: flask.Flask) -> LedgerApi:
    """Return the API of an app, before it has any calls."""
    app.config.update(
        API_TITLE="Kittybook",
        API_VERSION=release(),
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX=PREFIX,
        OPENAPI_JSON_PATH="openapi.json",
    )
    app.url_map.converters["id"] = Id
    api = LedgerApi(app, spec_kwargs={"info": {"description": _WORDS}, "servers": [{"url": "/"}]})
    api.register_converter(Id, lambda *_: {"type": "string", "pattern": fields.ID})
    api.spec.components.security_scheme("token", {"type": "http", "scheme": "bearer"})
    api.spec.components.security_scheme("session", {"type": "apiKey", "in": "cookie", "name": "s"})
    for schema in SENT:
        api.spec.components.schema(schema.__name__, schema=schema)
    api.spec.components.schema("Sheet", schema=Sheet)
    _described(api, "OpenNight")
    _describe_commands(api, "NightCommand", AT_NIGHT)
    _describe_commands(api, "ClubCommand", IN_CLUB)
    return api


def _describe_commands(api: LedgerApi, name: str, kinds: tuple[str, ...]) -> None:
    refs = {kind: _described(api, kind) for kind in kinds}
    one = {
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "type", "mapping": refs},
    }
    batch = {
        "type": "object",
        "description": f"At most {BATCH_LIMIT}; each is answered for itself, in order, and one that cannot be read is"
        " refused alone.",
        "properties": {
            "commands": {
                "type": "array",
                "maxItems": BATCH_LIMIT,
                "items": {"anyOf": [{"$ref": f"#/components/schemas/{name}"}, {}]},
            }
        },
        "required": ["commands"],
        "additionalProperties": False,
    }
    api.spec.components.schema(name, one)
    api.spec.components.schema(f"{name}s", batch)


def _described(api: LedgerApi, kind: str) -> str:
    if kind not in api.spec.components.schemas:
        api.spec.components.schema(kind, schema=command_schema(kind))
    return f"#/components/schemas/{kind}"


def body_of(*names: str) -> dict[str, Any]:
    """Return the description of a body that is one of these components."""
    refs = [{"$ref": f"#/components/schemas/{name}"} for name in names]
    schema = refs[0] if len(refs) == 1 else {"oneOf": refs}
    return {
        "required": True,
        "description": f"At most {BODY_LIMIT:,} bytes.",
        "content": {"application/json": {"schema": schema}},
    }


def named(blueprint: Blueprint) -> Callable[[Any], Any]:
    """Describe a call under the name of its function."""
    return lambda call: blueprint.doc(operationId=call.__name__)(call)


def signed_in(blueprint: Blueprint) -> Callable[[Any], Any]:
    """Describe a call under the name of its function, and that it needs a token or a session."""
    return lambda call: blueprint.doc(operationId=call.__name__, security=[{"token": []}, {"session": []}])(call)


DRY_RUN: Final[Mapping[str, Any]] = {
    "in": "query",
    "name": "dry_run",
    "schema": {"type": "string", "enum": ["true", "false"], "default": "false"},
    "description": "work everything out, and write nothing",
}

TAGGED: Final[Mapping[str, Any]] = {
    "ETag": {"schema": {"type": "string"}, "description": "the same while nothing is new"}
}
