"""What must hold of a club's money at any time, worked out from the stored rows alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ledger import open_items
from ledger.club import Club
from ledger.night import Night
from ledger.reports.settlement import results
from ledger.reports.statement import statement
from ledger.service.states import night_stream
from ledger.store import CLUB, Recorded
from ledger.words import Words
from tests.book.kit import THE_CLUB, Book, Data, everything

MONEY_ACCOUNTS = {"member", "player", "cash", "charges", "till", "shortage", "exchange"}

Parties = dict[str, dict[str, int]]
"""By unit and party, never a zero."""


def check_money(book: Book) -> None:
    """Every sum of money comes out, and what is open is what the postings say, party by party."""
    rows = everything(book.store)
    club = book.club()
    assert_exchanged(rows)
    assert open_items.of_club(club) == open_by_rows(rows, club)
    for night in club.nights.values():
        assert (
            sum(night.due.values()) == sum(night.moved.values()) == sum(open_items.of_night(club, night).values()) == 0
        )
    for amounts in club.on_account.values():
        assert sum(amounts.values()) == 0
    check_statements(book, club)


def data_of(row: Recorded) -> Any:
    return row.data


def chips_by_unit(rows: Sequence[Recorded]) -> dict[str, Data | None]:
    """Return what a chip of each unit is worth: its money, None where a table plays for chips alone."""
    found: dict[str, Data | None] = {}
    for row in rows:
        if row.type in ("TableOpened", "NightOpened", "TableMoneyChanged"):
            found[data_of(row)["unit"]] = data_of(row).get("money")
    return found


class Worth:
    """Turns what stands in an account into the unit in which it is settled."""

    def __init__(self, rows: Sequence[Recorded]) -> None:
        self.money = chips_by_unit(rows)

    def __call__(self, unit: str, amount: int) -> tuple[str, int]:
        money = self.money.get(unit)
        return (unit, amount) if money is None else (money["currency"], amount * money["chip"])


def assert_exchanged(rows: Sequence[Recorded]) -> None:
    """Money came out of `exchange` for the chips that went in: it stands for all chips of that currency that lie about.

    That is for pools, tills and shortages; and while a night is open, for what its players have in front of them too.
    """
    worth = Worth(rows)
    exchanged: Counter[str] = Counter()
    lying: Counter[str] = Counter()
    for row in rows:
        for line in row.postings:
            if worth.money.get(line.unit) is not None:
                currency, amount = worth(line.unit, line.amount)
                if line.account != "exchange":
                    assert line.account.partition(":")[0] in {"player", "pool", "till", "shortage"}, line
                    lying[currency] += amount
            elif len(line.unit) == 3:
                assert line.account.partition(":")[0] in MONEY_ACCOUNTS, line
                if line.account == "exchange":
                    exchanged[line.unit] += line.amount
            elif line.unit != "points":
                assert line.account != "exchange" or worth.money.get(line.unit), line
    assert without_zeros(exchanged) == without_zeros(lying)


class _Nights(NamedTuple):
    banker: dict[str, str]
    table: dict[str, str]
    opened: dict[str, Data]
    is_open: set[str]


def _nights(rows: Sequence[Recorded]) -> _Nights:
    nights = _Nights({}, {}, {}, set())
    for row in rows:
        data = data_of(row)
        match row.type:
            case "NightOpened":
                nights.opened[data["night"]] = data
            case "NightBegan":
                nights.banker[data["night"]] = data["banker"]
                nights.table[data["night"]] = data["table"]
                nights.is_open.add(data["night"])
            case "NightEnded":
                nights.is_open.discard(data["night"])
            case "NightResumed":
                nights.is_open.add(data["night"])
    return nights


def open_by_rows(rows: Sequence[Recorded], club: Club) -> Parties:
    """Return what each party has to come, as the postings have it.

    A member: his account, and what the pools are worth whose money he holds. The till: its account, the cash, the
    charges, likewise pools, and what it brought into one. The shortage: its account, and what its chips are worth.
    What was posted in a night that is open does not count yet: its pool is as it
    was brought forward, and with whoever held it then; what corrections did to it since is with the night's banker.
    """
    worth = Worth(rows)
    nights = _nights(rows)
    sums: dict[str, Counter[str]] = defaultdict(Counter)

    def add(party: str, unit: str, amount: int) -> None:
        settled, amount = worth(unit, amount)
        sums[settled][party if party in ("till", "shortage") else club.resolved(party)] += amount

    pools: Counter[tuple[str, str]] = Counter()
    for row in rows:
        night = row.stream.partition(":")[2]
        if row.stream != CLUB and night in nights.is_open:
            continue
        for line in row.postings:
            kind, _colon, name = line.account.partition(":")
            match kind:
                case "member":
                    add(name, line.unit, line.amount)
                case "pool":
                    pools[name, line.unit] += line.amount
                case "till":
                    add("till", line.unit, line.amount)
                case "shortage":
                    add("shortage", line.unit, line.amount)
                case "cash" | "charges":
                    add("till", line.unit, line.amount)
    for (table, unit), chips in pools.items():
        latest = [night for night, its_table in nights.table.items() if its_table == table]
        if not latest:
            assert not chips
            continue
        night = latest[-1]
        opened = nights.opened[night]
        if night in nights.is_open and opened["unit"] == unit:
            add(opened["held_by"], unit, opened["pool"])
            chips -= opened["pool"]
        add(nights.banker[night], unit, chips)
    found = {unit: without_zeros(parties) for unit, parties in sorted(sums.items())}
    return {unit: parties for unit, parties in found.items() if parties}


def check_statements(book: Book, club: Club) -> None:
    """A member's lines sum to his account, in every unit, and the last of a unit says so."""
    with book.store.read(THE_CLUB) as reader:
        balances = reader.balances(CLUB)
        for member in club.members:
            if club.resolved(member) != member:
                continue
            told: Counter[str] = Counter()
            last: dict[str, int] = {}
            for line in statement(club, reader, member):
                told[line.unit] += line.change
                last[line.unit] = line.balance
                assert line.balance == told[line.unit]
            mine: Counter[str] = Counter()
            for one in club.aliases(member):
                for (account, unit), amount in balances.items():
                    if account == f"member:{one}":
                        mine[unit] += amount
            assert without_zeros(told) == without_zeros(last) == without_zeros(mine), member


def without_zeros(amounts: Mapping[str, int]) -> dict[str, int]:
    return {key: amount for key, amount in amounts.items() if amount}


class Ids(Words):
    """Calls everybody by his id, so that what was said of a night can be compared after somebody was renamed."""

    def __init__(self) -> None:
        pass

    def member(self, member: str) -> str:
        return member


class Closed(NamedTuple):
    """What a closed night hands out: it never changes while the night stays closed."""

    version: int
    receipts: list[Any]
    results: list[Any]
    postings: list[Any]


def closed_night(state: Night, rows: Sequence[Recorded]) -> Closed:
    postings = [row.postings for row in rows if row.stream == night_stream(state.opened.night)]
    return Closed(state.version, list(state.closings), list(results(state, Ids())), postings)


def assert_unchanged(was: Closed, now: Closed) -> None:
    """Receipts and results are the same; what was posted since is nothing but a reopening that was undone."""
    assert now.receipts[: len(was.receipts)] == was.receipts
    assert now.results == was.results
    assert now.postings[: len(was.postings)] == was.postings
    moved: Counter[tuple[str, str]] = Counter()
    for lines in now.postings[len(was.postings) :]:
        for line in lines:
            moved[line.account, line.unit] += line.amount
    assert not any(moved.values())
