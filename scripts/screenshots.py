"""Takes pictures of every page, of the table in every state and with every sheet, of walls and phones, into a folder.

Each by day and by night, at three sizes; walls also as on a television.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import test_sheets
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
from tests.browser.room import Room
from tests.browser.states import STATES, resized, room_of_the_states, shown
from tests.browser.test_wall import EVERY_SIZE

NIGHTS = (test_sheets.OPEN, test_sheets.CLOSED, test_sheets.PEPPER, "high")
"""An open night, a closed one, one for points, and one of ten with long names who play for a great deal."""


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
        with test_sheets.quiet(Path(place) / "sheets.db") as room:
            wide += sheets(browser, room, folder) + screens(browser, room, folder)
        browser.close()
    print(f"pictures are in {folder}")
    return wide


def states(browser: Browser, store: Path, folder: Path) -> int:
    """Take the table screen in each of its states; return how many stick out of their window."""
    wide = 0
    with room_of_the_states(store) as room:
        for title, state in STATES.items():
            with shown(state, room, browser) as page:
                wide += taken(page, f"table, {title}", folder)
    return wide


def sheets(browser: Browser, room: Room, folder: Path) -> int:
    """Take every sheet over the table, with few players and with ten; return how many stick out of their window."""
    wide = 0
    for title, look in test_sheets.LOOKS.items():
        for night, who in ((test_sheets.OPEN, ""), ("high", ", ten players")):
            page = test_sheets.table(room, browser, night)
            look(page)
            expect(page.locator("dialog.sheet").last).to_be_visible()
            wide += taken(page, f"sheet, {title}{who}", folder)
            page.context.close()
    page = test_sheets.table(room, browser, test_sheets.CLOSED)
    test_sheets.sheet(page, "Receipt")
    wide += taken(page, "sheet, receipt", folder)
    page.context.close()
    return wide


def screens(browser: Browser, room: Room, folder: Path) -> int:
    """Take what only looks on: walls, and phones with what they open; return how many stick out of their window."""
    wide = 0
    for night in NIGHTS:
        page = room.window(browser, EVERY_SIZE[-1]).new_page()
        page.goto(f"{room.address}/nights/{night}/wall")
        expect(page.locator(".chart .end").first).to_be_visible()
        wide += taken(page, f"wall, {night}", folder, EVERY_SIZE)
        page.goto(f"{room.address}/nights/{night}/phone")
        expect(page.locator(".chart .end").first).to_be_visible()
        wide += taken(page, f"phone, {night}, who", folder)
        page.locator(".choices button").first.click()
        wide += taken(page, f"phone, {night}", folder, whole=True)
        for what, where in (("why", ".everybody button"), ("hand", ".hand-lines button")):
            page.locator(where).first.click()
            expect(page.get_by_role("dialog")).to_be_visible()
            page.wait_for_timeout(300)
            wide += taken(page, f"phone, {night}, {what}", folder)
            page.keyboard.press("Escape")
        page.context.close()
    return wide


def taken(page: Page, title: str, folder: Path, sizes: tuple[tuple[int, int], ...] = SIZES, whole: bool = False) -> int:
    """Take a page at some sizes, by day and by night; return how often it sticks out of its window."""
    wide = 0
    for size in sizes:
        for theme in THEMES:
            resized(page, size, theme)
            if out := overflow_of(page):
                wide += 1
                print(f"{title} at {size[0]}: {out[:4]}")
            page.screenshot(path=folder / f"{plain(title)}-{size[0]}-{theme}.png", full_page=whole)
    return wide


def plain(title: str) -> str:
    """Return a title as the name of a file."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1] if len(sys.argv) > 1 else ".screenshots")) else 0)
