"""The sheets over the table in Chromium: each books what it says, and what is refused is shown and loses nothing."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Locator, Page, expect

from ledger import people
from ledger.cli import main
from ledger.people import By
from tests.browser.kit import SIZES, THEMES, Complaints, overflow_of, violations_of
from tests.browser.room import LONG, Room, room_of_the_demo
from tests.browser.states import resized

OPEN: Final = "peep-2026-11-26"
CLOSED: Final = "peep-2026-11-05"
PEPPER: Final = "pepper-2026-09-16"
TABLET: Final = SIZES[0]
PIN: Final = "4071"
HANDS: Final = re.compile(r"^Hands\b")
"""The button; it says how many are disputed, too."""

SLOWLY: Final = 30_000
"""A PIN is hashed so that guessing is slow: on a busy machine it takes seconds."""
CLI: Final = By(actor="cli")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with room_of_the_demo(tmp_path / "room.db") as found:
        yield found


@pytest.fixture(scope="module")
def quiet_room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    with quiet(tmp_path_factory.mktemp("sheets") / "room.db") as found:
        yield found


@contextmanager
def quiet(path: Path) -> Iterator[Room]:
    """Give a room in which nothing is booked, its hand finished, with a treasurer who has a PIN, and a night of ten."""
    with room_of_the_demo(path) as found:
        end_the_hand(found)
        found.ten_sit_down()
        treasurer_of(found)
        yield found


def end_the_hand(room: Room) -> None:
    """Ines makes her Three, which was bid before the test."""
    room.send("RecordHand", OPEN, hand=7, bidder="ines", bid="three", made=True, peeks=["maeve"])


def treasurer_of(room: Room) -> str:
    """Let somebody be the club's treasurer, with a PIN; return who."""
    door = room.state.door
    user, secret = people.add_user(door, room.club, "Ottilie", "treasurer", CLI)
    came = people.use_link(door, secret, CLI, password="staple in the corner", club_name="x")
    people.set_pin(door, came.session, PIN, "staple in the corner", CLI)
    return user.id


def table(room: Room, browser: Browser, night: str = OPEN, *, role: str = "scorekeeper", **options: Any) -> Page:
    """Return the page of a table, on a device of a role."""
    size, theme = options.pop("size", TABLET), options.pop("theme", "light")
    page = room.window(browser, size, theme, role, **options).new_page()
    page.goto(f"{room.address}/nights/{night}/table")
    expect(page.locator(".bar")).to_be_visible(timeout=SLOWLY)
    return page


def offline(page: Page) -> None:
    """Take the network from a tablet that has seen everything there is."""
    button(page, "Menu").click()
    expect(page.locator("dialog.sheet")).to_be_visible()
    page.keyboard.press("Escape")
    page.context.set_offline(True)


def sheet(page: Page, way: str) -> Locator:
    """Open a sheet by the menu; return it."""
    page.get_by_role("button", name="Menu", exact=True).click()
    page.locator(".way").filter(has=page.get_by_text(way, exact=True)).click()
    shown = page.locator("dialog.sheet")
    expect(shown).to_have_count(1)
    return shown


def button(where: Locator | Page, name: str | re.Pattern[str]) -> Locator:
    return where.get_by_role("button", name=name, exact=isinstance(name, str))


def enter_pin(page: Page, pin: str = PIN) -> None:
    page.locator("dialog").last.get_by_label("PIN", exact=True).fill(pin)
    page.wait_for_timeout(310)  # the second of two quick taps in one place would be the same tap
    button(page, "Allow it").click()
    if pin == PIN:
        expect(page.get_by_role("heading", name="Who allows it?")).to_have_count(0, timeout=SLOWLY)


def state(room: Room, night: str = OPEN) -> dict[str, Any]:
    found: dict[str, Any] = room.ask(f"/nights/{night}")
    return found


def player(room: Room, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in state(room)["players"] if one["name"] == name)
    return found


def told(room: Room, kind: str) -> dict[str, Any]:
    """Return the newest event of a kind."""
    events = room.ask("/events?after=0&limit=1000")["events"]
    found: dict[str, Any] = next(event for event in reversed(events) if event["type"] == kind)
    return found


def recorded(room: Room, hand: int, night: str = OPEN) -> dict[str, Any]:
    """Return a hand as soon as the book has it: what was tapped may be on its way."""
    for _try in range(100):
        if state(room, night)["hand"]["number"] > hand:
            break
        time.sleep(0.05)
    found: dict[str, Any] = room.ask(f"/nights/{night}/hands/{hand}")
    return found


# Quick entry, and hands


