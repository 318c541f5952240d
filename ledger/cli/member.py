"""``kittybook member``: who sits at the tables."""

from __future__ import annotations

import json
import sys

import click

from ledger.cli.opening import Book, as_json, with_book

_member = click.argument("member", metavar="ID")


@click.group("member")
def command() -> None:
    """Add, list and change members and guests.

    A member is named by his id, which never changes; what he is called may.
    """


@command.command("add")
@click.argument("name")
@click.option("--id", "member", metavar="ID", help="What he is called in commands; else m and his number.")
@click.option("--number", type=int, metavar="N", help="What he is called when his name is erased; else the next.")
@with_book
def add(book: Book, name: str, member: str | None, number: int | None) -> None:
    """Add a member or guest.

    An id stays for good, also when the name is erased: m7 says less than jane-doe.
    """
    from ledger.words import Words

    added = book.event(book.send("AddMember", name=name, member=member, number=number))
    with book.read() as (club, reader):
        click.echo(f"{Words(club, reader).member(added['member'])} is member {added['number']}, {added['member']}.")


@command.command("list")
@click.option("--all", "everybody", is_flag=True, help="Also who is archived, erased, or somebody else by now.")
@as_json
@with_book
def list_members(book: Book, everybody: bool, as_json: bool) -> None:
    """List the members by their numbers."""
    from ledger.cli.tables import columns
    from ledger.views import members_view

    with book.read() as (club, reader):
        members = members_view(club, reader, everybody=everybody)
    if as_json:
        click.echo(json.dumps(members, ensure_ascii=False, indent=2))
        return
    rows = [[str(member["number"]), member["id"], member["name"], _about(member)] for member in members]
    click.echo(columns(["number", "id", "name", ""], rows, left=4))


@command.command("rename")
@_member
@click.argument("name")
@with_book
def rename(book: Book, member: str, name: str) -> None:
    """Give a member another name, in the past too."""
    book.send("RenameMember", member=member, name=name)
    click.echo(f"{member} is called {name}.")


@command.command("archive")
@_member
@with_book
def archive(book: Book, member: str) -> None:
    """Hide a member who does not come any more; his balance stays."""
    book.send("ArchiveMember", member=member)
    click.echo(f"{member} is archived.")


@command.command("restore")
@_member
@with_book
def restore(book: Book, member: str) -> None:
    """Bring an archived member back."""
    book.send("RestoreMember", member=member)
    click.echo(f"{member} is back.")


@command.command("merge")
@click.argument("one", metavar="FROM")
@click.argument("other", metavar="INTO")
@with_book
def merge(book: Book, one: str, other: str) -> None:
    """Say that two memberships are one person, who is called INTO from now on.

    Refused where both ever sat in one night. Nothing that was recorded moves.
    """
    book.send("MergeMembers", from_=one, into=other)
    click.echo(f"{one} is {other}.")


@command.command("erase")
@_member
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_book
def erase(book: Book, member: str, yes: bool) -> None:
    """Remove every name that a member ever had, for good; amounts stay.

    Everywhere he is then called by his number. Backups that were made before still hold the names.
    """
    if not yes and sys.stdin.isatty():
        click.confirm(f"Remove the names of {member} for good?", abort=True)
    book.send("EraseMember", member=member)
    with book.read() as (club, _reader):
        click.echo(f"{member} is member {club.members[club.resolved(member)].number} from now on.")


def _about(member: dict[str, object]) -> str:
    if member["erased"]:
        return "erased"
    if member["alias_of"]:
        return f"is {member['alias_of']}"
    return "archived" if member["archived"] else ""
