"""The table under faults: whatever happens to the network, the tablet or the table, every hand is in the book once."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response, Route, expect

from ledger import people
from ledger.people import By
from ledger.sheet import score
from ledger.stores.sqlite import backup, note, restore
from tests.browser.kit import EMPTY, FLAGS, chromium, make_empty
from tests.browser.room import Room

PLAYERS: Final = {"ann": "Ann", "bob": "Bob", "cal": "Cal", "dot": "Dot"}
"""Who sits there, in seat order; Ann deals first, so that Bob speaks first."""

BOOK: Final = "rockets-peep-nap"
NIGHT: Final = "peep"
SIZE: Final = (1180, 820)
COMMANDS: Final = "**/nights/*/commands"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A club with one night that is open, and nothing played in it yet; tests take copies of it."""
    path = tmp_path_factory.mktemp("club") / "book.db"
    found = Room(path, make_empty(path))
    for member, name in PLAYERS.items():
        found.do("AddMember", member=member, name=name)
    found.do("OpenTable", table="peep", name="Peep Nap", rulebook=BOOK)
    found.do("OpenNight", table="peep", night=NIGHT, players=[*PLAYERS], dealer="ann")
    found.stop()
    return path


@pytest.fixture
def room(begun: Path, tmp_path: Path) -> Iterator[Room]:
    found = Room(Path(shutil.copy(begun, tmp_path / "book.db")), EMPTY)
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
        self.page.set_default_timeout(15_000)
        self.broken: list[str] = []
        self.page.on("pageerror", lambda error: self.broken.append(str(error)))
        self._taps = 0
        self.page.goto(f"{address}/nights/{NIGHT}/table")
        expect(self.page.locator(".bar")).to_be_visible()

    def tap(self, name: str) -> None:
        """Tap a button, each time a little aside: two quick taps in one place are one."""
        self.button(name).click(position=self._aside())
        self.written()

    def twice(self, name: str) -> None:
        """Tap a button twice, far quicker than anybody means it, however slow the machine is."""
        self.page.wait_for_timeout(310)  # what was tapped before was another tap
        self.button(name).evaluate(
            """(button) => {
              const { x, y } = button.getBoundingClientRect();
              for (const detail of [1, 2]) {
                const told = { bubbles: true, cancelable: true, detail, clientX: x + 20, clientY: y + 20 };
                button.dispatchEvent(new MouseEvent("click", told));
              }
            }"""
        )
        self.written()

    def written(self) -> None:
        """Wait until what was tapped is written down, which is some milliseconds after it is shown."""
        expect(self.page.locator(".table-main[aria-busy]")).to_have_count(0)

    def _aside(self) -> dict[str, int]:
        self._taps += 1
        return {"x": 14 if self._taps % 2 else 50, "y": 20}

    def speaks(self, player: str) -> None:
        """Wait until the bidding has come to a player."""
        expect(self.page.locator(".ask h2")).to_have_text(re.compile(rf"^\s*{PLAYERS[player]}\b"))

    def bids(self, *calls: tuple[str, str]) -> None:
        """Tap calls in turn."""
        self.at_once(False)
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
        self.at_once(True)
        self.tap(PLAYERS[bidder])
        self.tap(bid)
        self.tap("Made" if made else "Failed")
        self.books(hand)

    def at_once(self, wanted: bool) -> None:
        """Turn to quick entry, or to following the bidding: a tablet stays with what was chosen last."""
        if (self.page.locator(".panel-play.quick").count() > 0) is not wanted:
            self.tap("Quick entry" if wanted else "Follow the bidding")

    def books(self, hand: int) -> None:
        """Book the hand that is shown."""
        self.tap(f"Book hand {hand}")
        expect(self.page.locator(".bar-hand")).to_have_text(f"Hand {hand + 1}")

    def button(self, name: str) -> Any:
        """A button of the hand in progress, or of what is to be decided; on some stands a price behind their name."""
        return self.page.locator(".side").get_by_role("button", name=re.compile(rf"^{name}( \d+ chips?)?$")).first

    def undo(self, what: str) -> None:
        """Take back what the button says it takes back."""
        self.page.wait_for_timeout(310)  # the second of two quick taps in one place would be the same tap
        self.page.get_by_role("button", name=re.compile(rf"^Undo: .*{what}")).click()

    def reload(self) -> None:
        """Load the page again, once what is shown is written down."""
        self.written()
        self.page.reload()
        expect(self.page.locator(".bar")).to_be_visible()

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
    found = Tablet(context, room.address)
    yield found
    assert found.broken == []
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


