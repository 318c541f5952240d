"""The golden month: what five nights with money come to, worked out by hand in ``month/working.md``.

``month/commands.jsonl`` is played into a fresh book, and at ten moments everything that a treasurer can see of the
money is compared with ``month/expected.json``. Whoever finds a difference decides with a pencil who is right.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from ledger.codec import imbalances
from ledger.service import Ledger, Sender, night_stream, read_request
from ledger.store import CLUB, EventStore, Recorded
from ledger.stores import SqliteStore
from tests.cli.book import kittybook

pytestmark = pytest.mark.dates

MONTH: Final = Path(__file__).parent / "month"
EXPECTED: Final[dict[str, Any]] = json.loads((MONTH / "expected.json").read_text(encoding="utf-8"))
CHECKPOINTS: Final[list[dict[str, Any]]] = EXPECTED["checkpoints"]
NIGHTS: Final[dict[str, dict[str, Any]]] = EXPECTED["nights"]
GBP: Final = "GBP"
SLUG: Final = "month"
COLUMNS: Final = (
    "night,date,table,player_id,player,bought,cashed_out,result_chips,result_minor,paid_minor,open_minor,currency"
)

Accounts = dict[str, dict[str, int]]
"""By account and unit, zeros left out."""

Payment = tuple[str, str, int]


@dataclass(kw_only=True)
class Moment:
    """All that is seen of the book at a checkpoint. ``open`` is what is left to settle, by night and party."""

    club: Accounts
    nights: dict[str, Accounts]
    open: dict[str, dict[str, int]]
    all: dict[str, int]
    settlements: dict[str, list[str]]


@dataclass(kw_only=True)
class Month:
    """The month, played to its end."""

    db: str
    store: EventStore
    ledger: Ledger
    moments: dict[str, Moment] = field(default_factory=dict)

    def accounts(self, scope: str) -> Accounts:
        found: Accounts = {}
        with self.store.read(SLUG) as reader:
            for (account, unit), amount in reader.balances(scope).items():
                if amount:
                    found.setdefault(account, {})[unit] = amount
        return found

    def rows(self) -> list[Recorded]:
        rows: list[Recorded] = []
        with self.store.read(SLUG) as reader:
            while page := reader.events(rows[-1].position if rows else 0):
                rows += page
        return rows

    def told(self, *args: str) -> str:
        """Run a command of the command line on this book; return what it prints."""
        env = {"KITTYBOOK_DB": None, "KITTYBOOK_CLUB": None}
        return kittybook(*args, "--db", self.db, env=env).stdout

    def table(self, *args: str) -> list[dict[str, str]]:
        """Return what ``kittybook export`` writes, by column."""
        return list(csv.DictReader(self.told("export", *args).splitlines()))

    def settled(self, *args: str) -> list[Payment]:
        """Return who is to pay whom."""
        payments = []
        for row in json.loads(self.told("settle", *args, "--json")):
            for one in row["transfers"]:
                assert row["unit"] == GBP
                payments.append((one["from"], one["to"], one["amount"]))
        return payments

    def look(self, nights: Sequence[str]) -> Moment:
        return Moment(
            club=self.accounts(CLUB),
            nights={night: self.accounts(night_stream(night)) for night in nights},
            open={night: net(self.settled("--night", night)) for night in nights},
            all=net(self.settled()),
            settlements={night: self.told("export", "settlement", "--night", night).splitlines() for night in nights},
        )


def net(payments: Sequence[Payment]) -> dict[str, int]:
    """Return what each party gets by payments, less what it gives; who pays whom may be chosen in many ways."""
    parties: dict[str, int] = {}
    for payer, payee, amount in payments:
        parties[payer] = parties.get(payer, 0) - amount
        parties[payee] = parties.get(payee, 0) + amount
    return without_zeros(parties)


def without_zeros(parties: Mapping[str, int]) -> dict[str, int]:
    return {party: amount for party, amount in parties.items() if amount}


def commands() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (MONTH / "commands.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Month]:
    """Play the month, and look at the book at each checkpoint."""
    db = str(tmp_path_factory.mktemp("month") / "book.db")
    club = ("--club", "The Golden Club", "--slug", SLUG, "--zone", "Europe/London")
    kittybook("init", *club, "--currency", GBP, "--chip", "10", "--db", db)
    store = SqliteStore(Path(db))
    played = Month(db=db, store=store, ledger=Ledger(store))
    checkpoints = {one["after"]: one for one in CHECKPOINTS}
    for line, command in enumerate(commands(), 1):
        (verdict,) = played.ledger.carry_out(SLUG, [read_request(command)], Sender(actor="treasurer"))
        assert verdict["status"] == "recorded", f"line {line}: {command} {verdict}"
        if checkpoint := checkpoints.get(command["id"]):
            played.moments[checkpoint["name"]] = played.look(list(checkpoint["open"]))
    yield played
    store.close()


at_each_checkpoint = pytest.mark.parametrize("checkpoint", CHECKPOINTS, ids=[one["name"] for one in CHECKPOINTS])
of_each_night = pytest.mark.parametrize("night", NIGHTS)


# The figures themselves


def test_the_figures_of_the_month_agree_with_each_other() -> None:
    """This needs no book: sums to zero, chips by what they are worth, nights and what is on no night's account."""
    for checkpoint in CHECKPOINTS:
        units: dict[str, int] = {}
        backing = 0
        for accounts in (checkpoint["club"], *checkpoint["nights"].values()):
            for account, amounts in accounts.items():
                for unit, amount in amounts.items():
                    units[unit] = units.get(unit, 0) + amount
                    if unit != GBP and account != "exchange":
                        backing += amount * EXPECTED["chips"][unit]
        assert without_zeros(units) == {}, checkpoint["name"]
        assert checkpoint["club"]["exchange"][GBP] == backing, checkpoint["name"]
        parts = [*checkpoint["open"].values(), checkpoint["on_account"]]
        assert all(sum(part.values()) == 0 for part in parts), checkpoint["name"]
        total: dict[str, int] = {}
        for part in parts:
            for party, amount in part.items():
                total[party] = total.get(party, 0) + amount
        assert without_zeros(total) == checkpoint["all"], checkpoint["name"]
        members = {key[7:]: held[GBP] for key, held in checkpoint["club"].items() if key.startswith("member:")}
        assert members == {party: total[party] for party in total if party in members}, checkpoint["name"]
    transfers = [(one["from"], one["to"], one["amount"]) for one in EXPECTED["settlement"]["transfers"]]
    assert net(transfers) == CHECKPOINTS[-1]["all"]


