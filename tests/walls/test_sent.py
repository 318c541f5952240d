"""What anybody may send: however it is made, it is answered soon, in few words, and never as a defect."""

from __future__ import annotations

import json
import time
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask

from ledger.values import no_key_twice
from tests.api.kit import CLUB, NIGHT, V1, secret_of
from tests.walls.conftest import Browser
from web.statics import _files, _read

MARKS = "a" + "\u0301\u0316" * 60_000
"""Accents in the wrong order: putting them in order costs the square of how many there are."""

MANY = range(60_000)
KEYS = ",".join(f'"k{number}":1' for number in MANY)
SHEET = {"rulebook": "simple-pepper", "players": ["N", "E", "S", "W"], "dealer": "N", "hands": []}

FORMS = {
    "a long password": ("/sign-in", {"club": CLUB, "login": "olga", "password": MARKS}),
    "a long login": ("/sign-in", {"club": CLUB, "login": MARKS, "password": "x"}),
    "a long club": ("/sign-in", {"club": MARKS, "login": "olga", "password": "x"}),
    "a long link": ("/invite", {"code": MARKS}),
    "a long link to be used": ("/invite/use", {"code": MARKS, "name": MARKS, "login": MARKS, "password": MARKS}),
    "a long code": ("/pair", {"code": MARKS}),
    "many fields": ("/pair", {f"k{number}": "1" for number in range(30_000)}),
}

BODIES: dict[str, tuple[str, Any]] = {
    "a long password": ("/sign-in", {"club": CLUB, "login": "olga", "password": MARKS}),
    "a key twice among many": ("/sign-in", f'{{{KEYS},"k{MANY[-1]}":2}}'),
    "many keys": ("/sign-in", f"{{{KEYS}}}"),
    "a long code": ("/pair", {"code": MARKS}),
    "a long link": ("/links/look", {"code": MARKS}),
    "a key twice among many of a sheet": ("/score", f'{{{KEYS},"k{MANY[-1]}":2}}'),
    "a long player": ("/score", {**SHEET, "players": [MARKS, "E", "S", "W"]}),
    "a long team": ("/score", {**SHEET, "scores": {MARKS: 1}}),
    "a long dealer": ("/score", {**SHEET, "dealer": MARKS}),
    "a long rulebook": ("/score", {**SHEET, "rulebook": MARKS}),
    "a long house rule": ("/score", {**SHEET, "house_rules": {MARKS: 1}}),
    "a rulebook of long words": ("/score", {**SHEET, "rulebook": {"id": MARKS, "title": {"en": MARKS}, MARKS: 1}}),
    "a long bidder": ("/score", {**SHEET, "hands": [{"bidder": MARKS, "bid": MARKS, "made": True}]}),
    "what is expected of a long name": ("/score", {**SHEET, "expect": {"balances": {MARKS: 1}}}),
    "many hands of nothing": ("/score", {**SHEET, "hands": [{} for _ in MANY]}),
    "deep": ("/score", "[" * 500_000),
    "deep, and closed": ("/score", '{"a":' * 100_000 + "1" + "}" * 100_000),
    "large numbers": ("/score", f"[{','.join(['9' * 4_000] * 100)}]"),
}


def seconds(began: float) -> float:
    return time.process_time() - began


@pytest.mark.parametrize("what", FORMS)
def test_a_form_that_anybody_may_send_is_answered_soon(app: Flask, what: str) -> None:
    at, values = FORMS[what]
    began = time.process_time()
    answered = Browser(app).send(at, values)
    assert seconds(began) < 1
    assert 400 <= answered.status_code < 500
    assert len(answered.data) < 2_000_000


@pytest.mark.parametrize("what", BODIES)
def test_a_body_that_anybody_may_send_is_answered_soon(app: Flask, what: str) -> None:
    at, body = BODIES[what]
    sent = (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)).encode()
    began = time.process_time()
    answered = Browser(app).http.post(
        f"{V1}{at}", data=sent, content_type="application/json", headers={"Sec-Fetch-Site": "same-origin"}
    )
    assert seconds(began) < 1
    assert 400 <= answered.status_code < 500 or what.startswith("what is expected")
    assert len(answered.data) < 20_000


def test_of_two_keys_that_are_twice_the_first_is_named() -> None:
    with pytest.raises(ValueError, match="'b' twice"):
        no_key_twice([("a", 1), ("b", 1), ("c", 1), ("c", 2), ("b", 2)])


@pytest.mark.parametrize(
    "header", ["Cookie", "Accept-Language", "Accept-Encoding", "If-None-Match", "User-Agent", "X-Request-Id", "Origin"]
)
@pytest.mark.parametrize("sent", ["{n};q=0.1,", "a{n}=b; ", '"{n}",', "(("])
def test_a_header_that_anybody_may_send_is_answered_soon(app: Flask, header: str, sent: str) -> None:
    words = "".join(sent.replace("{n}", str(number)) for number in range(15_000))
    for at in ("/sign-in", f"{V1}/rulebooks", "/static/kittybook.css"):
        began = time.process_time()
        answered = Browser(app).http.get(at, headers={header: words})
        assert seconds(began) < 1
        assert answered.status_code < 500