def test_hands_are_entered_at_once_in_four_taps_each_once_that_is_chosen(room: Room, browser: Browser) -> None:
    end_the_hand(room)
    page = table(room, browser)
    complaints = Complaints(page)
    button(page, "Quick entry").click()
    form = page.locator(".handform")
    form.get_by_role("group", name="Who bid?").get_by_role("button", name="Rosa").click()
    button(form, "Nap").click()
    form.get_by_role("group", name="Who peeked?").get_by_role("button", name="Callum").click()
    button(form, "Failed").click()
    button(page, "Book hand 8").click()
    expect(page.locator(".bar-hand")).to_have_text("Hand 9")
    form.get_by_role("group", name="Who bid?").get_by_role("button", name="Tariq").click()
    button(form, "Two").click()
    button(page, "Follow the bidding").click()
    button(page, "Stay").click()  # what is chosen is not thrown away by a tap beside it
    button(form, "Made").click()
    button(page, "Book hand 9").click()
    expect(page.locator(".bar-hand")).to_have_text("Hand 10")
    button(page, "Follow the bidding").click()
    expect(page.get_by_role("region", name="The bidding")).to_be_visible()
    row = recorded(room, 8)
    facts = {key: row["facts"][key] for key in ("bidder", "bid", "made", "peeks")}
    assert facts == {"bidder": "rosa", "bid": "nap", "made": False, "peeks": ["callum"]}
    assert not complaints.said
    page.context.close()


def test_made_and_failed_stand_far_apart(quiet_room: Room, browser: Browser) -> None:
    page = table(quiet_room, browser)
    button(page, "Quick entry").click()
    form = page.locator(".handform")
    form.get_by_role("group", name="Who bid?").get_by_role("button", name="Rosa").click()
    button(form, "Nap").click()
    for size in SIZES:
        resized(page, size)
        made, failed = (button(form, name).bounding_box() for name in ("Made", "Failed"))
        assert made is not None
        assert failed is not None
        assert failed["x"] - made["x"] - made["width"] >= 64
    page.context.close()


def test_a_correction_books_what_it_showed(room: Room, browser: Browser) -> None:
    end_the_hand(room)
    before = {one["name"]: one["balance"] for one in state(room)["players"]}
    page = table(room, browser)
    complaints = Complaints(page)
    button(page, HANDS).click()
    page.locator(".hand").nth(1).click()  # hand 6
    button(page, "Correct").click()
    shown = page.locator("dialog.sheet")
    expect(button(shown, "Show what changes")).to_be_disabled()
    shown.get_by_label("Why is it corrected?").fill("It was Nap, and it was made.")
    button(shown, "Nap").click()
    button(shown, "Made").click()
    button(shown, "Show what changes").click()
    expect(shown).to_contain_text("Hand 6: what changes")
    promised = {}
    for row in shown.locator(".old-new tbody tr").all():
        name, turn, _change = (text.replace("\u2212", "-") for text in row.locator("th, td").all_inner_texts())
        was, will = turn.split(" → ")
        if name != "Pool":
            assert int(was) == before[name]
            promised[name] = int(will)
    assert promised != before
    button(shown, "Book it").click()
    expect(shown.locator(".said")).to_have_text("Hand 6 is corrected.")
    assert {one["name"]: one["balance"] for one in state(room)["players"]} == promised
    told_there = shown.locator(".story")
    expect(told_there).to_contain_text("It was Nap, and it was made.")
    told_there.get_by_text("What stood there before").click()
    expect(told_there.locator("details dd").first).to_have_text("Tariq: Three")
    assert not complaints.said
    page.context.close()


