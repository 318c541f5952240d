"""Measures the table in a browser: how soon it can be used, how soon a tap is answered, and how much is fetched for it.

What it prints are figures of this machine now; only their order says anything on another.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import structlog
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from ledger.service import Sender, read_request
from tests.browser.kit import EMPTY, SIZES, launched, make_empty
from tests.browser.room import Room
from web.statics import pour

PLAYERS: Final = ("ann", "bob", "cal", "dot", "eve")
NIGHT: Final = "long"
HANDS: Final = 200
SLOWED: Final = 4
TRIES: Final = 9

USABLE: Final = """() => {
  const watcher = new MutationObserver(() => {
    if (!document.querySelector("#screen .bid:not([aria-disabled])")) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => (globalThis.usable = performance.now())));
  });
  watcher.observe(document, { childList: true, subtree: true, attributes: true });
}"""
"""Note when a bid can be tapped, and is drawn; the page does so itself, as asking it would hold it up."""

TAP: Final = """async (label) => {
  const asked = () => document.querySelector(".panel-play")?.textContent;
  const before = asked();
  const buttons = [...document.querySelectorAll(".panel-play button")];
  const button = buttons.find((one) => one.textContent.trim().startsWith(label));
  const start = performance.now();
  button.click();
  while (asked() === before) await new Promise((go) => setTimeout(go));
  await new Promise((go) => requestAnimationFrame(go));
  return performance.now() - start;
}"""
"""Tap a button, and wait until what is asked is another thing, and drawn."""


def main() -> None:
    """Measure, and print."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with (
        tempfile.TemporaryDirectory() as folder,
        room(Path(folder) / "club.db") as there,
        sync_playwright() as playwright,
    ):
        browser = launched(playwright)
        pour()  # as the server does when it starts
        cold, fetched = zip(*(opened_cold(browser, there) for _try in range(TRIES)), strict=True)
        scripts, later, hosts = fetched[0]
        print(f"usable, cold, processor slowed {SLOWED} times: {median(cold):.0f} ms (limit 1000; {spread(cold)})")
        warm = opened_warm(browser, there)
        print(f"usable, warm: {median(warm):.0f} ms (limit 300; {spread(warm)})")
        taps = tapped(browser, there)
        print(f"a tap in hand {HANDS + 1}: {median(taps):.0f} ms (limit 100; {spread(taps)})")
        print(f"scripts: {scripts / 1000:.1f} kB until it can be used (limit 60), {later / 1000:.1f} kB after that")
        print(f"hosts that were asked: {', '.join(sorted(hosts))}")
        browser.close()


@contextmanager
def room(path: Path) -> Iterator[Room]:
    """Give a club whose night is 200 hands long."""
    found = Room(path, make_empty(path))
    ledger = found.state.ledger

    def do(kind: str, night: str | None = None, **data: Any) -> None:  # noqa: ANN401 - as commands have it
        told: dict[str, Any] = {"id": str(uuid.uuid4()), "type": kind, "data": data}
        request = read_request(told if night is None else {**told, "night": night})
        (answer,) = ledger.carry_out(EMPTY, [request], Sender(actor="cli"))
        assert answer["status"] == "recorded", answer

    for player in PLAYERS:
        do("AddMember", member=player, name=player.title())
    do("OpenTable", table="peep", name="Peep Nap", rulebook="rockets-peep-nap")
    do("OpenNight", table="peep", night=NIGHT, players=list(PLAYERS), dealer="eve")
    for hand in range(1, HANDS + 1):
        bidder = PLAYERS[hand % 5]
        do("RecordHand", NIGHT, hand=hand, bidder=bidder, bid="three", made=hand % 3 > 0, peeks=[PLAYERS[hand % 4]])
    try:
        yield found
    finally:
        found.stop()


def opened_cold(browser: Browser, there: Room) -> tuple[float, tuple[int, int, set[str]]]:
    """Open the table in a window that has seen nothing; return ms, and what was fetched before and behind that."""
    window = there.window(browser, SIZES[0], role="scorekeeper")
    page = window.new_page()
    chrome = window.new_cdp_session(page)
    chrome.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    chrome.send("Network.enable")
    sizes: dict[str, int] = {}
    kinds: dict[str, str] = {}
    hosts: set[str] = set()
    chrome.on("Network.responseReceived", lambda told: kinds.update({told["requestId"]: told["response"]["url"]}))
    chrome.on("Network.loadingFinished", lambda told: sizes.update({told["requestId"]: told["encodedDataLength"]}))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname or ""))
    usable = until_usable(page, there)
    page.wait_for_timeout(3_000)
    # the sheets come a second later
    modules = {one: size for one, size in sizes.items() if kinds.get(one, "").endswith(".mjs")}
    after = sum(modules.values())
    scripts = after - sum(size for one, size in modules.items() if "/screen/sheets" in kinds[one])
    window.close()
    return usable, (scripts, after - scripts, hosts)


def opened_warm(browser: Browser, there: Room) -> list[float]:
    """Open the table again and again in one window."""
    window = there.window(browser, SIZES[0], role="scorekeeper")
    found = []
    for _try in range(TRIES + 1):
        page = window.new_page()
        found.append(until_usable(page, there))
        page.close()
    window.close()
    return found[1:]


def until_usable(page: Page, there: Room) -> float:
    """Return ms from the start of the navigation until a bid can be tapped."""
    page.add_init_script(f"({USABLE})()")
    page.goto(f"{there.address}/nights/{NIGHT}/table", wait_until="commit")
    page.wait_for_timeout(1_500)
    page.wait_for_function("globalThis.usable")
    at: float = page.evaluate("globalThis.usable")
    return at


def tapped(browser: Browser, there: Room) -> list[float]:
    """Follow the bidding of a hand, and return how long each tap took."""
    window: BrowserContext = there.window(browser, SIZES[0], role="scorekeeper")
    page = window.new_page()
    until_usable(page, there)
    page.wait_for_timeout(1_500)
    found = [page.evaluate(TAP, label) for label in ("One", "Two", "Pass", "Three", "Pass", "Failed", "Change", "Made")]
    window.close()
    return found


def spread(figures: list[float] | tuple[float, ...]) -> str:
    """Return the least and the most."""
    return f"{min(figures):.0f} to {max(figures):.0f}"


if __name__ == "__main__":
    main()
