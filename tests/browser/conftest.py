"""Chromium for the tests that look at pages; without it they are skipped, and say so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, expect

from ledger.stores.sqlite import connection
from tests.browser.kit import chromium, launched, make_demo, make_empty, served

expect.set_options(timeout=20_000)  # what comes, comes at once; a machine that does much else may take long


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if chromium() is None:
                item.add_marker(pytest.mark.skip(reason="Chromium is not installed"))


@pytest.fixture(scope="package", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """No test here cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        quick = tuple(pragma.replace("synchronous=FULL", "synchronous=OFF") for pragma in connection.PRAGMAS)
        patch.setattr(connection, "PRAGMAS", quick)
        yield


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    found = launched(playwright)
    yield found
    found.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a club that has played for weeks; nobody changes anything there."""
    path = tmp_path_factory.mktemp("browser") / "demo.db"
    with served(path, make_demo(path)) as address:
        yield address


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[str]:
    """The address of a club that nothing has happened in."""
    path = tmp_path / "empty.db"
    with served(path, make_empty(path)) as address:
        yield address


@pytest.fixture
def played(tmp_path: Path) -> Iterator[str]:
    """The address of a club that has played for weeks, for one test alone."""
    path = tmp_path / "played.db"
    with served(path, make_demo(path)) as address:
        yield address
