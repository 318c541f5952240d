"""A night that was kept on paper, as the commands that record it: the same sheet always gives the same commands."""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from ledger import values
from ledger.codec import canonical_json
from ledger.errors import BadValue, FactsClash, MemberUnknown
from ledger.hands import Hand, facts_of, read_hand
from ledger.play import Carry, play
from ledger.sheet import Resolve, Sheet, read_sheet

NAMESPACE: Final = uuid.UUID("1f6c4b2e-8a3d-5c47-9e1b-7d20a6f35b88")
"""What the ids of imported commands are derived in."""

Command: TypeAlias = dict[str, Any]
"""A command with its envelope, as it is sent."""


class Ids:
    """The ids of a sheet's commands: derived from its id, or where it has none from all that it says."""

    def __init__(self, club: str, table: str, document: Mapping[str, Any]) -> None:
        named = document.get("id")
        key = str(named) if named is not None else values.plain(document, "sheet")
        self._base = uuid.uuid5(NAMESPACE, canonical_json([club, table, key]))

    def of(self, what: str) -> str:
        """Return the id of a command, by what it does."""
        return str(uuid.uuid5(self._base, what))


def names_in(document: Mapping[str, Any], resolve: Resolve) -> list[str]:
    """Return everybody whom a sheet names, in the order in which they come. Raises ``LedgerError``."""
    sheet = read_sheet(document, resolve)
    found = dict.fromkeys(sheet.carry.seats)
    for facts in sheet.hands:
        found.update(dict.fromkeys(read_hand(facts).players or ()))
    return list(found)


def matched(
    names: Sequence[str], members: Mapping[str, str], given: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return which member each name of a sheet means, and the names that mean nobody.

    ``members`` is id to name; a name is looked up in what was ``given``, then among ids, then among names. Raises
    ``BadValue`` where two members are called so, or two names mean one member; ``MemberUnknown`` for a given id.
    """
    called: dict[str, list[str]] = {}
    for member, name in members.items():
        called.setdefault(name, []).append(member)
    who: dict[str, str] = {}
    for name in names:
        found = [given[name]] if name in given else [name] if name in members else called.get(_plain(name), [])
        if len(found) > 1:
            raise BadValue(field=name, wanted=f"an id, since {len(found)} are called so: {', '.join(found)}")
        for member in found:
            if member not in members:
                raise MemberUnknown(field=name, member=member)
            if member in who.values():
                raise BadValue(field=name, wanted=f"another member than {member}, who is in this sheet already")
            who[name] = member
    return who, [name for name in names if name not in who]


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip())


def additions(ids: Ids, unknown: Sequence[str], members: Mapping[str, int]) -> dict[str, Command]:
    """Return, by name, the commands that add members of whom the club does not know; ``members`` is id to number."""
    commands = {}
    number = max(members.values(), default=0)
    for name in unknown:
        number += 1
        while f"m{number}" in members:
            number += 1
        data = {"member": f"m{number}", "name": name, "number": number}
        commands[name] = {"id": ids.of(f"member {name}"), "type": "AddMember", "data": data}
    return commands


def opening(
    ids: Ids,
    document: Mapping[str, Any],
    resolve: Resolve,
    who: Mapping[str, str],
    table: str,
    *,
    pool: int,
    **more: object,
) -> Command:
    """Return the command that opens the night. ``pool`` comes from the till; ``more`` is what no sheet says."""
    sheet = read_sheet(document, resolve)
    data = {
        "table": table,
        "players": [who[name] for name in sheet.carry.seats],
        "dealer": who[sheet.carry.dealer],
        "stake": sheet.rules.stake,
        "pool": pool,
        **{key: value for key, value in more.items() if value is not None},
    }
    return {"id": ids.of("open"), "type": "OpenNight", "data": data}


def recordings(
    ids: Ids, document: Mapping[str, Any], resolve: Resolve, who: Mapping[str, str], night: str
) -> Iterator[Command]:
    """Yield the commands that record every hand of a sheet, with those that seat who comes and goes in between.

    Raises ``LedgerError`` for a sheet that cannot be scored, and ``FactsClash`` for one that begins within a game.
    """
    sheet = read_sheet(document, resolve)
    _require_new_game(sheet)
    carry = sheet.carry
    for number, facts in enumerate(sheet.hands, start=1):
        hand = read_hand(facts)
        played = play(sheet.rules, carry, hand)
        for what, kind, data in _seatings(carry, played.carry, who):
            yield {"id": ids.of(f"{what} before {number}"), "type": kind, "night": night, "data": data}
        told = _renamed(hand._replace(players=played.carry.seats, dealer=played.dealer), who)
        data = {"hand": number, **facts_of(told)}
        yield {"id": ids.of(f"hand {number}"), "type": "RecordHand", "night": night, "data": data}
        carry = played.carry
    if "note" in document:
        note = {"note": values.text(document["note"], "note")}
        yield {"id": ids.of("note"), "type": "AddNote", "night": night, "data": note}


def closing(ids: Ids, night: str, pool: str | Mapping[str, str]) -> Command:
    """Return the command that closes the night."""
    return {"id": ids.of("close"), "type": "CloseNight", "night": night, "data": {"pool": pool}}


def as_members(result: Mapping[str, int], who: Mapping[str, str]) -> dict[str, int]:
    """Return what a sheet comes to, by member or team, without zeros."""
    return {"+".join(who[name] for name in key.split("+")): chips for key, chips in result.items() if chips}


def _require_new_game(sheet: Sheet) -> None:
    if sheet.carry.game is not None and sheet.carry.game.scores != (0, 0):
        raise FactsClash(field="scores", other="a night in the book, whose first game begins at 0:0")


def _seatings(before: Carry, after: Carry, who: Mapping[str, str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield what takes one order of seats to another: who leaves, who comes, and where that is not all, the order."""
    seats = [name for name in before.seats if name in after.seats]
    for name in before.seats:
        if name not in after.seats:
            yield f"unseat {name}", "UnseatPlayer", {"player": who[name]}
    for index, name in enumerate(after.seats):
        if name not in before.seats:
            seats.insert(index, name)
            yield f"seat {name}", "SeatPlayer", {"player": who[name], "seat": seats.index(name) + 1}
    if tuple(seats) != after.seats:
        yield "reseat", "Reseat", {"players": [who[name] for name in after.seats]}


def _renamed(hand: Hand, who: Mapping[str, str]) -> Hand:
    """Return a hand in which everybody is called by his id."""

    def each(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(who[name] for name in names)

    return hand._replace(
        players=each(hand.players or ()),
        out=each(hand.out),
        dealer=who[hand.dealer] if hand.dealer is not None else None,
        bought={who[name]: cards for name, cards in hand.bought.items()},
        peeks=each(hand.peeks),
        bids=None if hand.bids is None else tuple((who[name], bid) for name, bid in hand.bids),
        bidder=who[hand.bidder] if hand.bidder is not None else None,
        revoke=who[hand.revoke] if hand.revoke is not None else None,
        led_out_of_turn=each(hand.led_out_of_turn),
        played_out_of_turn=each(hand.played_out_of_turn),
    )
