"""``kittybook export``: the book, and what follows from it, as files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, get_args

import click

from ledger.cli.opening import BadUsage, Book, with_book, write_lines
from ledger.club import nights_of, require_night
from ledger.exports.spreadsheets import PROFILES, csv_lines
from ledger.settlement import Policy
from ledger.words import Words

if TYPE_CHECKING:
    from ledger.exports.accounting import Accounts

_season = click.option("--season", metavar="SEASON", help="Only nights dated within a season.")
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


@command.command("settlement")
@click.option("--night", metavar="NIGHT", help="Only this night, which may be open; else every night that is closed.")
@_season
@profile_option
@_out
@with_book
def settlement(book: Book, night: str | None, season: str | None, profile: str, out: str | None) -> None:
    """Write as CSV what every player took home: chips, what they are worth, what he paid, what is left to settle.

    Of a closed night it says what was so at the close, whatever came after; kittybook export transfers has the rest.
    Amounts of money are in minor units: 150 is 1.50.
    """
    from ledger.reports.settlement import RESULT_COLUMNS, results

    with book.read() as (club, reader):
        words = Words(club, reader)
        nights = [require_night(club, night).id] if night else [one.id for one in nights_of(club, season=season)]
        rows = (row for one in nights for row in results(book.ledger.night(book.club, one, reader), words))
        write_lines(csv_lines(RESULT_COLUMNS, rows, PROFILES[profile]), out)


@command.command("transfers")
@click.option("--night", metavar="NIGHT", help="A closed night; else every night that is closed.")
@_season
@click.option("--policy", type=click.Choice(get_args(Policy)), default="fewest", help="How; else the fewest payments.")
@click.option(
    "--threshold",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="With threshold: less is carried, in the smallest coins.",
)
@profile_option
@_out
@with_book
def transfers(
    book: Book,
    night: str | None,
    season: str | None,
    policy: Policy,
    threshold: int,
    profile: str,
    out: str | None,
) -> None:
    """Write as CSV who paid whom for a night, and who has still to pay whom.

    Amounts of money are in minor units: 150 is 1.50. Payments that were reversed are not in it.
    """
    from ledger.reports.settlement import TRANSFER_COLUMNS
    from ledger.reports.settlement import transfers as rows_of

    with book.read() as (club, reader):
        words = Words(club, reader)
        nights = [require_night(club, night)] if night else nights_of(club, season=season)
        rows = (row for one in nights for row in rows_of(club, one, words, policy=policy, threshold=threshold))
        write_lines(csv_lines(TRANSFER_COLUMNS, rows, PROFILES[profile]), out)


@command.command("statement")
@click.option("--member", required=True, metavar="MEMBER", help="Whose.")
@profile_option
@_out
@with_book
def statement(book: Book, member: str, profile: str, out: str | None) -> None:
    """Write as CSV every line that made a member's account; the changes sum to its balance.

    Of each closed night, what each hand won or lost him, in what the chips are worth, and what he paid for chips; then
    payments, adjustments, charges, corrections. Amounts of money are in minor units. An open night is not in it yet.
    """
    from ledger.club import require_member
    from ledger.exports.statement import statement_csv
    from ledger.reports.statement import statement as lines

    with book.read() as (club, reader):
        if member not in club.members:
            require_member(club, member)
        write_lines(statement_csv(lines(club, reader, member), PROFILES[profile]), out)


@command.command("journal")
@click.option("--night", metavar="NIGHT", help="Only what was posted at one night.")
@_season
@profile_option
@_out
@with_book
def journal(book: Book, night: str | None, season: str | None, profile: str, out: str | None) -> None:
    """Write every posting as CSV, lines ending in CRLF.

    A season has the nights whose dates lie within it; and what the club posted for them, or for no night while the
    season lasted. A text that a spreadsheet could take for a formula has ' before it.
    """
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
    from ledger.exports.accounting import Accounts
    from ledger.words import Words

    with book.read() as (club, reader):
        write_lines(lines(Accounts(club, reader, Words(club, reader), season)), out)
