"""The frame of every page: whose club, who looks, which ways lead on, in which language, what was just done."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from flask import Flask, current_app, g, request
from flask_babel import get_locale
from flask_babel import lazy_gettext as later

from api.auth import Caller
from api.state import state
from ledger.access import OWNER, TREASURER, VIEWER, may
from ledger.errors import LedgerError
from ledger.words import Words
from web import callers, connection, done, forms, pin, shown
from web.statics import static, static_folder

_ROLES: Final = {
    "viewer": later("viewer"),
    "scorekeeper": later("scorekeeper"),
    "treasurer": later("treasurer"),
    "owner": later("owner"),
}

_SUITS: Final = {
    "spades": later("spades"),
    "hearts": later("hearts"),
    "diamonds": later("diamonds"),
    "clubs": later("clubs"),
}


class Way(NamedTuple):
    """A way from every page to one: for whom it is, and whether it stands in the row or under More."""

    href: str
    label: Any
    role: str
    first: bool


WAYS: Final = [
    Way("/", later("Start"), VIEWER, True),
    Way("/nights", later("Nights"), VIEWER, True),
    Way("/tables", later("Tables"), VIEWER, True),
    Way("/members", later("Members"), VIEWER, True),
    Way("/money", later("Money"), VIEWER, True),
    Way("/settings", later("Settings"), VIEWER, False),
    Way("/audit", later("Self-audit"), TREASURER, False),
    Way("/people", later("People"), OWNER, False),
    Way("/devices", later("Devices"), OWNER, False),
    Way("/account", later("Your account"), VIEWER, False),
    Way("/sign-out", later("Sign out"), VIEWER, False),
]
"""In order. One whose page an app does not have is not shown."""


def install(app: Flask) -> None:
    """Let every template of an app know the frame."""
    app.context_processor(_frame)
    app.jinja_env.globals.update(
        static=static,
        static_folder=static_folder,
        new_id=lambda: state().ledger.new_id(),
        may=callers.may,
        offered=callers.offered,
        role_name=role_name,
        suit_name=lambda suit: _SUITS[suit],
        sent=forms.sent,
        limits=connection.limits,
    )
    said = (shown.units, shown.unit_name, shown.day, shown.moment, shown.browser)
    app.jinja_env.filters.update({one.__name__: one for one in said})
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.extensions["kittybook.ways"] = {rule.rule for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())}


def role_name(role: str) -> str:
    """Return what a role is called."""
    return str(_ROLES.get(role, role))


def _frame() -> dict[str, Any]:
    who = callers.caller_or_none()
    locale = get_locale()
    if who is not None and who.user is not None:
        done.fill_in(login=who.user.login)
    return {
        "who": who,
        "club_name": _club_name(who),
        "navigation": _navigation(who),
        "language": str(locale).replace("_", "-") if locale else "en",
        "direction": "rtl" if locale and locale.character_order == "right-to-left" else "ltr",
        "said": done.said(),
        "asks_for_pin": who is not None and pin.reach(who) != who.role,
    }


def _club_name(who: Caller | None) -> str | None:
    """Return what the caller's club is called; nobody is told."""
    if who is None:
        return None
    if "club_name" not in g:
        try:
            ledger = state().ledger
            with ledger.store.read(who.club) as reader:
                g.club_name = Words(ledger.club(who.club, reader), reader).club()
        except LedgerError:
            g.club_name = None
    found: str | None = g.club_name
    return found


def _navigation(who: Caller | None) -> dict[str, list[dict[str, Any]]] | None:
    if who is None:
        return None
    there = current_app.extensions["kittybook.ways"]
    rows: dict[str, list[dict[str, Any]]] = {"first": [], "more": []}
    for way in WAYS:
        if way.href in there and may(who.role, way.role):
            here = request.path == way.href or (way.href != "/" and request.path.startswith(way.href + "/"))
            rows["first" if way.first else "more"].append({"href": way.href, "label": way.label, "current": here})
    return rows
