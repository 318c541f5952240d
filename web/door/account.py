"""One's own: the password, where one is signed in, the PIN."""

from __future__ import annotations

from flask import Blueprint, g, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from api import auth
from api.state import state
from api.views.door import club_name, me_of
from api.views.people import end_by_id, session_rows
from ledger import people
from ledger.access import VIEWER
from web import callers
from web.done import done
from web.door.taking import takes, zone_of
from web.forms import Form
from web.words import gettext

account = Blueprint("account", __name__, template_folder="../templates")


@account.get("/account")
def mine() -> str:
    """What one may do about oneself."""
    who = callers.require(VIEWER, gettext("This page"))
    sessions = session_rows(who.club, everybody=False)
    return render_template("door/account.html", me=me_of(who), sessions=sessions, zone=zone_of(who.club))


@takes(account, "/account/password", again=mine, role=VIEWER)
def changing_password(form: Form) -> AnyResponse:
    """Choose another password; every other session ends."""
    user, session = auth.require_user(gettext("A password"))
    signed_in = people.change_password(
        state().door,
        session,
        form.value("current") or None,
        form.value("new"),
        auth.by(),
        club_name=club_name(user.club),
        agent=request.user_agent.string,
    )
    response = done("/account", "password_changed")
    auth.let_in(response, signed_in)
    return response


@takes(account, "/account/sessions/<id:session>/end", again=mine, role=VIEWER)
def ending(_form: Form, session: str) -> AnyResponse:
    """End one session."""
    who: auth.Caller = g.caller
    end_by_id(who.club, session)
    if who.session is not None and who.session.id == session:
        return redirect("/sign-in", 303)
    return done("/account", "session_ended")


@takes(account, "/account/sessions/end", again=mine, role=VIEWER)
def ending_others(_form: Form) -> AnyResponse:
    """End every session but this."""
    _user, session = auth.require_user(gettext("A session"))
    people.end_other_sessions(state().door, session, auth.by())
    return done("/account", "session_ended")


@takes(account, "/account/pin", again=mine, role=VIEWER)
def choosing_pin(form: Form) -> AnyResponse:
    """Choose a PIN for the club's devices."""
    _user, session = auth.require_user(gettext("A PIN"))
    people.set_pin(state().door, session, form.value("pin"), form.value("password"), auth.by())
    return done("/account", "pin_set")


@takes(account, "/account/pin/remove", again=mine, role=VIEWER)
def removing_pin(_form: Form) -> AnyResponse:
    """Have no PIN."""
    _user, session = auth.require_user(gettext("A PIN"))
    people.remove_pin(state().door, session, auth.by())
    return done("/account", "pin_removed")
