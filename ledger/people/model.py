"""What is kept of people and devices, and what a store must do with it. Times are UTC, RFC 3339, in whole seconds."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias, TypeVar

from ledger.access import SCOREKEEPER, VIEWER

DEVICE_ROLES: Final = (VIEWER, SCOREKEEPER)
"""What a device that lies about may do; what goes beyond needs somebody's PIN."""


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Somebody who belongs to a club. ``id`` stands on events; ``login`` is what he types, folded."""

    club: str
    id: str
    name: str
    login: str
    role: str
    created: str
    password: str | None = None
    """By argon2; None until he chose one."""
    joined: str | None = None
    """When he first came in; who was invited and never came is not counted as an owner."""
    disabled: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser that is signed in, as a user or as a device, by a random token of which the hash is kept."""

    digest: str
    club: str
    user: str | None
    device: str | None
    created: str
    seen: str
    expires: str | None
    """None for a device: it stays until it is revoked."""
    agent: str | None = None

    @property
    def id(self) -> str:
        """Return what it is called in lists: of no use to sign in with."""
        return self.digest[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """A browser in which somebody signed in before: whoever guesses elsewhere cannot make him wait there."""

    digest: str
    club: str
    user: str
    expires: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Something that is good once: a link to sign in with, a code to pair a device with, a PIN's leave for one act."""

    digest: str
    club: str
    kind: str
    """``owner``, ``invite`` or ``reset`` (of a user), ``pair`` or ``wall`` (makes a device), ``grant`` (of a PIN)."""
    role: str
    name: str
    user: str | None
    device: str | None
    created_by: str
    created: str
    expires: str
    used: str | None = None
    used_by: str | None = None
    """Whom or what it let in; of a PIN, the command."""

    @property
    def id(self) -> str:
        return self.digest[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A tablet or a screen of the club. Its name stands on what it records."""

    club: str
    id: str
    name: str
    role: str
    created: str
    paired_by: str
    revoked: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    club: str
    user: str
    argon2: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """How often something was tried in vain, and when last. ``key`` says what: an account, an address, a PIN."""

    club: str
    key: str
    count: int
    since: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the trail: who did what, about whom, from where. Never changed."""

    club: str
    number: int
    at: str
    actor: str
    what: str
    about: str | None
    address: str | None


Row: TypeAlias = User | Session | Browser | Link | Device | Pin | Attempts | Entry

R = TypeVar("R", bound=Row)

KEYS: Final[Mapping[type[object], tuple[str, ...]]] = {
    User: ("club", "id"),
    Session: ("digest",),
    Browser: ("digest",),
    Link: ("digest",),
    Device: ("club", "id"),
    Pin: ("club", "user"),
    Attempts: ("club", "key"),
    Entry: ("club", "number"),
}


class Records(Protocol):
    """The rows of all clubs, as they are at one moment; whoever asks for a list names the club."""

    def get(self, kind: type[R], /, *key: str) -> R | None:
        """Return the row with this key."""

    def all(self, kind: type[R], club: str, /, **equal: str) -> list[R]:
        """Return the rows of a club, oldest first; only those whose columns are equal to what is given."""

    def count(self, kind: type[Row], club: str) -> int: ...

    def put(self, row: Row) -> None:
        """Write a row, over the one of the same key; a line of the trail is never written over."""

    def drop(self, row: Row) -> None: ...

    def drop_before(self, kind: type[Row], column: str, moment: str) -> None:
        """Drop the rows of every club whose time in a column is before a moment."""

    def note(self, club: str, at: str, actor: str, what: str, about: str | None, address: str | None) -> None:
        """Write the next line of a club's trail."""

    def trail(self, club: str, before: int | None = None, limit: int = 100) -> list[Entry]:
        """Return the lines of a club's trail before a number, the newest first."""


class People(Protocol):
    """Where people are kept. Both raise ``Unavailable`` and ``Corrupt`` errors of the store."""

    def read(self) -> AbstractContextManager[Records]:
        """Open a snapshot."""

    def write(self, *, patient: bool = True) -> AbstractContextManager[Records]:
        """Open a transaction, of which all or (where anything is raised) nothing is kept; one writes at a time.

        Who is not ``patient`` raises ``StoreBusy`` at once where somebody writes.
        """
