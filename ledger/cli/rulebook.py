"""``kittybook rulebook``: payment tables to read, to check, and to make one's own from."""

from __future__ import annotations

import difflib
import json
import os
import sys
from pathlib import Path
from typing import Any, Final

import click

from ledger import values
from ledger.cli.opening import Book, with_book
from ledger.cli.payment_table import payment_table
from ledger.cli.reading import decoded, rulebook_from
from ledger.cli.tables import columns
from ledger.errors import LedgerError
from ledger.payment_table import changes
from ledger.rulebook import Rulebook, apply_house_rules
from ledger.rulebook.template import template
from ledger.rulebooks import preset, preset_ids, preset_text
from ledger.sheet import STAKE_LIMIT, check_examples


class _Source(click.Path):
    """A rulebook named on the command line: the id of a preset, or a TOML file."""

    name = "rulebook"

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, readable=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        if value in preset_ids():
            return value
        if not os.path.exists(value):
            near = difflib.get_close_matches(value, preset_ids(), n=1)
            self.fail(
                f"there is no rulebook or file {value!r}" + (f"; is it {near[0]!r}?" if near else "."), param, ctx
            )
        return super().convert(value, param, ctx)


_SOURCE: Final = _Source()
_json = click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")


@click.group("rulebook")
def command() -> None:
    """List, show, check and copy rulebooks: payment tables and their conditions, one a TOML file.

    A rulebook is named by the id of one that comes with Kittybook, or by its file.
    """


@command.command("list")
@_json
def list_rulebooks(as_json: bool) -> None:
    """List the rulebooks that come with Kittybook."""
    books = [preset(name) for name in preset_ids()]
    if as_json:
        _print_json([{**_about(book), "family": book.family, "players": list(book.players)} for book in books])
        return
    rows = [[book.id, "-".join(str(count) for count in sorted({*book.players})), book.name()] for book in books]
    click.echo(columns(["id", "players", "title"], rows, left=3))


@command.command("show")
@click.argument("rulebook", type=_SOURCE, metavar="ID|FILE")
@click.option("--rule", "rules", multiple=True, metavar="SWITCH=VALUE", help="A house rule; may be given again.")
@click.option("--stake", type=click.IntRange(1, STAKE_LIMIT), default=1, help="Multiplies every chip.")
@click.option("--language", type=click.Choice(["en", "ru"]), default="en", help="Language of the titles.")
@_json
def show(rulebook: str, rules: tuple[str, ...], stake: int, language: str, as_json: bool) -> None:
    """Show a rulebook as a payment table.

    It can be checked against the book on the shelf: what each bid collects and pays, what becomes of the pool, what
    feeds it, fines, and what the source leaves open. Rows marked † are reconstructed.

    With --rule, such as --rule peek=2 or --rule dealer_sits_out_from=null (left out), what differs is marked * and
    listed, old -> new.
    """
    base = _read(rulebook)
    try:
        book = apply_house_rules(base, house_rules_from(rules))
    except LedgerError as error:
        raise click.ClickException(error.detail) from None
    if as_json:
        _print_json(_as_json(base, book, stake))
    else:
        click.echo(payment_table(book, base, stake=stake, language=language))


@command.command("check")
@click.argument("rulebooks", type=_SOURCE, nargs=-1, required=True, metavar="ID|FILE...")
def check(rulebooks: tuple[str, ...]) -> None:
    """Check rulebooks, and run their examples.

    Every key must be known and make sense, and there must be at least three examples that come out as they say. Prints
    a line for each rulebook that is right, and every difference of the others. Exit code 1 if there was one.
    """
    wrong = 0
    for rulebook in rulebooks:
        try:
            book = rulebook_from(rulebook)
        except LedgerError as error:
            lines = [error.detail]
        else:
            lines = [f"{rulebook}: {line}" for line in check_examples(book)]
        for line in lines:
            click.echo(line)
        if lines:
            wrong += 1
        else:
            click.echo(f"{rulebook}: ok, {len(book.examples)} examples")
    sys.exit(1 if wrong else 0)


