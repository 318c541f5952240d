"""Who asks, and whether he may: one table of calls and roles, looked at before anything else is.

A program shows a token (``Authorization: Bearer``) and is known by that alone. A browser shows the cookie of its
session, somebody's or a device's, and what it sends must come from a page of this very address. Never both.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from flask import g, request
from werkzeug.wrappers import Response as AnyResponse

from api.polling import SCHEME, SECRET_LIMIT, cookie_of
from api.state import state
from ledger import access, people
from ledger.errors import (
    ClubUnknown,
    CrossSite,
    GrantWrong,
    LedgerError,
    PasswordNeeded,
    RoleNeeded,
    SessionEnded,
    SignInNeeded,
    TokenWrong,
    Unavailable,
)
from ledger.people import By, Device, Session, SignedIn, User
from ledger.service import Request, Sender
from ledger.tokens import Token, digest_of

GRANT: Final = "X-Pin-Grant"
"""The header that says whose PIN lets a device do one act."""

DOORS: Final = frozenset({"sign_in", "sign_out", "look_at_link", "use_link", "pair"})
"""Calls that let somebody in or out: no other site's page may make them in a browser."""

_COOKIE_LIFE: Final = timedelta(days=400)
"""As long as browsers keep one; the store knows when a session ends."""

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_NOTED_AGAIN: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks: a program by its token, somebody, or a device of the club."""

    club: str
    role: str
    name: str | None
    id: str
    token: Token | None = None
    user: User | None = None
    device: Device | None = None
    session: Session | None = None

    @property
    def actor(self) -> str:
        """Return what stands on events and in the trail."""
        return f"{'user' if self.user else 'device' if self.device else 'token'}:{self.id}"


def require_leave() -> None:
    """Let a call about a club pass only for somebody who may make it.

    Raises ``SignInNeeded``, ``TokenWrong``, ``SessionEnded``, ``CrossSite``, ``RoleNeeded``; and ``ClubUnknown`` for a
    club that he is not of, as for one that is nowhere.
    """
    g.caller = None
    call = (request.endpoint or "").rpartition(".")[2]
    if request.path.startswith("/api/") and call in DOORS:
        require_own_site()
    if request.view_args is None or "club" not in request.view_args or call not in access.CALLS:
        return
    g.caller = caller = _caller()
    if caller is None:
        raise SignInNeeded()
    if caller.token is None:
        require_own_site()
    club = request.view_args["club"]
    if caller.club != club:
        raise ClubUnknown(club=club)
    needed = access.CALLS[call]
    if not access.may(caller.role, needed):
        what = call.replace("_", " ").capitalize()
        note_refusal(call)
        raise RoleNeeded(what=what, role=needed, has=caller.role)


def require_own_site() -> None:
    """Refuse what another site's page sends in somebody's name: browsers say where a request comes from.

    Those that do not say so (and all of them over plain http) name the origin. Programs show a token. Raises
    ``CrossSite``.
    """
    if request.method in _READS or "Authorization" in request.headers:
        return
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site in ("same-origin", "none") or (site is None and origin == request.host_url.rstrip("/")):
        return
    raise CrossSite()


def caller_if_any() -> Caller | None:
    """Return who asks where nobody needs to say: one who says it wrongly is told so, a session that ended is nobody."""
    try:
        g.caller = caller = _caller()
    except SessionEnded:
        g.caller = caller = None
    return caller


def caller_of(token: Token) -> Caller:
    """Return who asks with a token."""
    return Caller(club=token.club, role=token.role, name=token.name, id=token.id, token=token)


def for_as_long_as_it_lasts() -> Callable[[], bool]:
    """Return what tells, as long as an answer goes on, whether whoever asked for it still may."""
    tokens, door, given = state().tokens, state().door, request.headers.get("Authorization")
    secret = (request.cookies.get(session_cookie()) or "")[:SECRET_LIMIT]

    def lasts() -> bool:
        if given is None:
            return people.known(door, secret) is not None
        token = tokens.find(_digest_given(given))
        return token is not None and token.revoked is None

    def is_good() -> bool:
        with suppress(Unavailable):  # who cannot be looked up just now is whom he was
            return lasts()
        return True

    return is_good


def sender(*requests: Request | LedgerError, grant: str | None = None) -> Sender:
    """Return who sends commands with this call; a PIN makes its owner the actor of one. Raises ``GrantWrong``."""
    caller: Caller = g.caller
    grant = grant or request.headers.get(GRANT)
    if grant is None:
        return Sender(actor=caller.actor, device=caller.name, guard=access.guard(caller.role))
    command = requests[0] if len(requests) == 1 else None
    if caller.device is None or not isinstance(command, Request):
        raise GrantWrong()
    user = people.act_by_grant(state().door, caller.device, grant, command.id, dry_run=command.dry_run)
    return Sender(actor=f"user:{user.id}", device=caller.name, guard=access.guard(user.role))


def require_user(what: str) -> tuple[User, Session]:
    """Return who signed in himself. Raises ``PasswordNeeded`` for a device or a token."""
    caller: Caller = g.caller
    if caller.user is None or caller.session is None:
        raise PasswordNeeded(what=what)
    return caller.user, caller.session


def by() -> By:
    """Return who does something at the door, and from where."""
    caller: Caller | None = g.get("caller")
    return By(actor=caller.actor if caller else "nobody", address=request.remote_addr)


def note_refusal(what: str) -> None:
    """Note in the trail that somebody asked for what he may not; the same within a minute is noted once."""
    caller: Caller = g.caller
    door = state().door
    with suppress(Unavailable):
        with door.people.read() as records:
            recent = records.trail(caller.club, limit=20)
        since = people.stamp(door.clock() - timedelta(seconds=_NOTED_AGAIN))
        if any(
            (one.actor, one.what, one.about) == (caller.actor, "refused", what) and one.at > since for one in recent
        ):
            return
        with door.people.write(patient=False) as records:
            by().note(records, caller.club, door.now(), "refused", what)


# Cookies


def session_cookie() -> str:
    """Return what the cookie of a session is called at this address."""
    return cookie_of(request.scheme)


def browser_cookie() -> str:
    """Return what the cookie is called that tells where somebody signed in before."""
    return "__Host-k" if request.is_secure else "k"


def browser_secret() -> str | None:
    """Return what a browser shows of an earlier sign-in."""
    return request.cookies.get(browser_cookie())


def let_in(response: AnyResponse, signed_in: SignedIn) -> None:
    """Give a browser the cookies of somebody who came in."""
    _set(response, session_cookie(), signed_in.secret)
    _set(response, browser_cookie(), signed_in.browser)


def let_device_in(response: AnyResponse, secret: str) -> None:
    """Give a browser the cookie of a device."""
    _set(response, session_cookie(), secret)


def let_out(response: AnyResponse, *, storage: bool = False) -> None:
    """Take a browser's session from it, and what it kept of pages.

    With ``storage`` also what scripts kept: only where nothing waits there to be sent. That somebody signed in here
    before is not forgotten, so that others' guesses do not keep him out.
    """
    response.delete_cookie(session_cookie(), path="/", secure=request.is_secure, httponly=True, samesite="Lax")
    response.headers["Clear-Site-Data"] = '"cache", "storage"' if storage else '"cache"'


def _set(response: AnyResponse, name: str, secret: str) -> None:
    response.set_cookie(
        name, secret, max_age=_COOKIE_LIFE, path="/", secure=request.is_secure, httponly=True, samesite="Lax"
    )
    response.headers["Cache-Control"] = "no-store"


# Who


def _caller() -> Caller | None:
    given = request.headers.get("Authorization")
    if given is None:
        return _by_cookie()
    if given[: len(SCHEME)].lower() != SCHEME:
        raise SignInNeeded()
    token = state().tokens.find(_digest_given(given))
    if token is None or token.revoked is not None:
        raise TokenWrong()
    _note_use(token)
    return caller_of(token)


def _by_cookie() -> Caller | None:
    secret = request.cookies.get(session_cookie())
    if not secret:
        return None
    found = people.known(state().door, secret[:SECRET_LIMIT])
    if found is None:
        raise SessionEnded()
    who = found.user or found.device
    assert who is not None
    return Caller(
        club=who.club,
        role=who.role,
        name=who.name,
        id=who.id,
        user=found.user,
        device=found.device,
        session=found.session,
    )


def _digest_given(authorization: str) -> str:
    return digest_of(authorization[len(SCHEME) :].strip())


def _note_use(token: Token) -> None:
    today = state().ledger.now().date().isoformat()
    if token.used != today:
        with suppress(Unavailable):  # who only reads may read on a full disk
            state().tokens.use(token, today)
