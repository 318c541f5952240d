"""Answers: JSON, told apart by ETag, compressed where it pays."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from threading import Lock
from typing import Any, Final

from flask import Response, request

from ledger.store import Head

_WORTH_IT: Final = 1_024
"""Fewer bytes than this travel in one packet anyway."""

_LEVEL: Final = 4
_GZIP: Final = b"\x1f\x8b"
_JSON: Final = "application/json"


class Unchanged(Exception):
    """The caller has what would be answered."""

    def __init__(self, tag: str) -> None:
        super().__init__(tag)
        self.tag = tag


@cache
def release() -> str:
    """Return what this release is called."""
    return version("kittybook")


def tag_of(*parts: object) -> str:
    """Return a strong ETag without its quotes: the same only where all of this is the same, release included."""
    return sha256(repr((release(), *parts)).encode()).hexdigest()[:24]


def tag_of_book(head: Head, *parts: object) -> str:
    """Return what everything is told apart by that follows from a club's book."""
    return tag_of(head.epoch, head.position, head.backed_up_to, *parts)


def require_changed(tag: str) -> None:
    """Raise ``Unchanged`` where the caller says that he has this already."""
    known = request.headers.get("If-None-Match")
    if known is not None and tag in known:
        raise Unchanged(tag)


def unless_any(response: Response) -> Response:
    """Answer that nothing is new where the caller has whatever there is (``*``): that something is, is known now."""
    tag, _ = response.get_etag()
    if tag is None or response.status_code != 200 or request.headers.get("If-None-Match", "").strip() != "*":
        return response
    response.close()
    return unchanged(Unchanged(tag))


def unchanged(error: Unchanged) -> Response:
    """Answer that nothing is new."""
    response = Response(status=304)
    _mark(response, error.tag)
    return response


def answered(data: Any, status: int = 200, tag: str | None = None, **headers: str) -> Response:  # noqa: ANN401 - JSON is of any shape
    """Return data as JSON."""
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    response = sent(body, _JSON, status, tag)
    response.headers.extend(headers)
    return response


def sent(
    body: bytes, kind: str, status: int = 200, tag: str | None = None, *, squeezed: bool | None = None
) -> Response:
    """Return bytes, compressed where that pays and is understood; or as they are, where they are said to be so."""
    if squeezed is None:
        squeezed = len(body) >= _WORTH_IT and takes_gzip()
        body = gzip.compress(body, _LEVEL, mtime=0) if squeezed else body
    response = Response(body, status, content_type=kind)
    if squeezed:
        response.headers["Content-Encoding"] = "gzip"
    _mark(response, f"{tag}-gz" if tag and squeezed else tag)
    return response


def streamed(lines: Poured, kind: str, tag: str, name: str) -> Response:
    """Return a file line by line, as it is made."""
    squeezed = takes_gzip()
    chunks = _chunks(lines)
    response = Response(_squeezed(chunks) if squeezed else chunks, content_type=kind)
    response.call_on_close(lines.close)
    if squeezed:
        response.headers["Content-Encoding"] = "gzip"
    _mark(response, f"{tag}-gz" if squeezed else tag)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


class Kept:
    """Answers that were made lately, by their tags: what many ask for at once is made once. Bounded; no source."""

    def __init__(self, count: int = 32, size: int = 64_000) -> None:
        self._count = count
        self._size = size
        self._lock = Lock()
        self._bodies: OrderedDict[tuple[str, bool], tuple[bytes, bool]] = OrderedDict()

    def answer(self, tag: str) -> Response | None:
        """Return what has this tag, if it is kept as the caller can read it."""
        with self._lock:
            found = self._bodies.get((tag, takes_gzip()))
        return None if found is None else sent(found[0], _JSON, tag=tag, squeezed=found[1])

    def keep(self, tag: str, response: Response) -> None:
        """Keep an answer, if it is not too large."""
        body = response.get_data()
        if len(body) > self._size:
            return
        with self._lock:
            self._bodies[tag, takes_gzip()] = body, "Content-Encoding" in response.headers
            while len(self._bodies) > self._count:
                self._bodies.popitem(last=False)


class Poured:
    """Lines that need something as long as they flow. It must be closed, whether or not anything was read of it."""

    def __init__(self, lines: Iterator[str], close: Callable[[], None]) -> None:
        self._lines = lines
        self._close: Callable[[], None] | None = close

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return next(self._lines)

    def close(self) -> None:
        if self._close is not None:
            close, self._close = self._close, None
            close()


def _mark(response: Response, tag: str | None) -> None:
    response.headers["Vary"] = "Accept-Encoding, Authorization, Cookie"
    if tag is None:
        response.headers["Cache-Control"] = "no-store"
        return
    response.headers["ETag"] = f'"{tag}"'
    response.headers["Cache-Control"] = "private, no-cache"


def takes_gzip() -> bool:
    """Tell whether the caller understands what is compressed."""
    return request.accept_encodings["gzip"] > 0


def _chunks(lines: Iterable[str], size: int = 16_384) -> Iterator[bytes]:
    waiting: list[str] = []
    length = 0
    for line in lines:
        waiting.append(line)
        length += len(line)
        if length >= size:
            yield "".join(waiting).encode()
            waiting, length = [], 0
    yield "".join(waiting).encode()


def _squeezed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    squeeze = zlib.compressobj(_LEVEL, wbits=31)
    for chunk in chunks:
        if part := squeeze.compress(chunk):
            yield part
    yield squeeze.flush()
