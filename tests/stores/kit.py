"""What the tests of stores share: hands to record, and ways to record them."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Sequence
from typing import TypeVar

from ledger.errors import LedgerError
from ledger.store import CLUB, EventStore, NewEvent, Posting, Recorded, Texts, Transaction
from ledger.stores import Finding, verify

THE_CLUB = "thursday"
NIGHT = "night:main-2026-11-26"
CHIPS = "chips:main.1"
AT = "2026-11-26T20:15:03.120000Z"

T = TypeVar("T")


def hand(number: int = 1, amount: int = 5, *, winner: str = "ann", loser: str = "bob") -> NewEvent:
    """A hand in which one player pays another."""
    return NewEvent(
        type="HandRecorded",
        data={"hand": number, "bidder": winner, "bid": "nap", "made": True, "note": None},
        postings=(
            posting(f"player:{winner}", amount, hand=number),
            posting(f"player:{loser}", -amount, hand=number),
        ),
    )


def posting(account: str, amount: int, *, entry: int = 1, hand: int | None = None, unit: str = CHIPS) -> Posting:
    return Posting(entry=entry, hand=hand, memo="nap made", account=account, unit=unit, amount=amount)


def key(command_id: str | None = None, *, fingerprint: str = "f" * 64) -> tuple[str, str, str]:
    return command_id or str(uuid.uuid4()), fingerprint, "RecordHand"


def record(
    tx: Transaction,
    *events: NewEvent,
    stream: str = NIGHT,
    command: tuple[str, str, str] | None = None,
    expected: int | None = None,
    texts: Texts | None = None,
    rulebooks: dict[str, str] | None = None,
    answer: str | Callable[[Sequence[Recorded]], str] | None = "{}",
) -> list[Recorded]:
    """Append behind whatever the stream holds, unless a version is expected."""
    return tx.append(
        stream,
        tx.version(stream) if expected is None else expected,
        events or (hand(),),
        command=command or key(),
        actor="user:1",
        device="tablet-1",
        recorded_at=AT,
        texts=texts,
        rulebooks=rulebooks,
        answer=answer,
    )


def do(store: EventStore, job: Callable[[Transaction], T], club: str = THE_CLUB) -> T:
    """Carry out one job; raise what it was refused with."""
    [result] = store.transact(club, [job])
    if isinstance(result, LedgerError):
        raise result
    return result


def append(store: EventStore, *events: NewEvent, stream: str = NIGHT, texts: Texts | None = None) -> list[Recorded]:
    return do(store, lambda tx: record(tx, *events, stream=stream, texts=texts))


def fill(store: EventStore, hands: int = 5) -> None:
    """Record a few hands in two streams, one of them with a note and a rulebook, one hand by two events."""
    note = {"n1": ("00ff", "Ann revoked"), "n2": ("01ff", "Bob paid for all")}
    first, second = ({"ref": ref, "sha256": text_sha(*kept)} for ref, kept in note.items())
    noted = NewEvent(type="NoteAdded", data={"note": first, "more": [second]})
    do(store, lambda tx: record(tx, noted, stream=CLUB, texts=note, rulebooks={body_sha("rules"): "rules"}))
    for number in range(1, hands + 1):
        append(store, hand(number))
    do(store, lambda tx: record(tx, hand(hands + 1), hand(hands + 2, winner="cal")))


def text_sha(salt: str, text: str) -> str:
    return hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest()


def body_sha(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def findings(store: EventStore, club: str = THE_CLUB) -> list[Finding]:
    with store.audit(club) as book:
        return verify(book, rulebook_digest=body_sha)


def everything(store: EventStore, club: str = THE_CLUB) -> list[Recorded]:
    rows: list[Recorded] = []
    with store.read(club) as book:
        while page := book.events(rows[-1].position if rows else 0, 100):
            rows += page
    return rows
