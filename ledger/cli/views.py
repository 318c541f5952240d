"""What is told of nights and clubs as data, as the API would tell it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ledger.actions import actions
from ledger.cli.words import Words, with_words
from ledger.club import Club
from ledger.journal import pool_account
from ledger.projections import hand_rows, night_state
from ledger.service import Ledger
from ledger.store import CLUB, Reader


def night_view(ledger: Ledger, club: Club, night: str, reader: Reader) -> dict[str, Any]:
    """Return the state of a night (contract, section 7). Raises ``NightUnknown``."""
    state = ledger.night(club.id, night, reader)
    head = reader.head()
    words = Words(club, reader)
    told = night_state(state, words.member)
    first = {
        "club": club.id,
        **{key: told.pop(key) for key in ("night", "table", "date", "state", "revision", "version")},
        "position": head.position,
        "epoch": head.epoch,
        "as_of": rfc3339(ledger.now()),
        "backed_up_to": None,  # kept nowhere yet
    }
    return {**first, **told, "actions": actions(state, words.member, may_reopen=may_reopen(club, night))}


def hands_view(ledger: Ledger, club: Club, night: str, reader: Reader) -> list[dict[str, Any]]:
    """Return every hand of a night: facts, changes, and what happened to it since. Raises ``NightUnknown``."""
    words = Words(club, reader)
    return [with_words(row, words) for row in hand_rows(ledger.night(club.id, night, reader))]


def nights_view(club: Club, table: str | None = None) -> list[dict[str, Any]]:
    """Return the nights of a club, or of one table, as they were opened."""
    return [
        {
            "night": night.id,
            "table": night.table,
            "date": night.date,
            "state": "closed" if night.closed else "open",
            "revision": night.revision,
            "corrections": len(night.corrections),
        }
        for night in club.nights.values()
        if table in (None, night.table)
    ]


def members_view(club: Club, reader: Reader, *, everybody: bool = False) -> list[dict[str, Any]]:
    """Return members by number: those who may sit down, or everybody there ever was."""
    words = Words(club, reader)
    return [
        {
            "id": member.id,
            "number": member.number,
            "name": words.member(member.id),
            "archived": member.archived,
            "erased": member.erased,
            "alias_of": None if member.alias_of is None else club.resolved(member.id),
        }
        for member in sorted(club.members.values(), key=lambda member: member.number)
        if everybody or not (member.archived or member.alias_of)
    ]


def tables_view(club: Club, reader: Reader, *, everything: bool = False) -> list[dict[str, Any]]:
    """Return tables, closed ones too where everything is asked for."""
    words = Words(club, reader)
    rows = []
    for table in club.tables.values():
        if table.closed and not everything:
            continue
        busy = club.open_night(table.id)
        rows.append(
            {
                "id": table.id,
                "name": words.table(table.id),
                "rulebook": table.rulebook,
                "digest": table.digest,
                "house_rules": dict(table.house_rules),
                "stake": table.stake,
                "unit": table.unit,
                "pool": reader.balance(pool_account(table.id), table.unit, CLUB),
                "money": None if table.money is None else dict(table.money),
                "banker": table.banker,
                "open_night": busy.id if busy else None,
                "closed": table.closed,
            }
        )
    return rows


def may_reopen(club: Club, night: str) -> bool:
    """Tell whether a closed night may be opened again: nothing was built on it yet."""
    known = club.nights[night]
    latest = club.latest_night(known.table)
    return not known.corrections and not club.tables[known.table].closed and latest is not None and latest.id == night


def rfc3339(moment: datetime) -> str:
    """Return a time in UTC as the book writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
