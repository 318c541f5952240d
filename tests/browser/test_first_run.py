"""From an empty book to a table with players: by tapping, by keyboard alone, and what a double tap does."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.kit import SIZES, Complaints, Hands, context_of, first_night_by_hand, first_run_by_hand

NAMES = "Ann, Bob, Cal, Dot"


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
def test_an_empty_book_is_a_table_with_players_in_a_few_taps(
    browser: Browser, empty: str, size: tuple[int, int]
) -> None:
    context = context_of(browser, size, "light", has_touch=True, java_script_enabled=False)
    page = context.new_page()
    hands = Hands(page)
    first_run_by_hand(hands, empty, NAMES)
    expect(page.get_by_text("The table is open.")).to_be_visible()
    assert hands.taps == 5
    first_night_by_hand(hands)
    expect(page).to_have_url(re.compile("/nights/peep-nap-.*/table$"))
    assert hands.taps == 7
    page.get_by_role("link", name="The same as a page").click()
    expect(page.get_by_text("No hand yet.")).to_be_visible()
    context.close()


def test_an_empty_book_is_a_night_by_keyboard_alone(browser: Browser, empty: str) -> None:
    context = context_of(browser, SIZES[0], "dark")
    page = context.new_page()
    complaints = Complaints(page)
    hands = Hands(page)
    page.goto(empty)
    hands.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to the page")).to_be_in_viewport()
    hands.press("Enter")
    hands.go_to("textarea", "Names")
    hands.write(NAMES)
    hands.go_to("button", "Add players")
    hands.enter()
    expect(page.get_by_text("4 members added.")).to_be_visible()
    hands.go_to("a", "Choose the game")
    hands.enter()
    hands.go_to("a", "Pool Nap (Foster)")
    hands.enter()
    hands.go_to("summary", "Chips for money")
    hands.press("Enter")
    hands.go_to("input", "Currency")
    hands.write("GBP")
    hands.go_to("input", "A chip is worth")
    hands.write("0.05")
    hands.go_to("button", "Open the table")
    hands.enter()
    expect(page.get_by_text("The table is open.")).to_be_visible()
    hands.go_to("a", "Start a night at Pool Nap")
    hands.enter()
    hands.go_to("select", "Deals first")
    hands.press("ArrowDown")
    hands.go_to("button", "Start the night")
    hands.enter()
    expect(page).to_have_url(re.compile("/table$"))
    page.goto(page.url.removesuffix("/table"))
    expect(page.get_by_role("row", name=re.compile("Bob"))).to_contain_text("deals")
    # Nobody has signed in here, so that the table's script is not let in.
    assert not [said for said in complaints.said if "401" not in said]
    context.close()


def test_what_lies_under_more_opens_by_keyboard(browser: Browser, demo: str) -> None:
    context = context_of(browser, SIZES[2], "light")
    page = context.new_page()
    hands = Hands(page)
    page.goto(demo)
    hands.go_to("summary", "More")
    hands.press("Enter")
    hands.go_to("a", "Settings")
    hands.enter()
    expect(page.get_by_role("heading", name="Settings", level=1)).to_be_visible()
    context.close()


def test_two_taps_on_paid_pay_once(browser: Browser, played: str) -> None:
    context = context_of(browser, SIZES[0], "light")
    page = context.new_page()
    page.goto(f"{played}/nights/peep-2026-11-05/settlement")
    page.get_by_role("button", name="Paid: Callum to Tariq").dblclick()
    expect(page.get_by_text("The payment is booked: Callum paid Tariq")).to_be_visible()
    page.goto(f"{played}/nights/peep-2026-11-05/settlement")
    expect(page.get_by_role("button", name="Paid: Callum to Tariq")).to_have_count(0)
    expect(page.get_by_text("Reverse it")).to_have_count(1)
    context.close()


def test_a_house_rule_is_tried_and_booked(browser: Browser, played: str) -> None:
    context = context_of(browser, SIZES[1], "light")
    page = context.new_page()
    page.goto(f"{played}/tables/pool/rules")
    page.get_by_label("Opening stake").fill("3")
    page.get_by_role("button", name="Show what changes").click()
    expect(page.get_by_role("heading", name="What that would change")).to_be_visible()
    expect(page.get_by_text("comes out otherwise").first).to_be_visible()
    page.get_by_role("button", name="Play by these rules").click()
    expect(page.get_by_text("Changed, from the next night on.")).to_be_visible()
    context.close()


def test_what_was_refused_says_so_where_it_was_filled_in(browser: Browser, played: str) -> None:
    context = context_of(browser, SIZES[2], "light")
    page = context.new_page()
    page.goto(f"{played}/members")
    page.get_by_label("Names").fill("Fay\n" + "x" * 61)
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_label("Names")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Names")).to_have_value("Fay\n" + "x" * 61)
    expect(page.get_by_label("Names")).to_have_accessible_description(re.compile("longer than 60 characters"))
    context.close()
