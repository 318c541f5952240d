"""The door in Chromium: links that a script takes out of the address, and a club's plain network, which is no https."""

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
from tests.browser.kit import Complaints, make_empty, violations_of
from web.app import create_app

GOOD = "correct horse battery"
LAN = "club.lan"


@pytest.fixture
def served_in_the_network(tmp_path: Path) -> Iterator[tuple[Flask, int]]:
    """An app that answers to a name in the network, and its port."""
    path = tmp_path / "empty.db"
    make_empty(path)
    with SqliteStore(path) as store:
        app = create_app(store, hosts=[LAN])
        server = create_server(app, host="127.0.0.1", port=0, threads=8)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        try:
            yield app, server.effective_port
        finally:
            server.close()
            server.task_dispatcher.shutdown()
            listeners_of(app).close()
            thread.join(5)


def by_name(browser: Browser, host: str, port: int) -> Page:
    """Return a page of a browser that finds the name where the server is; it reaches nothing else."""
    context = browser.new_context(proxy={"server": f"http://127.0.0.1:{port}"} if host == LAN else None, locale="en-GB")
    return context.new_page()


@pytest.mark.parametrize("host", ["localhost", LAN])
def test_the_first_owner_comes_in_by_the_link_and_pairs_a_device(
    browser: Browser, served_in_the_network: tuple[Flask, int], host: str
) -> None:
    app, port = served_in_the_network
    club = app.extensions["kittybook"].ledger.store.clubs()[0]
    secret = people.first_owner(app.extensions["kittybook"].door, club, "Owner", By(actor="cli"))
    at = f"http://{host}:{port}"
    page = by_name(browser, host, port)
    complaints = Complaints(page)
    page.goto(f"{at}/invite#{secret}")
    expect(page.get_by_label("What comes after # in your link")).to_have_value(secret)
    assert page.url == f"{at}/invite"  # it is out of the address
    assert page.evaluate("isSecureContext") is (host == "localhost")
    page.keyboard.press("Enter")  # the button has the focus
    page.get_by_label("Your name").fill("Olga")
    page.get_by_label("You will sign in as").fill("olga")
    page.get_by_label("Password").fill(GOOD)
    page.get_by_role("button", name="Come in").click()
    expect(page).to_have_url(f"{at}/?done=came_in")
    assert {cookie["name"] for cookie in page.context.cookies()} == {"s", "k"}
    assert page.evaluate("document.cookie") == ""
    for path in ("/people", "/account", "/devices"):
        page.goto(at + path)
        assert violations_of(page) == []
    page.get_by_label("Its name").fill("Bar tablet")
    page.get_by_role("button", name="Make a code").click()
    code = page.locator("strong.code").inner_text()
    assert page.locator("img").evaluate("(one) => one.naturalWidth") > 100
    tablet = by_name(browser, host, port)
    tablet.goto(f"{at}/pair#{code.replace('-', '')}")
    tablet.get_by_role("button", name="Pair").click()
    expect(tablet).to_have_url(f"{at}/")
    expect(tablet.get_by_text("Bar tablet")).to_be_visible()
    page.goto(f"{at}/sign-out")
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(f"{at}/sign-in")
    page.get_by_label("You sign in as").fill("olga")
    page.get_by_label("Password").fill(GOOD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{at}/")
    assert [one for one in complaints.said if "Clear-Site-Data" not in one and "Opener" not in one] == []
    page.context.close()
    tablet.context.close()
