"""Opening a book for a command: which store, which club, and how refusals are told."""

from __future__ import annotations

import functools
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from ledger.errors import LedgerError, NotJson, RulebookInvalid, StoreMissing, TooLarge, Unreadable

if TYPE_CHECKING:
    from ledger.club import Club
    from ledger.people import Door
    from ledger.service import Answer
    from ledger.store import EventStore, Reader
    from ledger.stores import SqliteStore

Command: TypeAlias = Callable[..., None]

DEFAULT_DB: Final = "kittybook.db"

REFUSED: Final = 1
"""The exit code that says so."""

_FOUND_WRONG: Final = (NotJson, RulebookInvalid, TooLarge)
"""What is said of a file's content, and so is no bad usage."""


class Refusal(click.ClickException):
    """Refused, or found wrong: one sentence on standard error."""

    exit_code = REFUSED


class BadUsage(Refusal):
    """Not said as it must be: one sentence on standard error."""

    exit_code = 2


class Book:
    """The book of one club, opened for a command."""

    def __init__(self, store: EventStore, club: str) -> None:
        from ledger.service import Ledger, Sender

        self.store = store
        self.club = club
        self.ledger = Ledger(store)
        self.sender = Sender(actor="cli")

    @contextmanager
    def read(self) -> Iterator[tuple[Club, Reader]]:
        """Lend the club as it stands, and the snapshot that it was read from."""
        with self.store.read(self.club) as reader:
            yield self.ledger.club(self.club, reader), reader

    def send(self, kind: str, night: str | None = None, **data: object) -> Answer:
        """Carry out one command, its data without what is None; return its verdict. Raises ``Refusal``."""
        from ledger.service import read_request

        given = {key.rstrip("_"): value for key, value in data.items() if value is not None}
        envelope: dict[str, Any] = {"id": self.ledger.new_id(), "type": kind, "data": given}
        if night is not None:
            envelope["night"] = night
        (verdict,) = self.ledger.carry_out(self.club, [read_request(envelope)], self.sender)
        if verdict["status"] == "refused":
            raise Refusal(verdict["detail"])
        return verdict

    def event(self, verdict: Answer) -> dict[str, Any]:
        """Return what the last event of a command says."""
        with self.store.read(self.club) as reader:
            (recorded,) = reader.events(verdict["position"] - 1, 1)
            return recorded.data


def with_db(command: Command) -> Command:
    """Give a command the option ``--db``; what is refused is told in one sentence."""

    @functools.wraps(command)
    def run(**options: object) -> None:
        with telling():
            command(**options)

    option = click.option(
        "--db",
        metavar="FILE",
        callback=_address,
        help=f"The store, a SQLite file; else KITTYBOOK_DB, else {DEFAULT_DB}.",
    )
    return option(run)


def with_book(command: Command, *, checked: bool = True) -> Command:
    """Give a command the options ``--db`` and ``--club``, and as its first argument the book that they name."""

    @functools.wraps(command)
    def run(db: str, club: str | None, **options: object) -> None:
        with opened(db, checked=checked) as store:
            command(Book(store, _chosen(store, club)), **options)

    option = click.option(
        "--club", envvar="KITTYBOOK_CLUB", metavar="SLUG", help="The club, where the store holds several."
    )
    return with_db(option(run))


def with_any_book(command: Command) -> Command:
    """Do what ``with_book`` does, also for a store that lacks a guard against editing."""
    return with_book(command, checked=False)


def with_address(command: Command) -> Command:
    """Give a command the option ``--address``: where the club is served, for links that are printed."""
    option = click.option(
        "--address",
        default="http://localhost:8000",
        show_default=True,
        metavar="URL",
        callback=_served_at,
        help="Where the club is served, as its people see it.",
    )
    return option(command)


def door_of(book: Book) -> Door:
    """Return the door of a book: who may come in is kept beside it."""
    from ledger.people import Door
    from ledger.stores import people_of

    return Door(people=people_of(book.store), clock=book.ledger.now, chance=book.ledger.chance)


def link_to(address: str, secret: str) -> str:
    """Return the link that lets somebody in: behind ``#`` is what no server, log or proxy is sent."""
    return f"{address}/invite#{secret}"


as_json = click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")


@contextmanager
def opened(db: str, *, create: bool = False, checked: bool = True) -> Iterator[SqliteStore]:
    """Open the store at an address, and close it again."""
    from ledger.stores import SqliteStore

    with SqliteStore(db, create=create, checked=checked) as store:
        yield store


@contextmanager
def telling() -> Iterator[None]:
    """Turn what is refused into one sentence and an exit code."""
    try:
        yield
    except LedgerError as error:
        hint = " Make one with kittybook init." if isinstance(error, StoreMissing) else ""
        usage = isinstance(error, Unreadable) and not isinstance(error, _FOUND_WRONG)
        raise (BadUsage if usage else Refusal)(f"{error.detail}{hint}") from None


def write_lines(lines: Iterable[str], out: str | None) -> None:
    """Write data as UTF-8, line ends as they are: to standard output, or to a file that is not there yet."""
    if out is None:
        stream = sys.stdout.buffer
        for line in lines:
            stream.write(line.encode())
        stream.flush()
        return
    if os.path.lexists(out):
        raise Refusal(f"{out} is there already; nothing was written.")
    try:
        handle, part = tempfile.mkstemp(
            prefix=f".{Path(out).name}.", dir=Path(out).parent
        )  # for its owner's eyes alone
        try:
            with open(handle, "wb") as file:
                file.writelines(line.encode() for line in lines)
            os.rename(part, out)
        except BaseException:
            os.unlink(part)
            raise
    except OSError as error:
        raise BadUsage(f"{out} cannot be written: {error.strerror or error}.") from None


def say(words: str) -> None:
    """Tell people something beside the data."""
    click.echo(words, err=True)


def stop(failed: bool) -> None:
    """End the command with exit code 1 where something was found wrong."""
    if failed:
        sys.exit(REFUSED)


def _address(ctx: click.Context, _param: click.Parameter, value: str | None) -> str:
    """Return the store's path: this command's ``--db``, else the one before the command, else the default."""
    address: str = value or ctx.find_root().params.get("db") or DEFAULT_DB
    if "://" in address:
        scheme = address.partition("://")[0]
        kind = "PostgreSQL is" if scheme.startswith("postgres") else f"A store at {scheme}:// is"
        raise BadUsage(f"{kind} not in this release: --db takes the path of a SQLite file.")
    return address


def _served_at(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    found = value.rstrip("/")
    if not re.fullmatch(r"https?://[A-Za-z0-9.\[\]:_-]+", found):
        raise BadUsage(f"{value} is no address: say one such as http://192.0.2.7:8000.")
    return found


def _chosen(store: SqliteStore, club: str | None) -> str:
    clubs = store.clubs()
    if club is None:
        if len(clubs) > 1:
            raise BadUsage(f"{store.path} holds several clubs; say which: --club {', '.join(clubs)}.")
        if not clubs:
            raise Refusal(f"{store.path} holds no club yet: make one with kittybook init --club NAME.")
        (club,) = clubs
    with store.read(club) as reader:
        if not reader.version("club"):
            raise Refusal(f"The book of {club} was begun and not finished: run kittybook init again.")
    return club
