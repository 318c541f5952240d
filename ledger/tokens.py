"""Tokens that programs and devices sign in with. They stand beside the book, and no book depends on them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

_PREFIX: Final = "kb_"
"""Lets people, and programs that look for lost secrets, see what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token without its secret, of which only a hash is kept. Dates are UTC; ``name`` says whose it is."""

    club: str
    id: str
    name: str | None
    role: str
    created: str
    used: str | None = None
    revoked: str | None = None


class Tokens(Protocol):
    """Where tokens are kept. Every method raises ``Unavailable`` and ``Corrupt`` errors of the store."""

    def add(self, token: Token, digest: str) -> None: ...

    def find(self, digest: str) -> Token | None:
        """Return the token whose secret has this hash, revoked ones too."""

    def all(self, club: str) -> list[Token]:
        """Return the tokens of a club, oldest first."""

    def use(self, token: Token, day: str) -> None:
        """Keep on which day a token was last used, or raise ``StoreBusy`` at once."""

    def revoke(self, token: Token, at: str) -> None:
        """Let a token be of no use any more; the first time stands."""


def new_secret(chance: Callable[[int], bytes]) -> str:
    """Return a new secret of 256 random bits, as it is shown once."""
    return _PREFIX + base64.urlsafe_b64encode(chance(32)).rstrip(b"=").decode()


def digest_of(secret: str) -> str:
    """Return what is kept of a secret: nobody can guess 256 random bits, so a plain hash will do."""
    return hashlib.sha256(secret.encode()).hexdigest()
