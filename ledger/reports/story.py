"""What became of a hand: who wrote what of it, when and on which device, and what stood there before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.hands import facts_of
from ledger.history import event_from
from ledger.night import Night
from ledger.service import Ledger, advance, night_stream
from ledger.store import Reader
from ledger.words import Words


def story(ledger: Ledger, club: str, night: str, hand: int, reader: Reader, words: Words) -> list[dict[str, Any]]:
    """Return the events about a hand once it was settled, oldest first.

    ``facts`` are there wherever they changed, and ``words`` where somebody said why. A night is replayed for it.
    """
    books = ledger.reading(club, reader).pinned
    told: list[dict[str, Any]] = []
    state: Night | None = None
    for row in reader.stream(night_stream(night)):
        before = _as_it_stood(state, hand)
        state, _entries = advance(state, row, books, recent=False)
        after = _as_it_stood(state, hand)
        named = row.data.get("hand") == hand and after is not None
        if after == before and not named:
            continue
        event = event_from(row)
        said: Mapping[str, str] | None = getattr(event, "reason", None) or getattr(event, "note", None)
        told.append(
            {
                "what": row.type,
                "version": row.version,
                "at": row.recorded_at,
                "actor": row.actor,
                "device": row.device,
                "player": getattr(event, "player", None),
                "words": words.text(said),
                "facts": after if after != before else None,
            }
        )
    return told


def _as_it_stood(night: Night | None, hand: int) -> dict[str, Any] | None:
    """Return the facts of a settled hand; none where it is not settled, empty where it was taken out."""
    step = night.hand(hand) if night is not None else None
    if step is None or not step.settled:
        return None
    return {} if step.void else facts_of(step.facts)
