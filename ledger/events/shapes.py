"""What the fields of events are made of: plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Text: TypeAlias = Mapping[str, str]
"""A name or a note, kept beside the events: ``ref``, and ``sha256`` of its salt and words."""

Facts: TypeAlias = Mapping[str, Any]
"""The facts of a hand (contract, section 2)."""

Money: TypeAlias = Mapping[str, Any]
"""``currency``, its ``exponent`` (how many decimals it has), and ``chip``: what a chip is worth in its minor units."""
