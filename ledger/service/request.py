"""Commands as they are sent: the envelope, the words beside it, and what tells one command from another."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Final

from ledger import commands as cmd
from ledger.codec import encode, text_digest
from ledger.errors import BadValue, WrongScope
from ledger.store import CLUB, Texts
from ledger.values import identifier, integer, mapping, required


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A command as it was sent: whose stream it is for, and what the sender made of it. Texts stand beside it."""

    id: str
    command: Any
    night: str | None
    expected_version: int | None
    device_time: str | None
    dry_run: bool
    words: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who sends commands, from which device, and what judges whether he may (else he may everything)."""

    actor: str
    device: str | None = None
    guard: Callable[[Any, Any, str | None], None] | None = None

    def require_leave(self, context: object, request: Request) -> None:
        """Raise ``RoleNeeded`` where he may not; ``context`` is the book that the command is judged by."""
        if self.guard is not None:
            self.guard(context, request.command, request.night)


def read_request(data: object, *, dry_run: bool = False) -> Request:
    """Read a command with its envelope: id, type, data, night, expected_version, at, dry_run.

    Raises ``Unreadable`` errors that name the field.
    """
    envelope = mapping(
        mapping(data, "The command"), "", {"id", "type", "data", "night", "expected_version", "at", "dry_run"}
    )
    command_id = cmd.command_id(required(envelope, "id"))
    kind = required(envelope, "type")
    if not isinstance(kind, str):
        raise BadValue(field="type", wanted="the name of a command")
    night = envelope.get("night")
    if night is not None:
        night = identifier(night, "night")
    known: Mapping[str, type[Any]] = cmd.NIGHT_COMMANDS if kind in cmd.NIGHT_COMMANDS else cmd.CLUB_COMMANDS
    data = envelope.get("data", {})
    expected = envelope.get("expected_version")
    if kind == "CloseNight" and isinstance(data, dict) and "expected_version" in data:  # it may stand in either place
        expected = data["expected_version"] if expected is None else expected
        data = {key: value for key, value in data.items() if key != "expected_version"}
    command = cmd.read_command(kind, data, known)
    if kind == "OpenNight":
        if night is not None and command.night not in (None, night):
            raise BadValue(field="data.night", wanted=f"left out, or {night}")
        command, night = replace(command, night=command.night or night), None
    elif kind in cmd.NIGHT_COMMANDS and night is None:
        raise WrongScope(field="night", type=kind, wanted="a night: say which")
    elif kind in cmd.CLUB_COMMANDS and night is not None:
        raise WrongScope(field="night", type=kind, wanted="the club: leave the night out")
    at = envelope.get("at")
    if at is not None and (not isinstance(at, str) or not _is_time(at)):
        raise BadValue(field="at", wanted="a time such as 2026-11-29T21:04:31Z")
    dry = envelope.get("dry_run", False)
    if dry not in (True, False):
        raise BadValue(field="dry_run", wanted="true or false")
    words = {key: value for key, _field, value in cmd.texts_of(command)}
    return Request(
        id=command_id,
        command=command,
        night=night,
        expected_version=None if expected is None else integer(expected, "expected_version", 0, 2**53 - 1),
        device_time=at,
        dry_run=bool(dry) or dry_run,
        words=words,
    )


def _is_time(value: str) -> bool:
    try:
        return len(value) <= 40 and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def fingerprint_of(request: Request, salts: Texts) -> str:
    """Return what a command is told from another of the same id by: stream, type and data, words by their digest."""
    data = {
        field.name: value
        for field in fields(request.command)
        if (value := getattr(request.command, field.name)) is not None
    }
    for key, name, _words in cmd.texts_of(request.command):
        data[name] = text_digest(*salts[f"{request.id}:{key}"])
    stream = request.night or CLUB
    return hashlib.sha256(encode([stream, type(request.command).__name__, data]).encode()).hexdigest()


def with_references(request: Request, salts: Texts) -> Any:  # noqa: ANN401 - a command
    """Return the command with a reference in the place of each name and note."""
    references = {}
    for key, name, _words in cmd.texts_of(request.command):
        ref = f"{request.id}:{key}"
        references[name] = {"ref": ref, "sha256": text_digest(*salts[ref])}
    return replace(request.command, **references) if references else request.command


_WHO: Final = ("member", "player", "players", "dealer", "from_", "into", "to", "banker")
"""Fields of commands that name members."""

_FACTS: Final = ("facts", "irregularities")
_WHO_IN_FACTS: Final = (
    "players",
    "out",
    "dealer",
    "peeks",
    "bidder",
    "revoke",
    "led_out_of_turn",
    "played_out_of_turn",
)


def resolved(command: Any, resolve: Callable[[str], str]) -> Any:  # noqa: ANN401 - a command
    """Return a command in which every member is called by the id he goes by here."""
    if isinstance(command, cmd.AddMember):
        return command
    changed = {}
    for field in fields(command):
        value = getattr(command, field.name)
        if value is None:
            continue
        if field.name in _WHO:
            changed[field.name] = _who(value, resolve)
        elif field.name in _FACTS:
            changed[field.name] = _facts(value, resolve)
        elif field.name == "counts":
            changed["counts"] = {key if key == "pool" else resolve(key): chips for key, chips in value.items()}
        elif field.name == "pool" and isinstance(value, Mapping):
            changed["pool"] = {"to": resolve(value["to"])}
    return replace(command, **changed)


def _who(value: Any, resolve: Callable[[str], str]) -> Any:  # noqa: ANN401 - an id or several
    return resolve(value) if isinstance(value, str) else type(value)(resolve(member) for member in value)


def _facts(facts: Mapping[str, Any], resolve: Callable[[str], str]) -> Mapping[str, Any]:
    changed = {key: _who(facts[key], resolve) for key in _WHO_IN_FACTS if key in facts}
    if "bought" in facts:
        changed["bought"] = {resolve(member): cards for member, cards in facts["bought"].items()}
    if "bids" in facts:
        changed["bids"] = [[resolve(member), call] for member, call in facts["bids"]]
    return {**facts, **changed}
