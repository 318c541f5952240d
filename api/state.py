"""What the API works on: one ledger, its tokens, who may come in, and who listens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flask import current_app

from api.answers import Kept
from api.live import Listeners
from api.trial import Trial
from ledger.people import Door
from ledger.service import Ledger
from ledger.tokens import Tokens

_KEY: Final = "kittybook"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What all calls share."""

    ledger: Ledger
    tokens: Tokens
    door: Door
    listeners: Listeners
    trial: Trial
    kept: Kept


def state() -> State:
    """Return what the app of this call works on."""
    found: State = current_app.extensions[_KEY]
    return found
