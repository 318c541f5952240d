"""The catalogue holds all that pages say, and every language that is offered is there."""

from __future__ import annotations

import re
from pathlib import Path

from scripts import catalogue
from web.app import LANGUAGES

WEB = Path(__file__).parent.parent.parent / "web"


NO_WORDS = {
    "Kittybook",
    "narrow",
    "kittybook verify",
    "kittybook serve --lan",
    "kittybook serve --lan, kittybook serve --lan --tls",
    "Authorization: Bearer …",
    "trust",  # as in /trust
}
"""Names, and what never comes before people's eyes."""


def test_the_catalogue_holds_all_that_pages_say() -> None:
    assert catalogue.main(check=True) == 0, "python scripts/catalogue.py writes it anew"


def test_templates_say_nothing_past_the_catalogue() -> None:
    found = []
    for file in WEB.glob("**/templates/**/*.html"):
        text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r"<(svg|style)\b.*?</\1>|<[^>]*>", "", text, flags=re.DOTALL)
        found += [words for words in re.findall(r"[A-Za-z]{3,}[^\n]*", text) if words.strip() not in NO_WORDS]
    assert found == []


def test_every_language_that_is_offered_is_there() -> None:
    there = {"en", *(file.parent.parent.name for file in WEB.glob("translations/*/LC_MESSAGES/messages.po"))}
    assert set(LANGUAGES) == there
