"""Money on the command line: payments, who pays whom, and files for spreadsheets, looked at as bytes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from ledger.exports.spreadsheets import unguarded
from tests.cli.book import apply, command, data, kittybook, open_night, record

NIGHT = "tuesday-2026-11-24"
NAMES = {
    "eq": "=1+1",
    "at": "@SUM(A1)",
    "plus": "+44",
    "lee": "-Lee",
    "obrien": "O'Brien",
    "zoe": "👨‍👩‍👧 Zoë;Müller, Loß",
}
BOM = b"\xef\xbb\xbf"
COLUMNS = "night,date,table,player_id,player,bought,cashed_out,result_chips,result_minor,paid_minor,open_minor,currency"


@pytest.fixture
def harbour(folder: Path) -> Path:
    """A club that keeps money, whose members have names that nobody would choose, and a table."""
    kittybook("init", "--club", "=The Harbour", "--slug", "harbour", "--currency", "GBP", "--chip", "10")
    for member, name in NAMES.items():
        kittybook("member", "add", "--id", member, "--", name)
    kittybook("table", "open", "=Tuesday", "--id", "tuesday", "--rulebook", "rockets-peep-nap")
    return folder


@pytest.fixture
def closed(harbour: Path) -> Path:
    """A night of it: O'Brien's Three, made; Zoë paid 200 for her chips, peeked, and had 60 back."""
    open_night(",".join(NAMES))
    apply(
        command("BuyIn", NIGHT, player="zoe", chips=20, paid=200),
        command("BuyIn", NIGHT, player="obrien", chips=30),
        record(1, "obrien", "three", True, NIGHT, peeks=["zoe"]),
        command("CashOut", NIGHT, player="zoe", chips=6, paid=60),
    )
    kittybook("night", "close", NIGHT)
    return harbour


def raw(*args: str, code: int = 0) -> bytes:
    return kittybook("export", *args, code=code).stdout_bytes


def table(*args: str) -> list[dict[str, str]]:
    """Return what an export writes for machines, by column."""
    return list(csv.DictReader(io.StringIO(raw(*args).decode(), newline="")))


# settlement.csv


def settled(delimiter: str) -> bytes:
    rows = [
        COLUMNS.replace(",", delimiter),
        *(
            delimiter.join([NIGHT, "2026-11-24", "tuesday", member, name, bought, out, chips, minor, paid, left, "GBP"])
            for member, name, bought, out, chips, minor, paid, left in (
                ("eq", "'=1+1", "0", "0", "-3", "-30", "0", "-30"),
                ("at", "'@SUM(A1)", "0", "0", "-3", "-30", "0", "-30"),
                ("plus", "'+44", "0", "0", "-3", "-30", "0", "-30"),
                ("lee", "'-Lee", "0", "0", "-3", "-30", "0", "-30"),
                ("obrien", "O'Brien", "30", "0", "15", "150", "0", "150"),
                ("zoe", f'"{NAMES["zoe"]}"', "20", "6", "-4", "-40", "140", "100"),
            )
        ),
    ]
    return "".join(f"{row}\r\n" for row in rows).encode()


@pytest.mark.usefixtures("closed")
def test_a_settlement_in_each_profile_byte_for_byte() -> None:
    assert raw("settlement") == settled(",")
    assert raw("settlement", "--profile", "machine", "--night", NIGHT) == settled(",")
    assert raw("settlement", "--profile", "excel-us") == BOM + settled(",")
    assert raw("settlement", "--profile", "excel-eu") == BOM + settled(";")


@pytest.mark.parametrize("what", ["settlement", "transfers", "statement"])
def test_what_a_german_excel_reads(what: str, closed: Path) -> None:
    """A mark says that it is UTF-8; cells stand between semicolons, numbers are numbers, text is never a formula."""
    kittybook("payment", "record", "lee", "zoe", "0.10")
    more = ["--member", "lee"] if what == "statement" else []
    kittybook("export", what, *more, "--profile", "excel-eu", "--out", "file.csv")
    text = (closed / "file.csv").read_bytes()
    assert text.startswith(BOM)
    assert text.count(b"\r\n") == text.count(b"\n") == text.count(b"\r")
    assert b"sep=" not in text
    with open(closed / "file.csv", encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file, delimiter=";")
    machine = table(what, *more)
    assert rows
    assert [dict(zip(head, row, strict=True)) for row in rows] == machine
    for row in machine:
        for key, cell in row.items():
            if key in ("player", "from", "to"):
                assert unguarded(cell) in {*NAMES.values(), "the till"}
            elif key.endswith(("_minor", "_chips")) or key in ("change", "balance", "bought", "cashed_out"):
                assert str(int(cell)) == cell
            else:
                assert cell[:1] not in {"=", "+", "-", "@", "'", "\t"}


@pytest.mark.usefixtures("harbour")
def test_a_tab_or_a_space_does_not_hide_a_formula() -> None:
    """Names are trimmed; within one there is no tab."""
    assert "is no name" in kittybook("member", "add", "=1\t+1", "--id", "within", code=2).stderr
    kittybook("member", "add", "\t=1+1", "--id", "tab")
    kittybook("member", "add", " =2 ", "--id", "space")
    open_night("tab,space,at")
    assert [row["player"] for row in table("settlement", "--night", NIGHT)] == ["'=1+1", "'=2", "'@SUM(A1)"]


@pytest.mark.usefixtures("closed")
def test_a_closed_night_keeps_its_settlement_whatever_comes_after() -> None:
    facts = {"bidder": "obrien", "bid": "nap", "made": True, "peeks": ["zoe"]}
    apply(
        command("CorrectClosedHand", None, night=NIGHT, hand=1, facts=facts, reason="It was a Nap."),
        command("ChargeTable", None, night=NIGHT, amount_each=50, reason="Tea"),
        command("PostAdjustment", None, **{"from": "eq"}, to="at", amount=5, reason="A bet", night=NIGHT),
        command("CountCash", None, amount=0),
        command("ChangeTable", None, table="tuesday", money={"currency": "EUR", "chip": 7}, pool="split"),
    )
    kittybook("payment", "record", "lee", "obrien", "3", "--night", NIGHT)
    kittybook("table", "close", "tuesday")
    assert raw("settlement", "--night", NIGHT) == settled(",")


@pytest.mark.usefixtures("closed")
def test_names_are_those_of_today_and_amounts_those_of_the_close() -> None:
    kittybook("member", "rename", "lee", "=Lee")
    kittybook("member", "erase", "eq")
    renamed = settled(",").replace(b"'-Lee", b"'=Lee").replace(b"'=1+1", b"member 1")
    assert raw("settlement", "--night", NIGHT) == renamed


@pytest.mark.usefixtures("harbour")
def test_an_open_night_has_a_settlement_as_it_stands() -> None:
    open_night("eq,at,plus")
    apply(record(1, "at", "two", True, NIGHT))
    assert [row["open_minor"] for row in table("settlement", "--night", NIGHT)] == ["-20", "40", "-20"]
    assert table("settlement") == []


# transfers.csv


@pytest.mark.usefixtures("closed")
def test_transfers_say_what_was_paid_and_what_is_still_to_be() -> None:
    """Open are 150 of O'Brien's and 100 of Zoë's; four owe 30 each, and the till has 140 less the pool's 10."""
    before = table("transfers", "--night", NIGHT)
    assert {row["status"] for row in before} == {"open"}
    assert sum(int(row["amount_minor"]) for row in before) == 250
    assert {row["currency"] for row in before} == {"GBP"}
    kittybook("payment", "record", "lee", "obrien", "0.30")
    kittybook("payment", "record", "till", "zoe", "0.40")
    twice = kittybook("payment", "record", "plus", "obrien", "0.30").stdout.split()[-1]
    kittybook("payment", "reverse", twice, "--reason", "It bounced.")
    rows = {(row["from_id"], row["to_id"]): row for row in table("transfers", "--policy", "banker")}
    told = {
        key: (int(row["paid_minor"]), row["status"]) for key, row in rows.items() if row["status"] in ("paid", "part")
    }
    assert told == {("lee", "obrien"): (30, "paid"), ("till", "zoe"): (40, "part")}
    assert rows["till", "zoe"]["amount_minor"] == "100"
    assert rows["lee", "obrien"]["from"] == "'-Lee"
    assert rows["till", "zoe"]["from"] == "the till"
    assert {key: int(row["amount_minor"]) for key, row in rows.items() if row["status"] == "open"} == {
        ("eq", "till"): 30,
        ("at", "till"): 30,
        ("plus", "till"): 30,
        ("till", "obrien"): 120,
    }
    assert sum(int(row["amount_minor"]) for row in table("transfers")) == 250
    whole = raw("transfers", "--profile", "excel-eu")
    assert whole.startswith(BOM + b"night;from_id;from;to_id;to;amount_minor;currency;paid_minor;status\r\n")
    assert f"{NIGHT};lee;'-Lee;obrien;O'Brien;30;GBP;30;paid\r\n".encode() in whole


@pytest.mark.usefixtures("closed")
def test_what_was_paid_between_two_who_are_one_is_no_transfer() -> None:
    kittybook("member", "add", "Lee again", "--id", "lee2")
    kittybook("payment", "record", "lee", "lee2", "0.30")
    kittybook("member", "merge", "lee2", "lee")
    assert all(row["from_id"] != row["to_id"] for row in table("transfers"))
    assert [row["payment"] for row in data("payment", "list", "--member", "lee2", "--json")]


# statement.csv


@pytest.mark.usefixtures("closed")
def test_a_statement_sums_to_the_account_line_by_line() -> None:
    kittybook("payment", "record", "till", "zoe", "1.20", "--date", "2026-11-25")
    assert raw("statement", "--member", "zoe").decode() == (
        "date,night,hand,memo,change,balance,unit\r\n"
        f"2026-11-24,{NIGHT},,paid in,200,200,GBP\r\n"
        f"2026-11-24,{NIGHT},1,peek,-10,190,GBP\r\n"
        f"2026-11-24,{NIGHT},1,three,-30,160,GBP\r\n"
        f"2026-11-24,{NIGHT},,paid out,-60,100,GBP\r\n"
        "2026-11-25,,,payment,-120,-20,GBP\r\n"
    )
    assert raw("statement", "--member", "zoe", "--profile", "excel-us").startswith(BOM + b"date,night,")
    assert raw("statement", "--member", "zoe", "--profile", "excel-eu").startswith(BOM + b"date;night;")
    assert [row["balance"] for row in table("statement", "--member", "eq")] == ["-30"]


@pytest.mark.usefixtures("closed")
def test_what_cannot_be_exported() -> None:
    assert "no member" in kittybook("export", "statement", "--member", "zed", code=1).stderr
    assert "--member" in kittybook("export", "statement", code=2).stderr
    assert "no night" in kittybook("export", "settlement", "--night", "zed", code=1).stderr
    assert "no season" in kittybook("export", "transfers", "--season", "zed", code=1).stderr
    assert "--profile" in kittybook("export", "transfers", "--profile", "excel", code=2).stderr
    open_night("eq,at", date="2026-12-01")
    assert "is open" in kittybook("export", "transfers", "--night", "tuesday-2026-12-01", code=1).stderr
    Path("there.csv").write_text("mine", encoding="utf-8")
    kittybook("export", "settlement", "--out", "there.csv", code=1)
    assert Path("there.csv").read_text(encoding="utf-8") == "mine"


# Payments


@pytest.mark.usefixtures("closed")
def test_a_payment_is_recorded_listed_and_reversed_once() -> None:
    told = kittybook("payment", "record", "lee", "obrien", "0.2", "--method", "=cash", "--date", "2026-11-26").stdout
    payment = told.split()[-1]
    assert told == f"-Lee paid O'Brien 0.20 GBP: {payment}\n"
    row = {
        "payment": payment,
        "date": "2026-11-26",
        "from": "lee",
        "from_name": "-Lee",
        "to": "obrien",
        "to_name": "O'Brien",
        "amount": 20,
        "unit": "GBP",
        "nights": [{"night": NIGHT, "amount": 20}],
        "method": "=cash",
        "reversed": False,
    }
    assert data("payment", "list", "--json") == [row]
    assert data("payment", "list", "--member", "eq", "--json") == []
    assert kittybook("payment", "reverse", payment, "--reason", "It bounced.").stdout == f"{payment} is reversed.\n"
    assert data("payment", "list", "--member", "lee", "--json") == [{**row, "reversed": True}]
    (_head, _line, listed) = kittybook("payment", "list").stdout.splitlines()
    assert listed.split() == ["2026-11-26", payment, "-Lee", "O'Brien", "reversed", "0.20", "GBP"]
    assert "reversed already" in kittybook("payment", "reverse", payment, "--reason", "x", code=1).stderr


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["lee", "zed", "1"], 1, "no member 'zed'"),
        (["lee", "lee", "1"], 1, "cannot pay himself"),
        (["lee", "till", "1", "--night", "zed"], 1, "no night"),
        (["lee", "till", "0"], 2, "amount must be between"),
        (["lee", "till", "10000000.01"], 2, "amount must be between"),
        (["lee", "till", "1", "--date", "soon"], 2, "date must be"),
        *(
            (["lee", "till", wrong], 2, "is no amount such as 12.50")
            for wrong in ("1,50", "1.005", "1e3", "１", "", "x")
        ),
        (["lee", "till"], 2, "AMOUNT"),
    ],
)
@pytest.mark.usefixtures("closed")
def test_payments_are_refused_in_one_sentence(args: list[str], code: int, says: str) -> None:
    assert says in kittybook("payment", "record", *args, code=code).stderr
    assert data("payment", "list", "--json") == []


@pytest.mark.usefixtures("closed")
def test_an_id_that_is_no_payment() -> None:
    unknown = "00000000-0000-4000-8000-00000000ffff"
    assert "no payment" in kittybook("payment", "reverse", unknown, "--reason", "x", code=1).stderr
    assert "UUID" in kittybook("payment", "reverse", "7", "--reason", "x", code=2).stderr
    assert "--reason" in kittybook("payment", "reverse", unknown, code=2).stderr
    assert "no member" in kittybook("payment", "list", "--member", "zed", code=1).stderr


@pytest.mark.usefixtures("harbour")
@pytest.mark.parametrize(
    ("currency", "amount", "minor", "told", "wrong"),
    [
        ("JPY", "300", 300, "300", "3.5"),
        ("KWD", "1.25", 1250, "1.250", "1.2345"),
        ("EUR", "12", 1200, "12.00", "1.234"),
    ],
)
def test_an_amount_is_read_in_the_currency_that_is_owed(
    currency: str, amount: str, minor: int, told: str, wrong: str
) -> None:
    """The club counts in pounds, and this table in something else; 12 is never 12 of the smallest coins."""
    money = {"currency": currency, "chip": 100}
    apply(command("OpenTable", None, table="other", name="Other", rulebook="rockets-peep-nap", money=money))
    open_night("eq,at,plus", table="other")
    apply(record(1, "at", "nap", True, "other-2026-11-24"))
    kittybook("night", "close", "other-2026-11-24")
    assert kittybook("settle").stdout.splitlines()[0] == currency
    assert "is no amount" in kittybook("payment", "record", "plus", "at", wrong, code=2).stderr
    said = kittybook("payment", "record", "plus", "at", amount).stdout
    assert said.startswith(f"+44 paid @SUM(A1) {told} {currency}: ")
    assert [(row["amount"], row["unit"]) for row in data("payment", "list", "--json")] == [(minor, currency)]
    assert " paid O'Brien 2.00 GBP: " in kittybook("payment", "record", "lee", "obrien", "2").stdout


@pytest.mark.usefixtures("club")
def test_a_table_with_money_in_a_club_without() -> None:
    money = {"currency": "GBP", "chip": 10}
    apply(command("OpenTable", None, table="gb", name="Pounds", rulebook="rockets-peep-nap", money=money))
    open_night("ann,bob,cal", table="gb")
    apply(record(1, "bob", "nap", True, "gb-2026-11-24"))
    kittybook("night", "close", "gb-2026-11-24")
    assert kittybook("payment", "record", "ann", "bob", "1").stdout.startswith("Ann paid Bob 1.00 GBP: ")
    assert kittybook("settle").stdout == "GBP\n  Cal pays Bob 1.00\n"


@pytest.mark.usefixtures("club")
def test_chips_are_paid_as_chips() -> None:
    night = open_night("ann,bob,cal")
    apply(record(1, "bob", "three", True))
    kittybook("night", "close", night)
    assert "is no amount such as 1250" in kittybook("payment", "record", "ann", "bob", "1.5", code=2).stderr
    assert kittybook("payment", "record", "ann", "bob", "3").stdout.startswith("Ann paid Bob 3 chips:tuesday.1: ")
    assert kittybook("settle").stdout == "chips:tuesday.1\n  Cal pays Bob 3\n"
    (row, *_) = table("settlement")
    assert (row["result_chips"], row["result_minor"], row["paid_minor"], row["open_minor"], row["currency"]) == (
        "-3",
        *("", "", "", ""),
    )


@pytest.mark.usefixtures("club")
def test_two_of_one_name_are_told_apart() -> None:
    for member in ("sam", "sam2"):
        kittybook("member", "add", "Sam", "--id", member)
    night = open_night("sam,sam2,ann")
    apply(*(record(hand, "sam", "four", True) for hand in (1, 2, 3)))
    kittybook("night", "close", night)
    assert kittybook("settle").stdout == "chips:tuesday.1\n  Ann pays Sam (sam) 12\n  Sam (sam2) pays Sam (sam) 12\n"
    assert kittybook("payment", "record", "sam2", "sam", "12").stdout.startswith("Sam (sam2) paid Sam (sam) 12 ")
    assert "Sam (sam2)  Sam (sam)" in kittybook("payment", "list").stdout


# Who pays whom, in money


@pytest.mark.usefixtures("closed")
def test_who_pays_whom_in_money() -> None:
    (row,) = data("settle", "--json")
    assert row["unit"] == "GBP"
    assert row["balances"] == {"eq": -30, "at": -30, "plus": -30, "lee": -30, "obrien": 150, "zoe": 100, "till": -130}
    assert row["carried"] == {}
    net: dict[str, int] = {}
    for one in row["transfers"]:
        assert one["amount"] > 0
        net[one["from"]] = net.get(one["from"], 0) - one["amount"]
        net[one["to"]] = net.get(one["to"], 0) + one["amount"]
    assert net == row["balances"]
    banker = kittybook("settle", "--policy", "banker", "--night", NIGHT).stdout
    assert banker.splitlines() == [
        "GBP",
        *(f"  {NAMES[member]} pays the till 0.30" for member in ("at", "eq", "lee", "plus")),
        "  the till pays O'Brien 1.50",
        f"  the till pays {NAMES['zoe']} 1.00",
    ]
    assert "no member 'zed'" in kittybook("settle", "--banker", "zed", "--policy", "banker", code=1).stderr
    small = kittybook("settle", "--policy", "threshold", "--threshold", "31").stdout
    assert f"  {NAMES['lee']}: -0.30 is carried\n" in small
    assert "  the till: +1.20 is carried\n" in small


@pytest.mark.usefixtures("closed")
def test_a_night_is_settled_when_everybody_has_paid() -> None:
    assert data("night", "list", "--json")[0]["state"] == "closed"
    for one in json.loads(kittybook("settle", "--json").stdout)[0]["transfers"]:
        kittybook("payment", "record", one["from"], one["to"], f"{one['amount'] / 100:.2f}")
    assert kittybook("settle").stdout == "Nothing is open.\n"
    assert data("night", "show", NIGHT, "--json")["state"] == "settled"
    assert data("night", "list", "--json")[0]["state"] == "settled"
    assert {row["status"] for row in table("transfers")} == {"paid"}
    assert (
        "it was paid already; reverse that payment first"
        in kittybook("night", "reopen", NIGHT, "--reason", "x", code=1).stderr
    )
