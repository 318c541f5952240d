"""Who belongs to a club: oneself, people, devices, tokens, PINs, and the trail of all that."""

from __future__ import annotations

from typing import Any, Final

import segno
from flask import Response, g, request
from flask_smorest import Blueprint

from api import auth, reach
from api.answers import answered, require_changed, tag_of
from api.bodies import read_body
from api.openapi import TAGGED, body_of, signed_in
from api.schemas import door as sent
from api.state import state
from api.views.door import club_name, entered, me_of
from ledger import people
from ledger.access import OWNER
from ledger.errors import PasswordNeeded, RoleNeeded
from ledger.people import Device, Link, Session, User
from ledger.people.pins import GRANT_LIFE

members = Blueprint(
    "people", __name__, url_prefix="/clubs/<id:club>", description="People, devices, tokens: who may come in, and did"
)

_USER: Final = ("id", "name", "login", "role", "created", "joined", "disabled")


@members.route("/me")
@signed_in(members)
@members.response(200, sent.Me, headers=TAGGED)
@members.alt_response(304, description="nothing is new", success=True)
def me(club: str) -> Response:  # noqa: ARG001 - it is the caller's
    """Who asks."""
    return _read(me_of(g.caller))


@members.route("/password", methods=["POST"])
@signed_in(members)
@members.doc(requestBody=body_of("NewPassword"))
@members.response(200, sent.Me)
def change_password(club: str) -> Response:
    """Choose another password: every session of his ends but this one, which begins anew."""
    _user, session = auth.require_user("A password")
    body = read_body(sent.NewPassword)
    return entered(
        people.change_password(
            state().door,
            session,
            body.get("current"),
            body["new"],
            auth.by(),
            club_name=club_name(club),
            agent=request.user_agent.string,
        )
    )


# Sessions


@members.route("/sessions")
@signed_in(members)
@members.arguments(sent.AllSessions, location="query", as_kwargs=True)
@members.response(200, sent.Sessions, headers=TAGGED)
@members.alt_response(304, description="nothing is new", success=True)
def sessions(club: str, all: str) -> Response:
    """Where one is signed in; for owners, where everybody is."""
    return _read({"sessions": session_rows(club, everybody=all == "true")})


def session_rows(club: str, *, everybody: bool) -> list[dict[str, Any]]:
    """Return the sessions of the caller, or of everybody. Raises ``RoleNeeded``."""
    caller: auth.Caller = g.caller
    if everybody and caller.role != OWNER:
        raise RoleNeeded(what="Everybody's sessions", role=OWNER, has=caller.role)
    now = state().door.now()
    with state().door.people.read() as records:
        names = {user.id: user.name for user in records.all(User, club)}
        found = [
            one
            for one in records.all(Session, club)
            if one.user is not None and (one.expires or now) >= now and (everybody or _is_mine(one))
        ]
    return [
        {
            "id": one.id,
            "user": one.user,
            "name": names.get(one.user or "", ""),
            "created": one.created,
            "seen": one.seen,
            "expires": one.expires,
            "agent": one.agent,
            "current": caller.session is not None and one.digest == caller.session.digest,
        }
        for one in found
    ]


def _is_mine(session: Session) -> bool:
    caller: auth.Caller = g.caller
    return caller.user is not None and session.user == caller.user.id


@members.route("/sessions", methods=["DELETE"])
@signed_in(members)
@members.response(204)
def end_other_sessions(club: str) -> Response:  # noqa: ARG001 - it is the caller's
    """End one's own sessions, all but this."""
    _user, session = auth.require_user("A session")
    people.end_other_sessions(state().door, session, auth.by())
    return Response(status=204)


@members.route("/sessions/<id:session>", methods=["DELETE"])
@signed_in(members)
@members.response(204)
def end_session(club: str, session: str) -> Response:
    """End a session of one's own; owners end anybody's."""
    end_by_id(club, session)
    return Response(status=204)


def end_by_id(club: str, session: str) -> None:
    """End a session that the caller may end. Raises ``SessionUnknown``, ``PasswordNeeded``."""
    caller: auth.Caller = g.caller
    if caller.role != OWNER and caller.user is None:
        raise PasswordNeeded(what="A session")
    of_user = None if caller.role == OWNER or caller.user is None else caller.user.id
    people.end_session(state().door, club, session, auth.by(), of_user=of_user)


# Tokens


@members.route("/tokens")
@signed_in(members)
@members.response(200, sent.Tokens, headers=TAGGED)
@members.alt_response(304, description="nothing is new", success=True)
def tokens(club: str) -> Response:
    """What programs sign in with, without the secrets."""
    keys = ("id", "name", "role", "created", "used", "revoked")
    return _read({"tokens": [{key: getattr(one, key) for key in keys} for one in state().tokens.all(club)]})


