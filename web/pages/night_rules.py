"""Other rules for a night, as its table asks about them: the switches in words, and what they make of the payments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response, jsonify, request
from werkzeug.datastructures import MultiDict

from api.reading import Reading
from ledger.access import SCOREKEEPER
from ledger.club import require_night
from ledger.errors import BadValue, LedgerError
from ledger.rulebook import Rulebook, apply_house_rules
from ledger.rulebooks import preset_ids
from web.booking import names_of, shows
from web.forms import Form
from web.refusals import words_of
from web.rulebook_page import LANGUAGE, Switch, house_rules_of, switches_of, table_of
from web.words import gettext

night_rules = Blueprint("night_rules", __name__)

STAKES: Final = range(1, 1_000_001)


@shows(night_rules, "/nights/<id:night>/table/rules", role=SCOREKEEPER)
def rules_of_night(here: Reading, night: str) -> Response:
    """Return what the next hands would be played by, with what is asked for laid over it.

    Asked are ``rulebook``, ``stake``, and ``changed``: a JSON object of switches as they were filled in. The answer has
    the ``data`` that ChangeRules takes, or what is ``wrong`` and with which switch.
    """
    require_night(here.club, night)
    found = here.night(night)
    now, stake = found.rules.book, found.rules.stake
    chosen = request.args.get("rulebook") or found.rulebook
    base = here.ledger.book(here.club.id, here.reader, chosen)
    laid = found.house_rules if chosen == found.rulebook else {}
    book, wrong = apply_house_rules(base, laid), None
    try:
        changed = _changed(request.args.get("changed") or "{}")
        book = apply_house_rules(base, house_rules_of(changed, base, book.house_rules))
        stake = _stake(request.args.get("stake") or str(stake))
    except LedgerError as error:
        wrong = {"field": (error.field or "").removeprefix("rule."), "words": words_of(error, names_of(here))}
    same = (book.digest, stake) == (now.digest, found.rules.stake)
    told = {
        "rulebook": chosen,
        "stake": stake,
        "rulebooks": _alike(here, now),
        "sections": _sections(book, base),
        "table": _told(table_of(book, now, stake=stake, base_stake=found.rules.stake)),
        "data": None if same else _data(chosen, book, stake),
        "wrong": wrong,
    }
    return jsonify(told)


def _changed(text: str) -> Form:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise BadValue(field="changed", wanted="a JSON object of switches as they were filled in")
    return Form(name="", command="", values=MultiDict({f"rule.{path}": value for path, value in found.items()}))


def _stake(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 7 or int(text) not in STAKES:
        raise BadValue(field="stake", wanted=gettext("a whole number of chips, 1 or more"))
    return int(text)


def _data(chosen: str, book: Rulebook, stake: int) -> dict[str, Any]:
    return {"rulebook": chosen, "house_rules": dict(book.house_rules), "stake": stake}


def _alike(here: Reading, now: Rulebook) -> list[dict[str, str]]:
    """Return the rulebooks of the same family: a night goes on with those alone."""
    known = dict.fromkeys([*here.club.rulebooks, *preset_ids()])
    books = [here.ledger.book(here.club.id, here.reader, name) for name in known]
    return [{"id": book.id, "title": book.name(LANGUAGE)} for book in books if book.family == now.family]


def _sections(book: Rulebook, base: Rulebook) -> list[dict[str, Any]]:
    return [
        {"title": section, "groups": [_group(title, switches) for title, switches in groups]}
        for section, groups in switches_of(book, base).items()
        if groups
    ]


def _group(title: str, switches: list[Switch]) -> dict[str, Any]:
    return {"title": title, "switches": [switch._asdict() for switch in switches]}


def _told(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payment table as data: each cell with what stood there, where that was something else."""
    conditions = [line for lines in shown["sections"].values() for line in lines]
    return {
        "head": shown["head"],
        "numbers": sorted(shown["numbers"]),
        "rows": shown["rows"],
        "changes": [[label, *cell] for label, cell in conditions if cell.before is not None],
        "legend": shown["legend"],
    }
