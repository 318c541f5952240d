"""What people are called at the door: by others, by themselves when they sign in, and on what they record."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from ledger import values
from ledger.people.model import Records, User

_WITHOUT_ACCENT: Final = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe"})


def folded(login: str) -> str:
    """Return what somebody signs in as, however he typed it."""
    return unicodedata.normalize("NFKC", login.strip()[:1_000]).casefold()


def read_login(login: object, field: str) -> str:
    """Return what somebody wants to sign in as. Raises ``BadName``, ``BadValue``."""
    return folded(values.name(login, field))


def new_id(records: Records, club: str, name: str) -> str:
    """Return an id for a user, made from his name: it stands on what he records, and is never used again."""
    letters = unicodedata.normalize("NFKD", name).casefold().translate(_WITHOUT_ACCENT)
    plain = "".join(char for char in letters if not unicodedata.combining(char))
    base = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "user"
    number, found = 1, base
    while records.get(User, club, found) is not None:
        number += 1
        found = f"{base}-{number}"
    return found


def free_login(records: Records, club: str, name: str) -> str:
    """Return a login that nobody has, made from a name: its letters and digits, small; all of it where it has none."""
    base = "".join(char for char in folded(name) if char.isalnum()) or folded(name)
    number, found = 1, base
    while records.all(User, club, login=found):
        number += 1
        found = f"{base}-{number}"
    return found
