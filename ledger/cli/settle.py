"""``kittybook settle``: who pays whom, in chips."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

import click

from ledger.cli.opening import Book, Refusal, as_json, with_book
from ledger.settlement import Policy, Settlement, settle

if TYPE_CHECKING:
    from ledger.club import Club
    from ledger.store import Reader

Balances = dict[str, dict[str, int]]
"""By unit and party; positive is owed to the party."""


@click.command("settle")
@click.option("--night", "nights", multiple=True, metavar="NIGHT", help="A closed night; may be given again.")
@click.option("--policy", type=click.Choice(get_args(Policy)), default="fewest", help="How; else the fewest payments.")
@click.option("--threshold", type=click.IntRange(0), default=0, metavar="N", help="With threshold: less is carried.")
@as_json
@with_book
def command(book: Book, nights: tuple[str, ...], policy: Policy, threshold: int, as_json: bool) -> None:
    """Say who pays whom, for nights that are closed, or for everything that is open.

    Amounts are chips, by table, since a chip of one table need not be worth one of another. The till stands for the
    pool that waits for the next night: it is paid what lies there. Nothing is recorded.
    """
    with book.read() as (club, reader):
        balances = _of_nights(book, reader, nights) if nights else _open(club, reader)
        settled = {unit: settle(parties, policy, threshold=threshold) for unit, parties in balances.items()}
        names = _names(club, reader)
    if as_json:
        rows = [_row(unit, balances[unit], settled[unit]) for unit in settled]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    for unit, settlement in settled.items():
        click.echo("\n".join([unit, *_lines(settlement, names)]))
    if not settled:
        click.echo("Nothing is open.")


def _of_nights(book: Book, reader: Reader, nights: tuple[str, ...]) -> Balances:
    """Return what each player of some nights won or lost there, later corrections included."""
    found: Balances = {}
    for night in dict.fromkeys(nights):
        if not book.ledger.night(book.club, night, reader).closed:
            raise Refusal(f"{night} is open: it is settled when it is closed.")
        state = book.ledger.corrected(book.club, night, reader)
        parties = found.setdefault(state.opened.unit, {})
        for player, purse in state.purses.items():
            parties[player] = parties.get(player, 0) + purse.balance
    return {unit: _with_till(parties) for unit, parties in found.items() if any(parties.values())}


def _open(club: Club, reader: Reader) -> Balances:
    """Return what every member has to come or owes, over all closed nights."""
    found: Balances = {}
    for (account, unit), amount in reader.balances("club").items():
        if account.startswith("member:") and amount:
            parties = found.setdefault(unit, {})
            member = club.resolved(account.removeprefix("member:"))
            parties[member] = parties.get(member, 0) + amount
    return {unit: _with_till(parties) for unit, parties in sorted(found.items())}


def _with_till(parties: dict[str, int]) -> dict[str, int]:
    """What the players have lost together lies in the pool, or was found missing: the till answers for both."""
    return {**parties, "till": -sum(parties.values())}


def _names(club: Club, reader: Reader) -> dict[str, str]:
    from ledger.cli.words import Words

    words = Words(club, reader)
    return {**{member: words.member(member) for member in club.members}, "till": "the till"}


def _lines(settlement: Settlement, names: dict[str, str]) -> list[str]:
    lines = [f"  {names[one.payer]} pays {names[one.payee]} {one.amount}" for one in settlement.transfers]
    lines += [f"  {names[party]}: {amount:+d} is carried" for party, amount in settlement.carried.items()]
    return lines or ["  nothing to pay"]


def _row(unit: str, parties: dict[str, int], settlement: Settlement) -> dict[str, Any]:
    return {
        "unit": unit,
        "balances": parties,
        "transfers": [{"from": one.payer, "to": one.payee, "amount": one.amount} for one in settlement.transfers],
        "carried": dict(settlement.carried),
    }
