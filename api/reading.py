"""Reads of a club's book: one snapshot each, and none of it looked at where the caller has the answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, TypeAlias

import marshmallow as ma
from flask import Response, g, request
from flask_smorest import Blueprint

from api.answers import answered, require_changed
from api.openapi import TAGGED, signed_in
from api.polling import book_tag
from api.state import state
from ledger.club import Club
from ledger.night import Night
from ledger.service import Ledger
from ledger.store import Reader
from ledger.words import Words

View: TypeAlias = Callable[..., Any]


class Reading:
    """What a read sees: the club as it stands, and the snapshot that it was read from."""

    def __init__(self, ledger: Ledger, club: str, reader: Reader, role: str) -> None:
        self.ledger = ledger
        self.reader = reader
        self.role = role
        self._club = club

    @cached_property
    def club(self) -> Club:
        return self.ledger.club(self._club, self.reader)

    @cached_property
    def words(self) -> Words:
        return Words(self.club, self.reader)

    def night(self, night: str) -> Night:
        """Return a night as it stands. Raises ``NightUnknown``."""
        return self.ledger.night(self._club, night, self.reader)


def read_call(
    blueprint: Blueprint, rule: str, schema: type[ma.Schema], query: type[ma.Schema] | None = None
) -> Callable[[View], View]:
    """Make a view, which is given a ``Reading`` and returns data, a call that reads a club's book."""

    def decorate(view: View) -> View:
        call: View = blueprint.response(200, schema, headers=TAGGED)(_reads(view))
        call = blueprint.alt_response(304, description="nothing is new", success=True)(call)
        if query is not None:
            call = blueprint.arguments(query, location="query", as_kwargs=True)(call)
        routed: View = blueprint.route(rule)(signed_in(blueprint)(call))
        return routed

    return decorate


def _reads(view: View) -> View:
    @wraps(view)
    def run(club: str, **options: object) -> Response:
        shared = state()
        role = g.caller.role
        with shared.ledger.store.read(club) as reader:
            tag = book_tag(reader.head(), role, request.environ)
            require_changed(tag)
            kept = shared.kept.answer(tag)
            if kept is not None:
                return kept
            response = answered(view(Reading(shared.ledger, club, reader, role), **options), tag=tag)
        shared.kept.keep(tag, response)
        return response

    return run


def page(rows: list[Any], limit: int, key: Callable[[Any], object]) -> tuple[list[Any], object]:
    """Return at most so many rows, and the key to ask on from where there are more."""
    return (rows[:limit], key(rows[limit - 1])) if len(rows) > limit else (rows, None)


def behind(rows: list[Any], after: object, key: Callable[[Any], object]) -> list[Any]:
    """Return the rows behind the one that has a key; all without a key, none behind one that is not there."""
    if after is None:
        return rows
    found = next((index for index, row in enumerate(rows) if key(row) == after), len(rows))
    return rows[found + 1 :]
