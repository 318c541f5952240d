"""The treasurer's and operator's command line. Each command is loaded when it is asked for, so that help is quick."""

from __future__ import annotations

import importlib
import io
import keyword
import os
import sys
from typing import Any, Final

import click

_COMMANDS: Final = {
    "score": "Score night sheets and print what each night comes to.",
    "rulebook": "List, show, check and copy rulebooks.",
    "demo": "Make a store with a club that has played for weeks, to look at.",
    "init": "Make a store and a club.",
    "member": "Add, list and change members and guests.",
    "table": "Open, list and change tables.",
    "night": "Open, show, explain and close nights.",
    "settle": "Say who pays whom.",
    "payment": "Record, reverse and list payments.",
    "stats": "Count what everybody did.",
    "apply": "Carry out commands, one JSON object a line.",
    "import": "Read a whole book, a list of members, or a night that was kept on paper.",
    "export": "Write a whole book, its journal, its accounts for other programs, or what is to be settled.",
    "serve": "Answer tablets, screens and programs over HTTP.",
    "user": "Let people in: invite, list, change roles, make a link for who forgot his password.",
    "token": "Make, list and revoke what programs sign in with.",
    "verify": "Check that a book is what it was when it was written.",
    "rebuild": "Make everything that follows from the events anew.",
    "backup": "Copy a store while it is in use.",
    "rehearse": "Restore a backup for a trial, and say whether it would do.",
    "restore": "Put a backup in the place of a store.",
    "migrate": "Bring a store to the schema of this release.",
}
"""Every command and its line in the help; the command itself is in the module of the same name."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _COMMANDS:
            return None
        module = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        command: click.Command = importlib.import_module(f"ledger.cli.{module}").command
        return command

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - click's signature
        if sys.stdout is None:  # closed by whoever called
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
        try:
            return super().main(*args, **kwargs)
        except OSError as error:  # a full disk or a closed pipe at the other end of the output
            sys.stderr.write(f"kittybook: {error.strerror or error}\n")
            os._exit(1)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(
    cls=_Commands,
    context_settings={"auto_envvar_prefix": "KITTYBOOK", "help_option_names": ["-h", "--help"]},
)
@click.option("--db", metavar="FILE", help="The store that a command uses; may also be given after the command.")
@click.version_option(package_name="kittybook")
def main(db: str | None) -> None:  # noqa: ARG001 - commands look it up
    """Keep the book of a real card table: hands, chips, the pool that carries over, and who owes whom."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # UTF-8, whatever the terminal or the pipe is set to
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
