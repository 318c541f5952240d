"""What anybody may ask: whether all is well, what games there are, and what a night on paper comes to."""

from __future__ import annotations

from typing import Any

from flask import Response
from flask_smorest import Blueprint

from api.answers import answered, release, require_changed, tag_of
from api.auth import caller_if_any
from api.bodies import json_body
from api.errors import problem, refusal
from api.openapi import TAGGED, body_of, named
from api.schemas import answers
from api.state import state, upkeep
from ledger.errors import RulebookUnknown
from ledger.rulebook import Rulebook, read
from ledger.rulebooks import preset, preset_ids
from ledger.sheet import score as score_sheet

public = Blueprint(
    "public", __name__, description="What needs no sign-in; with one, a club's own rulebooks are there too"
)


@public.route("/health")
@named(public)
@public.response(200, answers.Health)
def health() -> Response:
    """Whether the book can be read and written now: it is tried."""
    refused = state().trial.outcome()
    if refused is not None:
        return refusal(refused)
    return answered({"status": "ok", "release": release(), "writable": True, "backups": _backups()})


@public.route("/rulebooks")
@named(public)
@public.response(200, answers.Rulebooks, headers=TAGGED)
@public.alt_response(304, description="nothing is new", success=True)
def rulebooks() -> Response:
    """The games that there are."""
    own = _own()
    books = [*own.values(), *(preset(name) for name in preset_ids() if name not in own)]
    tag = tag_of("rulebooks", [(book.id, book.digest) for book in books])
    require_changed(tag)
    return answered({"rulebooks": [_entry(book, own) for book in books]}, tag=tag)


@public.route("/rulebooks/<id:rulebook>")
@named(public)
@public.response(200, answers.Rulebook, headers=TAGGED)
@public.alt_response(304, description="nothing is new", success=True)
def rulebook(rulebook: str) -> Response:
    """One game: its payment table, and everything else that scores a hand."""
    own = _own()
    book = own.get(rulebook) or _preset(rulebook)
    tag = tag_of("rulebook", book.digest, dict(book.title), book.notes)
    require_changed(tag)
    bids = [{"id": bid.id, "title": dict(bid.title), "tricks": bid.tricks} for bid in book.bids]
    told = {**_entry(book, own), "notes": book.notes, "effective": dict(book.effective), "bids": bids}
    return answered(told, tag=tag)


@public.route("/score", methods=["POST"])
@named(public)
@public.doc(requestBody=body_of("Sheet"))
@public.response(200, answers.Score)
def score() -> Response:
    """Score a night sheet; nothing is kept."""
    body = json_body()
    own = _own()
    told = score_sheet(body, lambda name: own.get(name) or _preset(name))
    if "error" not in told:
        return answered(told)
    error = told["error"]
    return problem(422, error["code"], error["detail"], hand=error["hand"])


def _backups() -> dict[str, Any] | None:
    """Tell of backups what anybody may know, so no folder: only whether they are made, and how old the last is."""
    keeper = upkeep()
    return None if keeper is None else {"last": keeper.last(), "failing": [each.code for each in keeper.failures()]}


def _own() -> dict[str, Rulebook]:
    """Return the rulebooks of the club that whoever asks is of."""
    caller = caller_if_any()
    if caller is None:
        return {}
    ledger = state().ledger
    with ledger.store.read(caller.club) as reader:
        return {name: read(own.body) for name, own in ledger.club(caller.club, reader).rulebooks.items()}


def _preset(name: str) -> Rulebook:
    if name not in preset_ids():
        raise RulebookUnknown(field="rulebook", rulebook=name)
    return preset(name)


def _entry(book: Rulebook, own: dict[str, Rulebook]) -> dict[str, Any]:
    return {
        "id": book.id,
        "title": dict(book.title),
        "family": book.family,
        "source": book.source,
        "digest": book.digest,
        "origin": "club" if book.id in own else "preset",
    }
