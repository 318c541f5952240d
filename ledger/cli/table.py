"""``kittybook table``: regular tables, and the rules that their nights begin with."""

from __future__ import annotations

import json
from typing import Any

import click

from ledger.cli.opening import Book, as_json, with_book

_rules = click.option(
    "--rule", "rules", multiple=True, metavar="SWITCH=VALUE", help="A house rule; may be given again."
)
_currency = click.option("--currency", metavar="CODE", help="What its chips are worth money in; with --chip.")
_chip = click.option("--chip", type=int, metavar="N", help="What a chip is worth, in minor units such as pence.")
_banker = click.option("--banker", metavar="MEMBER", help="Who holds the money for chips and pool; else the till.")
_table = click.argument("table", metavar="ID")


@click.group("table")
def command() -> None:
    """Open, list and change tables.

    A table has a rulebook, house rules and a stake, with which its nights begin, and a pool that waits from one night
    to the next.
    """


@command.command("open")
@click.argument("name")
@click.option("--rulebook", required=True, metavar="ID", help="What is played; see kittybook rulebook list.")
@click.option("--id", "table", metavar="ID", help="What it is called in commands; else made from the name.")
@click.option("--stake", type=int, metavar="N", help="Multiplies every chip of the rulebook; else 1.")
@_rules
@_currency
@_chip
@_banker
@with_book
def open_table(
    book: Book,
    name: str,
    rulebook: str,
    table: str | None,
    stake: int | None,
    rules: tuple[str, ...],
    currency: str | None,
    chip: int | None,
    banker: str | None,
) -> None:
    """Open a table. A chip is worth what the club says, unless it is said here."""
    from ledger.cli.rulebook import house_rules_from
    from ledger.imports.ids import id_from

    if table is None:
        with book.read() as (club, _reader):
            made = id_from(name)
            table = None if made in club.tables else made
    house_rules = house_rules_from(rules) or None
    verdict = book.send(
        "OpenTable",
        name=name,
        table=table,
        rulebook=rulebook,
        stake=stake,
        house_rules=house_rules,
        money=_money(book, currency, chip),
        banker=banker,
    )
    opened = book.event(verdict)
    click.echo(f"{name} is open, as {opened['table']}, for {rulebook}.")


@command.command("change")
@_table
@click.option("--name", metavar="NAME", help="What it is called from now on.")
@click.option("--rulebook", metavar="ID", help="Another rulebook of the same family of games.")
@click.option("--stake", type=int, metavar="N", help="Another stake.")
@_rules
@click.option("--no-rules", is_flag=True, help="Play without house rules.")
@_currency
@_chip
@_banker
@click.option(
    "--pool",
    type=click.Choice(["convert", "keep_worth", "split"]),
    help="What becomes of the pool when a chip is worth something else: as many chips, as many as its worth gives, or"
    " shared out among who sat there last.",
)
@with_book
def change(
    book: Book,
    table: str,
    name: str | None,
    rulebook: str | None,
    stake: int | None,
    rules: tuple[str, ...],
    no_rules: bool,
    currency: str | None,
    chip: int | None,
    banker: str | None,
    pool: str | None,
) -> None:
    """Change what the next nights of a table begin with.

    House rules replace those that it has. Nights that were opened are not touched. Where a chip is worth something
    else from now on, the till gives what the pool is worth more, and keeps what it is worth less.
    """
    from ledger.cli.rulebook import house_rules_from

    if rules and no_rules:
        raise click.UsageError("--rule and --no-rules do not go together.")
    house_rules = house_rules_from(rules) if rules or no_rules else None
    money = _money(book, currency, chip)
    if all(value is None for value in (name, rulebook, stake, house_rules, money, banker)):
        raise click.UsageError(
            "Say what to change: --name, --rulebook, --stake, --rule, --no-rules, --chip, --currency or --banker."
        )
    book.send(
        "ChangeTable",
        table=table,
        name=name,
        rulebook=rulebook,
        stake=stake,
        house_rules=house_rules,
        money=money,
        banker=banker,
        pool_=pool,
    )
    click.echo(f"{table} is changed, from its next night on.")


@command.command("close")
@_table
@click.option(
    "--pool", default="split", show_default=True, metavar="split|MEMBER", help="Who gets what is in the pool."
)
@with_book
def close(book: Book, table: str, pool: str) -> None:
    """End a table, and share out its pool among who sat there last, or give it to one member."""
    book.send("CloseTable", table=table, pool=pool if pool in ("split", "carry") else {"to": pool})
    click.echo(f"{table} is closed.")


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Also tables that are closed.")
@as_json
@with_book
def list_tables(book: Book, everything: bool, as_json: bool) -> None:
    """List the tables, with what is in their pools."""
    from ledger.cli.tables import columns
    from ledger.views import tables_view

    with book.read() as (club, reader):
        tables = tables_view(club, reader, everything=everything)
    if as_json:
        click.echo(json.dumps(tables, ensure_ascii=False, indent=2))
        return
    rows = [
        [
            table["id"],
            table["name"],
            f"{table['rulebook']}, changed" if table["house_rules"] else table["rulebook"],
            table["open_night"] or ("closed" if table["closed"] else ""),
            str(table["stake"]),
            str(table["pool"]),
        ]
        for table in tables
    ]
    click.echo(columns(["id", "name", "rulebook", "open night", "stake", "pool"], rows, left=4))


def _money(book: Book, currency: str | None, chip: int | None) -> dict[str, Any] | None:
    """Return what a chip is worth; the currency may be left out where the club has one."""
    if currency is None and chip is None:
        return None
    if currency is None:
        with book.read() as (club, _reader):
            currency = str(club.money["currency"]) if club.money else None
    if currency is None or chip is None:
        raise click.UsageError("--currency and --chip go together.")
    return {"currency": currency, "chip": chip}
