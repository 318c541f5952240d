"""What everything at the door is done with: the store, the clock, chance, and who does it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from ledger.people.model import People, Records
from ledger.tokens import digest_of

_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS: Final = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})

CODE_LENGTH: Final = 8
"""40 bits: good for ten minutes, and for few guesses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Where people are kept, and what the ledger alone may ask: the time in UTC, and random bytes."""

    people: People
    clock: Callable[[], datetime]
    chance: Callable[[int], bytes]

    def now(self) -> str:
        return stamp(self.clock())

    def after(self, wait: timedelta) -> str:
        """Return the time that it will be then."""
        return stamp(self.clock() + wait)

    def secret(self) -> str:
        """Return a new secret of 256 random bits."""
        return base64.urlsafe_b64encode(self.chance(32)).rstrip(b"=").decode()

    def code(self) -> str:
        """Return a new code that people can read out and type."""
        number = int.from_bytes(self.chance(5), "big")
        return "".join(_CROCKFORD[number >> 5 * place & 31] for place in reversed(range(CODE_LENGTH)))


@dataclass(frozen=True, slots=True, kw_only=True)
class By:
    """Who does something at the door: ``user:ann``, ``token:1a2b``, ``device:bar``, ``cli``; and from which address."""

    actor: str
    address: str | None = None

    def note(self, records: Records, club: str, at: str, what: str, about: str | None = None) -> None:
        records.note(club, at, self.actor, what, about, self.address)


def stamp(moment: datetime) -> str:
    """Return a time as it is kept."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment_of(kept: str) -> datetime:
    """Return the time that was kept."""
    return datetime.fromisoformat(kept)


def read_code(typed: str) -> str:
    """Return a code as it was meant: case, spaces and hyphens do not count, nor does O for 0, I or L for 1."""
    return typed.strip().upper().translate(_READ_AS)


def digest_of_code(typed: str) -> str:
    """Return what is kept of a code."""
    return digest_of(f"code:{read_code(typed)}")
