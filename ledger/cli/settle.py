"""``kittybook settle``: who pays whom."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, get_args

import click

from ledger.cli.opening import Book, as_json, say, with_book
from ledger.settlement import Policy

if TYPE_CHECKING:
    from ledger.reports.settlement import Settled


@click.command("settle")
@click.option("--night", "nights", multiple=True, metavar="NIGHT", help="A closed night; may be given again.")
@click.option("--policy", type=click.Choice(get_args(Policy)), default="fewest", help="How; else the fewest payments.")
@click.option(
    "--threshold",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="With threshold: less is carried, in the smallest coins.",
)
@click.option("--banker", metavar="MEMBER", help="Who holds the money, for banker and threshold; else the nights' own.")
@as_json
@with_book
def command(
    book: Book, nights: tuple[str, ...], policy: Policy, threshold: int, banker: str | None, as_json: bool
) -> None:
    """Say who pays whom, for nights that are closed, or for everything that is open.

    Payments, corrections, adjustments and charges are counted in. The till holds the money of the pool that waits for
    the next night: it is paid what was lost to it. Nothing is recorded; kittybook payment record does that.
    """
    from ledger.club import require_member
    from ledger.reports.settlement import settlement, settlement_data
    from ledger.words import Words

    with book.read() as (club, reader):
        if banker not in (None, "till"):
            assert banker is not None
            require_member(club, banker, "banker")
        rows = settlement(club, nights, policy=policy, threshold=threshold, banker=banker)
        parties = {party for row in rows for party in row.balances} | {"till"}
        names = Words(club, reader).parties(parties)
        exponents = club.exponents()
        disputed = {night: book.ledger.night(book.club, night, reader).disputes for night in nights}
    for night, hands in disputed.items():
        if hands:
            say(f"{night}: disputed, and counted as recorded: hand {', '.join(map(str, sorted(hands)))}.")
    if as_json:
        click.echo(json.dumps([settlement_data(row) for row in rows], ensure_ascii=False, indent=2))
        return
    for row in rows:
        click.echo("\n".join([row.unit, *_lines(row, names, exponents.get(row.unit))]))
    if not rows:
        click.echo("Nothing is open.")


def _lines(row: Settled, names: Mapping[str, str], exponent: int | None) -> list[str]:
    from ledger.cli.tables import amount

    settlement = row.settlement
    lines = [
        f"  {names[one.payer]} pays {names[one.payee]} {amount(one.amount, exponent)}" for one in settlement.transfers
    ]
    lines += [
        f"  {names[party]}: {amount(carried, exponent, sign=True)} is carried"
        for party, carried in settlement.carried.items()
    ]
    return lines or ["  nothing to pay"]
