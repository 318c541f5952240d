"""A store of two clubs for each test, copied from one that is made once."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask

from tests.api.kit import CLUB, Caller, app_for, make_store

CallerOf = Callable[..., Caller]


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("api") / "made.db"
    make_store(path)
    return path


@pytest.fixture
def path(made_once: Path, tmp_path: Path) -> Path:
    path = tmp_path / "book.db"
    shutil.copy(made_once, path)
    return path


@pytest.fixture
def app(path: Path) -> Iterator[Flask]:
    with app_for(path) as app:
        yield app


@pytest.fixture
def caller(app: Flask) -> CallerOf:
    client = app.test_client()
    return lambda role=None, club=CLUB: Caller(client, role, club)


@pytest.fixture(scope="session")
def steady(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CallerOf]:
    """Callers of one app for all tests, which change nothing through it."""
    path = tmp_path_factory.mktemp("steady") / "book.db"
    shutil.copy(made_once, path)
    with app_for(path) as app:
        client = app.test_client()
        yield lambda role=None, club=CLUB: Caller(client, role, club)


@pytest.fixture
def scorer(caller: CallerOf) -> Caller:
    return caller("scorekeeper")


@pytest.fixture
def treasurer(caller: CallerOf) -> Caller:
    return caller("treasurer")