@members.route("/tokens", methods=["POST"])
@signed_in(members)
@members.doc(requestBody=body_of("NewToken"))
@members.response(201, sent.TokenMade)
def make_token(club: str) -> Response:
    """Make a token; it is shown this once."""
    body = read_body(sent.NewToken)
    token, secret = people.make_token(state().door, state().tokens, club, body.get("name"), body["role"], auth.by())
    return answered({"token": secret, "id": token.id}, 201)


@members.route("/tokens/<id:token>", methods=["DELETE"])
@signed_in(members)
@members.response(204)
def revoke_token(club: str, token: str) -> Response:
    """Let a token be of no use any more, at once."""
    people.revoke_token(state().door, state().tokens, club, token, auth.by())
    return Response(status=204)


# People


@members.route("/users")
@signed_in(members)
@members.response(200, sent.Users, headers=TAGGED)
@members.alt_response(304, description="nothing is new", success=True)
def users(club: str) -> Response:
    """Who may sign in, and who was invited."""
    with state().door.people.read() as records:
        return _read({"users": [_told(user) for user in records.all(User, club)]})


@members.route("/users", methods=["POST"])
@signed_in(members)
@members.doc(requestBody=body_of("NewUser"))
@members.response(201, sent.Invited)
def invite(club: str) -> Response:
    """Invite somebody: the link is good once, for seven days."""
    body = read_body(sent.NewUser)
    return _linked(*people.add_user(state().door, club, body["name"], body["role"], auth.by()))


@members.route("/users/<id:user>/reset", methods=["POST"])
@signed_in(members)
@members.response(201, sent.Invited)
def reset_user(club: str, user: str) -> Response:
    """Make a link by which somebody chooses a new password; earlier links end."""
    return _linked(*people.link_for(state().door, club, user, auth.by()))


@members.route("/users/<id:user>/role", methods=["POST"])
@signed_in(members)
@members.doc(requestBody=body_of("NewRole"))
@members.response(200, sent.UserRow)
def change_role(club: str, user: str) -> Response:
    """Let somebody have another role, at once; the last owner stays one."""
    return answered(_told(people.change_role(state().door, club, user, read_body(sent.NewRole)["role"], auth.by())))


@members.route("/users/<id:user>/name", methods=["POST"])
@signed_in(members)
@members.doc(requestBody=body_of("NewName"))
@members.response(200, sent.UserRow)
def rename_user(club: str, user: str) -> Response:
    """Call somebody by another name; what he recorded bears the old one."""
    return answered(_told(people.rename_user(state().door, club, user, read_body(sent.NewName)["name"], auth.by())))


@members.route("/users/<id:user>/disable", methods=["POST"])
@signed_in(members)
@members.response(200, sent.UserRow)
def disable_user(club: str, user: str) -> Response:
    """Let somebody in no more: his sessions, his links and his PIN end. The last owner stays."""
    return answered(_told(people.disable_user(state().door, club, user, auth.by())))


@members.route("/users/<id:user>/enable", methods=["POST"])
@signed_in(members)
@members.response(200, sent.UserRow)
def enable_user(club: str, user: str) -> Response:
    """Let somebody in again."""
    return answered(_told(people.enable_user(state().door, club, user, auth.by())))


@members.route("/hand-over", methods=["POST"])
@signed_in(members)
@members.doc(requestBody=body_of("HandOver"))
@members.response(200, sent.Users)
def hand_over(club: str) -> Response:
    """Hand the office over: another is owner, oneself is something less. Both, or neither."""
    user, _session = auth.require_user("Handing over the office")
    body = read_body(sent.HandOver)
    both = people.hand_over(state().door, club, user.id, body["user"], body["role"], auth.by())
    return answered({"users": [_told(one) for one in both]})


# Devices


@members.route("/devices")
@signed_in(members)
@members.response(200, sent.Devices, headers=TAGGED)
@members.alt_response(304, description="nothing is new", success=True)
def devices(club: str) -> Response:
    """The club's tablets and screens."""
    return _read({"devices": device_rows(club)})


def device_rows(club: str) -> list[dict[str, Any]]:
    """Return the devices of a club, and when each was last there."""
    with state().door.people.read() as records:
        seen = {one.device: one.seen for one in records.all(Session, club) if one.device}
        found = records.all(Device, club)
    keys = ("id", "name", "role", "created", "paired_by", "revoked")
    return [{**{key: getattr(one, key) for key in keys}, "seen": seen.get(one.id)} for one in found]


@members.route("/devices", methods=["POST"])
@signed_in(members)
@members.doc(requestBody=body_of("NewDevice"))
@members.response(201, sent.PairingCode)
def pair_device(club: str) -> Response:
    """Make a code by which one device comes in, within ten minutes."""
    body = read_body(sent.NewDevice)
    link, code = people.pairing_code(state().door, club, body["name"], body["role"], auth.by())
    return answered(pairing(link, code), 201)


