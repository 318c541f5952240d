"""One schema a command, derived from its dataclass: what it is described by, and what words its refusal.

Reading is the ledger's: its decoder decides, and is quick. What it refuses is shown to these schemas, which name every
field that is wrong and not only the first.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import marshmallow as ma

from api.schemas import fields
from api.schemas.facts import Facts, Irregularities
from ledger import commands as cmd
from ledger import values
from ledger.commands import reading

Field = Callable[..., ma.fields.Field[Any]]


class PoolTo(fields.Strict):
    """Who gets the pool."""

    to = fields.member(required=True)


class MoneyOfAClub(fields.Strict):
    """What a chip is worth in a currency's smallest coins."""

    currency = fields.pattern("^[A-Z]{3}$", required=True)
    chip = fields.Whole(1, required=True)
    exponent = fields.Whole(0, 4)


class PoolAtClose(ma.fields.Raw):
    """``carry``, ``split``, or to whom."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - marshmallow's
        to = {"type": "object", "properties": {"to": {"type": "string", "pattern": fields.ID}}}
        said: list[Any] = [{"type": "string", "enum": ["carry", "split"]}]
        said.append({**to, "required": ["to"], "additionalProperties": False})
        if options.get("allow_none"):
            said.append({"type": "null"})
        super().__init__(**{**options, "metadata": {"anyOf": said}})

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:  # noqa: ANN401, ARG002 - as above
        if value not in ("carry", "split") and PoolTo().validate(value if isinstance(value, dict) else {}):
            raise ma.ValidationError('Must be "carry", "split", or {"to": the id of a player}.')
        return value


def _reader(alias: Any) -> Callable[..., Any]:  # noqa: ANN401 - a type as it was written
    found: Callable[..., Any] = alias.__metadata__[0]
    return found


def _anything(**options: Any) -> ma.fields.Field[Any]:  # noqa: ANN401 - as above
    return ma.fields.Dict(keys=ma.fields.String(), **options)


FIELDS: Final[Mapping[Callable[..., Any], Field]] = {
    values.identifier: fields.identifier,
    values.member_id: fields.member,
    values.name: lambda **options: fields.text(1, 1_000, **options),
    values.text: lambda **options: fields.text(0, values.NOTE_LIMIT, **options),
    values.flag: fields.Flag,
    cmd.command_id: lambda **options: fields.pattern(fields.UUID, **options),
    _reader(reading.Members): fields.members,
    _reader(reading.HandNumber): lambda **options: fields.Whole(1, 1_000_000, **options),
    _reader(reading.Chips): lambda **options: fields.Whole(1, **options),
    _reader(reading.NoChips): lambda **options: fields.Whole(0, **options),
    _reader(reading.Stake): lambda **options: fields.Whole(1, **options),
    _reader(reading.Seat): lambda **options: fields.Whole(1, 20, **options),
    _reader(reading.Number): lambda **options: fields.Whole(1, 1_000_000, **options),
    _reader(reading.Cards): lambda **options: fields.Whole(0, 5, **options),
    _reader(reading.Tricks): lambda **options: fields.Whole(0, 26, **options),
    _reader(reading.Version): lambda **options: fields.Whole(0, values.TOTAL_LIMIT, **options),
    _reader(reading.BidId): lambda **options: fields.text(0, 40, **options),
    _reader(reading.Facts): lambda **options: ma.fields.Nested(Facts, **options),
    _reader(reading.HouseRules): _anything,
    _reader(reading.Money): lambda **options: ma.fields.Nested(MoneyOfAClub, **options),
    _reader(reading.Irregularities): lambda **options: ma.fields.Nested(Irregularities, **options),
    _reader(reading.Counts): lambda **options: ma.fields.Dict(
        keys=ma.fields.String(), values=fields.Whole(), validate=ma.validate.Length(1, 50), **options
    ),
    _reader(reading.Gap): lambda **options: fields.choice("shortage", "leave", **options),
    _reader(reading.PoolAtClose): PoolAtClose,
    _reader(reading.Date): lambda **options: fields.pattern(
        "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$", **options
    ),
    _reader(reading.Zone): lambda **options: fields.text(1, 100, **options),
    _reader(reading.CutOff): lambda **options: fields.pattern("^([01][0-9]|2[0-3]):[0-5][0-9]$", **options),
    _reader(reading.Banker): fields.identifier,
    _reader(reading.RulebookBody): _anything,
    _reader(reading.Party): fields.identifier,
    _reader(reading.Unit): lambda **options: fields.pattern(reading.UNIT, **options),
    _reader(reading.PoolAtChange): lambda **options: fields.choice("convert", "keep_worth", "split", **options),
}
"""How each reader of the ledger is described; a test holds that none is missing."""


def _described(reader: Callable[..., Any], options: dict[str, Any]) -> ma.fields.Field[Any]:
    field = FIELDS.get(reader)
    return ma.fields.Raw(**options) if field is None else field(**options)


@cache
def data_schema(kind: str) -> type[ma.Schema]:
    """Return the schema of a command's data."""
    command = _kinds()[kind]
    found: dict[str, Any] = {}
    for key, (_field, reader, needed) in cmd.readers_of(command).items():
        if command is cmd.RecordHand and key == "facts":  # they stand beside the number
            found |= {name: field for name, field in Facts._declared_fields.items() if name != "note"}
            found["note"] = fields.text(0, values.NOTE_LIMIT)
        else:
            found[key] = _described(reader, {"required": True} if needed else {"allow_none": True})
    if command is cmd.CloseNight:  # it may stand in either place
        found["expected_version"] = _version()
    return _schema(f"{kind}Data", found, inspect.getdoc(command) or "")


