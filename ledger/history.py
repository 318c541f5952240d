"""Stored events read as events of today: types by name, and what older releases wrote brought up to date."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, Final, cast, get_args

from ledger import events as ev
from ledger.errors import EventUnknown
from ledger.hands import ReadFacts
from ledger.journal import JournalEntry
from ledger.store import NewEvent, Posting, Recorded

EVENT_TYPES: Final[Mapping[str, type[Any]]] = {kind.__name__: kind for kind in get_args(ev.Event)}

NIGHT_EVENTS: Final = frozenset(kind.__name__ for kind in get_args(ev.NightEvent))

Upcast = Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]

UPCASTS: Final[dict[str, Upcast]] = {}
"""By the stored type that is no longer written: what it is called now, and its data as it is now. An upcast may lead
to another; a test holds a sample of every type that was ever written."""


def event_from(recorded: Recorded) -> Any:  # noqa: ANN401 - any of ev.Event
    """Return a stored event, upcast.

    Raises ``EventUnknown`` for a type that this release does not know.
    """
    kind, data = recorded.type, recorded.data
    while kind in UPCASTS:
        kind, data = UPCASTS[kind](data)
    known = EVENT_TYPES.get(kind)
    if known is None:
        raise EventUnknown(type=kind, position=recorded.position)
    try:
        return known(**data)
    except TypeError:
        raise EventUnknown(type=kind, position=recorded.position) from None


def as_stored(event: Any) -> Any:  # noqa: ANN401 - any of ev.Event
    """Return an event with the keys of its data in the order of canonical JSON.

    What follows from an event goes by that order (who bought first, whose share is posted first), so it must be the
    same before the event is stored and after it is read.
    """
    unsorted = {
        name: _sorted(value)
        for name, _default in _fields(cast("Hashable", type(event)))
        if isinstance(value := getattr(event, name), dict)
    }
    return replace(event, **unsorted) if unsorted else event


def _sorted(value: Any) -> Any:  # noqa: ANN401 - JSON is of any shape
    if type(value) is ReadFacts:  # made in this order
        return value
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return value


def to_store(event: ev.Event, entries: tuple[JournalEntry, ...]) -> NewEvent:
    """Return an event and its journal entries as they are stored; what an event leaves open is left out."""
    data = {}
    for name, default in _fields(cast("Hashable", type(event))):
        value = getattr(event, name)
        if type(value) is ReadFacts:
            data[name] = dict(value)
        elif value is not None or default is _NEEDED:
            data[name] = value
    return NewEvent(type=type(event).__name__, data=data, postings=postings_of(entries))


def postings_of(entries: tuple[JournalEntry, ...]) -> tuple[Posting, ...]:
    """Return journal entries as postings, numbered from 1 within the event."""
    return tuple(
        Posting(entry=number, hand=item.hand, memo=item.memo, account=account, unit=unit, amount=amount)
        for number, item in enumerate(entries, start=1)
        for account, unit, amount in item.postings
    )


_NEEDED: Final = object()


@cache
def _fields(kind: Hashable) -> tuple[tuple[str, object], ...]:
    return tuple((field.name, None if field.default is None else _NEEDED) for field in fields(cast("Any", kind)))
