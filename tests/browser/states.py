"""The states of the table screen, one after another: what the tests look at is what pictures are taken of."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import SIZES, make_empty
from tests.browser.room import Room

PLAYERS: Final = {"ann": "Ann", "bob": "Bob", "cal": "Callum", "dot": "Dorothea", "eve": "Éva"}
"""Who sits at the tables, in seat order; Ann deals first."""

FOUR: Final = [*PLAYERS][:4]
DATE: Final = "2026-11-28"
SLOWLY: Final = 20_000
"""Milliseconds for which a machine that does much else is waited for."""

HALF_A_DAY: Final = 13 * 3600


class State(NamedTuple):
    """A state of the screen: on which night, how one comes to it, and by what one knows that it is there.

    ``crowded`` ones have most on the screen. ``before`` is done to the page before the night is opened on it.
    """

    night: str
    come: Callable[[Page, Room], object]
    shows: str
    crowded: bool = False
    before: Callable[[Page], object] = lambda _page: None


def nothing(_page: Page, _room: Room) -> None:
    """It is there as soon as the night is opened."""


def tapping(*names: str) -> Callable[[Page, Room], None]:
    """Tap one button after another, each by its whole name, or by the words before a price."""

    def taps(page: Page, _room: Room) -> None:
        for name in names:
            side = page.locator(".side")
            found = side.get_by_role("button", name=name, exact=True).or_(side.locator("summary", has_text=name)).first
            found.click(force=found.get_attribute("aria-disabled") is not None)  # what is greyed is tapped as well
            page.wait_for_timeout(310)  # two quick taps in one place would be one

    return taps


def bidding_of_two(page: Page, _room: Room) -> None:
    """Enter a hand that the server does not hear of."""
    page.context.set_offline(True)
    tapping("Quick entry", "Bob", "Two", "Made", "Book hand 6")(page, _room)
    expect(page.locator(".light")).to_contain_text("only on this tablet", timeout=SLOWLY)


def clashing(page: Page, room: Room) -> None:
    """Bid while another device records another bid."""
    page.context.set_offline(True)
    tapping("Four")(page, room)
    room.send("Bid", "clash", hand=1, player="bob", bid="three")
    page.context.set_offline(False)


def the_day_after(page: Page) -> None:
    """Let the tablet wake half a day later."""
    page.clock.set_fixed_time(time.time() + HALF_A_DAY)


WITH_MUCH: Final = ("Revoke", "Callum")

STATES: Final[dict[str, State]] = {
    "before a hand": State("peep", nothing, "Quick entry"),
    "bidding": State("bidding", nothing, "to beat: Two by Callum"),
    "greyed bid tapped": State("bidding", tapping("One"), "Two stands, and must be beaten."),
    "bidding is over": State("over", nothing, "plays Nap"),
    "before it is booked": State("over", tapping("Failed"), "Book hand 6"),
    "quick entry, empty": State("peep", tapping("Quick entry"), "Follow the bidding"),
    "quick entry, filled": State("peep", tapping("Quick entry", "Bob", "Three", "Made"), "Book hand 6", crowded=True),
    "something went wrong": State("over", tapping("Something went wrong", "Wrong number of cards"), "An opponent"),
    "somebody revoked": State("over", tapping("Something went wrong", *WITH_MUCH), "Book hand 6"),
    "passed out": State("passed", nothing, "passed out"),
    "Pepper, bidding": State("pepper", nothing, "to 42"),
    "Pepper, tricks and trumps": State("tricks", nothing, "They gave up", crowded=True),
    "Pepper, before it is booked": State("tricks", tapping("Hearts", "5 made"), "Book hand 3"),
    "Pepper, won": State("won", nothing, "have won the game."),
    "cards bought": State("purchase", nothing, "Buy cards"),
    "cards bought, at once": State("purchase", tapping("Enter the rest at once"), "Who bought cards?"),
    "the widow": State("widow", nothing, "The widow"),
    "ten players": State("high", nothing, "Quick entry", crowded=True),
    "ten players, bidding is over": State("tall", tapping("Trumps, a late peek, the card"), "Peeked as well"),
    "ten players, before it is booked": State("tall", tapping("Made"), "Book hand 16", crowded=True),
    "ten players, at once": State(
        "high", tapping("Quick entry", "Rosa", "Wellington", "Made", "Ines", "Tariq"), "Book hand 16", crowded=True
    ),
    "two players": State("two", nothing, "Quick entry"),
    "not sent": State("peep", bidding_of_two, "not sent yet", crowded=True),
    "not taken": State("clash", clashing, "keep or replace?"),
    "left open": State("peep", nothing, "Close it as it stood", before=the_day_after),
    "closed": State("closed", nothing, "Receipt"),
    "too few": State("few", nothing, "A hand needs 2 players."),
}
"""Every state by its name, in the order of an evening."""


def lay_the_tables(room: Room) -> None:
    """Open the nights of the states, as far as they are in the book."""
    for member, name in PLAYERS.items():
        room.do("AddMember", member=member, name=name)
    peep, everybody = "rockets-peep-nap", [*PLAYERS]
    for night in ("peep", "bidding", "over", "passed"):
        opened(room, night, peep, everybody)
        room.send("RecordHand", night, hand=1, bidder="bob", bid="nap", made=True, peeks=["cal", "dot"])
        room.send("RecordHand", night, hand=2, bidder="dot", bid="three", made=True, peeks=["ann"])
        room.send("RecordHand", night, hand=3, bidder="ann", bid="misere", made=False, peeks=["eve", "bob"])
        room.send("RecordHand", night, hand=4, bidder="eve", bid="wellington", made=False)
        room.send("RecordHand", night, hand=5, bidder="cal", bid="two", made=True, peeks=["dot"])
    room.send("RecordHand", "passed", hand=6, passed_out=True, peeks=["ann"])
    room.send("Peek", "bidding", hand=6, player="bob")
    calls(room, "bidding", 6, bob="pass", cal="two", dot="pass")
    room.send("Peek", "over", hand=6, player="cal")
    calls(room, "over", 6, bob="two", cal="nap", dot="pass", eve="pass", ann="pass")
    for night, house_rules in (("pepper", {}), ("tricks", {}), ("won", {"score.target": 6})):
        opened(room, night, "rockets-pepper", FOUR, house_rules=house_rules)
    for night in ("pepper", "tricks"):
        room.send("RecordHand", night, hand=1, bidder="bob", bid="four", tricks=5, trumps="hearts")
        room.send("RecordHand", night, hand=2, bidder="cal", bid="five", tricks=4, trumps="clubs")
    calls(room, "pepper", 3, dot="three", ann="pass")
    calls(room, "tricks", 3, dot="three", ann="pass", bob="five", cal="pass")
    room.send("RecordHand", "won", hand=1, bidder="bob", bid="six", tricks=6, trumps="spades")
    opened(room, "purchase", "rockets-purchase-nap", FOUR)
    room.send("BuyCards", "purchase", hand=1, player="bob", cards=3)
    calls(room, "purchase", 1, bob="two")
    opened(room, "widow", "foster-widow-nap", FOUR)
    calls(room, "widow", 1, bob="nap", cal="pass", dot="pass", ann="pass")
    opened(room, "two", peep, ["ann", "bob"])
    room.send("RecordHand", "two", hand=1, bidder="bob", bid="three", made=False, peeks=["ann"])
    opened(room, "few", peep, ["ann", "bob"])
    room.send("UnseatPlayer", "few", player="bob")
    opened(room, "clash", peep, FOUR)
    opened(room, "closed", peep, FOUR)
    room.send("RecordHand", "closed", hand=1, bidder="bob", bid="nap", made=True, peeks=["cal"])
    room.send("CloseNight", "closed")
    of_ten(room)


def of_ten(room: Room) -> None:
    """Open two nights of ten with long names: before a hand, and behind a bidding that half of them peeked in."""
    room.ten_sit_down()
    ids = [f"player-{number}" for number in range(1, 11)]
    opened(room, "tall", "rockets-peep-nap", ids, dealer=ids[-1], stake=35_273)
    for number in range(1, 16):
        bidder = ids[number % 4]
        room.send("RecordHand", "tall", hand=number, bidder=bidder, bid="nap", made=number % 3 > 0, peeks=ids[4:7])
    for player in ids[5:8]:
        room.send("Peek", "tall", hand=16, player=player)
    order = ids[5:] + ids[:5]
    spoken = dict.fromkeys(order, "pass") | {ids[0]: "nap"}
    calls(room, "tall", 16, **spoken)


def opened(room: Room, night: str, rulebook: str, players: list[str], dealer: str = "ann", **rules: Any) -> None:
    """Open a table with a night of the same name."""
    room.do("OpenTable", table=night, name=night.capitalize(), rulebook=rulebook, **rules)
    room.do("OpenNight", table=night, night=night, date=DATE, players=players, dealer=dealer)


def calls(room: Room, night: str, hand: int, **spoken: str) -> None:
    """Let players speak in turn."""
    for player, call in spoken.items():
        if call == "pass":
            room.send("Pass", night, hand=hand, player=player)
        else:
            room.send("Bid", night, hand=hand, player=player, bid=call)


def resized(page: Page, size: tuple[int, int], theme: str | None = None) -> None:
    """Make a window another one, by day or by night."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    if theme:
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")


@contextmanager
def room_of_the_states(path: Path) -> Iterator[Room]:
    """Give a room whose tables are laid."""
    room = Room(path, make_empty(path))
    try:
        lay_the_tables(room)
        yield room
    finally:
        room.stop()


@contextmanager
def shown(
    state: State, room: Room, browser: Browser, size: tuple[int, int] = SIZES[0], theme: str = "dark"
) -> Iterator[Page]:
    """Give a page that has come to a state; the window is to be made larger and smaller, lighter and darker."""
    context = room.window(browser, size, theme, "scorekeeper")
    try:
        page = context.new_page()
        state.before(page)
        page.goto(f"{room.address}/nights/{state.night}/table")
        expect(page.get_by_role("region", name="The table")).to_be_visible(timeout=SLOWLY)
        state.come(page, room)
        expect(page.locator("#screen").get_by_text(state.shows).first).to_be_visible(timeout=SLOWLY)
        yield page
    finally:
        context.close()
