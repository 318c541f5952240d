"""Files that are made line by line while they are sent, each from one snapshot of a book."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import wraps
from typing import Any

import marshmallow as ma
from flask import Response, g, request
from flask_smorest import Blueprint

from api.answers import Poured, require_changed, streamed
from api.openapi import TAGGED, signed_in
from api.polling import book_tag
from api.reading import Reading, View
from api.state import state


def file_call(blueprint: Blueprint, rule: str, query: type[ma.Schema]) -> Callable[[View], View]:
    """Make a view, which is given a ``Reading`` and returns a file's name and lines, a call that sends it as CSV.

    What it raises before the first line is answered as it is for any call.
    """

    def decorate(view: View) -> View:
        call: View = blueprint.response(200, {"type": "string"}, content_type="text/csv", headers=TAGGED)(_sends(view))
        call = blueprint.alt_response(304, description="nothing is new", success=True)(call)
        call = blueprint.arguments(query, location="query", as_kwargs=True)(call)
        routed: View = blueprint.route(rule)(signed_in(blueprint)(call))
        return routed

    return decorate


def _sends(view: Callable[..., tuple[str, Iterator[str]]]) -> View:
    @wraps(view)
    def run(club: str, **options: Any) -> Response:  # noqa: ANN401 - what the address and its query say
        shared = state()
        snapshot = ExitStack()
        reader = snapshot.enter_context(shared.ledger.store.read(club))
        try:
            tag = book_tag(reader.head(), g.caller.role, request.environ)
            require_changed(tag)
            name, lines = view(Reading(shared.ledger, club, reader, g.caller.role), **options)
            return streamed(Poured(lines, snapshot.close), "text/csv; charset=utf-8", tag, name)
        except BaseException:
            snapshot.close()
            raise

    return run
