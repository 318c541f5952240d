"""Screens that scripts draw: the table, the wall, a player's phone, and how a device joins to see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from api import auth
from api.reading import Reading
from api.state import state
from api.views.people import pairing
from ledger import people
from ledger.access import SCOREKEEPER, VIEWER
from ledger.club import require_night, require_table
from ledger.projections import hand_row
from ledger.views import members_view, night_view
from ledger.words import with_words
from web import callers
from web.booking import reading, shows, takes
from web.forms import Form
from web.screen_words import words_of_screens
from web.shown import clock, day
from web.words import gettext

screens = Blueprint("screens", __name__, template_folder="../templates")

KINDS: Final = ("phone", "wall")
"""What a device that joins may be for."""


@shows(screens, "/wall")
def wall_of_the_club(here: Reading) -> str:
    """The wall: the night that is open, and then the next; of one table where that is asked for."""
    return _screen(here, "wall")


@shows(screens, "/nights/<id:night>/wall")
def wall(here: Reading, night: str) -> str:
    """The wall of one night."""
    return _screen(here, "wall", night)


@shows(screens, "/phone")
def phone_of_the_club(here: Reading) -> str:
    """A player's phone: the night that is open, and then the next."""
    return _screen(here, "phone")


@shows(screens, "/nights/<id:night>/phone")
def phone(here: Reading, night: str) -> str:
    """A player's phone, at one night."""
    return _screen(here, "phone", night)


@shows(screens, "/nights/<id:night>/join", role=SCOREKEEPER)
def joining(here: Reading, night: str) -> str:
    """Which kind of device shall join; a code is made when one asks for it."""
    return _join(here, night)


@takes(screens, "/nights/<id:night>/join", role=SCOREKEEPER, again=joining)
def making_code(form: Form, night: str) -> str:
    """Make a code that lets one device look at the club's nights, and nothing else."""
    with reading() as here:
        table = here.words.table(require_night(here.club, night).table)
        kind = "wall" if form.value("kind") == "wall" else "phone"
        called = gettext("Wall, %(table)s") if kind == "wall" else gettext("Phone, %(table)s")
        link, code = people.pairing_code(state().door, here.club.id, called % {"table": table}, VIEWER, auth.by())
        return _join(here, night, kind=kind, shown=pairing(link, code, kind), until=clock(link.expires, here.club.zone))


@shows(screens, "/nights/<id:night>/table", role=SCOREKEEPER)
def table(here: Reading, night: str) -> str:
    """The table of a night, on the tablet of whoever keeps the score."""
    return _screen(here, "table", night, told=_told(here, night))


@shows(screens, "/table", role=SCOREKEEPER)
def table_of_the_club(here: Reading) -> AnyResponse:
    """The table that is open, if it is one alone; else the nights, to choose from."""
    found = [night for night in here.club.nights.values() if not night.closed]
    return redirect(f"/nights/{found[0].id}/table" if len(found) == 1 else "/nights?to=table", 303)


LAST: Final = 4
"""So many of the last hands a table is told at first: as many as it shows, and one."""

STYLES: Final = {"table": ["tablet.css", "sheets.css"], "wall": ["wall.css"], "phone": ["wall.css"]}


def _told(here: Reading, night: str) -> dict[str, Any]:
    """Return what the table asks the API for first: it is drawn without waiting for that."""
    stands = night_view(here.ledger, here.club, night, here.reader, _own_role())
    found = here.night(night)
    rows = [with_words(hand_row(found, step), here.words) for step in found.hand_steps()[-LAST:]]
    return {"state": stands, "hands": rows, "members": members_view(here.club, here.reader)}


def _screen(here: Reading, kind: str, night: str | None = None, told: Mapping[str, Any] | None = None) -> str:
    table = request.args.get("table", "")
    if night is not None:
        table = require_night(here.club, night).table
    elif table:
        require_table(here.club, table)
    name = here.words.table(table) if table else ""
    return render_template(
        "table/screen.html",
        title={"wall": gettext("Wall"), "phone": gettext("Your evening")}.get(kind, name),
        kind=f"at-{kind}",
        entry=f"{kind}.bundle.mjs",
        sheets=STYLES[kind],
        name=name,
        club=here.club.id,
        night=night or "",
        table=table,
        role=_own_role(),
        zone=here.club.zone,
        words=words_of_screens(),
        told=told,
        look="dark" if request.args.get("look") == "dark" else "",
    )


def _own_role() -> str:
    """Return the role of whoever asks without a PIN: what that may do is asked at each act."""
    return callers.require(VIEWER, gettext("This page")).role


def _join(here: Reading, night: str, **made: Any) -> str:  # noqa: ANN401 - what a code is shown with
    known = require_night(here.club, night)
    name = here.words.table(known.table)
    return render_template("table/join.html", night=known, name=name, when=day(known.date), **made)
