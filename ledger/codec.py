"""Events and postings to rows and back: canonical JSON, digests, and the chain that shows an edit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Final

from ledger.store import GENESIS, JSON, CommandKey, Head, NewEvent, Posting, Recorded, is_account, scope_of
from ledger.values import TOTAL_LIMIT

encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode
"""Canonical JSON of what is known to be plain; ``canonical_json`` is for what is not."""


def canonical_json(value: object) -> str:
    """Return RFC 8785 JSON of null, flags, whole numbers within 2^53 - 1, text, lists, and objects.

    Raises ``ValueError`` for what two implementations might write differently: floats, larger numbers, half a
    surrogate pair, and keys that are no text or reach beyond U+D7FF, where UTF-16 sorts in another order.
    """
    _require_plain(value)
    text = encode(value)
    if not text.isascii():
        text.encode()
    return text


def _require_plain(value: object) -> None:
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return
    if kind is int:
        if not -TOTAL_LIMIT <= value <= TOTAL_LIMIT:  # type: ignore[operator]
            raise ValueError(f"{value} cannot be counted exactly by every reader of JSON")
    elif kind is dict:
        for key, item in value.items():  # type: ignore[attr-defined]
            if type(key) is not str or not (key.isascii() or max(key) < "\ud800"):
                raise ValueError(f"{key!r} cannot be a key of canonical JSON")
            _require_plain(item)
    elif kind is list or kind is tuple:
        for item in value:  # type: ignore[attr-defined]
            _require_plain(item)
    else:
        raise ValueError(f"{kind.__name__} has no canonical JSON here")


def chain_digest(previous: str, row: Recorded) -> str:
    """Return the digest of a stored row: SHA-256(previous digest ‖ RFC 8785 JSON of its fields and its postings).

    The previous digest goes in as its 32 bytes; before a club's first event it is 64 zeros (32 zero bytes). The JSON
    is one array: club, stream, version, position, type, data *as the stored text*, command id, actor, device,
    recorded at, device time, and the postings in order, each [entry, hand, memo, account, unit, amount].
    """
    fields = [
        row.club, row.stream, row.version, row.position, row.type, row.text,
        row.command_id, row.actor, row.device, row.recorded_at, row.device_time,
        row.postings,
    ]  # fmt: skip
    return hashlib.sha256(bytes.fromhex(previous) + encode(fields).encode()).hexdigest()


def text_digest(salt: str, text: str) -> str:
    """Return what an event says of a text kept beside it: SHA-256(salt ‖ text); the salt is hexadecimal."""
    return hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest()


def text_references(data: JSON) -> Iterator[tuple[str, str]]:
    """Yield every (ref, sha256) in an event's data: each object that has exactly these two keys is one."""
    if isinstance(data, dict):
        match data:
            case {"ref": str(ref), "sha256": str(digest), **others} if not others and len(digest) == len(GENESIS):
                yield ref, digest
            case _:
                for value in data.values():
                    yield from text_references(value)
    elif isinstance(data, list):
        for value in data:
            yield from text_references(value)


def record(
    events: Sequence[NewEvent],
    *,
    club: str,
    head: Head,
    stream: str,
    version: int,
    command: CommandKey,
    actor: str,
    device: str | None,
    recorded_at: str,
    device_time: str | None,
) -> list[Recorded]:
    """Return the rows that new events become behind a head and a version, each chained to the one before.

    Raises ``AssertionError`` for an entry that does not sum to zero, an unknown account, an amount out of bounds, or
    no events at all; ``ValueError`` for data without canonical JSON.
    """
    if not events:
        raise AssertionError("an append needs at least one event")
    digest = head.digest
    rows = []
    for place, event in enumerate(events, 1):
        _require_balanced(event)
        text = canonical_json(event.data)
        row = Recorded(
            club=club, stream=stream, version=version + place, position=head.position + place,
            type=event.type, data=json.loads(text), text=text, command_id=command.id, actor=actor, device=device,
            recorded_at=recorded_at, device_time=device_time, digest="", postings=event.postings,
        )  # fmt: skip
        digest = chain_digest(digest, row)
        rows.append(row._replace(digest=digest))
    return rows


def _require_balanced(event: NewEvent) -> None:
    for posting in event.postings:
        if not is_account(posting.account):
            raise AssertionError(f"{posting.account!r} is no account")
        if type(posting.amount) is not int or not -TOTAL_LIMIT <= posting.amount <= TOTAL_LIMIT:
            raise AssertionError(f"{posting.amount!r} is no amount")
    for entry, unit, total in imbalances(event.postings):
        raise AssertionError(f"{event.type}: entry {entry} is out of balance by {total} {unit}")


def imbalances(postings: Sequence[Posting]) -> Iterator[tuple[int, str, int]]:
    """Yield (entry, unit, total) for every journal entry that does not sum to zero."""
    totals: dict[tuple[int, str], int] = {}
    for entry, _hand, _memo, _account, unit, amount in postings:
        totals[entry, unit] = totals.get((entry, unit), 0) + amount
    for (entry, unit), total in totals.items():
        if total:
            yield entry, unit, total


def changes(rows: Sequence[Recorded]) -> dict[tuple[str, str, str], int]:
    """Return what rows do to balances: (scope, account, unit) to amount, zeros left out."""
    moved: dict[tuple[str, str, str], int] = {}
    for row in rows:
        for _entry, _hand, _memo, account, unit, amount in row.postings:
            key = scope_of(account, row.stream), account, unit
            moved[key] = moved.get(key, 0) + amount
    return {key: amount for key, amount in moved.items() if amount}
