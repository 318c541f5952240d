"""What people ask of the book. Commands parse themselves: each field's type says how it is read."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, Final, TypeAlias, cast, get_args, get_type_hints

from ledger import values
from ledger.commands.club import *  # noqa: F403
from ledger.commands.club import ClubCommand
from ledger.commands.money import *  # noqa: F403
from ledger.commands.money import MoneyCommand as MoneyCommand
from ledger.commands.night import *  # noqa: F403
from ledger.commands.night import NightCommand, RecordHand
from ledger.commands.reading import IRREGULARITIES as IRREGULARITIES
from ledger.commands.reading import Reader
from ledger.commands.reading import command_id as command_id
from ledger.errors import CommandUnknown, MissingKey

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
