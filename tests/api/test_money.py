"""Money over HTTP: who pays whom, what was paid, statements and files; figures worked out by hand."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from ledger.service import Ledger, Sender, read_request
from ledger.stores import SqliteStore
from tests.api.conftest import CallerOf
from tests.api.kit import CLUB, Caller, command

NIGHT = "old-1"


@pytest.fixture
def path(path: Path) -> Path:
    """A closed night of tuppenny chips: Bob makes a Three, Ann paid for five chips and for a peek."""
    with SqliteStore(path) as store:
        ledger = Ledger(store)

        def done(kind: str, night: str | None = None, **data: Any) -> None:
            (answer,) = ledger.carry_out(CLUB, [read_request(command(kind, night, **data))], Sender(actor="owner"))
            assert answer["status"] == "recorded", answer

        money = {"currency": "GBP", "chip": 2}
        done("OpenTable", table="old", name="Old", rulebook="rockets-peep-nap", money=money)
        done("OpenNight", table="old", night=NIGHT, players=["ann", "bob", "cal"], dealer="cal", date="2026-11-03")
        done("BuyIn", NIGHT, player="ann", chips=5, paid=10)
        done("RecordHand", NIGHT, hand=1, bidder="bob", bid="three", made=True, peeks=["ann"])
        done("CloseNight", NIGHT)
    return path


# Ann -4 chips, Bob +6, Cal -3, the pool +1; a chip is 2p. Ann has paid 10p: 2p are hers, the till holds 10p and owes
# 8p of them, since 2p lie in the pool.
OPEN = {"ann": 2, "bob": 12, "cal": -6, "till": -8}


def test_a_settlement_sums_to_zero_and_names_everybody(treasurer: Caller) -> None:
    for path in ("/settlement", f"/nights/{NIGHT}/settlement"):
        found = treasurer.read(path)
        (row,) = (one for one in found["settlements"] if one["unit"] == "GBP")
        assert row["balances"] == OPEN
        assert [(one["from"], one["to"], one["amount"]) for one in row["transfers"]] == [
            ("cal", "ann", 2),
            ("cal", "bob", 4),
            ("till", "bob", 8),
        ]
        assert found["names"]["ann"] == "Ann"
    found = treasurer.read(f"/nights/{NIGHT}/settlement?policy=threshold&threshold=3")
    assert found["settlements"][0]["carried"] == {"ann": 2, "till": -2}


def test_a_payment_is_recorded_once_and_reversed_once(treasurer: Caller) -> None:
    body = command(
        "RecordPayment", **{"from": "cal", "to": "till", "amount": 6, "method": "cash", "date": "2026-11-04"}
    )
    first = treasurer.post("/commands", body)
    assert (first.status_code, first.get_json()["changes"]) == (201, {"cal": 6, "till": -6})
    assert treasurer.post("/commands", body).status_code == 200
    (payment,) = treasurer.read("/payments?member=cal")["payments"]
    assert (payment["payment"], payment["nights"]) == (body["id"], [{"night": NIGHT, "amount": 6}])
    assert treasurer.read("/settlement")["settlements"][0]["balances"] == {"ann": 2, "bob": 12, "till": -14}
    reverse = {"payment": body["id"], "reason": "wrong envelope"}
    assert treasurer.send("ReversePayment", None, **reverse).status_code == 201
    again = treasurer.send("ReversePayment", None, **reverse)
    assert (again.status_code, again.get_json()["code"]) == (409, "payment_reversed")
    assert treasurer.read("/settlement")["settlements"][0]["balances"] == OPEN
    missing = treasurer.send("ReversePayment", None, payment=command("x")["id"], reason="none such")
    assert (missing.status_code, missing.get_json()["code"]) == (404, "payment_unknown")


def test_a_statement_sums_to_the_account_page_by_page(treasurer: Caller) -> None:
    first = treasurer.read("/members/ann/statement?limit=2")
    rest = treasurer.read(f"/members/ann/statement?limit=2&after={first['next']}")
    lines = [*first["lines"], *rest["lines"]]
    assert rest["next"] is None
    assert [(line["memo"], line["change"], line["balance"]) for line in lines] == [
        ("paid in", 10, 10),
        ("peek", -2, 8),
        ("three", -6, 2),
    ]
    assert first["balances"] == {"GBP": 2}
    assert treasurer.get("/members/nobody/statement").status_code == 404


@pytest.mark.parametrize(
    ("file", "first"),
    [
        (
            f"/nights/{NIGHT}/settlement.csv",
            [NIGHT, "2026-11-03", "old", "ann", "Ann", "5", "0", "-4", "-8", "10", "2", "GBP"],
        ),
        (f"/nights/{NIGHT}/transfers.csv", [NIGHT, "cal", "Cal", "ann", "Ann", "2", "GBP", "0", "open"]),
        ("/members/ann/statement.csv", ["2026-11-03", NIGHT, "", "paid in", "10", "10", "GBP"]),
    ],
)  # fmt: skip
def test_files_open_as_they_should(treasurer: Caller, file: str, first: list[str]) -> None:
    plain = treasurer.get(file)
    assert plain.content_type == "text/csv; charset=utf-8"
    rows = list(csv.reader(io.StringIO(plain.get_data(as_text=True), newline="")))
    assert rows[1] == first
    german = treasurer.get(f"{file}?profile=excel-eu").get_data()
    assert german.startswith(b"\xef\xbb\xbf")
    assert list(csv.reader(io.StringIO(german.decode("utf-8-sig"), newline=""), delimiter=";")) == rows
    tag = plain.headers["ETag"]
    assert treasurer.get(file, headers={"If-None-Match": tag}).status_code == 304
    assert treasurer.get(f"{file}?profile=lotus").status_code == 422


def test_money_is_the_treasurers(caller: CallerOf) -> None:
    refused = caller("scorekeeper").send("RecordPayment", None, **{"from": "cal", "to": "till", "amount": 6})
    assert (refused.status_code, refused.get_json()["role"]) == (403, "treasurer")


def test_what_everybody_did(caller: CallerOf) -> None:
    rows = caller("viewer").read("/stats")["members"]
    assert {row["id"]: (row["hands"], row["bids"], row["made"], row["peeks"]) for row in rows} == {
        "ann": (1, 0, 0, 1),
        "bob": (1, 1, 1, 0),
        "cal": (1, 0, 0, 0),
    }
    (bob,) = (row for row in rows if row["id"] == "bob")
    assert (bob["best"], bob["worst"], bob["pools"]) == (6, 0, 0)
    assert caller("viewer").get("/stats?season=none").status_code == 404