def ids_sent_by(context: BrowserContext) -> list[str]:
    """Return the ids of the commands that a browser sends from now on, as they are answered.

    A try that fails for want of a network is made again, as it must be: it does not count.
    """
    sent: list[str] = []

    def note_id(response: Response) -> None:
        if response.request.method == "POST":
            sent.append(json.loads(response.request.post_data or "")["commands"][0]["id"])

    context.on("response", note_id)
    return sent


class Net:
    """What lies between a tablet and the server, and loses things."""

    def __init__(self, page: Page, where: str = COMMANDS) -> None:
        self.page, self.where = page, where
        self.arrived: list[str] = []

    def lose_answers(self, times: int) -> None:
        """Let requests arrive, and lose what is answered."""

        def lose(route: Route) -> None:
            route.fetch()
            route.abort("connectionreset")

        self._each(times, lose)

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


def test_a_table_is_drawn_before_the_api_has_said_anything(tablet: Tablet, room: Room) -> None:
    tablet.quickly(1, "bob", "Two", True)
    tablet.empty()
    tablet.bids(("cal", "Three"))
    tablet.empty()
    page = tablet.context.new_page()
    asked: list[str] = []
    page.route("**/api/**", lambda route: asked.append(route.request.url))  # and never answers
    page.goto(f"{room.address}/nights/{NIGHT}/table")
    expect(page.locator(".bar-hand")).to_have_text("Hand 2")
    expect(page.locator(".ask h2")).to_have_text(re.compile("Dot"))
    expect(page.locator(".last")).to_contain_text("Bob")
    assert asked
    told = json.loads(page.locator("#told").text_content() or "")
    assert told["hands"] == room.ask(f"/nights/{NIGHT}/hands")["hands"]
    assert told["members"] == room.ask("/members")["members"]
    state = room.ask(f"/nights/{NIGHT}")
    assert {key for key in state if state[key] != told["state"][key]} == {"actions"}  # a viewer asked, who may do less


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


