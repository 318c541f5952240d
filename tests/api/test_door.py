"""The door over HTTP: who gets in, with which cookie, by whose page; and attempts to get in that must not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog
from argon2 import PasswordHasher
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app, listeners_of
from api.state import State
from ledger import people
from ledger.people import By, Door, passwords
from ledger.stores import SqliteStore
from tests.api.kit import CLUB, NIGHT, OTHER, V1, command, secret_of

GOOD = "correct horse battery"
ANOTHER = "staple in the corner"
HTTP, HTTPS = "http://localhost", "https://localhost"
OWN = {"Sec-Fetch-Site": "same-origin"}


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 26, 19, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def wait(self, **time: float) -> None:
        self.time += timedelta(**time)


class Browser:
    """A browser with its cookies, at an address, which says where its requests come from."""

    def __init__(self, app: Flask, base: str = HTTP, address: str = "10.0.0.1") -> None:
        self.http: FlaskClient = app.test_client()
        self.base = base
        self._environ = {"REMOTE_ADDR": address}

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> TestResponse:
        at = path if path.startswith("/api/") else f"{V1}{path}"
        named = {**OWN, **{key.replace("_", "-"): value for key, value in headers.items()}}
        return self.http.open(
            at,
            method=method,
            base_url=self.base,
            headers={key: value for key, value in named.items() if value},
            environ_base=self._environ,
            data=None if body is None else json.dumps(body),
            content_type=None if body is None else "application/json",
        )

    def post(self, path: str, body: Any = None, **headers: str) -> TestResponse:
        return self.call("POST", path, {} if body is None else body, **headers)

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.call("GET", path, **headers)

    def done(self, method: str, path: str, body: Any = None) -> Any:
        answered = self.call(method, path, body)
        assert answered.status_code < 300, answered.get_json()
        return answered.get_json() if answered.data else None

    def sign_in(self, login: str = "olga", password: str = GOOD, **more: str) -> TestResponse:
        return self.post("/sign-in", {"club": CLUB, "login": login, "password": password, **more})

    def cookie(self, name: str = "s") -> str | None:
        found = self.http.get_cookie(name, domain="localhost")
        return None if found is None else found.value


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_hasher", lambda: hasher)
    passwords._nobody.cache_clear()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    monkeypatch.setattr("ledger.service.ledger._now", clock)
    with SqliteStore(path) as store:
        app = create_app(store, listeners=3)
        app.testing = False
        yield app
        listeners_of(app).close()


@pytest.fixture
def door(app: Flask) -> Door:
    found: State = app.extensions["kittybook"]
    return found.door


@pytest.fixture
def join(door: Door) -> Callable[..., people.User]:
    """Let somebody join a club with a role."""

    def join(name: str, role: str, club: str = CLUB) -> people.User:
        _user, secret = people.add_user(door, club, name, role, By(actor="cli"))
        return people.use_link(door, secret, By(actor="cli"), password=GOOD, club_name=club).user

    return join


@pytest.fixture
def owner(app: Flask, join: Callable[..., people.User]) -> Browser:
    """Olga, signed in."""
    join("Olga", "owner")
    browser = Browser(app)
    assert browser.sign_in().status_code == 200
    return browser


@pytest.fixture
def tablet(app: Flask, owner: Browser) -> Browser:
    """The bar's, which is a scorekeeper."""
    made = owner.done("POST", f"/clubs/{CLUB}/devices", {"name": "Bar tablet", "role": "scorekeeper"})
    browser = Browser(app, address="10.0.0.2")
    browser.done("POST", "/pair", {"code": made["code"]})
    return browser


def code_of(answered: TestResponse) -> tuple[int, str]:
    return answered.status_code, answered.get_json()["code"]


# Cookies


@pytest.mark.parametrize(
    ("base", "names", "secure"), [(HTTP, {"s", "k"}, False), (HTTPS, {"__Host-s", "__Host-k"}, True)]
)
def test_cookies_are_those_that_a_browser_keeps_to_itself(
    app: Flask, join: Callable[..., people.User], base: str, names: set[str], secure: bool
) -> None:
    join("Olga", "owner")
    answered = Browser(app, base).sign_in()
    found = answered.headers.getlist("Set-Cookie")
    assert {cookie.partition("=")[0] for cookie in found} == names
    for cookie in found:
        parts = {part.strip() for part in cookie.split(";")}
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= parts
        assert ("Secure" in parts) is secure
        assert not any(part.startswith("Domain") for part in parts)
    assert answered.headers["Cache-Control"] == "no-store"


def test_a_cookie_of_the_one_kind_is_none_of_the_other(owner: Browser, app: Flask) -> None:
    secret = owner.cookie()
    assert secret
    over_https = Browser(app, HTTPS)
    over_https.http.set_cookie("s", secret, domain="localhost")
    assert code_of(over_https.get(f"/clubs/{CLUB}")) == (401, "sign_in_needed")
    plain = Browser(app)
    plain.http.set_cookie("__Host-s", secret, domain="localhost")
    assert code_of(plain.get(f"/clubs/{CLUB}")) == (401, "sign_in_needed")


