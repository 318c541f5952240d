"""Files that pages are dressed in: named with a digest of what is in them, so that browsers keep them for good."""

from __future__ import annotations

import gzip
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import PurePosixPath
from posixpath import dirname, join, normpath
from re import compile as pattern
from typing import Final

from flask import Blueprint, Response, abort, request

from api.answers import takes_gzip

statics = Blueprint("statics", __name__, url_prefix="/static")

_KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}

_IMPORTED: Final = pattern(r"""\bfrom ?["'](\.{1,2}/[^"']+)["']""")

_FOR_GOOD: Final = "public, max-age=31536000, immutable"


def static(name: str) -> str:
    """Return the address of a file; another one as soon as anything in it is changed."""
    _body, _squeezed, tag = _read(name)
    return f"/static/{name}?v={tag}"


@cache
def modules_of(name: str) -> tuple[str, ...]:
    """Return the addresses of all modules that one needs, itself left out: fetched at once, not one after another."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        body, _squeezed, _tag = _read(waiting[0])
        for path in _IMPORTED.findall(body.decode()):
            there = normpath(join(dirname(waiting[0]), path))
            if there not in found:
                found[there] = None
                waiting.append(there)
        del waiting[0]
    return tuple(f"/static/{one}" for one in found if one != name)


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
    parts = PurePosixPath(name).parts
    if any(part in ("..", "/") or part.startswith(".") for part in parts) or PurePosixPath(name).suffix not in _KINDS:
        raise FileNotFoundError(name)
    found = (resources.files("web") / "static").joinpath(*parts)
    if not found.is_file():
        raise FileNotFoundError(name)
    body = found.read_bytes()
    return body, gzip.compress(body, mtime=0), sha256(body).hexdigest()[:16]
