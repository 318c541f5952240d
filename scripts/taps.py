"""Counts taps and keystrokes from an empty book to the first open table, and on to the first open night."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import sync_playwright

from tests.browser.kit import (
    SIZES,
    Hands,
    context_of,
    first_night_by_hand,
    first_run_by_hand,
    launched,
    make_empty,
    served,
)

NAMES = "Ann, Bob, Cal, Dot"


def main() -> None:
    """Count, and print."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = Path(folder) / "empty.db"
        with served(store, make_empty(store)) as address:
            browser = launched(playwright)
            hands = Hands(context_of(browser, SIZES[0], "light", has_touch=True).new_page())
            first_run_by_hand(hands, address, NAMES)
            print(f"first open table: {hands.taps} taps, {hands.keys} keystrokes ({len(NAMES)} of them names)")
            first_night_by_hand(hands)
            print(f"first open night: {hands.taps} taps, {hands.keys} keystrokes")
            browser.close()


if __name__ == "__main__":
    main()
