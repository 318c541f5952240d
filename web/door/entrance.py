"""In and out: signing in, one-time links, pairing, signing out."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, g, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from api import auth
from api.state import state
from api.views.door import club_name, club_of
from ledger import people
from ledger.access import VIEWER
from web import callers
from web.done import done
from web.door.taking import takes
from web.forms import Form

SCREENS: Final = ("phone", "wall")
"""Where a device may go on to once it is paired; else it begins at the start page."""

entrance = Blueprint("entrance", __name__, template_folder="../templates")


@entrance.get("/sign-in")
def sign_in() -> str:
    """Say who you are."""
    clubs = state().ledger.store.clubs()
    return render_template(
        "door/sign_in.html",
        clubs=[(club, club_name(club)) for club in clubs] if len(clubs) > 1 else [],
        plain=not request.is_secure and request.host.rpartition(":")[0] not in ("localhost", "127.0.0.1", "[::1]"),
    )


@takes(entrance, "/sign-in", again=sign_in)
def signing_in(form: Form) -> AnyResponse:
    """Let somebody in by his password."""
    who = callers.caller_or_none()
    signed_in = people.sign_in(
        state().door,
        club_of(form.text("club")),
        form.value("login"),
        form.value("password"),
        auth.by(),
        agent=request.user_agent.string,
        browser=auth.browser_secret(),
        device=who.device if who else None,
        leaving=who.session if who and who.user else None,
    )
    response = redirect("/", 303)
    auth.let_in(response, signed_in)
    return response


@entrance.get("/sign-out")
def sign_out() -> str:
    """Ask whether one wants to leave."""
    callers.require(VIEWER, "sign-out")
    return render_template("door/sign_out.html")


@entrance.post("/sign-out")
def signing_out() -> AnyResponse:
    """End the session, here and at the server."""
    who = callers.caller_or_none()
    if who is not None and who.session is not None:
        people.sign_out(state().door, who.session, auth.by())
    response = redirect("/sign-in", 303)
    auth.let_out(response)
    return response


@entrance.get("/invite")
def invite() -> str:
    """Take what stands behind # in a link: a script puts it there, or somebody types it."""
    return render_template("door/invite.html", link=None)


@takes(entrance, "/invite", again=invite)
def looking(form: Form) -> str:
    """Show what a link is for; that does not use it up."""
    return _welcome(form.value("code"))


def _welcome(code: str) -> str:
    link, user = people.look(state().door, code)
    return render_template(
        "door/invite.html", link=link, user=user, code=code.strip(), club=club_name(link.club), first=not user.joined
    )


def _welcome_again() -> str:
    """Show the form again: the link is still good, unless it is what was wrong."""
    form: Form = g.form
    return invite() if form.error("code") else _welcome(form.value("code"))


@takes(entrance, "/invite/use", again=_welcome_again)
def coming_in(form: Form) -> AnyResponse:
    """Let in whoever has a link."""
    code = form.value("code")
    link, user = people.look(state().door, code)
    signed_in = people.use_link(
        state().door,
        code,
        auth.by(),
        name=form.text("name"),
        login=form.text("login"),
        password=form.value("password") or None,
        club_name=club_name(link.club),
        agent=request.user_agent.string,
    )
    at = "/" if signed_in.user.password else "/account"
    response = done(at, "came_in") if not user.joined else redirect(at, 303)
    auth.let_in(response, signed_in)
    return response


@entrance.get("/pair")
def pair() -> str:
    """Take the code that makes this browser a device of the club."""
    return render_template("door/pair.html")


@takes(entrance, "/pair", again=pair)
def pairing(form: Form) -> AnyResponse:
    """Let this browser be a device, and show what it is for: one that only looks shows the wall, or is a phone."""
    device, secret = people.pair(state().door, form.value("code"), auth.by(), agent=request.user_agent.string)
    there = form.value("to") if form.value("to") in SCREENS else "wall" if device.role == VIEWER else ""
    response = redirect(f"/{there}", 303)
    auth.let_device_in(response, secret)
    return response