def test_a_sheet_goes_on_where_it_was_left_when_the_page_is_loaded_again(room: Room, browser: Browser) -> None:
    end_the_hand(room)
    page = table(room, browser)
    button(page, HANDS).click()
    page.locator(".hand").nth(1).click()  # hand 6
    button(page, "Correct").click()
    shown = page.locator("dialog.sheet")
    button(shown, "Misheard").click()
    button(shown, "Nap").click()
    page.reload()
    button(page, HANDS).click()
    page.locator(".hand").nth(1).click()
    button(page, "Correct").click()
    expect(shown).to_contain_text("It goes on where it was left.")
    expect(shown.get_by_label("Why is it corrected?")).to_have_value("Misheard")
    expect(button(shown, "Nap")).to_have_attribute("aria-pressed", "true")
    button(shown, "Begin anew").click()
    expect(button(shown, "Nap")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Escape")
    counted = sheet(page, "Count")
    counted.get_by_label("Rosa").fill("12")
    page.reload()
    counted = sheet(page, "Count")
    expect(counted.get_by_label("Rosa")).to_have_value("12")
    button(counted, re.compile("^The book stays")).click()
    button(counted, "Book this count").click()
    expect(counted.locator(".said")).to_contain_text("The count is booked")
    page.reload()
    expect(sheet(page, "Count").get_by_label("Rosa")).to_have_value("")  # what is booked is done with
    page.context.close()


def test_what_was_recorded_meanwhile_is_shown_before_a_correction_is_booked(room: Room, browser: Browser) -> None:
    end_the_hand(room)
    page = table(room, browser)
    button(page, HANDS).click()
    page.locator(".hand").nth(0).click()
    button(page, "Take out").click()
    shown = page.locator("dialog.sheet")
    shown.get_by_label("Why?").fill("Dealt from the other pack.")
    button(shown, "Show what changes").click()
    expect(shown.locator(".old-new")).to_be_visible()
    room.send("RecordHand", OPEN, hand=8, bidder="rosa", bid="one", made=True)
    button(shown, "Book it").click()
    expect(shown).to_contain_text("Somebody recorded something meanwhile.")
    assert room.ask(f"/nights/{OPEN}/hands/7")["status"] == "settled"
    page.wait_for_timeout(310)  # what came anew is not booked by a doubled tap
    button(shown, "Book it").click()
    expect(shown.locator(".said")).to_have_text("Hand 7 is taken out.")
    assert room.ask(f"/nights/{OPEN}/hands/7")["status"] == "void"
    page.context.close()


def test_an_older_hand_is_corrected_by_the_treasurers_pin(room: Room, browser: Browser) -> None:
    user = treasurer_of(room)
    page = table(room, browser)
    button(page, HANDS).click()
    page.locator(".hand").nth(5).click()  # hand 2
    expect(button(page, re.compile("Correct"))).to_contain_text("asks for a PIN")
    button(page, re.compile("^Correct")).click()
    shown = page.locator("dialog.sheet").first
    shown.get_by_label("Why is it corrected?").fill("She made it.")
    button(shown, "Made").click()
    button(shown, "Show what changes").click()
    enter_pin(page, "8888")
    expect(page.locator("dialog").last).to_contain_text("That is not \u2068Ottilie\u2069’s PIN.", timeout=SLOWLY)
    enter_pin(page)
    button(page, "Book it").click()
    expect(page.locator(".said").first).to_have_text("Hand 2 is corrected.")
    event = told(room, "HandCorrected")
    assert (event["actor"], event["device"]) == (f"user:{user}", "the scorekeeper's")
    page.context.close()


def test_a_hand_of_a_closed_night_is_corrected_on_accounts(room: Room, browser: Browser) -> None:
    user = treasurer_of(room)
    before = state(room, CLOSED)
    page = table(room, browser, CLOSED)
    button(page, HANDS).click()
    expect(page.locator(".hand")).to_have_count(state(room, CLOSED)["hands_played"])
    page.locator(".hand").last.click()
    button(page, re.compile("^Correct")).click()
    shown = page.locator("dialog.sheet").first
    expect(shown).to_contain_text("The night is closed: it stays as it was.")
    shown.get_by_label("Why is it corrected?").fill("He had made it.")
    result = "Failed" if room.ask(f"/nights/{CLOSED}/hands/1")["result"] == "made" else "Made"
    button(shown, result).click()
    button(shown, "Show what changes").click()
    enter_pin(page)
    expect(shown).to_contain_text("What goes to accounts")
    button(page, "Book it").click()
    expect(page.locator(".said").first).to_have_text("Hand 1 is corrected.")
    event = told(room, "ClosedHandCorrected")
    assert (event["actor"], event["data"]["night"], event["data"]["hand"]) == (f"user:{user}", CLOSED, 1)
    after = state(room, CLOSED)
    assert (after["receipt"], after["players"]) == (before["receipt"], before["players"])
    page.context.close()


def test_a_hand_that_a_correction_made_impossible_is_looked_at_and_stands(room: Room, browser: Browser) -> None:
    """In a pepper round eldest must bid; without the first hand the second is in it, and was passed out."""
    four = ["maeve", "rosa", "callum", "zoe"]
    rules = {"pepper_round": 1}
    room.do("OpenNight", table="pepper", night="now", players=four, dealer="zoe", house_rules=rules)
    room.send("RecordHand", "now", hand=1, bidder="maeve", bid="one", tricks=3)
    room.send("RecordHand", "now", hand=2, passed_out=True)
    room.send("VoidHand", "now", hand=1, reason="Dealt from the other pack.")
    assert state(room, "now")["needs_review"] == [2]
    page = table(room, browser, "now")
    button(page, HANDS).click()
    expect(page.locator(".hand").first).to_contain_text("look at this")
    page.locator(".hand").first.click()
    button(page, "It stands as it was recorded").click()
    expect(page.locator(".said")).to_have_text("Hand 2 stands as it was recorded.")
    assert state(room, "now")["needs_review"] == []
    page.context.close()


def test_who_guesses_a_pin_is_told_to_wait(room: Room, browser: Browser) -> None:
    treasurer_of(room)
    end_the_hand(room)
    page = table(room, browser)
    shown = sheet(page, "Chips")
    button(shown, re.compile("Gives chips back")).click()
    shown.get_by_role("group", name="Who?").get_by_role("button", name="Rosa").click()
    shown.get_by_label("Or another number").fill("3")
    button(shown, "Book it").click()
    for _try in range(4):
        enter_pin(page, "8888")
        expect(page.locator("dialog").last.get_by_label("PIN", exact=True)).to_have_value("", timeout=SLOWLY)
    expect(page.locator("dialog").last).to_contain_text(re.compile(r"Tried too often. Wait \d+ seconds."))
    page.keyboard.press("Escape")
    expect(shown.get_by_label("Or another number")).to_have_value("3")  # nothing is lost by it
    page.context.close()


def test_a_dispute_is_resolved_and_a_note_is_written(room: Room, browser: Browser) -> None:
    end_the_hand(room)
    page = table(room, browser)
    button(page, HANDS).click()
    page.locator(".hand").nth(1).click()
    button(page, "Resolve or add a note").click()
    page.get_by_label("In words").fill("It was Three after all.")
    button(page, "Resolved").click()
    expect(page.locator(".said")).to_have_text("The dispute is resolved.")
    assert state(room)["disputed"] == []
    button(page, "Dispute or add a note").click()
    page.get_by_label("In words").fill("Tariq paid at once.")
    button(page, "A note only").click()
    expect(page.locator(".story")).to_contain_text("Tariq paid at once.")
    page.context.close()


# Around the hands


def test_a_guest_sits_down_at_a_chosen_seat_in_two_taps(room: Room, browser: Browser) -> None:
    end_the_hand(room)
    page = table(room, browser)
    shown = sheet(page, "Seats")
    button(shown, "Somebody sits down").click()
    button(shown, re.compile("^2")).click()
    shown.get_by_label("A guest, by name").fill("Åse of the Marshes")
    button(shown, "Seat the guest").click()
    expect(shown.locator(".chair-name").nth(1)).to_contain_text("Åse of the Marshes")
    expect(shown.locator(".said")).to_contain_text("sits down")
    seated = sorted((one["seat"], one["name"]) for one in state(room)["players"] if one["seated"])
    assert seated[1] == (2, "Åse of the Marshes")
    page.context.close()


def test_seats_are_moved_by_arrows_and_by_dragging(room: Room, browser: Browser) -> None:
    end_the_hand(room)
    page = table(room, browser)
    shown = sheet(page, "Seats")
    button(shown, re.compile("Maeve.* one seat down")).click()
    rosa, top = shown.locator(".chair", has_text="Rosa").locator(".handle"), shown.locator(".chair").first
    rosa.hover()
    page.mouse.down()
    box = top.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + 20, steps=12)
    page.mouse.up()
    expect(shown.locator(".chair-name").first).to_contain_text("Rosa")
    button(shown, "Keep this order").click()
    expect(shown.locator(".said")).to_have_text("The seats are changed.")
    order = [one["name"] for one in sorted(state(room)["players"], key=lambda one: one["seat"])]
    assert order == ["Rosa", "Callum", "Maeve", "Ines", "Tariq"]
    page.context.close()


