"""What the API works on: one ledger, its tokens, who may come in, and who listens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flask import Flask, current_app

from api.answers import Kept
from api.live import Listeners
from api.trial import Trial
from ledger.people import Door
from ledger.service import Ledger
from ledger.tokens import Tokens
from ledger.upkeep import Upkeep

_KEY: Final = "kittybook"
_UPKEEP: Final = "kittybook.upkeep"


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
    return state_of(current_app)


def state_of(app: Flask) -> State:
    """Return what an app works on."""
    found: State = app.extensions[_KEY]
    return found


def kept_up_by(app: Flask, upkeep: Upkeep) -> None:
    """Let an app know who makes its backups."""
    app.extensions[_UPKEEP] = upkeep


def upkeep() -> Upkeep | None:
    """Return who makes the backups of this store; nobody where an app is not served by ``kittybook serve``."""
    found: Upkeep | None = current_app.extensions.get(_UPKEEP)
    return found
