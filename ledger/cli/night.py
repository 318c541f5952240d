"""``kittybook night``: an evening of a table, opened, shown, explained and closed."""

from __future__ import annotations

import json

import click

from ledger.cli.opening import Book, Refusal, as_json, with_book

_night = click.argument("night", metavar="NIGHT")
_POOL_AT_CLOSE = "carry|split|MEMBER"


@click.group("night")
def command() -> None:
    """Open, show, explain and close nights.

    What happens at the table in between is recorded with kittybook apply.
    """


@command.command("open")
@click.option("--table", required=True, metavar="ID", help="The table.")
@click.option("--players", required=True, metavar="ID,ID...", help="Who sits there, clockwise.")
@click.option("--dealer", required=True, metavar="ID", help="Who deals first.")
@click.option("--date", metavar="DATE", help="The date, such as 2026-11-29; else that of this evening.")
@click.option("--id", "night", metavar="ID", help="What it is called in commands; else TABLE-DATE.")
@click.option("--rulebook", metavar="ID", help="Another rulebook than the table's.")
@click.option("--stake", type=int, metavar="N", help="Another stake than the table's.")
@click.option("--rule", "rules", multiple=True, metavar="SWITCH=VALUE", help="House rules in place of the table's.")
@click.option("--banker", metavar="MEMBER", help="Who holds the money tonight; else who does at this table.")
@with_book
def open_night(
    book: Book,
    table: str,
    players: str,
    dealer: str,
    date: str | None,
    night: str | None,
    rulebook: str | None,
    stake: int | None,
    rules: tuple[str, ...],
    banker: str | None,
) -> None:
    """Open a night of a table; what is left out comes from the table."""
    from ledger.cli.rulebook import house_rules_from

    verdict = book.send(
        "OpenNight",
        table=table,
        players=[player.strip() for player in players.split(",")],
        dealer=dealer,
        date=date,
        night_=night,
        rulebook=rulebook,
        stake=stake,
        house_rules=house_rules_from(rules) or None,
        banker=banker,
    )
    night = book.event(verdict)["night"]
    pool = f", with a pool of {verdict['pool']} brought forward" if verdict["pool"] else ""
    click.echo(f"{night} is open{pool}.")


@command.command("list")
@click.option("--table", metavar="ID", help="Only nights of this table.")
@as_json
@with_book
def list_nights(book: Book, table: str | None, as_json: bool) -> None:
    """List the nights as they were opened, the newest last."""
    from ledger.cli.tables import columns
    from ledger.errors import TableUnknown
    from ledger.views import nights_view

    with book.read() as (club, _reader):
        if table is not None and table not in club.tables:
            raise TableUnknown(field="table", table=table)
        nights = nights_view(club, table)
    if as_json:
        click.echo(json.dumps(nights, ensure_ascii=False, indent=2))
        return
    rows = [[night["night"], night["table"], night["date"], _about(night)] for night in nights]
    click.echo(columns(["night", "table", "date", ""], rows, left=4))


@command.command("show")
@_night
@as_json
@with_book
def show(book: Book, night: str, as_json: bool) -> None:
    """Show a night as it stands: hands, balances, and the pool with its story.

    With --json everything that the API tells of a night, with the commands that are legal now.
    """
    from ledger.cli.night_text import night_text
    from ledger.views import night_view
    from ledger.words import Words

    with book.read() as (club, reader):
        if as_json:
            click.echo(json.dumps(night_view(book.ledger, club, night, reader), ensure_ascii=False, indent=2))
            return
        state = book.ledger.night(book.club, night, reader)
        game = state.rules.book.name()
        click.echo(night_text(state, game, Words(club, reader), club.nights[night]))


@command.command("hands")
@_night
@as_json
@with_book
def hands(book: Book, night: str, as_json: bool) -> None:
    """List the hands of a night, with all that is known of each.

    Its facts, what it moved, who recorded it and when, and what was corrected or disputed since.
    """
    from ledger.cli.night_text import hands_text
    from ledger.views import hands_view
    from ledger.words import Words, names_at

    with book.read() as (club, reader):
        rows = hands_view(book.ledger, club, night, reader)
        names = names_at(book.ledger.night(book.club, night, reader), Words(club, reader))
    click.echo(json.dumps(rows, ensure_ascii=False, indent=2) if as_json else hands_text(rows, names))


@command.command("explain")
@_night
@click.option("--account", required=True, metavar="ID|pool", help="A member who sat there, or the pool.")
@as_json
@with_book
def explain(book: Book, night: str, account: str, as_json: bool) -> None:
    """Say why a balance, or the pool, is what it is: line by line, hand by hand."""
    from ledger.cli.night_text import explanation_text
    from ledger.projections import explain as lines_of
    from ledger.words import Words, names_at

    with book.read() as (club, reader):
        state = book.ledger.night(book.club, night, reader)
        names = names_at(state, Words(club, reader))
    account = next((member for member in club.aliases(account) if member in state.purses), account)
    if account != "pool" and account not in state.purses:
        raise Refusal(f"{account} did not sit in {night}.")
    told = lines_of(state, account)
    click.echo(json.dumps(told, ensure_ascii=False, indent=2) if as_json else explanation_text(told, names))


@command.command("late")
@as_json
@with_book
def late(book: Book, as_json: bool) -> None:
    """List the hands that came in after their night was closed, and wait.

    Each is let count with AdmitLateHand, or refused with RefuseLateHand, by the id in the first column.
    """
    from ledger.cli.tables import columns

    with book.read() as (club, _reader):
        rows = [
            {"command": kept.command, "night": kept.night, "hand": kept.hand, "facts": dict(kept.facts)}
            for kept in club.late.values()
        ]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    if not rows:
        click.echo("No late hand is waiting.")
        return
    told = [[str(row["command"]), str(row["night"]), str(row["hand"]), json.dumps(row["facts"])] for row in rows]
    click.echo(columns(["command", "night", "hand", "facts"], told, left=4))


@command.command("close")
@_night
@click.option("--pool", metavar=_POOL_AT_CLOSE, help="What becomes of the pool; else the rulebook says.")
@with_book
def close(book: Book, night: str, pool: str | None) -> None:
    """Close a night, and print its receipt.

    The pool waits for the table's next night (carry), is shared among who is seated (split), or goes to one player.
    """
    choice = pool if pool in (None, "carry", "split") else {"to": pool}
    verdict = book.send("CloseNight", night, pool=choice)
    with book.read() as (_club, reader):
        state = book.ledger.night(book.club, night, reader)
    shared = sum(state.ending.shares.values()) if state.ending else 0
    words = f", {shared} of the pool shared out" if shared else ""
    left = f", a pool of {verdict['pool']} left for the next" if verdict["pool"] else ""
    click.echo(f"{night} is closed{words}{left}. Receipt: {state.closings[-1].receipt}")


@command.command("reopen")
@_night
@click.option("--reason", required=True, metavar="WORDS", help="Why; it stays in the book.")
@with_book
def reopen(book: Book, night: str, reason: str) -> None:
    """Open a closed night again, while no later night of its table was opened. Its receipt is superseded."""
    book.send("ReopenNight", night, reason=reason)
    click.echo(f"{night} is open again.")


def _about(night: dict[str, object]) -> str:
    words = [str(night["state"])]
    if night["revision"] != 1:
        words.append(f"revision {night['revision']}")
    if night["corrections"]:
        words.append(f"corrected since ({night['corrections']})")
    return ", ".join(words)
