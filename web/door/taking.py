"""Forms at the door: taken, or shown again with what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias

from flask import Blueprint, Response, g, make_response
from werkzeug.wrappers import Response as AnyResponse

from api.errors import status_of
from api.state import state
from ledger.errors import (
    Corrupt,
    LedgerError,
    RoleNeeded,
    SessionEnded,
    SignInNeeded,
    TokenWrong,
    TooManyAttempts,
    Unavailable,
)
from web import callers
from web.forms import Form
from web.refusals import words_of
from web.words import gettext

Page: TypeAlias = Callable[[], str]
Taker: TypeAlias = Callable[..., Any]

_NOT_THE_FORMS_FAULT = (Unavailable, Corrupt, RoleNeeded, SessionEnded, SignInNeeded, TokenWrong)


def takes(blueprint: Blueprint, rule: str, *, again: Page, role: str | None = None) -> Callable[[Taker], Taker]:
    """Make a view take a form, sent by whoever has a role (None: anybody).

    It is given the ``Form`` and what the address says, and returns where to go on. What is refused shows the page
    ``again``, with the form as it was filled in, passwords left out.
    """

    def decorate(view: Taker) -> Taker:
        @wraps(view)
        def run(**places: Any) -> AnyResponse | str:  # noqa: ANN401 - what the address says
            if role is not None:
                callers.require(role, gettext("This form"))
            form = Form.sent()
            try:
                answer: AnyResponse | str = view(form, **places)
            except _NOT_THE_FORMS_FAULT:
                raise
            except LedgerError as error:
                return _again(form, error, again)
            return answer

        blueprint.add_url_rule(rule, view.__name__, run, methods=["POST"])
        return view

    return decorate


def zone_of(club: str) -> str:
    """Return the time zone of a club, in which its pages tell times."""
    ledger = state().ledger
    with ledger.store.read(club) as reader:
        return ledger.club(club, reader).zone


def _again(form: Form, error: LedgerError, again: Page) -> Response:
    labels = {error.field or "": gettext("This")}
    g.form = form.refused(error.field, words_of(error, {"": ""}, labels))
    g.code = error.code
    response = make_response(again(), status_of(type(error)))
    if isinstance(error, TooManyAttempts):
        response.headers["Retry-After"] = str(error.facts["seconds"])
    return response
