"""PINs in pages: what a shared device may not do itself, it does in the name of whoever gives his PIN for it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from flask import Flask
from werkzeug.test import TestResponse

from api.app import listeners_of
from ledger import people
from ledger.people import Attempts, By, Session, User, passwords
from ledger.service import Ledger, Sender, read_request
from ledger.stores import SqliteStore
from tests.api.kit import CLUB, NIGHT, command, make_club
from tests.web.door import Browser, owner_of
from tests.web.kit import Forms, words_of
from web.app import create_app

PIN = "407193"
LONG_REASON = 'He paid Bob at the bar.\r\nBoth say so, & "Cal" saw it <there>.'


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_hasher", lambda: hasher)
    passwords._nobody.cache_clear()


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    with SqliteStore(tmp_path / "book.db", create=True) as store:
        make_club(store, CLUB, hands=4)
        ledger = Ledger(store)
        for one in (command("CloseNight", NIGHT), command("AddMember", None, member="fay", name="Fay")):
            (answer,) = ledger.carry_out(CLUB, [read_request(one)], Sender(actor="owner"))
            assert answer["status"] == "recorded", answer
        app = create_app(store, listeners=3)
        app.testing = False
        yield app
        listeners_of(app).close()


def somebody(app: Flask, name: str, role: str, pin: str | None) -> None:
    """Let somebody belong to the club who signed in before, and chose a PIN."""
    door = app.extensions["kittybook"].door
    _user, secret = people.add_user(door, CLUB, name, role, By(actor="cli"))
    came = people.use_link(door, secret, By(actor="cli"), password="staple in the corner", club_name="x")
    if pin is not None:
        people.set_pin(door, came.session, pin, "staple in the corner", By(actor="cli"))


def device(app: Flask, owner: Browser, role: str = "scorekeeper") -> Browser:
    owner.get("/devices")
    owner.send("/devices/pair", name="Bar tablet", role=role)
    (code,) = re.findall(r">([0-9A-Z]{4}-[0-9A-Z]{4})<", owner.page)
    tablet = Browser(app)
    tablet.get("/pair")
    tablet.follow(tablet.send("/pair", code=code))
    return tablet


@pytest.fixture
def owner(app: Flask) -> Browser:
    return owner_of(app)


@pytest.fixture
def tablet(app: Flask, owner: Browser) -> Browser:
    """The bar's, paired as a scorekeeper; Tess, a treasurer, has a PIN, and Sam, a scorekeeper."""
    somebody(app, "Tess", "treasurer", PIN)
    somebody(app, "Sam", "scorekeeper", "5150")
    return device(app, owner)


def last_event(app: Flask) -> Any:
    store: Any = app.extensions["kittybook"].ledger.store
    with store.read(CLUB) as reader:
        (event,) = reader.events(reader.head().position - 1, 1)
    return event


def adjusting(tablet: Browser, **other: str) -> TestResponse:
    tablet.get("/money")
    values = {"from": "ann", "to": "bob", "amount": "3", "reason": LONG_REASON}
    return tablet.send("/money/adjust", **{**values, **other})


def test_a_form_beyond_the_device_asks_for_a_pin_and_is_booked_in_its_owners_name(app: Flask, tablet: Browser) -> None:
    before = last_event(app)
    asked = adjusting(tablet)
    assert asked.status_code == 403
    said = words_of(tablet.page)
    assert "This needs a treasurer" in said
    for seen in ("Book an adjustment", "From Ann", "To Bob", "Amount 3", '& "Cal" saw it <there>.'):
        assert seen in said, said
    assert "Sam" not in said  # his PIN would not do
    assert last_event(app).position == before.position
    tablet.follow(tablet.send("/money/adjust", responsible_pin=PIN))
    assert "The adjustment is booked" in tablet.page
    event = last_event(app)
    assert (event.type, event.actor, event.device) == ("AdjustmentPosted", "user:tess", "Bar tablet")


def test_the_pin_is_good_for_that_one_act_alone(app: Flask, tablet: Browser) -> None:
    adjusting(tablet)
    tablet.follow(tablet.send("/money/adjust", responsible_pin=PIN))
    booked = last_event(app)
    assert adjusting(tablet).status_code == 403
    assert "This needs a treasurer" in tablet.page
    assert last_event(app).position == booked.position


def test_the_same_form_sent_twice_is_booked_once(app: Flask, tablet: Browser) -> None:
    adjusting(tablet)
    asked = tablet.page
    tablet.follow(tablet.send("/money/adjust", responsible_pin=PIN))
    booked = last_event(app)
    tablet.page = asked
    tablet.follow(tablet.send("/money/adjust", responsible_pin=PIN))
    assert last_event(app).position == booked.position


