"""The whole program, pages and API, with two clubs in one store; and browsers of those who belong, and of others."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from argon2 import PasswordHasher
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import listeners_of
from ledger import people
from ledger.people import By, Door, passwords
from ledger.stores import SqliteStore
from tests.api.kit import CLUB, V1, make_store
from web.app import create_app

GOOD = "correct horse battery"
ANOTHER = "staple in the corner"


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 26, 19, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def wait(self, **time: float) -> None:
        self.time += timedelta(**time)


class Browser:
    """A browser with its cookies, which says where its requests come from."""

    def __init__(self, app: Flask, base: str = "http://localhost", address: str = "10.0.0.1") -> None:
        self.http: FlaskClient = app.test_client()
        self._base = base
        self._environ = {"REMOTE_ADDR": address}

    def send(self, path: str, values: Any = None, method: str = "POST", **headers: str) -> TestResponse:
        """Send a form, or (below ``/api``) JSON, from a page of this very address."""
        named = {"Sec-Fetch-Site": "same-origin", **{key.replace("_", "-"): value for key, value in headers.items()}}
        is_json = path.startswith("/api/")
        return self.http.open(
            path,
            method=method,
            base_url=self._base,
            headers=named,
            environ_base=self._environ,
            data=json.dumps(values or {}) if is_json else values,
            content_type="application/json" if is_json else None,
        )

    def get(self, path: str, **headers: str) -> TestResponse:
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        return self.http.get(path, base_url=self._base, headers=named, environ_base=self._environ)

    def sign_in(self, login: str = "olga", password: str = GOOD, club: str = CLUB, **headers: str) -> TestResponse:
        return self.send(f"{V1}/sign-in", {"club": club, "login": login, "password": password}, **headers)

    def cookie(self, name: str = "s") -> str:
        found = self.http.get_cookie(name, domain="localhost")
        return "" if found is None else found.value


Join: TypeAlias = Callable[..., Browser]


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_hasher", lambda: hasher)
    passwords._nobody.cache_clear()


@pytest.fixture(scope="session")
def made_for_walls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walls") / "made.db"
    make_store(path)
    return path


@pytest.fixture
def path(made_for_walls: Path, tmp_path: Path) -> Path:
    path = tmp_path / "book.db"
    shutil.copy(made_for_walls, path)
    return path


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    monkeypatch.setattr("ledger.service.ledger._now", clock)
    with SqliteStore(path) as store:
        app = create_app(store, listeners=3)
        app.testing = False  # as it is served: what is not caught is answered
        yield app
        listeners_of(app).close()


@pytest.fixture
def door(app: Flask) -> Door:
    found: Door = app.extensions["kittybook"].door
    return found


@pytest.fixture
def join(app: Flask, door: Door) -> Join:
    """Let somebody join a club with a role, and return the browser in which he signed in."""

    def join(name: str, role: str, club: str = CLUB) -> Browser:
        user, secret = people.add_user(door, club, name, role, By(actor="cli"))
        people.use_link(door, secret, By(actor="cli"), password=GOOD, club_name=club)
        browser = Browser(app)
        assert browser.sign_in(user.login, club=club).status_code == 200
        return browser

    return join


@pytest.fixture
def owner(join: Join) -> Browser:
    """Olga, signed in."""
    return join("Olga", "owner")


@pytest.fixture
def tablet(app: Flask, owner: Browser) -> Browser:
    """The bar's, which is a scorekeeper."""
    made = owner.send(f"{V1}/clubs/{CLUB}/devices", {"name": "Bar tablet", "role": "scorekeeper"}).get_json()
    browser = Browser(app, address="10.0.0.2")
    assert browser.send(f"{V1}/pair", {"code": made["code"]}).status_code == 200
    return browser
