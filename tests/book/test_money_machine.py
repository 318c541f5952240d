"""Whatever is played, paid, corrected and changed, in whatever order: the money comes out, to the last minor unit."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule, run_state_machine_as_test

from ledger import open_items
from ledger.exports.events import events
from ledger.imports.events import pour, rows
from ledger.reports.settlement import settlement
from ledger.service import Answer, Ledger
from ledger.settlement import Policy
from ledger.stores import MemoryStore
from tests.book.kit import THE_CLUB, Book, Data, check, check_verified, everything
from tests.book.money import Closed, assert_unchanged, check_money, closed_night
from tests.book.test_machine import MEMBERS, STORES, BookMachine, seeds
from tests.fuzz.nights import CHIP_GAMES, PEPPER

MONEY: dict[str, Data] = {
    "GBP": {"currency": "GBP", "chip": 5},
    "JPY": {"currency": "JPY", "chip": 100},
    "KWD": {"currency": "KWD", "chip": 7},
}


class MoneyMachine(BookMachine):
    """A club with one or two tables, with money or for chips alone, and all that a treasurer can do to it."""

    def __init__(self) -> None:
        super().__init__()
        self.payments: dict[str, tuple[Data, bool]] = {}
        self.closed: dict[tuple[str, int], Closed] = {}

    def founded(self, **settings: Any) -> Book:
        return super().founded(**settings) if settings else object.__new__(Book)  # only when it is known what with

    @initialize(game=st.sampled_from(CHIP_GAMES), currency=st.sampled_from(["", *MONEY]), seed=seeds)
    def found(self, game: str, currency: str, seed: int) -> None:
        self.book = self.founded(zone="Asia/Kathmandu", money=MONEY.get(currency))
        rng = self.dice(seed)
        self.book.done("OpenTable", table="tue", name="Tuesday", rulebook=game, **self.banker())
        second = rng.choice([*CHIP_GAMES, *PEPPER, ""])
        if second:
            other: Data = {"money": MONEY[rng.choice([*MONEY])]} if self.chance(0.25) else {}
            self.book.done("OpenTable", table="wed", name="Wednesday", rulebook=second, **other, **self.banker())
        self.open_night(seed)

    def banker(self, often: float = 0.4) -> Data:
        return {"banker": self.rng.choice([*MEMBERS, "till"])} if self.chance(often) else {}

    def party(self) -> str:
        return self.rng.choice([*MEMBERS, "till"] if self.chance(0.85) else ["till", "shortage"])

    def amount(self) -> int:
        return self.rng.choice([1, 3, 10, 25, 100, 1000]) * self.rng.randint(1, 9)

    def some_night(self) -> str:
        """Return a night, closed mostly."""
        known = [*self.book.club().nights]
        closed = self.nights(closed=True)
        return self.rng.choice(closed if closed and self.chance(0.8) else known or ["nowhere"])

    # What was seen is kept, to be held against what comes

    def send(self, kind: str, night: str | None = None, **data: Any) -> Answer:
        answer = super().send(kind, night, **data)
        if answer["status"] == "recorded" and kind in ("RecordPayment", "ReversePayment"):
            row: Any = everything(self.store)[answer["position"] - 1]
            if kind == "RecordPayment":
                self.payments[answer["id"]] = (dict(row.data), False)
            else:
                self.payments[row.data["payment"]] = (self.payments[row.data["payment"]][0], True)
        return answer

    # At the table

    @rule(seed=seeds)
    def move_chips(self, seed: int) -> None:
        rng = self.dice(seed)
        state = self.night()
        if state is None:
            return
        name, chips = state.opened.night, rng.randint(1, 40)
        paid = rng.choice([0, state.worth(chips), self.amount()]) if state.opened.money or self.chance(0.1) else 0
        player, other = rng.sample([*state.purses] if self.chance(0.95) else MEMBERS, 2)
        match rng.choice(["in", "in", "out", "over"]):
            case "in":
                self.send("BuyIn", name, player=player, chips=chips, paid=paid)
            case "out":
                self.send("CashOut", name, player=player, chips=chips, paid=paid)
            case _:
                self.send("Transfer", name, from_=player, to=other, chips=chips, paid=paid)

    @rule(seed=seeds)
    def open_night(self, seed: int) -> None:
        rng = self.dice(seed)
        tables = [table.id for table in self.book.club().tables.values()]
        busy = {self.book.night(name).opened.table for name in self.nights(closed=False)}
        free = [table for table in tables if table not in busy]
        table = rng.choice(free or tables)
        members = [member.id for member in self.book.club().members.values() if not member.archived]
        family = self.book.club().tables[table].rulebook
        players = rng.sample(members, min(len(members), 4 if family in PEPPER else rng.randint(2, 5)))
        if not players:
            return
        data: Data = {"pool": rng.randint(1, 9)} if family not in PEPPER and self.chance(0.4) else {}
        if self.chance(0.1):
            data["money"] = MONEY[rng.choice([*MONEY])]
        self.book.next_day()
        self.send("OpenNight", table=table, players=players, dealer=rng.choice(players), **data, **self.banker(0.3))

    # The treasurer

    @rule(seed=seeds)
    def pay(self, seed: int) -> None:
        rng = self.dice(seed)
        night = self.some_night() if self.chance(0.5) else None
        payer, payee, amount = self.party(), self.party(), self.amount()
        items = open_items.of_club(self.book.club())
        if items and self.chance(0.5):
            parties = items[rng.choice([*items])]
            payer = rng.choice([party for party, owed in parties.items() if owed < 0])
            payee = rng.choice([party for party, owed in parties.items() if owed > 0])
            amount = max(1, min(-parties[payer], parties[payee]) + rng.choice([0, 0, -1, 7]))
        date = rng.choice([None, "2026-11-28"])
        self.send("RecordPayment", from_=payer, to=payee, amount=amount, night_=night, date=date, method="cash")

    @precondition(lambda self: self.payments)
    @rule(seed=seeds)
    def reverse(self, seed: int) -> None:
        rng = self.dice(seed)
        payment = rng.choice([*self.payments])
        answer = self.send("ReversePayment", payment=payment, reason="it came back")
        assert answer["status"] == "recorded" or answer["code"] == "payment_reversed", answer

    @rule(seed=seeds)
    def treasure(self, seed: int) -> None:
        rng = self.dice(seed)
        match rng.randint(0, 3):
            case 0:
                self.send("PostAdjustment", from_=self.party(), to=self.party(), amount=self.amount(), reason="so",
                          night_=self.some_night() if self.chance(0.5) else None)  # fmt: skip
            case 1:
                self.send("ChargeTable", night_=self.some_night(), amount_each=self.amount(), reason="tea")
            case 2:
                self.send("CountCash", amount=self.amount() if self.chance(0.8) else 0)
            case _:
                choice = rng.choice(["split", "convert", "keep_worth", "keep_worth", None])
                money = {**MONEY[rng.choice([*MONEY])], "chip": rng.choice([2, 5, 7, 100])}
                self.send("ChangeTable", table="tue", money=money, pool=choice, **self.banker(0.2))

    @rule(seed=seeds)
    def settle(self, seed: int) -> None:
        """Pay what settlement says, for one night or for everything; nothing is left."""
        rng = self.dice(seed)
        club = self.book.club()
        closed = self.nights(closed=True)
        policy: Policy = rng.choice(("fewest", "banker"))
        if closed and self.chance(0.6):
            night = rng.choice(closed)
            for settled in settlement(club, [night], policy=policy):
                for one in settled.settlement.transfers:
                    answer = self.send("RecordPayment", from_=one.payer, to=one.payee, amount=one.amount, night_=night)
                    assert answer["status"] == "recorded"
            assert open_items.of_night(self.book.club(), self.book.club().nights[night]) == {}
            return
        units = settlement(club, policy=policy)
        if len(units) == 1:
            for one in units[0].settlement.transfers:
                answer = self.send("RecordPayment", from_=one.payer, to=one.payee, amount=one.amount)
                assert answer["status"] == "recorded", answer
                assert self.payments[answer["id"]][0]["unit"] == units[0].unit
            assert open_items.of_club(self.book.club()) == {}
            assert settlement(self.book.club()) == []

    # Less of what moves no money

    @rule(seed=seeds)
    def say(self, seed: int) -> None:
        (super().say if seed % 5 == 0 else self.pay)(seed)

    @rule(seed=seeds)
    def sit(self, seed: int) -> None:
        (super().sit if seed % 3 == 0 else self.move_chips)(seed)

    @rule(seed=seeds)
    def change_rules(self, seed: int) -> None:
        (super().change_rules if seed % 4 == 0 else self.treasure)(seed)

    # What always holds

    def check(self) -> None:
        check(self.book)
        check_money(self.book)
        club = self.book.club()
        stored = everything(self.store)
        for name, night in club.nights.items():
            if night.closed:
                key = name, night.revision
                now = closed_night(self.book.night(name), stored)
                assert_unchanged(self.closed.setdefault(key, now), now)
        assert {id_: (data, is_reversed) for id_, (data, is_reversed) in self.payments.items()} == {
            row.data["payment"]: (dict(row.data), club.payments[str(row.data["payment"])].reversed)
            for row in stored
            if row.type == "PaymentRecorded"
        }

    def teardown(self) -> None:
        told = told_by(self.book)
        second = object.__new__(Book)
        second.store = MemoryStore()
        second.store.found(THE_CLUB, "0" * 32)
        second.store.transact(THE_CLUB, [lambda transaction: pour(transaction, rows(map(json.loads, told), "a file"))])
        assert told_by(second) == told
        second.ledger = Ledger(second.store)
        second.now, second._ids, second._salts = self.book.now, 0, 0
        check_verified(second)
        super().teardown()


def told_by(book: Book) -> list[str]:
    with book.store.audit(THE_CLUB) as audit:
        return list(events(audit))


@pytest.mark.parametrize("name", sorted(STORES))
def test_any_month_of_money(name: str) -> None:
    machine = type("Machine", (MoneyMachine,), {"make": staticmethod(STORES[name])})
    examples = settings.default.max_examples if settings.default else 50
    wanted = settings(max_examples=max(1, examples // (4 if name == "memory" else 12)), stateful_step_count=25)
    run_state_machine_as_test(machine, settings=wanted)