def test_a_session_is_new_at_every_sign_in_and_none_that_was_brought_along(owner: Browser, app: Flask) -> None:
    first = owner.cookie()
    assert owner.sign_in().status_code == 200
    second = owner.cookie()
    assert first != second
    old = Browser(app)
    old.http.set_cookie("s", first or "", domain="localhost")
    assert code_of(old.get(f"/clubs/{CLUB}")) == (401, "session_ended")
    fixed = Browser(app)
    fixed.http.set_cookie("s", "chosen-by-somebody-else", domain="localhost")
    assert fixed.sign_in().status_code == 200
    assert fixed.cookie() != "chosen-by-somebody-else"


def test_signing_out_ends_the_session_at_the_server_too(owner: Browser, app: Flask) -> None:
    secret = owner.cookie()
    left = owner.post("/sign-out")
    assert (left.status_code, left.headers["Clear-Site-Data"]) == (204, '"cache"')
    assert owner.cookie() is None
    kept = Browser(app)
    kept.http.set_cookie("s", secret or "", domain="localhost")
    assert code_of(kept.get(f"/clubs/{CLUB}")) == (401, "session_ended")
    assert owner.post("/sign-out", {"storage": True}).headers["Clear-Site-Data"] == '"cache", "storage"'


def test_a_bearer_is_known_by_the_bearer_alone(owner: Browser) -> None:
    viewer = {"Authorization": f"Bearer {secret_of(CLUB, 'viewer')}"}
    assert owner.get(f"/clubs/{CLUB}/me", **viewer).get_json()["kind"] == "token"
    assert code_of(owner.get(f"/clubs/{CLUB}/users", **viewer)) == (403, "role_needed")
    assert code_of(owner.get(f"/clubs/{CLUB}", Authorization="Bearer wrong")) == (401, "token_wrong")
    assert code_of(owner.get(f"/clubs/{CLUB}", Authorization="Basic b2xnYTp4")) == (401, "sign_in_needed")


# Whose page sends


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Origin": HTTP}, False),
        ({"Sec-Fetch-Site": "", "Origin": HTTP}, True),
        ({"Sec-Fetch-Site": "", "Origin": "null"}, False),
        ({"Sec-Fetch-Site": "", "Origin": "http://localhost:8080"}, False),
        ({"Sec-Fetch-Site": "", "Origin": "https://localhost"}, False),
        ({"Sec-Fetch-Site": "", "Origin": "http://localhost.evil.example"}, False),
        ({"Sec-Fetch-Site": "", "Origin": "http://evil.example"}, False),
        ({"Sec-Fetch-Site": "", "Referer": f"{HTTP}/people"}, False),
        ({"Sec-Fetch-Site": ""}, False),
    ],
)
def test_only_a_page_of_this_address_sends_in_somebodys_name(
    owner: Browser, headers: dict[str, str], passes: bool
) -> None:
    sent = {key.replace("-", "_"): value for key, value in headers.items()}
    for method, path, body in (
        ("POST", f"/clubs/{CLUB}/users", {"name": "Bob", "role": "viewer"}),
        ("POST", f"/clubs/{CLUB}/nights/{NIGHT}/commands", command("AddNote", note="x")),
        ("DELETE", f"/clubs/{CLUB}/sessions", None),
        ("POST", "/sign-in", {"club": CLUB, "login": "olga", "password": GOOD}),
        ("POST", "/pair", {"code": "AAAAAAAA"}),
    ):
        answered = owner.call(method, path, body, **sent)
        assert (answered.status_code == 403) is not passes, (path, answered.get_json())
        if not passes:
            assert answered.get_json()["code"] == "cross_site"
    assert owner.get(f"/clubs/{CLUB}", **sent).status_code == 200  # reading changes nothing
    assert code_of(owner.call("PUT", f"/clubs/{CLUB}/pin", {}, **sent))[0] == (422 if passes else 403) or passes


def test_a_program_with_a_token_needs_no_page(app: Flask) -> None:
    browser = Browser(app)
    bearer = {"Authorization": f"Bearer {secret_of(CLUB, 'owner')}", "Sec_Fetch_Site": ""}
    assert browser.post(f"/clubs/{CLUB}/users", {"name": "Bob", "role": "viewer"}, **bearer).status_code == 201


# Links


