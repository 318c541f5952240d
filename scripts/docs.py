"""The generated parts of README.md: `scripts/check --fix` writes them anew, `scripts/check` fails where they differ."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from click.testing import CliRunner

from ledger import hands, sheet, values
from ledger.cli import main, reading
from ledger.rulebook.keys import KEYS
from ledger.rulebook.parse import TEXT_LIMIT
from ledger.rulebooks import preset, preset_ids

ROOT = Path(__file__).resolve().parent.parent


def output(*lines: str, until: str | None = None) -> None:
    """Print kittybook commands, run in an empty folder, and what they say, up to a line where that would be long."""
    runner = CliRunner()
    told = []
    with runner.isolated_filesystem():
        for line in lines:
            result = runner.invoke(main, [_absolute(word) for word in shlex.split(line)])
            if result.exit_code:
                raise AssertionError(f"kittybook {line}: {result.output}") from result.exception
            told.append(f"$ kittybook {line}\n{result.output}")
    text = "".join(told)
    _fenced((text.partition(f"\n{until}")[0] if until else text).rstrip(), "console")


def commands() -> None:
    """Print the help of every command and subcommand."""
    for name, help_text in command_help():
        print(f"### {name}\n")
        _fenced(help_text, "text")
        print()


def command_help() -> Iterator[tuple[str, str]]:
    """Yield the name and the help of every command, the program itself first."""
    waiting = [main.make_context("kittybook", [], resilient_parsing=True, terminal_width=100, max_content_width=100)]
    while waiting:
        context = waiting.pop(0)
        yield context.command_path, context.get_help()
        if isinstance(context.command, click.Group):
            found = (
                (name, context.command.get_command(context, name)) for name in context.command.list_commands(context)
            )
            waiting[:0] = [click.Context(sub, parent=context, info_name=name) for name, sub in found if sub is not None]


def switches() -> None:
    """Print every key that a house rule may set."""
    rows = []
    for key in KEYS:
        if key.switch:
            path = key.path.replace("*", "BID")
            without = key.absent if key.absent else f"`{key.default}`"
            rows.append((f"`{path}`", key.says, _code(key.values), "" if without == "needed" else without))
    _table(("switch", "what it does", "may be", "left out"), rows)


def sources() -> None:
    """Print where each game comes from."""
    books = [preset(name) for name in preset_ids()]
    _table(("rulebook", "game", "from"), [(f"`{book.id}`", book.name(), book.source) for book in books])


def limits() -> None:
    """Print what is refused for its size."""
    _table(
        ("what", "at most"),
        [
            ("a line of a `.jsonl` file, or a whole `.json` file", f"{reading.LINE_LIMIT // 1024**2} MB"),
            ("hands of a sheet", f"{sheet.HANDS_LIMIT:,}"),
            ("players at a table", f"{hands.PLAYER_LIMIT}"),
            ("stake", f"{sheet.STAKE_LIMIT:,}"),
            ("one amount that somebody enters, either way", f"{values.AMOUNT_LIMIT:,}"),
            ("a pool or a balance that grows from them", f"{values.TOTAL_LIMIT:,}"),
            ("a name", "60 characters as people count them, 240 code points"),
            ("a note", f"{values.NOTE_LIMIT:,} characters"),
            ("the file of a rulebook", f"{TEXT_LIMIT:,} characters"),
        ],
    )


def _absolute(word: str) -> str:
    return str(ROOT / word) if (ROOT / word).is_file() else word


def _fenced(words: str, language: str) -> None:
    print(f"```{language}\n{words}\n```")


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    head = tuple(head)
    for row in (head, ("---",) * len(head), *rows):
        print("| " + " | ".join(row) + " |")


def _code(words: str) -> str:
    return f"`{words}`" if '"' in words or "{" in words else words
