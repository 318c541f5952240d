"""``kittybook rehearse``: a backup restored for a trial, so that one knows beforehand whether it will do."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from ledger.cli.opening import opened, stop, with_db


@click.command("rehearse")
@click.argument("file", metavar="FILE")
@with_db
def command(db: str, file: str) -> None:
    """Restore a backup for a trial, beside the store and without touching it.

    FILE is restored into a store of its own, its chain is followed from the first event to the last, every event is
    played again, and it is compared with the book: a backup of another would be of no use. Then that store is thrown
    away. What came of it is remembered, and the page of the self-audit tells it. Exit code 1 if anything is wrong.

    `kittybook serve` does the same with its newest backup once a week, when nobody is playing.
    """
    from ledger.upkeep import keep, rehearse

    with opened(db) as store:
        path = Path(file).resolve()
        outcome = rehearse(path, store.path.parent)
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        told = keep(store, path, outcome, at)
    for one in told:
        if one.why is None:
            digest = outcome.heads[one.club][1]
            click.echo(f"{file} would bring {one.club} back up to position {one.position}; head {digest}")
        else:
            click.echo(f"{file} would not bring {one.club} back: {one.why}", err=True)
    stop(any(one.why is not None for one in told))
