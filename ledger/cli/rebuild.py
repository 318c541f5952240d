"""``kittybook rebuild``: everything that follows from the events, made anew."""

from __future__ import annotations

import click

from ledger.cli.opening import Book, stop, with_book


@click.command("rebuild")
@with_book
def command(book: Book) -> None:
    """Make everything that follows from the events anew.

    Events and postings are never touched. Where this release would post a hand differently, a line says so
    (scoring_changed) and nothing is changed.
    """
    from ledger.audit import rebuild

    lines = rebuild(book.ledger, book.club)
    for line in lines:
        click.echo(line)
    stop(any(line.startswith("scoring_changed") for line in lines))
