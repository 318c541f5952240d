"""Who looks at a page, and in whose name its forms are booked: asked in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from flask import current_app, g

from api import auth
from ledger import access
from ledger.errors import LedgerError, RoleNeeded, SignInNeeded
from ledger.service import Request, Sender
from ledger.tokens import Token
from web import pin

Resolve: TypeAlias = Callable[[], Token | auth.Caller | None]
"""Says who asks with this request; None is nobody."""

KEY: Final = "kittybook.caller"


def caller() -> auth.Caller | None:
    """Return who asks, or None. Raises what is wrong with what he shows."""
    if "page_caller" not in g:
        resolve: Resolve = current_app.extensions.get(KEY, auth.caller_if_any)
        found = resolve()
        g.page_caller = g.caller = auth.caller_of(found) if isinstance(found, Token) else found
    known: auth.Caller | None = g.page_caller
    return known


def caller_or_none() -> auth.Caller | None:
    """Return who asks; None also where what he shows is not good, as for the frame of the page that tells him so."""
    try:
        return caller()
    except LedgerError:
        return None


def require(role: str, what: str, *, or_pin: bool = False) -> auth.Caller:
    """Return who asks; with ``or_pin`` also a device where somebody of that role will be asked for his PIN.

    Raises ``SignInNeeded`` and ``RoleNeeded``.
    """
    found = caller()
    if found is None:
        raise SignInNeeded()
    if not access.may(pin.reach(found) if or_pin else found.role, role):
        raise RoleNeeded(what=what, role=role, has=found.role)
    return found


def may(role: str) -> bool:
    """Tell whether who looks at the page may do what needs a role."""
    found = caller_or_none()
    return found is not None and access.may(found.role, role)


def offered(role: str) -> bool:
    """Tell whether a page offers a form that needs a role; on a shared device a PIN may come later."""
    found = caller_or_none()
    return found is not None and access.may(pin.reach(found), role)


def sender(*requests: Request) -> Sender:
    """Return who sends commands with this request: who gave his PIN for it, else who asks."""
    return auth.sender(*requests, grant=pin.grant())


def onlooker() -> Sender:
    """Return who is shown what a command would do: on a shared device before any PIN, for nothing is booked."""
    found = auth.sender()
    return Sender(actor=found.actor, device=found.device, guard=access.guard(pin.reach(g.caller)))
