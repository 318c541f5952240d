"""Files that pages are dressed in: named with a digest of what is in them, so that browsers keep them for good.

What is asked for is looked up in a list of the files that there are; no path is made of it.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import Final, NamedTuple

import brotli
from flask import Blueprint, Response, abort, request
from werkzeug.datastructures import Accept

from web.bundle import bundle, bundled

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


BUNDLES: Final[Mapping[str, str | None]] = {
    bundled("table/table.mjs"): None,
    bundled("table/screen/sheets.mjs"): "table/table.mjs",
    bundled("table/wall.mjs"): None,
    bundled("table/phone.mjs"): None,
}
"""What is poured together, and what it goes on from."""


def static(name: str) -> str:
    """Return the address of a file; another one as soon as anything in it is changed."""
    return f"/static/{name}?v={_read(name).tag}"


def static_folder(folder: str) -> str:
    """Return the address of a folder; another one as soon as anything in it is changed.

    Modules that name each other by relative paths are found by it in one state, and kept for good.
    """
    return f"/static/{folder}~{_tag_of_folder(folder)}"


@statics.route("/<path:name>")
def file(name: str) -> Response:
    """Answer with a file."""
    folder = _TAGGED.fullmatch(name)
    path = f"{folder[1]}/{folder[3]}" if folder else name
    try:
        found = _read(path)
        kept = folder[2] == _tag_of_folder(folder[1]) if folder else request.args.get("v") == found.tag
    except FileNotFoundError:
        abort(404)
    response = Response(status=304)
    if not request.if_none_match.contains_weak(found.tag):
        body, encoding = found.smallest(request.accept_encodings)
        response = Response(body, content_type=_KINDS[PurePosixPath(path).suffix])
        if encoding:
            response.headers["Content-Encoding"] = encoding
    response.headers["ETag"] = f'W/"{found.tag}"'
    response.headers["Vary"] = "Accept-Encoding"
    response.headers["Cache-Control"] = _FOR_GOOD if kept else "no-cache"
    return response


class File(NamedTuple):
    """A file as it goes out, and as it goes out compressed; a tag tells one state of it from another."""

    body: bytes
    squeezed: Mapping[str, bytes]
    tag: str

    def smallest(self, accepted: Accept) -> tuple[bytes, str]:
        """Return what goes out to somebody who takes some encodings, and which of them it is."""
        fitting = [(len(body), body, name) for name, body in self.squeezed.items() if accepted.quality(name) > 0]
        _length, body, name = min([*fitting, (len(self.body), self.body, "")])
        return body, name


@cache
def _read(name: str) -> File:
    """Return a file; read and compressed once. Raises ``FileNotFoundError``."""
    body = bundle(name.replace(".bundle.", "."), _module, BUNDLES[name]).encode() if name in BUNDLES else _source(name)
    squeezed = {"gzip": gzip.compress(body, mtime=0), "br": brotli.compress(body)}
    return File(body, squeezed, sha256(body).hexdigest()[:16])


def pour() -> None:
    """Make what takes a while to make before anybody asks for it: the scripts of the screens."""
    for name in BUNDLES:
        _read(name)


def _source(name: str) -> bytes:
    if name not in _files():
        raise FileNotFoundError(name)
    return _files()[name].read_bytes()


def _module(name: str) -> str:
    """Return a module without indents, and without comments on lines of their own: those are for who reads the tree.

    Lines inside of templates begin with neither ``//`` nor ``/*``, and htm takes no notice of how they are indented.
    """
    return _INDENT.sub("\n", _COMMENT.sub("", _source(name).decode())).lstrip("\n")


@cache
def _tag_of_folder(folder: str) -> str:
    """Return what tells one state of a folder from another. Raises ``FileNotFoundError``."""
    digests = [(name, sha256(_source(name)).hexdigest()) for name in sorted(_files()) if name.startswith(f"{folder}/")]
    if not digests:
        raise FileNotFoundError(folder)
    return sha256(repr(digests).encode()).hexdigest()[:16]


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
