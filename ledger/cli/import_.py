"""``kittybook import``: whole books from JSON lines, members from spreadsheets, nights that were kept on paper."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ledger.cli.opening import BadUsage, Book, Refusal, opened, stop, with_book, with_db
from ledger.cli.reading import content, documents, shown
from ledger.errors import ClubExists, LedgerError

if TYPE_CHECKING:
    from ledger.imports.events import Row

_dry_run = click.option("--dry-run", is_flag=True, help="Check everything, write nothing.")


@click.group("import")
def command() -> None:
    """Read a whole book, a list of members, or a night that was kept on paper."""


@command.command("events")
@click.argument("file", metavar="FILE")
@click.option("--another", is_flag=True, help="Add the club to a store that holds another one already.")
@_dry_run
@with_db
def events(db: str, file: str, another: bool, dry_run: bool) -> None:
    """Read the whole book of a club, as kittybook export events has written it.

    FILE is such a file, or - for standard input. Every row is checked against the chain of digests before anything is
    written. The store is made if it is not there; the club must not be in it, or have nothing in its book yet.
    """
    from ledger.imports.events import rows

    with _file(file) as path:

        def read() -> Iterator[Row]:
            return rows(documents(path, by_line=True), shown(file))

        last = None
        for row in read():
            last = row.recorded
        if last is None:
            raise Refusal(f"{shown(file)} holds no events.")
        where = f"the book of {last.club} up to position {last.position}; head {last.digest}"
        if dry_run:
            click.echo(f"{shown(file)} holds {where}")
            return
        _pour(db, last.club, read, another=another)
    click.echo(f"{db} holds {where}")


def _pour(db: str, club: str, read: Callable[[], Iterator[Row]], *, another: bool) -> None:
    from ledger.imports.events import pour
    from ledger.service import Ledger

    if not Path(db).absolute().parent.is_dir():
        raise BadUsage(f"{db} cannot be made: there is no such folder.")
    with opened(db, create=True) as store:
        try:
            store.found(club, Ledger(store).new_id(), another=another)
        except ClubExists as error:
            if club not in store.clubs():
                raise Refusal(f"{error.detail} --another adds a second club.") from None
        (head,) = store.transact(club, [lambda transaction: pour(transaction, read())])
    if isinstance(head, LedgerError):
        raise head


@command.command("members")
@click.argument("file", metavar="FILE")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=HEADING",
    help="Where name, id or number stands; may be repeated, also for a name in two columns.",
)
@click.option("--encoding", metavar="NAME", help="What the file is written in, such as cp1252; else UTF-8.")
@click.option("--rename", is_flag=True, help="Give known members the names that the file has for them.")
@click.option("--guarded", is_flag=True, help="The file is an export: take off the ' before what looks like a formula.")
@_dry_run
@with_book
def members(
    book: Book,
    file: str,
    columns: tuple[str, ...],
    encoding: str | None,
    rename: bool,
    guarded: bool,
    dry_run: bool,
) -> None:
    """Add the members that a spreadsheet lists.

    FILE is CSV with headings in its first line, or - for standard input; comma, semicolon or tab. Name is needed, id
    and number are not. A member is known by his id, else by his number, else by exactly his name: importing the file
    again changes nothing. Who has a number and no id gets the number as his id, as it is typed: 0042. Where one row is
    wrong nothing is imported.
    """
    from ledger.cli.rosters import import_roster
    from ledger.imports.members import SIZE_LIMIT, is_encoding

    where = _columns(columns)
    if encoding is not None and not is_encoding(encoding):
        raise click.BadParameter(f"{encoding!r} is no encoding that is known.", param_hint="'--encoding'")
    try:
        raw = content(file, SIZE_LIMIT)
    except OSError as error:
        raise _unreadable(file, error) from None
    import_roster(book, raw, shown(file), where, encoding=encoding, guarded=guarded, rename=rename, dry_run=dry_run)


def _columns(pairs: tuple[str, ...]) -> dict[str, list[str]]:
    from ledger.imports.members import HEADINGS

    columns: dict[str, list[str]] = {}
    for pair in pairs:
        field, _equals, heading = pair.partition("=")
        if field not in HEADINGS or not heading.strip():
            raise click.BadParameter(f"{pair!r} is not name, id or number=HEADING.", param_hint="'--column'")
        columns.setdefault(field, []).append(heading)
    for field, headings in columns.items():
        if field != "name" and len(headings) > 1:
            raise click.BadParameter(f"{field} can only stand in one column.", param_hint="'--column'")
    return columns


@command.command("night")
@click.argument("file", metavar="FILE")
@click.option("--table", required=True, metavar="ID", help="The table that it was played at.")
@click.option("--date", metavar="DATE", help="When it was played, such as 2026-11-29; else today.")
@click.option(
    "--player", "given", multiple=True, metavar="NAME=ID", help="Who a name of the sheet is; may be repeated."
)
@click.option("--add-members", is_flag=True, help="Add whom the club does not know.")
@click.option(
    "--pool", default="carry", show_default=True, metavar="carry|split|MEMBER", help="What becomes of the pool."
)
@_dry_run
@with_book
def night(
    book: Book,
    file: str,
    table: str,
    date: str | None,
    given: tuple[str, ...],
    add_members: bool,
    pool: str,
    dry_run: bool,
) -> None:
    """Record a night sheet, as kittybook score reads it, as a night of a table, and close it.

    FILE is .json (one sheet) or .jsonl (one a line), or - for standard input. Names are ids of members, or exactly what
    they are called. A sheet is known by its id, else by all that it says: importing it again changes nothing. Where the
    night would not come to what the sheet comes to, nothing is recorded.
    """
    from ledger.cli.sheets import Wishes, import_sheet

    who = {}
    for pair in given:
        name, _equals, member = pair.rpartition("=")
        if not name:
            raise click.BadParameter(f"{pair!r} is not NAME=ID.", param_hint="'--player'")
        who[name] = member
    choice = pool if pool in ("carry", "split") else {"to": pool}
    wishes = Wishes(table, date, who, add_members, choice, dry_run)
    failed = False
    for document in _documents(file):
        try:
            click.echo(import_sheet(book, document, file, wishes))
        except Refusal as refusal:
            failed = True
            refusal.show()
    stop(failed)


def _documents(file: str) -> Iterator[Any | LedgerError]:
    try:
        yield from documents(file)
    except OSError as error:
        raise _unreadable(file, error) from None


def _unreadable(file: str, error: OSError) -> click.UsageError:
    return click.UsageError(f"{file} cannot be read: {error.strerror or error}.")


@contextmanager
def _file(file: str) -> Iterator[str]:
    """Lend a path that can be read twice; standard input is kept aside first."""
    if file == "-":
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "events.jsonl")
            with open(path, "wb") as kept:
                shutil.copyfileobj(sys.stdin.buffer, kept)
            yield path
    elif os.path.isfile(file):
        yield file
    else:
        why = "it is no file" if os.path.exists(file) else "it is not there"
        raise click.UsageError(f"{file} cannot be read: {why}.")
