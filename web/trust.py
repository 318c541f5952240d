"""How a tablet is told to trust the club, and what still goes over plain http where there is https."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from flask import Blueprint, Flask, Response, abort, redirect, render_template, request
from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Response as AnyResponse

from api.reach import name_of
from api.tls import Shown, shown
from web.connection import is_secure_context

trust = Blueprint("trust", __name__, template_folder="templates")

INSIST: Final = "max-age=31536000"
"""Only with given certificates: with the club's own, a tablet that lost its trust would be locked out for a year."""

_PLAIN: Final = ("/trust", "/static/", "/api/v1/health")


def install(app: Flask) -> None:
    """Lead what comes over a network by plain http to https, where there is https."""
    app.register_blueprint(trust)
    app.before_request(_lead_on)
    app.after_request(_insist)


@trust.route("/trust")
def how_to_trust() -> str:
    """Walk a tablet through trusting the club's authority."""
    own = _own()
    return render_template(
        "trust.html",
        fingerprint=own.fingerprint,
        secure=f"{own.address_for(name_of(request.host))}/",
        arrived=request.is_secure,
    )


@trust.route("/trust/authority.crt")
def authority_file() -> Response:
    """The authority's certificate: there is no secret in it."""
    own = _own()
    response = Response(own.authority, content_type="application/x-x509-ca-cert")
    response.headers["Content-Disposition"] = 'attachment; filename="kittybook-authority.crt"'
    return response


def _own() -> Shown:
    found = shown()
    if found is None or found.is_given:
        abort(404)
    return found


def _lead_on() -> AnyResponse | None:
    found = shown()
    if found is None or is_secure_context() or request.path.startswith(_PLAIN):
        return None
    secure = found.address_for(name_of(request.host))
    if request.method not in ("GET", "HEAD") or request.path.startswith("/api/"):
        raise Forbidden(f"This club is served over https alone, at {secure}")
    return redirect(f"{secure}{_asked()}" if found.is_given else "/trust", 303)


def _asked() -> str:
    """Return path and query as they were sent: what was decoded may hold the end of a line."""
    query = quote(request.query_string, safe="%/:?@!$&'()*+,;=")
    return f"{quote(request.path)}?{query}" if query else quote(request.path)


def _insist(response: Response) -> Response:
    found = shown()
    if found is not None and found.is_given and request.is_secure:
        response.headers["Strict-Transport-Security"] = INSIST
    return response
