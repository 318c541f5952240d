"""What people ask of the book. Commands parse themselves: each field's type says how it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Annotated, Any, Final, TypeAlias, cast, get_args, get_type_hints
from zoneinfo import ZoneInfo

from ledger import values
from ledger.errors import BadValue, CommandUnknown, MissingKey
from ledger.hands import as_read, facts_of, read_hand, seated_players

Reader = Callable[[object, str], Any]


# How fields are read

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def command_id(value: object, field: str = "id") -> str:
    """Return the id that a sender made for a command: a UUID, lower case in the book."""
    if isinstance(value, str) and _UUID.fullmatch(value.lower()):
        return value.lower()
    raise BadValue(field=field, wanted="a UUID")


def _optional(reader: Reader) -> Reader:
    return lambda value, field: None if value is None else reader(value, field)


def _members(value: object, field: str) -> tuple[str, ...]:
    return tuple(values.member_id(item, f"{field}[{index}]") for index, item in enumerate(seated_players(value, field)))


def _facts(value: object, field: str) -> Mapping[str, Any]:
    """Return the facts of a hand, in the one form in which they are stored."""
    return as_read(read_hand(values.mapping(value, field)))


def _irregularities(value: object, field: str) -> Mapping[str, Any]:
    return facts_of(read_hand(values.mapping(value, field, IRREGULARITIES)))


IRREGULARITIES: Final = frozenset(
    {
        "took_card",
        "took_widow",
        "trumps",
        "revoke",
        "led_out_of_turn",
        "played_out_of_turn",
        "foul",
        "surrendered",
        "granted",
        "out",
    }
)


def _counts(value: object, field: str) -> Mapping[str, int]:
    counts = values.mapping(value, field)
    if not 1 <= len(counts) <= 50:
        raise BadValue(field=field, wanted="what was counted, by player or pool")
    return {
        name if name == "pool" else values.member_id(name, field): values.integer(chips, f"{field}.{name}")
        for name, chips in counts.items()
    }


def _gap(value: object, field: str) -> str:
    return values.choice(value, field, ("shortage", "leave"))


def _pool_at_close(value: object, field: str) -> str | Mapping[str, str]:
    if isinstance(value, dict):
        values.mapping(value, field, {"to"})
        return {"to": values.member_id(values.required(value, "to", field), f"{field}.to")}
    return values.choice(value, field, ("carry", "split"))


def _date(value: object, field: str) -> str:
    if isinstance(value, str) and re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", value):
        return value
    raise BadValue(field=field, wanted="a date such as 2026-11-29")


def _zone(value: object, field: str) -> str:
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_+-]{1,30}(/[A-Za-z0-9_+-]{1,30}){0,2}", value):
        try:
            return ZoneInfo(value).key
        except (OSError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
            pass
    raise BadValue(field=field, wanted="a time zone such as Europe/London")


def _cut_off(value: object, field: str) -> str:
    if isinstance(value, str) and re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value):
        return value
    raise BadValue(field=field, wanted="a time of day such as 06:00")


def _money(value: object, field: str) -> Mapping[str, Any]:
    """Return a currency, and what a chip is worth in its minor units."""
    money = values.mapping(value, field, {"currency", "chip"})
    currency = values.required(money, "currency", field)
    if not isinstance(currency, str) or not re.fullmatch(r"[A-Z]{3}", currency):
        raise BadValue(field=f"{field}.currency", wanted="an ISO code such as GBP")
    return {"currency": currency, "chip": values.integer(values.required(money, "chip", field), f"{field}.chip", 1)}


def _banker(value: object, field: str) -> str:
    return value if value == "till" else values.member_id(value, field)


def _rulebook(value: object, field: str) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return values.plain(value, field)  # type: ignore[no-any-return]  # an object gives an object
    raise BadValue(field=field, wanted="a rulebook as an object")


def _house_rules(value: object, field: str) -> Mapping[str, Any]:
    return values.plain(values.mapping(value, field), field)  # type: ignore[no-any-return]  # as above


Id: TypeAlias = Annotated[str, values.identifier]
Member: TypeAlias = Annotated[str, values.member_id]
Members: TypeAlias = Annotated[tuple[str, ...], _members]
HandNumber: TypeAlias = Annotated[int, lambda value, field: values.integer(value, field, 1, 1_000_000)]
Chips: TypeAlias = Annotated[int, lambda value, field: values.integer(value, field, 1)]
NoChips: TypeAlias = Annotated[int, lambda value, field: values.integer(value, field, 0)]
Stake: TypeAlias = Annotated[int, lambda value, field: values.integer(value, field, 1)]
Seat: TypeAlias = Annotated[int, lambda value, field: values.integer(value, field, 1, 20)]
Number: TypeAlias = Annotated[int, lambda value, field: values.integer(value, field, 1, 1_000_000)]
Cards: TypeAlias = Annotated[int, lambda value, field: values.integer(value, field, 0, 5)]
Tricks: TypeAlias = Annotated[int, lambda value, field: values.integer(value, field, 0, 26)]
Version: TypeAlias = Annotated[int, lambda value, field: values.integer(value, field, 0, values.TOTAL_LIMIT)]
Name: TypeAlias = Annotated[Any, values.name]
"""A name; the service puts a reference to the text in its place before the command is judged."""
Note: TypeAlias = Annotated[Any, values.text]
"""Free text; treated like a name."""
BidId: TypeAlias = Annotated[str, lambda value, field: values.text(value, field, 40)]
Flag: TypeAlias = Annotated[bool, values.flag]
Facts: TypeAlias = Annotated[Mapping[str, Any], _facts]
HouseRules: TypeAlias = Annotated[Mapping[str, Any], _house_rules]
Money: TypeAlias = Annotated[Mapping[str, Any], _money]
Uuid: TypeAlias = Annotated[str, command_id]


# A night


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenNight:
    """Open a night of a table; what is left out comes from the table."""

    table: Id
    players: Members
    dealer: Member
    night: Id | None = None
    date: Annotated[str, _date] | None = None
    rulebook: Id | None = None
    house_rules: HouseRules | None = None
    stake: Stake | None = None
    money: Money | None = None
    banker: Annotated[str, _banker] | None = None
    pool: NoChips = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlayer:
    """Seat a player from the next deal on; without a seat he sits last."""

    player: Member
    seat: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseatPlayer:
    """Let a player leave; a hand in progress is finished on his account."""

    player: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class Reseat:
    """Change the seat order, from the next deal or, as a correction, from a past hand on."""

    players: Members
    from_hand: HandNumber | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetDealer:
    """Say who deals the next hand."""

    player: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class BuyIn:
    """Give chips from the till to a player."""

    player: Member
    chips: Chips
    paid: NoChips = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CashOut:
    """Give a player's chips back to the till."""

    player: Member
    chips: Chips
    paid: NoChips = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """Give chips from one player to another."""

    from_: Member
    to: Member
    chips: Chips
    paid: NoChips = 0
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BuyCards:
    """Buy cards, once in a hand, for chips to the pool."""

    hand: HandNumber
    player: Member
    cards: Cards


