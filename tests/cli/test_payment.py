"""`kittybook payment`: amounts as people write them, in the right unit."""

from __future__ import annotations

import pytest

from tests.cli.book import apply, command, data, kittybook, open_night, record

pytestmark = pytest.mark.usefixtures("folder")


def test_a_payment_is_in_the_unit_in_which_something_is_open() -> None:
    """Yen have no pence: 500 that Ann owes in yen are not 50000, though the club counts in pounds."""
    kittybook("init", "--club", "The Club", "--slug", "club", "--currency", "GBP", "--chip", "10")
    for name in ("Ann", "Bob"):
        kittybook("member", "add", name, "--id", name.lower())
    yen = {"currency": "JPY", "chip": 100}
    apply(command("OpenTable", None, table="yen", name="Yen", rulebook="rockets-peep-nap", money=yen))
    night = open_night("ann,bob", table="yen")
    apply(record(1, "bob", "three", True, night))
    kittybook("night", "close", night)
    kittybook("payment", "record", "ann", "bob", "12.50", code=2)
    assert "paid Bob 100 JPY" in kittybook("payment", "record", "ann", "bob", "100").stdout
    assert [(one["amount"], one["unit"]) for one in data("payment", "list", "--json")] == [(100, "JPY")]


def test_a_currency_keeps_its_decimals_when_no_table_counts_in_it_any_more() -> None:
    kittybook("init", "--club", "The Club", "--slug", "club", "--currency", "GBP", "--chip", "10")
    for name in ("Ann", "Bob"):
        kittybook("member", "add", name, "--id", name.lower())
    dinars = {"currency": "KWD", "chip": 1500}
    apply(command("OpenTable", None, table="kwd", name="Dinars", rulebook="rockets-peep-nap", money=dinars))
    night = open_night("ann,bob", table="kwd")
    apply(record(1, "bob", "three", True, night))
    kittybook("night", "close", night)
    apply(command("ChangeTable", None, table="kwd", money={"currency": "GBP", "chip": 10}))
    assert "4.500" in kittybook("settle").stdout
    assert "paid Bob 1.500 KWD" in kittybook("payment", "record", "ann", "bob", "1.500", "--night", night).stdout
    assert "1.500 KWD" in kittybook("payment", "list").stdout
