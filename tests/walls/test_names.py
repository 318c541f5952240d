"""Names and notes that would be something else where they are shown: on every page, in every answer they are words."""

from __future__ import annotations

import html
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from flask import Flask

from ledger.audit import verify_book
from ledger.service import Ledger
from ledger.stores import SqliteStore
from tests.api.kit import CLUB, NIGHT, V1, command
from tests.walls.conftest import GOOD, Browser
from tests.walls.test_answers import pages, rules_of

HERE = f"{V1}/clubs/{CLUB}"

NASTY = {
    "an element": '<img src=x onerror="alert(1)">',
    "the end of a script": "</script><script>alert(1)//",
    "the end of an attribute": "\" autofocus onfocus='alert(1)' x=\"",
    "a template": "{{ 7 * 7 }}{% raw %}%(name)s{name}",
    "a query": "Robert'); DROP TABLE events;--",
    "a formula": '=HYPERLINK("http://evil.example")',
    "an address": "javascript:alert(1)//",
}


class Elements(HTMLParser):
    """Every element of a page with its attributes, as a browser takes it apart."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, frozenset[str]]] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, frozenset(key for key, _value in attrs)))
        self.words += " ".join(f" {value}" for _key, value in attrs)

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture
def named(app: Flask, owner: Browser) -> tuple[Browser, list[str]]:
    """A club in which everything that has a name has every nasty one."""
    words = [*NASTY.values()]
    for number, name in enumerate(words):
        ids = f"m{number}"
        for act in (
            command("AddMember", member=ids, name=name),
            command("OpenTable", table=f"t{number}", name=name, rulebook="penny-nap"),
            command("StartSeason", season=f"s{number}", name=name),
            command("EndSeason", season=f"s{number}"),
            command("PostAdjustment", **{"from": "ann", "to": ids, "amount": 5, "reason": name}),
            command("RecordPayment", **{"from": "ann", "to": ids, "amount": 5, "method": name}),
        ):
            answered = owner.send(f"{HERE}/commands", act)
            assert answered.status_code == 201 or act["type"] == "RecordPayment", answered.get_json()
        facts = {"bidder": "bob", "bid": "three", "made": bool(number % 2)}
        for act in (
            command("SeatPlayer", player=ids),
            command("AddNote", note=name, hand=1),
            command("Dispute", hand=1, reason=name),
            command("CorrectHand", hand=2, reason=name, facts=facts),
        ):
            answered = owner.send(f"{HERE}/nights/{NIGHT}/commands", act)
            assert answered.status_code == 201 or act["type"] == "Dispute", answered.get_json()
        made = owner.send(f"{HERE}/devices", {"name": name, "role": "scorekeeper"}).get_json()
        Browser(app).send(f"{V1}/pair", {"code": made["code"]}, User_Agent=name)
        assert owner.send(f"{HERE}/users", {"name": name, "role": "viewer"}).status_code == 201
        assert owner.send(f"{HERE}/tokens", {"name": name, "role": "viewer"}).status_code == 201
        assert owner.sign_in(User_Agent=name).status_code == 200
        Browser(app).sign_in(name, "wrong password")
    return owner, words


PLAIN = {"id", "class", "href", "dir", "lang", "name", "value", "type"}


def test_every_name_is_words_on_every_page(app: Flask, named: tuple[Browser, list[str]]) -> None:
    owner, words = named
    shown = set()
    ways = [at for at in pages(app) if not at.startswith(("/api/", "/static/"))]
    ways += [
        "/members/m0",
        "/members/m1",
        "/tables/t0",
        "/tables/t1/rules",
        "/members/m0/merge?into=ann",
        "/nights/new?table=t0",
    ]
    for at in ways:
        answered = owner.get(at)
        if answered.mimetype != "text/html":
            continue
        page = answered.text
        parsed = Elements(page)
        for tag, attributes in parsed.found:
            assert not [one for one in attributes if one.startswith("on") or one == "style"], (at, tag, attributes)
            assert "x" not in attributes
            assert tag != "script" or attributes in ({"type", "src"}, {"type", "id"}), at  # the second: words as data
        assert ("img", frozenset({"src", "onerror"})) not in parsed.found
        assert "alert(1)//</script" not in page.replace("&lt;", "")
        assert "49{" not in parsed.words
        shown |= {name for name in words if name in parsed.words}
        for name in words:
            if "<" in name:
                assert name not in page, at
                assert html.escape(name) in page.replace("&#34;", "&quot;") or name not in parsed.words, at
    assert shown == set(words)


def test_every_name_is_the_same_word_in_every_answer(app: Flask, named: tuple[Browser, list[str]]) -> None:
    owner, words = named
    told: set[str] = set()
    for _get, at, rule in rules_of(app, "GET"):
        if not at.startswith(V1) or rule.endpoint.endswith(".live"):
            continue
        answered = owner.get(at)
        for name, value in answered.headers:
            assert "alert" not in value, (at, name)
            assert "HYPERLINK" not in value
        if answered.is_json:
            assert "\u2028" not in answered.text
            found = json.dumps(answered.get_json(), ensure_ascii=False)
            told |= {name for name in words if json.dumps(name, ensure_ascii=False)[1:-1] in found}
    assert told == set(words)


def test_no_cell_of_a_file_is_a_formula(named: tuple[Browser, list[str]]) -> None:
    owner, _words = named
    for at in (f"/nights/{NIGHT}/settlement.csv", "/members/m5/statement.csv", f"{HERE}/nights/{NIGHT}/settlement.csv"):
        for profile in ("machine", "excel-us", "excel-eu"):
            told = owner.get(f"{at}?profile={profile}").text
            assert "HYPERLINK" in told or "statement" in at
            for line in told.splitlines():
                for cell in line.replace(";", ",").split(","):
                    assert not cell.strip('"').startswith(("=", "@", "\t", "+")), line


def test_a_book_of_nasty_names_is_sound(named: tuple[Browser, list[str]], path: Path) -> None:
    owner, words = named
    assert len(owner.get(f"{HERE}/members").get_json()["members"]) == 5 + len(words)
    with SqliteStore(path) as store:
        assert verify_book(Ledger(store), CLUB) == []


def test_what_is_refused_is_shown_as_words(app: Flask, owner: Browser) -> None:
    for name in NASTY.values():
        for at, values in (
            ("/sign-in", {"form": "sign_in", "login": name, "password": "x"}),
            ("/pair", {"form": "pair", "code": name}),
            ("/invite", {"form": "look", "code": name}),
            ("/members/add", {"form": "add", "names": name * 20}),
            ("/devices/pair", {"form": "pair", "name": name * 20, "role": name}),
            ("/people/invite", {"form": "invite", "name": name * 20, "role": name}),
            ("/account/pin", {"form": "pin", "pin": name, "password": GOOD}),
            ("/settings/season", {"form": "season", "name": name * 20}),
            (f"/nights/{NIGHT}/undo", {"form": name, "version": name, "command": name}),
        ):
            who = owner if at not in ("/sign-in", "/pair", "/invite") else Browser(app)
            answered = who.send(at, values)
            assert 400 <= answered.status_code < 500, at
            for tag, attributes in Elements(answered.text).found:
                assert not [one for one in attributes if one.startswith("on") or one == "x"], (at, tag)
            assert "49{" not in answered.text