def test_an_invitation_is_used_once(owner: Browser, app: Flask) -> None:
    made = owner.done("POST", f"/clubs/{CLUB}/users", {"name": "Bob", "role": "treasurer"})
    path, _hash, secret = made["link"].partition("#")
    assert path == f"{HTTP}/invite"
    bob = Browser(app)
    looked = bob.done("POST", "/links/look", {"code": secret})
    assert (looked["kind"], looked["club_name"], looked["role"]) == ("invite", "The thursday club", "treasurer")
    assert code_of(bob.post("/links/use", {"code": secret, "password": "baseball"})) == (422, "password_refused")
    came = bob.done("POST", "/links/use", {"code": secret, "login": "Bobby", "password": GOOD})
    assert (came["id"], came["role"], came["kind"]) == ("bob", "treasurer", "user")
    assert bob.get(f"/clubs/{CLUB}").status_code == 200
    for again in (secret, secret[:-1], "", "x"):
        assert code_of(Browser(app).post("/links/use", {"code": again, "password": GOOD})) == (422, "code_wrong")


def test_a_link_is_too_old_after_a_week(owner: Browser, app: Flask, clock: Clock) -> None:
    made = owner.done("POST", f"/clubs/{CLUB}/users", {"name": "Bob", "role": "treasurer"})
    clock.wait(days=7)
    body = {"code": made["link"].partition("#")[2], "password": GOOD}
    assert code_of(Browser(app).post("/links/use", body)) == (422, "code_wrong")


def test_a_password_is_reset_by_an_owner(owner: Browser, app: Flask, join: Callable[..., people.User]) -> None:
    join("Bob", "viewer")
    bob = Browser(app)
    bob.sign_in("bob")
    made = owner.done("POST", f"/clubs/{CLUB}/users/bob/reset")
    fresh = Browser(app)
    fresh.done("POST", "/links/use", {"code": made["link"].partition("#")[2], "password": ANOTHER})
    assert code_of(bob.get(f"/clubs/{CLUB}")) == (401, "session_ended")
    assert bob.sign_in("bob").status_code == 401
    assert Browser(app, address="10.0.0.9").sign_in("bob", ANOTHER).status_code == 200


# Devices and PINs


def test_a_devices_name_stands_on_what_it_records(tablet: Browser, owner: Browser) -> None:
    assert tablet.get(f"/clubs/{CLUB}/me").get_json()["kind"] == "device"
    sent = command("RecordHand", hand=6, bidder="bob", bid="three", made=True)
    assert tablet.post(f"/clubs/{CLUB}/nights/{NIGHT}/commands", sent).status_code == 201
    mine = command("RecordHand", hand=7, bidder="bob", bid="three", made=True)
    assert owner.post(f"/clubs/{CLUB}/nights/{NIGHT}/commands", mine).status_code == 201
    events = owner.done("GET", f"/clubs/{CLUB}/events?limit=1000")["events"]
    by_command = {event["command_id"]: (event["actor"], event["device"]) for event in events}
    device = tablet.get(f"/clubs/{CLUB}/me").get_json()["id"]
    assert by_command[sent["id"]] == (f"device:{device}", "Bar tablet")
    assert by_command[mine["id"]] == ("user:olga", "Olga")


def test_a_device_is_paired_once_named_listed_and_revoked(tablet: Browser, owner: Browser, app: Flask) -> None:
    (row,) = owner.done("GET", f"/clubs/{CLUB}/devices")["devices"]
    assert (row["name"], row["role"], row["paired_by"]) == ("Bar tablet", "scorekeeper", "user:olga")
    owner.done("POST", f"/clubs/{CLUB}/devices/{row['id']}/name", {"name": "Lounge"})
    assert tablet.get(f"/clubs/{CLUB}/me").get_json()["name"] == "Lounge"
    owner.done("DELETE", f"/clubs/{CLUB}/devices/{row['id']}")
    assert code_of(tablet.get(f"/clubs/{CLUB}")) == (401, "session_ended")
    made = owner.done("POST", f"/clubs/{CLUB}/devices", {"name": "Wall", "role": "viewer"})
    assert made["address"] == f"{HTTP}/pair#{made['code'].replace('-', '')}"
    assert made["qr"].startswith("data:image/svg+xml")
    assert Browser(app).post("/pair", {"code": made["code"]}).status_code == 200
    assert code_of(Browser(app).post("/pair", {"code": made["code"]})) == (422, "code_wrong")
    refused = owner.post(f"/clubs/{CLUB}/devices", {"name": "Till", "role": "treasurer"})
    assert refused.status_code == 422