def test_somebody_leaves_and_the_deal_is_given_to_another(room: Room, browser: Browser) -> None:
    end_the_hand(room)
    page = table(room, browser)
    shown = sheet(page, "Seats")
    button(shown.locator(".chair", has_text="Tariq"), "Deals next").click()
    expect(shown.locator(".chair", has_text="Tariq")).to_contain_text("dealer")
    button(shown.locator(".chair", has_text="Ines"), "Leaves").click()
    button(shown, "Leaves the table").click()
    expect(shown.locator(".chair")).to_have_count(4)
    expect(shown.locator(".said")).to_contain_text("has left the table")
    assert state(room)["dealer"] == "tariq"
    assert player(room, "Ines")["seated"] is False
    page.context.close()


def test_chips_are_bought_with_the_money_worked_out_and_handed_on(room: Room, browser: Browser) -> None:
    page = table(room, browser)
    shown = sheet(page, "Chips")
    shown.get_by_role("group", name="Who?").get_by_role("button", name="Rosa").click()
    button(shown, "50").click()
    button(shown, re.compile("Paid now")).click()
    expect(button(shown, re.compile("Paid now"))).to_contain_text("£5.00")
    button(shown, "Book it").click()
    expect(shown.locator(".said")).to_contain_text("buys 50 chips, £5.00 paid now.")
    rosa = player(room, "Rosa")
    assert (rosa["bought"], rosa["paid_in"]) == (50, 500)
    button(shown, "Hands over").click()
    shown.get_by_role("group", name="To whom?").get_by_role("button", name="Ines").click()
    shown.get_by_label("Or another number").fill("12")
    button(shown, "On the slate").click()
    button(shown, "Book it").click()
    expect(shown.locator(".said")).to_contain_text("12 chips, on the slate.")
    assert player(room, "Ines")["bought"] == 12
    page.context.close()


