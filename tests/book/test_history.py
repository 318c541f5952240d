"""What was ever written can be read for ever, and comes to the same postings.

``tests/golden/events.jsonl`` has stored rows of every event type, with every field; ``night-1.jsonl`` (hands, of all
kinds) and ``night-2.jsonl`` (money: a till, bankers, three currencies) are clubs' whole books with their postings. They
are never written anew: an event that changes gets another name, and an upcast.

Who adds an event type, or a field, adds a golden book that has it. Write its commands to
``tests/golden/NAME.commands.jsonl`` (NAME begins with ``night-``), then run ``python -m tests.golden NAME``: it makes
``NAME.jsonl`` and ``NAME.balances.json``, adds what rulebooks it uses to ``rulebooks.json``, and to ``events.jsonl`` a
sample of each type and field that has none. It refuses to make what is there already. Commit all of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ledger import history
from ledger.codec import canonical_json, chain_digest, imbalances, text_references
from ledger.errors import EventUnknown
from ledger.history import EVENT_TYPES, NIGHT_EVENTS, event_from, postings_of, to_store
from ledger.rulebook import Rulebook, read
from ledger.service.states import advance
from ledger.store import CLUB, GENESIS, Posting, Recorded, scope_of
from tests.book.kit import plain
from tests.golden.__main__ import line_of

GOLDEN = Path(__file__).parents[1] / "golden"
BOOKS = sorted(path.name for path in GOLDEN.glob("night-*.jsonl") if not path.name.endswith(".commands.jsonl"))

Data = dict[str, Any]


def rows(name: str) -> list[Recorded]:
    """Return the rows of a golden file."""
    lines = (GOLDEN / name).read_text(encoding="utf-8").splitlines()
    return [row_of(json.loads(line)) for line in lines]


def row_of(line: Data) -> Recorded:
    postings = tuple(Posting(**posting) for posting in line.pop("postings"))
    return Recorded(**line, text=canonical_json(line["data"]), postings=postings)


@cache
def rulebooks() -> dict[str, str]:
    """Return the effective rulebooks that the golden book keeps, by digest."""
    found: dict[str, str] = json.loads((GOLDEN / "rulebooks.json").read_text(encoding="utf-8"))
    return found


def books(digest: str, rulebook: str) -> Rulebook:
    return read({**json.loads(rulebooks()[digest]), "id": rulebook})


# Every type


def test_there_is_a_sample_of_every_type() -> None:
    """Who adds an event type adds a row to ``tests/golden/events.jsonl``."""
    assert {row.type for row in rows("events.jsonl")} == {*EVENT_TYPES} | {*history.UPCASTS}


@pytest.mark.parametrize("row", rows("events.jsonl"), ids=lambda row: f"{row.type}-{row.position}")
def test_a_stored_row_is_read_as_an_event_and_written_as_it_was(row: Recorded) -> None:
    event = event_from(row)
    if row.type not in history.UPCASTS:
        assert type(event) is EVENT_TYPES[row.type]
        assert to_store(event, ()).type == row.type
        assert canonical_json(to_store(event, ()).data) == row.text
    assert (row.stream == CLUB) is (type(event).__name__ not in NIGHT_EVENTS)
    assert list(imbalances(row.postings)) == []


def test_every_field_of_every_type_stands_in_a_sample() -> None:
    """A key that is renamed, or not read any more, shows here."""
    seen: dict[str, set[str]] = {}
    for row in rows("events.jsonl"):
        seen.setdefault(row.type, set()).update(row.data)
    for name, kind in EVENT_TYPES.items():
        assert seen[name] == {field.name for field in fields(kind)}, name


def test_texts_are_references() -> None:
    """Names and notes stand beside the events, so that they can be erased."""
    found = [list(text_references(row.data)) for row in rows("events.jsonl") if row.type == "MemberAdded"]
    assert found
    assert all(found)


# What is not known


def sample(kind: str) -> Recorded:
    return next(row for row in rows("events.jsonl") if row.type == kind)


def stored(kind: str, data: Data) -> Recorded:
    return row_of({**line_of(sample("PeekPaid")), "type": kind, "data": data})


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("PeekSold", {"hand": 1, "player": "ann"}),
        ("PeekPaid", {"hand": 1}),
        ("PeekPaid", {"hand": 1, "player": "ann", "price": 1}),
        ("Hand", {}),
        ("", {}),
    ],
)
def test_an_event_of_a_newer_release_is_not_guessed_at(kind: str, data: Data) -> None:
    with pytest.raises(EventUnknown, match="update first"):
        event_from(stored(kind, data))


# Upcasts


def test_an_older_type_is_read_as_what_it_is_called_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults, B78: PeekTaken v1 had a player; v2 had a hand; it is PeekPaid now."""

    def with_a_hand(data: Data) -> tuple[str, Data]:
        return "PeekTakenV2", {**data, "hand": 1}

    def paid(data: Data) -> tuple[str, Data]:
        return "PeekPaid", data

    monkeypatch.setitem(history.UPCASTS, "PeekTaken", with_a_hand)
    monkeypatch.setitem(history.UPCASTS, "PeekTakenV2", paid)
    old = {"player": "ann"}
    event = event_from(stored("PeekTaken", old))
    assert event == event_from(stored("PeekTakenV2", {"player": "ann", "hand": 1}))
    assert event == EVENT_TYPES["PeekPaid"](hand=1, player="ann")
    assert old == {"player": "ann"}


