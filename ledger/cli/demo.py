"""``kittybook demo``: a club to look at, and to try things on."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click

from ledger.cli.opening import DEFAULT_DB, BadUsage, Refusal, opened, with_db
from ledger.errors import LedgerError


@click.command("demo")
@with_db
def command(db: str) -> None:
    """Make a store with a club that has played for weeks.

    Three tables and thirteen nights: people come late and leave early, a pool carries over, hands are corrected,
    disputed and taken out, and the last night is still open. The same every time.
    """
    from ledger.cli import demo_club
    from ledger.exports.events import events
    from ledger.imports.events import pour, rows
    from ledger.stores import MemoryStore

    if not Path(db).absolute().parent.is_dir():
        raise BadUsage(f"{db} cannot be made: there is no such folder.")
    with opened(db, create=True) as store:
        if clubs := store.clubs():
            raise Refusal(f"{db} holds a club already: {', '.join(clubs)}. Give the demo a store of its own with --db.")
        played = MemoryStore()
        demo_club.play(played)
        with played.audit(demo_club.CLUB) as audit:
            book = rows(map(json.loads, events(audit)), "the demo")
            store.found(demo_club.CLUB, audit.head().epoch)
            (head,) = store.transact(demo_club.CLUB, [lambda transaction: pour(transaction, book)])
    if isinstance(head, LedgerError):
        raise head
    kittybook = "kittybook" if db == DEFAULT_DB else f"kittybook --db {shlex.quote(db)}"
    click.echo(
        f"Made {db} with The Thursday Table, {head.position} events.\n\n"
        "Look at it:\n"
        f"  {kittybook} table list\n"
        f"  {kittybook} night list\n"
        f"  {kittybook} night show peep-2026-11-26\n"
        f"  {kittybook} night explain peep-2026-11-26 --account pool\n"
        f"  {kittybook} verify"
    )
