"""``kittybook token``: what programs and devices sign in with."""

from __future__ import annotations

import click

from ledger.access import ROLES
from ledger.cli.opening import Book, Refusal, as_json, door_of, with_book


@click.group("token")
def command() -> None:
    """Make, list and revoke what programs and devices sign in with over HTTP.

    A viewer reads, and may dispute a hand; a scorekeeper records hands, takes back and corrects the last three, seats
    people, opens and closes nights; a treasurer does all that concerns money, members, tables and the past; an owner
    everything. A token is good for one club.
    """


@command.command("create")
@click.option("--role", required=True, type=click.Choice(ROLES), help="What it may do.")
@click.option("--name", metavar="NAME", help="Whose it is, such as 'Bar tablet'; it stands beside what it records.")
@with_book
def create(book: Book, role: str, name: str | None) -> None:
    """Make a token, and print it alone, this once: the store keeps only its hash."""
    from ledger.people import By, make_token
    from ledger.stores import tokens_of

    by, tokens = By(actor="cli"), tokens_of(book.store)
    _token, secret = make_token(door_of(book), tokens, book.club, name, role, by, field="--name")
    click.echo(secret)


@command.command("list")
@as_json
@with_book
def list_tokens(book: Book, as_json: bool) -> None:
    """List the tokens: who has them, what they may do, on which day each was last used."""
    import json
    from dataclasses import asdict

    from ledger.cli.tables import columns
    from ledger.stores import tokens_of

    tokens = tokens_of(book.store).all(book.club)
    if as_json:
        rows = [{key: value for key, value in asdict(token).items() if key != "club"} for token in tokens]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    told = [
        [token.id, token.name or "", token.role, token.created, token.used or "never", token.revoked or ""]
        for token in tokens
    ]
    click.echo(columns(["id", "name", "role", "made", "used", "revoked"], told, left=6))


@command.command("revoke")
@click.argument("token", metavar="ID")
@with_book
def revoke(book: Book, token: str) -> None:
    """Let a token be of no use any more, at once; ID is what the list calls it, or its name."""
    from ledger.people import By, revoke_token
    from ledger.stores import tokens_of

    tokens = tokens_of(book.store)
    found = [one for one in tokens.all(book.club) if token in (one.id, one.name) and one.revoked is None]
    if not found:
        raise Refusal(f"There is no token {token} that could be revoked: see kittybook token list.")
    for one in found:
        revoke_token(door_of(book), tokens, book.club, one.id, By(actor="cli"))
    click.echo(f"Revoked {', '.join(one.id for one in found)}.")
