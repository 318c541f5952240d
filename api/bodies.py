"""What is sent, read as JSON without trusting any of it: size, depth, and nothing that two readers take two ways."""

from __future__ import annotations

import json
from typing import Any, Final

import marshmallow as ma
from flask import request
from werkzeug.exceptions import UnsupportedMediaType

from ledger import values
from ledger.errors import BadValue, MissingKey, NotJson
from ledger.values import no_key_twice

BODY_LIMIT: Final = 1024 * 1024
"""The most bytes of a body: a batch of a hundred hands has fifty thousand."""

DEPTH_LIMIT: Final = 40
"""How deep objects and lists may be nested; no command needs ten."""

_WHERE: Final = "The body"


def json_body() -> Any:  # noqa: ANN401 - JSON is of any shape
    """Return what the body says.

    Raises ``NotJson``, for keys given twice and numbers that are none, too; 415 for what is not called JSON, and 413
    for what is too large.
    """
    if not request.is_json:
        raise UnsupportedMediaType("Send JSON, as Content-Type: application/json.")
    return read_json(request.get_data(cache=False))


def read_body(schema: type[ma.Schema]) -> dict[str, Any]:
    """Return what the body says, of a shape. Raises ``BadValue``, ``UnknownKey``, ``MissingKey``, and as above."""
    data = values.mapping(json_body(), "The body", schema().fields)
    try:
        loaded: dict[str, Any] = schema().load(data)
    except ma.ValidationError as error:
        messages: dict[str, Any] = error.normalized_messages()  # type: ignore[no-untyped-call]  # marshmallow's
        field = next(iter(messages))
        if field not in data:
            raise MissingKey(field=field) from None
        raise BadValue(field=field, wanted=f"of the shape that is described: {_first(messages[field])}") from None
    return loaded


def _first(messages: object) -> str:
    found = messages[0] if isinstance(messages, list) and messages else messages
    return str(found).rstrip(".").lower()


def read_json(raw: bytes) -> Any:  # noqa: ANN401 - as above
    """Return what JSON text says. Raises ``NotJson``."""
    if raw.count(b"[") + raw.count(b"{") > DEPTH_LIMIT:
        _require_shallow(raw)
    try:
        data = _decoder.decode(raw.decode("utf-8"))
        if b"\\u" in raw:
            json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair cannot be written again
    except UnicodeDecodeError as error:
        raise NotJson(where=_WHERE, why=f"it is not UTF-8 at byte {error.start + 1}") from None
    except UnicodeEncodeError:
        raise NotJson(where=_WHERE, why="it has half a surrogate pair") from None
    except json.JSONDecodeError as error:
        raise NotJson(where=_WHERE, why=f"it is not JSON: {error.msg.lower()} at character {error.pos + 1}") from None
    except ValueError as error:
        raise NotJson(where=_WHERE, why=str(error).split(";")[0]) from None
    return data


def _require_shallow(raw: bytes) -> None:
    depth, text, escaped = 0, False, False
    for byte in raw:
        if text:
            text = escaped or byte != 0x22
            escaped = byte == 0x5C and not escaped
        elif byte == 0x22:
            text = True
        elif byte in b"[{":
            depth += 1
            if depth > DEPTH_LIMIT:
                raise NotJson(where=_WHERE, why="it is nested too deeply")
        elif byte in b"]}":
            depth -= 1


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"it has {constant}, which is no number")


_decoder = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=no_key_twice)