@command.command("new")
@click.argument("source", type=_SOURCE, metavar="FROM")
@click.option("--id", "new_id", metavar="ID", help="What the copy is called; else after the file, or FROM-house.")
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE", help="Where to write it; else standard output.")
def new(source: str, new_id: str | None, out: str | None) -> None:
    """Write a copy of a rulebook to edit.

    FROM is an id or a file. The copy has a comment for every key, and keeps the examples, so that "rulebook check"
    tells what a change does. Never overwrites a file.
    """
    book = _read(source)
    text = template(book, _text(source), _new_id(new_id, out, book))
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        with Path(out).open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        raise click.ClickException(f"{out} is there already; nothing was written.") from None
    except OSError as error:
        raise click.UsageError(f"{out} cannot be written: {error.strerror}.") from None
    click.echo(f"{out} is written: edit it, then try it with: kittybook rulebook check {out}", err=True)


@command.command("publish")
@click.argument("source", metavar="FILE", type=_Source())
@with_book
def publish(book: Book, source: str) -> None:
    """Add a rulebook of the club's own to its book, or a new version of one.

    Tables can then be opened by its id. Hands that were played under an earlier version keep it.
    """
    found = _read(source)
    book.send("PublishRulebook", rulebook=dict(found.raw))
    click.echo(f"{found.id} is published: {found.name()}.")


def _read(rulebook: str) -> Rulebook:
    try:
        return rulebook_from(rulebook)
    except LedgerError as error:
        raise click.ClickException(error.detail) from None


def _text(rulebook: str) -> str:
    if rulebook in preset_ids():
        return preset_text(rulebook)
    return Path(rulebook).read_text(encoding="utf-8-sig")


def house_rules_from(rules: tuple[str, ...]) -> dict[str, Any]:
    """Return house rules as data; a value is JSON, or else a word."""
    found: dict[str, Any] = {}
    for rule in rules:
        switch, equals, words = rule.partition("=")
        if not switch or not equals or switch in found:
            why = "sets a switch twice" if switch in found else "is not SWITCH=VALUE"
            raise click.BadParameter(f"{rule!r} {why}.", param_hint="'--rule'")
        value = decoded(words.encode(), switch)
        found[switch] = words if isinstance(value, LedgerError) else value
    return found


def _new_id(new_id: str | None, out: str | None, book: Rulebook) -> str:
    """Return the id that was asked for, else one after the file, else one after the original."""
    if new_id is None:
        named = Path(out).stem if out else ""
        free = values.ID_PATTERN.fullmatch(named) and named not in preset_ids()
        return named if free else f"{book.id[:54]}-house"
    if not values.ID_PATTERN.fullmatch(new_id) or new_id in preset_ids():
        why = "is the id of a rulebook that is there" if new_id in preset_ids() else "is no id: a-z, 0-9, '.', '_', '-'"
        raise click.BadParameter(f"{new_id!r} {why}.", param_hint="'--id'")
    return new_id


def _print_json(data: object) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=2, default=str))


def _about(book: Rulebook) -> dict[str, Any]:
    return {"id": book.id, "title": dict(book.title), "source": book.source, "digest": book.digest}


def _as_json(base: Rulebook, book: Rulebook, stake: int) -> dict[str, Any]:
    """Return a rulebook as data, defaults filled in; its ``rulebook`` may stand in a night sheet as it is."""
    rows = [
        {"id": bid.id, "title": dict(bid.title), **row, "unattested": bid.unattested}
        for row, bid in zip(book.effective["bids"], book.bids, strict=True)
    ]
    about = {"id": book.id, "title": dict(book.title), "source": book.source, "notes": book.notes}
    return {
        **_about(book),
        "house_rules": dict(book.house_rules),
        "stake": stake,
        "changes": [{"switch": path, "old": old, "new": new} for path, old, new in changes(base, book)],
        "rulebook": {**about, **book.effective, "bids": rows, "examples": [dict(example) for example in book.examples]},
    }
