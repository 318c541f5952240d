"""A player's phone in Chromium: who I am, why, I disagree; and how a phone comes to be one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from ledger import people
from tests.browser.kit import SIZES, THEMES, Complaints, overflow_of, small_targets_of, violations_of
from tests.browser.room import Room, room_of_the_demo
from tests.browser.states import resized

OPEN = "peep-2026-11-26"
CLOSED = "peep-2026-11-05"
PEPPER = "pepper-2026-09-16"
PHONE = (360, 740)

WORDS = "I took only four tricks."


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with room_of_the_demo(tmp_path / "room.db") as found:
        yield found


@pytest.fixture(scope="module")
def quiet_room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """A room in which nothing is booked, with a night of ten."""
    with room_of_the_demo(tmp_path_factory.mktemp("phone") / "room.db") as found:
        found.ten_sit_down()
        yield found


def phone(room: Room, browser: Browser, night: str = OPEN, me: str = "Rosa") -> Page:
    page = room.window(browser, PHONE, has_touch=True).new_page()
    page.goto(f"{room.address}/nights/{night}/phone")
    expect(page.locator(".light")).to_have_text("live")
    page.get_by_role("button", name=me, exact=True).click()
    return page


def disputes(room: Room) -> list[dict[str, Any]]:
    found = room.ask("/events?limit=1000")["events"]
    return [one for one in found if one["type"] == "HandDisputed" and one["stream"] == f"night:{OPEN}"]


def open_hand(page: Page, words: str) -> None:
    page.locator(".hand-lines button", has_text=re.compile(words)).click()


def whole(text: str) -> int:
    return int(text.replace("\u2212", "-").replace(",", "").replace("+", ""))


def test_a_player_says_once_who_he_is(room: Room, browser: Browser) -> None:
    page = phone(room, browser)
    expect(page.locator(".mine-figure")).to_have_text("+51")
    page.reload()
    expect(page.locator(".mine h2")).to_have_text("Rosa")
    expect(page.get_by_role("heading", name="Who are you?")).to_have_count(0)
    page.get_by_role("button", name="Not you?").click()
    page.get_by_role("dialog").get_by_role("button", name="I only watch").click()
    expect(page.locator(".mine h2")).to_have_text("You only watch")
    page.context.close()


def test_a_booked_hand_is_on_the_phone_within_two_seconds(room: Room, browser: Browser) -> None:
    page = phone(room, browser, me="Ines")
    room.send("RecordHand", OPEN, hand=7, bidder="ines", bid="three", made=True)
    expect(page.locator(".hand-lines .hand-number").first).to_have_text("7", timeout=2000)
    ines = next(one for one in room.ask(f"/nights/{OPEN}")["players"] if one["id"] == "ines")
    expect(page.locator(".mine-figure")).to_have_text(f"{ines['balance']:+d}".replace("-", "\u2212"))
    page.context.close()


@pytest.mark.parametrize("night", [OPEN, "high", "pool-2026-10-18"])
def test_why_shows_lines_that_sum_to_the_number(quiet_room: Room, browser: Browser, night: str) -> None:
    page = quiet_room.window(browser, PHONE).new_page()
    page.goto(f"{quiet_room.address}/nights/{night}/phone")
    expect(page.locator(".light")).to_have_text("live")
    state = quiet_room.ask(f"/nights/{night}")
    for index, player in enumerate(state["players"]):
        page.locator(".everybody button").nth(index).click()
        assert sums(page) == player["balance"]
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Why is the pool so large?").click()
    assert sums(page) == state["pool"]["chips"]
    page.context.close()


def sums(page: Page) -> int:
    """Return what the sheet says that it comes to, which its lines must."""
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_text(re.compile("Total|Nothing has moved it"))).to_be_visible()
    if sheet.get_by_text("Nothing has moved it").count():
        return 0
    changes = [whole(text) for text in sheet.locator("tbody td:nth-child(3)").all_inner_texts()]
    behind = [whole(text) for text in sheet.locator("tbody td:nth-child(4)").all_inner_texts()]
    total = whole(sheet.locator("tfoot td").inner_text())
    assert sum(changes) == total == behind[0]  # the newest first
    return total


def test_i_disagree_is_recorded_with_who_said_it(room: Room, browser: Browser) -> None:
    page = phone(room, browser)
    complaints = Complaints(page)
    before = len(disputes(room))
    open_hand(page, "Nap.*Rosa")
    page.get_by_label("What was different?").fill(WORDS)
    page.get_by_role("button", name="I disagree").click()
    expect(page.get_by_text("It is recorded that you disagree with this hand.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".hand-lines li", has_text="Nap").filter(has_text="Rosa")).to_contain_text("disputed")
    assert len(disputes(room)) == before + 1
    assert room.ask(f"/nights/{OPEN}")["disputed"] == [5, 6]
    found = room.window(browser, (1180, 820), role="scorekeeper").new_page()
    found.goto(f"{room.address}/nights/{OPEN}/hands/5")
    expect(found.get_by_text("Rosa disagrees.")).to_be_visible()
    expect(found.get_by_text(WORDS, exact=True)).to_be_visible()
    assert not complaints.said
    found.context.close()
    page.context.close()


def test_what_was_resolved_may_be_disagreed_with_again(room: Room, browser: Browser) -> None:
    page = phone(room, browser)
    open_hand(page, "Nap.*Rosa")
    page.get_by_label("What was different?").fill(WORDS)
    page.get_by_role("button", name="I disagree").click()
    expect(page.get_by_text("It is recorded that you disagree with this hand.")).to_be_visible()
    room.send("ResolveDispute", OPEN, hand=5, note="Five, all saw it.")
    expect(page.get_by_text("You disagreed with this hand; that is resolved.")).to_be_visible(timeout=2000)
    expect(page.get_by_role("button", name="I disagree")).to_be_visible()
    page.context.close()


def test_i_disagree_is_recorded_once_though_the_answer_is_lost(room: Room, browser: Browser) -> None:
    page = phone(room, browser)
    before = len(disputes(room))
    sent: list[str] = []

    def lose(route: Route) -> None:
        sent.append(route.request.post_data_json["id"])  # type: ignore[index]  # it is an object
        if len(sent) <= 2:
            route.fetch()  # it arrives, and is answered
            route.abort()
        else:
            route.continue_()

    page.route("**/commands", lose)
    open_hand(page, "Nap.*Rosa")
    page.get_by_label("What was different?").fill(WORDS)
    page.get_by_role("button", name="I disagree").click()
    expect(page.get_by_text("It is recorded that you disagree with this hand.")).to_be_visible(timeout=15_000)
    assert len(sent) >= 3
    assert len(set(sent)) == 1
    assert len(disputes(room)) == before + 1
    page.context.close()


def test_without_a_network_i_disagree_is_kept_though_the_page_is_closed(room: Room, browser: Browser) -> None:
    page = phone(room, browser)
    context = page.context
    before = len(disputes(room))
    open_hand(page, "Nap.*Rosa")
    page.get_by_label("What was different?").fill(WORDS)
    context.set_offline(True)
    expect(page.locator(".light")).to_have_text(re.compile("as of"))
    page.get_by_role("button", name="I disagree").click()
    expect(page.get_by_text("There is no network. It is kept here")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("not sent yet")).to_be_visible()
    page.close()
    assert len(disputes(room)) == before
    context.set_offline(False)
    again = context.new_page()
    again.goto(f"{room.address}/nights/{OPEN}/phone")
    open_hand(again, "Nap.*Rosa")
    expect(again.get_by_text("It is recorded that you disagree with this hand.")).to_be_visible()
    assert len(disputes(room)) == before + 1
    context.close()


def test_over_plain_http_a_phone_disagrees_too(room: Room, browser: Browser) -> None:
    proxy = {"server": f"http://127.0.0.1:{room.port}"}
    page = room.window(browser, PHONE, proxy=proxy).new_page()
    page.goto(f"{room.address_in_the_network}/nights/{OPEN}/phone")
    assert page.evaluate("[isSecureContext, typeof crypto.randomUUID]") == [False, "undefined"]
    before = len(disputes(room))
    page.get_by_role("button", name="Rosa", exact=True).click()
    open_hand(page, "Nap.*Rosa")
    page.get_by_label("What was different?").fill(WORDS)
    page.get_by_role("button", name="I disagree").click()
    expect(page.get_by_text("It is recorded that you disagree with this hand.")).to_be_visible()
    assert len(disputes(room)) == before + 1
    page.context.close()


def test_a_phone_without_a_network_says_how_old_it_is_and_comes_back(room: Room, browser: Browser) -> None:
    page = phone(room, browser)
    page.context.set_offline(True)
    expect(page.get_by_role("alert")).to_contain_text("No contact since")
    page.locator(".mine").get_by_role("button", name="Why?").click()
    expect(page.get_by_text("There is no network just now: this cannot be looked up.")).to_be_visible()
    page.keyboard.press("Escape")
    room.send("RecordHand", OPEN, hand=7, bidder="ines", bid="three", made=True)
    page.context.set_offline(False)
    expect(page.locator(".hand-lines .hand-number").first).to_have_text("7", timeout=6000)
    expect(page.locator(".light")).to_have_text("live")
    page.context.close()


def test_whoever_only_looks_can_do_no_more(room: Room, browser: Browser) -> None:
    page = room.window(browser, PHONE).new_page()
    answered = page.goto(f"{room.address}/nights/{OPEN}/join")
    assert answered is not None
    assert answered.status == 403
    page.goto(f"{room.address}/nights/{OPEN}/phone")
    expect(page.locator(".light")).to_have_text("live")
    said = page.evaluate(
        """async ([club, night]) => {
          const tries = [["Undo", {command: crypto.randomUUID()}], ["Pass", {hand: 7, player: "tariq"}],
            ["ResolveDispute", {hand: 6}], ["AddNote", {note: "x"}], ["CloseNight", {}]];
          const found = [];
          for (const [type, data] of tries) {
            const body = JSON.stringify({id: crypto.randomUUID(), type, data});
            const answer = await fetch(`/api/v1/clubs/${club}/nights/${night}/commands`,
              {method: "POST", headers: {"Content-Type": "application/json"}, body});
            found.push(answer.status);
          }
          return found;
        }""",
        [room.club, OPEN],
    )
    assert said == [403] * 5
    page.context.close()


def test_a_code_makes_one_phone_of_the_club_and_then_none(room: Room, browser: Browser) -> None:
    table = room.window(browser, SIZES[0], role="scorekeeper").new_page()
    table.goto(f"{room.address}/nights/{OPEN}")
    table.get_by_role("link", name="Phone and wall").click()
    for button, screen in (("A player's phone", "phone"), ("Another screen", "wall")):
        table.get_by_role("button", name=button).click()
        assert table.locator("img").evaluate("(one) => one.naturalWidth") > 100
        code = table.locator(".figure").inner_text().replace("-", "")
        address = f"{room.address}/pair?to={screen}#{code}"
        assert f"/pair?to={screen}" in table.locator("bdi.code").inner_text()
        assert violations_of(table) == []
        guest = browser.new_context(viewport={"width": 360, "height": 740}, locale="en-GB").new_page()
        guest.goto(address)
        guest.get_by_role("button", name="Pair").click()
        expect(guest).to_have_url(f"{room.address}/{screen}")
        expect(guest.locator(".light")).to_have_text("live")
        late = browser.new_context(locale="en-GB").new_page()
        late.goto(address)
        late.get_by_role("button", name="Pair").click()
        expect(late).not_to_have_url(f"{room.address}/{screen}")
        expect(late.locator("#f-code-wrong")).to_be_visible()
        guest.context.close()
        late.context.close()
    with room.state.door.people.read() as records:
        joined = [one for one in records.all(people.Device, room.club) if "Peep Nap" in one.name]
    assert [(one.role, one.name) for one in joined] == [
        ("viewer", "Phone, Thursday, Peep Nap"),
        ("viewer", "Wall, Thursday, Peep Nap"),
    ]
    table.context.close()


def test_a_code_leads_to_no_page_but_those_two(room: Room, browser: Browser) -> None:
    page = browser.new_context(locale="en-GB").new_page()
    page.goto(f"{room.address}/pair?to=//elsewhere.example/#{room.code()}")
    page.get_by_role("button", name="Pair").click()
    expect(page).to_have_url(f"{room.address}/wall")
    page.context.close()
    with pytest.raises(HTTPError, match="403"):
        room.send("CashOut", OPEN, player="rosa", chips=1)  # and the scorekeeper's own role is what it was


def test_a_phone_is_read_from_right_to_left_too(quiet_room: Room, browser: Browser) -> None:
    page = quiet_room.window(browser, PHONE).new_page()
    for night in (OPEN, PEPPER, "high"):
        page.goto(f"{quiet_room.address}/nights/{night}/phone")
        expect(page.locator(".light")).to_have_text("live")
        page.evaluate("() => localStorage.clear()")
        page.reload()
        page.locator(".choices button").first.click()
        page.evaluate("() => { document.documentElement.dir = 'rtl' }")
        assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    page.context.close()


@pytest.mark.parametrize("size", [*SIZES, (1920, 1080)], ids=lambda size: "x".join(map(str, size)))
def test_axe_finds_nothing_and_everything_fits(quiet_room: Room, browser: Browser, size: tuple[int, int]) -> None:
    page = quiet_room.window(browser, size).new_page()
    complaints = Complaints(page)
    found: list[str] = []

    def look(state: str) -> None:
        for theme in THEMES:
            resized(page, size, theme)
            what = (*violations_of(page), *overflow_of(page), *small_targets_of(page))
            found.extend(f"{state}, {theme}: {one}" for one in what)

    page.goto(f"{quiet_room.address}/phone")
    expect(page.get_by_role("heading", name="Which table?")).to_be_visible()
    look("which table")
    for night in (OPEN, CLOSED, PEPPER, "high"):
        page.evaluate("() => localStorage.clear()")
        page.goto(f"{quiet_room.address}/nights/{night}/phone")
        expect(page.locator(".light")).to_have_text("live")
        expect(page.locator(".chart .end").first).to_be_visible()
        page.locator("summary").click()
        look(f"{night}, who are you")
        page.locator(".choices button").first.click()
        look(night)
        page.locator(".everybody button").first.click()
        expect(page.get_by_role("dialog").get_by_text(re.compile("Total|Nothing has moved it"))).to_be_visible()
        look(f"{night}, why")
        page.keyboard.press("Escape")
        page.locator(".hand-lines button").first.click()
        expect(page.get_by_role("button", name="I disagree")).to_be_visible()
        look(f"{night}, a hand")
    page.context.close()
    assert not found, "\n".join(found)
    assert not complaints.said
