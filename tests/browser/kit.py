"""What the tests in the browser share: a club on a store, served on a port, and Chromium to look at it with."""

from __future__ import annotations

import json
import re
import shutil
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Page, Playwright, Request
from waitress.server import create_server

from api.app import listeners_of
from ledger.cli import demo_club
from ledger.exports.events import events
from ledger.imports.events import pour, rows
from ledger.service import Ledger, Sender
from ledger.stores import MemoryStore, SqliteStore
from ledger.tokens import Token
from web.app import create_app

SIZES: Final = ((1180, 820), (768, 1024), (360, 740))
"""A tablet on its side, one upright, a phone."""

THEMES: Final = ("light", "dark")

AXE: Final = Path(__file__).parent / "vendor" / "axe.min.js"

EMPTY: Final = "feathers"

FLAGS: Final = (
    "--no-sandbox",
    "--no-proxy-server",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--metrics-recording-only",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

PAGES: Final = (
    "/",
    "/nights",
    "/nights?table=pool",
    "/nights/new?table=pool",
    "/late",
    "/nights/peep-2026-11-26",
    "/nights/peep-2026-11-26/hands/3",
    "/nights/peep-2026-11-26/explain/pool",
    "/nights/peep-2026-11-26/count",
    "/nights/peep-2026-11-26/close",
    "/nights/peep-2026-11-26/join",
    "/nights/pepper-2026-09-16",
    "/nights/peep-2026-11-05/settlement",
    "/tables",
    "/tables/new",
    "/tables/new/foster-pool-nap",
    "/tables/pool",
    "/tables/pool/rules",
    "/members",
    "/members/rosa",
    "/members/rosa/merge",
    "/members/rosa/merge?into=bert",
    "/members/rosa/erase",
    "/money",
    "/settings",
    "/audit",
    "/audit?check=all",
    "/nowhere",
    "/sign-in",
    "/sign-out",
    "/invite",
    "/pair",
    "/people",
    "/devices",
    "/account",
)
"""Every kind of page, on the club of the demo."""


def chromium() -> str | None:
    """Return where Chromium is, if it is installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def launched(playwright: Playwright) -> Browser:
    """Start it; it downloads nothing."""
    return playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))


def make_empty(path: Path) -> str:
    """Make a store with a club that nothing has happened in."""
    with SqliteStore(path, create=True) as store:
        Ledger(store).found(EMPTY, "The Feathers", Sender(actor="cli"))
    return EMPTY


def make_demo(path: Path) -> str:
    """Make a store with the club of ``kittybook demo``."""
    path.write_bytes(_demo())
    return demo_club.CLUB


@cache
def _demo() -> bytes:
    """Play the demo once in a process, and return the file that it is kept in."""
    played = MemoryStore()
    demo_club.play(played)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "demo.db"
        with SqliteStore(path, create=True) as store, played.audit(demo_club.CLUB) as audit:
            book = rows(map(json.loads, events(audit)), "the demo")
            store.found(demo_club.CLUB, audit.head().epoch)
            store.transact(demo_club.CLUB, [lambda transaction: pour(transaction, book)])
        return path.read_bytes()


@contextmanager
def served(path: Path, club: str, role: str = "owner") -> Iterator[str]:
    """Serve a store to somebody of a role, who needs not sign in; give the address."""
    who = Token(club=club, id="tester", name="Rosa", role=role, created="2026-11-26")
    with SqliteStore(path) as store:
        app = create_app(store, resolve=lambda: who)
        server = create_server(app, host="127.0.0.1", port=0, threads=8)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.effective_port}"
        finally:
            server.close()
            server.task_dispatcher.shutdown()
            listeners_of(app).close()
            thread.join(5)


class Complaints:
    """What a page says on the console, what it cannot load, and what breaks in it."""

    def __init__(self, page: Page) -> None:
        self.said: list[str] = []
        page.on("console", lambda message: self._note(message.type, message.text, message.location.get("url", "")))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("requestfailed", self._failed)

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # it was not waited for: the next page was asked for
            self.said.append(f"failed: {request.url} {request.failure}")

    def _note(self, kind: str, text: str, url: str) -> None:
        if kind in ("error", "warning") and not url.endswith("/nowhere"):  # that page is not there on purpose
            self.said.append(f"{kind}: {text} ({url})")


def context_of(browser: Browser, size: tuple[int, int], theme: str, **options: Any) -> BrowserContext:
    """Return a window of a size, by day or by night."""
    width, height = size
    return browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="Europe/London",
        **options,
    )


def overflow_of(page: Page) -> Sequence[str]:
    """Return what sticks out of a page at its side; nothing does where it fits."""
    return page.evaluate(  # type: ignore[no-any-return]  # a list of texts
        """() => {
          const root = document.documentElement;
          if (root.scrollWidth <= root.clientWidth) return [];
          const by = `the page, by ${root.scrollWidth - root.clientWidth}`; // a text may stick out of what holds it
          return [by, ...[...document.querySelectorAll("body *")]
            .filter((one) => one.getBoundingClientRect().right > root.clientWidth + 1 && !one.closest(".table"))
            .map((one) => `${one.tagName}.${one.className} ${Math.round(one.getBoundingClientRect().right)}`)];
        }"""
    )


def small_targets_of(page: Page) -> Sequence[str]:
    """Return what can be pressed and is smaller than 48 pixels; links inside a sentence are as large as their words."""
    return page.evaluate(  # type: ignore[no-any-return]  # as above
        """() => [...document.querySelectorAll("a, button, summary, input, select, textarea, label.choice")]
          .filter((one) => {
            if (one.type === "hidden" || one.classList.contains("skip")) return false;
            if (one.closest("label.choice") && one.tagName === "INPUT") return false;
            if (one.tagName === "A" && getComputedStyle(one).display === "inline") return false;
            const box = one.getBoundingClientRect();
            if (!box.width || !one.checkVisibility()) return false;
            return box.height < 47.5 || box.width < 47.5;
          })
          .map((one) => {
            const box = one.getBoundingClientRect();
            const size = `${Math.round(box.width)}×${Math.round(box.height)}`;
            return `${one.tagName}.${one.className} “${one.textContent.trim().slice(0, 20)}” ${size}`;
          })"""
    )


def violations_of(page: Page, where: str | None = None) -> list[str]:
    """Return what axe finds wrong with a page, or with a part of it, WCAG 2.2 AA and its best practices."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(
        """async (where) => { // no rule reads style sheets, and nobody the selectors of what is as it should be
          const options = {resultTypes: ["violations"], selectors: false, preload: {assets: ["media"]}};
          return (await axe.run(where ?? document, options)).violations;
        }""",
        where,
    )
    return [
        f"{one['id']}: {one['help']}: " + "; ".join(node["html"][:160] for node in one["nodes"][:3]) for one in found
    ]