@dataclass(frozen=True, slots=True, kw_only=True)
class Peek:
    """Pay to look at the peep card, once in a hand."""

    hand: HandNumber
    player: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class Bid:
    """Outbid the table."""

    hand: HandNumber
    player: Member
    bid: BidId


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Decline to bid; when everybody has, the hand is over."""

    hand: HandNumber
    player: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class TakePeepCard:
    """Say whether the bidder took the peep card."""

    hand: HandNumber
    taken: Flag


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOutcome:
    """Say how a hand that was followed step by step ended."""

    hand: HandNumber
    made: Flag | None = None
    tricks: Tricks | None = None
    irregularities: Annotated[Mapping[str, Any], _irregularities] | None = None
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclareMisdeal:
    """Say that a hand was misdealt."""

    hand: HandNumber
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordHand:
    """Record a whole hand by its facts, which stand beside ``hand`` in the data."""

    hand: HandNumber
    facts: Facts
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectHand:
    """Replace the facts of a hand; every later hand of the night is worked out again."""

    hand: HandNumber
    facts: Facts
    reason: Note
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidHand:
    """Let a hand count as never dealt."""

    hand: HandNumber
    reason: Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Take back the newest command, named by its id or by the version of its last event."""

    command: Uuid | None = None
    version: Version | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRules:
    """Replace house rules, rulebook or stake from the next hand on; same family of games."""

    rulebook: Id | None = None
    house_rules: HouseRules | None = None
    stake: Stake | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountChips:
    """Compare what lies on the table with the book, and decide about the gap."""

    counts: Annotated[Mapping[str, int], _counts]
    gap: Annotated[str, _gap]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """Say that a hand is recorded wrongly; it counts until it is corrected."""

    hand: HandNumber
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveDispute:
    """Say that a dispute is settled."""

    hand: HandNumber
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddNote:
    """Write a note to a night or to one of its hands."""

    note: Note
    hand: HandNumber | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseNight:
    """Close a night, and say what becomes of the pool; left out, the rulebook says."""

    pool: Annotated[str | Mapping[str, str], _pool_at_close] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenNight:
    """Open a closed night again, as a new revision."""

    reason: Note


