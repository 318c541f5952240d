"""A club that no owner has come into: how the first one does, told to whoever starts the server.

The link is a secret. It goes where only he reads who sits there, to a terminal; a journal is read by others and kept.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from api.state import State
from ledger.errors import LedgerError
from ledger.people import By, awaited_owner, has_owner, welcome_owner
from ledger.stores import SqliteStore
from ledger.words import Words

SERVER: Final = By(actor="serve")
"""Who makes such a link: stands in the trail."""

OWNER: Final = "Owner"
"""What somebody is called until he says so himself."""


def tell(store: SqliteStore, known: State, address: str, announce: Callable[[str], Any], *, secrets: bool) -> None:
    """Announce how to come into each club of a store that has no owner yet: the link, or what prints it.

    ``address`` ends with a slash. What a store cannot do now keeps no server from starting: its calls will say it.
    """
    with suppress(LedgerError):
        for club in store.clubs():
            _tell(store, known, club, address, announce, secrets=secrets)


def _tell(
    store: SqliteStore, known: State, club: str, address: str, announce: Callable[[str], Any], *, secrets: bool
) -> None:
    with known.door.people.read() as records:
        if has_owner(records, club):
            return
        awaited = awaited_owner(records, club)
    with store.read(club) as reader:
        name = Words(known.ledger.club(club, reader), reader).club()
    if not secrets:
        act = f"reset {shlex.quote(awaited.id)}" if awaited else f"add {OWNER} --role owner"
        announce(
            f"No owner of {name} has come in yet. A link for one is printed by\n"
            f"  kittybook user {act} --club {club} --db {shlex.quote(str(store.path))} --address {address[:-1]}"
        )
    elif secret := welcome_owner(known.door, club, OWNER, SERVER):
        announce(
            f"No owner of {name} has come in yet. Whoever opens this link is; it is good once, for seven days.\n"
            f"  {address}invite#{secret}"
        )
