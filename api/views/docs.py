"""The description, to read: swagger-ui from this machine, and nothing from any other."""

from __future__ import annotations

from importlib import resources
from typing import Final

from flask import Blueprint, Response, abort, render_template

from api.answers import require_changed, sent, tag_of
from api.openapi import PREFIX

docs = Blueprint("docs", __name__, url_prefix="/api/docs", template_folder="../templates")

_KINDS: Final = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
_PACKAGED: Final = ("swagger-ui.css", "swagger-ui-bundle.js")

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
    if name in _PACKAGED:
        file = resources.files("flask_swagger_ui") / "dist" / name
    elif name == "start.js":
        file = resources.files("api") / "static" / name
    else:
        abort(404)
    body = file.read_bytes()
    tag = tag_of(name, len(body))
    require_changed(tag)
    return sent(body, _KINDS[name.rpartition(".")[2]], tag=tag)
