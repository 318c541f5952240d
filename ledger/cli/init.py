"""``kittybook init``: a store, a club in it, and the link by which its first owner comes in."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import click

from ledger.cli.opening import DEFAULT_DB, BadUsage, Refusal, link_to, opened, with_address, with_db
from ledger.errors import ClubExists


@click.command("init")
@click.option("--club", "name", required=True, metavar="NAME", help="What the club is called.")
@click.option("--slug", metavar="SLUG", help="What it is called in commands and addresses; else made from the name.")
@click.option("--zone", default="Europe/London", show_default=True, help="The time zone that its dates are of.")
@click.option("--cut-off", default="06:00", show_default=True, help="When one club night ends and the next begins.")
@click.option("--currency", metavar="CODE", help="What chips are worth money in, such as GBP; with --chip.")
@click.option("--chip", type=int, metavar="N", help="What a chip is worth, in the currency's smallest coins.")
@click.option("--another", is_flag=True, help="Add the club to a store that holds one already.")
@click.option("--owner", default="Owner", show_default=True, metavar="NAME", help="What its first owner is called.")
@with_address
@with_db
def command(
    db: str,
    name: str,
    slug: str | None,
    zone: str,
    cut_off: str,
    currency: str | None,
    chip: int | None,
    another: bool,
    owner: str,
    address: str,
) -> None:
    """Make a store and a club, and print the link by which its first owner signs in.

    A store is one SQLite file, and holds one club unless --another is given. The date of a club night is that of the
    evening on which it began, in the club's time zone, until the cut-off of the next morning. The link is good once,
    for seven days; kittybook user reset makes another. Owners let others in.
    """
    from ledger import values
    from ledger.imports.ids import id_from

    if (currency is None) != (chip is None):
        raise click.UsageError("--currency and --chip go together.")
    slug = slug or id_from(name)
    if slug is None:
        raise click.UsageError("No slug can be made from that name: say one with --slug.")
    if not Path(db).absolute().parent.is_dir():
        raise BadUsage(f"{db} cannot be made: there is no such folder.")
    settings: dict[str, Any] = {"zone": zone, "cut_off": cut_off}
    if currency is not None:
        settings["money"] = {"currency": currency, "chip": chip}
    owner = values.name(owner, "--owner")
    is_new = not os.path.exists(db)
    secret = _found(db, slug, name, settings, owner, another=another)
    _tell(db, slug, name, link_to(address, secret), is_new=is_new, another=another)


def _found(db: str, slug: str, name: str, settings: dict[str, Any], owner: str, *, another: bool) -> str:
    """Begin the book; return the secret that lets the first owner in."""
    from ledger.commands import CLUB_COMMANDS, read_command
    from ledger.people import By, Door, first_owner
    from ledger.service import Ledger, Sender
    from ledger.stores import people_of

    # What is wrong with the settings is refused before there is a file.
    read_command("FoundClub", {"club": slug, "name": name, **settings}, CLUB_COMMANDS)
    with opened(db, create=True) as store:
        ledger = Ledger(store)
        try:
            ledger.found(slug, name, Sender(actor="cli"), another=another, **settings)
        except ClubExists as error:
            hint = "" if another else " --another adds a second club."
            raise Refusal(f"{error.detail}{hint}") from None
        door = Door(people=people_of(store), clock=ledger.now, chance=ledger.chance)
        return first_owner(door, slug, owner, By(actor="cli"))


def _tell(db: str, slug: str, name: str, link: str, *, is_new: bool, another: bool) -> None:
    kittybook = "kittybook" if db == DEFAULT_DB else f"kittybook --db {shlex.quote(db)}"
    club = f" --club {slug}" if another else ""
    click.echo(
        f"{'Made' if is_new else 'Opened'} {db} and began the book of {name} in it, as {slug}.\n\n"
        f"Serve it with {kittybook} serve, and sign in as its owner, once, within seven days, at\n"
        f"  {link}\n\n"
        "Or go on here:\n"
        f"  {kittybook} member add{club} Ann --id ann\n"
        f"  {kittybook} table open{club} Tuesday --id tuesday --rulebook rockets-peep-nap\n"
        f"  {kittybook} night open{club} --table tuesday --players ann,bob,cal --dealer ann\n"
        "or look at a club that has played for weeks: kittybook --db demo.db demo"
    )
