"""Refusals as HTTP: the only place that knows which status a refusal is, and what a problem looks like (RFC 9457)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import structlog
from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from ledger import errors
from ledger.errors import LedgerError

PROBLEM: Final = "application/problem+json"

STATUSES: Final[Mapping[type[LedgerError], int]] = {
    errors.DiskFull: 507,
    errors.Unavailable: 503,
    errors.Corrupt: 503,
    errors.NotSignedIn: 401,
    errors.TooManyAttempts: 429,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.TooLarge: 413,
    errors.BatchTooLarge: 413,
    errors.NotJson: 400,
    errors.UnknownKey: 400,
    errors.MissingKey: 400,
    errors.CommandUnknown: 400,
    errors.Unreadable: 422,  # it could be read, and holds a value that cannot be
    errors.Refused: 422,
    LedgerError: 422,
}
"""By family, the narrowest that fits."""

RETRY_AFTER: Final = 1
"""Seconds after which whoever found the store busy may send the same again."""

CODES: Final = {400: "unreadable", 404: "not_found", 413: "too_large", 431: "too_large", 500: "defect"}
"""What is refused before the ledger is asked."""

_HEADERS: Final[Mapping[int, Mapping[str, str]]] = {
    401: {"WWW-Authenticate": 'Bearer realm="kittybook"'},
    503: {"Retry-After": str(RETRY_AFTER)},
}

_log = structlog.get_logger("kittybook")


def status_of(error: type[LedgerError]) -> int:
    """Return the status of a refusal."""
    return next(STATUSES[family] for family in error.__mro__ if family in STATUSES)


def status_of_code(code: str) -> int:
    """Return the status of the refusal that a verdict names."""
    return _BY_CODE.get(code, 422)


def _leaves(family: type[LedgerError]) -> dict[str, int]:
    found = {family.code: status_of(family)}
    for child in family.__subclasses__():
        found |= _leaves(child)
    return found


_BY_CODE: Final = _leaves(LedgerError)


def problem(status: int, code: str, detail: str, **more: Any) -> Response:  # noqa: ANN401 - JSON is of any shape
    """Return a problem; what is None is left out."""
    kind, body = problem_body(status, code, detail, **more)
    response = Response(body, status, content_type=kind)
    response.headers.update(_HEADERS.get(status, {}))
    response.headers["Cache-Control"] = "no-store"
    g.code = code
    return response


def problem_body(status: int, code: str, detail: str, **more: Any) -> tuple[str, bytes]:  # noqa: ANN401 - as above
    """Return the kind and the text of a problem."""
    body = {
        "type": f"urn:kittybook:problem:{code}",
        "title": code.replace("_", " ").capitalize(),
        "status": status,
        "code": code,
        "detail": detail,
        **{key: value for key, value in more.items() if value is not None},
    }
    return PROBLEM, json.dumps(body).encode()


def refusal(error: LedgerError, **more: Any) -> Response:  # noqa: ANN401 - as above
    """Return what was refused as a problem."""
    if isinstance(error, errors.RoleNeeded):
        more["role"] = error.facts["role"]
    if isinstance(error, errors.WrongVersion):
        more["version"] = error.facts["current"]
    response = problem(status_of(type(error)), error.code, error.detail, field=error.field, **more)
    if isinstance(error, errors.TooManyAttempts):
        response.headers["Retry-After"] = str(error.facts["seconds"])
    return response


def verdict_problem(verdict: Mapping[str, Any]) -> Response:
    """Return the verdict on one command that was refused as a problem; it could be read, so it is no 400."""
    beside = {key: value for key, value in verdict.items() if key not in ("status", "code", "detail")}
    found = {key: value for key, value in beside.items() if value is not None}
    status = status_of_code(verdict["code"])
    return problem(422 if status == 400 else status, verdict["code"], verdict["detail"], **found)


def on_refusal(error: LedgerError) -> Response:
    """Answer for what was refused anywhere in a call."""
    if isinstance(error, errors.Corrupt):
        _log.error("not sound", code=error.code, detail=error.detail)
    return refusal(error)


def on_http(error: HTTPException) -> HTTPException | Response:
    """Answer for what Flask and its kin refuse: under ``/api`` as a problem, elsewhere as pages do."""
    if not request.path.startswith("/api/") or error.code is None or error.code < 400:
        return error
    data: Mapping[str, Any] = getattr(error, "data", None) or {}
    found = data.get("messages")
    code = "bad_value" if found else CODES.get(error.code, HTTPStatus(error.code).phrase.lower().replace(" ", "_"))
    detail = _first(found) if found else error.description or error.name
    response = problem(error.code, code, str(detail), errors=found)
    for key, value in error.get_headers():
        if key not in ("Content-Type", "Content-Length"):
            response.headers[key] = value  # Allow
    return response


def _first(found: Mapping[str, Any]) -> str:
    """Return what is wrong with the first parameter that is."""
    for place in found.values():
        for name, words in place.items():
            return f"{name}: {words[0] if isinstance(words, list) else words}"
    return "Something in the address is wrong."


def on_defect(error: Exception) -> Response:
    """Answer for what should not have happened, and say in the log what did."""
    _log.error("defect", exc_info=error)
    return problem(500, "defect", "Something is wrong with this program; it is in its log.", request_id=g.request_id)


def install(app: Flask) -> None:
    """Let an app answer so. What is raised outside ``/api`` is for others to answer."""
    app.register_error_handler(LedgerError, on_refusal)
    app.register_error_handler(HTTPException, on_http)
    app.register_error_handler(Exception, _on_any)


def _on_any(error: Exception) -> Response:
    if not request.path.startswith("/api/"):
        raise error
    return on_defect(error)