def test_taps_go_on_while_answers_are_slow(tablet: Tablet, room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    carry_out = room.state.ledger.carry_out
    slow = [1]

    def slowly(*given: Any) -> Any:
        if slow[0]:
            slow[0] -= 1
            time.sleep(3)
        return carry_out(*given)

    monkeypatch.setattr(room.state.ledger, "carry_out", slowly)
    began = time.monotonic()
    tablet.follows(1, "dot", "Three", True)
    tablet.quickly(2, "bob", "One", True)
    assert time.monotonic() - began < 3  # nobody waited
    tablet.empty()
    in_the_book(room, (1, "dot", "Three", True), (2, "bob", "One", True))


def test_a_device_that_is_not_let_in_keeps_its_taps_until_it_is_paired_again(browser: Browser, room: Room) -> None:
    tablet = another(room, browser, "Bar tablet")
    tablet.quickly(1, "bob", "Two", True)
    tablet.empty()
    with room.state.door.people.read() as records:
        (device,) = [one for one in records.all(people.Device, room.club) if one.name == "Bar tablet"]
    people.revoke_device(room.state.door, room.club, device.id, By(actor="cli"))
    tablet.quickly(2, "cal", "One", False)
    tablet.light.to_contain_text("sign in again")
    tablet.notice.to_contain_text("1 tap is kept here and goes out then.")
    page = tablet.context.new_page()
    page.goto(f"{room.address}/pair#{room.code('scorekeeper', 'Bar tablet again')}")
    page.get_by_role("button", name="Pair").click()
    page.wait_for_url(f"{room.address}/")
    page.close()
    tablet.empty()
    tablet.light.to_have_text("live")
    tablet.notice.to_have_count(0)
    in_the_book(room, (1, "bob", "Two", True), (2, "cal", "One", False))
    tablet.context.close()


# Fingers


def test_a_doubled_tap_is_one(tablet: Tablet, room: Room) -> None:
    for player, call in (("bob", "Two"), ("cal", "Pass"), ("dot", "Pass"), ("ann", "Pass")):
        tablet.speaks(player)
        tablet.twice(call)
    tablet.twice("Made")
    tablet.twice("Book hand 1")
    expect(tablet.page.locator(".bar-hand")).to_have_text("Hand 2")
    tablet.empty()
    tablet.page.wait_for_timeout(300)
    in_the_book(room, (1, "bob", "Two", True))
    state = room.ask(f"/nights/{NIGHT}")
    assert (state["hand"]["phase"], state["version"]) == ("not_begun", 7)  # dealt, four calls, and the booking
    tablet.button("Pass").focus()
    for _time in range(4):
        tablet.page.keyboard.down("Enter")  # leaning on the key
    tablet.page.keyboard.up("Enter")
    tablet.speaks("dot")
    tablet.empty()
    assert room.ask(f"/nights/{NIGHT}")["hand"]["bids"] == [["cal", "pass"]]


def test_loading_again_or_turning_the_tablet_keeps_what_is_chosen(tablet: Tablet, room: Room) -> None:
    page = tablet.page
    Net(page).lose_requests(1000)
    for player, call in (("bob", "Two"), ("cal", "Peek"), ("cal", "Three"), ("dot", "Pass"), ("ann", "Pass")):
        tablet.speaks(player)
        tablet.tap(call)
        if call == "Peek":
            expect(tablet.button("Peek")).to_have_count(0)
        else:
            expect(page.locator(".ask h2")).not_to_have_text(re.compile(PLAYERS[player]))
        tablet.reload()
        page.set_viewport_size({"width": 820, "height": 1180} if player in "cal" else {"width": 1180, "height": 820})
    tablet.speaks("cal")
    tablet.tap("Failed")
    tablet.reload()
    expect(tablet.button("Book hand 1")).to_be_visible()
    tablet.books(1)
    tablet.reload()
    tablet.light.to_contain_text("1 hand is only on this tablet")
    tablet.tap("Quick entry")
    tablet.reload()
    tablet.tap("Dot")
    tablet.tap("Nap")
    tablet.reload()
    page.set_viewport_size({"width": 820, "height": 1180})
    for chosen in ("Dot", "Nap"):
        expect(tablet.button(chosen)).to_have_attribute("aria-pressed", "true")
    tablet.tap("Made")
    tablet.books(2)
    Net(page).lose_requests(0)
    tablet.reload()
    tablet.empty()
    in_the_book(room, (1, "cal", "Three", False), (2, "dot", "Nap", True))
    assert room.ask(f"/nights/{NIGHT}/hands/1")["facts"]["peeks"] == ["cal"]


@contextmanager
def a_process_of(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A browser in a process of its own, on a folder that stays: where it is spoken to, and the process."""
    told = folder / "DevToolsActivePort"
    told.unlink(missing_ok=True)
    arguments = [
        str(chromium()),
        "--headless=new",
        "--window-size=1180,960",
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        *FLAGS,
        "about:blank",
    ]
    process = subprocess.Popen(arguments, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _try in range(400):
            if told.exists() and "\n" in told.read_text():
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{told.read_text().split()[0]}", process
    finally:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_killed_browser_has_lost_nothing(browser: Browser, room: Room, tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    paired: Any = {"name": "s", "value": room.secret("scorekeeper"), "url": room.address}
    with a_process_of(folder) as (place, process):
        killed = browser.browser_type.connect_over_cdp(place)
        context = killed.contexts[0]
        context.add_cookies([paired])
        tablet = Tablet(context, room.address)
        tablet.quickly(1, "bob", "Two", True)
        tablet.empty()
        net = Net(tablet.page)
        net.lose_answers(1)
        tablet.bids(("cal", "Three"))
        tablet.page.wait_for_timeout(300)
        net.lose_requests(1000)
        tablet.bids(("dot", "Pass"), ("ann", "Pass"), ("bob", "Pass"))
        tablet.tap("Made")
        tablet.books(2)
        tablet.written()
        tablet.page.close()  # the tab alone, and then the browser with what came after
        tablet = Tablet(context, room.address)
        Net(tablet.page).lose_requests(1000)
        tablet.quickly(3, "dot", "One", False)
        tablet.quickly(4, "ann", "Two", False)
        tablet.bids(("bob", "One"))
        tablet.speaks("cal")
        tablet.written()
        kill(process)
    with a_process_of(folder) as (place, _process):
        opened = browser.browser_type.connect_over_cdp(place)
        opened.contexts[0].add_cookies([paired])  # a browser writes these down after half a minute only
        tablet = Tablet(opened.contexts[0], room.address)
        tablet.empty()
        tablet.speaks("cal")
        in_the_book(
            room, (1, "bob", "Two", True), (2, "cal", "Three", True), (3, "dot", "One", False), (4, "ann", "Two", False)
        )
        assert room.ask(f"/nights/{NIGHT}")["hand"]["bids"] == [["bob", "one"]]


def test_two_tabs_have_one_sender(tablet: Tablet, room: Room) -> None:
    sent = ids_sent_by(tablet.context)
    other = Tablet(tablet.context, room.address)
    other.bids(("bob", "Two"))
    tablet.bids(("cal", "Pass"))
    other.bids(("dot", "Pass"))
    tablet.empty()
    tablet.context.set_offline(True)
    tablet.bids(("ann", "Pass"))
    other.tap("Made")
    other.books(1)
    tablet.quickly(2, "cal", "One", True)
    other.quickly(3, "dot", "Three", False)
    tablet.light.to_contain_text("3 hands are only on this tablet")
    sent.clear()
    tablet.context.set_offline(False)
    tablet.empty()
    other.light.to_have_text("live")
    assert len(sent) == len(set(sent))
    in_the_book(room, (1, "bob", "Two", True), (2, "cal", "One", True), (3, "dot", "Three", False))


# Two tablets


@pytest.fixture
def bar(room: Room, browser: Browser) -> Iterator[Tablet]:
    """A second tablet at the same table."""
    found = another(room, browser, "Bar tablet")
    yield found
    assert found.broken == []
    found.context.close()


def test_the_same_call_twice_is_quietly_one(tablet: Tablet, bar: Tablet, room: Room) -> None:
    tablet.context.set_offline(True)
    tablet.bids(("bob", "Two"), ("cal", "Peek"))
    bar.bids(("bob", "Two"), ("cal", "Peek"))
    bar.empty()
    tablet.context.set_offline(False)
    tablet.empty()
    tablet.notice.to_have_count(0)
    hand = room.ask(f"/nights/{NIGHT}")["hand"]
    assert (hand["bids"], hand["peeks"]) == ([["bob", "two"]], ["cal"])


@pytest.mark.parametrize("choice", ["Keep it", "Put mine instead"])
def test_another_call_is_named(tablet: Tablet, bar: Tablet, room: Room, choice: str) -> None:
    tablet.context.set_offline(True)
    tablet.bids(("bob", "Four"), ("cal", "Pass"))
    bar.bids(("bob", "Three"))
    bar.empty()
    tablet.context.set_offline(False)
    tablet.notice.to_contain_text(
        re.compile(r"Bob bid Three was recorded by Bar tablet .*(second|now).*: keep or replace\?")
    )
    tablet.notice.to_contain_text("Here: Bob bid Four.")
    tablet.tap(choice)
    tablet.notice.to_have_count(0)
    tablet.empty()
    kept = "three" if choice == "Keep it" else "four"
    assert room.ask(f"/nights/{NIGHT}")["hand"]["bids"] == [["bob", kept], ["cal", "pass"]]
    bar.speaks("dot")
    bar.notice.to_have_count(0)


def test_a_hand_booked_on_both_is_quietly_one_or_named(tablet: Tablet, bar: Tablet, room: Room) -> None:
    for one in (tablet, bar):
        one.context.set_offline(True)
        one.quickly(1, "bob", "Two", True)
    for one in (tablet, bar):
        one.context.set_offline(False)
    for one in (tablet, bar):
        one.empty()
        one.notice.to_have_count(0)
    hands: list[Fact] = [(1, "bob", "Two", True)]
    for number, choice in ((2, "Keep theirs"), (3, "Replace with mine")):
        tablet.context.set_offline(True)
        tablet.quickly(number, "ann", "Three", False)
        bar.quickly(number, "ann", "Three", True)
        bar.empty()
        tablet.context.set_offline(False)
        tablet.notice.to_contain_text(f"Hand {number} was booked already")
        tablet.notice.to_contain_text(re.compile("By Bar tablet .*: Ann: Three, made"))
        tablet.notice.to_contain_text(re.compile("Here, .*: Ann: Three, failed"))
        tablet.light.to_contain_text("1 was not taken")
        tablet.reload()
        if number == 3:
            Net(tablet.page).lose_answers(2)
        tablet.tap(choice)
        tablet.notice.to_have_count(0)
        tablet.light.to_have_text("live")
        hands.append((number, "ann", "Three", choice == "Keep theirs"))
    in_the_book(room, *hands)
    assert len(room.ask(f"/nights/{NIGHT}/hands/3")["corrections"]) == 1


@pytest.mark.parametrize("choice", ["Keep it", "Put mine instead"])
def test_a_booking_names_the_steps_that_it_would_replace(tablet: Tablet, room: Room, choice: str) -> None:
    tablet.bids(("bob", "Two"), ("cal", "Pass"), ("dot", "Pass"), ("ann", "Pass"))
    tablet.empty()
    tablet.tap("Made")
    net = Net(tablet.page, "**/api/v1/**")
    net.lose_requests(1000)
    tablet.books(1)
    room.send("Peek", NIGHT, hand=1, player="cal")
    net.lose_requests(0)
    tablet.notice.to_contain_text(re.compile("Cal peeked was recorded by the scorekeeper's .*: keep or replace"))
    tablet.notice.to_contain_text("Hand 1 was booked here without it: Bob: Two, made.")
    tablet.quickly(2, "cal", "One", True)  # it goes on meanwhile, behind it
    tablet.tap(choice)
    tablet.empty()
    tablet.notice.to_have_count(0)
    in_the_book(room, (1, "bob", "Two", True), (2, "cal", "One", True))
    assert room.ask(f"/nights/{NIGHT}/hands/1")["facts"].get("peeks") == (["cal"] if choice == "Keep it" else None)


def test_a_note_or_a_dispute_between_stops_no_booking(tablet: Tablet, room: Room) -> None:
    tablet.quickly(1, "bob", "Two", True)
    tablet.empty()
    tablet.bids(("cal", "Two"), ("dot", "Pass"), ("ann", "Pass"), ("bob", "Pass"))
    tablet.tap("Made")
    tablet.empty()
    net = Net(tablet.page, "**/api/v1/**/nights/**")
    net.lose_requests(1000)
    room.send("AddNote", NIGHT, note="The dog ate a trick.")
    room.send("Dispute", NIGHT, hand=1, note="It was three.")
    tablet.books(2)
    net.lose_requests(0)
    tablet.empty()
    tablet.notice.to_have_count(0)
    in_the_book(room, (1, "bob", "Two", True), (2, "cal", "Two", True))


def test_what_a_booking_comes_to_is_what_was_shown(tablet: Tablet, room: Room) -> None:
    tablet.context.set_offline(True)
    tablet.quickly(1, "bob", "Two", True)
    room.do("ChangeRules", NIGHT, stake=3)
    tablet.context.set_offline(False)
    tablet.notice.to_contain_text("Hand 1 comes to something else by now")
    tablet.notice.to_contain_text("Bob +18")
    tablet.tap("Book it so")
    tablet.empty()
    assert room.ask(f"/nights/{NIGHT}/hands/1")["changes"]["bob"] == 18


def test_another_tablet_takes_over(tablet: Tablet, bar: Tablet, room: Room) -> None:
    tablet.bids(("bob", "Two"), ("cal", "Pass"))
    tablet.empty()
    tablet.context.set_offline(True)  # it is as good as dead, with a tap that nobody heard
    tablet.bids(("dot", "Peek"), ("dot", "Pass"), ("ann", "Pass"))
    tablet.tap("Failed")
    bar.bids(("dot", "Pass"), ("ann", "Pass"))
    bar.tap("Made")
    bar.books(1)
    bar.empty()
    tablet.context.set_offline(False)
    tablet.notice.to_contain_text("Not taken: Dot peeked")
    tablet.notice.to_contain_text(re.compile("Hand 1 was booked by Bar tablet .*: Bob: Two, made"))
    tablet.empty()
    tablet.tap("Leave it")
    tablet.notice.to_contain_text("Hand 1 was booked meanwhile")
    tablet.notice.to_contain_text("Here was chosen: failed.")
    tablet.tap("Keep theirs")
    tablet.notice.to_have_count(0)
    in_the_book(room, (1, "bob", "Two", True))


# Taking back


def test_what_was_not_sent_is_taken_back_here_and_the_rest_in_the_book(tablet: Tablet, room: Room) -> None:
    net = Net(tablet.page)
    net.lose_requests(1)
    tablet.bids(("bob", "Two"), ("cal", "Three"))
    tablet.speaks("dot")
    tablet.undo("Cal bid Three")
    tablet.speaks("cal")
    net.lose_answers(2)
    tablet.bids(("cal", "Four"))
    tablet.speaks("dot")
    tablet.undo("Cal bid Four")  # it is in flight, and its outcome unknown
    tablet.empty()
    tablet.speaks("cal")
    assert room.ask(f"/nights/{NIGHT}")["hand"]["bids"] == [["bob", "two"]]
    net.lose_requests(1000)
    tablet.bids(("cal", "Pass"), ("dot", "Pass"), ("ann", "Pass"))
    tablet.tap("Made")
    tablet.books(1)
    tablet.undo("hand 1")  # across the end of a hand that nobody else knows
    tablet.page.get_by_role("button", name="Take it back").click()
    expect(tablet.button("Book hand 1")).to_be_visible()
    tablet.undo("what is chosen")
    tablet.undo("Ann passed")
    tablet.speaks("ann")
    net.lose_requests(0)
    tablet.bids(("ann", "Nap"))
    tablet.tap("Failed")
    tablet.books(1)
    tablet.empty()
    tablet.light.to_have_text("live")
    in_the_book(room, (1, "ann", "Nap", False))
    tablet.undo("hand 1")
    tablet.page.get_by_role("button", name="Take it back").click()
    tablet.empty()
    expect(tablet.page.locator(".bar-hand")).to_have_text("Hand 1")
    in_the_book(room)


# The server


def test_a_server_that_goes_and_comes_back(tablet: Tablet, room: Room) -> None:
    tablet.bids(("bob", "Two"))
    tablet.empty()
    room.stop()
    tablet.bids(("cal", "Pass"), ("dot", "Pass"), ("ann", "Pass"))
    tablet.tap("Made")
    tablet.books(1)
    tablet.quickly(2, "cal", "One", True)
    tablet.light.to_contain_text(re.compile(r"as of \d\d:\d\d, hand 0 · 2 hands are only on this tablet"))
    room.start()
    tablet.empty()
    tablet.light.to_have_text("live")
    in_the_book(room, (1, "bob", "Two", True), (2, "cal", "One", True))


def test_hands_that_come_after_the_close_are_kept_for_the_treasurer(tablet: Tablet, room: Room) -> None:
    tablet.quickly(1, "bob", "Two", True)
    tablet.empty()
    tablet.context.set_offline(True)
    tablet.quickly(2, "cal", "One", True)
    tablet.quickly(3, "dot", "One", True)
    room.send("CloseNight", NIGHT)
    tablet.context.set_offline(False)
    tablet.notice.to_contain_text("Kept for the treasurer: hand 2")
    tablet.light.to_contain_text("2 are kept for the treasurer")
    for _time in range(2):
        tablet.tap("All right")
    tablet.notice.to_have_count(0)
    in_the_book(room, (1, "bob", "Two", True))
    assert tablet.kept("done") != []  # in case an older day is restored
    note(room.store, *backup_of(room), "2026-11-30T06:00:00.000Z")
    tablet.page.evaluate("dispatchEvent(new Event('online'))")
    for _try in range(100):
        if not tablet.kept("done"):
            break
        tablet.page.wait_for_timeout(50)
    assert tablet.kept("done") == tablet.rows() == []  # it is safe elsewhere


def backup_of(room: Room) -> tuple[Path, Any]:
    target = room.path.with_suffix(".backup")
    return target, backup(room.store, target)


def test_a_restored_club_is_told_again_what_it_lacks(tablet: Tablet, room: Room) -> None:
    tablet.quickly(1, "bob", "Two", True)
    tablet.empty()
    room.secret("viewer")  # who asks is a device too, and stays
    kept, _heads = backup_of(room)
    tablet.follows(2, "cal", "Three", False)
    tablet.quickly(3, "dot", "One", True)
    tablet.empty()
    hands: list[Fact] = [(1, "bob", "Two", True), (2, "cal", "Three", False), (3, "dot", "One", True)]
    in_the_book(room, *hands)
    room.stop()
    restore(kept, room.path, epoch="restored", stamp="2026-11-30")
    room.start()
    tablet.light.to_have_text("live")
    for _try in range(100):
        if room.ask(f"/nights/{NIGHT}")["hands_played"] == 3:
            break
        tablet.page.wait_for_timeout(50)
    tablet.empty()
    tablet.notice.to_have_count(0)
    in_the_book(room, *hands)


# The browser


def test_over_plain_http_there_is_one_sender_too(browser: Browser, room: Room) -> None:
    address = room.address_in_the_network
    context = room.window(browser, SIZE, role="scorekeeper", proxy={"server": room.address})
    sent = ids_sent_by(context)
    one, other = Tablet(context, address), Tablet(context, address)
    assert one.page.evaluate("[isSecureContext, typeof navigator.locks, typeof crypto.randomUUID]") == [
        False,
        "undefined",
        "undefined",
    ]
    one.quickly(1, "bob", "Two", True)
    other.bids(("cal", "Three"), ("dot", "Pass"))
    one.bids(("ann", "Pass"), ("bob", "Pass"))
    other.tap("Failed")
    other.books(2)
    one.empty()
    other.empty()
    assert len(sent) == len(set(sent))
    in_the_book(room, (1, "bob", "Two", True), (2, "cal", "Three", False))
    context.close()


def test_a_browser_that_keeps_nothing_says_so_and_goes_on(browser: Browser, room: Room) -> None:
    context = room.window(browser, SIZE, role="scorekeeper")
    context.add_init_script("IDBFactory.prototype.open = () => { throw new DOMException('private', 'SecurityError'); }")
    tablet = Tablet(context, room.address)
    tablet.notice.to_contain_text("This browser keeps nothing.")
    Net(tablet.page).lose_answers(2)
    tablet.follows(1, "bob", "Two", True)
    tablet.quickly(2, "cal", "One", False)
    tablet.light.to_have_text("live")
    expect(tablet.page.locator(".seat-chips .mark")).to_have_count(0)
    in_the_book(room, (1, "bob", "Two", True), (2, "cal", "One", False))
    assert tablet.broken == []
    context.close()


def test_a_full_browser_says_so_and_goes_on(tablet: Tablet, room: Room) -> None:
    tablet.quickly(1, "bob", "Two", True)
    tablet.empty()
    tablet.context.set_offline(True)
    tablet.quickly(2, "cal", "One", False)
    tablet.page.evaluate(
        """() => {
          IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
        }"""
    )
    tablet.quickly(3, "dot", "One", False)
    tablet.notice.to_contain_text("This browser keeps nothing.")
    tablet.context.set_offline(False)
    tablet.light.to_have_text("live")
    expect(tablet.page.locator(".seat-chips .mark")).to_have_count(0)
    in_the_book(room, (1, "bob", "Two", True), (2, "cal", "One", False), (3, "dot", "One", False))


# All of it at random

CALLS: Final = ("One", "Two", "Three", "Four")


class Evening:
    """An evening tapped at random on two tablets in turn, under faults at random: what was booked is written down."""

    def __init__(self, seed: int, *tablets: Tablet) -> None:
        self.chance = random.Random(seed)
        self.tablets = tablets
        self.nets = [Net(tablet.page, "**/api/v1/**/commands") for tablet in tablets]
        self.hands: list[Fact] = []
        self.offline = False

    def play(self, seconds: float) -> None:
        """Go on for some time, or until twelve hands are booked."""
        end = time.monotonic() + seconds
        tablet = self.tablets[0]
        while time.monotonic() < end and len(self.hands) < 12:
            if self.chance.random() < 0.2:  # another goes on, once all is told
                self.settle()
                tablet = self.chance.choice(self.tablets)
                expect(tablet.page.locator(".bar-hand")).to_have_text(f"Hand {len(self.hands) + 1}")
            self.fault(self.nets[self.tablets.index(tablet)])
            self.hand(tablet)
        self.settle()

    def fault(self, net: Net) -> None:
        times = self.chance.randint(1, 4)
        kind = self.chance.choice(["none", "answers", "requests", "busy", "offline", "online"])
        if kind == "answers":
            net.lose_answers(times)
        elif kind == "requests":
            net.lose_requests(times)
        elif kind == "busy":
            net.answer(times, 503)
        else:
            net.lose_requests(0)
            net.page.context.set_offline(kind == "offline")
            self.offline = kind == "offline"

    def hand(self, tablet: Tablet) -> None:
        """Enter a hand one way or the other, with a change of mind here and there."""
        number = len(self.hands) + 1
        bidder, bid, made = self.chance.choice([*PLAYERS]), self.chance.choice(CALLS), self.chance.random() < 0.5
        if self.chance.random() < 0.5:
            tablet.quickly(number, bidder, bid, made)
        else:
            tablet.follows(number, bidder, bid, made)
        if self.offline and self.chance.random() < 0.5:
            tablet.undo(f"hand {number}")
            tablet.page.get_by_role("button", name="Take it back").click()
            tablet.books(number)  # it stands as it was before it was booked
        self.hands.append((number, bidder, bid, made))

    def settle(self) -> None:
        for tablet, net in zip(self.tablets, self.nets, strict=True):
            net.lose_requests(0)
            tablet.context.set_offline(False)
            tablet.empty()
            tablet.notice.to_have_count(0)
        self.offline = False


@pytest.mark.parametrize("seed", [7])
def test_an_evening_at_random_is_what_was_tapped(tablet: Tablet, bar: Tablet, room: Room, seed: int) -> None:
    evening = Evening(seed, tablet, bar)
    evening.play(12)
    assert len(evening.hands) > 2
    in_the_book(room, *evening.hands)
