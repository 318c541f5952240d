"""Files that pages are dressed in: named with a digest of what is in them, so that browsers keep them for good.

What is asked for is looked up in a list of the files that there are; no path is made of it.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import Final

from flask import Blueprint, Response, abort, request

from api.answers import takes_gzip

statics = Blueprint("statics", __name__, url_prefix="/static")

_KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}

_FOR_GOOD: Final = "public, max-age=31536000, immutable"


def static(name: str) -> str:
    """Return the address of a file; another one as soon as anything in it is changed."""
    _body, _squeezed, tag = _read(name)
    return f"/static/{name}?v={tag}"


@statics.route("/<path:name>")
def file(name: str) -> Response:
    """Answer with a file."""
    try:
        body, squeezed, tag = _read(name)
    except FileNotFoundError:
        abort(404)
    response = Response(status=304)
    if not request.if_none_match.contains_weak(tag):
        small = takes_gzip() and len(squeezed) < len(body)
        response = Response(squeezed if small else body, content_type=_KINDS[PurePosixPath(name).suffix])
        if small:
            response.headers["Content-Encoding"] = "gzip"
    response.headers["ETag"] = f'W/"{tag}"'
    response.headers["Vary"] = "Accept-Encoding"
    response.headers["Cache-Control"] = _FOR_GOOD if request.args.get("v") == tag else "no-cache"
    return response


@cache
def _read(name: str) -> tuple[bytes, bytes, str]:
    """Return a file as it is, compressed, and its tag; read once. Raises ``FileNotFoundError``."""
    if name not in _files():
        raise FileNotFoundError(name)
    body = _files()[name].read_bytes()
    return body, gzip.compress(body, mtime=0), sha256(body).hexdigest()[:16]


@cache
def _files() -> Mapping[str, Traversable]:
    """Return every file that may be asked for, by the one name that it has."""
    return dict(_below(resources.files("web") / "static"))


def _below(folder: Traversable, before: str = "") -> Iterator[tuple[str, Traversable]]:
    for found in folder.iterdir():
        if found.is_dir():
            yield from _below(found, f"{before}{found.name}/")
        elif PurePosixPath(found.name).suffix in _KINDS and not found.name.startswith("."):
            yield f"{before}{found.name}", found
