"""``kittybook serve``: the book over HTTP. The server is found by its entry point, so that the ledger knows no door."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Final

import click

from ledger.cli.opening import Refusal, opened, with_db

SERVERS: Final = "kittybook.server"
"""The group of entry points under which a server says how it is started."""


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@click.option("--lan", is_flag=True, help="Listen for the whole network, and answer to this machine's name there.")
@click.option(
    "--backups",
    multiple=True,
    type=click.Path(),
    envvar="KITTYBOOK_BACKUPS",
    metavar="DIR",
    help="Where backups go, at every close and nightly; may be given again, say for a stick. Else a folder beside the"
    " store.",
)
@with_db
def command(db: str, host: str, port: int, lan: bool, backups: tuple[str, ...]) -> None:
    """Answer tablets, screens and programs over HTTP.

    The address is printed once the server listens; logs go to standard error, one JSON object a line. Under /api/docs
    stands what may be asked. Stop it with Ctrl-C or SIGTERM: what is being answered is finished first.

    Backups are made at every close of a night and nightly, checked, and kept by rule: all for seven days, the last of
    each week for three months, the last of each month for ever.
    """
    found = entry_points(group=SERVERS, name="serve")
    if not found:
        raise Refusal("No server is installed beside the ledger.")
    (server,) = found
    serve = server.load()
    with opened(db) as store:
        serve(store, host=host, port=port, lan=lan, backups=backups, announce=click.echo)