def color_at(page: Page, x: int, y: int) -> tuple[int, ...]:
    """Return the colour of one pixel of a page: red, green, blue."""
    png = page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})
    data, position = b"", 8
    while position < len(png):
        length, kind = int.from_bytes(png[position : position + 4]), png[position + 4 : position + 8]
        data += png[position + 8 : position + 8 + length] if kind == b"IDAT" else b""
        position += length + 12
    return tuple(zlib.decompress(data)[1:4])


class Hands:
    """Somebody at a page, whose every tap and key is counted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0
        self.keys = 0

    def tap(self, role: Any, name: str | re.Pattern[str]) -> None:
        """Tap something by what it is called."""
        self.page.get_by_role(role, name=name).first.click()
        self.taps += 1

    def press(self, key: str) -> None:
        """Press a key."""
        self.page.keyboard.press(key)
        self.keys += 1

    def enter(self) -> None:
        """Press Enter on what leads to another page."""
        with self.page.expect_navigation():
            self.press("Enter")

    def write(self, text: str) -> None:
        """Type."""
        self.page.keyboard.type(text)
        self.keys += len(text)

    def go_to(self, role: str, name: str, most: int = 80) -> None:
        """Press Tab until something has the focus, which must be seen there."""
        for _step in range(most):
            self.press("Tab")
            found = self.page.evaluate(
                """() => {
                  const one = document.activeElement;
                  const label = one.getAttribute("aria-label") || (one.labels && one.labels[0] || one).textContent;
                  return [one.tagName.toLowerCase(), label.trim().replace(/\\s+/g, " "),
                          getComputedStyle(one).outlineStyle !== "none"];
                }"""
            )
            if found[0] == role and found[1].startswith(name):
                assert found[2], f"{name} has the focus, and nobody can see that"
                return
        raise AssertionError(f"{most} times Tab, and no {role} {name!r}")


def first_run_by_hand(hands: Hands, address: str, names: str) -> None:
    """From an empty book to a table with players, by tapping."""
    hands.page.goto(address)
    hands.tap("textbox", "Names")
    hands.write(names)
    hands.tap("button", "Add players")
    hands.tap("link", "Choose the game")
    hands.tap("link", "Peep Nap (Rockets)")
    hands.tap("button", "Open the table")


def first_night_by_hand(hands: Hands) -> None:
    """From a table with players to an open night."""
    hands.tap("link", re.compile("Start a night"))
    hands.tap("button", "Start the night")