def test_a_wrong_pin_books_nothing_and_loses_nothing(app: Flask, tablet: Browser) -> None:
    before = last_event(app)
    adjusting(tablet)
    assert tablet.send("/money/adjust", responsible_pin="407194").status_code == 403
    assert "not the PIN of Tess" in tablet.page
    assert "407194" not in tablet.page
    assert last_event(app).position == before.position
    tablet.follow(tablet.send("/money/adjust", responsible_pin=PIN))
    event = last_event(app)
    assert (event.type, event.actor) == ("AdjustmentPosted", "user:tess")
    with app.extensions["kittybook"].ledger.store.read(CLUB) as reader:
        reference = event.data["reason"]["ref"]
        (_salt, words) = reader.texts([reference])[reference]
    assert words == LONG_REASON.replace("\r\n", "\n")


def test_who_guesses_waits_and_a_restart_forgets_nothing(app: Flask, tablet: Browser) -> None:
    adjusting(tablet)
    answers = [tablet.send("/money/adjust", responsible_pin=f"9{number}31") for number in range(4)]
    assert [one.status_code for one in answers] == [403, 403, 403, 429]
    assert answers[-1].headers["Retry-After"]
    assert "wait" in tablet.page
    assert tablet.send("/money/adjust", responsible_pin=PIN).status_code == 429  # even the right one waits
    with app.extensions["kittybook"].door.people.read() as records:
        (row,) = [one for one in records.all(Attempts, CLUB) if one.key.startswith("pin:")]
    assert row.count == 3


def test_who_turns_back_finds_his_form_as_he_filled_it_in(app: Flask, tablet: Browser) -> None:
    before = last_event(app)
    adjusting(tablet)
    assert tablet.send("/money/adjust", turn_back="yes").status_code == 200
    (form,) = [one for one in Forms(tablet.page).found if one["action"] == "/money/adjust"]
    assert (form["values"]["from"], form["values"]["amount"]) == ("ann", "3")
    assert last_event(app).position == before.position


def test_what_is_wrong_with_a_form_is_told_before_a_pin_is_asked_for(tablet: Browser) -> None:
    assert adjusting(tablet, amount="three").status_code == 422
    assert "This needs a treasurer" not in tablet.page


def test_a_pin_of_somebody_whose_role_is_too_low_does_not_do(app: Flask, tablet: Browser) -> None:
    before = last_event(app)
    adjusting(tablet)
    assert tablet.send("/money/adjust", responsible="sam", responsible_pin="5150").status_code == 403
    assert "This needs a treasurer" in tablet.page
    assert last_event(app).position == before.position


def test_who_was_put_out_is_not_let_back_by_his_pin(app: Flask, tablet: Browser) -> None:
    adjusting(tablet)
    people.disable_user(app.extensions["kittybook"].door, CLUB, "tess", By(actor="cli"))
    assert tablet.send("/money/adjust", responsible="tess", responsible_pin=PIN).status_code == 403
    assert last_event(app).type != "AdjustmentPosted"


def test_where_nobody_has_a_pin_it_is_said_where_to_choose_one(app: Flask, owner: Browser) -> None:
    tablet = device(app, owner)
    adjusting(tablet)
    said = unescape(words_of(tablet.page))
    assert "Nobody who may do this has a PIN yet" in said
    assert "choose one under Your account" in said
    assert "responsible_pin" not in tablet.page


REACHED = {
    "/money": "/money/adjust",
    f"/nights/{NIGHT}": f"/nights/{NIGHT}/reopen",
    f"/nights/{NIGHT}/settlement": f"/nights/{NIGHT}/charge",
    "/members/eve": "/members/eve/rename",
    "/members/eve/merge?into=fay": "/members/eve/merge",
    "/members/eve/erase": "/members/eve/erase",
    "/tables/peep": "/tables/peep/change",
    "/tables/new/foster-pool-nap": "/tables/new/foster-pool-nap",
    "/settings": "/settings/season",
}
FILLED = {
    "amount": "2",
    "reason": "agreed",
    "name": "Another name",
    "sure": "yes",
    "stake": "2",
    "into": "fay",
    "from": "ann",
    "to": "bob",
}


@pytest.mark.parametrize("at", REACHED)
def test_a_devices_pages_lead_to_what_a_treasurer_does(app: Flask, tablet: Browser, at: str) -> None:
    before = last_event(app)
    assert tablet.get(at).status_code == 200
    (form, *_) = [one for one in Forms(tablet.page).found if one["action"] == REACHED[at]]
    filled = {key: value for key, value in FILLED.items() if key in form["values"] or key == "sure"}
    assert tablet.send(REACHED[at], **filled).status_code == 403
    assert "This needs a treasurer" in tablet.page
    assert last_event(app).position == before.position
    tablet.follow(tablet.send(REACHED[at], responsible_pin=PIN))
    event = last_event(app)
    assert event.position > before.position
    assert (event.actor, event.device) == ("user:tess", "Bar tablet")


def test_house_rules_are_looked_at_without_a_pin_and_booked_with_one(app: Flask, tablet: Browser) -> None:
    tablet.get("/tables/peep/rules")
    (form,) = [one for one in Forms(tablet.page).found if one["action"] == "/tables/peep/rules"]
    key = next(key for key in form["values"] if key.endswith("nap.collects"))
    before = last_event(app)
    assert tablet.send("/tables/peep/rules", **{key: "12"}, do="show").status_code == 200
    assert "What that would change" in tablet.page
    assert tablet.send("/tables/peep/rules", do="book").status_code == 403
    assert last_event(app).position == before.position
    tablet.follow(tablet.send("/tables/peep/rules", responsible_pin=PIN))
    event = last_event(app)
    assert (event.type, event.actor) == ("TableChanged", "user:tess")


