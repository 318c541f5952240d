"""The table under faults: whatever happens to the network, the tablet or the table, every hand is in the book once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from ledger.sheet import score
from tests.browser.kit import make_empty
from tests.browser.room import Room

PLAYERS: Final = {"ann": "Ann", "bob": "Bob", "cal": "Cal", "dot": "Dot"}
"""Who sits there, in seat order; Ann deals first, so that Bob speaks first."""

BOOK: Final = "rockets-peep-nap"
NIGHT: Final = "peep"
SIZE: Final = (1180, 820)
COMMANDS: Final = "**/nights/*/commands"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A club with one night that is open, and nothing played in it yet."""
    path = tmp_path / "book.db"
    found = Room(path, make_empty(path))
    for member, name in PLAYERS.items():
        found.do("AddMember", member=member, name=name)
    found.do("OpenTable", table="peep", name="Peep Nap", rulebook=BOOK)
    found.do("OpenNight", table="peep", night=NIGHT, players=[*PLAYERS], dealer="ann")
    try:
        yield found
    finally:
        found.stop()


class Tablet:
    """A tablet at the table: what is tapped on it, and what it shows."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.context = context
        self.address = address
        self.page = context.new_page()
        self._taps = 0
        self.page.goto(f"{address}/nights/{NIGHT}/table")
        expect(self.page.locator(".bar")).to_be_visible()

    def tap(self, name: str | re.Pattern[str]) -> None:
        """Tap a button, each time a little aside: two quick taps in one place are one."""
        self._taps += 1
        place = {"x": 14 if self._taps % 2 else 50, "y": 20}
        self.page.locator(".side").get_by_role("button", name=name, exact=isinstance(name, str)).first.click(
            position=place
        )

    def speaks(self, player: str) -> None:
        """Wait until the bidding has come to a player."""
        expect(self.page.locator(".ask h2")).to_have_text(re.compile(rf"^\s*{PLAYERS[player]}\b"))

    def bids(self, *calls: tuple[str, str]) -> None:
        """Tap calls in turn."""
        for player, call in calls:
            self.speaks(player)
            self.tap(call)

    def follows(self, hand: int, bidder: str, bid: str, made: bool) -> None:
        """Follow the bidding of a whole hand, in which one bids and the others pass, and book it."""
        order = [*PLAYERS][hand % 4 :] + [*PLAYERS][: hand % 4]
        self.bids(*[(player, bid if player == bidder else "Pass") for player in order])
        self.tap("Made" if made else "Failed")
        self.books(hand)

    def quickly(self, hand: int, bidder: str, bid: str, made: bool) -> None:
        """Enter a hand at once, and book it."""
        self.tap("Quick entry")
        self.tap(PLAYERS[bidder])
        self.tap(bid)
        self.tap("Made" if made else "Failed")
        self.books(hand)

    def books(self, hand: int) -> None:
        """Book the hand that is shown."""
        self.tap(f"Book hand {hand}")
        expect(self.page.locator(".bar-hand")).to_have_text(f"Hand {hand + 1}")

    @property
    def light(self) -> Any:
        return expect(self.page.locator(".bar .light"))

    @property
    def notice(self) -> Any:
        return expect(self.page.locator(".side .notice"))

    def empty(self, name: str = "waiting") -> None:
        """Wait until nothing is left to send."""
        for _try in range(200):
            if not [row for row in self.rows() if row["status"] == name]:
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"still {name}: {self.rows()}")

    def rows(self) -> list[dict[str, Any]]:
        """Return the commands that this browser has not put away."""
        return self.kept("commands")

    def kept(self, shelf: str) -> list[dict[str, Any]]:
        return self.page.evaluate(  # type: ignore[no-any-return]  # rows as JSON
            """(shelf) => new Promise((go, fail) => {
              const opening = indexedDB.open("kittybook");
              opening.onerror = () => fail(opening.error);
              opening.onsuccess = () => {
                const asked = opening.result.transaction(shelf).objectStore(shelf).getAll();
                asked.onsuccess = () => (opening.result.close(), go(asked.result));
              };
            })""",
            shelf,
        )


@pytest.fixture
def tablet(room: Room, browser: Browser) -> Iterator[Tablet]:
    """A tablet that keeps the score."""
    context = room.window(browser, SIZE, role="scorekeeper")
    yield Tablet(context, room.address)
    context.close()


def another(room: Room, browser: Browser, name: str) -> Tablet:
    """A tablet of its own name."""
    code = room.code("scorekeeper", name)
    context = room.window(browser, SIZE, role="viewer")
    page = context.new_page()
    page.goto(f"{room.address}/pair#{code}")
    page.get_by_role("button", name="Pair").click()
    page.wait_for_url(f"{room.address}/")
    page.close()
    return Tablet(context, room.address)


Fact = tuple[int, str, str, bool]
"""A hand: its number, who bid what, and whether it was made."""


def in_the_book(room: Room, *hands: Fact) -> None:
    """Check that a night has these hands, each once and in order, and the balances that ``score`` gives for them."""
    booked = room.ask(f"/nights/{NIGHT}/hands")["hands"]
    settled = [row for row in booked if row["status"] == "settled"]
    found = [(row["hand"], row["bidder"], row["bid"], row["result"] == "made") for row in settled]
    assert found == [(number, bidder, bid.lower(), made) for number, bidder, bid, made in hands]
    facts = [
        {key: row["facts"][key] for key in ("bidder", "bid", "made", "peeks", "bids") if key in row["facts"]}
        for row in settled
    ]
    sheet = {"id": "tapped", "rulebook": BOOK, "players": [*PLAYERS], "dealer": "ann", "hands": facts}
    balances = {row["id"]: row["balance"] for row in room.ask(f"/nights/{NIGHT}")["players"]}
    assert balances == score(sheet)["balances"]


class Net:
    """What lies between a tablet and the server, and loses things."""

    def __init__(self, page: Page, where: str = COMMANDS) -> None:
        self.page, self.where = page, where
        self.passed = 0
        self.arrived: list[str] = []

    def lose_answers(self, times: int) -> None:
        """Let requests arrive, and lose what is answered."""
        self._each(times, lambda route: (route.fetch(), route.abort("connectionreset")))

    def lose_requests(self, times: int) -> None:
        """Let nothing arrive."""
        self._each(times, lambda route: route.abort("internetdisconnected"))

    def answer(self, times: int, status: int, **headers: str) -> None:
        """Answer in the place of the server."""
        body = json.dumps({"code": "store_busy", "detail": "The book is busy."})
        kind = {"Content-Type": "application/problem+json", **headers}
        self._each(times, lambda route: route.fulfill(status=status, headers=kind, body=body))

    def _each(self, times: int, act: Callable[[Route], object]) -> None:
        left = [times]

        def handle(route: Route) -> None:
            self.arrived.append(route.request.post_data or "")
            if left[0] > 0:
                left[0] -= 1
                act(route)
            else:
                route.continue_()

        self.page.unroute(self.where)
        self.page.route(self.where, handle)


# The network


def test_lost_answers_book_once(tablet: Tablet, room: Room) -> None:
    net = Net(tablet.page)
    tablet.bids(("bob", "Three"))
    net.lose_answers(3)
    tablet.bids(("cal", "Pass"), ("dot", "Pass"), ("ann", "Pass"))
    tablet.tap("Made")
    tablet.books(1)
    tablet.empty()
    ids = [json.loads(body)["commands"][0]["id"] for body in net.arrived]
    assert len(ids) > len(set(ids))  # what was not answered was sent again as it was
    net.lose_answers(4)
    tablet.quickly(2, "cal", "Two", False)
    tablet.empty()
    tablet.light.to_have_text("live")
    in_the_book(room, (1, "bob", "Three", True), (2, "cal", "Two", False))


def test_lost_requests_and_a_busy_server_are_waited_for(tablet: Tablet, room: Room) -> None:
    net = Net(tablet.page)
    net.lose_requests(3)
    tablet.follows(1, "cal", "Two", True)
    tablet.empty()
    hands: list[Fact] = [(1, "cal", "Two", True)]
    for number, (status, headers) in enumerate(
        [(503, {"Retry-After": "1"}), (507, {}), (429, {"Retry-After": "1"})], 2
    ):
        net.answer(2, status, **headers)
        tablet.quickly(number, "ann", "One", False)
        tablet.light.to_contain_text("1 hand is only on this tablet")
        expect(tablet.page.locator(".last-hand").first).to_contain_text("not sent yet")
        expect(tablet.page.locator(".seat-chips .mark").first).to_be_visible()
        tablet.empty()
        expect(tablet.page.locator(".seat-chips .mark")).to_have_count(0)
        hands.append((number, "ann", "One", False))
    tablet.light.to_have_text("live")
    in_the_book(room, *hands)