def test_a_cash_out_is_the_treasurers_act_on_the_tablet(room: Room, browser: Browser) -> None:
    user = treasurer_of(room)
    page = table(room, browser)
    shown = sheet(page, "Chips")
    button(shown, re.compile("Gives chips back")).click()
    shown.get_by_role("group", name="Who?").get_by_role("button", name="Rosa").click()
    shown.get_by_label("Or another number").fill("30")
    button(shown, "Another sum").click()
    shown.get_by_label("How much (GBP)?").fill("2,50")
    button(shown, "Book it").click()
    enter_pin(page)
    expect(shown.first.locator(".said").first).to_contain_text("£2.50 paid now.")
    event = told(room, "ChipsSold")
    assert (event["actor"], event["device"]) == (f"user:{user}", "the scorekeeper's")
    assert player(room, "Rosa")["paid_out"] == 250
    page.context.close()


def test_the_gap_is_shown_while_chips_are_counted(room: Room, browser: Browser) -> None:
    page = table(room, browser)
    shown = sheet(page, "Count")
    expect(button(shown, "Book this count")).to_be_disabled()
    expect(shown).to_contain_text("A hand is in progress.")
    end_the_hand(room)
    has = {one["name"]: one["stack"] for one in state(room)["players"]}
    pool = state(room)["pool"]["chips"]
    shown.get_by_label("Rosa").fill(str(has["Rosa"] - 3))
    expect(shown.locator(".counted", has_text="Rosa")).to_contain_text("3 missing")
    shown.get_by_label("The pool").fill(str(pool))
    expect(shown.locator(".counted", has_text="The pool")).to_contain_text("agrees")
    button(shown, re.compile("The book follows the count")).click()
    button(shown, "Book this count").click()
    expect(shown.locator(".said")).to_have_text("The count is booked, with its gap.")
    assert player(room, "Rosa")["stack"] == has["Rosa"] - 3
    page.context.close()


def test_rules_change_from_the_next_hand_by_the_treasurers_pin(room: Room, browser: Browser) -> None:
    user = treasurer_of(room)
    page = table(room, browser)
    complaints = Complaints(page)
    shown = sheet(page, "Rules")
    expect(shown.locator("table")).to_contain_text("Nap")
    expect(shown).to_contain_text("Nothing is changed yet.")
    shown.get_by_text("The bids", exact=True).click()
    nap = shown.get_by_role("group", name="Nap", exact=True)
    nap.get_by_label("Failed: pays each").fill("10")
    row = shown.locator("tbody tr", has=page.get_by_role("rowheader", name="Nap", exact=True))
    expect(row.locator("ins")).to_have_text("10")
    expect(row.locator("del")).to_have_text("5")
    shown.get_by_label("The stake").fill("2")
    expect(row.locator("ins").first).to_have_text("20")
    button(shown, re.compile("Play by these")).click()
    enter_pin(page)
    expect(shown.first.locator(".said").first).to_have_text("From the next hand on, these rules hold.")
    rules = state(room)["rulebook"]
    assert (rules["house_rules"], rules["stake"]) == ({"bids.nap.pays": 10}, 2)
    assert told(room, "RulesChanged")["actor"] == f"user:{user}"
    assert [said for said in complaints.said if "403" not in said] == []  # the PIN was asked for because of that one
    page.context.close()


def test_a_rule_out_of_range_is_said_at_its_field(quiet_room: Room, browser: Browser) -> None:
    page = table(quiet_room, browser)
    shown = sheet(page, "Rules")
    shown.get_by_text("The bids", exact=True).click()
    nap = shown.get_by_role("group", name="Nap", exact=True)
    nap.get_by_label("Failed: pays each").fill("many")
    expect(nap.locator(".error")).to_be_visible()
    expect(button(shown, re.compile("Play by these"))).to_be_disabled()
    page.context.close()


