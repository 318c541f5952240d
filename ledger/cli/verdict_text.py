"""A verdict in plain text for people: what a command did, or would do, to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ledger.cli.tables import columns, signed
from ledger.words import team


def verdict_text(kind: str, verdict: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return what became of a command, and the hands that are not what they were."""
    if verdict["status"] == "refused":
        return f"{kind}: refused. {verdict['detail']}"
    changes = ", ".join(f"{team(who, names)} {signed(chips)}" for who, chips in verdict["changes"].items() if chips)
    pool = "" if verdict["pool"] is None else f"; pool {verdict['pool']}"
    line = "".join(
        (
            f"{kind}: {verdict['status']}",
            f"; {changes}" if changes else "",
            pool,
            _beside("; the table's pool", verdict.get("pool_change")),
            _beside("; shortage", verdict.get("shortage")),
            _gaps(verdict.get("gaps", {}), names),
            f"; at version {verdict['version']}" if verdict["status"] == "preview" else "",
        )
    )
    hands = [hand for hand in verdict.get("hands", ()) if hand["before"] is not None]
    return f"{line}\n{_cascade(hands, names)}" if hands else line


def _beside(words: str, chips: int | None) -> str:
    return f"{words} {signed(chips)}" if chips else ""


def _gaps(gaps: Mapping[str, int], names: Mapping[str, str]) -> str:
    """Return what a count found beside the book."""
    found = ", ".join(f"{names.get(who, who)} {signed(gap)}" for who, gap in gaps.items() if gap)
    return f"; beside the book: {found}" if found else "; as in the book" if gaps else ""


def _cascade(hands: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """Return hands as they were and as they would be; what stays is written once."""
    players = list(
        dict.fromkeys(who for hand in hands for side in ("before", "after") for who in hand[side]["changes"])
    )
    rows = []
    for hand in hands:
        before, after = hand["before"], hand["after"]
        rows.append(
            [
                f"{hand['hand']}{'!' * bool(hand['needs_review'])}",
                _both(*(str(side["result"]).replace("_", " ") for side in (before, after))),
                *(_both(*(signed(side["changes"].get(who)) for side in (before, after))) for who in players),
                _both(str(before["pool"]), str(after["pool"])),
            ]
        )
    return columns(["hand", "result", *(team(who, names) for who in players), "pool"], rows, left=2)


def _both(before: str, after: str) -> str:
    return before if before == after else f"{before or '-'} -> {after or '-'}"
