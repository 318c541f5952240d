"""What a value from outside may be: integers, names, ids, flags (contract, section 0)."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from ledger.errors import BadName, BadValue, MissingKey, OutOfRange, UnknownKey

AMOUNT_LIMIT: Final = 1_000_000_000
"""The largest single amount from outside, either way."""

TOTAL_LIMIT: Final = 2**53 - 1
"""The largest amount that follows from others: what every JSON reader counts exactly."""

NOTE_LIMIT: Final = 2_000
ID_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
RESERVED_IDS: Final = frozenset({"pool", "till", "shortage", "exchange", "club"})

_ASCII_NAME = re.compile(r"[!-~](?:[ -~]{0,58}[!-~])?")
BIDI_CONTROLS: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Embeddings, overrides and isolates: they turn the writing direction of whatever stands after a name."""


def integer(value: object, field: str, low: int = -AMOUNT_LIMIT, high: int = AMOUNT_LIMIT) -> int:
    """Return a whole number within bounds; ``5.0`` is 5, ``true``, ``"5"`` and ``5.5`` are refused."""
    if type(value) is not int:
        if type(value) is not float or not value.is_integer():
            raise BadValue(field=field, wanted="a whole number")
        value = int(value)
    if not low <= value <= high:
        raise OutOfRange(field=field, low=low, high=high)
    return value


def flag(value: object, field: str) -> bool:
    """Return true or false, and nothing that merely looks like it."""
    if value is True or value is False:
        return value
    raise BadValue(field=field, wanted="true or false")


def text(value: object, field: str, limit: int = NOTE_LIMIT) -> str:
    """Return free text: valid Unicode of at most ``limit`` characters, without control characters but line breaks."""
    if not isinstance(value, str):
        raise BadValue(field=field, wanted="text")
    value = value.replace("\r\n", "\n")
    if len(value) > limit:
        raise BadValue(field=field, wanted=f"at most {limit} characters")
    if any(unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t" for char in value):
        raise BadValue(field=field, wanted="text without control characters")
    return value


def identifier(value: object, field: str) -> str:
    """Return an id as people may type it: lower-case letters, digits, dot, underscore and hyphen, 1 to 60."""
    if not isinstance(value, str) or not ID_PATTERN.fullmatch(value):
        raise BadValue(field=field, wanted="an id: a-z, 0-9, '.', '_' and '-', at most 60, a letter or digit first")
    return value


def member_id(value: object, field: str) -> str:
    """Return the id of a member; the names of accounts are taken."""
    found = identifier(value, field)
    if found in RESERVED_IDS:
        raise BadValue(field=field, wanted=f"another id: {found!r} is reserved")
    return found


def name(value: object, field: str) -> str:
    """Return a name in NFC, trimmed: 1 to 60 graphemes, at most 240 code points, no control or bidi characters."""
    if not isinstance(value, str):
        raise BadValue(field=field, wanted="text")
    if _ASCII_NAME.fullmatch(value):
        return value
    if len(value) > 1_000:
        raise BadName(field=field, why="it is longer than 60 characters")
    found = unicodedata.normalize("NFC", value.strip())
    if not found:
        raise BadName(field=field, why="it is empty")
    for char in found:
        if char in BIDI_CONTROLS:
            raise BadName(field=field, why=f"U+{ord(char):04X} changes the direction of writing")
        if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}:
            raise BadName(field=field, why=f"U+{ord(char):04X} is a control character")
    if len(found) > 240 or _graphemes(found) > 60:
        raise BadName(field=field, why="it is longer than 60 characters")
    if not any(unicodedata.category(char)[0] in "LNPS" for char in found):
        raise BadName(field=field, why="nothing of it can be seen")
    return found


def choice(value: object, field: str, allowed: Collection[str]) -> str:
    """Return one of the words that are allowed."""
    if isinstance(value, str) and value in allowed:
        return value
    raise BadValue(field=field, wanted="one of " + ", ".join(sorted(allowed)))


def mapping(value: object, field: str, allowed: Collection[str] | None = None) -> Mapping[str, Any]:
    """Return an object whose keys are all known."""
    if not isinstance(value, dict):
        raise BadValue(field=field, wanted="an object")
    if allowed is not None:
        for key in value:
            if key not in allowed:
                raise UnknownKey(field=f"{field}.{key}" if field else str(key))
    return value


def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object as JSON gives it. Raises ``ValueError`` for a key given twice, of which readers take either."""
    found = dict(pairs)
    if len(found) != len(pairs):
        times = Counter(key for key, _value in pairs)
        twice = next(key for key in times if times[key] > 1)
        raise ValueError(f"it has the key {twice[:60]!r} twice in one object")
    return found


def sequence(value: object, field: str, limit: int = 1_000) -> list[Any]:
    """Return a list of at most ``limit`` items."""
    if not isinstance(value, list):
        raise BadValue(field=field, wanted="a list")
    if len(value) > limit:
        raise BadValue(field=field, wanted=f"a list of at most {limit}")
    return value


def plain(value: object, field: str, depth: int = 0) -> Any:  # noqa: ANN401 - JSON is of any shape
    """Return JSON as it is stored: ``5.0`` as 5, and nothing that another reader might take for something else."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return integer(value, field, -TOTAL_LIMIT, TOTAL_LIMIT)
    if isinstance(value, str):
        return text(value, field, 20_000)
    if depth > 20:
        raise BadValue(field=field, wanted="nested less deeply")
    if isinstance(value, list | tuple):
        return [plain(item, f"{field}[{index}]", depth + 1) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {text(key, field, 200): plain(item, f"{field}.{key}", depth + 1) for key, item in value.items()}
    raise BadValue(field=field, wanted="JSON")


def required(value: Mapping[str, Any], key: str, field: str = "") -> Any:  # noqa: ANN401 - JSON is of any shape
    """Return what an object must have under a key."""
    if key not in value:
        raise MissingKey(field=f"{field}.{key}" if field else key)
    return value[key]


def club_date(moment: datetime | str, zone: str, cut_off: str) -> str:
    """Return the date of a club's night at a moment: the local date, less the hours of the cut-off (06:00)."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    hours, minutes = map(int, cut_off.split(":"))
    local = moment.astimezone(ZoneInfo(zone))
    return (local.replace(tzinfo=None) - timedelta(hours=hours, minutes=minutes)).date().isoformat()


def _graphemes(found: str) -> int:
    if found.isascii():
        return len(found)
    import regex  # only names beyond ASCII pay for it

    return len(regex.findall(r"\X", found))
