"""A PIN on the bar's tablet, in Chromium: asked for by a page without a script, at every size, by day and by night."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect
from waitress.server import create_server

from api.app import listeners_of
from ledger import people
from ledger.people import By
from ledger.stores import SqliteStore
from tests.browser.kit import (
    SIZES,
    THEMES,
    Complaints,
    Hands,
    context_of,
    make_demo,
    overflow_of,
    small_targets_of,
    violations_of,
)
from tests.browser.states import resized
from web.app import create_app

PIN = "407193"
CLI = By(actor="cli")


@pytest.fixture
def clubhouse(tmp_path: Path) -> Iterator[tuple[str, Flask, str]]:
    """The address of a club that has played for weeks, its app, and a code that pairs the bar's tablet."""
    path = tmp_path / "played.db"
    club = make_demo(path)
    with SqliteStore(path) as store:
        app = create_app(store)
        door = app.extensions["kittybook"].door
        _user, secret = people.add_user(door, club, "Tess", "treasurer", CLI)
        came = people.use_link(door, secret, CLI, password="staple in the corner", club_name="x")
        people.set_pin(door, came.session, PIN, "staple in the corner", CLI)
        _link, code = people.pairing_code(door, club, "Bar tablet", "scorekeeper", CLI)
        server = create_server(app, host="127.0.0.1", port=0, threads=8)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.effective_port}", app, code
        finally:
            server.close()
            server.task_dispatcher.shutdown()
            listeners_of(app).close()
            thread.join(5)


def paired(page: Page, at: str, code: str) -> None:
    page.goto(f"{at}/pair#{code}")
    page.get_by_role("button", name="Pair").click()
    expect(page).to_have_url(f"{at}/")


def test_a_treasurer_books_on_the_bars_tablet_with_his_pin_and_by_keyboard(
    browser: Browser, clubhouse: tuple[str, Flask, str]
) -> None:
    at, app, code = clubhouse
    context = browser.new_context(locale="en-GB", java_script_enabled=True)
    page = context.new_page()
    complaints = Complaints(page)
    paired(page, at, code)
    page.goto(f"{at}/members/rosa")
    page.get_by_label("Name").fill("Rosalind")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", name="This needs a treasurer")).to_be_visible()
    expect(page.get_by_text("Rosalind")).to_be_visible()
    hands = Hands(page)
    hands.go_to("input", "Your PIN")
    hands.write("111111")
    hands.enter()
    expect(page.get_by_text("That is not the PIN of Tess")).to_be_visible()
    assert violations_of(page) == []
    assert page.get_by_label("Your PIN").input_value() == ""
    assert page.evaluate("document.activeElement.name") == "responsible_pin"
    hands.write(PIN)
    hands.enter()
    expect(page.get_by_role("heading", name="Rosalind")).to_be_visible()
    ledger = app.extensions["kittybook"].ledger
    (club,) = ledger.store.clubs()
    with ledger.store.read(club) as reader:
        (event,) = reader.events(reader.head().position - 1, 1)
    assert (event.type, event.actor, event.device) == ("MemberRenamed", "user:tess", "Bar tablet")
    assert [one for one in complaints.said if "403" not in one] == []
    context.close()


def test_the_page_that_asks_fits_everywhere_and_leads_back_to_the_form(
    browser: Browser, clubhouse: tuple[str, Flask, str]
) -> None:
    at, _app, code = clubhouse
    first = browser.new_context(locale="en-GB")
    paired(first.new_page(), at, code)
    kept = first.storage_state()
    first.close()
    context = context_of(browser, SIZES[0], "light", storage_state=kept, has_touch=True)
    page = context.new_page()
    for size in SIZES:
        resized(page, size)
        page.goto(f"{at}/money")
        page.get_by_label("Amount").last.fill("2.50")
        page.get_by_label("Why").last.fill("for the taxi, see the message of Tuesday")
        page.get_by_role("button", name="Book the adjustment").click()
        expect(page.get_by_role("heading", name="This needs a treasurer")).to_be_visible()
        for theme in THEMES:
            resized(page, size, theme)
            found = [*overflow_of(page), *small_targets_of(page), *violations_of(page)]
            assert not found, (size, theme, found)
        page.get_by_role("button", name="Back, without booking it").click()
        expect(page.get_by_label("Why").last).to_have_value("for the taxi, see the message of Tuesday")
    context.close()