def pairing(link: Link, code: str, leading_to: str = "") -> dict[str, Any]:
    """Return what is shown of a code: where it is entered, and that as a picture; then it may lead to a screen."""
    found = reach.links(f"pair{'?to=' if leading_to else ''}{leading_to}#{code}")
    return {
        "code": f"{code[:4]}-{code[4:]}",
        "address": found[0],
        "others": found[1:],
        "only_here": not reach.addresses(),
        "qr": picture_of(found[0]),
        "expires": link.expires,
    }


def picture_of(address: str) -> str:
    """Return an address as a QR code: a data URL."""
    picture: str = segno.make(address, error="m").svg_data_uri(scale=6, border=4, dark="#000", light="#fff")
    return picture


@members.route("/devices/<id:device>/name", methods=["POST"])
@signed_in(members)
@members.doc(requestBody=body_of("NewName"))
@members.response(200, sent.DeviceRow)
def rename_device(club: str, device: str) -> Response:
    """Call a device by another name; what it recorded bears the old one."""
    people.rename_device(state().door, club, device, read_body(sent.NewName)["name"], auth.by())
    return answered(next(row for row in device_rows(club) if row["id"] == device))


@members.route("/devices/<id:device>", methods=["DELETE"])
@signed_in(members)
@members.response(204)
def revoke_device(club: str, device: str) -> Response:
    """Let a device be of no use any more, at once."""
    people.revoke_device(state().door, club, device, auth.by())
    return Response(status=204)


# PINs


@members.route("/pins")
@signed_in(members)
@members.response(200, sent.PinUsers, headers=TAGGED)
@members.alt_response(304, description="nothing is new", success=True)
def people_with_pins(club: str) -> Response:
    """Whose PIN lets a device do what it may not do itself."""
    found = people.people_with_pins(state().door, club)
    return _read({"users": [{"user": one.id, "name": one.name, "role": one.role} for one in found]})


@members.route("/pin", methods=["PUT"])
@signed_in(members)
@members.doc(requestBody=body_of("NewPin"))
@members.response(204)
def set_pin(club: str) -> Response:  # noqa: ARG001 - it is the caller's
    """Choose a PIN of one's own, for the club's devices."""
    _user, session = auth.require_user("A PIN")
    body = read_body(sent.NewPin)
    people.set_pin(state().door, session, body["pin"], body["password"], auth.by())
    return Response(status=204)


@members.route("/pin", methods=["DELETE"])
@signed_in(members)
@members.response(204)
def remove_pin(club: str) -> Response:  # noqa: ARG001 - it is the caller's
    """Have no PIN any more."""
    _user, session = auth.require_user("A PIN")
    people.remove_pin(state().door, session, auth.by())
    return Response(status=204)


@members.route("/pin", methods=["POST"])
@signed_in(members)
@members.doc(requestBody=body_of("PinEntry"))
@members.response(200, sent.PinGrant)
def enter_pin(club: str) -> Response:  # noqa: ARG001 - it is the caller's
    """On a device: let somebody's PIN be good for one command, whose actor he is. Who guesses waits (429)."""
    caller: auth.Caller = g.caller
    if caller.device is None:
        raise PasswordNeeded(what="What one may oneself needs no PIN. It")
    body = read_body(sent.PinEntry)
    grant = people.grant_by_pin(state().door, caller.device, body["user"], body["pin"], auth.by())
    return answered({"grant": grant, "expires_in": int(GRANT_LIFE.total_seconds())})


# The trail


@members.route("/trail")
@signed_in(members)
@members.arguments(sent.TrailPage, location="query", as_kwargs=True)
@members.response(200, sent.Trail, headers=TAGGED)
@members.alt_response(304, description="nothing is new", success=True)
def trail(club: str, after: int, limit: int) -> Response:
    """Who signed in, was refused, changed roles: the newest first. ``after`` goes on with what is older."""
    with state().door.people.read() as records:
        found = records.trail(club, before=after or None, limit=limit + 1)
    keys = ("number", "at", "actor", "what", "about", "address")
    rows = [{key: getattr(one, key) for key in keys} for one in found[:limit]]
    return _read({"trail": rows, "next": rows[-1]["number"] if len(found) > limit else None})


def _read(data: dict[str, Any]) -> Response:
    """Answer with what is kept beside the book, and so is told apart by itself alone."""
    tag = tag_of("door", data)
    require_changed(tag)
    return answered(data, tag=tag)


def _told(user: User) -> dict[str, Any]:
    return {key: getattr(user, key) for key in _USER}


def link_of(secret: str) -> str:
    """Return the link that lets somebody in, at an address where he reaches this server if there is one."""
    return reach.links(f"invite#{secret}")[0]


def _linked(user: User, secret: str) -> Response:
    expires = state().door.after(people.links.LINK_LIFE)
    told = {"user": _told(user), "link": link_of(secret), "only_here": not reach.addresses(), "expires": expires}
    return answered(told, 201)