def test_a_pin_lets_a_device_do_one_act_whose_actor_is_its_owner(tablet: Browser, owner: Browser) -> None:
    owner.done("PUT", f"/clubs/{CLUB}/pin", {"pin": "4071", "password": GOOD})
    act = command("PostAdjustment", **{"from": "ann", "to": "bob", "amount": 5, "reason": "so it was"})
    assert code_of(tablet.post(f"/clubs/{CLUB}/commands", act)) == (403, "role_needed")
    assert [one["user"] for one in tablet.done("GET", f"/clubs/{CLUB}/pins")["users"]] == ["olga"]
    assert code_of(tablet.post(f"/clubs/{CLUB}/pin", {"user": "olga", "pin": "4072"})) == (403, "pin_wrong")
    grant = tablet.done("POST", f"/clubs/{CLUB}/pin", {"user": "olga", "pin": "4071"})["grant"]
    batch = {"commands": [act, {**act, "id": "00000000-0000-4000-8000-000000000001"}]}
    assert code_of(tablet.post(f"/clubs/{CLUB}/commands", batch, X_Pin_Grant=grant)) == (403, "pin_grant_wrong")
    assert tablet.post(f"/clubs/{CLUB}/commands?dry_run=true", act, X_Pin_Grant=grant).status_code == 200
    assert tablet.post(f"/clubs/{CLUB}/commands", act, X_Pin_Grant=grant).status_code == 201
    assert tablet.post(f"/clubs/{CLUB}/commands", act, X_Pin_Grant=grant).status_code == 200  # sent again
    more = command("PostAdjustment", **{"from": "ann", "to": "bob", "amount": 6, "reason": "so it was"})
    assert code_of(tablet.post(f"/clubs/{CLUB}/commands", more, X_Pin_Grant=grant)) == (403, "pin_grant_wrong")
    assert code_of(owner.post(f"/clubs/{CLUB}/commands", more, X_Pin_Grant=grant)) == (403, "pin_grant_wrong")
    events = owner.done("GET", f"/clubs/{CLUB}/events?limit=1000")["events"]
    (event,) = [one for one in events if one["command_id"] == act["id"]]
    assert (event["actor"], event["device"]) == ("user:olga", "Bar tablet")


def test_only_people_have_passwords_sessions_and_pins(tablet: Browser) -> None:
    for method, path, body in (
        ("POST", "/password", {"new": ANOTHER}),
        ("DELETE", "/sessions", None),
        ("DELETE", "/sessions/0123456789ab", None),
        ("PUT", "/pin", {"pin": "4071", "password": GOOD}),
        ("DELETE", "/pin", None),
    ):
        assert code_of(tablet.call(method, f"/clubs/{CLUB}{path}", body)) == (403, "password_needed")


# Sessions, passwords, tokens


def test_sessions_are_listed_and_ended(owner: Browser, app: Flask) -> None:
    other = Browser(app)
    other.sign_in()
    rows = owner.done("GET", f"/clubs/{CLUB}/sessions")["sessions"]
    assert sorted(row["current"] for row in rows) == [False, False, True]  # the first from the link
    (mine,) = [row for row in rows if row["current"]]
    (others,) = [row for row in other.done("GET", f"/clubs/{CLUB}/sessions")["sessions"] if row["current"]]
    owner.done("DELETE", f"/clubs/{CLUB}/sessions/{others['id']}")
    assert code_of(other.get(f"/clubs/{CLUB}")) == (401, "session_ended")
    assert code_of(owner.call("DELETE", f"/clubs/{CLUB}/sessions/{others['id']}")) == (404, "session_unknown")
    owner.done("DELETE", f"/clubs/{CLUB}/sessions")
    assert [row["id"] for row in owner.done("GET", f"/clubs/{CLUB}/sessions")["sessions"]] == [mine["id"]]


def test_nobody_ends_or_sees_the_session_of_another(
    owner: Browser, app: Flask, join: Callable[..., people.User]
) -> None:
    join("Bob", "treasurer")
    bob = Browser(app)
    bob.sign_in("bob")
    (current,) = [row for row in owner.done("GET", f"/clubs/{CLUB}/sessions")["sessions"] if row["current"]]
    assert code_of(bob.call("DELETE", f"/clubs/{CLUB}/sessions/{current['id']}")) == (404, "session_unknown")
    assert code_of(bob.get(f"/clubs/{CLUB}/sessions?all=true")) == (403, "role_needed")
    assert {row["user"] for row in bob.done("GET", f"/clubs/{CLUB}/sessions")["sessions"]} == {"bob"}
    everybody = owner.done("GET", f"/clubs/{CLUB}/sessions?all=true")["sessions"]
    assert {row["user"] for row in everybody} == {"bob", "olga"}


def test_a_session_sleeps_for_thirty_days(owner: Browser, clock: Clock) -> None:
    clock.wait(days=29)
    assert owner.get(f"/clubs/{CLUB}").status_code == 200
    clock.wait(days=29)
    assert owner.get(f"/clubs/{CLUB}").status_code == 200
    clock.wait(days=30)
    assert code_of(owner.get(f"/clubs/{CLUB}")) == (401, "session_ended")


def test_a_password_is_changed_by_who_knows_it(owner: Browser, app: Flask) -> None:
    other = Browser(app)
    other.sign_in()
    before = owner.cookie()
    wrong = owner.post(f"/clubs/{CLUB}/password", {"current": "wrong password", "new": ANOTHER})
    assert code_of(wrong) == (401, "sign_in_wrong")
    owner.done("POST", f"/clubs/{CLUB}/password", {"current": GOOD, "new": ANOTHER})
    assert owner.cookie() != before
    assert owner.get(f"/clubs/{CLUB}").status_code == 200
    assert code_of(other.get(f"/clubs/{CLUB}")) == (401, "session_ended")


