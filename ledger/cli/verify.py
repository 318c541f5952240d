"""``kittybook verify``: whether a book is what it was when it was written."""

from __future__ import annotations

import click

from ledger.cli.opening import Book, stop, with_any_book


@click.command("verify")
@click.option("--receipt", metavar="CODE", help="A receipt, as it was printed when a night was closed; with --night.")
@click.option("--night", metavar="NIGHT", help="The night that the receipt is of.")
@with_any_book
def command(book: Book, receipt: str | None, night: str | None) -> None:
    """Check that a book is what it was when it was written.

    Follows the chain of digests from the first event to the last, plays every event again and compares every posting
    and balance; what is wrong is printed one finding a line, the first row that differs first. Names that were erased
    are listed too, and are no fault. With --receipt prints what the receipt is to its night: as signed, superseded, or
    not in this history. Exit code 1 if anything is wrong.
    """
    from ledger.audit import receipt_status, verify_book

    if (receipt is None) != (night is None):
        raise click.UsageError("--receipt and --night go together.")
    if receipt is not None and night is not None:
        status = receipt_status(book.ledger, book.club, night, receipt)
        click.echo(status)
        stop(status != "as signed")
        return
    findings = verify_book(book.ledger, book.club, beside=True)
    for finding in findings:
        click.echo(str(finding))
    stop(any(finding.is_fault for finding in findings))
    with book.store.read(book.club) as reader:
        head = reader.head()
    click.echo(f"{book.club}: {head.position} events are as they were written; head {head.digest}")
