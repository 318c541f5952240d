"""Passwords and PINs: which are let through, and how they are hashed (argon2id, at the library's own cost)."""

from __future__ import annotations

import itertools
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from ledger.errors import PasswordRefused, PinRefused, SignInBusy

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST: Final = 8
LONGEST: Final = 256
PIN_LENGTHS: Final = (4, 12)

AT_ONCE: Final = 2
"""Each hash takes 64 MB and a tenth of a second."""

_PATIENCE: Final = 5.0

_AROUND_A_NAME: Final = 6
"""So many digits and signs more do not make a name a password."""

_LOOKED_AT: Final = 4 * LONGEST + 1
"""Nothing longer is a password: no letter has more than four parts. Normalizing costs the square of its length."""

_turns: Final = threading.BoundedSemaphore(AT_ONCE)


def require_good_password(password: object, field: str, *, names: Iterable[str]) -> str:
    """Return a password that may be chosen, in NFC; ``names`` (of club and user) would be guessed first.

    No letters, digits or signs are asked for: length is what counts. Raises ``PasswordRefused``.
    """
    if not isinstance(password, str):
        raise PasswordRefused(field=field, why="it must be text")
    found = readable(password)
    if len(found) < SHORTEST:
        raise PasswordRefused(field=field, why=f"it needs at least {SHORTEST} characters")
    if len(found) > LONGEST:
        raise PasswordRefused(field=field, why=f"it may have at most {LONGEST} characters")
    folded = found.casefold()
    if folded in _common() or len(set(folded)) < 3:
        raise PasswordRefused(field=field, why="many people use it, so it is tried first")
    bare = _bare(folded)
    tried = {bare_name * times for name in (*names, "kittybook") if (bare_name := _bare(name)) for times in (1, 2)}
    if bare in tried and len(folded) - len(bare) <= _AROUND_A_NAME:
        raise PasswordRefused(field=field, why="it is a name that is tried first")
    return found


def require_good_pin(pin: object, field: str) -> str:
    """Return a PIN that may be chosen. Raises ``PinRefused``."""
    low, high = PIN_LENGTHS
    if not isinstance(pin, str) or not pin.isascii() or not pin.isdigit() or not low <= len(pin) <= high:
        raise PinRefused(field=field, why=f"it must be {low} to {high} digits")
    steps = {int(after) - int(before) for before, after in itertools.pairwise(pin)}
    if steps in ({0}, {1}, {-1}) or len(set(pin)) == 1 or pin[: len(pin) // 2] * 2 == pin:
        raise PinRefused(field=field, why="it is one that is tried first")
    return pin


def readable(password: str) -> str:
    """Return a password as it is hashed: the same whichever keyboard composed its letters."""
    return unicodedata.normalize("NFC", password[:_LOOKED_AT])


def hashed(password: str) -> str:
    """Return what is kept. Raises ``SignInBusy`` where too many wait for the same."""
    with _turn():
        return _hasher().hash(readable(password).encode("utf-8", "surrogatepass"))


def agrees(kept: str | None, password: str) -> bool:
    """Tell whether a password is the one that was kept; where there is none, after as long a time."""
    from argon2.exceptions import InvalidHashError, VerificationError

    with _turn():
        try:
            _hasher().verify(kept or _nobody(), readable(password).encode("utf-8", "surrogatepass"))
        except (VerificationError, InvalidHashError):
            return False
        return kept is not None


def is_outdated(kept: str) -> bool:
    """Tell whether a hash was made at less cost than is right today."""
    return _hasher().check_needs_rehash(kept)


@contextmanager
def _turn() -> Iterator[None]:
    if not _turns.acquire(timeout=_PATIENCE):
        raise SignInBusy()
    try:
        yield
    finally:
        _turns.release()


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher  # not every command needs it

    return PasswordHasher()


@cache
def _nobody() -> str:
    return _hasher().hash("nobody has this password")


@cache
def _common() -> frozenset[str]:
    text = (resources.files("ledger.people") / "common_passwords.txt").read_text(encoding="utf-8")
    return frozenset(text.split("\n"))


def _bare(name: str) -> str:
    """Return the letters of a name: what stands before, between and behind them does not make it another."""
    return "".join(char for char in unicodedata.normalize("NFKC", name).casefold() if char.isalpha())
