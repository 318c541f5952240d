"""What a command is judged by, beside what it says."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from ledger import events as ev
from ledger.club import Club
from ledger.night import Night
from ledger.rulebook import Rulebook


class Context(Protocol):
    """What a command is judged by, beside the night it names: the club as it is under the lock."""

    @property
    def club(self) -> Club | None: ...

    @property
    def today(self) -> str:
        """Return the club's date now, less the cut-off."""

    def night(self, night: str) -> Night:
        """Return a night as it stands. Raises ``NightUnknown``."""

    def pool(self, table: str, unit: str) -> int:
        """Return the chips in a table's pool."""

    def balance(self, account: str, unit: str) -> int:
        """Return the balance of an account of the club's."""

    def book(self, rulebook: str) -> Rulebook:
        """Return a preset or a rulebook of the club's own. Raises ``RulebookUnknown``."""

    def pinned(self, digest: str, rulebook: str) -> Rulebook:
        """Return an effective rulebook that the book keeps, called by an id."""

    def pin(self, book: Rulebook) -> str:
        """Keep an effective rulebook with the book; return its digest."""


Events: TypeAlias = list[ev.Event]
