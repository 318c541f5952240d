"""The table on a tablet: the page that an evening is kept with."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template
from werkzeug.wrappers import Response

from api.reading import Reading
from ledger.access import SCOREKEEPER
from ledger.club import require_night
from web import callers
from web.booking import shows

tablet = Blueprint("tablet", __name__, template_folder="../templates")


@shows(tablet, "/nights/<id:night>/table", role=SCOREKEEPER)
def table(here: Reading, night: str) -> str:
    """The table of a night, for whoever keeps the score."""
    found = require_night(here.club, night)
    who = callers.require(SCOREKEEPER, "")
    return render_template(
        "table/tablet.html",
        club=here.club.id,
        night=found.id,
        name=here.words.table(found.table),
        role=who.role,
    )


@shows(tablet, "/table", role=SCOREKEEPER)
def table_of_the_club(here: Reading) -> Response:
    """The table that is open, if it is one alone; else the nights, to choose from."""
    found = [night for night in here.club.nights.values() if not night.closed]
    return redirect(f"/nights/{found[0].id}/table" if len(found) == 1 else "/nights", 303)
