"""What keeps strangers out of pages: whose forms are taken, and what a browser may do with a page."""

from __future__ import annotations

from typing import Final

from flask import Flask, Response, request
from werkzeug.exceptions import Forbidden

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",  # with no-referrer a browser hides the origin of our own forms from us, too
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
"""Of every page; nosniff is set for everything that is answered."""

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def install(app: Flask) -> None:
    """Put the walls round everything that is not under ``/api``."""
    app.before_request(_require_own_site)
    app.after_request(_mark)


def _require_own_site() -> None:
    """Take no form that another site's page sends in somebody's name.

    Browsers say where a form comes from; those that do not yet say so name the origin. Raises ``Forbidden``.
    """
    if request.method in _READS or request.path.startswith("/api/"):
        return
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site in ("same-origin", "none"):
        return
    if site is None and origin == request.host_url.rstrip("/"):
        return
    if site is None and origin is None and request.headers.get("Authorization", "")[:7].lower() == "bearer ":
        return
    raise Forbidden("This form was not sent from a page of this club's.")


def _mark(response: Response) -> Response:
    if not request.path.startswith("/api/"):
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
    return response
