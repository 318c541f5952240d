"""Whoever asks again and again, and is told that nothing is new: answered before the app is asked.

A tag says for which address, role and state of the book an answer was made. Who sends one that is still so was given
that very answer: nothing has to be looked up but who he is, and how far the book goes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from werkzeug.http import parse_cookie

from api.answers import tag_of_book
from ledger import people
from ledger.errors import LedgerError
from ledger.people import Device, Door, User
from ledger.service import Ledger
from ledger.store import Head
from ledger.tokens import Token, Tokens, digest_of

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

SCHEME: Final = "bearer "

SECRET_LIMIT: Final = 200
"""So much of a cookie is looked at; secrets are shorter."""


class Polling:
    """An app that is asked only where something may be new."""

    def __init__(
        self,
        app: WSGIApplication,
        ledger: Ledger,
        tokens: Tokens,
        door: Door,
        clubs: str,
        is_ours: Callable[[str], bool],
    ) -> None:
        self._app = app
        self._ledger = ledger
        self._tokens = tokens
        self._door = door
        self._clubs = clubs
        self._is_ours = is_ours

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        known = environ.get("HTTP_IF_NONE_MATCH")
        if known is not None and environ["PATH_INFO"].startswith(self._clubs) and environ["REQUEST_METHOD"] == "GET":
            tag = self._tag(environ)
            if tag is not None and tag in known:
                start_response("304 NOT MODIFIED", _headers(tag))
                return ()
        return self._app(environ, start_response)

    def _tag(self, environ: WSGIEnvironment) -> str | None:
        """Return the tag of what would be answered, or None where the app must say what is wrong."""
        if not self._is_ours(environ.get("HTTP_HOST", "")):
            return None
        try:
            who = self._by_token(environ) if "HTTP_AUTHORIZATION" in environ else self._by_session(environ)
            if who is None or not f"{environ['PATH_INFO']}/".startswith(f"{self._clubs}{who.club}/"):
                return None
            with self._ledger.store.read(who.club) as reader:
                return book_tag(reader.head(), who.role, environ)
        except (LedgerError, UnicodeError):
            return None

    def _by_token(self, environ: WSGIEnvironment) -> Token | None:
        given = environ["HTTP_AUTHORIZATION"]
        if given[: len(SCHEME)].lower() != SCHEME:
            return None
        token = self._tokens.find(digest_of(given[len(SCHEME) :].strip()))
        if token is None or token.revoked is not None or token.used != self._ledger.now().date().isoformat():
            return None
        return token

    def _by_session(self, environ: WSGIEnvironment) -> User | Device | None:
        """Return whom a session speaks for at this moment: it is looked up each time, so one that ended is nobody's."""
        secret = parse_cookie(environ.get("HTTP_COOKIE", "")).get(cookie_of(environ["wsgi.url_scheme"]))
        found = people.known(self._door, secret[:SECRET_LIMIT]) if secret else None
        return None if found is None else found.user or found.device


def cookie_of(scheme: str) -> str:
    """Return what the cookie of a session is called: a browser keeps the first only for this very host, by https."""
    return "__Host-s" if scheme == "https" else "s"


def book_tag(head: Head, role: str, environ: WSGIEnvironment) -> str:
    """Return the tag of what is answered to a role, of a book that goes so far, at an address."""
    return tag_of_book(head, role, environ["PATH_INFO"], environ.get("QUERY_STRING", ""))


def _headers(tag: str) -> list[tuple[str, str]]:
    return [
        ("ETag", f'"{tag}"'),
        ("Cache-Control", "private, no-cache"),
        ("Vary", "Accept-Encoding, Authorization, Cookie"),
        ("X-Request-Id", os.urandom(8).hex()),
        ("X-Content-Type-Options", "nosniff"),
    ]
