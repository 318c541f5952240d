"""``kittybook restore``: a backup in the place of a store."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime

import click

from ledger.cli.opening import with_db


@click.command("restore")
@click.argument("file", metavar="FILE")
@with_db
def command(db: str, file: str) -> None:
    """Put a backup in the place of a store that nobody has open.

    FILE is verified whole before the store is touched; the store's old file is kept beside it. What was recorded since
    the backup is in the old file alone: devices that still have it will send it again.
    """
    from ledger.stores.sqlite import restore

    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H%M%SZ")
    restored = restore(file, db, epoch=str(uuid.uuid4()), stamp=stamp, rulebook_digest=_digest_of)
    for club, head in restored.heads.items():
        click.echo(f"{db} holds {club} up to position {head.position}; head {head.digest}")
    if restored.aside is not None:
        click.echo(f"The old file is kept as {restored.aside}")


def _digest_of(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()
