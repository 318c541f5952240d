"""The commands that keep a book: what they do, what they print, what they refuse, and with what exit code."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from tests.cli.book import NIGHT, apply, command, data, kittybook, open_night, record

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.usefixtures("folder")


# init


def test_init_makes_a_store_and_says_what_to_do_next(folder: Path) -> None:
    told = kittybook("init", "--club", "Łódź & Sons’ Nap").stdout
    assert told.startswith("Made kittybook.db and began the book of Łódź & Sons’ Nap in it, as lodz-sons-nap.")
    assert "kittybook member add" in told
    assert (folder / "kittybook.db").stat().st_mode & 0o777 == 0o600
    assert data("member", "list", "--json") == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--club", "Нап"], "slug"),
        (["--club", " "], "slug"),
        (["--club", "A", "--slug", "Not An Id"], "club must be an id"),
        (["--club", "A", "--slug", "a+b"], "club must be an id"),
        (["--club", "A", "--zone", "Mars"], "zone must be a time zone"),
        (["--club", "A", "--zone", "../etc"], "zone must be a time zone"),
        (["--club", "A", "--cut-off", "25:00"], "cut_off must be a time of day"),
        (["--club", "A", "--currency", "GBP"], "--chip"),
        (["--club", "A", "--chip", "10"], "--currency"),
        (["--club", "A", "--currency", "pounds", "--chip", "10"], "money.currency must be an ISO code"),
        (["--club", "A", "--currency", "GBP", "--chip", "0"], "money.chip must be between"),
        (["--club", "A", "--currency", "GBP", "--chip", "x"], "chip"),
        (["--club", "A", "--db", "no/such/folder.db"], "no such folder"),
        (["--club", "A", "--db", "postgresql://localhost/book"], "not in this release"),
        ([], "--club"),
    ],
)
def test_init_refuses_bad_usage_and_leaves_no_file(folder: Path, options: list[str], says: str) -> None:
    result = kittybook("init", *options, code=2)
    assert says in result.stderr
    assert result.stdout == ""
    assert list(folder.iterdir()) == []


def test_init_refuses_a_club_that_is_there_and_a_second_one_unless_it_is_meant() -> None:
    kittybook("init", "--club", "One", "--currency", "GBP", "--chip", "10")
    assert "a book of one here already" in kittybook("init", "--club", "One", code=1).stderr
    assert "--another" in kittybook("init", "--club", "Two", code=1).stderr
    kittybook("init", "--club", "Two", "--another")
    assert "a book of one, two here already" in kittybook("init", "--club", "Two", "--another", code=1).stderr


def test_init_finishes_what_was_cut_off() -> None:
    kittybook("init", "--club", "One")
    with sqlite3.connect("kittybook.db") as connection:
        connection.execute("INSERT INTO clubs VALUES ('two', 0, ?, 'e')", ("0" * 64,))
    assert "run kittybook init again" in kittybook("member", "list", "--club", "two", code=1).stderr
    kittybook("init", "--club", "Two", "--another")
    assert data("member", "list", "--club", "two", "--json") == []


# Which store, which club


@pytest.mark.usefixtures("club")
def test_the_store_may_be_named_after_the_command_before_it_or_by_the_environment() -> None:
    os.rename("kittybook.db", "other.db")
    for args, env in (
        (["table", "list", "--db", "other.db"], None),
        (["--db", "other.db", "table", "list"], None),
        (["table", "list"], "other.db"),
        (["table", "list", "--db", "other.db"], "none.db"),
        (["--db", "other.db", "table", "list"], "none.db"),
    ):
        assert "tuesday" in kittybook(*args, env={"KITTYBOOK_DB": env}).stdout
    missing = kittybook("table", "list", code=1)
    assert missing.stderr.startswith("Error: There is no store at ")
    assert "kittybook init" in missing.stderr


def test_another_kind_of_store_is_not_in_this_release() -> None:
    for db in ("postgresql://localhost/book", "postgres://x", "mysql://x"):
        for args in (["table", "list", "--db", db], ["--db", db, "backup", "x"], ["demo", "--db", db]):
            result = kittybook(*args, code=2)
            assert "not in this release" in result.stderr
            assert len(result.stderr.splitlines()) == 1


@pytest.mark.usefixtures("club")
def test_a_store_of_several_clubs_asks_which() -> None:
    kittybook("init", "--club", "Two", "--another")
    assert "say which: --club club, two" in kittybook("member", "list", code=2).stderr
    assert len(data("member", "list", "--club", "club", "--json")) == 4
    assert data("member", "list", "--json", env={"KITTYBOOK_CLUB": "two"}) == []
    assert "no book of 'three'" in kittybook("member", "list", "--club", "three", code=1).stderr


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to be looked at" * 40])
def test_what_is_no_store_is_refused_in_one_sentence(folder: Path, content: bytes) -> None:
    (folder / "kittybook.db").write_bytes(content)
    result = kittybook("member", "list", code=1)
    assert len(result.stderr.splitlines()) == 1
    assert kittybook("member", "list", "--db", str(folder), code=1).stderr.startswith("Error: ")


# Members


@pytest.mark.usefixtures("club")
def test_members_are_added_renamed_archived_and_brought_back() -> None:
    assert kittybook("member", "add", " Zoë ").stdout == "Zoë is member 5, m5.\n"
    assert kittybook("member", "add", "Eve", "--number", "14", "--id", "eve").stdout == "Eve is member 14, eve.\n"
    kittybook("member", "rename", "m5", "Zoe")
    kittybook("member", "archive", "bob")
    members = data("member", "list", "--json")
    assert [member["id"] for member in members] == ["ann", "cal", "dot", "m5", "eve"]
    assert members[3] == {
        "id": "m5",
        "number": 5,
        "name": "Zoe",
        "archived": False,
        "erased": False,
        "alias_of": None,
    }
    assert "archived" in kittybook("member", "list", "--all").stdout
    kittybook("member", "restore", "bob")
    assert "Bob" in kittybook("member", "list").stdout


def test_who_is_merged_is_somebody_else_and_who_is_erased_is_a_number(night: str) -> None:
    kittybook("member", "add", "Robert", "--id", "robert")
    kittybook("member", "merge", "robert", "eve", code=1)
    assert "sits in" in kittybook("member", "merge", "ann", "robert", code=1).stderr
    kittybook("member", "merge", "robert", "bob")
    assert [one["alias_of"] for one in data("member", "list", "--all", "--json")] == [None] * 4 + ["bob"]
    assert kittybook("member", "erase", "bob").stdout == "bob is member 2 from now on.\n"
    apply(record(1, "bob", "three", True))
    assert "member 2" in kittybook("night", "show", night).stdout
    assert "Bob" not in kittybook("night", "show", night).stdout
    assert data("night", "show", night, "--json")["players"][1]["name"] == "member 2"
    assert {one["name"] for one in data("member", "list", "--all", "--json")} == {"Ann", "Cal", "Dot", "member 2"}
    assert "Robert" not in kittybook("export", "events").stdout


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["add", "  "], 2, "name is no name: it is empty"),
        (["add", "a\u202eb"], 2, "direction of writing"),
        (["add", "Pool", "--id", "pool"], 2, "reserved"),
        (["add", "Ann", "--id", "ann"], 1, "There is a member 'ann' already."),
        (["add", "Ann", "--number", "1"], 1, "Member number 1 is taken."),
        (["add", "Ann", "--number", "0"], 2, "number must be between"),
        (["rename", "zed", "Zed"], 1, "no member 'zed'"),
        (["restore", "ann"], 1, "ann is not archived."),
        (["merge", "ann", "ann"], 1, "ann is that member already."),
        (["add"], 2, "NAME"),
    ],
)
@pytest.mark.usefixtures("club")
def test_members_are_refused_in_one_sentence(args: list[str], code: int, says: str) -> None:
    assert says in kittybook("member", *args, code=code).stderr
    assert len(data("member", "list", "--all", "--json")) == 4


# Tables


@pytest.mark.usefixtures("club")
def test_tables_are_opened_changed_and_closed() -> None:
    told = kittybook("table", "open", "Sunday Pool", "--rulebook", "foster-pool-nap", "--stake", "2")
    assert told.stdout == "Sunday Pool is open, as sunday-pool, for foster-pool-nap.\n"
    kittybook("table", "open", "Пятница", "--rulebook", "rockets-pepper")
    kittybook("table", "open", "Tuesday", "--rulebook", "rockets-peep-nap", "--rule", "peek=2", "--id", "late")
    tables = {table["id"]: table for table in data("table", "list", "--json")}
    assert list(tables) == ["tuesday", "sunday-pool", "table-3", "late"]
    assert tables["late"]["house_rules"] == {"peek": 2}
    assert tables["sunday-pool"] | {"digest": ""} == {
        "id": "sunday-pool",
        "name": "Sunday Pool",
        "rulebook": "foster-pool-nap",
        "digest": "",
        "house_rules": {},
        "stake": 2,
        "unit": "chips:sunday-pool.1",
        "pool": 0,
        "money": None,
        "banker": "till",
        "open_night": None,
        "closed": False,
    }
    kittybook("table", "change", "late", "--no-rules", "--stake", "5", "--name", "Late", "--rulebook", "penny-nap")
    late = data("table", "list", "--json")[3]
    assert (late["name"], late["rulebook"], late["stake"], late["house_rules"]) == ("Late", "penny-nap", 5, {})
    kittybook("table", "close", "late")
    assert "late" not in kittybook("table", "list").stdout
    assert "closed" in kittybook("table", "list", "--all").stdout


def test_a_tables_pool_is_listed_and_goes_to_whom_it_is_given(night: str) -> None:
    apply(record(1, "bob", "three", True, peeks=["ann", "cal"]))
    assert data("table", "list", "--json")[0] | {"digest": ""} == data("table", "list", "--json")[0] | {"digest": ""}
    assert (data("table", "list", "--json")[0]["pool"], data("table", "list", "--json")[0]["open_night"]) == (2, night)
    kittybook("night", "close", night)
    assert "must be split" in kittybook("table", "close", "tuesday", "--pool", "carry", code=1).stderr
    kittybook("table", "close", "tuesday", "--pool", "dot")
    assert data("table", "list", "--all", "--json")[0]["pool"] == 0
    assert "pool shared,member:dot,chips:tuesday.1,2," in kittybook("export", "journal").stdout


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["open", "T", "--rulebook", "no-such"], 1, "There is no rulebook 'no-such'."),
        (["open", "T"], 2, "--rulebook"),
        (["open", "T", "--rulebook", "penny-nap", "--rule", "nonsense=1"], 1, "nonsense: penny-nap has no such switch"),
        (["open", "T", "--rulebook", "penny-nap", "--rule", "nonsense"], 2, "SWITCH=VALUE"),
        (["open", "T", "--rulebook", "penny-nap", "--id", "tuesday"], 1, "There is a table 'tuesday' already."),
        (["open", "T", "--rulebook", "penny-nap", "--stake", "0"], 2, "stake must be between"),
        (["change", "tuesday"], 2, "Say what to change"),
        (["change", "tuesday", "--rule", "peek=2", "--no-rules"], 2, "do not go together"),
        (["change", "tuesday", "--rulebook", "rockets-pepper"], 1, "another family of games"),
        (["change", "zed", "--stake", "2"], 1, "There is no table 'zed'."),
    ],
)
@pytest.mark.usefixtures("club")
def test_tables_are_refused_in_one_sentence(args: list[str], code: int, says: str) -> None:
    assert says in kittybook("table", *args, code=code).stderr


# Nights


def test_a_night_is_opened_shown_closed_and_opened_again(night: str) -> None:
    apply(record(1, "bob", "three", True, peeks=["ann", "cal"]), record(2, "cal", "nap", False, peeks=["dot"]))
    shown = kittybook("night", "show", night).stdout
    assert "1     Ann     Bob     three  made      -4   +9   -4   -3     2" in shown
    assert "pool: 3, grown since hand 1; fed by Ann 1, Cal 1, Dot 1" in shown
    assert "open; Cal deals hand 3" in shown
    closed = kittybook("night", "close", night).stdout
    receipt = closed.split()[-1]
    assert closed == f"{night} is closed, a pool of 3 left for the next. Receipt: {receipt}\n"
    assert f"closed; receipt {receipt}" in kittybook("night", "show", night).stdout
    assert kittybook("verify", "--night", night, "--receipt", receipt.lower()).stdout == "as signed\n"
    assert "is closed" in kittybook("night", "close", night, code=1).stderr
    kittybook("night", "reopen", night, "--reason", "One hand more.")
    assert kittybook("verify", "--night", night, "--receipt", receipt, code=1).stdout == "superseded\n"
    assert data("night", "list", "--json") == [
        {"night": night, "table": "tuesday", "date": "2026-11-24", "state": "open", "revision": 2, "corrections": 0}
    ]
    assert f"superseded: receipt {receipt} of revision 1" in kittybook("night", "show", night).stdout


def test_the_pool_waits_for_the_next_night_which_says_what_it_began_with(night: str) -> None:
    apply(record(1, "bob", "three", True, peeks=["ann", "cal"]))
    kittybook("night", "close", night)
    opened = kittybook("night", "open", "--table", "tuesday", "--players", "ann, bob", "--dealer", "bob").stdout
    assert opened.endswith("is open, with a pool of 2 brought forward.\n")
    later = opened.split()[0]
    assert "pool brought forward 2" in kittybook("night", "show", later).stdout
    assert "brought forward" in kittybook("night", "explain", later, "--account", "pool").stdout
    told = kittybook("night", "close", later, "--pool", "split").stdout
    assert f"{later} is closed, 2 of the pool shared out. Receipt: " in told
    assert "pool shared" in kittybook("night", "show", later).stdout


@pytest.mark.usefixtures("club")
def test_a_night_may_begin_with_other_rules_than_its_table() -> None:
    kittybook(
        *("night", "open", "--table", "tuesday", "--players", "ann,bob,cal", "--dealer", "cal", "--id", "special"),
        *("--stake", "3", "--rulebook", "rockets-pool-nap", "--rule", "opening_stake=4"),
    )
    state = data("night", "show", "special", "--json")
    assert state["rulebook"]["id"] == "rockets-pool-nap"
    assert (state["rulebook"]["stake"], state["rulebook"]["house_rules"]) == (3, {"opening_stake": 4})


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["open", "--table", "zed", "--players", "ann,bob", "--dealer", "ann"], 1, "There is no table 'zed'."),
        (["open", "--table", "tuesday", "--players", "ann,bob", "--dealer", "ann"], 1, "has an open night already"),
        (["show", "zed"], 1, "There is no night 'zed'."),
        (["show", "Not An Id"], 1, "There is no night"),
        (["hands", "zed"], 1, "There is no night 'zed'."),
        (["explain", "zed", "--account", "ann"], 1, "There is no night 'zed'."),
        (["explain", NIGHT, "--account", "zed"], 1, "zed did not sit in"),
        (["explain", NIGHT], 2, "--account"),
        (["close", "zed"], 1, "There is no night 'zed'."),
        (["close", NIGHT, "--pool", "zed"], 1, "zed is not in this hand"),
        (["reopen", NIGHT, "--reason", "x"], 1, "is open"),
        (["reopen", NIGHT], 2, "--reason"),
        (["list", "--table", "zed"], 1, "There is no table 'zed'."),
        (["open", "--table", "tuesday", "--players", "ann", "--dealer", "ann", "--date", "soon"], 2, "date must be"),
    ],
)
@pytest.mark.usefixtures("night")
def test_nights_are_refused_in_one_sentence(args: list[str], code: int, says: str) -> None:
    assert says in kittybook("night", *args, code=code).stderr


def test_a_night_as_data_is_the_state_of_the_contract(night: str) -> None:
    bid = command("Bid", hand=1, player="bob", bid="three")
    apply(command("Peek", hand=1, player="cal"), bid)
    state = data("night", "show", night, "--json")
    actions = state.pop("actions")
    assert list(state) == [
        *("club", "night", "table", "date", "state", "revision", "version", "position", "epoch", "as_of"),
        *("backed_up_to", "rulebook", "unit", "money", "banker", "players", "dealer", "pool", "hand", "teams"),
        *("scores", "games", "undo", "hands_played", "disputed", "needs_review", "receipt", "superseded"),
        *("moves", "ladder", "deal", "so_far"),
    ]
    assert state["backed_up_to"] is None
    assert state["pool"] == {"chips": 1, "since_hand": 1, "fed_by": {"cal": 1}, "would_pay": 1}
    assert state["hand"] == {
        "number": 1,
        "phase": "auction",
        "turn": "cal",
        "peeks": ["cal"],
        "bids": [["bob", "three"]],
        "standing": {"player": "bob", "bid": "three"},
    }
    who = {"id": "cal", "name": "Cal", "seat": 3, "seated": True}
    chips = {"balance": -1, "stack": -1, "bought": 0, "sold": 0}
    assert state["players"][2] == {**who, **chips, "paid_in": 0, "paid_out": 0}
    assert (state["money"], state["banker"]) == (None, "till")
    assert state["undo"]["command"] == bid["id"]
    assert {"type": "Pass", "data": {"hand": 1, "player": "cal"}, "label": "Cal passes"} in actions
    assert [action["data"]["bid"] for action in actions if action["type"] == "Bid"] == ["misere", "four", "nap"]


def test_corrections_disputes_and_voids_are_marked(night: str) -> None:
    apply(
        record(1, "bob", "nap", False, peeks=["ann"], note="Bob\nthought again."),
        record(2, "cal", "nap", True, peeks=["dot"]),
        record(3, "dot", "two", True),
        command("CorrectHand", hand=1, facts={"bidder": "bob", "bid": "nap", "made": True}, reason="Miscounted."),
        command("VoidHand", hand=3, reason="Wrong pack."),
        command("Dispute", hand=2, note="No."),
        command("BuyIn", player="ann", chips=20),
        command("CountChips", counts={"ann": 5, "pool": 1}, gap="shortage"),
    )
    shown = kittybook("night", "show", night).stdout
    assert [line.split()[0] for line in shown.splitlines()[3:6]] == ["1*", "2?", "3"]
    assert "taken out" in shown
    assert "counted" in shown
    assert "* corrected, ? disputed" in shown
    assert "chips: Ann bought 20, sold 0, has 5" in shown
    hands = kittybook("night", "hands", night).stdout
    assert "note: Bob thought again." in hands
    assert "corrected 20" in hands
    assert "     disputed" in hands
    rows = data("night", "hands", night, "--json")
    assert [row["status"] for row in rows] == ["settled", "settled", "void"]
    assert rows[0]["note"] == "Bob\nthought again."
    assert len(rows[0]["corrections"]) == 1


def test_the_columns_of_a_shown_night_sum_to_its_balances(night: str) -> None:
    apply(
        record(1, "bob", "nap", False, peeks=["ann"]),
        command("CountChips", counts={"ann": 3, "pool": 5}, gap="shortage"),
        record(2, "cal", "nap", True, peeks=["dot"]),
        record(3, "dot", "two", True, peeks=["ann", "bob", "cal"]),
    )
    kittybook("night", "close", night, "--pool", "split")
    rows = kittybook("night", "show", night).stdout.splitlines()[3:]
    rule = next(index for index, line in enumerate(rows) if line.startswith("---"))
    cells = [[int(cell) if cell.strip() else 0 for cell in _last(line, 5)] for line in rows[:rule]]
    balance = [int(cell) for cell in rows[rule + 1].split()[1:]]
    assert [sum(column) for column in zip(*[row[:4] for row in cells], strict=True)] == balance[:4]
    assert cells[-1][4] == balance[4] == 0


def _last(line: str, columns: int) -> list[str]:
    """The last columns of a line of a table whose numbers are four wide, with two spaces between."""
    width = 5
    return [
        line[len(line) - width * (columns - index) - 1 : len(line) - width * (columns - index - 1)][1:]
        for index in range(columns)
    ]


@pytest.mark.usefixtures("club")
def test_two_of_one_name_are_told_apart() -> None:
    kittybook("member", "add", "Ann")
    night = open_night("ann,bob,m5")
    apply(record(1, "m5", "two", True, night=night))
    shown = kittybook("night", "show", night).stdout
    assert "Ann (ann)" in shown
    assert "Ann (m5)" in shown


def test_an_explanation_sums_to_the_balance(night: str) -> None:
    apply(record(1, "bob", "nap", False, peeks=["ann"]), record(2, "cal", "nap", True, peeks=["dot"]))
    told = data("night", "explain", night, "--account", "cal", "--json")
    assert told["total"] == sum(line["change"] for line in told["lines"]) == 37
    assert data("night", "show", night, "--json")["players"][2]["balance"] == 37
    text = kittybook("night", "explain", night, "--account", "cal").stdout
    assert text.startswith("Cal, in chips:tuesday.1\n")
    assert text.rstrip().endswith("37")


@pytest.mark.usefixtures("club")
def test_pepper_is_shown_by_teams_and_games() -> None:
    kittybook("table", "open", "Pepper", "--rulebook", "rockets-pepper", "--rule", "score.target=10")
    night = open_night(table="pepper")
    hands = [
        command("RecordHand", night, hand=number, bidder="bob", bid="six", tricks=6, trumps="hearts")
        for number in (1, 2, 3)
    ]
    assert [verdict["status"] for verdict in apply(*hands)] == ["recorded"] * 3
    shown = kittybook("night", "show", night).stdout
    assert "Ann+Cal  Bob+Dot" in shown
    assert "game 1: Bob+Dot won with hand 2" in shown
    assert "pool" not in shown
    assert "Bob+Dot +6" in kittybook("night", "hands", night).stdout
    state = data("night", "show", night, "--json")
    assert state["scores"] == {"ann+cal": -6, "bob+dot": 6}
    assert state["teams"] == {"ann+cal": ["ann", "cal"], "bob+dot": ["bob", "dot"]}