# Places

DEEP = "a=" + "{a=" * 2_000 + "1" + "}" * 2_000
NINES = "9" * 5_000

QUERIES = [
    *(f"{place}?after={after}" for place in ("/events", "/trail", "/members", "/nights", "/payments", "/late-hands")
      for after in (NINES, "-1", "%00", "%ff", "z" * 5_000, "1.5", "")),
    *(f"{place}?limit={limit}" for place in ("/events", "/trail") for limit in (NINES, "-1", "0", "x")),
    *(f"/nights/{NIGHT}/{rest}" for rest in (
        f"hands/{NINES}", "hands/0", "hands/-1", "hands/%00", f"journal?after={NINES}",
        f"explain?account={'x' * 5_000}",
        "explain?account=%00", "explain?account=player:%ff", f"whatif?house_rules={quote(DEEP)}",
        f"whatif?house_rules={'[' * 5_000}", "whatif?rulebook=../../etc/passwd", "settlement?policy=%00",
        "settlement.csv?profile=../x", "journal.csv?profile=%0d%0aX: y")),
    "/members/ann/statement?after=%00", "/members/..%2f..%2fx/statement", f"/stats?season={'x' * 5_000}",
    "/nights/%2e%2e/journal.csv", f"/nights/{'x' * 5_000}", "/nights/%0d%0aX:%20y",
]  # fmt: skip


@pytest.mark.parametrize("at", QUERIES, ids=lambda at: at[:48])
def test_no_address_of_the_api_is_a_defect(app: Flask, at: str) -> None:
    bearer = {"Authorization": f"Bearer {secret_of(CLUB, 'owner')}"}
    answered = Browser(app).get(f"{V1}/clubs/{CLUB}{at}", **bearer)
    assert answered.status_code in (200, 400, 404, 405, 422)
    assert not {"X", "x"} & set(answered.headers.keys())


PAGES = [
    f"/nights/{NIGHT}/hands/{NINES}", f"/nights/{NIGHT}/explain?account=%00", f"/nights/{NIGHT}?x=%ff",
    f"/nights/{NIGHT}/settlement?policy=%00", "/nights/new?table=../../x", "/members/eve/merge?into=%00",
    f"/?done=added&n={NINES}", "/?done=added&n=-5", "/?done=%3Cscript%3E", "/money?policy=%ff",
    "/sign-in?next=//evil.example", "/sign-in?next=https://evil.example/", "/%0d%0aX:%20y", "/nights/%0d%0aX:%20y",
    "/.git/config", "/..%2f.git/config", "/book.db", "/static/", "/tables/new/..%2f..%2fx", f"/{'x' * 9_000}",
]  # fmt: skip


@pytest.mark.parametrize("at", PAGES, ids=lambda at: at[:48])
def test_no_address_of_a_page_is_a_defect_or_leads_elsewhere(owner: Browser, at: str) -> None:
    answered = owner.get(at)
    assert answered.status_code in (200, 303, 308, 404, 422)
    assert answered.headers.get("Location", "/").startswith("/")
    assert not answered.headers.get("Location", "").startswith("//")
    assert "evil.example" not in answered.text
    assert "<script>" not in answered.text
    assert "X" not in answered.headers


@pytest.mark.parametrize(
    "name",
    [
        "../app.py", "%2e%2e/app.py", "..%2f..%2fapi/app.py", "..%5c..%5capp.py", "door/../../app.py",
        "./kittybook.css",
        "././kittybook.css", "door/./code.mjs", "%00.css", "%ff.css", "kittybook.css%00",
        "kittybook.css/x.css", ".git/config", "door", "door/", "KITTYBOOK.CSS", "a%0d%0ab.css", f"{'a' * 300}.css",
        f"{'a/' * 3_000}a.css", "/etc/passwd.css", "%2fetc%2fpasswd", "C:%5cx.css", "kittybook.css%20",
    ],
)  # fmt: skip
def test_a_file_has_one_name_and_no_other_is_there(app: Flask, name: str) -> None:
    kept = _read.cache_info().currsize
    answered = Browser(app).http.get(f"/static/{name}", follow_redirects=True)  # of two slashes one is made
    assert answered.status_code == 404
    assert _read.cache_info().currsize == kept  # nothing is kept in memory of what is not there


def test_files_that_there_are_are_there(app: Flask) -> None:
    assert {"kittybook.css", "icon.svg", "door/code.mjs"} <= set(_files())
    for name in _files():
        answered = Browser(app).get(f"/static/{name}")
        assert answered.status_code == 200
        assert answered.headers["X-Content-Type-Options"] == "nosniff"