def test_a_night_is_closed_with_its_receipt_and_opened_again(room: Room, browser: Browser) -> None:
    user = treasurer_of(room)
    page = table(room, browser)
    shown = sheet(page, "Close the night")
    expect(shown).to_contain_text("Hand 7 is in progress.")
    expect(shown).to_contain_text("Ines\u2069 has bid Three.")
    end_the_hand(room)
    button(shown, "It is shared equally").click()
    rows = shown.locator(".old-new tbody tr")
    expect(rows).to_have_count(5)
    expect(shown).to_contain_text("Pool for the next night: 0")
    chips = {row.locator("th").inner_text(): row.locator("td").first.inner_text() for row in rows.all()}
    button(shown, "Close the night").click()
    expect(shown.locator(".receipt-code")).to_be_visible()
    found = state(room)
    assert (found["state"], found["pool"]["chips"]) == ("closed", 0)
    assert shown.locator(".receipt-code").inner_text().replace(" ", "") == found["receipt"]
    assert {one["name"]: f"{one['balance']:+d}" for one in found["players"]} == {
        name: text.replace("\u2212", "-") for name, text in chips.items()
    }
    button(shown, re.compile("Open it again")).click()
    shown.get_by_label("Why is it opened again?").fill("One hand more.")
    button(shown, "Open it again").click()
    enter_pin(page)
    expect(page.locator(".bar-hand")).to_have_text("Hand 8")
    assert told(room, "NightReopened")["actor"] == f"user:{user}"
    page.context.close()


# Only on this device


def test_what_waits_is_listed_and_saved_as_a_file_that_apply_reads(
    room: Room, browser: Browser, tmp_path: Path
) -> None:
    end_the_hand(room)
    page = table(room, browser)
    offline(page)
    button(page, "Quick entry").click()
    form = page.locator(".handform")
    form.get_by_role("group", name="Who bid?").get_by_role("button", name="Tariq").click()
    button(form, "Two").click()
    button(form, "Made").click()
    button(page, "Book hand 8").click()
    shown = sheet(page, "Unsent")
    expect(shown.locator(".kept")).to_contain_text("Tariq: Two, made")
    with page.expect_download() as saving:
        button(shown, "Save as a file").click()
    file = tmp_path / "saved.jsonl"
    saving.value.save_as(file)
    (line,) = file.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["night"] == OPEN
    page.keyboard.press("Escape")
    button(page, HANDS).click()
    expect(page.locator(".hand").first).to_contain_text("on this device only")
    page.keyboard.press("Escape")
    room.stop()
    done = CliRunner().invoke(main, ["--db", str(room.path), "apply", str(file)])
    room.start()
    assert done.exit_code == 0, done.output
    page.context.set_offline(False)
    shown = sheet(page, "Unsent")
    expect(shown).to_contain_text("the club has everything that was tapped here", timeout=15_000)  # by the same id
    assert state(room)["hand"]["number"] == 9
    page.context.close()


def test_a_refused_hand_is_mended_in_the_form_or_thrown_away(room: Room, browser: Browser) -> None:
    end_the_hand(room)
    page = table(room, browser)
    offline(page)
    button(page, "Quick entry").click()
    form = page.locator(".handform")
    form.get_by_role("group", name="Who bid?").get_by_role("button", name="Tariq").click()
    button(form, "Two").click()
    button(form, "Made").click()
    button(page, "Book hand 8").click()
    room.send("UnseatPlayer", OPEN, player="tariq")
    room.send("RecordHand", OPEN, hand=8, bidder="rosa", bid="one", made=True)
    page.context.set_offline(False)
    expect(page.locator(".light")).to_contain_text("1 was not taken", timeout=15_000)
    shown = sheet(page, "Unsent")
    expect(shown.locator(".error")).to_be_visible()
    button(shown, "Mend it").click()
    shown.get_by_role("switch", name=re.compile("send it as hand 9")).click()
    shown.get_by_role("group", name="Who bid?").get_by_role("button", name="Ines").click()
    button(shown, "Send it as hand 9").click()
    expect(page.locator(".bar-hand")).to_have_text("Hand 10")
    row = recorded(room, 9)
    assert (row["bidder"], row["bid"], row["result"]) == ("ines", "two", "made")
    expect(shown).to_contain_text("the club has everything")
    page.context.close()


def test_money_waits_for_the_network_and_says_so(quiet_room: Room, browser: Browser) -> None:
    page = table(quiet_room, browser)
    offline(page)
    expect(page.locator(".light")).not_to_have_text("live", timeout=30_000)
    button(page, "Menu").click()
    for way in ("Chips", "Count", "Rules", "Close the night"):
        found = page.locator(".way").filter(has=page.get_by_text(way, exact=True))
        expect(found).to_be_disabled()
        expect(found).to_contain_text("Waits for the network.")
    for way in ("Hands", "Seats", "Note", "Unsent"):
        expect(page.locator(".way").filter(has=page.get_by_text(way, exact=True))).to_be_enabled()
    page.context.close()


# How it looks and is worked


def test_a_sheet_is_worked_by_keyboard_and_gives_the_focus_back(quiet_room: Room, browser: Browser) -> None:
    page = table(quiet_room, browser)
    way = button(page, "Menu")
    way.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Menu")).to_be_focused()
    for _step in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").startswith("Seats"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Seats")).to_be_focused()
    pool = page.locator(".bar-pool").bounding_box()
    top = page.locator("dialog.sheet").bounding_box()
    assert pool is not None
    assert top is not None
    assert pool["y"] + pool["height"] <= top["y"]  # the pool stays in sight
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(way).to_be_focused()
    page.context.close()


