"""Tables to take away, made line by line while they are sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TypeAlias, get_args

from flask import Blueprint, Response, request

from api.answers import Poured, streamed, tag_of_book
from api.reading import Reading
from api.state import state
from ledger.access import TREASURER
from ledger.club import require_night
from ledger.errors import MemberUnknown
from ledger.exports.journal import journal as journal_lines
from ledger.exports.spreadsheets import PROFILES, Profile, csv_lines
from ledger.exports.statement import statement_csv
from ledger.reports.settlement import RESULT_COLUMNS, TRANSFER_COLUMNS, results, transfers
from ledger.reports.statement import statement
from ledger.settlement import Policy
from web import callers
from web.words import gettext

files = Blueprint("files_of_the_book", __name__)

_Lines: TypeAlias = Callable[[Reading, str], Iterator[str]]


def _settlement(here: Reading, night: str) -> Iterator[str]:
    require_night(here.club, night)
    return csv_lines(RESULT_COLUMNS, results(here.night(night), here.words), _profile())


def _transfers(here: Reading, night: str) -> Iterator[str]:
    known = require_night(here.club, night)
    policy: Policy = next((one for one in get_args(Policy) if one == request.args.get("policy")), "fewest")
    return csv_lines(TRANSFER_COLUMNS, list(transfers(here.club, known, here.words, policy=policy)), _profile())


def _journal(here: Reading, night: str) -> Iterator[str]:
    require_night(here.club, night)
    return journal_lines(here.reader, night)


def _statement(here: Reading, member: str) -> Iterator[str]:
    if member not in here.club.members:
        raise MemberUnknown(field="member", member=member)
    return statement_csv(statement(here.club, here.reader, member), _profile())


def _profile() -> Profile:
    return PROFILES.get(request.args.get("profile", ""), PROFILES["machine"])


def _sends(rule: str, name: str, lines: _Lines) -> None:
    def run(one: str) -> Response:
        who = callers.require(TREASURER, gettext("This file"))
        shared = state()
        snapshot = ExitStack()
        reader = snapshot.enter_context(shared.ledger.store.read(who.club))
        try:
            poured = Poured(lines(Reading(shared.ledger, who.club, reader, who.role), one), snapshot.close)
            tag = tag_of_book(reader.head(), who.role, request.full_path)
            return streamed(poured, "text/csv; charset=utf-8", tag, f"{one}-{name}.csv")
        except BaseException:
            snapshot.close()
            raise

    files.add_url_rule(rule, name, run)


_sends("/nights/<id:one>/settlement.csv", "settlement", _settlement)
_sends("/nights/<id:one>/transfers.csv", "transfers", _transfers)
_sends("/nights/<id:one>/journal.csv", "journal", _journal)
_sends("/members/<id:one>/statement.csv", "statement", _statement)
