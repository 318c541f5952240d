"""The wall in Chromium: what is booked is seen at once, what is old says so, and everything is legible and fits."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from ledger import people
from ledger.people import By
from tests.browser.kit import (
    SIZES,
    THEMES,
    Complaints,
    color_at,
    make_empty,
    overflow_of,
    small_targets_of,
    violations_of,
)
from tests.browser.room import Room, room_of_the_demo
from tests.browser.states import resized

OPEN = "peep-2026-11-26"
CLOSED = "peep-2026-11-05"
PEPPER = "pepper-2026-09-16"
TV = (1920, 1080)
EVERY_SIZE = (*SIZES, TV)

AS_OF = re.compile(r"as of \d\d:\d\d")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with room_of_the_demo(tmp_path / "room.db") as found:
        yield found


@pytest.fixture(scope="module")
def quiet_room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """A room in which nothing is booked, with a night of ten."""
    with room_of_the_demo(tmp_path_factory.mktemp("wall") / "room.db") as found:
        found.ten_sit_down()
        yield found


def wall(room: Room, browser: Browser, path: str = f"/nights/{OPEN}/wall", *, hurried: bool = False) -> Page:
    """Return the page of a wall; the clock of a hurried one is put forward by the test."""
    page = room.window(browser, TV).new_page()
    if hurried:
        page.clock.install()
    page.goto(room.address + path)
    expect(page.locator(".light")).to_have_text("live")
    return page


def balance(page: Page, name: str) -> str:
    return page.locator(".standing li", has_text=name).locator(".amount").inner_text()


def end_the_hand(room: Room) -> None:
    """Ines makes her Three, which was bid before the test."""
    room.send("RecordHand", OPEN, hand=7, bidder="ines", bid="three", made=True, trumps="hearts", peeks=["maeve"])


def test_a_booked_hand_is_on_the_wall_within_two_seconds(room: Room, browser: Browser) -> None:
    page = wall(room, browser)
    complaints = Complaints(page)
    expect(page.locator(".pool-figure")).to_have_text("2")
    expect(page.locator(".now")).to_contain_text("Ines\u2069 has bid Three.")
    began = time.monotonic()
    end_the_hand(room)
    line = page.locator(".wall-hands li").first
    expect(line).to_contain_text("Three", timeout=2000)
    expect(line.locator(".hand-number")).to_have_text("7", timeout=2000)
    assert time.monotonic() - began < 2
    expect(line).to_contain_text("made")
    expect(line.get_by_role("img", name="hearts")).to_be_visible()
    told = {one["name"]: one["balance"] for one in room.ask(f"/nights/{OPEN}")["players"]}
    for name, chips in told.items():
        assert balance(page, name).replace("\u2212", "-") == f"{chips:+d}"
    change = room.ask(f"/nights/{OPEN}/hands/7")["changes"]["ines"]
    expect(page.locator(".standing li", has_text="Ines").locator(".change")).to_contain_text(str(change))
    expect(page.locator(".standing li", has_text="Callum").locator(".dealer")).to_be_visible()  # the deal has moved on
    assert not complaints.said
    page.context.close()


def test_a_wall_without_a_network_says_how_old_it_is_and_comes_back_by_itself(room: Room, browser: Browser) -> None:
    page = wall(room, browser)
    page.context.set_offline(True)
    expect(page.locator(".light")).to_have_text(AS_OF)
    expect(page.get_by_role("alert")).to_contain_text("This is how it stood then, after hand 6.")
    end_the_hand(room)
    expect(page.locator(".hand-number").first).to_have_text("6")
    page.context.set_offline(False)
    expect(page.locator(".hand-number").first).to_have_text("7", timeout=6000)
    expect(page.locator(".light")).to_have_text("live")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.context.close()


def test_a_server_that_was_started_again_is_found_by_itself(room: Room, browser: Browser) -> None:
    page = wall(room, browser)
    room.stop()
    expect(page.locator(".light")).to_have_text(AS_OF, timeout=10_000)
    room.start()
    expect(page.locator(".light")).to_have_text("live", timeout=10_000)
    end_the_hand(room)
    expect(page.locator(".hand-number").first).to_have_text("7", timeout=2000)
    page.context.close()


def test_a_wall_that_is_not_told_anything_looks_by_itself(room: Room, browser: Browser) -> None:
    page = room.window(browser, TV).new_page()
    page.route("**/live", lambda route: route.fulfill(status=503, content_type="application/problem+json", body="{}"))
    page.goto(f"{room.address}/nights/{OPEN}/wall")
    expect(page.locator(".light")).to_have_text("up to date")
    end_the_hand(room)
    expect(page.locator(".hand-number").first).to_have_text("7", timeout=4500)
    page.context.close()


def test_a_look_that_failed_is_tried_again_though_nobody_hints(quiet_room: Room, browser: Browser) -> None:
    page = quiet_room.window(browser, TV).new_page()
    page.route("**/live", lambda route: route.fulfill(status=503, content_type="application/problem+json", body="{}"))
    tries: list[float] = []

    def fail(route: Route) -> None:
        tries.append(time.monotonic())
        if len(tries) < 4:
            route.abort()
        elif len(tries) == 4:
            route.fulfill(status=200, content_type="text/html", body="<p>Welcome to the hotel's network.</p>")
        else:
            route.continue_()

    page.route(f"**/nights/{OPEN}", fail)
    page.goto(f"{quiet_room.address}/nights/{OPEN}/wall")
    expect(page.locator(".standing li")).to_have_count(5, timeout=15_000)
    waits = [later - sooner for sooner, later in itertools.pairwise(tries)]
    assert max(waits) < 5.5
    page.context.close()


def test_a_wall_listens_once_and_looks_only_when_there_is_something_to_see(room: Room, browser: Browser) -> None:
    page = room.window(browser, TV).new_page()
    page.clock.install()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{room.address}/nights/{OPEN}/wall")
    expect(page.locator(".light")).to_have_text("live")
    page.wait_for_timeout(500)
    before = len(asked)
    page.clock.run_for(5_000)
    page.wait_for_timeout(500)
    assert asked[before:] == []
    assert sum(one.endswith("/live") for one in asked) == 1
    assert all(one.startswith(room.address + "/") for one in asked)
    page.context.close()


def test_a_device_that_is_put_out_is_told_so_and_asks_no_more(room: Room, browser: Browser) -> None:
    page = wall(room, browser, hurried=True)
    with room.state.door.people.read() as records:
        (device,) = records.all(people.Device, room.club)
    people.revoke_device(room.state.door, room.club, device.id, By(actor="cli"))
    page.clock.run_for(15_000)
    expect(page.get_by_role("alert")).to_contain_text("This device is not let in any more.")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(60_000)
    page.wait_for_timeout(500)
    assert asked == []
    page.context.close()


def test_a_wall_of_the_club_goes_on_to_the_next_night_by_itself(room: Room, browser: Browser) -> None:
    page = wall(room, browser, "/wall")
    expect(page.locator("h1")).to_have_text("Thursday, Peep Nap")
    end_the_hand(room)
    receipt = room.send("CloseNight", OPEN) and room.ask(f"/nights/{OPEN}")["receipt"]
    expect(page.locator(".receipt-code")).to_have_text(receipt, timeout=4000)
    expect(page.get_by_role("heading", name="How it ended")).to_be_visible()
    room.do("OpenNight", table="peep", night="next", date="2026-12-03", players=["rosa", "ines"], dealer="rosa")
    expect(page.get_by_text("Thursday 3 December")).to_be_visible(timeout=8000)
    expect(page.locator(".receipt-code")).to_have_count(0)
    expect(page.locator(".standing li")).to_have_count(2)
    page.context.close()


def test_a_wall_of_the_club_asks_which_table_where_several_play(quiet_room: Room, browser: Browser) -> None:
    page = quiet_room.window(browser, TV).new_page()
    page.goto(f"{quiet_room.address}/wall")
    expect(page.get_by_role("heading", name="Which table?")).to_be_visible()
    assert violations_of(page) == []
    page.get_by_role("link", name="Thursday, Peep Nap").click()
    expect(page).to_have_url(f"{quiet_room.address}/wall?table=peep")
    expect(page.locator(".standing li")).to_have_count(5)
    page.context.close()


def test_a_closed_night_shows_its_receipt_and_who_won(quiet_room: Room, browser: Browser) -> None:
    page = wall(quiet_room, browser, f"/nights/{CLOSED}/wall")
    state = quiet_room.ask(f"/nights/{CLOSED}")
    expect(page.locator(".receipt-code")).to_have_text(state["receipt"])
    best = sorted((one["balance"] for one in state["players"]), reverse=True)
    shown = [text.replace("\u2212", "-") for text in page.locator(".standing .amount").all_inner_texts()]
    assert shown == [f"{chips:+d}" for chips in best]
    page.context.close()


def test_pepper_shows_the_scores_of_its_teams(quiet_room: Room, browser: Browser) -> None:
    page = wall(quiet_room, browser, f"/nights/{PEPPER}/wall")
    state = quiet_room.ask(f"/nights/{PEPPER}")
    shown = [text.replace("\u2212", "-") for text in page.locator(".score-figure").all_inner_texts()]
    assert shown == [str(points) for points in state["scores"].values()]
    assert page.locator(".score-team").first.inner_text() == "Maeve + Callum"
    expect(page.get_by_role("heading", name="Pool")).to_have_count(0)
    page.context.close()


@pytest.mark.parametrize("night", [OPEN, CLOSED, PEPPER, "high"])
def test_the_chart_has_a_table_that_ends_with_what_is_shown(quiet_room: Room, browser: Browser, night: str) -> None:
    page = wall(quiet_room, browser, f"/nights/{night}/wall")
    state = quiet_room.ask(f"/nights/{night}")
    rows = page.locator(".chart tbody tr")
    last = [text.replace("\u2212", "-").replace(",", "") for text in rows.last.locator("td").all_inner_texts()]
    figures = state["scores"].values() if state["scores"] else [one["balance"] for one in state["players"]]
    assert [int(text) for text in last] == list(figures)
    assert page.locator(".chart .line").count() == len(last)
    dashes = page.locator(".chart polyline").evaluate_all(
        "(all) => all.map((one) => one.getAttribute('stroke-dasharray'))"
    )
    assert len(set(dashes)) == len(dashes)  # told apart without colour
    assert page.locator(".chart .end").count() == len(last)
    page.context.close()


@pytest.mark.parametrize("size", EVERY_SIZE, ids=lambda size: "x".join(map(str, size)))
def test_axe_finds_nothing_and_everything_fits(quiet_room: Room, browser: Browser, size: tuple[int, int]) -> None:
    page = quiet_room.window(browser, size).new_page()
    complaints = Complaints(page)
    found = []
    for night in (OPEN, CLOSED, PEPPER, "high"):
        page.goto(f"{quiet_room.address}/nights/{night}/wall")
        expect(page.locator(".light")).to_have_text("live")
        expect(page.locator(".chart .end").first).to_be_visible()
        for theme in THEMES:
            resized(page, size, theme)
            what = (*violations_of(page), *overflow_of(page), *small_targets_of(page), *cut_off(page), *faint(page))
            found += [f"{night}, {theme}: {one}" for one in what]
            if size[0] > size[1]:
                height = page.evaluate("() => document.documentElement.scrollHeight")
                found += [f"{night}, {theme}: {height} high"] if height > size[1] else []  # a wall cannot be scrolled
    page.context.close()
    assert not found, "\n".join(found)
    assert not complaints.said


def cut_off(page: Page) -> list[str]:
    """Return figures that are not wholly seen: a name may be shortened, a number never."""
    return page.evaluate(  # type: ignore[no-any-return]  # a list of texts
        """() => [...document.querySelectorAll(".amount, .change, [class$=figure], .feeders b, .receipt-code")]
          .filter((one) => one.checkVisibility() && !one.closest(".unseen"))
          .filter((one) => {
            const box = one.getBoundingClientRect();
            for (let up = one; up; up = up.parentElement) {
              if (getComputedStyle(up).overflowX === "visible") continue;
              const frame = up.getBoundingClientRect();
              if (box.right > frame.right + 1 || box.left < frame.left - 1) return true;
            }
            return false;
          }).map((one) => `cut off: ${one.className} ${one.textContent}`)"""
    )


def faint(page: Page) -> list[str]:
    """Return names and figures with less than 7:1 on the lightest, or darkest, of the grounds that they may lie on."""
    return page.evaluate(  # type: ignore[no-any-return]  # as above
        """() => {
          const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
          const light = (text) => {
            canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
            const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
              .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const room = getComputedStyle(document.documentElement);
          const grounds = ["--ground", "--felt", "--surface"].map((one) => light(room.getPropertyValue(one)));
          const shown = document.querySelectorAll("bdi, .amount, .change, [class$=figure], .now, .soft, .hand-result");
          return [...shown].filter((one) => !one.closest(".receipt-slip, .bid-card")).flatMap((one) => {
            const ink = light(getComputedStyle(one).color);
            const ratio = Math.min(...grounds.map((ground) =>
              (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05)));
            return ratio < 7 ? [`faint: ${one.textContent} ${ratio.toFixed(1)}`] : [];
          });
        }"""
    )


@pytest.mark.parametrize(("theme", "is_dark"), [("light", False), ("dark", True)])
def test_a_wall_does_not_flash_white_at_night(quiet_room: Room, browser: Browser, theme: str, is_dark: bool) -> None:
    page = quiet_room.window(browser, TV, theme).new_page()
    page.route("**/*.css*", lambda route: route.abort())
    page.route("**/*.mjs*", lambda route: route.abort())
    page.goto(f"{quiet_room.address}/nights/{OPEN}/wall")
    assert (max(color_at(page, 1900, 1060)) < 80) is is_dark
    page.unroute("**/*.css*")
    page.goto(f"{quiet_room.address}/nights/{OPEN}/wall")
    assert (max(color_at(page, 1900, 1060)) < 80) is is_dark
    page.context.close()


def test_a_wall_keeps_its_screen_awake(quiet_room: Room, browser: Browser) -> None:
    page = quiet_room.window(browser, TV).new_page()
    page.add_init_script(
        "window.asked = []; navigator.wakeLock.request = async (kind) => { asked.push(kind); return {released: false} }"
    )
    page.goto(f"{quiet_room.address}/nights/{OPEN}/wall")
    expect(page.locator(".light")).to_have_text("live")
    assert page.evaluate("asked") == ["screen"]
    page.context.close()


def test_larger_letters_make_a_wall_longer_and_cut_nothing_off(quiet_room: Room, browser: Browser) -> None:
    page = quiet_room.window(browser, (960, 540)).new_page()  # as a television at twice the size
    for night in (OPEN, PEPPER, CLOSED, "high"):
        page.goto(f"{quiet_room.address}/nights/{night}/wall")
        expect(page.locator(".chart .end").first).to_be_visible()
        assert [*overflow_of(page), *cut_off(page)] == []
    page.context.close()


def test_before_the_first_night_a_wall_waits_for_it(tmp_path: Path, browser: Browser) -> None:
    path = tmp_path / "empty.db"
    room = Room(path, make_empty(path))
    page = room.window(browser, TV).new_page()
    page.goto(f"{room.address}/wall")
    expect(page.get_by_role("heading", name="No night yet")).to_be_visible()
    assert violations_of(page) == []
    for member in ("ann", "bob", "cem"):
        room.do("AddMember", member=member, name=member.title())
    room.do("OpenTable", table="t", name="First", rulebook="rockets-peep-nap")
    room.do("OpenNight", table="t", night="n", date="2026-12-03", players=["ann", "bob", "cem"], dealer="ann")
    expect(page.locator(".standing li")).to_have_count(3, timeout=8000)
    expect(page.get_by_text("No hand yet.")).to_be_visible()
    page.context.close()
    room.stop()


def test_a_television_that_claims_it_is_day_can_be_darkened(quiet_room: Room, browser: Browser) -> None:
    page = quiet_room.window(browser, TV, "light").new_page()
    page.goto(f"{quiet_room.address}/nights/{OPEN}/wall")
    page.get_by_role("link", name="Lights out").click()
    expect(page.locator(".light")).to_have_text("live")
    assert max(color_at(page, 1900, 1060)) < 80
    assert violations_of(page) == []
    page.context.close()