def small_of(page: Page) -> list[str]:
    """Return what can be tapped in the sheet and is smaller than 64 pixels, or nearer than 12 to its neighbour."""
    return page.evaluate(  # type: ignore[no-any-return]  # a list of texts
        """() => {
          const within = (one) => one.closest(".sheet-foot, .sheet-head");
          const name = ({ one }) => `${one.tagName}.${one.className} “${(one.textContent || one.id).trim()}”`;
          const top = [...document.querySelectorAll("dialog.sheet")].at(-1);
          const all = ["button", "a", "input", "select", "summary"]
            .flatMap((kind) => [...top.querySelectorAll(kind)])
            .filter((one) => one.checkVisibility() && one.tabIndex >= 0)
            .map((one) => ({ one, box: one.getBoundingClientRect() }));
          const found = all.filter(({ box }) => box.height < 63.5 || box.width < 63.5)
            .map((told) => `${name(told)} ${Math.round(told.box.width)}×${Math.round(told.box.height)}`);
          for (const [at, first] of all.entries()) for (const other of all.slice(at + 1)) {
            if (within(first.one) !== within(other.one)) continue; // what scrolls goes by below the foot
            const x = Math.max(first.box.left, other.box.left) - Math.min(first.box.right, other.box.right);
            const y = Math.max(first.box.top, other.box.top) - Math.min(first.box.bottom, other.box.bottom);
            if (Math.max(x, y) < 11.5) found.push(`${name(first)} and ${name(other)}: ${Math.round(Math.max(x, y))}`);
          }
          return found;
        }"""
    )


def sticking_out(page: Page) -> list[str]:
    """Return what is wider than the sheet that it is in; what scrolls by itself may be."""
    return page.evaluate(  # type: ignore[no-any-return]  # as above
        """() => [...document.querySelectorAll("dialog.sheet")].flatMap((sheet) => {
          const { left, right } = sheet.getBoundingClientRect();
          return [...sheet.querySelectorAll("*")].filter((one) => {
            const box = one.getBoundingClientRect();
            const out = box.right > right + 1 || box.left < left - 1;
            return out && one.checkVisibility() && !one.closest(".table, .said.silent, .hidden-words");
          }).map((one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 30)}`);
        })"""
    )


def wrong_in_sheets(page: Page) -> list[str]:
    """Return what axe finds wrong in the sheets; the table below them has tests of its own."""
    return violations_of(page, "dialog.sheet")


def one_hand(page: Page) -> None:
    button(page, HANDS).click()
    page.locator(".hand").nth(1).click()


def correcting(page: Page) -> None:
    one_hand(page)
    button(page, re.compile("^Correct")).click()
    while (closed := page.locator("dialog details:not([open]) > summary")).count():
        closed.first.click()
    button(page, "Revoke").click()


def consequences(page: Page) -> None:
    button(page, HANDS).click()
    page.locator(".hand").nth(0).click()
    button(page, re.compile("^Take out")).click()
    page.get_by_label("Why?").fill("Dealt from the other pack.")
    button(page, "Show what changes").click()
    expect(page.locator(".old-new")).to_be_visible()


def preview(page: Page) -> None:
    one_hand(page)
    button(page, re.compile("^Correct")).click()
    page.get_by_label("Why is it corrected?").fill("It was Nap, and it was made.")
    shown = page.locator("dialog.sheet").last
    button(shown, "Nap").click()
    button(shown, "Made").click()
    button(page, "Show what changes").click()
    expect(page.locator(".old-new")).to_be_visible()


def asking_for_a_pin(page: Page) -> None:
    shown = sheet(page, "Chips")
    button(shown, re.compile("Gives chips back")).click()
    shown.get_by_role("group", name="Who?").get_by_role("button").first.click()
    shown.get_by_label("Or another number").fill("1")
    button(shown, "Book it").click()
    expect(page.get_by_label("PIN", exact=True)).to_be_visible()


def handing_over(page: Page) -> None:
    shown = sheet(page, "Chips")
    button(shown, "Hands over").click()
    shown.get_by_role("group", name="From whom?").get_by_role("button").first.click()
    button(shown, "Another sum").click()


def sitting_down(page: Page) -> None:
    button(sheet(page, "Seats"), "Somebody sits down").click()


def counting(page: Page) -> None:
    sheet(page, "Count").get_by_label("The pool").fill("1000")


def changing_rules(page: Page) -> None:
    shown = sheet(page, "Rules")
    expect(shown.locator("table")).to_be_visible()
    shown.get_by_label("The stake").fill("3")
    shown.get_by_text("The pool", exact=True).click()
    expect(shown.locator("ins").first).to_be_visible()


