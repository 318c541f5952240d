"""The book and the model in tests/model/money.py, written apart from the same documents, come to the same money.

KITTYBOOK_NIGHTS=5000 plays more of them; HYPOTHESIS_PROFILE=long does too.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from ledger import open_items
from ledger.reports.settlement import settlement, transfers
from tests.book.kit import Book, Data, check_verified, everything
from tests.book.money import Ids, check_money
from tests.fuzz.nights import CHIP_GAMES, agree, rulebook_data
from tests.model import open_night
from tests.model.chips import POOL, ChipNight
from tests.model.generate import NAMES, Writer
from tests.model.house import random_house_rules
from tests.model.money import SHORTAGE, TILL, Purse, Sitting

NIGHTS = int(os.environ.get("KITTYBOOK_NIGHTS") or (5_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 150))
FIRST = random.SystemRandom().randrange(2**32) if os.environ.get("KITTYBOOK_NIGHTS") else 0
NIGHTS_EACH = 5

MEMBERS = [*NAMES]


class Month:
    """Some nights of one table, and what the treasurer does in between, in the book and in the model."""

    def __init__(self, seed: int) -> None:
        rng = self.rng = random.Random(seed)
        self.currency = rng.choice(["GBP", "JPY", "KWD", "GBP", ""])
        chip = rng.choice([1, 5, 10, 25, 333]) if self.currency else 1
        self.purse = Purse(chip)
        self.book = Book(members=MEMBERS, money={"currency": self.currency, "chip": chip} if self.currency else None)
        self.unit = self.currency or "chips:tue.1"
        self.game = CHIP_GAMES[seed % len(CHIP_GAMES)]
        self.table_banker = rng.choice([TILL, TILL, rng.choice(MEMBERS)])
        self.book.done("OpenTable", table="tue", name="Tuesday", rulebook=self.game, banker=self.table_banker)

    def chance(self, part: float) -> bool:
        return self.rng.random() < part

    def play(self, number: int) -> None:
        """Play an evening in both, and hold what is due against each other."""
        rng, name, book = self.rng, f"n{number}", self.book
        rulebook = rulebook_data(self.game)
        house = random_house_rules(rng, rulebook) if self.chance(0.4) else {}
        fewest, most = rulebook["table"]["players"]
        players = rng.sample(MEMBERS, rng.randint(fewest, min(most, len(MEMBERS) - 4)))
        if not agree(rulebook, {"house_rules": house}):
            house = {}
        added = rng.choice([0, 0, rng.randint(1, 20)])
        banker = rng.choice([self.table_banker, self.table_banker, TILL, rng.choice(MEMBERS)])
        forward = self.purse.pool
        sheet: Data = {
            "players": players, "dealer": rng.choice(players), "house_rules": house, "stake": rng.choice([1, 1, 2, 3]),
        }  # fmt: skip
        date = f"2026-1{rng.randint(0, 2)}-{rng.randint(10, 28)}" if self.chance(0.5) else book.now.date().isoformat()
        opened = {"night": name, "table": "tue", "date": date, "banker": banker, "pool": added, **sheet}
        if book.send("OpenNight", **opened)["status"] == "refused":
            house = sheet["house_rules"] = opened["house_rules"] = {}
            book.done("OpenNight", **opened)
        cards = open_night({**sheet, "pool": forward + added}, rulebook)
        assert isinstance(cards, ChipNight)
        sitting = Sitting(cards, banker, forward, self.purse.holder if number > 1 else TILL, added)
        writer = Writer(rng, cards, auctions=0.2, comings=0.15, unusual=0.3, edge=False)
        for hand in range(1, rng.randint(1, 8) + 1):
            facts = writer.hand()
            for buyer, count in facts.get("bought", {}).items():
                facts["bought"][buyer] = max(0, count)
            book.done("RecordHand", name, hand=hand, **facts)
            cards.play(facts)
            while self.chance(0.5):
                self.over_the_table(name, sitting)
        choice = rng.choice(["carry", "carry", "split", {"to": rng.choice(sitting.players)}])
        book.done("CloseNight", name, pool=choice)
        sitting.share_out(choice)
        due = self.purse.close(name, date, sitting)
        assert sum(due.values()) == 0
        assert dict(book.club().nights[name].due) == without_zeros(due)
        book.next_day()

    def over_the_table(self, name: str, sitting: Sitting) -> None:
        rng = self.rng
        one, other = rng.sample(sitting.players, 2)
        chips = rng.randint(1, 60)
        paid = rng.choice([0, chips * self.purse.chip, rng.randint(1, 999)]) if self.currency else 0
        match rng.randint(0, 4):
            case 0 | 1:
                self.book.done("BuyIn", name, player=one, chips=chips, paid=paid)
                sitting.buy(one, chips, paid)
            case 2:
                self.book.done("CashOut", name, player=one, chips=chips, paid=paid)
                sitting.cash_out(one, chips, paid)
            case 3:
                self.book.done("Transfer", name, from_=one, to=other, chips=chips, paid=paid)
                sitting.hand_over(one, other, chips, paid)
            case _ if self.chance(0.4):
                counts = {one: sitting.stack(one) + rng.randint(-5, 5)}
                if self.chance(0.5) and sitting.cards.purse[POOL] > 0:
                    counts["pool"] = max(1, sitting.cards.purse[POOL] + rng.randint(-4, 4))
                gap = rng.choice(["shortage", "shortage", "leave"])
                self.book.done("CountChips", name, counts=counts, gap=gap)
                for what, counted in counts.items() if gap == "shortage" else ():
                    sitting.count(what, counted)

    def treasurer(self) -> None:
        """Do something with the money, in both."""
        rng, purse, book = self.rng, self.purse, self.book
        payer, payee = rng.sample([*MEMBERS, TILL, SHORTAGE], 2)
        open_ = without_zeros(purse.open())
        amount = rng.randint(1, 3000)
        if open_ and self.chance(0.6):
            payer = rng.choice([party for party, owed in open_.items() if owed < 0])
            payee = rng.choice([party for party, owed in open_.items() if owed > 0])
            amount = rng.choice([min(-open_[payer], open_[payee]), amount])
        night = rng.choice([*purse.nights]) if self.chance(0.4) else None
        match rng.randint(0, 6):
            case 0 | 1 | 2:
                answer = book.done("RecordPayment", from_=payer, to=payee, amount=amount, night_=night)
                purse.pay(answer["id"], payer, payee, amount, night)
            case 3 if purse.paid:
                payment = rng.choice([*purse.paid])
                book.done("ReversePayment", payment=payment, reason="it came back")
                purse.reverse(payment)
                del purse.paid[payment]
            case 4:
                book.done("PostAdjustment", from_=payer, to=payee, amount=amount, night_=night, reason="so")
                purse.adjust(payer, payee, amount, night)
            case 5:
                night = rng.choice([*purse.nights])
                book.done("ChargeTable", night_=night, amount_each=amount, reason="tea")
                purse.charge(night, amount)
            case 6 if self.currency:
                counted = max(0, purse.box + rng.randint(-300, 300))
                book.done("CountCash", amount=counted)
                purse.count_box(counted)

    def compare(self) -> None:
        """Everything that the model says, the book says."""
        purse, club = self.purse, self.book.club()
        with self.book.store.read(club.id) as reader:
            balances = {account: amount for (account, unit), amount in reader.balances("club").items()
                        if unit == self.unit and amount}  # fmt: skip
            chips = reader.balance("pool:tue", "chips:tue.1", "club")
        of = {account[7:]: amount for account, amount in balances.items() if account.startswith("member:")}
        assert of == without_zeros(purse.accounts)
        assert -balances.get("cash", 0) == purse.box
        assert balances.get("charges", 0) == purse.income
        assert balances.get("till", 0) == purse.till
        assert chips == purse.pool
        found = open_items.of_club(club)
        assert found == ({self.unit: open_} if (open_ := without_zeros(purse.open())) else {})
        assert sum(purse.open().values()) == 0
        assert found.get(self.unit, {}).get(SHORTAGE, 0) == purse.lost
        for name, items in purse.nights.items():
            assert open_items.of_night(club, club.nights[name]) == without_zeros(items), name
            self.compare_transfers(name, items)
        for settled in settlement(club):
            assert {one.payer for one in settled.settlement.transfers}.isdisjoint(
                one.payee for one in settled.settlement.transfers
            )
            assert without_zeros(handed(settled.settlement.transfers)) == without_zeros(purse.open())

    def compare_transfers(self, name: str, items: Mapping[str, int]) -> None:
        """What was paid for a night, and what is to be paid: each party comes out at zero."""
        club = self.book.club()
        paid: Counter[tuple[str, str]] = Counter()
        for payer, payee, _amount, settles in self.purse.paid.values():
            if name in settles:
                paid[payer, payee] += settles[name]
        still: Counter[str] = Counter()
        done: dict[tuple[str, str], int] = {}
        for row in transfers(club, club.nights[name], Parties()):
            night, one, _from, other, _to, amount, unit, part, status = row
            assert (night, unit) == (name, self.unit)
            assert isinstance(amount, int)
            assert isinstance(part, int)
            assert status == ("open" if not part else "paid" if part == amount else "part")
            still[str(one)] -= amount - part
            still[str(other)] += amount - part
            if part:
                done[str(one), str(other)] = part
        assert done == paid
        assert without_zeros(still) == without_zeros(items)


class Parties(Ids):
    def party(self, party: str) -> str:
        return party


def handed(payments: Any) -> Counter[str]:
    moved: Counter[str] = Counter()
    for one in payments:
        assert one.amount > 0
        moved[one.payer] -= one.amount
        moved[one.payee] += one.amount
    return moved


def without_zeros(amounts: Mapping[Any, int]) -> dict[Any, int]:
    return {key: amount for key, amount in amounts.items() if amount}


@pytest.mark.parametrize("part", range(6))
def test_book_and_model_agree_on_the_money_of_random_months(part: int) -> None:
    months = -(-NIGHTS // NIGHTS_EACH)
    for seed in range(FIRST + part, FIRST + months, 6):
        month = Month(seed)
        for number in range(1, NIGHTS_EACH + 1):
            month.play(number)
            while month.chance(0.75):
                month.treasurer()
            month.compare()
        if seed % 5 == 0:
            check_money(month.book)
            check_verified(month.book)
            assert len(everything(month.book.store)) > 20
