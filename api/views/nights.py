"""A night: its state, its hands, and why every number is what it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby, islice
from typing import Any

from flask import Response
from flask_smorest import Blueprint

from api.bodies import read_json
from api.carrying_out import answer_commands
from api.files import file_call
from api.openapi import DRY_RUN, body_of, signed_in
from api.reading import Reading, page, read_call
from api.schemas import answers, queries
from api.state import state
from ledger import values
from ledger.club import require_night
from ledger.errors import BadValue, MemberUnknown, NotJson
from ledger.exports.journal import journal as journal_lines
from ledger.exports.spreadsheets import PROFILES
from ledger.people import User
from ledger.projections import explain as lines_of
from ledger.projections import hand_row
from ledger.reports.story import story
from ledger.rulebook import Rulebook, apply_house_rules
from ledger.service import night_stream
from ledger.store import Recorded
from ledger.views import hand_view, night_view
from ledger.whatif import what_if
from ledger.words import with_words

nights = Blueprint("nights", __name__, url_prefix="/clubs/<id:club>/nights/<id:night>", description="A night")


@read_call(nights, "", answers.Night)
def night(book: Reading, night: str) -> dict[str, Any]:
    """A night as it stands, with what may be done now."""
    return night_view(book.ledger, book.club, night, book.reader, book.role)


@nights.route("/commands", methods=["POST"])
@signed_in(nights)
@nights.doc(requestBody=body_of("NightCommand", "NightCommands"), parameters=[DRY_RUN])
@nights.response(201, answers.Verdict, description="recorded")
@nights.alt_response(
    200,
    schema=answers.VerdictOrVerdicts,
    description="a duplicate or a preview; of a batch, every verdict",
    success=True,
)
@nights.alt_response(
    202, schema=answers.Verdict, description="a hand that came after the close: a treasurer decides", success=True
)
def send_to_night(club: str, night: str) -> Response:
    """Carry out one command of a night, or a batch."""
    return answer_commands(club, night)


@read_call(nights, "/hands", answers.Hands, queries.PageAfterNumber)
def hands(book: Reading, night: str, after: int, limit: int) -> dict[str, Any]:
    """The hands in order: facts, changes, who recorded them and when, and what became of them since."""
    found = book.night(night)
    steps, following = page(found.hand_steps()[after:], limit, lambda step: step.number)
    return {"hands": [with_words(hand_row(found, step), book.words) for step in steps], "next": following}


@read_call(nights, "/hands/<int(min=1, max=1000000):hand>", answers.Hand)
def hand(book: Reading, night: str, hand: int) -> dict[str, Any]:
    """One hand, and its story: who wrote what of it, when, and what stood there before."""
    row = hand_view(book.ledger, book.club, night, hand, book.reader)
    told = story(book.ledger, book.club.id, night, hand, book.reader, book.words)
    with state().door.people.read() as records:
        names = {f"user:{user.id}": user.name for user in records.all(User, book.club.id)}
    return {**row, "story": [{**one, "by": names.get(one["actor"])} for one in told]}


@read_call(nights, "/journal", answers.Journal, queries.PageAfterNumber)
def journal(book: Reading, night: str, after: int, limit: int) -> dict[str, Any]:
    """The journal of a night: entries with their postings; a page ends between events, which it counts."""
    require_night(book.club, night)
    rows = list(islice(book.reader.stream(night_stream(night), after), limit + 1))
    shown, following = page(rows, limit, lambda row: row.version)
    return {"entries": [entry for row in shown for entry in _entries(row)], "next": following}


def _entries(row: Recorded) -> list[dict[str, Any]]:
    return [
        {
            "position": row.position,
            "version": row.version,
            "entry": number,
            "hand": lines[0].hand,
            "memo": lines[0].memo,
            "recorded_at": row.recorded_at,
            "postings": [{"account": line.account, "unit": line.unit, "amount": line.amount} for line in lines],
        }
        for number, group in groupby(row.postings, key=lambda posting: posting.entry)
        for lines in [list(group)]
    ]


@file_call(nights, "/journal.csv", queries.Table)
def journal_csv(book: Reading, night: str, profile: str) -> tuple[str, Iterator[str]]:
    """Every posting of a night, as CSV."""
    require_night(book.club, night)
    return f"{night}-journal.csv", journal_lines(book.reader, night, PROFILES[profile])


@read_call(nights, "/explain", answers.Explanation, queries.Account)
def explain(book: Reading, night: str, account: str) -> dict[str, Any]:
    """Why a balance, or the pool, is what it is: lines that sum to it."""
    found = book.night(night)
    known = next((member for member in book.club.aliases(account) if member in found.purses), account)
    if known != "pool" and known not in found.purses:
        raise MemberUnknown(field="account", member=account)
    return lines_of(found, known)


@read_call(nights, "/whatif", answers.WhatIf, queries.OtherRules)
def whatif(book: Reading, night: str, rulebook: str | None, house_rules: str | None) -> dict[str, Any]:
    """What the same hands would have come to by other rules."""
    found = book.night(night)
    other: Rulebook | None = None
    if rulebook is not None or house_rules is not None:
        other = book.ledger.book(book.club.id, book.reader, rulebook or found.rulebook)
    if other is not None and house_rules is not None:
        other = apply_house_rules(other, _object(house_rules, "house_rules"))
    return what_if(found, other)


def _object(text: str, field: str) -> Mapping[str, Any]:
    try:
        return values.mapping(read_json(text.encode()), field)
    except NotJson:
        raise BadValue(field=field, wanted="a JSON object") from None
