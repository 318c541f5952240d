"""Ids made from names: what people may type of what they read."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_ID_LENGTH: Final = 60

_WITHOUT_ACCENT: Final = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "đ": "d", "þ": "th", "ł": "l", "ı": "i", "'": "", "’": ""}
)
"""Latin letters that Unicode does not take apart, and what stands within a word."""


def id_from(name: str) -> str | None:
    """Return a name as an id (``Łódź & Sons`` is ``lodz-sons``), or None where nothing of it is Latin or a digit."""
    letters = unicodedata.normalize("NFKD", name).casefold().translate(_WITHOUT_ACCENT)
    plain = "".join(char for char in letters if not unicodedata.combining(char))
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_ID_LENGTH].rstrip("-") or None
