"""``kittybook apply``: commands in, verdicts out, one a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from ledger.cli.opening import REFUSED, Book, Refusal, with_book
from ledger.cli.reading import documents
from ledger.errors import Corrupt, LedgerError, Unavailable

if TYPE_CHECKING:
    from ledger.service import Answer, Request

    Act = Callable[[Request], Answer]


@click.command("apply")
@click.argument("file", metavar="FILE")
@click.option("--dry-run", is_flag=True, help="Work everything out, each line after those before it; write nothing.")
@click.option("--table", is_flag=True, help="Print what changes as text for people instead of JSON.")
@with_book
def command(book: Book, file: str, dry_run: bool, table: bool) -> None:
    """Carry out commands, one JSON object a line.

    FILE is a file of lines, or - for standard input. A command for a night says which, as "night"; one for the club
    does not. One verdict a line is printed, as soon as it is known; what was answered is in the book for good. A line
    that cannot be read is refused alone. Exit code 1 if a line was refused.
    """
    refused = False
    try:
        for kind, verdict in (_previewed if dry_run else _carried_out)(book, file):
            refused |= verdict["status"] == "refused"
            if table:
                _print_text(book, kind, verdict)
            else:
                _print_line(verdict)
    except (Unavailable, Corrupt) as error:
        raise Refusal(f"{error.detail} What was answered before it stands.") from None
    if refused:
        sys.exit(REFUSED)


def _carried_out(book: Book, file: str) -> Iterator[tuple[str, Answer]]:
    return _answers(file, lambda request: book.ledger.carry_out(book.club, [request], book.sender)[0])


def _previewed(book: Book, file: str) -> Iterator[tuple[str, Answer]]:
    """Preview every line against one snapshot, with all lines before it."""
    with book.store.read(book.club) as reader:
        desk = book.ledger.reading(book.club, reader)
        yield from _answers(file, lambda request: {"id": request.id, **desk.preview(request)})


def _answers(file: str, act: Act) -> Iterator[tuple[str, Answer]]:
    from ledger.service import read_request, refused

    for document in _documents(file):
        kind, command_id = "A line", None
        try:
            if isinstance(document, LedgerError):
                raise document
            command_id = _id_of(document)
            request = read_request(document)
            kind = type(request.command).__name__
            verdict = act(request)
        except (Unavailable, Corrupt):
            raise
        except LedgerError as error:
            verdict = refused(command_id, error)
        yield kind, verdict


def _documents(file: str) -> Iterator[Any | LedgerError]:
    try:
        yield from documents(file, by_line=True)
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {error.strerror or error}.") from None


def _id_of(document: Any) -> str | None:  # noqa: ANN401 - JSON is of any shape
    """Return the id of a command that may be wrong in everything else, so that its sender knows his own."""
    from ledger.commands import command_id

    try:
        return command_id(document["id"])
    except (LedgerError, KeyError, TypeError, IndexError):
        return None


def _print_line(verdict: Answer) -> None:
    stream = sys.stdout.buffer
    stream.write(json.dumps(verdict, ensure_ascii=False).encode() + b"\n")
    stream.flush()


def _print_text(book: Book, kind: str, verdict: Answer) -> None:
    from ledger.cli.verdict_text import verdict_text
    from ledger.words import Words

    with book.read() as (club, reader):
        names = Words(club, reader).apart(club.members)
    click.echo(verdict_text(kind, verdict, names))
