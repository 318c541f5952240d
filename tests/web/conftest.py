"""A store of two clubs for each test, and people of every role who look at its pages."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask

from api.app import listeners_of
from ledger.stores import SqliteStore
from tests.api.kit import make_store
from tests.web.kit import Visitor, shown_by
from web.app import create_app

VisitorOf = Callable[..., Visitor]


@pytest.fixture(scope="session")
def made_for_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("web") / "made.db"
    make_store(path)
    return path


@pytest.fixture
def store(made_for_pages: Path, tmp_path: Path) -> Iterator[SqliteStore]:
    path = tmp_path / "book.db"
    shutil.copy(made_for_pages, path)
    with SqliteStore(path) as store:
        yield store


@pytest.fixture
def app(store: SqliteStore) -> Iterator[Flask]:
    app = create_app(store, resolve=shown_by)
    app.testing = False  # as it is served: what is not caught is answered
    yield app
    listeners_of(app).close()


@pytest.fixture
def visitor(app: Flask) -> VisitorOf:
    return lambda role="owner": Visitor(app.test_client(), role)
