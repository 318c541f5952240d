"""What a club is set to, and its seasons."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from api.answers import release
from api.reading import Reading
from ledger.access import OWNER, TREASURER
from ledger.values import club_date
from web.booking import carry_out, shows, takes
from web.done import done
from web.forms import Form

settings = Blueprint("settings_of_the_club", __name__, template_folder="../templates")


@shows(settings, "/settings")
def all_settings(here: Reading) -> str:
    """The club's name, time zone, cut-off and money, and its seasons."""
    club = here.club
    return render_template(
        "settings.html",
        club=club,
        today=club_date(here.ledger.now(), club.zone, club.cut_off),
        seasons=[(one, here.words.text(one.name) or one.id) for one in reversed([*club.seasons.values()])],
        release=release(),
    )


@takes(settings, "/settings/club", role=OWNER, again=all_settings)
def change_club(form: Form) -> Response:
    """Change what of name, time zone and cut-off is filled in otherwise than the page had it."""
    changed: dict[str, Any] = {
        key: form.value(key) for key in ("name", "zone", "cut_off") if form.value(key) != form.value(f"{key}_was")
    }
    carry_out(form, "ChangeClub", **changed)
    return done("/settings", "club_changed")


@takes(settings, "/settings/season", role=TREASURER, again=all_settings)
def start_season(form: Form) -> Response:
    """Begin a season."""
    carry_out(form, "StartSeason", name=form.value("name"))
    return done("/settings", "season_started")


@takes(settings, "/settings/season/end", role=TREASURER, again=all_settings)
def end_season(form: Form) -> Response:
    """End a season."""
    carry_out(form, "EndSeason", season=form.value("season"))
    return done("/settings", "season_ended")
