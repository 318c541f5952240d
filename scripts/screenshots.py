"""Takes pictures of every page, and of every state of the table, at three sizes, by day and by night, into a folder."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Browser, sync_playwright

from tests.browser.kit import (
    PAGES,
    SIZES,
    THEMES,
    context_of,
    launched,
    make_demo,
    make_empty,
    overflow_of,
    served,
)
from tests.browser.states import STATES, resized, room_of_the_states, shown


def main(folder: Path) -> int:
    """Take them all; return how many pages stick out of their window."""
    folder.mkdir(parents=True, exist_ok=True)
    wide = 0
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = launched(playwright)
        for make, paths in ((make_empty, ("/",)), (make_demo, PAGES)):
            store = Path(place) / f"{make.__name__}.db"
            club = make(store)
            with served(store, club) as address:
                for size in SIZES:
                    for theme in THEMES:
                        page = context_of(browser, size, theme).new_page()
                        for path in paths:
                            page.goto(address + path)
                            if out := overflow_of(page):
                                wide += 1
                                print(f"{path} at {size[0]}: {out[:4]}")
                            name = plain(path) or "start"
                            file = folder / f"{club}-{name}-{size[0]}-{theme}.png"
                            page.screenshot(path=file, full_page=True)
                        page.context.close()
        wide += states(browser, Path(place) / "states.db", folder)
        browser.close()
    print(f"pictures are in {folder}")
    return wide


def states(browser: Browser, store: Path, folder: Path) -> int:
    """Take the table screen in each of its states; return how many stick out of their window."""
    wide = 0
    with room_of_the_states(store) as room:
        for title, state in STATES.items():
            with shown(state, room, browser) as page:
                for size in SIZES:
                    for theme in THEMES:
                        resized(page, size, theme)
                        if out := overflow_of(page):
                            wide += 1
                            print(f"table, {title} at {size[0]}: {out[:4]}")
                        page.screenshot(path=folder / f"table-{plain(title)}-{size[0]}-{theme}.png")
    return wide


def plain(title: str) -> str:
    """Return a title as the name of a file."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1] if len(sys.argv) > 1 else ".screenshots")) else 0)
