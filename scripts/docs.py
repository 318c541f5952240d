"""The generated parts of README.md: `scripts/check --fix` writes them anew, `scripts/check` fails where they differ."""

from __future__ import annotations

import hashlib
import inspect
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import chdir, closing
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast
from unittest import mock

import click
from click.testing import CliRunner

from ledger import errors, hands, service, sheet, values
from ledger.cli import main, reading
from ledger.cli import restore as restoring
from ledger.commands import CLUB_COMMANDS, NIGHT_COMMANDS, RecordHand, readers_of
from ledger.errors import LedgerError
from ledger.imports import members
from ledger.rulebook.keys import KEYS
from ledger.rulebook.parse import TEXT_LIMIT
from ledger.rulebooks import preset, preset_ids
from ledger.stores.sqlite import connection
from ledger.stores.sqlite.store import BUSY_TIMEOUT

ROOT = Path(__file__).resolve().parent.parent


# Commands and what they say


def output(*lines: str, until: str | None = None) -> None:
    """Print commands, run in an empty folder, and what they say, up to a line where that would be long."""
    with Story() as story:
        _print_story(story, lines, until)


def demo(*lines: str) -> None:
    """Print commands on the demo's club, and what they say; ``-`` is what scripts/run sends."""
    _print_story(_the_demo(), lines)


def told(*lines: str, at: str | None = None, until: str | None = None) -> None:
    """Print the next commands in the story of one club; ``at`` is the time in UTC that it has come to."""
    story = _the_club()
    if at is not None:
        story.time = datetime.fromisoformat(f"{at}+00:00")
    _print_story(story, lines, until)


def treasury(*lines: str, at: str | None = None, until: str | None = None) -> None:
    """Print the next commands in the story of a club that keeps money."""
    story = _the_treasury()
    if at is not None:
        story.time = datetime.fromisoformat(f"{at}+00:00")
    _print_story(story, lines, until)


def _print_story(story: Story, lines: Iterable[str], until: str | None = None) -> None:
    text = ""
    for line in lines:
        shown = line.replace("RECEIPT", story.receipt).replace("PAYMENT", story.payment)
        text += f"$ {shown}\n{story.run(shown)}"
    _fenced((text.partition(f"\n{until}")[0] if until else text).rstrip(), "console")


@cache
def _the_club() -> Story:
    """Begin the story of README.md, with the files that it shows."""
    return _with_files(Story())


@cache
def _the_treasury() -> Story:
    """Begin the story of its chapter about money."""
    return _with_files(Story())


def _with_files(story: Story) -> Story:
    for name, text in shown_files().items():
        (story.folder / name).write_text(text, encoding="utf-8")
    return story


def shown_files() -> dict[str, str]:
    """Return the files that README.md shows whole: their names stand behind the language."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL))


@cache
def _the_demo() -> Story:
    story = Story(KITTYBOOK_DB="demo.db")
    story.run("kittybook demo")
    script = (ROOT / "scripts" / "run").read_text(encoding="utf-8")
    (night,) = re.findall(r"^night=(\S+)$", script, re.MULTILINE)
    (what_if,) = re.findall(r"^\{.*\}$", script, re.MULTILINE)
    story.sent = what_if.replace("$night", night)
    return story


class Story:
    """A folder in which one command follows another; time and chance are the same every time."""

    def __init__(self, **environment: str) -> None:
        self._kept = TemporaryDirectory()
        self.folder = Path(self._kept.name).resolve()
        self.time = datetime(2026, 1, 1, tzinfo=UTC)
        self.sent = ""
        self.receipt = ""
        self.payment = ""
        self._runner = CliRunner(env={"KITTYBOOK_DB": None, "KITTYBOOK_CLUB": None, **environment})
        self._asked = 0

    def __enter__(self) -> Story:
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.cleanup()

    def run(self, line: str) -> str:
        """Return what a command says. It must succeed, or fail as it says itself: ``# exit code 1``."""
        shown, _hash, code = line.partition("  # exit code ")
        program, *words = shlex.split(shown)
        with chdir(self.folder):
            if program == "kittybook":
                return self._kittybook(words, int(code or 0)).replace(f"{self.folder}/", ".../")
            if program == "sqlite3":
                file, sql = words
                with closing(sqlite3.connect(file)) as database:
                    database.executescript(sql)
                return ""
            run = subprocess.run([sys.executable, *words], capture_output=True, text=True, encoding="utf-8", check=True)
            return run.stdout

    def _kittybook(self, words: Iterable[str], code: int) -> str:
        ledger = partial(service.Ledger, clock=self.now, chance=self.chance)
        with (
            mock.patch.object(service, "Ledger", ledger),
            mock.patch.object(restoring, "datetime", self),
            mock.patch.object(connection, "PRAGMAS", ("PRAGMA synchronous=OFF",)),  # nobody cuts the power here
        ):
            result = self._runner.invoke(main, [_absolute(word) for word in words], input=self.sent)
        if result.exit_code != code:
            raise AssertionError(f"{words}: exit code {result.exit_code}, {result.output}") from result.exception
        if closed := re.search(r"^.* is closed.*Receipt: (\w+)$", result.output, re.MULTILINE):
            self.receipt = closed[1]
        if paid := re.search(r"^.* paid .*: ([0-9a-f-]{36})$", result.output, re.MULTILINE):
            self.payment = paid[1]
        return result.output

    def now(self, _zone: tzinfo | None = None) -> datetime:
        """Return the time, which goes on by a little whenever somebody asks."""
        self.time += timedelta(seconds=10)
        return self.time

    def chance(self, size: int) -> bytes:
        """Return bytes that look like chance."""
        self._asked += 1
        return hashlib.shake_256(str(self._asked).encode()).digest(size)


