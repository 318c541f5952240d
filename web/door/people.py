"""Who may sign in: invited, given another role, the office, a new link, or put out."""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, render_template
from flask_babel import lazy_gettext as later
from werkzeug.wrappers import Response as AnyResponse

from api import auth, reach
from api.state import state
from api.views.people import end_by_id, link_of, picture_of, session_rows
from ledger import people as door
from ledger.access import OWNER, ROLES
from ledger.people import Device, Entry, User
from web import callers
from web.done import done
from web.door.taking import takes, zone_of
from web.forms import Form
from web.frame import role_name
from web.words import gettext

people = Blueprint("people_at_the_door", __name__, template_folder="../templates")

WHAT: Final = {
    "user_added": later("invited"),
    "link_made": later("made a link for"),
    "link_used": later("came in by a link"),
    "signed_in": later("signed in"),
    "signed_out": later("signed out"),
    "sign_in_refused": later("was refused: wrong password"),
    "session_ended": later("ended a session of"),
    "password_changed": later("changed the password of"),
    "password_refused": later("was refused a new password"),
    "role_changed": later("changed the role of"),
    "user_disabled": later("put out"),
    "user_enabled": later("let in again"),
    "user_renamed": later("renamed"),
    "pairing_begun": later("made a pairing code"),
    "device_paired": later("was paired"),
    "device_renamed": later("renamed"),
    "device_revoked": later("revoked"),
    "pin_set": later("chose a PIN"),
    "pin_removed": later("removed a PIN"),
    "pin_accepted": later("took the PIN of"),
    "pin_refused": later("refused a PIN"),
    "token_made": later("made a token"),
    "token_revoked": later("revoked a token"),
    "refused": later("was refused for the role"),
}


@people.get("/people")
def everybody() -> str:
    """Everybody who may sign in, and what happened at the door lately."""
    who = callers.require(OWNER, gettext("This page"))
    with state().door.people.read() as records:
        users = records.all(User, who.club)
        devices = records.all(Device, who.club)
        trail = records.trail(who.club, limit=50)
    lines = [_line(entry) for entry in trail]
    heirs = [user for user in users if user.id != who.id and user.joined and not user.disabled]
    names = {
        **{told: user.name for user in users for told in (user.id, f"user:{user.id}")},
        **{f"device:{device.id}": device.name for device in devices},
        **{f"token:{one.id}": one.name or one.id for one in state().tokens.all(who.club)},
        "cli": gettext("Somebody on the machine"),
        "serve": gettext("The server at its start"),
        "nobody": gettext("Somebody unknown"),
    }
    sessions: dict[str, list[dict[str, Any]]] = {user.id: [] for user in users}
    for row in session_rows(who.club, everybody=True):
        sessions.setdefault(row["user"], []).append(row)
    return render_template(
        "door/people.html",
        users=users,
        heirs=heirs,
        sessions=sessions,
        trail=lines,
        zone=zone_of(who.club),
        named=lambda told: " ".join(names.get(part) or role_name(part) for part in told.split(" ")),
        **_choices(),
    )


@takes(people, "/people/invite", again=everybody, role=OWNER)
def inviting(form: Form) -> str:
    """Invite somebody, and show the link once."""
    user, secret = door.add_user(state().door, _club(), form.value("name"), form.value("role"), auth.by())
    return _link(user, secret)


@takes(people, "/people/<id:user>/reset", again=everybody, role=OWNER)
def resetting(_form: Form, user: str) -> str:
    """Make a link by which somebody chooses a new password."""
    return _link(*door.link_for(state().door, _club(), user, auth.by()))


@takes(people, "/people/<id:user>/role", again=everybody, role=OWNER)
def changing_role(form: Form, user: str) -> AnyResponse:
    """Give somebody another role."""
    door.change_role(state().door, _club(), user, form.value("role"), auth.by())
    return done("/people", "role_changed")


@takes(people, "/people/<id:user>/name", again=everybody, role=OWNER)
def renaming(form: Form, user: str) -> AnyResponse:
    """Call somebody by another name."""
    door.rename_user(state().door, _club(), user, form.value("name"), auth.by())
    return done("/people", "renamed_here")


@takes(people, "/people/<id:user>/disable", again=everybody, role=OWNER)
def putting_out(_form: Form, user: str) -> AnyResponse:
    """Let somebody in no more."""
    door.disable_user(state().door, _club(), user, auth.by())
    return done("/people", "put_out")


@takes(people, "/people/<id:user>/enable", again=everybody, role=OWNER)
def letting_in(_form: Form, user: str) -> AnyResponse:
    """Let somebody in again."""
    door.enable_user(state().door, _club(), user, auth.by())
    return done("/people", "let_in")


@takes(people, "/people/sessions/<id:session>/end", again=everybody, role=OWNER)
def ending(_form: Form, session: str) -> AnyResponse:
    """End somebody's session."""
    end_by_id(_club(), session)
    return done("/people", "session_ended")


@takes(people, "/people/hand-over", again=everybody, role=OWNER)
def handing_over(form: Form) -> AnyResponse:
    """Hand the office over: both, or neither."""
    callers.require(OWNER, gettext("This form"))
    user, _session = auth.require_user(gettext("Handing over the office"))
    door.hand_over(state().door, user.club, user.id, form.value("user"), form.value("role"), auth.by())
    return done("/account", "handed_over")


def _club() -> str:
    return callers.require(OWNER, gettext("This form")).club


def _link(user: User, secret: str) -> str:
    link = link_of(secret)
    return render_template(
        "door/link.html", user=user, link=link, picture=picture_of(link), only_here=not reach.addresses()
    )


def _choices() -> dict[str, Any]:
    return {"roles": ROLES, "lesser": ROLES[:-1]}


def _line(entry: Entry) -> tuple[Entry, Any]:
    return entry, WHAT.get(entry.what, entry.what)
