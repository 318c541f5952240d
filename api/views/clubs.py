"""What a club is, and everything in it that grows."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from flask_smorest import Blueprint

from api.auth import for_as_long_as_it_lasts
from api.carrying_out import answer_commands, answer_opening
from api.openapi import DRY_RUN, body_of, signed_in
from api.reading import Reading, behind, page, read_call
from api.schemas import answers, queries
from api.state import state
from ledger.errors import TableUnknown
from ledger.journal import member_account
from ledger.views import members_view, nights_view, tables_view

clubs = Blueprint("clubs", __name__, url_prefix="/clubs/<id:club>", description="A club: people, tables, nights, log")


@read_call(clubs, "", answers.Club)
def club(book: Reading) -> dict[str, Any]:
    """A club, and what whoever asks may do there."""
    club, head = book.club, book.reader.head()
    seasons = club.seasons.values()
    return {
        "club": club.id,
        "name": book.words.club(),
        "zone": club.zone,
        "cut_off": club.cut_off,
        "money": None if club.money is None else dict(club.money),
        "position": head.position,
        "epoch": head.epoch,
        "members": sum(not (member.archived or member.alias_of) for member in club.members.values()),
        "tables": sum(not table.closed for table in club.tables.values()),
        "open_nights": [night.id for night in club.nights.values() if not night.closed],
        "late_hands": len(club.late),
        "seasons": [
            {"id": one.id, "name": book.words.text(one.name), "started": one.started, "ended": one.ended}
            for one in seasons
        ],
        "role": book.role,
    }


@read_call(clubs, "/members", answers.Members, queries.EverybodyToo)
def members(book: Reading, after: int, limit: int, all: str) -> dict[str, Any]:
    """The members, by number."""
    rows = [row for row in members_view(book.club, book.reader, everybody=all == "true") if row["number"] > after]
    shown, following = page(rows, limit, lambda row: row["number"])
    return {"members": shown, "next": following}


@read_call(clubs, "/tables", answers.Tables, queries.EverythingToo)
def tables(book: Reading, after: str | None, limit: int, all: str) -> dict[str, Any]:
    """The tables, with what waits in their pools."""
    every = tables_view(book.club, book.reader, everything=True)
    rows = [row for row in behind(every, after, lambda row: row["id"]) if all == "true" or not row["closed"]]
    shown, following = page(rows, limit, lambda row: row["id"])
    return {"tables": shown, "next": following}


@read_call(clubs, "/balances", answers.Balances, queries.PageAfterNumber)
def balances(book: Reading, after: int, limit: int) -> dict[str, Any]:
    """What every member has, or owes: the results of closed nights, by unit."""
    units: dict[str, dict[str, int]] = {}
    for (account, unit), amount in book.reader.balances("club").items():
        units.setdefault(account, {})[unit] = amount
    people = sorted(
        (one for one in book.club.members.values() if one.alias_of is None and one.number > after),
        key=lambda one: one.number,
    )
    shown, following = page(people, limit, lambda one: one.number)
    rows = []
    for one in shown:
        sums: dict[str, int] = {}
        for alias in book.club.aliases(one.id):
            for unit, amount in units.get(member_account(alias), {}).items():
                sums[unit] = sums.get(unit, 0) + amount
        rows.append({"id": one.id, "name": book.words.member(one.id), "balances": sums})
    return {"balances": rows, "next": following}


@read_call(clubs, "/late-hands", answers.LateHands, queries.PageAfterCommand)
def late_hands(book: Reading, after: str | None, limit: int) -> dict[str, Any]:
    """Hands that came in after their night was closed, and wait to be let count or refused."""
    rows = behind([*book.club.late.values()], after, lambda kept: kept.command)
    shown, following = page(rows, limit, lambda kept: kept.command)
    told = [
        {
            "command": kept.command,
            "night": kept.night,
            "hand": kept.hand,
            "facts": dict(kept.facts),
            "note": book.words.text(kept.note),
        }
        for kept in shown
    ]
    return {"late_hands": told, "next": following}


@read_call(clubs, "/events", answers.Events, queries.PageAfterNumber)
def events(book: Reading, after: int, limit: int) -> dict[str, Any]:
    """The log: everything that happened, in order. Names and notes stand elsewhere, so that they can be erased.

    ``next`` is where to ask on from, also where the log ends for now; null where nothing is behind ``after`` yet.
    """
    shown = book.reader.events(after, limit)
    rows = []
    for row in shown:
        told = row._asdict()
        del told["text"], told["club"]
        rows.append({**told, "postings": [posting._asdict() for posting in row.postings]})
    return {"epoch": book.reader.head().epoch, "events": rows, "next": shown[-1].position if shown else None}


@read_call(clubs, "/nights", answers.Nights, queries.OfTable)
def nights(book: Reading, after: str | None, limit: int, table: str | None) -> dict[str, Any]:
    """The nights, the newest last."""
    if table is not None and table not in book.club.tables:
        raise TableUnknown(field="table", table=table)
    rows = behind(nights_view(book.club, table), after, lambda row: row["night"])
    shown, following = page(rows, limit, lambda row: row["night"])
    return {"nights": shown, "next": following}


@clubs.route("/nights", methods=["POST"])
@signed_in(clubs)
@clubs.doc(requestBody=body_of("OpenNight"), parameters=[DRY_RUN])
@clubs.response(
    201,
    answers.Verdict,
    description="opened",
    headers={"Location": {"schema": {"type": "string"}, "description": "the night"}},
)
@clubs.alt_response(200, schema=answers.Verdict, description="a duplicate or a preview", success=True)
def open_night(club: str) -> Response:
    """Open a night."""
    return answer_opening(club)


@clubs.route("/commands", methods=["POST"])
@signed_in(clubs)
@clubs.doc(requestBody=body_of("ClubCommand", "ClubCommands"), parameters=[DRY_RUN])
@clubs.response(201, answers.Verdict, description="recorded")
@clubs.alt_response(
    200,
    schema=answers.VerdictOrVerdicts,
    description="a duplicate or a preview; of a batch, every verdict",
    success=True,
)
def send_to_club(club: str) -> Response:
    """Carry out one command of the club, or a batch."""
    return answer_commands(club, None)


@clubs.route("/live")
@signed_in(clubs)
@clubs.doc(
    parameters=[
        {
            "in": "header",
            "name": "Last-Event-ID",
            "schema": {"type": "string"},
            "description": "the position that was seen last",
        }
    ]
)
@clubs.response(
    200, {"type": "string"}, content_type="text/event-stream", description="hints: position, night, version"
)
def live(club: str) -> Response:
    """Hints that something was recorded, as server-sent events; with 503, poll instead."""
    last = request.headers.get("Last-Event-ID", "")
    after = int(last) if last.isascii() and last.isdigit() and len(last) < 17 else None
    stream = state().listeners.listen(club, after, for_as_long_as_it_lasts())
    return Response(
        stream,
        content_type="text/event-stream; charset=utf-8",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
