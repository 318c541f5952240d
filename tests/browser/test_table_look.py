"""How the table screen looks in each of its states, and how it is worked by keyboard and heard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import SIZES, THEMES, Complaints, Hands, color_at, overflow_of, violations_of
from tests.browser.looks import out_of_reach_of, wrong_with, wrong_with_the_focus_of
from tests.browser.room import Room
from tests.browser.states import FOUR, STATES, opened, resized, room_of_the_states, shown

TWICE: Final = ((590, 410), (384, 512), (320, 256))
"""In how many pixels a browser lays tablets out at 200 %, and a small window at 400 %."""

BOOK: Final = "rockets-peep-nap"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    with room_of_the_states(tmp_path_factory.mktemp("look") / "room.db") as found:
        yield found


# What is seen


@pytest.mark.parametrize("name", STATES)
def test_every_state_is_legible_fits_and_can_be_hit(room: Room, browser: Browser, name: str) -> None:
    state = STATES[name]
    found: dict[str, list[str]] = {}
    with shown(state, room, browser) as page:
        for size in SIZES:
            for theme in THEMES:
                resized(page, size, theme)
                wrong = [*overflow_of(page), *wrong_with(page)]
                if state.crowded or (size, theme) == (SIZES[0], "dark"):
                    wrong += violations_of(page)
                found[f"{size[0]}x{size[1]}, {theme}"] = wrong
            found[f"{size[0]}x{size[1]}"] = out_of_reach_of(page)
        for size in TWICE:
            resized(page, size)
            found[f"{size[0]}x{size[1]}"] = [*overflow_of(page), *out_of_reach_of(page)]
    assert {place: wrong for place, wrong in found.items() if wrong} == {}


SPOILED: Final = {
    "overlap": "Object.assign(document.querySelectorAll('.place')[1].style, {left: '42%', top: '80%'})",
    "target": "document.querySelector('.bid-grid').style.gap = '4px'",
    "faint": "document.querySelector('.pool-count').style.opacity = '0.6'",
    "crowded": "document.querySelector('.ask').style.cssText = 'position: sticky; min-height: 90vh'",
    "cut off": "document.querySelector('.ask p').style.cssText = 'width: 20px; overflow: hidden; white-space: nowrap'",
}
"""What one line of style makes wrong, by what the measure calls it."""


def test_what_is_measured_is_found(room: Room, browser: Browser) -> None:
    """A measure that finds nothing anywhere would be none."""
    for kind, spoil in SPOILED.items():
        with shown(STATES["bidding"], room, browser) as page:
            assert wrong_with(page) == []
            page.evaluate(f"() => void ({spoil})")
            assert {words.partition(":")[0] for words in wrong_with(page)} == {kind} or kind == "overlap"
            assert any(words.startswith(kind) for words in wrong_with(page))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_pool_is_in_sight_while_a_sheet_is_open(room: Room, browser: Browser, size: tuple[int, int]) -> None:
    with shown(STATES["ten players"], room, browser, size) as page:
        for way in ("Menu", "Hands"):
            page.get_by_role("button", name=way, exact=True).click()
            sheet = page.locator("dialog.sheet")
            expect(sheet).to_be_visible()
            pool, top = page.locator(".bar-pool").bounding_box(), sheet.bounding_box()
            assert pool is not None
            assert top is not None
            assert pool["y"] >= 0
            assert pool["y"] + pool["height"] <= top["y"]
            page.keyboard.press("Escape")
            expect(sheet).to_have_count(0)


@pytest.mark.parametrize(("theme", "is_dark"), [("light", False), ("dark", True)])
def test_the_table_does_not_flash_white_at_night(room: Room, browser: Browser, theme: str, is_dark: bool) -> None:
    page = room.window(browser, SIZES[0], theme, "scorekeeper").new_page()
    page.route("**/*.mjs*", lambda route: route.abort())
    page.goto(f"{room.address}/nights/peep/table")
    assert (max(color_at(page, 1170, 810)) < 80) is is_dark  # before a script has drawn anything
    page.route("**/*.css*", lambda route: route.abort())
    page.goto(f"{room.address}/nights/peep/table")
    assert (max(color_at(page, 1170, 810)) < 80) is is_dark  # and before anything said how it looks
    page.context.close()


# By keyboard


@pytest.mark.parametrize(
    ("name", "size", "theme"),
    [
        ("bidding", SIZES[0], "light"),
        ("ten players, bidding is over", SIZES[1], "dark"),
        ("ten players, at once", SIZES[0], "dark"),
        ("ten players, at once", SIZES[2], "light"),
        ("not sent", SIZES[1], "light"),
    ],
)
def test_wherever_the_focus_goes_it_is_seen(
    room: Room, browser: Browser, name: str, size: tuple[int, int], theme: str
) -> None:
    with shown(STATES[name], room, browser, size, theme) as page:
        page.locator(".bar-home").focus()
        stops = page.locator("button:enabled, a, input, summary, [tabindex='0']").evaluate_all(
            "(all) => all.filter((one) => one.checkVisibility()).length"
        )
        wrong: list[str] = []
        for _step in range(stops - 1):
            page.keyboard.press("Tab")
            assert not page.evaluate("() => document.activeElement === document.body")
            wrong += wrong_with_the_focus_of(page)
        assert wrong == []


def heading(page: Page, name: str) -> None:
    """Wait until the heading of what is asked has the focus."""
    expect(page.locator(".panel-play h2")).to_be_focused()
    expect(page.locator(".panel-play h2")).to_have_text(re.compile(rf"^{name}"))


def test_a_hand_is_bid_booked_and_taken_back_by_keyboard(room: Room, browser: Browser) -> None:
    opened(room, "keys", BOOK, FOUR)
    context = room.window(browser, SIZES[0], "light", "scorekeeper")
    page = context.new_page()
    complaints = Complaints(page)
    page.goto(f"{room.address}/nights/keys/table")
    asked = page.locator(".panel-play h2")
    expect(asked).to_have_text("Bob")
    hands = Hands(page)
    hands.go_to("button", "Two")
    hands.press("Enter")
    expect(asked).to_have_text("Callum")
    hands.go_to("button", "Peek")
    hands.press("Space")
    expect(page.get_by_role("button", name="has peeked")).to_be_focused()
    hands.go_to("button", "Pass")
    for name in ("Dorothea", "Ann"):
        hands.press("Space")
        expect(asked).to_have_text(name)
        expect(page.get_by_role("button", name="Pass", exact=True)).to_be_focused()  # the next may pass at once
    hands.press("Enter")
    heading(page, "Bob")
    hands.go_to("button", "Made")
    hands.press("Enter")
    heading(page, "Bob: Two")
    hands.go_to("button", "Book hand 1")
    hands.press("Space")
    heading(page, "Callum")
    expect(page.locator(".bar-hand")).to_have_text("Hand 2")
    expect(page.locator(".last-hand").first).not_to_contain_text("not sent yet")
    assert room.ask("/nights/keys/hands/1")["result"] == "made"
    undo = page.get_by_role("button", name="Undo: hand 1", exact=True)
    expect(undo).to_be_visible()
    hands.go_to("button", "Undo:")
    hands.press("Enter")
    expect(page.get_by_role("heading", name="Take back?")).to_be_focused()
    hands.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(undo).to_be_focused()
    hands.press("Space")
    hands.go_to("button", "Take it back")
    hands.press("Enter")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".bar-hand")).to_have_text("Hand 1")
    expect(page.get_by_role("button", name=re.compile("^Undo:"))).to_be_focused()
    hands.press("Enter")  # of a hand that is begun it asks nothing
    expect(page.locator(".panel-play")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Undo:"))).to_be_focused()
    hands.go_to("button", "Menu")
    hands.press("Enter")
    expect(page.get_by_role("heading", name="Menu")).to_be_focused()
    hands.press("Escape")
    expect(page.get_by_role("button", name="Menu", exact=True)).to_be_focused()
    assert complaints.said == []
    context.close()


def test_whoever_taps_elsewhere_keeps_the_focus_there(room: Room, browser: Browser) -> None:
    opened(room, "elsewhere", BOOK, FOUR)
    context = room.window(browser, SIZES[0], "light", "scorekeeper")
    page = context.new_page()
    page.goto(f"{room.address}/nights/elsewhere/table")
    menu = page.get_by_role("button", name="Menu", exact=True)
    menu.focus()
    room.send("RecordHand", "elsewhere", hand=1, bidder="bob", bid="two", made=True)
    expect(page.locator(".bar-hand")).to_have_text("Hand 2")
    expect(menu).to_be_focused()
    context.close()


# By ear


def listen(page: Page) -> None:
    """Note what the screen reads out from now on."""
    page.evaluate(
        """() => {
          window.heard = [];
          for (const region of document.querySelectorAll(".only-read[role=status]")) {
            const plain = () => region.textContent.replace(/[\\u2066-\\u2069]/g, "");
            new MutationObserver(() => region.textContent && heard.push(plain()))
              .observe(region, {childList: true, characterData: true, subtree: true});
          }
        }"""
    )


def test_what_was_booked_and_whose_turn_it_is_is_read_out_once(room: Room, browser: Browser) -> None:
    opened(room, "heard", BOOK, FOUR)
    context = room.window(browser, SIZES[0], "light", "scorekeeper")
    page = context.new_page()
    page.goto(f"{room.address}/nights/heard/table")
    expect(page.locator(".panel-play h2")).to_have_text("Bob")
    listen(page)
    side = page.locator(".side")
    for name, call in (("Bob", "Three"), ("Callum", "Pass"), ("Dorothea", "Pass"), ("Ann", "Pass")):
        expect(side.locator("h2")).to_have_text(name)
        side.get_by_role("button", name=call, exact=True).click()
        page.wait_for_timeout(310)  # two quick taps in one place would be one
    side.get_by_role("button", name="Failed").click()
    side.get_by_role("button", name="Book hand 1").click()
    expect(page.locator(".bar-hand")).to_have_text("Hand 2")
    expect(page.locator(".last-hand").first).not_to_contain_text("not sent yet")
    room.send("RecordHand", "heard", hand=2, bidder="dot", bid="nap", made=True)  # on another device
    expect(page.locator(".bar-hand")).to_have_text("Hand 3")
    expect(page.locator(".light")).to_have_text("live")
    heard: list[str] = page.evaluate("heard")
    booked = [words for words in heard if words.startswith("Hand ")]
    assert booked == [
        "Hand 1. Bob: Three, failed. Ann +3, Bob −9, Callum +3, Dorothea +3, pool 0.",
        "Hand 2. Dorothea: Nap, made. Ann −10, Bob −10, Callum −10, Dorothea +30, pool 0.",
    ]
    turns = [words for words in heard if not words.startswith("Hand ")]
    assert turns[:4] == [
        "Bob has bid Three. Callum is to bid.",
        "Bob has bid Three. Dorothea is to bid.",
        "Bob has bid Three. Ann is to bid.",
        "Bob plays Three.",
    ]
    assert turns[4:] == ["Callum is to bid.", "Dorothea is to bid."]
    context.close()
