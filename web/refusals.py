"""Refusals and errors as pages; under ``/api`` they stay problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import structlog
from flask import Flask, Response, current_app, g, make_response, redirect, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as AnyResponse

from api import auth, errors
from ledger.errors import LedgerError, NotSignedIn, RoleNeeded, Unavailable
from web.words import gettext

SIGN_IN: Final = "/sign-in"
"""Where people say who they are."""

_log = structlog.get_logger("kittybook")


def install(app: Flask) -> None:
    """Let an app answer people with pages."""
    app.register_error_handler(LedgerError, _on_refusal)
    app.register_error_handler(HTTPException, _on_http)
    app.register_error_handler(Exception, _on_defect)
    g_sign_in = "/sign-in"
    app.extensions["kittybook.sign_in"] = (
        g_sign_in if any(r.rule == g_sign_in for r in app.url_map.iter_rules()) else None
    )


def words_of(
    error: LedgerError, names: Mapping[str, str] | None = None, labels: Mapping[str, str] | None = None
) -> str:
    """Return a refusal's sentence in the language of the page, with names for ids and labels for fields where known."""
    if not names and not labels:
        return error.detail
    facts = {key: (names or {}).get(str(value), value) for key, value in error.facts.items()}
    field = (labels or {}).get(error.field or "", error.field)
    words = gettext(error.sentence).format(field=field, **facts)
    return words[:1].upper() + words[1:]


def _on_refusal(error: LedgerError) -> AnyResponse:
    if request.path.startswith("/api/"):
        return errors.on_refusal(error)
    g.code = error.code
    status = errors.status_of(type(error))
    if isinstance(error, NotSignedIn):
        if SIGN_IN in current_app.extensions["kittybook.ways"]:
            return redirect(SIGN_IN, 303)
        return _page(status, gettext("Please sign in"), gettext("This page is for those who belong to the club."))
    if isinstance(error, RoleNeeded):
        auth.note_refusal((request.endpoint or "").rpartition(".")[2])
        return _page(status, gettext("This is for somebody else to do"), words_of(error))
    response = _page(status, gettext("That did not work"), words_of(error))
    if isinstance(error, Unavailable):
        response.headers["Retry-After"] = str(errors.RETRY_AFTER)
    return response


def _on_http(error: HTTPException) -> AnyResponse | HTTPException:
    if request.path.startswith("/api/") or error.code is None or error.code < 400:
        return errors.on_http(error)
    if error.code == 404:
        return _page(404, gettext("There is no such page"), gettext("The address may have a letter too many."))
    response = _page(error.code, gettext("That did not work"), error.description or error.name)
    for key, value in error.get_headers():
        if key not in ("Content-Type", "Content-Length"):
            response.headers[key] = value
    return response


def _on_defect(error: Exception) -> AnyResponse:
    if request.path.startswith("/api/"):
        return errors.on_defect(error)
    _log.error("defect", exc_info=error)
    g.code = "defect"
    words = gettext(
        "Something is wrong with this program; its log says what, under %(id)s.", id=g.get("request_id", "")
    )
    return _page(500, gettext("That should not have happened"), words)


def _page(status: int, title: str, words: str) -> Response:
    try:
        return make_response(render_template("refusal.html", heading=title, words=words), status)
    except LedgerError:  # not even the frame can be read
        return Response(f"{title}. {words}\n", status, content_type="text/plain; charset=utf-8")
