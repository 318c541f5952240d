"""``kittybook serve``: the book over HTTP. The server is found by its entry point, so that the ledger knows no door."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points
from typing import Any, Final

import click

from ledger.cli.opening import BadUsage, Refusal, opened, with_db

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
@click.option("--tls", is_flag=True, help="Also https, with certificates of the club's own, or those that are named.")
@click.option("--tls-port", default=8443, show_default=True, type=click.IntRange(0, 65535), help="Where https listens.")
@click.option("--cert", type=click.Path(), metavar="FILE", help="Https with this certificate (PEM, with its chain),")
@click.option("--key", type=click.Path(), metavar="FILE", help="and this key, without a password.")
@with_db
def command(
    db: str,
    host: str,
    port: int,
    lan: bool,
    backups: tuple[str, ...],
    tls: bool,
    tls_port: int,
    cert: str | None,
    key: str | None,
) -> None:
    """Answer tablets, screens and programs over HTTP.

    The address is printed once the server listens; logs go to standard error, one JSON object a line. Under /api/docs
    stands what may be asked. Stop it with Ctrl-C or SIGTERM: what is being answered is finished first.

    While no owner has come into a club, a link for one is printed too, fresh at every start, good once and for seven
    days. It is a secret: where this is no terminal, the command that prints it stands there instead.

    Backups are made at every close of a night and nightly, checked, and kept by rule: all for seven days, the last of
    each week for three months, the last of each month for ever.

    With --tls the club has an authority of its own, made once, in a folder beside the store that no backup copies.
    Tablets that trust it can go on without a network; /trust tells them how. What comes by plain http over the network
    is then led there.
    """
    found = entry_points(group=SERVERS, name="serve")
    if not found:
        raise Refusal("No server is installed beside the ledger.")
    (server,) = found
    serve = server.load()
    if (cert is None) != (key is None):
        raise BadUsage("--cert and --key go together.")
    https = {"port": tls_port, "certificate": cert, "key": key} if tls or cert else None
    with opened(db) as store:
        options: dict[str, Any] = {"host": host, "port": port, "lan": lan, "backups": backups, "tls": https}
        serve(store, **options, announce=click.echo, secrets=sys.stdout.isatty())