def test_tokens_are_made_once_shown_and_revoked(owner: Browser, app: Flask) -> None:
    made = owner.done("POST", f"/clubs/{CLUB}/tokens", {"role": "viewer", "name": "Scoreboard"})
    program = Browser(app)
    bearer = {"Authorization": f"Bearer {made['token']}", "Sec_Fetch_Site": ""}
    assert program.get(f"/clubs/{CLUB}/me", **bearer).get_json()["name"] == "Scoreboard"
    assert made["token"] not in json.dumps(owner.done("GET", f"/clubs/{CLUB}/tokens"))
    owner.done("DELETE", f"/clubs/{CLUB}/tokens/{made['id']}")
    assert code_of(program.get(f"/clubs/{CLUB}/me", **bearer)) == (401, "token_wrong")


# People


def test_the_office_is_handed_over_and_the_last_owner_stays(
    owner: Browser, app: Flask, join: Callable[..., people.User]
) -> None:
    assert code_of(owner.post(f"/clubs/{CLUB}/users/olga/role", {"role": "viewer"})) == (422, "last_owner")
    assert code_of(owner.post(f"/clubs/{CLUB}/users/olga/disable")) == (422, "last_owner")
    join("Bob", "scorekeeper")
    owner.done("POST", f"/clubs/{CLUB}/hand-over", {"user": "bob", "role": "viewer"})
    assert code_of(owner.get(f"/clubs/{CLUB}/users")) == (403, "role_needed")
    bob = Browser(app)
    bob.sign_in("bob")
    bob.done("POST", f"/clubs/{CLUB}/users/olga/disable")
    assert code_of(owner.get(f"/clubs/{CLUB}/me")) == (401, "session_ended")
    assert Browser(app).sign_in().status_code == 401


WRITES: dict[str, tuple[str, str, Any]] = {
    "change_password": ("POST", "/password", {"new": ANOTHER}),
    "end_session": ("DELETE", "/sessions/{session}", None),
    "end_other_sessions": ("DELETE", "/sessions", None),
    "make_token": ("POST", "/tokens", {"role": "owner"}),
    "revoke_token": ("DELETE", "/tokens/{token}", None),
    "invite": ("POST", "/users", {"name": "Eve", "role": "owner"}),
    "reset_user": ("POST", "/users/olga/reset", None),
    "change_role": ("POST", "/users/bob/role", {"role": "owner"}),
    "rename_user": ("POST", "/users/bob/name", {"name": "Rob"}),
    "disable_user": ("POST", "/users/bob/disable", None),
    "enable_user": ("POST", "/users/bob/enable", None),
    "pair_device": ("POST", "/devices", {"name": "x", "role": "viewer"}),
    "rename_device": ("POST", "/devices/{device}/name", {"name": "x"}),
    "revoke_device": ("DELETE", "/devices/{device}", None),
    "set_pin": ("PUT", "/pin", {"pin": "4071", "password": GOOD}),
    "remove_pin": ("DELETE", "/pin", None),
    "enter_pin": ("POST", "/pin", {"user": "olga", "pin": "4071"}),
    "hand_over": ("POST", "/hand-over", {"user": "bob", "role": "viewer"}),  # and then he is no owner
}

OWNERS = {
    "make_token", "revoke_token", "invite", "reset_user", "change_role", "rename_user", "disable_user", "enable_user",
    "hand_over", "pair_device", "rename_device", "revoke_device",
}  # fmt: skip


@pytest.mark.parametrize("role", ["viewer", "scorekeeper", "treasurer", "owner"])
def test_what_changes_the_door_by_role(
    owner: Browser, tablet: Browser, app: Flask, join: Callable[..., people.User], role: str
) -> None:
    join("Bob", "viewer")
    join("Ann", role)
    device = tablet.get(f"/clubs/{CLUB}/me").get_json()["id"]
    made = owner.done("POST", f"/clubs/{CLUB}/tokens", {"role": "viewer"})
    for call, (method, path, body) in WRITES.items():
        ann = Browser(app)
        if ann.sign_in("ann").status_code != 200:
            assert call != "change_password"
            ann.sign_in("ann", ANOTHER)
        places = {"device": device, "token": made["id"], "session": "0123456789ab"}
        answered = ann.call(method, f"/clubs/{CLUB}{path.format(**places)}", body)
        refused = answered.status_code == 403 and answered.get_json()["code"] == "role_needed"
        needs = "owner" if call in OWNERS else "scorekeeper" if call == "enter_pin" else "viewer"
        allowed = ("viewer", "scorekeeper", "treasurer", "owner").index(role) >= (
            "viewer", "scorekeeper", "treasurer", "owner",
        ).index(needs)  # fmt: skip
        assert refused is not allowed, (call, answered.get_json(silent=True))


