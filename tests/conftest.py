"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from playwright.sync_api import Playwright, sync_playwright

# `quick` at the desk, `ci` the same each time, `long` before a release: HYPOTHESIS_PROFILE=long scripts/test
settings.register_profile("quick", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True, print_blob=True)
settings.register_profile("long", deadline=None, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "quick"))


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """What drives browsers: a process bears one of it, whichever tests ask."""
    with sync_playwright() as found:
        yield found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what `scripts/test` has to say, above the last line."""
    notes = os.environ.get("KITTYBOOK_NOTES", "")
    if notes:
        terminalreporter.section("beside the tests")
        terminalreporter.write_line(notes)
