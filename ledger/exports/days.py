"""Which day something says that it is of, and the day behind a day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from ledger.store import JSON


def day_given(data: Mapping[str, JSON]) -> str | None:
    """Return the date that an event says it is of, as that of a payment; None where it says none."""
    given: Any = data.get("date")
    try:
        return date.fromisoformat(given).isoformat()
    except (TypeError, ValueError):
        return None


def day_after(day: str) -> str:
    """Return the day behind a day."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
