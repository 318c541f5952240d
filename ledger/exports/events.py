"""A club's book as JSON lines, one event a line with all that was written beside it: what ``import events`` reads.

A line has every stored field of its event, and its postings. With the first event of a command stands what is
remembered of the command, with the first mention of a name or note its salt and words (null where they were erased),
with the first use of a rulebook its body. Keys are sorted, so that the same book gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ledger.codec import canonical_json, text_references
from ledger.store import Audit, Recorded


def events(book: Audit) -> Iterator[str]:
    """Yield every event of a club's book as a line."""
    told: set[str] = set()
    position = 0
    while page := book.events(position):
        position = page[-1].position
        for row in _rows(book, page, told):
            yield canonical_json(row) + "\n"


def _rows(book: Audit, page: Sequence[Recorded], told: set[str]) -> Iterator[dict[str, Any]]:
    commands = book.commands({row.command_id for row in page})
    new = {ref for row in page for ref, _digest in text_references(row.data)} - told
    texts = book.texts(new)
    for recorded in page:
        row = {key: value for key, value in recorded._asdict().items() if key != "text"}
        row["postings"] = [posting._asdict() for posting in recorded.postings]
        command = commands.get(recorded.command_id)
        if command is not None and command.first_position == recorded.position:
            row["command"] = {"type": command.type, "fingerprint": command.fingerprint, "answer": command.answer}
        refs = [ref for ref, _digest in text_references(recorded.data) if ref in texts and ref not in told]
        if refs:
            row["texts"] = {ref: texts[ref] for ref in refs}
            told.update(refs)
        digest = recorded.data.get("digest")
        if isinstance(digest, str) and digest not in told and (body := book.rulebook(digest)) is not None:
            row["rulebooks"] = {digest: body}
            told.add(digest)
        yield row
