"""In and out: what a browser asks before it is known, and when it leaves."""

from __future__ import annotations

from typing import Any

from flask import Response, g, request
from flask_smorest import Blueprint

from api import auth
from api.answers import answered
from api.bodies import read_body
from api.openapi import body_of, named
from api.schemas import door as sent
from api.state import state
from ledger import people
from ledger.errors import ClubUnknown, SignInWrong
from ledger.people import SignedIn
from ledger.words import Words

door = Blueprint(
    "door",
    __name__,
    description="In and out, for browsers: they keep a cookie. Programs have a token and need none of this",
)


@door.route("/sign-in", methods=["POST"])
@named(door)
@door.doc(requestBody=body_of("SignIn"))
@door.response(200, sent.Me)
def sign_in() -> Response:
    """Sign in by a password: a new session, in a cookie. Who guesses waits (429)."""
    body = read_body(sent.SignIn)
    caller = auth.caller_if_any()
    signed_in = people.sign_in(
        state().door,
        club_of(body.get("club")),
        body["login"],
        body["password"],
        auth.by(),
        agent=request.user_agent.string,
        browser=auth.browser_secret(),
        device=caller.device if caller else None,
        leaving=caller.session if caller and caller.user else None,
    )
    return entered(signed_in)


@door.route("/sign-out", methods=["POST"])
@named(door)
@door.doc(requestBody={**body_of("SignOut"), "required": False})
@door.response(204)
def sign_out() -> Response:
    """Sign out: the session ends here and at the server, and the browser forgets what it kept of pages."""
    storage = bool(read_body(sent.SignOut).get("storage")) if request.content_length else False
    caller = auth.caller_if_any()
    if caller is not None and caller.session is not None:
        people.sign_out(state().door, caller.session, auth.by())
    response = Response(status=204)
    auth.let_out(response, storage=storage)
    return response


@door.route("/links/look", methods=["POST"])
@named(door)
@door.doc(requestBody=body_of("LinkCode"))
@door.response(200, sent.LinkFor)
def look_at_link() -> Response:
    """What a one-time link is for; that does not use it up."""
    link, user = people.look(state().door, read_body(sent.LinkCode)["code"])
    told = {
        "kind": link.kind,
        "club": link.club,
        "club_name": club_name(link.club),
        "name": user.name,
        "login": user.login,
        "role": user.role,
        "chooses_name": user.joined is None,
        "needs_password": link.kind != "owner",
    }
    return answered(told)


@door.route("/links/use", methods=["POST"])
@named(door)
@door.doc(requestBody=body_of("LinkUse"))
@door.response(200, sent.Me)
def use_link() -> Response:
    """Come in by a one-time link, and choose a password: every other session of his ends."""
    body = read_body(sent.LinkUse)
    link, _user = people.look(state().door, body["code"])
    signed_in = people.use_link(
        state().door,
        body["code"],
        auth.by(),
        name=body.get("name"),
        login=body.get("login"),
        password=body.get("password"),
        club_name=club_name(link.club),
        agent=request.user_agent.string,
    )
    return entered(signed_in)


@door.route("/pair", methods=["POST"])
@named(door)
@door.doc(requestBody=body_of("PairCode"))
@door.response(200, sent.Paired)
def pair() -> Response:
    """Let this browser be the device that a code was made for. Who guesses waits (429)."""
    code = read_body(sent.PairCode)["code"]
    device, secret = people.pair(state().door, code, auth.by(), agent=request.user_agent.string)
    response = answered({"club": device.club, "device": device.id, "name": device.name, "role": device.role})
    auth.let_device_in(response, secret)
    return response


def entered(signed_in: SignedIn) -> Response:
    """Answer somebody who came in."""
    user = signed_in.user
    g.caller = auth.Caller(
        club=user.club, role=user.role, name=user.name, id=user.id, user=user, session=signed_in.session
    )
    response = answered(me_of(g.caller))
    auth.let_in(response, signed_in)
    return response


def me_of(caller: auth.Caller) -> dict[str, Any]:
    """Return what somebody is told of himself."""
    user = caller.user
    has_pin = user is not None and any(one.id == user.id for one in people.people_with_pins(state().door, caller.club))
    return {
        "club": caller.club,
        "kind": caller.actor.partition(":")[0],
        "id": caller.id,
        "name": caller.name,
        "role": caller.role,
        "has_password": user is not None and user.password is not None,
        "has_pin": has_pin,
    }


def club_of(named: str | None) -> str:
    """Return the club that somebody signs in to: it need not be said where there is one. Raises ``SignInWrong``."""
    clubs = state().ledger.store.clubs()
    if named is None and len(clubs) == 1:
        return clubs[0]
    if named not in clubs:
        raise SignInWrong(field="club")
    return named


def club_name(club: str) -> str:
    """Return what a club is called. Raises ``ClubUnknown``."""
    ledger = state().ledger
    with ledger.store.read(club) as reader:
        name = Words(ledger.club(club, reader), reader).club()
    if name is None:
        raise ClubUnknown(club=club)
    return name
