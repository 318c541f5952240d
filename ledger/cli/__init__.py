"""The treasurer's and operator's command line. Each command is loaded when it is asked for, so that help is quick."""

from __future__ import annotations

import importlib
from typing import Final

import click

_COMMANDS: Final = {
    "score": "Score night sheets and print what each night comes to.",
    "rulebook": "List, show, check and copy rulebooks.",
}
"""Every command and its line in the help; the command itself is in the module of the same name."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"ledger.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(
    cls=_Commands,
    context_settings={"auto_envvar_prefix": "KITTYBOOK", "help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="kittybook")
def main() -> None:
    """Keep the book of a real card table: hands, chips, the pool that carries over, and who owes whom."""
