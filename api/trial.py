"""Whether the store can be written to: tried, not assumed, and not more often than need be."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from ledger.errors import LedgerError

_GOOD_FOR: Final = 1.0
"""Seconds for which an answer stands: everybody may ask, and each trial is a write to the disk."""


class Trial:
    """A try at writing, shared by everybody who asks at about the same time."""

    def __init__(self, attempt: Callable[[], None]) -> None:
        self._attempt = attempt
        self._turn = threading.Lock()
        self._at = float("-inf")
        self._refusal: LedgerError | None = None

    def outcome(self) -> LedgerError | None:
        """Return why nothing can be written now, or None."""
        with self._turn:
            if time.monotonic() - self._at > _GOOD_FOR:
                try:
                    self._attempt()
                    self._refusal = None
                except LedgerError as refusal:
                    self._refusal = refusal
                self._at = time.monotonic()
            return self._refusal
