"""Other rules for a night, as its table asks: switches in words, payments before and after, what is to be booked."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.api.kit import NIGHT
from tests.web.conftest import VisitorOf

AT = f"/nights/{NIGHT}/table/rules"


def asked(visitor: VisitorOf, role: str = "scorekeeper", **query: str) -> Any:
    answer = visitor(role).get(f"{AT}?{urlencode(query)}")
    assert answer.status_code == 200
    return answer.get_json()


def cell(told: Any, bid: str, head: str) -> list[str | None]:
    row = next(row for row in told["table"]["rows"] if row[0][0] == bid)
    found: list[str | None] = row[told["table"]["head"].index(head)]
    return found


def test_as_long_as_nothing_is_changed_there_is_nothing_to_book(visitor: VisitorOf) -> None:
    told = asked(visitor)
    assert (told["data"], told["wrong"]) == (None, None)
    assert cell(told, "Nap", "Failed") == ["5", None]
    assert {section["title"] for section in told["sections"]} >= {"The pool", "The bids", "Fines"}
    assert {one["id"] for one in told["rulebooks"]} >= {"rockets-peep-nap", "foster-pool-nap"}
    assert "rockets-pepper" not in {one["id"] for one in told["rulebooks"]}  # another family of games


def test_a_switch_and_a_stake_show_what_stood_there_and_what_to_book(visitor: VisitorOf) -> None:
    told = asked(visitor, changed=json.dumps({"bids.nap.pays": "10"}), stake="2")
    assert cell(told, "Nap", "Failed") == ["20", "5"]
    assert cell(told, "One", "Made") == ["2", "1"]
    assert told["data"] == {"rulebook": "rockets-peep-nap", "house_rules": {"bids.nap.pays": 10}, "stake": 2}


def test_another_rulebook_begins_without_the_house_rules_of_the_first(visitor: VisitorOf) -> None:
    told = asked(visitor, rulebook="foster-pool-nap")
    assert told["data"] == {"rulebook": "foster-pool-nap", "house_rules": {}, "stake": 1}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"stake": "0"}, "stake"),
        ({"stake": "many"}, "stake"),
        ({"changed": json.dumps({"bids.nap.pays": "many"})}, "bids.nap.pays"),
        ({"changed": json.dumps({"bids.nap.pays": "-3"})}, "bids.nap.pays"),
        ({"changed": "[1]"}, "changed"),
        ({"changed": "{"}, "changed"),
    ],
)
def test_what_cannot_be_is_said_with_its_switch(visitor: VisitorOf, query: dict[str, str], field: str) -> None:
    told = asked(visitor, **query)
    assert told["wrong"]["field"] == field
    assert told["wrong"]["words"].endswith(".")
    assert told["data"] is None


def test_a_rulebook_or_a_night_that_is_not_there(visitor: VisitorOf) -> None:
    here = visitor("scorekeeper")
    assert here.get(f"{AT}?rulebook=none").status_code == 404
    assert here.get("/nights/none/table/rules").status_code == 404
    assert visitor("viewer").get(AT).status_code == 403
