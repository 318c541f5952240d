"""The app: calls, who may make them, how refusals and answers look."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from functools import lru_cache
from re import compile as pattern
from typing import Final

import structlog
from flask import Flask, Response, g, redirect, request
from werkzeug.exceptions import BadRequest

from api import auth, errors
from api.answers import Kept, Unchanged, unchanged, unless_any
from api.bodies import BODY_LIMIT
from api.live import LIMIT, Listeners
from api.openapi import PREFIX, make_api
from api.polling import Polling
from api.state import State
from api.trial import Trial
from api.views.clubs import clubs
from api.views.docs import docs
from api.views.door import door
from api.views.money import money
from api.views.nights import nights
from api.views.people import members
from api.views.public import public
from api.views.stats import stats
from ledger.people import Door
from ledger.service import Ledger
from ledger.stores import SqliteStore, people_of, tokens_of

LOCAL: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""What this machine calls itself; to another name it does not answer, or pages of strangers could ask in it."""

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Of every answer of the API, where it says nothing else; a browser that shows one does nothing with it."""

_HOST: Final = pattern(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?")

_REQUEST_ID: Final = pattern(r"[A-Za-z0-9._-]{1,64}")

_log = structlog.get_logger("kittybook")


def create_app(store: SqliteStore, *, hosts: Iterable[str] = (), listeners: int = LIMIT, front: bool = True) -> Flask:
    """Return an app that answers for a store, to these host names beside its own.

    Without pages of others round it, its ``front`` leads to the description.
    """
    app = Flask("api", static_folder=None)
    app.config.update(
        MAX_CONTENT_LENGTH=BODY_LIMIT,
        PROPAGATE_EXCEPTIONS=False,
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]  # it is Flask's own provider
    tokens = tokens_of(store)
    ledger = Ledger(store)
    people = Door(people=people_of(store), clock=ledger.now, chance=ledger.chance)
    app.extensions["kittybook"] = State(
        ledger=ledger,
        tokens=tokens,
        door=people,
        listeners=Listeners(store, listeners),
        trial=Trial(store.try_writing),
        kept=Kept(),
    )
    trusted = LOCAL.union(host.lower() for host in hosts)

    @lru_cache(maxsize=64)
    def is_ours(host: str) -> bool:
        named = _HOST.fullmatch(host.lower())
        return named is not None and named[1] in trusted

    app.before_request(_begin)
    app.before_request(lambda: _require_host(is_ours))
    app.before_request(auth.require_leave)
    app.after_request(_end)
    app.after_request(unless_any)
    api = make_api(app)
    for blueprint in (public, door, clubs, nights, money, stats, members):
        api.register_blueprint(blueprint, url_prefix=f"{PREFIX}{blueprint.url_prefix or ''}")
    app.register_blueprint(docs)
    if front:
        app.add_url_rule("/", "front", lambda: redirect("/api/docs"))
    errors.install(app)
    app.register_error_handler(Unchanged, unchanged)
    app.wsgi_app = Polling(app.wsgi_app, ledger, tokens, people, f"{PREFIX}/clubs/", is_ours)  # type: ignore[method-assign]
    return app


def listeners_of(app: Flask) -> Listeners:
    """Return who listens to an app."""
    found: State = app.extensions["kittybook"]
    return found.listeners


def _begin() -> None:
    structlog.contextvars.clear_contextvars()  # threads are used again
    given = request.headers.get("X-Request-Id", "")
    g.began = time.perf_counter()
    g.request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex[:16]
    structlog.contextvars.bind_contextvars(request_id=g.request_id)


def _require_host(is_ours: Callable[[str], bool]) -> None:
    """Refuse to answer to a name that is not this machine's; Flask's own check knows no address of IPv6."""
    if not is_ours(request.headers.get("Host", "")):
        raise BadRequest("This is not the name of this machine: see kittybook serve --lan and --host.")


def _end(response: Response) -> Response:
    response.headers["X-Request-Id"] = g.request_id
    response.headers["X-Content-Type-Options"] = "nosniff"
    if request.path.startswith("/api/"):
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
    log = _log.debug if response.status_code == 304 else _log.info  # who asks again and again is told nothing new
    caller = g.get("caller")
    log(
        "answered",
        method=request.method,
        path=request.path,  # never what stands behind it
        status=response.status_code,
        code=g.get("code"),
        token=caller.id if caller and caller.token else None,
        who=caller.actor if caller and not caller.token else None,
        address=request.remote_addr,
        ms=round((time.perf_counter() - g.began) * 1000, 1),
    )
    return response