@pytest.mark.parametrize("call", WRITES)
def test_another_clubs_door_is_not_there(app: Flask, join: Callable[..., people.User], call: str, door: Door) -> None:
    join("Olga", "owner")
    join("Bob", "owner", OTHER)
    stranger = Browser(app)
    assert stranger.sign_in("bob", club=OTHER).status_code == 200
    before = _rows(door, CLUB)
    method, path, body = WRITES[call]
    places = {"device": "x", "token": "x", "session": "x"}
    answered = stranger.call(method, f"/clubs/{CLUB}{path.format(**places)}", body)
    assert code_of(answered) == (404, "club_unknown")
    assert code_of(Browser(app).call(method, f"/clubs/{CLUB}{path.format(**places)}", body))[0] == 401
    assert _rows(door, CLUB) == before


def test_ids_of_another_club_are_not_there(app: Flask, join: Callable[..., people.User], owner: Browser) -> None:
    join("Bob", "owner", OTHER)
    stranger = Browser(app)
    stranger.sign_in("bob", club=OTHER)
    made = owner.done("POST", f"/clubs/{CLUB}/tokens", {"role": "viewer"})
    (session, *_) = owner.done("GET", f"/clubs/{CLUB}/sessions")["sessions"]
    for method, path, code in (
        ("DELETE", f"/tokens/{made['id']}", "token_unknown"),
        ("DELETE", f"/sessions/{session['id']}", "session_unknown"),
        ("POST", "/users/olga/disable", "user_unknown"),
        ("POST", "/users/olga/reset", "user_unknown"),
        ("DELETE", "/devices/d0000", "device_unknown"),
    ):
        assert code_of(stranger.call(method, f"/clubs/{OTHER}{path}")) == (404, code)


# Attempts to get in


def test_a_guesser_waits_and_nobody_at_home_does(owner: Browser, app: Flask, clock: Clock) -> None:
    guesser = Browser(app, address="10.6.6.6")
    outcomes = [guesser.sign_in(password=f"wrong password {number}") for number in range(7)]
    assert [one.status_code for one in outcomes] == [401] * 5 + [429] * 2
    assert (code_of(outcomes[-1]), outcomes[-1].headers["Retry-After"]) == ((429, "too_many_attempts"), "1")
    assert Browser(app, address="10.7.7.7").sign_in().status_code == 429
    assert owner.sign_in().status_code == 200  # in the browser where she was before
    assert owner.post("/sign-out").status_code == 204
    assert owner.sign_in().status_code == 200  # even when she had left
    clock.wait(seconds=1)
    assert Browser(app, address="10.7.7.7").sign_in().status_code == 200


@pytest.mark.usefixtures("owner")
def test_headers_do_not_make_an_address_another(app: Flask) -> None:
    guesser = Browser(app, address="10.6.6.6")
    outcomes = []
    for number in range(45):
        body = {"club": CLUB, "login": f"name{number}", "password": "wrong password"}
        tricks = {
            "X_Forwarded_For": f"10.1.1.{number}",
            "X_Real_IP": f"10.1.2.{number}",
            "Forwarded": f"for=10.1.3.{number}",
        }
        outcomes.append(guesser.post("/sign-in", body, **tricks).status_code)
    assert outcomes == [401] * 40 + [429] * 5


@pytest.mark.parametrize(
    "tricks",
    [
        {"X-Remote-User": "olga"},
        {"X-Forwarded-User": "olga"},
        {"X-Original-URL": "/api/v1/health"},
        {"X-HTTP-Method-Override": "GET"},
        {"Authorization": ""},
        {"Cookie": "s="},
        {"Cookie": "s=' OR 1=1 --"},
        {"Cookie": "s=%00; s=x"},
        {"Cookie": "session=olga; k=x"},
        {"X-Pin-Grant": "x"},
    ],
)
@pytest.mark.usefixtures("owner")
def test_no_header_lets_anybody_in(app: Flask, tricks: dict[str, str]) -> None:
    nobody = app.test_client()
    for method, path in (("GET", "/users"), ("POST", "/tokens"), ("GET", "")):
        answered = nobody.open(f"{V1}/clubs/{CLUB}{path}", method=method, headers={**OWN, **tricks})
        assert answered.status_code == 401


def test_a_foreign_host_is_not_answered(owner: Browser) -> None:
    assert owner.get("/health", Host="evil.example").status_code == 400
    made = owner.call("POST", f"/clubs/{CLUB}/users", {"name": "Bob", "role": "viewer"}, Host="evil.example")
    assert made.status_code == 400


def test_codes_are_guessed_ever_more_slowly(app: Flask, owner: Browser) -> None:
    owner.done("POST", f"/clubs/{CLUB}/devices", {"name": "Wall", "role": "viewer"})
    guesser = Browser(app, address="10.6.6.6")
    outcomes = [guesser.post("/pair", {"code": f"{number:08}"}).status_code for number in range(15)]
    assert outcomes == [422] * 10 + [429] * 5


