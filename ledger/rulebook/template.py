"""A rulebook written out to be edited: every key with what it means, those left out as comments with their default."""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ledger.rulebook.keys import NEEDED, Key, keys_of
from ledger.rulebook.model import Rulebook

_WIDTH: Final = 100
_SECTIONS: Final = {
    "nap": ("table", "auction", "bids", "pool", "fines"),
    "pepper": ("table", "auction", "teams", "score", "stakes", "bids"),
}
_HEADINGS: Final = {
    "table": "Who plays, and who holds cards",
    "auction": "The auction",
    "bids": "The ladder, lowest first: each [[bids]] is one row of the payment table",
    "pool": "What feeds the pool, and what becomes of it",
    "fines": "Fines, in chips",
    "teams": "Teams",
    "score": "How two pairs count to the target",
    "stakes": "What a game is worth in chips",
}
_HEADER: Final = """\
{id}: made from {source}, to be edited.

A line that begins with # says nothing to the program. A line such as "#ante = 0" is a key that is left out, with the \
value that holds then, or one to begin with: take the # away and change it. Amounts are whole chips at stake 1.

The examples at the end are hands and what they must come to. After a change "kittybook rulebook check" with the name \
of this file says which of them come out differently: mend those you meant to change, and wonder about the others.

A night sheet is scored by this file if it says so: {{"rulebook": "{id}.toml", ...}}
"""
_EXAMPLES: Final = "Examples: hands, and what they must come to"


def template(book: Rulebook, text: str, new_id: str) -> str:
    """Return a copy of a rulebook to edit, under a new id. ``text`` is the file it was read from."""
    raw = {**book.raw, "id": new_id}
    parts = ["".join(_comment(_HEADER.format(id=new_id, source=book.id))), "".join(_keys(book, raw, None))]
    for section in _SECTIONS[book.family]:
        heading = "".join(_comment(_HEADINGS[section]))
        if section == "bids":
            rows = ["\n".join(_row(bid)) for bid in raw["bids"]]
            parts.append("\n".join([f"{heading}#\n" + "".join(_glossary(book)), *rows]))
        else:
            parts.append(f"{heading}[{section}]\n" + "".join(_keys(book, raw.get(section, {}), section)))
    parts.append("".join(_comment(_EXAMPLES)) + _examples(book, text))
    return "\n".join(parts)


def toml(value: object) -> str:
    """Return data as a TOML value."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case Mapping():
            return "{ " + ", ".join(f"{_bare(name)} = {toml(item)}" for name, item in value.items()) + " }"
        case list():
            return "[" + ", ".join(map(toml, value)) + "]"
        case _:
            return str(value)


def _bare(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml(name)


def _keys(book: Rulebook, data: Mapping[str, Any], section: str | None) -> Iterator[str]:
    """Yield each key of a section below its comment, commented out where the rulebook leaves it out."""
    for name, key in keys_of(section):
        if key.path == "examples":
            continue
        if name in data:
            yield from _comment(_meaning(key))
            yield f"{name} = {_long_text(data[name]) if name == 'notes' else toml(data[name])}\n"
        elif key.family in {"both", book.family}:
            yield from _comment(_meaning(key))
            yield f"#{name} = {key.default or key.sample or toml(book.bids[0].id)}\n"


def _glossary(book: Rulebook) -> Iterator[str]:
    for name, key in keys_of("bids"):
        if key.family in {"both", book.family}:
            yield from _comment(f"{name}: {_meaning(key)}", indent="  ")


def _row(bid: Mapping[str, Any]) -> Iterator[str]:
    yield "[[bids]]"
    for name, _key in keys_of("bids"):
        if name in bid:
            yield f"{name} = {toml(bid[name])}"
    yield ""


def _meaning(key: Key) -> str:
    """Return what a key does, what it may be, and what holds without it."""
    facts = [key.values] if key.values not in {"", "true, false"} else []
    if key.absent and key.absent != NEEDED:
        facts.append(f"left out: {key.absent}")
    elif key.default not in {"", "{}", '""'}:
        facts.append(f"default {key.default}")
    return f"{key.says} ({'; '.join(facts)})" if facts else key.says


def _long_text(words: str) -> str:
    plain = "\\" not in words and '"""' not in words and not words.endswith('"')
    return f'"""\n{words}"""' if plain and "\n" in words else toml(words)


def _examples(book: Rulebook, text: str) -> str:
    """Return the examples as they stand at the end of the file, so with their comments, or else written anew."""
    begin = re.search(r"^\[\[examples\]\]", text, re.MULTILINE)
    tail = text[begin.start() :] if begin else ""
    try:
        if tomllib.loads(tail) == {"examples": list(book.examples)}:
            return tail
    except tomllib.TOMLDecodeError:
        pass
    return "\n".join(
        "[[examples]]\n" + "".join(f"{_bare(name)} = {toml(value)}\n" for name, value in example.items())
        for example in book.examples
    )


def _comment(words: str, indent: str = "") -> Iterator[str]:
    for paragraph in words.rstrip("\n").split("\n"):
        whole = re.sub(r"\{[^}]*\}", lambda braces: braces[0].replace(" ", "\0"), paragraph)
        for line in textwrap.wrap(whole, _WIDTH - 2, subsequent_indent=indent, break_long_words=False) or [""]:
            yield f"# {line}".rstrip().replace("\0", " ") + "\n"
