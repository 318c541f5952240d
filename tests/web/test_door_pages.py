"""The pages at the door, as a browser without a script uses them: in, out, people, devices, one's own account."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from flask import Flask

from api.app import listeners_of
from api.reach import reached_at
from ledger import people
from ledger.people import By, passwords
from ledger.stores import SqliteStore
from tests.api.kit import CLUB, make_club
from tests.web.door import GOOD, Browser, first_link, owner_of
from tests.web.kit import Forms, words_of
from web import shown
from web.app import create_app

ANOTHER = "staple in the corner"


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_hasher", lambda: hasher)
    passwords._nobody.cache_clear()


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    with SqliteStore(tmp_path / "book.db", create=True) as store:
        make_club(store, CLUB, hands=1)
        app = create_app(store, listeners=3)
        app.testing = False
        yield app
        listeners_of(app).close()


@pytest.fixture
def owner(app: Flask) -> Browser:
    return owner_of(app)


def test_the_first_owner_comes_in_without_a_script_and_chooses_a_password_later(app: Flask) -> None:
    secret = first_link(app)
    olga = Browser(app)
    assert olga.get("/invite").status_code == 200
    assert olga.send("/invite", code=f" {secret}\n").status_code == 200
    assert "The thursday club" in olga.page
    came = olga.send("/invite/use", name="Olga")
    assert came.headers["Location"] == "/account?done=came_in"
    olga.follow(came)
    assert "no password yet" in olga.page
    refused = olga.send("/account/password", new="baseball")
    assert refused.status_code == 422
    assert "tried first" in olga.page
    assert "baseball" not in olga.page
    olga.follow(olga.send("/account/password", new=GOOD))
    assert "The password is changed" in olga.page
    again = Browser(app)
    again.get("/invite")
    assert again.send("/invite", code=secret).status_code == 422
    assert "used before" in again.page


def test_somebody_signs_in_and_out(app: Flask, owner: Browser) -> None:
    assert owner.get("/").status_code == 200
    olga = Browser(app)
    olga.follow(olga.get("/people"))
    assert "Sign in" in olga.page
    wrong = olga.send("/sign-in", login="olga", password="wrong password")
    assert wrong.status_code == 401
    assert "do not go together" in olga.page
    assert "wrong password" not in olga.page
    olga.follow(olga.send("/sign-in", login="olga", password=GOOD))
    assert "Olga" in olga.page
    olga.get("/sign-out")
    left = olga.send("/sign-out")
    assert left.headers["Clear-Site-Data"] == '"cache"'
    assert olga.get("/people").headers["Location"] == "/sign-in"


def test_who_guesses_is_asked_to_wait(app: Flask, owner: Browser) -> None:
    guesser = Browser(app)
    guesser.get("/sign-in")
    answers = [guesser.send("/sign-in", login="olga", password=f"wrong {number}") for number in range(9)]
    assert [one.status_code for one in answers[:5]] == [401] * 5
    refused = [one for one in answers[5:] if one.status_code == 429]  # how many depends on how long the others took
    assert refused
    assert refused[0].headers["Retry-After"]
    owner.get("/sign-in")
    assert owner.send("/sign-in", login="olga", password=GOOD).status_code == 303


def test_the_first_owner_says_who_she_is_and_signs_in_by_her_name(app: Flask) -> None:
    gwen = Browser(app)
    gwen.get("/invite")
    gwen.send("/invite", code=first_link(app))
    (form,) = [one for one in Forms(gwen.page).found if one["action"] == "/invite/use"]
    assert (form["values"]["name"], form["values"]["login"]) == ("", "")
    gwen.follow(gwen.send("/invite/use", name="Gwen Price", password=GOOD))
    assert "From now on you sign in as gwenprice." in gwen.page
    assert "sign in as" not in gwen.get("/").get_data(as_text=True)
    again = Browser(app)
    again.get("/sign-in")
    again.follow(again.send("/sign-in", login="GwenPrice", password=GOOD))


def test_somebody_is_invited_changed_reset_and_put_out(app: Flask, owner: Browser) -> None:
    owner.get("/people")
    made = owner.send("/people/invite", name="Bob <b>", role="treasurer")
    assert made.status_code == 200
    (link,) = re.findall(r'value="(http://localhost/invite#[^"]+)"', owner.page)
    assert "Bob &lt;b&gt;" in owner.page
    bob = Browser(app)
    bob.get("/invite")
    bob.send("/invite", code=link.partition("#")[2])
    bob.follow(bob.send("/invite/use", password=GOOD, login="bob"))
    assert bob.get("/people").status_code == 403
    owner.get("/people")
    owner.follow(owner.send("/people/bob-b/role", role="scorekeeper"))
    assert "The role holds" in owner.page
    assert owner.send("/people/olga/role", role="viewer").status_code == 422
    assert "at least one owner" in unescape(owner.page)
    owner.get("/people")
    assert owner.send("/people/bob-b/reset").status_code == 200
    owner.get("/people")
    owner.follow(owner.send("/people/bob-b/disable"))
    assert bob.get("/account").headers["Location"] == "/sign-in"
    owner.follow(owner.send("/people/bob-b/enable"))
    assert "At the door lately" in owner.page


def test_the_office_is_handed_over(app: Flask, owner: Browser) -> None:
    door = app.extensions["kittybook"].door
    _user, secret = people.add_user(door, CLUB, "Bob", "viewer", By(actor="cli"))
    people.use_link(door, secret, By(actor="cli"), password=GOOD, club_name="x")
    owner.get("/people")
    owner.follow(owner.send("/people/hand-over", user="bob", role="treasurer"))
    assert "handed over" in owner.page
    assert owner.get("/people").status_code == 403


def test_a_device_is_paired_by_hand_named_and_revoked(app: Flask, owner: Browser) -> None:
    owner.get("/devices")
    owner.send("/devices/pair", name="Bar tablet", role="scorekeeper")
    (code,) = re.findall(r">([0-9A-Z]{4}-[0-9A-Z]{4})<", owner.page)
    assert 'src="data:image/svg+xml' in owner.page
    tablet = Browser(app)
    tablet.get("/pair")
    assert "under Phone and wall; an owner makes one for a tablet under Devices" in tablet.page
    assert tablet.send("/pair", code="AAAA-AAAA").status_code == 422
    tablet.follow(tablet.send("/pair", code=code.lower()))
    assert "Bar tablet" in tablet.page
    assert tablet.get("/account").status_code == 200
    assert tablet.get("/devices").status_code == 403
    owner.get("/devices")
    (action,) = [a for one in Forms(owner.page).found if re.search(r"^/devices/\w+/revoke$", a := one["action"])]
    owner.send(action.replace("revoke", "name"), name="Lounge")
    assert "Lounge" in tablet.get("/").get_data(as_text=True)
    owner.get("/devices")
    owner.follow(owner.send(action))
    assert tablet.get("/account").headers["Location"] == "/sign-in"


def test_a_programs_token_is_revoked(app: Flask, owner: Browser) -> None:
    owner.get("/devices")
    actions = [one["action"] for one in Forms(owner.page).found if "/tokens/" in one["action"]]
    assert len(actions) == 4
    owner.follow(owner.send(actions[0]))
    assert actions[0] not in owner.page
    tokens = app.extensions["kittybook"].tokens.all(CLUB)
    assert [one.id for one in tokens if one.revoked] == [actions[0].split("/")[3]]


def test_one_sees_where_one_is_signed_in_and_ends_it(app: Flask, owner: Browser) -> None:
    other = Browser(app)
    other.get("/sign-in")
    other.send("/sign-in", login="olga", password=GOOD)
    owner.get("/account")
    (action,) = [a for one in Forms(owner.page).found if re.search(r"/sessions/\w+/end$", a := one["action"])]
    owner.follow(owner.send(action))
    assert other.get("/account").headers["Location"] == "/sign-in"


def test_a_pin_is_chosen_and_removed(owner: Browser) -> None:
    owner.get("/account")
    assert owner.send("/account/pin", pin="1234", password=GOOD).status_code == 422
    assert owner.send("/account/pin", pin="4071", password="wrong password").status_code == 401
    owner.follow(owner.send("/account/pin", pin="4071", password=GOOD))
    assert "The PIN is good" in owner.page
    owner.follow(owner.send("/account/pin/remove"))
    assert "You have none" in owner.page


FORMS = ("/sign-in", "/sign-out", "/invite", "/pair", "/people", "/devices", "/account")


@pytest.mark.parametrize("site", ["cross-site", "same-site", ""])
def test_forms_of_other_sites_are_not_taken(owner: Browser, site: str) -> None:
    for at in FORMS:
        owner.get(at)
        for form in Forms(owner.page).found:
            sent = owner.http.post(
                form["action"], data=form["values"], headers={"Sec-Fetch-Site": site} if site else {}
            )
            assert sent.status_code == 403, form["action"]
    assert owner.get("/account").status_code == 200


@pytest.mark.parametrize("at", FORMS)
def test_pages_at_the_door_are_kept_by_nobody_and_run_no_script_of_others(owner: Browser, at: str) -> None:
    answered = owner.get(at)
    assert answered.status_code == 200
    assert answered.headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in answered.headers["Content-Security-Policy"]
    assert answered.headers["Referrer-Policy"] == "same-origin"
    assert not re.search(r"<script(?![^>]*src=\"/static/)|\son\w+=|style=", owner.page)


def test_pages_set_the_cookie_that_their_address_allows(app: Flask, owner: Browser) -> None:
    assert owner.http.get_cookie("s", domain="localhost")
    over_https = Browser(app, "https://localhost")
    over_https.get("/sign-in")
    answered = over_https.send("/sign-in", login="olga", password=GOOD)
    names = {cookie.partition("=")[0] for cookie in answered.headers.getlist("Set-Cookie")}
    assert names == {"__Host-s", "__Host-k"}


def test_what_the_owner_books_bears_her_name(app: Flask, owner: Browser) -> None:
    owner.get("/members")
    owner.send("/members/add", names="Zoe")
    store: Any = app.extensions["kittybook"].ledger.store
    with store.read(CLUB) as reader:
        (event,) = reader.events(reader.head().position - 1, 1)
    assert (event.type, event.actor, event.device) == ("MemberAdded", "user:olga", "Olga")


def test_a_token_is_made_in_a_page_shown_once_and_good(app: Flask, owner: Browser) -> None:
    owner.get("/devices")
    made = owner.send("/devices/tokens", name="Scoreboard", role="viewer")
    assert made.status_code == 200
    assert made.headers["Cache-Control"] == "no-store"
    (secret,) = re.findall(r'value="(kb_[A-Za-z0-9_-]{43})"', owner.page)
    shown = {"Authorization": f"Bearer {secret}"}
    assert app.test_client().get(f"/api/v1/clubs/{CLUB}", headers=shown).status_code == 200
    assert secret not in owner.get("/devices").get_data(as_text=True)
    assert "Scoreboard" in owner.page
    token = next(one for one in app.extensions["kittybook"].tokens.all(CLUB) if one.name == "Scoreboard")
    owner.follow(owner.send(f"/devices/tokens/{token.id}/revoke"))
    assert app.test_client().get(f"/api/v1/clubs/{CLUB}", headers=shown).status_code == 401
    with app.extensions["kittybook"].door.people.read() as records:
        lines = [(one.what, one.actor) for one in records.trail(CLUB, limit=2)]
    assert lines == [("token_revoked", "user:olga"), ("token_made", "user:olga")]


@pytest.mark.parametrize(("name", "role"), [("", "viewer"), ("x" * 61, "viewer"), ("Board", "king")])
def test_a_token_without_a_good_name_or_role_is_not_made(app: Flask, owner: Browser, name: str, role: str) -> None:
    before = len(app.extensions["kittybook"].tokens.all(CLUB))
    owner.get("/devices")
    assert owner.send("/devices/tokens", name=name, role=role).status_code == 422
    assert len(app.extensions["kittybook"].tokens.all(CLUB)) == before


def test_a_user_and_a_device_are_renamed_and_a_bad_name_is_told_at_its_field(app: Flask, owner: Browser) -> None:
    owner.get("/people")
    owner.follow(owner.send("/people/olga/name", name="Olga the First"))
    assert "Olga the First" in owner.page
    assert owner.send("/people/olga/name", name=" ").status_code == 422
    assert 'id="name-olga-wrong"' in owner.page
    owner.get("/devices")
    owner.send("/devices/pair", name="Bar", role="scorekeeper")
    (code,) = re.findall(r">([0-9A-Z]{4}-[0-9A-Z]{4})<", owner.page)
    tablet = Browser(app)
    tablet.get("/pair")
    tablet.send("/pair", code=code)
    owner.get("/devices")
    (action,) = [a for one in Forms(owner.page).found if re.search(r"^/devices/\w+/name$", a := one["action"])]
    assert owner.send(action, name="x" * 61).status_code == 422
    assert f'id="name-{action.split("/")[2]}-wrong"' in owner.page


def test_an_owner_ends_somebodys_session(app: Flask, owner: Browser) -> None:
    door = app.extensions["kittybook"].door
    _user, secret = people.add_user(door, CLUB, "Vic", "viewer", By(actor="cli"))
    vic = Browser(app)
    vic.get("/invite")
    vic.send("/invite", code=secret)
    vic.follow(vic.send("/invite/use", login="vic", password=GOOD))
    owner.get("/people")
    (action,) = [a for one in Forms(owner.page).found if re.search(r"^/people/sessions/\w+/end$", a := one["action"])]
    owner.follow(owner.send(action))
    assert vic.get("/account").headers["Location"] == "/sign-in"
    assert owner.get("/account").status_code == 200


def test_a_code_leads_to_where_a_tablet_reaches_the_server(app: Flask, owner: Browser) -> None:
    reached_at(app, ["https://192.168.7.9:8443/", "https://bar.local:8443/"])
    owner.get("/devices")
    owner.send("/devices/pair", name="Bar", role="viewer")
    assert "https://192.168.7.9:8443/pair" in owner.page
    assert "https://bar.local:8443/pair" in owner.page
    assert "http://localhost/pair" not in owner.page
    assert owner.page.count('src="data:image/svg+xml') == 2
    assert "alone" not in owner.page
    owner.get("/people")
    owner.send("/people/invite", name="Bob", role="viewer")
    assert 'value="https://192.168.7.9:8443/invite#' in owner.page


def test_it_is_said_plainly_that_no_tablet_reaches_a_server_that_listens_to_itself(owner: Browser) -> None:
    owner.get("/devices")
    owner.send("/devices/pair", name="Bar", role="viewer")
    assert "listens to this machine alone" in owner.page
    assert "kittybook serve --lan" in owner.page
    owner.get("/people")
    owner.send("/people/invite", name="Bob", role="viewer")
    assert "listens to this machine alone" in owner.page


@pytest.mark.parametrize(
    ("agent", "called"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36", "Chrome on Linux"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130.0 Safari/537.36 Edg/130.0", "Edge on Windows"),
        ("Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0", "Firefox on Android"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0", "Firefox on macOS"),
        ("curl/8.5", "curl/8.5"),
        (None, "An unknown browser"),
    ],
)  # fmt: skip
def test_a_browser_is_called_what_people_call_it(app: Flask, agent: str | None, called: str) -> None:
    with app.test_request_context("/"):
        assert shown.browser(agent) == called


def test_the_trail_calls_everybody_by_name(owner: Browser) -> None:
    owner.get("/people")
    owner.follow(owner.send("/people/olga/name", name="Olga the First"))
    words = words_of(owner.page)
    assert "Olga the First renamed Olga the First" in words
    assert "Somebody on the machine" in words
    assert "user:olga" not in words
