"""A book from JSON lines, as ``ledger.exports.events`` writes them: checked row by row, then written as they were."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from ledger import codec, values
from ledger.errors import BadValue, ClubExists, LedgerError, NotJson
from ledger.store import GENESIS, Head, NewEvent, Posting, Recorded, Transaction, is_account

_KEYS: Final = frozenset(Recorded._fields) - {"text"} | {"command", "texts", "rulebooks"}
_COMMAND_KEYS: Final = frozenset({"type", "fingerprint", "answer"})


class Row(NamedTuple):
    """A line: the event, and what was written beside it."""

    recorded: Recorded
    command: Mapping[str, str] | None
    texts: Mapping[str, tuple[str, str] | None]
    rulebooks: Mapping[str, str]


def rows(documents: Iterable[Any | LedgerError], where: str) -> Iterator[Row]:
    """Read lines as rows of one club's whole book, and check each: its shape, its sums, its place in the chain.

    Raises ``NotJson`` naming the first line that is not as it was written.
    """
    chain = _Chain()
    number = 0
    for number, document in enumerate(documents, start=1):
        try:
            if isinstance(document, LedgerError):
                raise _Wrong(str(document.facts.get("why", document)))
            row = _read(document)
            chain.add(row)
        except LedgerError as error:
            raise NotJson(where=f"{where}, event {number}", why=error.detail.rstrip(".")) from None
        except _Wrong as wrong:
            raise NotJson(where=f"{where}, event {number}", why=str(wrong)) from None
        yield row
    try:
        chain.end()
    except _Wrong as wrong:
        raise NotJson(where=f"{where}, event {number}", why=str(wrong)) from None


def pour(transaction: Transaction, book: Iterable[Row]) -> Head:
    """Write rows into an empty book, as they were; return its head. Raises ``ClubExists`` if it is not empty."""
    if transaction.head().position:
        raise ClubExists(club=next(iter(transaction.events(0, 1))).club)
    for _key, group in groupby(book, key=lambda row: (row.recorded.command_id, row.recorded.stream)):
        _append(transaction, list(group))
    return transaction.head()


def _append(transaction: Transaction, group: Sequence[Row]) -> None:
    first = group[0].recorded
    command = group[0].command
    texts = {ref: text for row in group for ref, text in row.texts.items()}
    transaction.append(
        first.stream,
        first.version - 1,
        [NewEvent(type=row.recorded.type, data=row.recorded.data, postings=row.recorded.postings) for row in group],
        command=(first.command_id, command["fingerprint"], command["type"]) if command else (first.command_id, "", ""),
        actor=first.actor,
        device=first.device,
        recorded_at=first.recorded_at,
        device_time=first.device_time,
        texts={ref: text or ("", "") for ref, text in texts.items()},
        rulebooks={digest: body for row in group for digest, body in row.rulebooks.items()},
        answer=command["answer"] if command else None,
    )
    for ref, text in texts.items():
        if text is None:
            transaction.erase_text(ref)


# Reading one row


class _Wrong(Exception):
    """What is wrong with a row, in words."""


def _read(document: object) -> Row:
    data = values.mapping(document, "", _KEYS)
    event = _object(data, "data")
    try:
        text = codec.canonical_json(event)
    except ValueError as error:
        raise _Wrong(f"its data: {error}") from None
    recorded = Recorded(
        club=values.identifier(values.required(data, "club"), "club"),
        stream=_text(data, "stream"),
        version=_number(data, "version"),
        position=_number(data, "position"),
        type=_text(data, "type"),
        data=event,
        text=text,
        command_id=_text(data, "command_id"),
        actor=_text(data, "actor"),
        device=_optional(data, "device"),
        recorded_at=_text(data, "recorded_at"),
        device_time=_optional(data, "device_time"),
        digest=_text(data, "digest"),
        postings=tuple(_posting(item) for item in values.sequence(values.required(data, "postings"), "postings")),
    )
    command = data.get("command")
    if command is not None:
        command = {key: _text(values.mapping(command, "command", _COMMAND_KEYS), key) for key in _COMMAND_KEYS}
    texts = {ref: _words(found, ref) for ref, found in _object(data, "texts", needed=False).items()}
    books = _object(data, "rulebooks", needed=False)
    return Row(recorded, command, texts, {digest: _text(books, digest) for digest in books})


def _posting(item: object) -> Posting:
    data = values.mapping(item, "postings", Posting._fields)
    account = _text(data, "account")
    if not is_account(account):
        raise _Wrong(f"{account!r} is no account")
    hand = data.get("hand")
    return Posting(
        entry=_number(data, "entry"),
        hand=None if hand is None else _whole(hand, "hand", 0),
        memo=_text(data, "memo"),
        account=account,
        unit=_text(data, "unit"),
        amount=_whole(values.required(data, "amount"), "amount", -values.TOTAL_LIMIT),
    )


def _words(found: object, ref: str) -> tuple[str, str] | None:
    match found:
        case None:
            return None
        case [str(salt), str(words)] if _is_hexadecimal(salt):
            return salt, words
        case _:
            raise BadValue(field=f"texts.{ref}", wanted="a salt and words, or null")


def _is_hexadecimal(salt: str) -> bool:
    try:
        return bytes.fromhex(salt) is not None
    except ValueError:
        return False


def _object(data: Mapping[str, Any], key: str, *, needed: bool = True) -> dict[str, Any]:
    found = values.required(data, key) if needed else data.get(key, {})
    return dict(values.mapping(found, key))


def _text(data: Mapping[str, Any], key: str) -> str:
    found = values.required(data, key)
    if not isinstance(found, str) or any("\ud800" <= char <= "\udfff" for char in found):
        raise BadValue(field=key, wanted="text")
    return found


def _optional(data: Mapping[str, Any], key: str) -> str | None:
    return None if data.get(key) is None else _text(data, key)


def _number(data: Mapping[str, Any], key: str) -> int:
    return _whole(values.required(data, key), key, 1)


def _whole(value: object, field: str, low: int) -> int:
    return values.integer(value, field, low, values.TOTAL_LIMIT)


# What rows must be together


class _Chain:
    """Follows a book from its first event and knows what may come next."""

    def __init__(self) -> None:
        self._club: str | None = None
        self._digest = GENESIS
        self._position = 0
        self._versions: dict[str, int] = {}
        self._command: str | None = None
        self._remembered: set[str] = set()
        self._kept: set[str] = set()

    def add(self, row: Row) -> None:
        """Take the next row. Raises ``_Wrong`` in a sentence."""
        recorded = row.recorded
        self._club = self._club or recorded.club
        expected = (self._club, self._position + 1, self._versions.get(recorded.stream, 0) + 1)
        if (recorded.club, recorded.position, recorded.version) != expected:
            raise _Wrong("position {1}, version {2} of the book of {0} is due here".format(*expected))
        if codec.chain_digest(self._digest, recorded) != recorded.digest:
            raise _Wrong("it is not what was recorded: its digest is another")
        for entry, unit, total in codec.imbalances(recorded.postings):
            raise _Wrong(f"entry {entry} is out of balance by {total} {unit}")
        self._digest, self._position = recorded.digest, recorded.position
        self._versions[recorded.stream] = recorded.version
        self._follow_command(row)
        self._keep(row)

    def end(self) -> None:
        """Require that the last command is remembered like all others."""
        if self._command is not None and self._command not in self._remembered:
            raise _Wrong(f"nothing is remembered of its command {self._command}")

    def _follow_command(self, row: Row) -> None:
        command = row.recorded.command_id
        if command != self._command:
            self.end()
            if command in self._remembered:
                raise _Wrong(f"its command {command} was carried out before")
            self._command = command
        if row.command is not None:
            if command in self._remembered:
                raise _Wrong(f"its command {command} is remembered twice")
            self._remembered.add(command)

    def _keep(self, row: Row) -> None:
        for key in (*row.texts, *row.rulebooks):
            if key in self._kept:
                raise _Wrong(f"{key} was there before")
            self._kept.add(key)
        stated = dict(codec.text_references(row.recorded.data))
        for ref, found in row.texts.items():
            if ref not in stated:
                raise _Wrong(f"text {ref} is not mentioned")
            if found is not None and codec.text_digest(*found) != stated[ref]:
                raise _Wrong(f"text {ref} is not what was recorded")
        for ref in stated:
            if ref not in self._kept:
                raise _Wrong(f"text {ref} is missing")
        for digest, body in row.rulebooks.items():
            if hashlib.sha256(body.encode()).hexdigest() != digest:
                raise _Wrong(f"rulebook {digest} is not what was signed")
