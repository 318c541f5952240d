"""Who asks, and whether he may: one table of calls and roles, looked at before anything else is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from flask import g, request

from api.polling import SCHEME
from api.state import state
from ledger import access
from ledger.errors import ClubUnknown, RoleNeeded, SignInNeeded, TokenWrong, Unavailable
from ledger.service import Sender
from ledger.tokens import Token, digest_of


def require_leave() -> None:
    """Let a call about a club pass only for somebody who may make it.

    Raises ``SignInNeeded``, ``TokenWrong``, ``RoleNeeded``; and ``ClubUnknown`` for a club that he is not of, as for
    one that is nowhere.
    """
    g.caller = None
    if request.endpoint is None or request.view_args is None or "club" not in request.view_args:
        return
    g.caller = caller = _caller()
    if caller is None:
        raise SignInNeeded()
    club = request.view_args["club"]
    if caller.club != club:
        raise ClubUnknown(club=club)
    call = request.endpoint.rpartition(".")[2]
    needed = access.CALLS[call]
    if not access.may(caller.role, needed):
        raise RoleNeeded(what=call.replace("_", " ").capitalize(), role=needed, has=caller.role)


def caller_if_any() -> Token | None:
    """Return who asks where nobody needs to say: one who says it wrongly is told so."""
    g.caller = caller = _caller()
    return caller


def sender() -> Sender:
    """Return who sends commands with this call."""
    caller: Token = g.caller
    return Sender(actor=f"token:{caller.id}", device=caller.name, guard=access.guard(caller.role))


def for_as_long_as_it_lasts() -> Callable[[], bool]:
    """Return what tells, as long as an answer goes on, whether whoever asked for it still may."""
    tokens, digest = state().tokens, _digest_given(request.headers["Authorization"])

    def is_good() -> bool:
        with suppress(Unavailable):  # who cannot be looked up just now is whom he was
            token = tokens.find(digest)
            return token is not None and token.revoked is None
        return True

    return is_good


def _caller() -> Token | None:
    given = request.headers.get("Authorization")
    if given is None:
        return None
    if given[: len(SCHEME)].lower() != SCHEME:
        raise SignInNeeded()
    token = state().tokens.find(_digest_given(given))
    if token is None or token.revoked is not None:
        raise TokenWrong()
    _note_use(token)
    return token


def _digest_given(authorization: str) -> str:
    return digest_of(authorization[len(SCHEME) :].strip())


def _note_use(token: Token) -> None:
    today = state().ledger.now().date().isoformat()
    if token.used != today:
        with suppress(Unavailable):  # who only reads may read on a full disk
            state().tokens.use(token, today)