@pytest.mark.parametrize(
    ("place", "body"),
    [
        ("/sign-in", {"login": 1, "password": GOOD}),
        ("/sign-in", {"login": "olga"}),
        ("/sign-in", {"login": "olga", "password": ["x"]}),
        ("/sign-in", {"login": "olga", "password": GOOD, "role": "owner"}),
        ("/sign-in", {"login": "x" * 2_000, "password": GOOD}),
        ("/sign-in", []),
        ("/links/use", {"code": None}),
        ("/pair", {"code": {}}),
    ],
)
def test_what_is_of_another_shape_is_refused(app: Flask, place: str, body: Any) -> None:
    answered = Browser(app).post(place, body)
    assert answered.status_code in (400, 422)
    assert answered.mimetype == "application/problem+json"


def test_who_is_refused_stands_in_the_trail_once_a_minute(
    owner: Browser, app: Flask, join: Callable[..., people.User], clock: Clock
) -> None:
    join("Bob", "viewer")
    bob = Browser(app, address="10.0.0.7")
    bob.sign_in("bob")
    for _ in range(3):
        bob.get(f"/clubs/{CLUB}/users")
        bob.post(f"/clubs/{CLUB}/nights/{NIGHT}/commands", command("CloseNight"))
    clock.wait(seconds=61)
    bob.get(f"/clubs/{CLUB}/users")
    found = owner.done("GET", f"/clubs/{CLUB}/trail")["trail"]
    refused = [(row["actor"], row["about"], row["address"]) for row in found if row["what"] == "refused"]
    assert refused == [
        ("user:bob", "users", "10.0.0.7"),
        ("user:bob", "send_command", "10.0.0.7"),
        ("user:bob", "users", "10.0.0.7"),
    ]
    page = owner.done("GET", f"/clubs/{CLUB}/trail?limit=2")
    assert len(page["trail"]) == 2
    assert owner.done("GET", f"/clubs/{CLUB}/trail?limit=2&after={page['next']}")["trail"] == found[2:4]


def test_no_secret_is_in_a_log_an_error_or_the_store(owner: Browser, tablet: Browser, app: Flask, path: Path) -> None:
    with structlog.testing.capture_logs() as logs:
        made = owner.done("POST", f"/clubs/{CLUB}/users", {"name": "Bob", "role": "viewer"})
        link = made["link"].partition("#")[2]
        owner.done("PUT", f"/clubs/{CLUB}/pin", {"pin": "407193", "password": GOOD})
        grant = tablet.done("POST", f"/clubs/{CLUB}/pin", {"user": "olga", "pin": "407193"})["grant"]
        token = owner.done("POST", f"/clubs/{CLUB}/tokens", {"role": "viewer"})["token"]
        pairing = owner.done("POST", f"/clubs/{CLUB}/devices", {"name": "Wall", "role": "viewer"})["code"]
        wrong = [
            Browser(app).sign_in(password="my wrong password"),
            Browser(app).post("/links/use", {"code": f"{link}x", "password": "my wrong password"}),
            Browser(app).post("/links/use", {"code": link, "password": "password"}),
            Browser(app).post("/pair", {"code": "QQQQQQQQ"}),
            tablet.post(f"/clubs/{CLUB}/pin", {"user": "olga", "pin": "888123"}),
            owner.get(f"/clubs/{CLUB}?token={token}"),
        ]
    secrets = [link, grant, token, GOOD, "my wrong password", "407193", "888123", pairing, pairing.replace("-", "")]
    secrets += [owner.cookie() or "", owner.cookie("k") or "", tablet.cookie() or ""]
    logged = json.dumps(logs)
    for secret in secrets:
        assert secret
        assert secret not in logged
        assert not any(secret in answered.get_data(as_text=True) for answered in wrong)
    for file in path.parent.glob("book.db*"):
        content = file.read_bytes()
        assert not any(secret.encode() in content for secret in secrets)
    assert re.search(r"user:olga", logged)


def _rows(door: Door, club: str) -> list[Any]:
    with door.people.read() as records:
        kinds = (people.User, people.Session, people.Link, people.Device, people.Pin)
        return [row for kind in kinds for row in records.all(kind, club)]


def is_quick(answered: TestResponse) -> bool:
    """Tell whether nothing new was said before the app was asked: the app's own answers carry this header."""
    return answered.status_code == 304 and "Content-Security-Policy" not in answered.headers


