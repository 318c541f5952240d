"""What the modules of the table's screens say, found in them, and given to a page in its language as data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final, TypeAlias

from babel import Locale
from flask_babel import get_locale, get_translations

from web.words import gettext

Said: TypeAlias = tuple[str, ...]
"""Words; or words for one, and for many."""

COUNTS: Final = range(201)
"""Numbers among which every plural form of a language has one."""

_STRING: Final = r'"((?:[^"\\]|\\.)*)"'
_CALL: Final = re.compile(rf"(?<![\w.])(?:_\(\s*{_STRING}|n_\(\s*{_STRING},\s*{_STRING})")


def said_in(source: str) -> list[Said]:
    """Return what a module says: the words of ``_("…")``, and both of ``n_("…", "…", n)``, written out."""
    return [tuple(_plain(words) for words in found.groups() if words is not None) for found in _CALL.finditer(source)]


@cache
def said() -> tuple[Said, ...]:
    """Return what all the modules say, each once."""
    found = (words for source in _modules(resources.files("web") / "static" / "table") for words in said_in(source))
    return tuple(dict.fromkeys(found))


def words_of_screens() -> dict[str, str | dict[str, str]]:
    """Return the words in the language of this request; nothing for the language that they are written in.

    Words for one and many are told by the category that a number falls into (CLDR), as browsers name it.
    """
    locale = get_locale()
    if locale is None or locale.language == "en":
        return {}
    return {words[0]: gettext(words[0]) if len(words) == 1 else _forms(locale, *words) for words in said()}


def _forms(locale: Locale, one: str, many: str) -> dict[str, str]:
    translations = get_translations()
    return {locale.plural_form(count): translations.ungettext(one, many, count) for count in COUNTS}


def _plain(words: str) -> str:
    return re.sub(r"\\(.)", r"\1", words)


def _modules(folder: Traversable) -> Iterator[str]:
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        if file.is_dir() and file.name != "vendor":
            yield from _modules(file)
        elif file.name.endswith(".mjs"):
            yield file.read_text(encoding="utf-8")