def test_a_night_that_begins_with_an_older_type_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest is of what was stored, before upcasting; the postings are those of the event as it is now."""

    def opened(data: Data) -> tuple[str, Data]:
        kept = {key: value for key, value in data.items() if key != "brought"}
        return "NightOpened", {**kept, "pool_added": data["brought"], "zone": "Europe/London", "cut_off": "06:00"}

    whole = [row for row in rows("night-1.jsonl") if row.stream != CLUB][:2]
    first = whole[0]
    left_out = ("pool_added", "zone", "cut_off")
    data: Data = {key: value for key, value in first.data.items() if key not in left_out}
    old = row_of({**line_of(first), "type": "NightBegun", "data": {**data, "brought": first.data["pool_added"]}})
    monkeypatch.setitem(history.UPCASTS, "NightBegun", opened)
    now, entries = advance(None, first, books)
    then, its_entries = advance(None, old, books)
    assert (plain(now), entries) == (plain(then), its_entries)


def test_every_upcast_leads_to_a_type_of_today() -> None:
    for kind in history.UPCASTS:
        assert kind not in EVENT_TYPES
        assert type(event_from(sample(kind))).__name__ in EVENT_TYPES


# Golden nights


@pytest.mark.parametrize("name", BOOKS)
def test_a_golden_book_replays_to_the_postings_and_balances_that_were_stored(name: str) -> None:
    states: dict[str, Any] = {}
    digest = GENESIS
    balances: dict[tuple[str, str, str], int] = {}
    for position, row in enumerate(rows(name), 1):
        assert row.position == position
        assert chain_digest(digest, row) == row.digest
        digest = row.digest
        states[row.stream], entries = advance(states.get(row.stream), row, books)
        assert postings_of(entries) == row.postings, (row.position, row.type)
        for line in row.postings:
            key = scope_of(line.account, row.stream), line.account, line.unit
            balances[key] = balances.get(key, 0) + line.amount
    expected = json.loads((GOLDEN / name.replace(".jsonl", ".balances.json")).read_text(encoding="utf-8"))
    assert [[*key, amount] for key, amount in sorted(balances.items()) if amount] == expected


def test_the_rulebooks_of_the_golden_book_are_what_their_digests_say() -> None:
    for digest, body in rulebooks().items():
        assert hashlib.sha256(body.encode()).hexdigest() == digest
        assert read({**json.loads(body), "id": "golden"}).digest == digest


def lines(name: str) -> Iterator[str]:
    yield from (GOLDEN / name).read_text(encoding="utf-8").splitlines()


def test_golden_files_are_canonical() -> None:
    """One row a line, keys in order, so that a change shows as a changed line."""
    for name in ("events.jsonl", *BOOKS):
        for line in lines(name):
            assert line == canonical_json(json.loads(line))
