"""Pages and their forms: a page reads one snapshot of the book, a form books its commands once and redirects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final, TypeAlias

from flask import Blueprint, g

from api.errors import status_of
from api.reading import Reading
from api.state import state
from ledger.access import VIEWER
from ledger.errors import (
    CommandIdReused,
    Corrupt,
    Forbidden,
    LedgerError,
    NotSignedIn,
    PinWrong,
    RoleNeeded,
    TooManyAttempts,
    Unavailable,
    WrongVersion,
)
from ledger.service import Answer, Request, read_request
from web import callers, pin
from web.forms import Form
from web.refusals import words_of
from web.words import gettext

Page: TypeAlias = Callable[..., Any]
"""Is given a ``Reading`` and what the address says; returns the page."""

_NOT_THE_FORMS_FAULT: Final = (Unavailable, Corrupt, Forbidden, NotSignedIn)
_FOR_A_PIN: Final = (RoleNeeded, PinWrong, TooManyAttempts)


@contextmanager
def reading() -> Iterator[Reading]:
    """Give the caller's book as it stands now."""
    who = callers.require(VIEWER, gettext("This page"))
    shared = state()
    with shared.ledger.store.read(who.club) as reader:
        yield Reading(shared.ledger, who.club, reader, pin.reach(who))


def shows(
    blueprint: Blueprint, rule: str, *, role: str = VIEWER, leads_to_form: bool = False
) -> Callable[[Page], Page]:
    """Make a view a page for whoever has a role; one that ``leads_to_form`` also for devices where a PIN will do."""

    def decorate(view: Page) -> Page:
        @wraps(view)
        def run(**places: Any) -> Any:  # noqa: ANN401 - what the address says, and a page
            callers.require(role, gettext("This page"), or_pin=leads_to_form)
            with reading() as here:
                return view(here, **places)

        blueprint.add_url_rule(rule, view.__name__, run)
        return view

    return decorate


def takes(blueprint: Blueprint, rule: str, *, role: str, again: Page) -> Callable[[Page], Page]:
    """Make a view take a form that somebody with a role sends to an address.

    The view is given the ``Form`` and what the address says; it books, and returns where to go on. What is refused
    shows the page ``again``, with the form as it was filled in and what is wrong with it. On a shared device anybody
    may fill it in, so a view must do nothing but book: what a command needs is judged there, and asks for a PIN.
    """

    def decorate(view: Page) -> Page:
        @wraps(view)
        def run(**places: Any) -> Any:  # noqa: ANN401 - as above
            who = callers.require(role, gettext("This form"), or_pin=True)
            form, g.pin_entry, turned_back = pin.taken_out(Form.sent())
            if turned_back:
                with reading() as here:
                    g.form = form
                    return again(here, **places)
            try:
                return view(form, **places)
            except _FOR_A_PIN as error:
                if not pin.is_asked_of(who) or "requests" not in g:
                    raise
                with reading() as here:
                    return pin.asked(here, who, form, error, g.requests)
            except _NOT_THE_FORMS_FAULT:
                raise
            except LedgerError as error:
                with reading() as here:
                    g.form = _refused(form, error, here)
                    g.code = error.code
                    return again(here, **places), status_of(type(error))

        blueprint.add_url_rule(rule, view.__name__, run, methods=["POST"])
        return view

    return decorate


def _refused(form: Form, error: LedgerError, here: Reading) -> Form:
    if isinstance(error, WrongVersion):
        words = gettext("Somebody recorded something meanwhile. Look again at what this would do now.")
        return form.refused(None, words, anew=True)
    if isinstance(error, CommandIdReused):
        words = gettext("This form was sent before, filled in otherwise. Send it again if both are meant.")
        return form.refused(None, words, anew=True)
    labels = {error.field or "": gettext("This")} if form.place_of(error.field) else {}
    return form.refused(error.field, words_of(error, names_of(here), labels))


def names_of(here: Reading) -> dict[str, str]:
    """Return what everything is called that a refusal may name: members, tables, nights."""
    club, words = here.club, here.words
    nights = {night.id: f"{words.table(night.table)}, {night.date}" for night in club.nights.values()}
    return {
        **nights,
        **{one: words.table(one) for one in club.tables},
        **{one: words.member(one) for one in club.members},
    }


def command(
    identity: str, kind: str, data: Mapping[str, Any], *, night: str | None = None, expected: int | None = None
) -> Request:
    """Return a command to send; what is None is left out. Raises ``Unreadable``."""
    envelope: dict[str, Any] = {
        "id": identity,
        "type": kind,
        "data": {key: value for key, value in data.items() if value is not None},
    }
    if night is not None:
        envelope["night"] = night
    if expected is not None:
        envelope["expected_version"] = expected
    return read_request(envelope)


def carry_out(form: Form, kind: str, *, night: str | None = None, expected: int | None = None, **data: Any) -> Answer:  # noqa: ANN401 - fields of the command; those that Python has a word for end in _
    """Carry out the one command of a form, of a ``night`` or else of the club. Raises what it is refused for.

    Its data are named as in the command, with ``_`` behind them where Python or this function has that word already.
    """
    data = {key.rstrip("_"): value for key, value in data.items()}
    (answer,) = carry_out_all([command(form.command, kind, data, night=night, expected=expected)])
    return answer


def carry_out_all(requests: Sequence[Request]) -> list[Answer]:
    """Carry out commands: all, or none. Raises what the first that is refused is refused for."""
    who = callers.require(VIEWER, gettext("This form"))
    g.requests = requests
    return state().ledger.carry_out_together(who.club, requests, callers.sender(*requests))


def previewed(here: Reading, kind: str, *, night: str | None = None, **data: Any) -> Answer:  # noqa: ANN401 - as above
    """Return what a command would do, and the version that it was judged by. Raises what it would be refused for."""
    ledger = here.ledger
    data = {key.rstrip("_"): value for key, value in data.items()}
    request = command(ledger.new_id(), kind, data, night=night)
    return ledger.reading(here.club.id, here.reader).preview(request, callers.onlooker())