# A club


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundClub:
    """Begin a club's book."""

    club: Id
    name: Name
    zone: Annotated[str, _zone] = "Europe/London"
    cut_off: Annotated[str, _cut_off] = "06:00"
    money: Money | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMember:
    """Add a member or guest; without an id he is called by his number."""

    name: Name
    member: Member | None = None
    number: Number | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameMember:
    """Give a member another name."""

    member: Member
    name: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveMember:
    """Hide a member from choices; balances stay."""

    member: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreMember:
    """Bring an archived member back."""

    member: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeMembers:
    """Say that two memberships are one person, who is called by the second."""

    from_: Member
    into: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseMember:
    """Remove a member's names for good; amounts stay."""

    member: Member


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTable:
    """Open a regular table."""

    name: Name
    rulebook: Id
    table: Id | None = None
    house_rules: HouseRules | None = None
    stake: Stake = 1
    money: Money | None = None
    banker: Annotated[str, _banker] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeTable:
    """Change what the next nights of a table begin with."""

    table: Id
    name: Name | None = None
    rulebook: Id | None = None
    house_rules: HouseRules | None = None
    stake: Stake | None = None
    banker: Annotated[str, _banker] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseTable:
    """End a table, and say who gets its pool."""

    table: Id
    pool: Annotated[str | Mapping[str, str], _pool_at_close] = "split"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRulebook:
    """Add a rulebook of the club's own, or a new version of one."""

    rulebook: Annotated[Mapping[str, Any], _rulebook]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartSeason:
    """Begin a season."""

    name: Name
    season: Id | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndSeason:
    """End a season."""

    season: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectClosedHand:
    """Correct a hand of a closed night, which itself does not move."""

    night: Id
    hand: HandNumber
    facts: Facts
    reason: Note
    note: Note | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitLateHand:
    """Let a hand count that came in after its night was closed."""

    command: Uuid


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseLateHand:
    """Do not let a late hand count."""

    command: Uuid
    reason: Note


NightCommand: TypeAlias = (
    OpenNight
    | SeatPlayer
    | UnseatPlayer
    | Reseat
    | SetDealer
    | BuyIn
    | CashOut
    | Transfer
    | BuyCards
    | Peek
    | Bid
    | Pass
    | TakePeepCard
    | RecordOutcome
    | DeclareMisdeal
    | RecordHand
    | CorrectHand
    | VoidHand
    | Undo
    | ChangeRules
    | CountChips
    | Dispute
    | ResolveDispute
    | AddNote
    | CloseNight
    | ReopenNight
)

ClubCommand: TypeAlias = (
    FoundClub
    | AddMember
    | RenameMember
    | ArchiveMember
    | RestoreMember
    | MergeMembers
    | EraseMember
    | OpenTable
    | ChangeTable
    | CloseTable
    | PublishRulebook
    | StartSeason
    | EndSeason
    | CorrectClosedHand
    | AdmitLateHand
    | RefuseLateHand
)

Command: TypeAlias = NightCommand | ClubCommand

NIGHT_COMMANDS: Final[Mapping[str, type[NightCommand]]] = {kind.__name__: kind for kind in get_args(NightCommand)}
CLUB_COMMANDS: Final[Mapping[str, type[ClubCommand]]] = {kind.__name__: kind for kind in get_args(ClubCommand)}


# Reading


def read_command(kind: str, data: object, known: Mapping[str, type[Any]]) -> Any:  # noqa: ANN401 - one of ``known``
    """Return a command of a type from its data.

    Raises ``CommandUnknown`` and ``Unreadable`` errors that name the field.
    """
    command = known.get(kind)
    if command is None:
        raise CommandUnknown(field="type", type=kind)
    given = values.mapping(data, "data")
    if command is RecordHand:  # its facts stand beside the number (contract, section 4)
        given = {
            "hand": values.required(given, "hand"),
            "facts": {key: value for key, value in given.items() if key != "hand"},
        }
    readers = readers_of(cast("Hashable", command))
    values.mapping(given, "", readers)
    found: dict[str, Any] = {}
    for key, (field, reader, needed) in readers.items():
        value = given.get(key)
        if value is not None:
            found[field] = reader(value, key)
        elif needed:
            raise MissingKey(field=key)
    if "facts" in found and "note" in found["facts"]:
        facts = dict(found["facts"])
        found["note"] = facts.pop("note")
        found["facts"] = facts
    return command(**found)


@cache
def readers_of(command: Hashable) -> Mapping[str, tuple[str, Reader, bool]]:
    """Return, by key of a command's data: the field, how it is read, and whether it is needed."""
    hints = get_type_hints(cast("type[Any]", command), include_extras=True)
    readers = {}
    for field in fields(cast("type[Any]", command)):
        if field.name == "note" and "facts" in hints:
            continue  # it comes with the facts
        readers[field.name.rstrip("_")] = (field.name, _reader(hints[field.name]), field.default is MISSING)
    return readers


def texts_of(command: object) -> list[tuple[str, str, Any]]:
    """Return (key, field, value) of the names and notes that a command has."""
    fields_ = _text_fields(cast("Hashable", type(command)))
    return [(key, name, value) for key, name in fields_ if (value := getattr(command, name)) is not None]


@cache
def _text_fields(command: Hashable) -> tuple[tuple[str, str], ...]:
    hints = get_type_hints(cast("type[Any]", command), include_extras=True)
    return tuple(
        (field.name.rstrip("_"), field.name)
        for field in fields(cast("type[Any]", command))
        if _reader(hints[field.name]) in (values.name, values.text)
    )


def _reader(hint: Any) -> Reader:  # noqa: ANN401 - a type as it was written
    for part in (hint, *get_args(hint)):
        for extra in getattr(part, "__metadata__", ()):
            if callable(extra):
                return extra  # type: ignore[no-any-return]  # the metadata of a field is its reader
    raise AssertionError(f"{hint!r} does not say how it is read")
