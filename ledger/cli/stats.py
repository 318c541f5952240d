"""``kittybook stats``: who plays how."""

from __future__ import annotations

import json

import click

from ledger.cli.opening import Book, as_json, with_book


@click.command("stats")
@click.option("--table", metavar="ID", help="Only nights of this table.")
@click.option("--season", metavar="SEASON", help="Only nights dated within a season.")
@as_json
@with_book
def command(book: Book, table: str | None, season: str | None, as_json: bool) -> None:
    """Count what everybody did in closed nights: hands, bids won and made, peeks, pools taken, best and worst hand."""
    from ledger.cli.tables import columns, signed
    from ledger.reports.stats import statistics, statistics_data
    from ledger.words import Words

    with book.read() as (club, reader):
        counted = statistics(book.ledger, club, reader, table=table, season=season)
        rows = statistics_data(counted, Words(club, reader).parties(counted))
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    head = ["", "nights", "hands", "bids", "made", "failed", "peeks", "pools", "best", "worst"]
    lines = [
        [row["name"], *(str(row[key]) for key in head[1:-2]), signed(row["best"]), signed(row["worst"])] for row in rows
    ]
    click.echo(columns(head, lines))
