"""Files that pages are dressed in: named with a digest of what is in them, so that browsers keep them for good.

What is asked for is looked up in a list of the files that there are; no path is made of it.
"""

from __future__ import annotations

import gzip
import posixpath
import re
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

_COMMENT: Final = re.compile(r"^[ \t]*(?:/\*(?s:.*?)\*/[ \t]*|//.*)$", re.MULTILINE)
_INDENT: Final = re.compile(r"\n\s*")
_FOR_GOOD: Final = "public, max-age=31536000, immutable"
_TAGGED: Final = re.compile(r"([a-z]+)~([0-9a-f]{16})/(.+)", re.DOTALL)
"""A file by the tag of the folder that it is in."""

_IMPORT: Final = re.compile(r'''(?:from|import)\s*"(\.{1,2}/[^"]+\.mjs)"''')


def static(name: str) -> str:
    """Return the address of a file; another one as soon as anything in it is changed."""
    _body, _squeezed, tag = _read(name)
    return f"/static/{name}?v={tag}"


def static_folder(folder: str) -> str:
    """Return the address of a folder; another one as soon as anything in it is changed.

    Modules that name each other by relative paths are found by it in one state, and kept for good.
    """
    return f"/static/{folder}~{_tag_of_folder(folder)}"


@cache
def modules_of(entry: str) -> list[str]:
    """Return a module and all that it imports: a page asks for them at once, not for one after another."""
    found: list[str] = []
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.append(name)
            here = PurePosixPath(name).parent
            waiting += [posixpath.normpath(here / path) for path in _IMPORT.findall(_read(name)[0].decode())]
    return found


@statics.route("/<path:name>")
def file(name: str) -> Response:
    """Answer with a file."""
    folder = _TAGGED.fullmatch(name)
    path = f"{folder[1]}/{folder[3]}" if folder else name
    try:
        body, squeezed, tag = _read(path)
        kept = folder[2] == _tag_of_folder(folder[1]) if folder else request.args.get("v") == tag
    except FileNotFoundError:
        abort(404)
    response = Response(status=304)
    if not request.if_none_match.contains_weak(tag):
        small = takes_gzip() and len(squeezed) < len(body)
        response = Response(squeezed if small else body, content_type=_KINDS[PurePosixPath(path).suffix])
        if small:
            response.headers["Content-Encoding"] = "gzip"
    response.headers["ETag"] = f'W/"{tag}"'
    response.headers["Vary"] = "Accept-Encoding"
    response.headers["Cache-Control"] = _FOR_GOOD if kept else "no-cache"
    return response


@cache
def _read(name: str) -> tuple[bytes, bytes, str]:
    """Return a file as it is, compressed, and its tag; read once. Raises ``FileNotFoundError``."""
    if name not in _files():
        raise FileNotFoundError(name)
    body = _files()[name].read_bytes()
    if name.endswith(".mjs"):
        body = slim(body.decode()).encode()
    return body, gzip.compress(body, mtime=0), sha256(body).hexdigest()[:16]


def slim(module: str) -> str:
    """Return a module without indents, and without comments on lines of their own: those are for who reads the tree.

    Lines inside of templates begin with neither ``//`` nor ``/*``, and htm takes no notice of how they are indented.
    """
    without = _COMMENT.sub("", module)
    return _INDENT.sub("\n", without).lstrip("\n")


@cache
def _tag_of_folder(folder: str) -> str:
    """Return what tells one state of a folder from another. Raises ``FileNotFoundError``."""
    tags = [(name, _read(name)[2]) for name in sorted(_files()) if name.startswith(f"{folder}/")]
    if not tags:
        raise FileNotFoundError(folder)
    return sha256(repr(tags).encode()).hexdigest()[:16]


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
