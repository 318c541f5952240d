"""The description, to read: swagger-ui from this machine, and nothing from any other."""

from __future__ import annotations

import gzip
from functools import cache
from importlib import resources
from typing import Final

from flask import Blueprint, Response, abort, render_template

from api.answers import require_changed, sent, tag_of, takes_gzip
from api.openapi import PREFIX

docs = Blueprint("docs", __name__, url_prefix="/api/docs", template_folder="../templates")

_KINDS: Final = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
_PACKAGED: Final = ("swagger-ui.css", "swagger-ui-bundle.js")
_OURS: Final = "start.js"

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@docs.route("")
@docs.route("/")
def page() -> Response:
    """The page itself."""
    response = Response(render_template("docs.html", description=f"{PREFIX}/openapi.json"))
    response.headers["Content-Security-Policy"] = POLICY
    return response


@docs.route("/<name>")
def asset(name: str) -> Response:
    """What the page consists of."""
    if name not in (*_PACKAGED, _OURS):
        abort(404)
    plain, squeezed, tag = _read(name)
    require_changed(tag)
    small = takes_gzip()
    return sent(squeezed if small else plain, _KINDS[name.rpartition(".")[2]], tag=tag, squeezed=small)


@cache
def _read(name: str) -> tuple[bytes, bytes, str]:
    """Return a file as it is, compressed, and its tag; read once."""
    folder = resources.files("api") / "static" if name == _OURS else resources.files("flask_swagger_ui") / "dist"
    body = (folder / name).read_bytes()
    return body, gzip.compress(body, mtime=0), tag_of(body)
