"""What all tests share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# `quick` at the desk, `ci` the same each time, `long` before a release: HYPOTHESIS_PROFILE=long scripts/test
settings.register_profile("quick", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True, print_blob=True)
settings.register_profile("long", deadline=None, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "quick"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what `scripts/test` has to say, above the last line."""
    notes = os.environ.get("KITTYBOOK_NOTES", "")
    if notes:
        terminalreporter.section("beside the tests")
        terminalreporter.write_line(notes)