@pytest.mark.parametrize("base", [HTTP, HTTPS])
def test_a_session_that_asks_again_and_again_is_answered_without_the_app(
    app: Flask, join: Callable[..., people.User], base: str
) -> None:
    join("Bob", "viewer")
    bob = Browser(app, base)
    bob.sign_in("bob")
    first = bob.get(f"/clubs/{CLUB}/nights/{NIGHT}")
    tag = first.headers["ETag"]
    again = bob.get(f"/clubs/{CLUB}/nights/{NIGHT}", If_None_Match=tag)
    assert is_quick(again)
    assert again.headers["ETag"] == tag
    assert bob.get(f"/clubs/{CLUB}/nights/{NIGHT}", If_None_Match='"another"').status_code == 200


def test_a_device_that_asks_again_and_again_is_answered_without_the_app(tablet: Browser, owner: Browser) -> None:
    at = f"/clubs/{CLUB}/nights/{NIGHT}"
    tag = tablet.get(at).headers["ETag"]
    assert is_quick(tablet.get(at, If_None_Match=tag))
    owner.post(f"{at}/commands", command("AddNote", note="something new"))
    assert tablet.get(at, If_None_Match=tag).status_code == 200
    tag = tablet.get(at).headers["ETag"]
    (device,) = owner.done("GET", f"/clubs/{CLUB}/devices")["devices"]
    owner.done("DELETE", f"/clubs/{CLUB}/devices/{device['id']}")
    assert tablet.get(at, If_None_Match=tag).status_code == 401


def test_who_was_shut_out_is_told_so_even_where_nothing_is_new(
    owner: Browser, app: Flask, join: Callable[..., people.User], clock: Clock, door: Door
) -> None:
    at = f"/clubs/{CLUB}/nights/{NIGHT}"
    bob = join("Bob", "scorekeeper")

    def signed_in() -> tuple[Browser, str]:
        browser = Browser(app)
        browser.sign_in("bob")
        tag = browser.get(at).headers["ETag"]
        assert is_quick(browser.get(at, If_None_Match=tag))
        return browser, tag

    browser, tag = signed_in()
    people.change_role(door, CLUB, bob.id, "viewer", By(actor="cli"))
    assert browser.get(at, If_None_Match=tag).status_code == 200  # another role, another answer
    browser, tag = signed_in()
    people.disable_user(door, CLUB, bob.id, By(actor="cli"))
    assert browser.get(at, If_None_Match=tag).status_code == 401
    people.enable_user(door, CLUB, bob.id, By(actor="cli"))
    browser, tag = signed_in()
    assert browser.post("/sign-out").status_code == 204
    assert browser.get(at, If_None_Match=tag).status_code in (401, 403)
    browser, tag = signed_in()
    clock.wait(days=31)
    assert browser.get(at, If_None_Match=tag).status_code == 401
    assert owner.get(at, If_None_Match=tag, Authorization="Basic eA==").status_code == 401  # never both


def test_nothing_is_said_of_another_club_even_with_its_tag(app: Flask, join: Callable[..., people.User]) -> None:
    join("Bob", "viewer")
    join("Eve", "viewer", OTHER)
    eve, bob = Browser(app), Browser(app)
    eve.post("/sign-in", {"club": OTHER, "login": "eve", "password": GOOD})
    tag = eve.get(f"/clubs/{OTHER}/nights/{NIGHT}").headers["ETag"]
    bob.sign_in("bob")
    assert bob.get(f"/clubs/{OTHER}/nights/{NIGHT}", If_None_Match=tag).status_code == 404
    own = bob.get(f"/clubs/{CLUB}/nights/{NIGHT}").headers["ETag"]
    assert bob.get(f"/clubs/{OTHER}/nights/{NIGHT}", If_None_Match=own).status_code == 404


def test_an_open_stream_ends_when_its_session_does(
    owner: Browser, app: Flask, join: Callable[..., people.User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.live.BEAT", 0.05)
    join("Bob", "viewer")
    bob = Browser(app)
    bob.sign_in("bob")
    stream = bob.get(f"/clubs/{CLUB}/live")
    assert stream.status_code == 200
    heard: Iterator[bytes] = stream.iter_encoded()
    assert next(heard).startswith(b"retry")
    next(heard)  # where the book stands
    assert next(heard).startswith(b": beat")
    for session in owner.done("GET", f"/clubs/{CLUB}/sessions?all=true")["sessions"]:
        if session["user"] == "bob":
            owner.done("DELETE", f"/clubs/{CLUB}/sessions/{session['id']}")
    assert [part for part in heard if not part.startswith(b": beat")] == []  # it ends by itself
    stream.close()


def test_an_open_stream_of_a_device_ends_when_it_is_revoked(
    owner: Browser, tablet: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.live.BEAT", 0.05)
    stream = tablet.get(f"/clubs/{CLUB}/live")
    heard: Iterator[bytes] = stream.iter_encoded()
    assert next(heard).startswith(b"retry")
    (device,) = owner.done("GET", f"/clubs/{CLUB}/devices")["devices"]
    owner.done("DELETE", f"/clubs/{CLUB}/devices/{device['id']}")
    assert len(list(heard)) < 100
    stream.close()
