"""What people, tables and notes are called: ids and references turned into words, read once from one snapshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ledger.club import Club
from ledger.journal import SHORTAGE, TILL
from ledger.night import Night
from ledger.store import Reader


class Words:
    """The words of a club. Who was erased is called by his number, wherever he appears."""

    def __init__(self, club: Club, reader: Reader) -> None:
        self._club = club
        self._reader = reader
        members = [member.name for member in club.members.values()]
        named = [club.name, *members, *(table.name for table in club.tables.values())]
        self._kept = reader.texts({text["ref"] for text in named})

    def text(self, reference: Mapping[str, str] | None) -> str | None:
        """Return a note, or None where there is none, or it was erased."""
        if reference is None:
            return None
        ref = reference["ref"]
        kept = self._kept.get(ref) or self._reader.texts([ref]).get(ref)
        return kept[1] if kept else None

    def club(self) -> str:
        """Return what the club is called."""
        return self.text(self._club.name) or self._club.id

    def member(self, member: str) -> str:
        """Return what a member is called, or who he turned out to be."""
        found = self._club.members[self._club.resolved(member)]
        return self.text(found.name) or f"member {found.number}"

    def party(self, party: str) -> str:
        """Return what a party of a settlement is called: a member, the till, or what was found missing."""
        return {TILL: "the till", SHORTAGE: "shortage"}.get(party) or self.member(party)

    def parties(self, parties: Iterable[str]) -> dict[str, str]:
        """Return what parties are called, two of one name told apart."""
        named = [*parties]
        members = [party for party in named if party not in (TILL, SHORTAGE)]
        return {**{party: self.party(party) for party in named}, **self.apart(members)}

    def table(self, table: str) -> str:
        """Return what a table is called."""
        return self.text(self._club.tables[table].name) or table

    def apart(self, members: Iterable[str]) -> dict[str, str]:
        """Return what members are called where two of one name must be told apart."""
        names = {member: self.member(member) for member in members}
        often = Counter(names.values())
        return {member: name if often[name] == 1 else f"{name} ({member})" for member, name in names.items()}


def with_words(row: dict[str, Any], words: Words) -> dict[str, Any]:
    """Return a hand as data with its note in words."""
    return {**row, "note": words.text(row["note"])} if "note" in row else row


def team(name: str, names: Mapping[str, str]) -> str:
    """Return what a player or a team, such as ``ann+cal``, is called."""
    return "+".join(names.get(member, member) for member in name.split("+"))


def names_at(night: Night, words: Words) -> dict[str, str]:
    """Return what everybody is called who sat in a night."""
    return words.apart(night.purses)