def test_what_is_an_owners_is_not_offered_on_a_device(app: Flask, tablet: Browser) -> None:
    before = last_event(app)
    tablet.get("/settings")
    assert 'action="/settings/club"' not in tablet.page
    assert tablet.send("/settings/season", name="Winter").status_code == 403
    assert "This needs a treasurer" in tablet.page
    filled = {"name": "Ours", "name_was": "Theirs", "responsible": "tess", "responsible_pin": PIN}
    answered = tablet.http.post("/settings/club", data=filled, headers={"Sec-Fetch-Site": "same-origin"})
    assert (answered.status_code, "This needs a treasurer" in answered.text) == (403, False)
    assert last_event(app).position == before.position


def test_what_is_no_form_stays_a_treasurers(tablet: Browser) -> None:
    for at in ("/audit", f"/nights/{NIGHT}/settlement.csv", "/members/ann/statement.csv", "/people", "/devices"):
        assert tablet.get(at).status_code == 403, at
    start = tablet.get("/").get_data(as_text=True)
    assert "/audit" not in start
    assert ".csv" not in tablet.get("/members/ann").get_data(as_text=True)


@pytest.mark.usefixtures("tablet")
def test_a_screen_that_only_reads_is_asked_for_no_pin(app: Flask, owner: Browser) -> None:
    wall = device(app, owner, "viewer")
    wall.get("/money")
    assert "/money/adjust" not in wall.page
    values = {
        "command": str(uuid.uuid4()),
        "from": "ann",
        "to": "bob",
        "amount": "3",
        "reason": "x",
        "unit": "chips:peep.1",
    }
    for more in ({}, {"responsible": "tess", "responsible_pin": PIN}):
        sent = wall.http.post("/money/adjust", data={**values, **more}, headers={"Sec-Fetch-Site": "same-origin"})
        assert sent.status_code == 403
        assert "responsible" not in sent.get_data(as_text=True)
    assert last_event(app).type != "AdjustmentPosted"


@pytest.mark.usefixtures("tablet")
def test_somebody_signed_in_himself_is_asked_for_no_pin(app: Flask) -> None:
    """A PIN is for devices: it opens nothing to somebody whose own role is too low, from wherever he sends it."""
    door = app.extensions["kittybook"].door
    _user, secret = people.add_user(door, CLUB, "Vic", "scorekeeper", By(actor="cli"))
    vic = Browser(app)
    vic.get("/invite")
    vic.send("/invite", code=secret)
    vic.follow(vic.send("/invite/use", login="vic", password="a long and dull one"))
    vic.get("/money")
    assert "/money/adjust" not in vic.page
    values = {"from": "ann", "to": "bob", "amount": "3", "reason": "x", "unit": "chips:peep.1"}
    sent = vic.http.post(
        "/money/adjust",
        data={**values, "responsible": "tess", "responsible_pin": PIN},
        headers={"Sec-Fetch-Site": "same-origin"},
    )
    assert sent.status_code == 403
    assert last_event(app).type != "AdjustmentPosted"
    with door.people.read() as records:
        assert not [one for one in records.trail(CLUB) if one.what.startswith("pin_a")]


def test_a_form_with_a_pin_from_another_site_is_not_taken(app: Flask, tablet: Browser) -> None:
    for site in ("cross-site", "same-site"):
        adjusting(tablet)
        assert tablet.send("/money/adjust", site=site, responsible_pin=PIN).status_code == 403
    assert last_event(app).type != "AdjustmentPosted"


def test_a_revoked_device_asks_nobody(app: Flask, tablet: Browser) -> None:
    adjusting(tablet)
    door = app.extensions["kittybook"].door
    with door.people.read() as records:
        (found,) = [one for one in records.all(Session, CLUB) if one.device]
    assert found.device
    people.revoke_device(door, CLUB, found.device, By(actor="cli"))
    assert tablet.send("/money/adjust", responsible_pin=PIN).headers["Location"] == "/sign-in"
    assert last_event(app).type != "AdjustmentPosted"


def test_the_trail_says_whose_pin_was_taken_on_which_device(app: Flask, tablet: Browser) -> None:
    adjusting(tablet)
    tablet.send("/money/adjust", responsible_pin="9831")
    tablet.send("/money/adjust", responsible_pin=PIN)
    with app.extensions["kittybook"].door.people.read() as records:
        found = [(one.what, one.about, one.actor) for one in records.trail(CLUB, limit=2)]
        assert records.get(User, CLUB, "tess")
    assert [one[:2] for one in found] == [("pin_accepted", "user:tess"), ("pin_refused", "user:tess")]
    assert all(one[2].startswith("device:") for one in found)