def _absolute(word: str) -> str:
    return str(ROOT / word) if (ROOT / word).is_file() else word


# The command line


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


# The commands of the book

_RULES: Final = "rulebook_unknown house_rule_unknown house_rule_ambiguous house_rule_invalid"
_STEP: Final = "hand_settled hand_open hand_not_next too_few_players too_many_players"

_BANKER: Final = "member_unknown member_archived member_erased"

REFUSED_WITH: Final[Mapping[str, str]] = {
    "OpenNight": f"table_unknown table_closed table_busy night_exists member_unknown member_archived member_erased"
    f" already_seated not_seated {_RULES} other_family pool_undecided",
    "SeatPlayer": "member_unknown member_archived member_erased already_seated",
    "UnseatPlayer": "not_seated",
    "Reseat": "seats_differ hand_not_next",
    "SetDealer": "not_seated",
    "BuyIn": "not_seated money_not_kept",
    "CashOut": "not_seated money_not_kept",
    "Transfer": "not_seated money_not_kept",
    "BuyCards": f"{_STEP} not_seated sits_out already_bought no_purchases",
    "Peek": f"{_STEP} not_seated sits_out already_peeked no_peeks",
    "Bid": f"{_STEP} not_seated sits_out not_your_turn already_spoken own_bid bid_unknown auction_over"
    " bid_too_low bid_needs_BID forced_bid",
    "Pass": f"{_STEP} not_seated sits_out not_your_turn already_spoken own_bid forced_bid",
    "TakePeepCard": _STEP,
    "RecordOutcome": "hand_settled hand_open hand_not_next hand_not_begun auction_open",
    "DeclareMisdeal": _STEP,
    "RecordHand": "hand_settled hand_open hand_not_next member_unknown member_archived member_erased",
    "CorrectHand": "hand_unknown hand_open member_unknown member_archived member_erased",
    "VoidHand": "hand_unknown hand_open hand_void",
    "Undo": "nothing_to_undo not_newest night_paid night_corrected later_night table_closed",
    "ChangeRules": f"{_RULES} other_family",
    "CountChips": "hand_open not_seated",
    "Dispute": "hand_unknown not_seated",
    "ResolveDispute": "hand_unknown not_disputed",
    "AddNote": "hand_unknown",
    "CloseNight": "hand_open draw_needed not_seated",
    "ReopenNight": "night_open night_paid night_corrected later_night table_closed",
    "FoundClub": "club_exists",
    "ChangeClub": "",
    "AddMember": "member_exists number_taken",
    "RenameMember": "member_unknown member_erased",
    "ArchiveMember": "member_unknown member_erased member_archived",
    "RestoreMember": "member_unknown member_erased member_not_archived",
    "MergeMembers": "member_unknown member_erased same_member both_at_table member_seated",
    "EraseMember": "member_unknown member_erased",
    "OpenTable": f"table_exists {_RULES} {_BANKER}",
    "ChangeTable": f"table_unknown table_closed {_RULES} other_family {_BANKER} table_busy pool_undecided"
    " worth_unknown",
    "CloseTable": "table_unknown table_closed table_busy member_unknown member_erased",
    "PublishRulebook": "",
    "StartSeason": "season_exists",
    "EndSeason": "season_unknown season_ended",
    "CorrectClosedHand": "night_unknown night_open hand_unknown hand_open member_unknown member_erased",
    "AdmitLateHand": "late_hand_unknown night_open hand_open member_unknown member_erased",
    "RefuseLateHand": "late_hand_unknown",
    "RecordPayment": "member_unknown same_party night_unknown unit_unclear",
    "ReversePayment": "payment_unknown payment_reversed",
    "PostAdjustment": "member_unknown same_party night_unknown hand_unknown unit_unclear unit_unknown",
    "ChargeTable": "night_unknown",
    "CountCash": "money_not_kept",
}
"""What a command of its own may be refused with, in short; ``tests/test_readme.py`` tries them out."""

