"""Screens that draw themselves: what their pages carry, and the words of their modules in every language."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from flask import Flask
from flask_babel import force_locale

from web.screen_words import said, said_in, words_of_screens

STATIC = Path(__file__).parent.parent.parent / "web" / "static"


def test_words_are_found_where_modules_say_them() -> None:
    source = 'x = _("One \\"quoted\\"", {n}) + n_("%(num)d hand",\n "%(num)d hands", n) + not_("this") + a._("nor")'
    assert said_in(source) == [('One "quoted"',), ("%(num)d hand", "%(num)d hands")]
    assert ("%(num)d hand", "%(num)d hands") in said()
    assert ("I disagree",) in said()


def test_modules_say_nothing_that_is_not_found() -> None:
    for file in STATIC.glob("table/**/*.mjs"):
        if "vendor" not in file.parts:
            source = file.read_text(encoding="utf-8")
            calls = re.findall(r"(?<![\w.$])n?_\((?!words|one)", source)
            assert len(calls) == len(said_in(source)), file


def test_words_for_one_and_many_are_told_by_how_the_language_counts(app: Flask) -> None:
    with app.test_request_context(), force_locale("ru"):
        words = words_of_screens()
    assert words["I disagree"] == "I disagree"  # until somebody translates it
    assert set(words["%(num)d hand"]) == {"one", "few", "many"}
    with app.test_request_context(), force_locale("en"):
        assert words_of_screens() == {}


@pytest.mark.parametrize("screen", ["wall", "phone"])
def test_a_screen_is_for_those_who_belong_to_the_club(app: Flask, screen: str) -> None:
    client = app.test_client()
    assert client.get(f"/{screen}").status_code == 303
    answered = client.get(f"/{screen}", headers={"X-Test-Role": "viewer"})
    assert answered.status_code == 200
    (words,) = re.findall(r'<script type="application/json" id="words">(.*?)</script>', answered.text)
    assert json.loads(words) == {}
    assert 'data-role="viewer"' in answered.text
    assert client.get(f"/nights/nowhere/{screen}", headers={"X-Test-Role": "viewer"}).status_code == 404
    assert client.get(f"/{screen}?table=nowhere", headers={"X-Test-Role": "viewer"}).status_code == 404
