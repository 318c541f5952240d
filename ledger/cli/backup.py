"""``kittybook backup``: a copy of a store that is sound when it bears its name."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click

from ledger.cli.opening import opened, with_db
from ledger.errors import LedgerError


@click.command("backup")
@click.argument("file", metavar="FILE")
@click.option("--overwrite", is_flag=True, help="Replace a backup of that name.")
@with_db
def command(db: str, file: str, overwrite: bool) -> None:
    """Copy a store while it is in use, all its clubs.

    The copy is checked before it gets its name. Prints the position and digest that it holds, for each club.
    """
    from ledger.stores.sqlite import backup, note

    with opened(db) as store:
        heads = backup(store, file, overwrite=overwrite)
        with suppress(LedgerError):  # the copy is what was asked for; what is known of it, pages tell
            note(store, Path(file), heads, datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"))
    for club, head in heads.items():
        click.echo(f"{file} holds {club} up to position {head.position}; head {head.digest}")
