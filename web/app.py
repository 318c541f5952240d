"""The app that people and programs ask: the API, with pages round it."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from threading import Thread
from typing import Any, Final

from flask import Flask, request
from flask_babel import Babel

from api.app import create_app as create_api
from api.live import LIMIT
from ledger.stores import SqliteStore
from web import callers, frame, refusals, trust, walls
from web.door import DOOR
from web.pages import PAGES
from web.statics import pour, statics

LANGUAGES: Final = ("en",)
"""Those that ``web/translations`` has a catalogue of, and the one that everything is written in."""


def create_app(
    store: SqliteStore, *, hosts: Iterable[str] = (), listeners: int = LIMIT, resolve: callers.Resolve | None = None
) -> Flask:
    """Return an app that answers people and programs for a store; ``resolve`` says who asks, else the API's own way."""
    app = create_api(store, hosts=hosts, listeners=listeners, front=False)
    translations = str(resources.files("web") / "translations")
    Babel(app, default_translation_directories=translations, locale_selector=_language)
    if resolve is not None:
        app.extensions[callers.KEY] = resolve
    walls.install(app)
    for blueprint in (*PAGES, *DOOR, statics):
        app.register_blueprint(blueprint)
    trust.install(app)
    frame.install(app)
    refusals.install(app)
    return app


def serve(store: SqliteStore, **options: Any) -> None:  # noqa: ANN401 - as the server takes them
    """Serve pages and API for a store until it is told to stop."""
    from api.server import serve as serve_app

    Thread(target=pour, daemon=True).start()
    serve_app(store, create=create_app, **options)


def _language() -> str | None:
    return request.accept_languages.best_match(LANGUAGES, "en")
