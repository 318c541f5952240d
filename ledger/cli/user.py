"""``kittybook user``: who may sign in. It works on the machine whatever happens at the door."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ledger.access import ROLES
from ledger.cli.opening import Book, Refusal, as_json, door_of, link_to, with_address, with_book

if TYPE_CHECKING:
    from ledger.people import User


@click.group("user")
def command() -> None:
    """Invite people, list them, change their roles, and let in who forgot his password.

    A link is printed alone, is good once and for seven days, and lets whoever has it choose a password. A club keeps at
    least one owner who can sign in; whoever can run this command on its store is never locked out.
    """


@command.command("add")
@click.argument("name")
@click.option("--role", required=True, type=click.Choice(ROLES), help="What he may do.")
@with_address
@with_book
def add(book: Book, name: str, role: str, address: str) -> None:
    """Invite somebody, and print the link by which he comes in."""
    from ledger.people import By, add_user

    _user, secret = add_user(door_of(book), book.club, name, role, By(actor="cli"))
    click.echo(link_to(address, secret))


@command.command("role")
@click.argument("user", metavar="WHO")
@click.argument("role", type=click.Choice(ROLES))
@with_book
def role(book: Book, user: str, role: str) -> None:
    """Let somebody have another role, at once; WHO is his id in the list, or what he signs in as."""
    from ledger.people import By, change_role

    changed = change_role(door_of(book), book.club, _found(book, user).id, role, By(actor="cli"))
    click.echo(f"{changed.name} is {_a(changed.role)} now.")


@command.command("reset")
@click.argument("user", metavar="WHO")
@with_address
@with_book
def reset(book: Book, user: str, address: str) -> None:
    """Print a link by which somebody chooses a new password; WHO as above.

    Who was put out is let in again. What he has now is good until he uses the link.
    """
    from ledger.people import By, enable_user, link_for

    door, by, found = door_of(book), By(actor="cli"), _found(book, user)
    if found.disabled:
        enable_user(door, book.club, found.id, by)
    _user, secret = link_for(door, book.club, found.id, by)
    click.echo(link_to(address, secret))


@command.command("list")
@as_json
@with_book
def list_users(book: Book, as_json: bool) -> None:
    """List who may sign in: as what, with which role, since when, and who was invited and never came."""
    import json

    from ledger.cli.tables import columns
    from ledger.people import User

    with door_of(book).people.read() as records:
        users = records.all(User, book.club)
    if as_json:
        keys = ("id", "name", "login", "role", "created", "joined", "disabled")
        click.echo(
            json.dumps([{key: getattr(one, key) for key in keys} for one in users], ensure_ascii=False, indent=2)
        )
        return
    told = [
        [one.id, one.name, one.login, one.role, _day(one.joined) or "invited", _day(one.disabled) or ""]
        for one in users
    ]
    click.echo(columns(["id", "name", "signs in as", "role", "joined", "put out"], told, left=6))


def _found(book: Book, who: str) -> User:
    from ledger.people import User
    from ledger.people.names import folded

    with door_of(book).people.read() as records:
        by_id = records.get(User, book.club, who)
        found = [by_id] if by_id else records.all(User, book.club, login=folded(who))
    if not found:
        raise Refusal(f"There is nobody {who} who could sign in: see kittybook user list.")
    return found[0]


def _day(moment: str | None) -> str | None:
    return None if moment is None else moment[:10]


def _a(role: str) -> str:
    return f"an {role}" if role[0] in "aeiou" else f"a {role}"
