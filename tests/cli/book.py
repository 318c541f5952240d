"""What the tests of the book's commands share: a folder, a club in it, and commands to record."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from click.testing import CliRunner, Result

from ledger.cli import main

NIGHT = "tuesday-2026-11-24"

Command = dict[str, Any]


def kittybook(
    *args: str, stdin: str | bytes | None = None, code: int = 0, env: Mapping[str, str | None] | None = None
) -> Result:
    """Run a command, and require its exit code; nothing may ever end in a traceback."""
    result = CliRunner().invoke(main, list(args), input=stdin, env=env, prog_name="kittybook")
    assert result.exit_code == code, (args, result.output, result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def data(*args: str, **more: Any) -> Any:
    """Run a command that prints JSON."""
    return json.loads(kittybook(*args, **more).stdout)


def command(kind: str, night: str | None = NIGHT, /, **fields: Any) -> Command:
    """A command as a device sends it."""
    sent: Command = {"id": str(uuid.uuid4()), "type": kind, "data": fields}
    return sent if night is None else {**sent, "night": night}


def lines(*commands: object) -> str:
    return "".join(f"{json.dumps(item)}\n" if not isinstance(item, str) else f"{item}\n" for item in commands)


def apply(*commands: object, code: int = 0, options: tuple[str, ...] = ()) -> list[Any]:
    """Carry out commands from standard input; return the verdicts."""
    result = kittybook("apply", *options, "-", stdin=lines(*commands), code=code)
    return [json.loads(line) for line in result.stdout.splitlines()]


def make_club() -> None:
    """Found a club with four members and a table."""
    kittybook("init", "--club", "The Club", "--slug", "club")
    for name in ("Ann", "Bob", "Cal", "Dot"):
        kittybook("member", "add", name, "--id", name.lower())
    kittybook("table", "open", "Tuesday", "--rulebook", "rockets-peep-nap")


def open_night(players: str = "ann,bob,cal,dot", date: str = "2026-11-24", table: str = "tuesday") -> str:
    dealer = players.partition(",")[0]
    kittybook("night", "open", "--table", table, "--players", players, "--dealer", dealer, "--date", date)
    return f"{table}-{date}"


def record(hand: int, bidder: str, bid: str, made: bool, night: str = NIGHT, **facts: Any) -> Command:
    return command("RecordHand", night, hand=hand, bidder=bidder, bid=bid, made=made, **facts)