# What the book says


@at_each_checkpoint
def test_accounts(month: Month, checkpoint: dict[str, Any]) -> None:
    moment = month.moments[checkpoint["name"]]
    assert moment.club == checkpoint["club"]
    assert moment.nights == checkpoint["nights"]


@at_each_checkpoint
def test_what_is_open_of_each_night_and_in_all(month: Month, checkpoint: dict[str, Any]) -> None:
    moment = month.moments[checkpoint["name"]]
    assert moment.open == checkpoint["open"]
    assert moment.all == checkpoint["all"]


@of_each_night
def test_what_is_due_when_a_night_is_closed(month: Month, night: str) -> None:
    first = next(one["name"] for one in CHECKPOINTS if night in one["open"])
    assert month.moments[first].open[night] == without_zeros(NIGHTS[night]["due"])


@of_each_night
def test_the_players_of_a_night(month: Month, night: str) -> None:
    with month.store.read(SLUG) as reader:
        state = month.ledger.night(SLUG, night, reader)
    expected = NIGHTS[night]
    purses = {player: purse._asdict() for player, purse in state.purses.items()}
    assert {player: {key: purse[key] for key in expected["players"][player]} for player, purse in purses.items()} == (
        expected["players"]
    )
    assert state.opened.unit == expected["unit"]
    assert state.opened.pool == expected["pool"]["brought_forward"]
    assert state.ending is not None
    assert state.ending.carried == expected["pool"]["at_close"]


@at_each_checkpoint
def test_settlement_csv_is_as_at_the_close_and_never_changes(month: Month, checkpoint: dict[str, Any]) -> None:
    for night, lines in month.moments[checkpoint["name"]].settlements.items():
        assert lines[0] == COLUMNS
        assert sorted(lines[1:]) == sorted(NIGHTS[night]["settlement_csv"])


def test_who_pays_whom_in_the_end(month: Month) -> None:
    """Cal, Eve and the shortage come out among themselves, so five payments do; there is no other way with five."""
    transfers = EXPECTED["settlement"]["transfers"]
    assert set(month.settled()) == {(one["from"], one["to"], one["amount"]) for one in transfers}


def test_which_nights_a_payment_was_for(month: Month) -> None:
    found: dict[str, dict[str, int]] = {}
    for row in month.rows():
        if row.type == "PaymentRecorded":
            data: Any = row.data
            nights = found.setdefault(data["payment"], {})
            for part in data["nights"]:
                if part["night"]:
                    nights[part["night"]] = nights.get(part["night"], 0) + part["amount"]
    assert found == EXPECTED["payments"]


@of_each_night
def test_transfers_csv_tells_what_was_paid(month: Month, night: str) -> None:
    rows = month.table("transfers", "--night", night)
    paid = {(row["from_id"], row["to_id"], int(row["paid_minor"])) for row in rows if int(row["paid_minor"])}
    assert paid == {(one["from"], one["to"], one["amount"]) for one in NIGHTS[night]["paid_since"]}
    rest = [(row["from_id"], row["to_id"], int(row["amount_minor"]) - int(row["paid_minor"])) for row in rows]
    assert net(rest) == CHECKPOINTS[-1]["open"][night]


@pytest.mark.parametrize("member", ["ann", "bob", "cal", "dot", "eve"])
def test_a_statement_comes_to_the_account(month: Month, member: str) -> None:
    rows = month.table("statement", "--member", member)
    balance = CHECKPOINTS[-1]["club"][f"member:{member}"][GBP]
    assert sum(int(row["change"]) for row in rows) == balance
    assert int(rows[-1]["balance"]) == balance
    assert {row["unit"] for row in rows} == {GBP}


def test_every_entry_sums_to_zero(month: Month) -> None:
    for row in month.rows():
        assert list(imbalances(row.postings)) == [], (row.position, row.type)


def test_the_book_is_verified_and_made_anew(month: Month) -> None:
    before = month.accounts(CLUB)
    month.told("verify")
    month.told("rebuild")
    assert month.accounts(CLUB) == before
