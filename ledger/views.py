"""What is told of nights and clubs as data, as the API would tell it."""

from __future__ import annotations

from typing import Any

from ledger.access import OWNER, may, role_for
from ledger.actions import Action, actions
from ledger.book import require_may_reopen
from ledger.club import Club
from ledger.errors import HandUnknown, Refused
from ledger.journal import pool_account
from ledger.night import Night
from ledger.offline import offline_kit
from ledger.open_items import is_settled
from ledger.projections import hand_row, hand_rows, night_state
from ledger.service import Ledger
from ledger.store import CLUB, Reader
from ledger.words import Words, with_words


def night_view(ledger: Ledger, club: Club, night: str, reader: Reader, role: str = OWNER) -> dict[str, Any]:
    """Return the state of a night (contract, section 7), with what somebody of a role may do. Raises ``NightUnknown``.

    It is the same as long as nothing is recorded in the club, nor backed up: ``as_of`` is when something last was.
    """
    state = ledger.night(club.id, night, reader)
    head = reader.head()
    words = Words(club, reader)
    told = night_state(state, words.member, settled=is_settled(club, club.nights[night]))
    first = {
        "club": club.id,
        **{key: told.pop(key) for key in ("night", "table", "date", "state", "revision", "version")},
        "position": head.position,
        "epoch": head.epoch,
        "as_of": newest(reader),
        "backed_up_to": head.backed_up_to,
    }
    found = actions(state, words.member, may_reopen=may_reopen(club, night))
    return {**first, **told, "actions": allowed(found, state, role), **offline_kit(state)}


def allowed(found: list[Action], night: Night, role: str) -> list[Action]:
    """Return those commands that somebody of a role may send."""
    return [item for item in found if may(role, role_for(item["type"], item["data"].get("hand"), night))]


def hands_view(ledger: Ledger, club: Club, night: str, reader: Reader) -> list[dict[str, Any]]:
    """Return every hand of a night: facts, changes, and what happened to it since. Raises ``NightUnknown``."""
    words = Words(club, reader)
    return [with_words(row, words) for row in hand_rows(ledger.night(club.id, night, reader))]


def hand_view(ledger: Ledger, club: Club, night: str, number: int, reader: Reader) -> dict[str, Any]:
    """Return one hand, as ``hands_view`` does. Raises ``NightUnknown`` and ``HandUnknown``."""
    state = ledger.night(club.id, night, reader)
    step = state.hand(number)
    if step is None:
        raise HandUnknown(field="hand", hand=number)
    return with_words(hand_row(state, step), Words(club, reader))


def nights_view(club: Club, table: str | None = None) -> list[dict[str, Any]]:
    """Return the nights of a club, or of one table, as they were opened."""
    return [
        {
            "night": night.id,
            "table": night.table,
            "date": night.date,
            "state": "open" if not night.closed else "settled" if is_settled(club, night) else "closed",
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


def payments_view(club: Club, words: Words, member: str | None = None) -> list[dict[str, Any]]:
    """Return the payments as they were recorded, all or those of one member."""
    rows = []
    for payment in club.payments.values():
        event = payment.event
        payer, payee = club.resolved(event.from_party), club.resolved(event.to_party)
        if member is None or club.resolved(member) in (payer, payee):
            rows.append(
                {
                    "payment": event.payment,
                    "date": event.date,
                    "from": payer,
                    "from_name": words.party(payer),
                    "to": payee,
                    "to_name": words.party(payee),
                    "amount": event.amount,
                    "unit": event.unit,
                    "nights": [dict(part) for part in event.nights],
                    "method": words.text(event.method),
                    "reversed": payment.reversed,
                }
            )
    return rows


def may_reopen(club: Club, night: str) -> bool:
    """Tell whether a closed night may be opened again: nothing was built on it yet."""
    return why_it_stays_closed(club, night) is None


def why_it_stays_closed(club: Club, night: str) -> Refused | None:
    """Return what a closed night that is opened again would be refused for."""
    try:
        require_may_reopen(club, night)
    except Refused as error:
        return error
    return None


def newest(reader: Reader) -> str:
    """Return when the newest event of a club was recorded."""
    (event,) = reader.events(reader.head().position - 1, 1)
    return event.recorded_at
