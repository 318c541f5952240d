"""How the fields of commands are read: each type says what may come from outside."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from typing import Annotated, Any, Final, TypeAlias
from zoneinfo import ZoneInfo

from ledger import values
from ledger.errors import BadValue
from ledger.hands import as_read, facts_of, read_hand, seated_players
from ledger.journal import SHORTAGE, TILL

Reader = Callable[[object, str], Any]


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
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII):
        with suppress(ValueError):
            day = date.fromisoformat(value)
            if day < date.max:  # a balance is asserted on the day after
                return day.isoformat()
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
    money = values.mapping(value, field, {"currency", "chip", "exponent"})
    currency = values.required(money, "currency", field)
    if not isinstance(currency, str) or not re.fullmatch(r"[A-Z]{3}", currency):
        raise BadValue(field=f"{field}.currency", wanted="an ISO code such as GBP")
    chip = values.integer(values.required(money, "chip", field), f"{field}.chip", 1)
    exponent = exponent_of(currency, f"{field}.currency")
    if values.integer(money.get("exponent", exponent), f"{field}.exponent") != exponent:
        raise BadValue(field=f"{field}.exponent", wanted=f"left out, or {exponent}: so many decimals {currency} has")
    return {"currency": currency, "chip": chip, "exponent": exponent}


def exponent_of(currency: str, field: str) -> int:
    """Return how many decimals a currency has (ISO 4217, as Babel has it): GBP 2, JPY 0, KWD 3."""
    from babel.numbers import get_currency_precision, list_currencies  # takes a while to load

    if currency not in list_currencies():
        raise BadValue(field=field, wanted="an ISO code such as GBP")
    return get_currency_precision(currency)


def _banker(value: object, field: str) -> str:
    return value if value == TILL else values.member_id(value, field)


def _party(value: object, field: str) -> str:
    return value if value in (TILL, SHORTAGE) else values.member_id(value, field)


UNIT: Final = rf"^([A-Z]{{3}}|chips:{values.ID_PATTERN.pattern}\.[1-9][0-9]{{0,5}})$"
"""A currency, or the chips of a table."""


def _unit(value: object, field: str) -> str:
    if isinstance(value, str) and re.fullmatch(
        r"[A-Z]{3}|chips:[a-z0-9][a-z0-9._-]{0,59}\.[1-9]\d{0,5}", value, re.ASCII
    ):
        return value
    raise BadValue(field=field, wanted="a currency such as GBP, or a table's chips such as chips:peep.1")


def _pool_at_change(value: object, field: str) -> str:
    return values.choice(value, field, ("convert", "keep_worth", "split"))


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
Date: TypeAlias = Annotated[str, _date]
Banker: TypeAlias = Annotated[str, _banker]
Irregularities: TypeAlias = Annotated[Mapping[str, Any], _irregularities]
Counts: TypeAlias = Annotated[Mapping[str, int], _counts]
Gap: TypeAlias = Annotated[str, _gap]
PoolAtClose: TypeAlias = Annotated[str | Mapping[str, str], _pool_at_close]
Zone: TypeAlias = Annotated[str, _zone]
CutOff: TypeAlias = Annotated[str, _cut_off]
RulebookBody: TypeAlias = Annotated[Mapping[str, Any], _rulebook]
Party: TypeAlias = Annotated[str, _party]
Unit: TypeAlias = Annotated[str, _unit]
PoolAtChange: TypeAlias = Annotated[str, _pool_at_change]
