"""Every address that there is, asked by those who may and those who may not: what its answer says to a browser."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import structlog
from flask import Flask
from werkzeug.routing import Rule

from api.tls import TLS, Shown
from ledger.errors import StoreBusy
from ledger.people import Door, User
from tests.api.kit import CLUB, NIGHT, V1, secret_of
from tests.walls.conftest import GOOD, Browser, Clock, Join
from web.statics import _files

PLACES: dict[str, Any] = {
    "club": CLUB, "night": NIGHT, "one": NIGHT, "member": "ann", "table": "peep", "rulebook": "penny-nap", "hand": 1,
    "number": 1, "account": "ann", "user": "bob", "device": "d0000000", "token": "00000000", "session": "0123456789ab",
    "name": "kittybook.css",
}  # fmt: skip

QUERIES = {
    "explain": "?account=ann",
    "whatif": "?rulebook=penny-nap",
    "new_night": "?table=peep",
    "merge": "?into=eve",
}


def rules_of(app: Flask, *methods: str) -> Iterator[tuple[str, str, Rule]]:
    """Yield every way to ask: the method, the address, and the rule."""
    for rule in app.url_map.iter_rules():
        for method in sorted({*methods} & (rule.methods or set())):
            places = {key: PLACES[key] for key in rule.arguments}
            if rule.rule.startswith("/members/<id:one>"):
                places["one"] = "ann"
            _domain, at = rule.build(places) or ("", "")
            yield method, at, rule


def pages(app: Flask) -> list[str]:
    return [at + QUERIES.get(rule.endpoint.rpartition(".")[2], "") for _get, at, rule in rules_of(app, "GET")]


def dump(path: Path) -> list[str]:
    """Return all that a store holds, but that it was tried whether its disk can be written."""
    with sqlite3.connect(path) as connection:
        return [line for line in connection.iterdump() if not line.startswith('INSERT INTO "trials"')]


TEXTS = re.compile(r"text/.+|.+\+xml|.+/xml")
NOWHERE = ("/nowhere", f"{V1}/nowhere", f"{V1}/clubs/nowhere", f"{V1}/clubs/{CLUB}/nights/never")
LONG = {f"{V1}/clubs/{CLUB}/live"}
"""What goes on until one goes away."""


def test_every_answer_tells_a_browser_what_it_is_and_what_it_may_do_with_it(app: Flask, owner: Browser) -> None:
    app.extensions[TLS] = Shown(port=8443, names=("bar",), authority=b"x", fingerprint="AB")  # /trust is there, too
    seen = set()
    for who in (owner, Browser(app)):
        for at in [
            *pages(app),
            "/nowhere",
            f"{V1}/nowhere",
            f"{V1}/clubs/nowhere",
            *(f"/static/{n}" for n in _files()),
        ]:
            answered = who.get(at, Origin="http://evil.example")
            headers = answered.headers
            seen.add(answered.status_code)
            assert answered.status_code < 500, at
            assert headers["X-Content-Type-Options"] == "nosniff", at
            policy = {
                part.strip().partition(" ")[0]: part.strip() for part in headers["Content-Security-Policy"].split(";")
            }
            assert policy["default-src"] == "default-src 'none'", at  # and with it object-src
            assert policy["base-uri"] == "base-uri 'none'", at
            assert policy["frame-ancestors"] == "frame-ancestors 'none'", at
            assert "unsafe" not in str(policy)
            assert "http" not in str(policy)
            assert headers["Referrer-Policy"] in ("same-origin", "no-referrer"), at
            assert headers["Cross-Origin-Opener-Policy"] == "same-origin", at
            assert headers["Cross-Origin-Resource-Policy"] == "same-origin", at
            assert not [name for name, _value in headers if name.lower().startswith("access-control-")], at
            assert "Server" not in headers
            if answered.status_code == 200 and not is_for_anybody(at):
                assert headers["Cache-Control"] in ("no-store", "private, no-cache"), at
            if TEXTS.fullmatch(answered.mimetype or ""):
                assert "charset=utf-8" in headers["Content-Type"], at
            if answered.mimetype == "text/csv":
                assert re.fullmatch(r'attachment; filename="[a-z0-9._-]+"', headers["Content-Disposition"]), at
            answered.close()
    assert seen >= {200, 303, 401, 404}


def is_for_anybody(at: str) -> bool:
    """Tell whether anybody may read it, and so anybody may keep it."""
    return at == f"{V1}/openapi.json" or at.startswith(("/static/", "/api/docs"))


def test_reading_changes_nothing(app: Flask, owner: Browser, path: Path) -> None:
    before = dump(path)
    for at in pages(app):
        owner.get(at).close()
        owner.http.head(at).close()
        owner.http.options(at).close()
    assert dump(path) == before


@pytest.mark.parametrize("site", ["cross-site", "same-site", None])
def test_whatever_changes_anything_is_not_taken_from_another_site(
    app: Flask, owner: Browser, path: Path, site: str | None
) -> None:
    before, tried = dump(path), 0
    for method, at, rule in rules_of(app, "POST", "PUT", "DELETE", "PATCH"):
        if rule.endpoint.endswith(".score"):
            continue  # anybody may, and it changes nothing
        for kind in ("application/json", "text/plain", "application/x-www-form-urlencoded"):
            for origin in ({}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
                sent = {**origin, **({"Sec-Fetch-Site": site} if site else {})}
                answered = owner.http.open(at, method=method, data="{}", content_type=kind, headers=sent)
                assert answered.status_code == 403, (method, at)
                tried += 1
    assert dump(path) == before
    assert tried > 500


OWN = re.compile(r"/account.*|/sign-(in|out)|/invite.*|/pair|.*/dispute")
"""What a viewer may send from a page: what concerns himself, and that a hand is disputed."""


def test_who_is_nobody_or_a_viewer_changes_nothing_by_any_page(app: Flask, join: Join, path: Path) -> None:
    viewer = join("Vera", "viewer")
    before, tried = dump(path), 0
    for _post, at, _rule in rules_of(app, "POST"):
        if at.startswith("/api/") or OWN.fullmatch(at):  # the API: tests/api/test_roles.py, test_door.py
            continue
        form = {"form": "x", "name": "x", "names": "x", "role": "owner", "reason": "x", "amount": "1", "code": "x"}
        assert Browser(app).send(at, form).headers["Location"] == "/sign-in", at
        assert viewer.send(at, form).status_code == 403, at
        tried += 1
    noted = [line for line in dump(path) if line not in before]
    assert noted
    assert all(line.startswith('INSERT INTO "audit"') and "user:vera" in line and "refused" in line for line in noted)
    assert tried > 30


def test_no_answer_holds_what_is_kept_of_a_secret(app: Flask, owner: Browser, join: Join, path: Path) -> None:
    join("Bob", "treasurer")
    owner.send(f"{V1}/clubs/{CLUB}/pin", {"pin": "407193", "password": GOOD}, method="PUT")
    with sqlite3.connect(path) as connection:
        kept = [row[0] for row in connection.execute("SELECT password FROM users WHERE password IS NOT NULL")]
        kept += [row[0] for row in connection.execute("SELECT argon2 FROM pins")]
        for table in ("sessions", "invites", "browsers", "tokens"):
            kept += [row[0] for row in connection.execute(f"SELECT digest FROM {table}")]
    assert len(kept) > 8
    for at in pages(app):
        if at not in LONG:
            told = owner.get(at).text
            assert not [secret for secret in kept if secret in told], at


def test_a_token_in_an_address_is_no_token(app: Flask) -> None:
    secret = secret_of(CLUB, "owner")
    for at in (f"{V1}/clubs/{CLUB}", "/members", f"/nights/{NIGHT}"):
        for name in ("token", "access_token", "bearer", "s", "session", "Authorization"):
            assert Browser(app).get(f"{at}?{name}={secret}").status_code in (303, 401, 422)


def test_where_https_is_given_a_plain_request_is_led_nowhere_else(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    app.extensions[TLS] = Shown(port=8443)
    monkeypatch.setattr("web.trust.is_secure_context", lambda: False)  # as over a network
    for at in (
        "/nights?table=x",
        "/%0d%0aX:%20y",
        "/%0aSet-Cookie:s=1",
        "/.evil.example/",
        "/@evil.example",
        "/%5c%5ce",
    ):
        answered = Browser(app).get(at)
        assert answered.status_code == 303
        assert answered.headers["Location"].startswith("https://localhost:8443/"), at
        assert {name for name, _value in answered.headers}.isdisjoint({"X", "Set-Cookie"})


# Forms


class Inputs(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[tuple[dict[str, str], list[dict[str, str]]]] = []
        self.hrefs: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {key: value or "" for key, value in attrs}
        if tag == "form":
            self.forms.append((said, []))
        elif tag in ("input", "textarea", "select") and self.forms:
            self.forms[-1][1].append(said)
        if "href" in said:
            self.hrefs.append(said["href"])


def test_secrets_are_typed_unseen_sent_in_bodies_and_may_be_pasted(app: Flask, owner: Browser) -> None:
    link = owner.send("/people/invite", {"name": "Eve", "role": "viewer"}).text
    found = re.search(r"#([\w-]{43})", link)
    assert found is not None
    invited = Browser(app).send("/invite", {"code": found[1]}).text
    names = set()
    for html in (owner.get("/sign-in").text, owner.get("/account").text, invited):
        for form, inputs in Inputs(html).forms:
            for one in inputs:
                if one.get("name") in ("password", "current", "new", "pin"):
                    names.add(one["name"])
                    assert one["type"] == "password"
                    assert form["method"] == "post"
                    assert not [key for key in one if key.startswith("on")]
                    assert "value" not in one or not one["value"]
                    if one["name"] != "pin":
                        assert one["autocomplete"] in ("current-password", "new-password")
                        assert int(one["maxlength"]) >= 64
    assert names == {"password", "current", "new", "pin"}


def test_every_way_on_a_page_is_to_this_address(app: Flask, owner: Browser) -> None:
    for at in pages(app):
        if not at.startswith("/api/"):
            for href in Inputs(owner.get(at).text).hrefs:
                assert re.match(r"[/?#](?!/)", href), (at, href)


# Accounts


def test_a_password_stays_good_until_it_is_changed(owner: Browser, clock: Clock) -> None:
    clock.wait(days=3_000)
    assert owner.sign_in().status_code == 200


def test_nobody_is_there_from_the_beginning_and_nothing_is_asked_instead_of_a_password(app: Flask) -> None:
    for login in ("root", "admin", "owner", "sa", "kittybook", "test", "guest"):
        for password in ("", login, "password", "admin", "kittybook"):
            assert Browser(app, address=f"10.9.{len(login)}.{len(password)}").sign_in(login, password).status_code in (
                401,
                422,
                429,
            )
    assert {field.name for field in fields(User)} == {
        "club", "id", "name", "login", "role", "created", "password", "joined", "disabled",
    }  # fmt: skip


def test_no_cookie_is_signed_by_the_program(app: Flask, owner: Browser) -> None:
    """What signs somebody in means something to the store alone: there is no key that could be stolen or guessed."""
    assert app.secret_key is None
    assert re.fullmatch(r"[\w-]{43}", owner.cookie())


# What fails


@pytest.mark.parametrize("at", ["/members", f"{V1}/clubs/{CLUB}/members", f"{V1}/health"])
def test_a_defect_is_told_in_general_and_logged_in_full(app: Flask, owner: Browser, at: str) -> None:
    (endpoint,) = {rule.endpoint for _get, found, rule in rules_of(app, "GET") if found == at}

    def broken(**_places: str) -> str:
        raise KeyError("a secret key")

    app.view_functions[endpoint] = broken
    with structlog.testing.capture_logs() as logs:
        answered = owner.get(at, X_Request_Id="mine-1")
    assert answered.status_code == 500
    assert "mine-1" in answered.text
    for inside in ("secret key", "KeyError", "Traceback", ".py"):
        assert inside not in answered.text
    (defect,) = [line for line in logs if line["event"] == "defect"]
    assert isinstance(defect["exc_info"], KeyError)
    assert owner.get("/nights").status_code == 200  # it goes on


def test_where_nobody_can_be_looked_up_nobody_gets_in(
    app: Flask, owner: Browser, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_args: object, **_options: object) -> None:
        raise StoreBusy()

    monkeypatch.setattr(type(door.people), "read", fails)
    monkeypatch.setattr(type(door.people), "write", fails)
    for at in ("/members", "/people", f"{V1}/clubs/{CLUB}", f"{V1}/clubs/{CLUB}/users"):
        answered = owner.get(at)
        assert answered.status_code == 503, at
        assert "Ann" not in answered.text
    assert owner.send("/members/add", {"names": "Fay"}).status_code == 503
    assert Browser(app).sign_in().status_code == 503
    assert Browser(app).send(f"{V1}/pair", {"code": "AAAAAAAA"}).status_code == 503
