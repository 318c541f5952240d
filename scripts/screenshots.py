"""Takes pictures of every page at three sizes, by day and by night, into a folder."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import sync_playwright

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
                            name = re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-") or "start"
                            file = folder / f"{club}-{name}-{size[0]}-{theme}.png"
                            page.screenshot(path=file, full_page=True)
                        page.context.close()
        browser.close()
    print(f"pictures are in {folder}")
    return wide


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1] if len(sys.argv) > 1 else ".screenshots")) else 0)
