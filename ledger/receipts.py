"""Receipts: a short code that a closed night is known by, read off its digest."""

from __future__ import annotations

from typing import Final

_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def receipt_of(digest: str) -> str:
    """Return the first 60 bits of a digest as 12 characters of Crockford's base 32."""
    number = int(digest[:15], 16)
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(55, -1, -5))


def receipt_as_typed(code: str) -> str:
    """Return a receipt as it is compared: people type o for 0, i and l for 1, small letters, spaces and hyphens."""
    return code.upper().translate(str.maketrans("OIL", "011", " -"))