TELLS_A_HAND: Final = ("RecordOutcome", "RecordHand", "CorrectHand", "CorrectClosedHand", "AdmitLateHand")
"""Commands that bring facts of a hand, and so may also be refused with all that is said of hands and auctions."""


def book_commands() -> None:
    """Print every command of the book: its data, what it does, and what it may be refused with."""
    rows = []
    for title, kinds in (("In a night", NIGHT_COMMANDS), ("In the club", CLUB_COMMANDS)):
        rows.append((f"**{title}**", "", "", ""))
        for kind, command in kinds.items():
            codes = [f"`{code}`" for code in REFUSED_WITH[kind].split()]
            if kind in TELLS_A_HAND:
                codes.append("a hand's")
            does = (inspect.getdoc(command) or "").replace("``", "`")
            rows.append((f"`{kind}`", _data(command), does, ", ".join(codes)))
    _table(("command", "data", "what it does", "may be refused with"), rows)


def _data(command: type[Any]) -> str:
    readers = readers_of(cast("Hashable", command))
    keys = [f"`{key}`" if needed else f"`{key}`?" for key, (_field, _reader, needed) in readers.items()]
    return ", ".join("the facts of the hand" if command is RecordHand and key == "`facts`" else key for key in keys)


def refusals() -> None:
    """Print every code with its sentence."""
    rows = []
    section = ""
    for title, refusal in refusals_by_section():
        if title != section:
            section = title
            rows.append((f"**{section}**", "", ""))
        sentence = re.sub(r"\{(\w+)(!r)?\}", r"*\1*", refusal.sentence)
        rows.append((f"`{code_of(refusal)}`", sentence, _FAMILIES[refusal.__mro__[1]]))
    _table(("code", "sentence", "kind"), rows)


def refusals_by_section() -> Iterator[tuple[str, type[LedgerError]]]:
    """Yield every refusal as it stands in ``ledger.errors``, under the title that stands above it there."""
    section = ""
    for line in inspect.getsource(errors).splitlines():
        if line.startswith("# "):
            section = line.removeprefix("# ")
        elif section and (found := re.match(r"class (\w+)\(", line)):
            yield section, getattr(errors, found[1])


def code_of(refusal: type[LedgerError]) -> str:
    """Return the code of a refusal; one of them ends with the bid that is needed."""
    return f"{refusal.code}_BID" if refusal is errors.BidNeeds else refusal.code


_FAMILIES: Final[Mapping[type, str]] = {
    errors.Unreadable: "unreadable",
    errors.Refused: "refused",
    errors.NotFound: "not there",
    errors.Conflict: "too late",
    errors.Forbidden: "not allowed",
    errors.NotSignedIn: "not signed in",
    errors.Unavailable: "not now",
    errors.Corrupt: "not sound",
}


# Rulebooks, and what is too large


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
            ("a pool or a balance that grows from them, or an account of the club", f"{values.TOTAL_LIMIT:,}"),
            (
                "the balances of a night, either way, and its pool, taken together, in money or else in chips",
                f"{values.TOTAL_LIMIT // 8:,}",
            ),
            ("a name", "60 characters as people count them, 240 code points"),
            ("a note", f"{values.NOTE_LIMIT:,} characters"),
            ("the file of a rulebook", f"{TEXT_LIMIT:,} characters"),
            (
                "a list of members",
                f"{members.SIZE_LIMIT // 1024**2} MB, {members.ROW_LIMIT:,} rows,"
                f" {members.CELL_LIMIT:,} characters a cell",
            ),
            ("waiting for others who write to the book", f"{BUSY_TIMEOUT:g} seconds"),
        ],
    )


# Markdown


def _fenced(words: str, language: str) -> None:
    print(f"```{language}\n{words}\n```")


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    head = tuple(head)
    for row in (head, ("---",) * len(head), *rows):
        print("| " + " | ".join(row) + " |")


def _code(words: str) -> str:
    return f"`{words}`" if '"' in words or "{" in words else words
