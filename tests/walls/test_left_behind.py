"""What somebody keeps who was put out, has another role or another password: none of it lets him in again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask

from ledger.access import ROLES
from ledger.cli import main
from tests.api.kit import CLUB, NIGHT, OTHER, V1, command, secret_of
from tests.walls.conftest import ANOTHER, GOOD, Browser, Clock, Join

HERE = f"{V1}/clubs/{CLUB}"


def link_by(browser: Browser, name: str, **headers: str) -> str:
    """Invite another owner, and keep the link."""
    made = browser.send(f"{HERE}/users", {"name": name, "role": "owner"}, **headers)
    return str(made.get_json()["link"].partition("#")[2])


def code_by(browser: Browser) -> str:
    made = browser.send(f"{HERE}/devices", {"name": "Mine", "role": "scorekeeper"})
    return str(made.get_json()["code"])


def comes_in(app: Flask, link: str, name: str) -> int:
    sent = {"code": link, "password": ANOTHER, "login": name}
    return Browser(app, address="10.6.6.6").send(f"{V1}/links/use", sent).status_code


LOSSES: dict[str, Callable[[Browser], object]] = {
    "put out": lambda owner: owner.send(f"{HERE}/users/mallory/disable"),
    "a lesser role": lambda owner: owner.send(f"{HERE}/users/mallory/role", {"role": "treasurer"}),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_links_and_codes_of_who_is_no_owner_any_more_let_nobody_in(
    app: Flask, owner: Browser, join: Join, loss: str
) -> None:
    mallory = join("Mallory", "owner")
    join("Bob", "viewer")
    invited, code = link_by(mallory, "Eve"), code_by(mallory)
    reset = mallory.send(f"{HERE}/users/bob/reset").get_json()["link"].partition("#")[2]
    olgas = link_by(owner, "Fay")
    LOSSES[loss](owner)
    assert [comes_in(app, link, "x") for link in (invited, reset)] == [422, 422]
    assert Browser(app).send(f"{V1}/pair", {"code": code}).status_code == 422
    assert comes_in(app, olgas, "fay") == 200


def test_links_of_who_handed_the_office_over_let_nobody_in(app: Flask, owner: Browser, join: Join) -> None:
    join("Bob", "viewer")
    kept = link_by(owner, "Eve")
    assert owner.send(f"{HERE}/hand-over", {"user": "bob", "role": "viewer"}).status_code == 200
    assert comes_in(app, kept, "eve") == 422


@pytest.mark.parametrize("place", ["over HTTP", "on the machine"])
def test_links_of_a_token_that_is_revoked_let_nobody_in(app: Flask, owner: Browser, path: Path, place: str) -> None:
    made = owner.send(f"{HERE}/tokens", {"role": "owner", "name": "Stolen"}).get_json()
    kept = link_by(Browser(app), "Eve", Authorization=f"Bearer {made['token']}")
    if place == "over HTTP":
        assert owner.send(f"{HERE}/tokens/{made['id']}", method="DELETE").status_code == 204
    else:
        main(["--db", str(path), "token", "revoke", "Stolen", "--club", CLUB], standalone_mode=False)
    assert comes_in(app, kept, "eve") == 422


# Cookies


def session_of(app: Flask, secret: str) -> Browser:
    """Take a cookie to another browser, as a thief does."""
    thief = Browser(app, address="10.6.6.6")
    thief.http.set_cookie("s", secret, domain="localhost")
    return thief


ENDS: dict[str, Callable[[Browser, Browser], object]] = {
    "signed out": lambda mine, _owner: mine.send(f"{V1}/sign-out"),
    "signed out on the page": lambda mine, _owner: mine.send("/sign-out"),
    "signed in again": lambda mine, _owner: mine.sign_in("bob"),
    "another password": lambda mine, _owner: mine.send(f"{HERE}/password", {"current": GOOD, "new": ANOTHER}),
    "put out": lambda _mine, owner: owner.send(f"{HERE}/users/bob/disable"),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_cookie_that_was_copied_ends_with_its_session(app: Flask, owner: Browser, join: Join, end: str) -> None:
    bob = join("Bob", "treasurer")
    thief = session_of(app, bob.cookie())
    assert thief.get(f"{HERE}/me").get_json()["id"] == "bob"
    ENDS[end](bob, owner)
    assert thief.get(f"{HERE}/me").status_code == 401
    assert thief.get("/members").headers["Location"] == "/sign-in"
    assert thief.send("/members/add", {"names": "Fay"}).status_code in (303, 401)
    assert "Fay" not in owner.get("/members").text


def test_a_reset_ends_sessions_and_another_role_holds_at_once(app: Flask, owner: Browser, join: Join) -> None:
    bob = join("Bob", "treasurer")
    assert bob.get("/members/ann/statement.csv").status_code == 200
    owner.send(f"{HERE}/users/bob/role", {"role": "viewer"})
    assert bob.get("/members/ann/statement.csv").status_code == 403
    link = owner.send(f"{HERE}/users/bob/reset").get_json()["link"].partition("#")[2]
    assert comes_in(app, link, "bob") == 200
    assert bob.get(f"{HERE}/me").status_code == 401


def test_an_owner_ends_the_session_of_anybody(owner: Browser, join: Join) -> None:
    bob = join("Bob", "treasurer")
    rows = owner.get(f"{HERE}/sessions?all=true").get_json()["sessions"]
    for row in rows:
        if row["user"] == "bob":
            assert owner.send(f"{HERE}/sessions/{row['id']}", method="DELETE").status_code == 204
    assert bob.get(f"{HERE}/me").status_code == 401


def test_a_cookie_that_somebody_chose_is_never_a_session(app: Flask, owner: Browser) -> None:
    fixed = session_of(app, "chosen-by-somebody-else")
    assert fixed.sign_in().status_code == 200
    assert fixed.cookie() not in ("chosen-by-somebody-else", owner.cookie(), "")
    assert len(fixed.cookie()) == 43  # 256 bits
    assert session_of(app, "chosen-by-somebody-else").get(f"{HERE}/me").status_code == 401


# A device that somebody holds


def test_who_holds_a_device_guesses_no_faster_than_others(tablet: Browser, clock: Clock) -> None:
    assert [tablet.sign_in(password=f"wrong {number}").status_code for number in range(6)] == [401] * 5 + [429]
    tried = 0
    for minute in range(24 * 60):
        clock.wait(minutes=1)
        tried += tablet.sign_in(password=f"wrong {minute}").status_code == 401
    assert tried <= 105  # in a day


def test_guesses_elsewhere_keep_nobody_from_signing_in_on_a_device(app: Flask, tablet: Browser) -> None:
    guesser = Browser(app, address="10.6.6.6")
    assert [guesser.sign_in(password=f"wrong {number}").status_code for number in range(7)][-1] == 429
    assert tablet.sign_in().status_code == 200


def test_what_a_device_may_not_do_it_does_by_no_other_way(tablet: Browser) -> None:
    act = command("PostAdjustment", **{"from": "ann", "to": "bob", "amount": 5, "reason": "x"})
    assert tablet.send(f"{HERE}/commands", act).status_code == 403
    assert tablet.send(f"{HERE}/commands", {"commands": [act]}).get_json()["verdicts"][0]["code"] == "role_needed"
    for header in ("X-Pin-Grant", "Authorization"):
        assert tablet.send(f"{HERE}/commands", act, **{header: "x"}).status_code in (401, 403)
    book = tablet.get(f"{HERE}/balances").get_json()
    for at in ("/money/adjust", "/people/invite", "/devices/pair", "/settings/season", "/members/eve/rename"):
        answer = tablet.send(at, {"name": "x", "role": "owner", "amount": "5"})
        assert answer.status_code in (403, 404, 422), at  # a form may ask for what it lacks, or for a PIN
    assert tablet.get(f"{HERE}/balances").get_json() == book
    for at in ("/people", "/devices", f"/nights/{NIGHT}/settlement.csv"):
        assert tablet.get(at).status_code == 403


# Another club


@pytest.mark.parametrize("role", ROLES)
def test_nothing_of_another_club_is_on_a_page(owner: Browser, join: Join, role: str) -> None:
    owner.send("/members/add", {"form": "add", "names": "Onlyhere Known"})
    assert "Onlyhere Known" in owner.get("/members").text
    stranger = join("Sam", role, OTHER)
    for at in ("/", "/members", "/tables", "/nights", f"/nights/{NIGHT}", "/money", "/settings", "/people", "/audit"):
        page = stranger.get(at).text
        assert "Onlyhere" not in page
        assert "The thursday club" not in page
    for at in ("/members/onlyhere-known", "/members/onlyhere-known/statement.csv"):
        assert stranger.get(at).status_code in (403, 404)
    for at in ("/people/olga/disable", "/people/olga/reset", "/members/onlyhere-known/archive"):
        assert stranger.send(at, {"form": "x"}).status_code in (403, 404, 422)
    assert stranger.get("/members", Authorization=f"Bearer {secret_of(OTHER, role)}").status_code == 200
    assert owner.get(f"{HERE}/me").status_code == 200
