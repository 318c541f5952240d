"""What a club is: members, tables, seasons, payments, and what it knows of its nights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ledger import events as ev
from ledger.journal import (
    TILL,
    settled_in,
)
from ledger.values import club_date

Amounts: TypeAlias = Mapping[str, int]
"""Amounts of one unit, or chips, by party."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubMember:
    """A member or guest. ``names`` are all texts that ever named him; ``alias_of`` is who he turned out to be."""

    id: str
    number: int
    name: ev.Text
    names: tuple[str, ...]
    archived: bool = False
    erased: bool = False
    alias_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubTable:
    """A regular table, and what its next night begins with. ``holder`` has the money of its pool."""

    id: str
    name: ev.Text
    rulebook: str
    digest: str
    house_rules: Mapping[str, Any]
    stake: int
    unit: str
    money: ev.Money | None
    banker: str
    holder: str = TILL
    closed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubNight:
    """What the club knows of a night. ``players`` are all who sat in it, known once it is closed.

    ``chips`` is the unit it was played in, ``money`` what one is worth. ``due`` is what each party had to come when it
    was closed last, ``moved`` what became of that outside the night: payments, corrections, adjustments, charges. Both
    are in ``unit`` and sum to zero.
    """

    id: str
    table: str
    date: str
    chips: str
    money: ev.Money | None
    banker: str = TILL
    closed: bool = False
    revision: int = 1
    players: tuple[str, ...] = ()
    corrections: tuple[ev.ClosedHandCorrected, ...] = ()
    due: Amounts = field(default_factory=dict)
    moved: Amounts = field(default_factory=dict)

    @property
    def unit(self) -> str:
        """Return the unit that it is settled in."""
        return settled_in(self.chips, self.money)


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """A payment, and whether it was reversed."""

    event: ev.PaymentRecorded
    reversed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    id: str
    name: ev.Text
    started: str
    ended: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """By which zone and cut-off the club's days went, up to a version of its own stream."""

    until: int
    zone: str
    cut_off: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Club:
    """A club's own affairs. Nights are in the order in which they were opened."""

    id: str
    name: ev.Text
    zone: str
    cut_off: str
    money: ev.Money | None
    version: int = 0
    members: Mapping[str, ClubMember] = field(default_factory=dict)
    tables: Mapping[str, ClubTable] = field(default_factory=dict)
    nights: Mapping[str, ClubNight] = field(default_factory=dict)
    rulebooks: Mapping[str, ev.RulebookPublished] = field(default_factory=dict)
    seasons: Mapping[str, Season] = field(default_factory=dict)
    late: Mapping[str, ev.LateHandKept] = field(default_factory=dict)
    payments: Mapping[str, Payment] = field(default_factory=dict)
    currencies: Mapping[str, int] = field(default_factory=dict)
    """The decimals of every currency that the club or a table of its ever counted in."""
    on_account: Mapping[str, Amounts] = field(default_factory=dict)
    """By unit, what each party has to come that belongs to no night; it sums to zero."""
    clocks: tuple[Clock, ...] = ()
    """Zones and cut-offs that it had before, the oldest first."""

    def day_of(self, version: int, recorded_at: str) -> str:
        """Return the day of an event of the club's own, by the zone and cut-off that held then.

        It is the local date, less the cut-off: what is done after midnight is of the night before.
        """
        clock = next((one for one in self.clocks if version <= one.until), self)
        return club_date(recorded_at, clock.zone, clock.cut_off)

    def resolved(self, member: str) -> str:
        """Return who a member turned out to be; an unknown id is returned as it is."""
        found = self.members.get(member)
        while found is not None and found.alias_of is not None:
            member = found.alias_of
            found = self.members.get(member)
        return member

    def aliases(self, member: str) -> tuple[str, ...]:
        """Return every id of one person, the one that is used first."""
        one = self.resolved(member)
        return (one, *(other for other in self.members if other != one and self.resolved(other) == one))

    def exponents(self) -> dict[str, int]:
        """Return how many decimals each currency has that the club counts in; chips have none and are not named."""
        return dict(self.currencies)

    def open_night(self, table: str) -> ClubNight | None:
        """Return the open night of a table."""
        return next((night for night in self.nights.values() if night.table == table and not night.closed), None)

    def latest_night(self, table: str) -> ClubNight | None:
        """Return the night of a table that was opened last."""
        return next((night for night in reversed([*self.nights.values()]) if night.table == table), None)
