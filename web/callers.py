"""Who looks at a page, and in whose name its forms are booked: asked in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from flask import current_app, g

from api import auth
from ledger import access
from ledger.errors import LedgerError, RoleNeeded, SignInNeeded
from ledger.service import Sender
from ledger.tokens import Token

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


def require(role: str, what: str) -> auth.Caller:
    """Return who asks. Raises ``SignInNeeded`` and ``RoleNeeded``."""
    found = caller()
    if found is None:
        raise SignInNeeded()
    if not access.may(found.role, role):
        raise RoleNeeded(what=what, role=role, has=found.role)
    return found


def may(role: str) -> bool:
    """Tell whether who looks at the page may do what needs a role."""
    found = caller_or_none()
    return found is not None and access.may(found.role, role)


def sender() -> Sender:
    """Return who sends commands with this request."""
    return auth.sender()
