"""``kittybook migrate``: a store at the schema of this release."""

from __future__ import annotations

from pathlib import Path

import click

from ledger.cli.opening import opened, with_db


@click.command("migrate")
@with_db
def command(db: str) -> None:
    """Bring a store to the schema of this release.

    Every command that opens a store does so first; this one does nothing else. Make a backup before.
    """
    from ledger.stores.sqlite.connection import Connection
    from ledger.stores.sqlite.schema import known_schema, require_ours

    path = Path(db).resolve()
    connection = Connection(path, timeout=0, mode="ro")
    try:
        require_ours(connection)
        (before,) = connection.one("PRAGMA user_version") or (0,)
    finally:
        connection.close()
    with opened(db):
        pass
    after = known_schema()
    done = "it was there already" if before == after else f"it was at {before}"
    click.echo(f"{db} is at schema {after}; {done}.")
