"""``kittybook export``: the book, and what follows from it, as files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from ledger.cli.opening import BadUsage, Book, with_book, write_lines
from ledger.exports.spreadsheets import PROFILES

if TYPE_CHECKING:
    from ledger.exports.accounting import Accounts

_out = click.option("--out", metavar="FILE", help="Where to write it, never over a file; else standard output.")


def profile_option(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that writes a table the option ``--profile``."""
    return click.option(
        "--profile",
        type=click.Choice(list(PROFILES)),
        default="machine",
        show_default=True,
        help="For machines (UTF-8, comma), or for Excel where decimals have a comma (excel-eu) or a point (excel-us).",
    )(command)


@click.group("export")
def command() -> None:
    """Write a whole book, its journal, or its accounts to a file or to standard output."""


@command.command("events")
@_out
@with_book
def events(book: Book, out: str | None) -> None:
    """Write the whole book of a club as JSON lines, for kittybook import events.

    One event a line, with everything that was written beside it: postings, names, rulebooks, what is remembered of
    commands. Imported and exported again it is the same, byte for byte.
    """
    from ledger.exports.events import events as lines

    with book.store.audit(book.club) as audit:
        write_lines(lines(audit), out)


@command.command("journal")
@click.option("--night", metavar="NIGHT", help="Only what was posted at one night.")
@click.option("--season", metavar="SEASON", help="Only the nights of a season, and what the club posted for them.")
@profile_option
@_out
@with_book
def journal(book: Book, night: str | None, season: str | None, profile: str, out: str | None) -> None:
    """Write every posting as CSV, lines ending in CRLF.

    A season has the nights whose dates lie within it; and what the club posted for them, or for no night while the
    season lasted. A text that a spreadsheet could take for a formula has ' before it.
    """
    from ledger.club import require_night
    from ledger.exports.journal import journal as lines
    from ledger.exports.journal import season_journal

    if night is not None and season is not None:
        raise BadUsage("Say --night or --season, not both.")
    with book.read() as (club, reader):
        if season is not None:
            write_lines(season_journal(reader, club, season, PROFILES[profile]), out)
            return
        if night is not None:
            require_night(club, night)
        write_lines(lines(reader, night, PROFILES[profile]), out)


_season = click.option("--season", metavar="SEASON", help="Only what is dated within a season.")


@command.command("hledger")
@_season
@_out
@with_book
def hledger(book: Book, season: str | None, out: str | None) -> None:
    """Write the whole book as a journal for hledger.

    hledger check accepts it, also with --strict: balances are asserted at every night's close, and in the end for
    every account. Positive is what the club has, negative what it owes. A season begins with what was brought forward.
    """
    from ledger.exports.hledger import hledger as lines

    _write_accounts(book, lines, season, out)


@command.command("beancount")
@_season
@_out
@with_book
def beancount(book: Book, season: str | None, out: str | None) -> None:
    """Write the whole book as a file for beancount.

    bean-check accepts it: balances are asserted for the morning after every night that was closed, and in the end for
    every account. Positive is what the club has, negative what it owes. A season begins with what was brought forward.
    """
    from ledger.exports.beancount import beancount as lines

    _write_accounts(book, lines, season, out)


def _write_accounts(
    book: Book, lines: Callable[[Accounts], Iterable[str]], season: str | None, out: str | None
) -> None:
    from ledger.cli.words import Words
    from ledger.exports.accounting import Accounts

    with book.read() as (club, reader):
        write_lines(lines(Accounts(club, reader, Words(club, reader), season)), out)
