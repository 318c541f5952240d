"""What pages may know of how they are served over https."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flask import Flask, current_app

TLS: Final = "kittybook.tls"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The port of https, and the club's own authority: its certificate (DER) and what that is recognised by.

    Where certificates were given there is no authority to be trusted, and browsers may be told to insist on https.
    ``names`` are those that the authority vouches for here, the best one to go by first.
    """

    port: int
    names: tuple[str, ...] = ()
    authority: bytes | None = None
    fingerprint: str | None = None

    def address_for(self, name: str) -> str:
        """Return where somebody who asks for a name finds https: under that name, where it is vouched for."""
        best = name if name in self.names or not self.names else self.names[0]
        return f"https://{best}:{self.port}"

    @property
    def is_given(self) -> bool:
        return self.authority is None


def shown(app: Flask | None = None) -> Shown | None:
    """Return how an app is served over https; None where it is not."""
    found: Shown | None = (app or current_app).extensions.get(TLS)
    return found