@cache
def command_schema(kind: str) -> type[ma.Schema]:
    """Return the schema of a command with its envelope."""
    data = data_schema(kind)
    found = {
        "id": fields.pattern(
            fields.UUID, required=True, metadata={"description": "made by the sender, and kept until it is answered"}
        ),
        "type": fields.choice(kind, required=True),
        "data": ma.fields.Nested(data, required=any(field.required for field in data._declared_fields.values())),
        "expected_version": _version(),
        "at": ma.fields.String(
            allow_none=True,
            validate=ma.validate.Length(max=40),
            metadata={"description": "the device's time, such as 2026-11-29T21:04:31Z; it orders nothing"},
        ),
        "dry_run": fields.Flag(metadata={"description": "work everything out, and write nothing"}),
    }
    if kind in cmd.NIGHT_COMMANDS:
        found["night"] = fields.identifier(allow_none=True, metadata={"description": "as in the address, or left out"})
    return _schema(kind, found, inspect.getdoc(_kinds()[kind]) or "")


def _version() -> ma.fields.Field[Any]:
    return fields.Whole(
        0,
        values.TOTAL_LIMIT,
        allow_none=True,
        metadata={"description": "refused as wrong_version unless the stream is at this version"},
    )


def _schema(name: str, found: Mapping[str, Any], words: str) -> type[ma.Schema]:
    meta = type("Meta", (fields.Strict.Meta,), {"register": False})
    made: type[ma.Schema] = type(name, (fields.Strict,), {**found, "Meta": meta, "__doc__": words})
    return made


def _kinds() -> Mapping[str, Any]:
    return {**cmd.NIGHT_COMMANDS, **cmd.CLUB_COMMANDS}


def undescribed() -> set[str]:
    """Name every key of a command whose reader has no description here."""
    return {
        f"{kind}.{key}"
        for kind, command in _kinds().items()
        for key, (_field, reader, _needed) in cmd.readers_of(command).items()
        if reader not in FIELDS
    }


def complaints(data: object) -> dict[str, Any]:
    """Return what is wrong with a command that was refused, by field; nothing where its shape is right."""
    if not isinstance(data, dict) or not isinstance(data.get("type"), str) or data["type"] not in _kinds():
        return {}
    found = command_schema(data["type"])().validate(data)
    return dict(found)
