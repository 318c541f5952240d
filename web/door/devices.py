"""The club's tablets and screens: paired by a code, named, revoked."""

from __future__ import annotations

from flask import Blueprint, render_template
from werkzeug.wrappers import Response as AnyResponse

from api import auth, tls
from api.state import state
from api.views.people import device_rows, picture_of
from api.views.people import pairing as shown
from ledger import people
from ledger.access import OWNER, ROLES
from web import callers
from web.done import done
from web.door.taking import takes, zone_of
from web.forms import Form
from web.words import gettext

devices = Blueprint("devices_at_the_door", __name__, template_folder="../templates")


@devices.get("/devices")
def every_device() -> str:
    """Every device, and a form for one more."""
    who = callers.require(OWNER, gettext("This page"))
    rows = device_rows(who.club)
    return render_template(
        "door/devices.html",
        devices=[row for row in rows if not row["revoked"]],
        revoked=[row for row in rows if row["revoked"]],
        roles=ROLES,
        tokens=[one for one in state().tokens.all(who.club) if one.revoked is None],
        zone=zone_of(who.club),
    )


@takes(devices, "/devices/pair", again=every_device, role=OWNER)
def making_code(form: Form) -> str:
    """Make a code, and show it once."""
    name, role = form.value("name"), form.value("role")
    link, code = people.pairing_code(state().door, _club(), name, role, auth.by())
    told = shown(link, code)
    others = [(address, picture_of(address)) for address in told.pop("others")]
    own = tls.shown()
    trust = own is not None and not own.is_given
    return render_template("door/code.html", name=link.name, others=others, trust=trust, **told)


@takes(devices, "/devices/<id:device>/name", again=every_device, role=OWNER)
def renaming(form: Form, device: str) -> AnyResponse:
    """Call a device by another name."""
    people.rename_device(state().door, _club(), device, form.value("name"), auth.by())
    return done("/devices", "renamed_here")


@takes(devices, "/devices/<id:device>/revoke", again=every_device, role=OWNER)
def revoking(_form: Form, device: str) -> AnyResponse:
    """Let a device be of no use any more."""
    people.revoke_device(state().door, _club(), device, auth.by())
    return done("/devices", "revoked")


@takes(devices, "/devices/tokens", again=every_device, role=OWNER)
def making_token(form: Form) -> str:
    """Make a token for a program, and show it once."""
    token, secret = people.make_token(
        state().door, state().tokens, _club(), form.value("name"), form.value("role"), auth.by()
    )
    return render_template("door/token.html", token=token, secret=secret)


@takes(devices, "/devices/tokens/<id:token>/revoke", again=every_device, role=OWNER)
def revoking_token(_form: Form, token: str) -> AnyResponse:
    """Let a program's token be of no use any more."""
    people.revoke_token(state().door, state().tokens, _club(), token, auth.by())
    return done("/devices", "token_revoked")


def _club() -> str:
    return callers.require(OWNER, gettext("This form")).club
