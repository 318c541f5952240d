"""``kittybook score``: a night on paper, scored."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import click

from ledger.cli.reading import documents, rulebook_from
from ledger.cli.tables import night_table
from ledger.errors import LedgerError
from ledger.rulebook import Rulebook
from ledger.sheet import differences, refusal, score


@click.command("score")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--check", is_flag=True, help="Compare with what the sheets expect; print every difference.")
@click.option("--table", is_flag=True, help="Print a table for people instead of JSON.")
def command(files: tuple[str, ...], check: bool, table: bool) -> None:
    """Score night sheets and print what each night comes to.

    FILE is .json (one sheet) or .jsonl (one sheet a line); - is standard input. Prints one JSON object a sheet, in
    order; a sheet that cannot be scored gives an error in its place. Exit code 1 if there was one, or a difference.
    """
    if check and table:
        raise click.UsageError("--check and --table do not go together.")
    failed = scored = 0
    for sheet, answer in _answers(files):
        scored += 1
        called = answer["id"] or f"sheet {scored}"
        if check:
            lines = differences(_expected(sheet), answer)
            for line in lines:
                click.echo(_printable(f"{called}: {line}"))
            failed += bool(lines)
        else:
            failed += "error" in answer
            if table:
                _print_table(sheet, answer)
            else:
                sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
    if check:
        click.echo(f"{scored} sheets, {scored - failed} as expected, {failed} not", err=True)
    sys.exit(1 if failed else 0)


def _answers(files: tuple[str, ...]) -> Iterator[tuple[Any, dict[str, Any]]]:
    for file in files:

        @cache
        def resolve(name: str, beside: str = file) -> Rulebook:
            return rulebook_from(name, beside)

        try:
            for document in documents(file):
                if isinstance(document, LedgerError):
                    yield None, refusal(None, document)
                else:
                    yield document, score(document, resolve)
        except OSError as error:
            raise click.UsageError(f"{file} cannot be read: {error.strerror or error}.") from None


def _expected(sheet: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON is of any shape
    expect = sheet.get("expect") if isinstance(sheet, dict) else None
    return expect if isinstance(expect, dict) else {}


def _printable(line: str) -> str:
    """What a sheet expects may be any text: show what a terminal would obey, or could not write, as escapes."""
    if line.isprintable():
        return line
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in line)


def _print_table(sheet: Any, answer: dict[str, Any]) -> None:  # noqa: ANN401 - as above
    if "error" in answer:
        error = answer["error"]
        hand = f"hand {error['hand']}: " if error["hand"] else ""
        click.echo(f"{answer['id'] or 'sheet'}: {hand}{error['detail']}", err=True)
    else:
        click.echo(night_table(sheet, answer))