def closing(page: Page) -> None:
    shown = sheet(page, "Close the night")
    expect(shown.locator(".old-new")).to_be_visible()


LOOKS: Final[dict[str, Callable[[Page], object]]] = {
    "menu": lambda page: button(page, "Menu").click(),
    "hands": lambda page: button(page, HANDS).click(),
    "one hand": one_hand,
    "correct": correcting,
    "preview": preview,
    "consequences": consequences,
    "pin": asking_for_a_pin,
    "seat": lambda page: page.locator(".felt button.seat").nth(1).click(),
    "pool": lambda page: page.locator("button.pool").click(),
    "seats": lambda page: sheet(page, "Seats"),
    "sitting down": sitting_down,
    "chips": handing_over,
    "count": counting,
    "rules": changing_rules,
    "close": closing,
    "notes": lambda page: sheet(page, "Note"),
    "unsent": lambda page: sheet(page, "Unsent"),
}


def anew(page: Page, size: tuple[int, int]) -> None:
    """Load a table again in a window of another size."""
    resized(page, size)
    page.reload()
    expect(page.locator(".bar")).to_be_visible(timeout=SLOWLY)


def looked_at(page: Page, look: str) -> None:
    """Open a sheet, and wait until it has come to rest."""
    LOOKS[look](page)
    expect(page.locator("dialog.sheet").last).to_be_visible(timeout=SLOWLY)
    page.wait_for_timeout(100)


@pytest.mark.parametrize("look", LOOKS)
def test_every_sheet_is_legible_fits_and_can_be_hit(quiet_room: Room, browser: Browser, look: str) -> None:
    page = table(quiet_room, browser, "high")
    LOOKS[look](page)
    expect(page.locator("dialog.sheet").last).to_be_visible(timeout=SLOWLY)
    found = {}
    for size in SIZES:
        for theme in THEMES:
            resized(page, size, theme)
            page.wait_for_timeout(100)
            wrong = [*wrong_in_sheets(page), *overflow_of(page), *sticking_out(page), *small_of(page)]
            found[f"{size[0]}x{size[1]}, {theme}"] = wrong
    page.context.close()
    assert {place: wrong for place, wrong in found.items() if wrong} == {}


def test_the_receipt_of_a_closed_night_is_large_and_long_names_fit(quiet_room: Room, browser: Browser) -> None:
    page = table(quiet_room, browser, CLOSED, theme="dark")
    for size in SIZES:
        anew(page, size)
        shown = sheet(page, "Receipt")
        code = shown.locator(".receipt-code")
        assert int(code.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)")) >= 28
        assert wrong_in_sheets(page) == []
        assert sticking_out(page) == []
    page.context.close()


def test_at_twice_the_size_everything_can_still_be_reached(quiet_room: Room, browser: Browser) -> None:
    """A browser at 200 % lays a page out in half the pixels."""
    half = (590, 410)
    page = table(quiet_room, browser, "high", size=half)
    for name in LOOKS:
        anew(page, TABLET if name == "pool" else half)  # a list has no middle, where the pool is
        looked_at(page, name)
        resized(page, half)
        page.wait_for_timeout(100)
        assert sticking_out(page) == [], name
        body = page.locator("dialog.sheet").last.locator(".sheet-body").bounding_box()
        assert body is not None
        assert body["height"] >= 96, name
    page.context.close()


def test_pepper_is_entered_by_tricks_surrender_and_suits(room: Room, browser: Browser) -> None:
    room.do("OpenNight", table="pepper", night="now", players=["maeve", "rosa", "callum", "zoe"], dealer="zoe")
    page = table(room, browser, "now")
    button(page, "Quick entry").click()
    form = page.locator(".handform")
    form.get_by_role("group", name="Who bid?").get_by_role("button", name="Maeve").click()
    button(form, "Four").click()
    tricks = form.get_by_role("group", name=re.compile("How many tricks"))
    expect(tricks.get_by_role("button")).to_have_count(7)
    expect(button(tricks, re.compile("^4"))).to_contain_text("made")
    expect(button(tricks, re.compile("^3"))).to_contain_text("failed")
    button(form, "They gave up").click()
    button(form, "Hearts").click()
    button(page, "Book hand 1").click()
    expect(page.locator(".bar-hand")).to_have_text("Hand 2")
    facts = recorded(room, 1, "now")["facts"]
    assert (facts["surrendered"], facts["trumps"]) == (True, "hearts")
    assert state(room, "now")["scores"]["maeve+callum"] == 4
    page.context.close()


def test_a_name_of_sixty_letters_is_whole_where_it_is_read(quiet_room: Room, browser: Browser) -> None:
    page = table(quiet_room, browser, "high")
    shown = sheet(page, "Seats")
    expect(shown.locator("bdi[title]").first).to_have_attribute("title", LONG)
    page.context.close()
