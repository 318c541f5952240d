"""``kittybook payment``: what was paid, for good or reversed."""

from __future__ import annotations

import json
import re
from decimal import Decimal

import click

from ledger.cli.opening import Book, as_json, with_book


@click.group("payment")
def command() -> None:
    """Record, reverse and list payments.

    Who pays whom is either a member or the till. kittybook settle says who should.
    """


@command.command("record")
@click.argument("payer", metavar="FROM")
@click.argument("payee", metavar="TO")
@click.argument("amount", metavar="AMOUNT")
@click.option("--night", metavar="NIGHT", help="The night that it settles; else the oldest that is open.")
@click.option("--method", metavar="TEXT", help="How it was paid, such as cash.")
@click.option("--date", metavar="DATE", help="When, such as 2026-11-29; else today.")
@with_book
def record(
    book: Book, payer: str, payee: str, amount: str, night: str | None, method: str | None, date: str | None
) -> None:
    """Record that FROM paid TO an amount such as 12.50; in a club that plays for chips alone, so many chips."""
    from ledger.book.money import unit_of_payment
    from ledger.cli.tables import amount as told
    from ledger.words import Words

    with book.read() as (club, reader):
        minor = _minor(amount, club.exponents().get(unit_of_payment(club, payer, payee, night)))
        names = Words(club, reader).parties([club.resolved(payer), club.resolved(payee)])
    verdict = book.send("RecordPayment", from_=payer, to=payee, amount=minor, night_=night, method=method, date=date)
    event = book.event(verdict)
    paid = f"{told(event['amount'], club.exponents().get(event['unit']))} {event['unit']}"
    click.echo(f"{names[event['from_party']]} paid {names[event['to_party']]} {paid}: {verdict['id']}")


@command.command("reverse")
@click.argument("payment", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why.")
@with_book
def reverse(book: Book, payment: str, reason: str) -> None:
    """Take back a payment that was recorded wrongly or came back. Both stay in the book."""
    book.send("ReversePayment", payment=payment, reason=reason)
    click.echo(f"{payment} is reversed.")


@command.command("list")
@click.option("--member", metavar="MEMBER", help="Only what he paid or was paid.")
@as_json
@with_book
def list_payments(book: Book, member: str | None, as_json: bool) -> None:
    """List the payments as they were recorded, the newest last."""
    from ledger.cli.tables import amount as told
    from ledger.cli.tables import columns
    from ledger.club import require_member
    from ledger.views import payments_view
    from ledger.words import Words

    with book.read() as (club, reader):
        if member is not None and member not in club.members:
            require_member(club, member)
        words = Words(club, reader)
        rows = payments_view(club, words, member)
        names = words.parties({row[party] for row in rows for party in ("from", "to")})
        exponents = club.exponents()
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    lines = [
        [
            row["date"],
            row["payment"],
            names[row["from"]],
            names[row["to"]],
            "reversed" if row["reversed"] else ", ".join(part["night"] for part in row["nights"]),
            f"{told(row['amount'], exponents.get(row['unit']))} {row['unit']}",
        ]
        for row in rows
    ]
    click.echo(columns(["date", "payment", "from", "to", "for", "amount"], lines, left=5))


def _minor(amount: str, exponent: int | None) -> int:
    """Return an amount as people write it in minor units; chips have none."""
    scaled = Decimal(amount).scaleb(exponent or 0) if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", amount) else None
    if scaled is None or scaled != scaled.to_integral_value():
        example = format(Decimal(1250).scaleb(-(exponent or 0)), "f")
        raise click.BadParameter(f"{amount!r} is no amount such as {example}.", param_hint="AMOUNT")
    return int(scaled)
