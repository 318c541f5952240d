"""What a night is at a moment: seats, steps, purses, and what could be undone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from ledger.events import HandDisputed, NightClosed, NightEvent, NightOpened, NightReopened, PoolAdjusted
from ledger.journal import JournalEntry, settled_in, worth
from ledger.night.steps import Accounts, HandStep, Origin, Step
from ledger.play import Carry, Rules
from ledger.tuples import quickly_replaced

__all__ = ["Closing", "Night", "Origin", "Purse", "Said", "Undoable"]


@quickly_replaced
class Purse(NamedTuple):
    """A player's chips tonight: what hands gave or took, what he got from others or the till, and gave them.

    ``paid_in`` and ``paid_out`` are money, in minor units, that he paid and was paid at once.
    """

    balance: int = 0
    bought: int = 0
    sold: int = 0
    paid_in: int = 0
    paid_out: int = 0

    @property
    def stack(self) -> int:
        """Return the chips in front of him; below zero when he owes."""
        return self.balance + self.bought - self.sold

    @property
    def paid(self) -> int:
        """Return the money that he is still owed for what he paid; below zero when he was paid more."""
        return self.paid_in - self.paid_out


@quickly_replaced
class Undoable(NamedTuple):
    """A command and its events, as they stand in the stream."""

    command: str
    first_version: int
    version: int
    events: tuple[tuple[NightEvent, Origin], ...]

    @property
    def can_be_undone(self) -> bool:
        """Tell whether a command is of a kind that can be taken back: all but the opening, and what moves money."""
        return not isinstance(self.events[0][0], NightOpened | PoolAdjusted)

    @property
    def is_dispute(self) -> bool:
        return isinstance(self.events[0][0], HandDisputed)

    def is_named(self, command: str | None, version: int | None) -> bool:
        """Tell whether this is the command of an id, or the one that a version belongs to."""
        return command == self.command or (version is not None and self.first_version <= version <= self.version)


class Said(NamedTuple):
    """What was said of a hand, or of the night: by which player, where he disputes it, and in which words."""

    hand: int | None
    player: str | None
    words: Mapping[str, str] | None
    origin: Origin


class Closing(NamedTuple):
    """One closing of a night, with the receipt that its digest gives."""

    revision: int
    receipt: str | None


@quickly_replaced
class Night(NamedTuple):
    """A night, open or closed. ``dealer`` is who was named to deal next; else the deal rotates."""

    opened: NightOpened
    version: int
    rules: Rules
    rulebook: str
    house_rules: Mapping[str, object]
    seats: tuple[str, ...]
    sat: tuple[str, ...]
    first: Carry
    first_rules: Rules
    steps: tuple[Step, ...]
    purses: Mapping[str, Purse]
    hand_at: tuple[int, ...] = ()
    dealer: str | None = None
    closed: bool = False
    revision: int = 1
    closings: tuple[Closing, ...] = ()
    ending: NightClosed | None = None
    disputes: Mapping[int, int] = {}
    notes: tuple[Said, ...] = ()
    history: tuple[Undoable, ...] = ()
    recent: tuple[Night, ...] = ()

    @property
    def accounts(self) -> Accounts:
        """Return the accounts that this night posts to."""
        return Accounts(self.opened.unit, self.opened.table)

    @property
    def settled_in(self) -> str:
        """Return the unit that this night is settled in: a currency, or its chips."""
        return settled_in(self.opened.unit, self.opened.money)

    def worth(self, chips: int) -> int:
        """Return what chips are worth tonight, in the unit that this night is settled in."""
        return worth(chips, self.opened.money)

    @property
    def taken(self) -> int:
        """Return the money that the banker, or the cash box, took tonight, less what was paid out of it."""
        return sum(purse.paid for purse in self.purses.values())

    @property
    def carry(self) -> Carry:
        """Return what the next hand finds."""
        return self.steps[-1].after if self.steps else self.first

    @property
    def pool(self) -> int:
        """Return the chips in the pool, a hand in progress included."""
        hand = self.open_hand
        if hand is None:
            return self.carry.pool
        account = self.accounts.pool
        return self.carry.pool + sum(
            amount for item in hand.entries for name, unit, amount in item.postings if (name, unit) == account
        )

    @property
    def hands(self) -> int:
        """Return the number of the last hand, void ones included."""
        return len(self.hand_at)

    @property
    def open_hand(self) -> HandStep | None:
        """Return the hand in progress."""
        if not self.hand_at:
            return None
        step = self.steps[self.hand_at[-1]]
        return step if isinstance(step, HandStep) and not step.settled and not step.void else None

    def hand(self, number: int) -> HandStep | None:
        """Return a hand by its number."""
        if not 1 <= number <= len(self.hand_at):
            return None
        step = self.steps[self.hand_at[number - 1]]
        assert isinstance(step, HandStep)
        return step

    def hand_steps(self) -> list[HandStep]:
        """Return all hands in order."""
        return [step for step in self.steps if isinstance(step, HandStep)]

    def newest(self, command: str | None = None, version: int | None = None) -> Undoable | None:
        """Return the newest command that can be undone; a reopening only before anything came of it.

        A dispute is undone only where it is named, by its command or a version of it, and is the newest: else whoever
        takes back his own last tap would take out what somebody else has said.
        """
        found = (item for item in reversed(self.history) if item.can_be_undone)
        newest = next(found, None)
        while newest is not None and newest.is_dispute and not newest.is_named(command, version):
            newest = next(found, None)
        if newest is not None and isinstance(newest.events[0][0], NightReopened) and newest is not self.history[-1]:
            return None
        return newest

    def without_memory(self) -> Night:
        """Return the night as it is kept to be returned to: without what it was before that."""
        return self._replace(recent=())


Evolved: TypeAlias = tuple[Night, tuple[JournalEntry, ...]]
"""What a night is after an event, and the entries that the event made."""
