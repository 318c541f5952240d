"""A second, independent reading of the money: what nights, payments and the treasurer's entries come to.

Written from the contract (4, 5, 9) and the decisions on money alone. It keeps no journal and knows no events: for each
night it says what everybody has to come, and it says what each has to come in all; what lies in the box, in the pool
and in the club's own pocket it keeps beside that.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from .chips import POOL, ChipNight

TILL, SHORTAGE = "till", "shortage"


@dataclass
class Sitting:
    """An evening as it is played: the hands in `cards`, and beside them the chips and coins that go over the table."""

    cards: ChipNight
    banker: str
    brought_forward: int
    held_by: str
    added: int
    bought: Counter[str] = field(default_factory=Counter)
    sold: Counter[str] = field(default_factory=Counter)
    paid_in: Counter[str] = field(default_factory=Counter)
    paid_out: Counter[str] = field(default_factory=Counter)
    missing: int = 0

    @property
    def players(self) -> list[str]:
        return [name for name in self.cards.purse if name != POOL]

    def stack(self, player: str) -> int:
        return self.cards.purse[player] + self.bought[player] - self.sold[player]

    def buy(self, player: str, chips: int, paid: int) -> None:
        self.bought[player] += chips
        if player != self.banker:
            self.paid_in[player] += paid

    def cash_out(self, player: str, chips: int, paid: int) -> None:
        self.sold[player] += chips
        if player != self.banker:
            self.paid_out[player] += paid

    def hand_over(self, giver: str, taker: str, chips: int, paid: int) -> None:
        self.sold[giver] += chips
        self.bought[taker] += chips
        self.paid_in[taker] += paid
        self.paid_out[giver] += paid

    def count(self, what: str, counted: int) -> None:
        """What was counted is so; the rest was lost, or found."""
        book = self.cards.purse[POOL] if what == "pool" else self.stack(what)
        self.cards.purse[POOL if what == "pool" else what] += counted - book
        self.missing += book - counted

    def share_out(self, choice: object) -> None:
        """End the pool: left where it is, given to one, or shared with the odd chips from the last dealer's left."""
        chips = self.cards.purse[POOL]
        if isinstance(choice, dict):
            self.cards.give(POOL, choice["to"], chips)
        elif choice == "split":
            seats = self.cards.table.seats
            place = seats.index(self.cards.table.dealer) + 1
            for number, player in enumerate([*seats[place:], *seats[:place]]):
                self.cards.give(POOL, player, chips // len(seats) + (number < chips % len(seats)))


class Purse:
    """All the money of a club with one table, in one unit; `chip` is what a chip is worth."""

    def __init__(self, chip: int) -> None:
        self.chip = chip
        self.accounts: Counter[str] = Counter()  # members: what the club, the others and the bankers owe them
        self.box = 0  # coins in the cash box
        self.income = 0
        self.till = 0  # what was given to the till, or taken from it, without cash
        self.lost = 0  # money that is missing; chips that are missing by what they are worth
        self.pool = 0
        self.holder = TILL
        self.nights: dict[str, Counter[str]] = {}
        self.dates: dict[str, str] = {}
        self.sat: dict[str, list[str]] = {}
        self.loose: Counter[str] = Counter()  # what is open and belongs to no night
        self.paid: dict[str, tuple[str, str, int, dict[str, int]]] = {}

    # An evening

    def due(self, sitting: Sitting) -> Counter[str]:
        """What each has to come from an evening that ends now."""
        due: Counter[str] = Counter()
        taken = 0
        for player in sitting.players:
            paid = sitting.paid_in[player] - sitting.paid_out[player]
            due[player] += sitting.cards.purse[player] * self.chip + paid
            taken += paid
        due[SHORTAGE] += sitting.missing * self.chip
        gained = sitting.cards.purse[POOL] - sitting.brought_forward
        due[sitting.banker] += gained * self.chip - taken
        due[TILL] -= sitting.added * self.chip  # what it brought in is handed to whoever holds the pool
        if sitting.held_by != sitting.banker:
            due[sitting.held_by] -= sitting.brought_forward * self.chip
            due[sitting.banker] += sitting.brought_forward * self.chip
        return due

    def close(self, night: str, date: str, sitting: Sitting) -> Counter[str]:
        due = self.due(sitting)
        self.nights[night], self.dates[night], self.sat[night] = Counter(due), date, sitting.players
        taken = 0
        for player in sitting.players:
            paid = sitting.paid_in[player] - sitting.paid_out[player]
            self.accounts[player] += sitting.cards.purse[player] * self.chip + paid
            taken += paid
        if sitting.banker == TILL:
            self.box += taken
        else:
            self.accounts[sitting.banker] -= taken
        self.lost += sitting.missing * self.chip
        self.pool, self.holder = sitting.cards.purse[POOL], sitting.banker
        return due

    # Afterwards

    def move(self, party: str, amount: int, *, cash: bool) -> None:
        """Let a party have so much more to come; the till's coins are in the box."""
        if party == TILL and cash:
            self.box -= amount
        elif party == TILL:
            self.till += amount
        elif party == SHORTAGE:
            self.lost += amount
        else:
            self.accounts[party] += amount

    def pay(self, payment: str, payer: str, payee: str, amount: int, night: str | None) -> None:
        settles = {night: amount} if night is not None else self.settles(payer, payee, amount)
        self.paid[payment] = (payer, payee, amount, settles)
        self._paid(payer, payee, amount, settles)

    def reverse(self, payment: str) -> None:
        payer, payee, amount, settles = self.paid[payment]
        self._paid(payee, payer, amount, settles)

    def _paid(self, payer: str, payee: str, amount: int, settles: dict[str, int]) -> None:
        self.move(payer, amount, cash=True)
        self.move(payee, -amount, cash=True)
        for night, part in settles.items():
            self.nights[night][payer] += part
            self.nights[night][payee] -= part
        rest = amount - sum(settles.values())
        self.loose[payer] += rest
        self.loose[payee] -= rest

    def settles(self, payer: str, payee: str, amount: int) -> dict[str, int]:
        """The oldest night in which the payer owes, then the next; then those in which the payee is owed still."""
        parts: dict[str, int] = {}
        for owes in (True, False):
            party = payer if owes else payee
            if party in (TILL, SHORTAGE):
                continue
            for night in sorted(self.nights, key=lambda night: self.dates[night]):  # stable: then as they were opened
                here = self.nights[night][party]
                open_ = (-here if owes else here) - parts.get(night, 0)
                part = min(amount, max(0, open_))
                if part:
                    parts[night] = parts.get(night, 0) + part
                    amount -= part
        return parts

    def adjust(self, giver: str, taker: str, amount: int, night: str | None) -> None:
        self.move(giver, -amount, cash=False)
        self.move(taker, amount, cash=False)
        where = self.loose if night is None else self.nights[night]
        where[giver] -= amount
        where[taker] += amount

    def charge(self, night: str, each: int) -> None:
        for player in self.sat[night]:
            self.accounts[player] -= each
            self.nights[night][player] -= each
        self.income += each * len(self.sat[night])
        self.nights[night][TILL] += each * len(self.sat[night])

    def count_box(self, counted: int) -> None:
        """Coins that are not there are missing: nobody but the shortage can be asked for them."""
        found = counted - self.box
        self.box = counted
        self.lost += found
        self.loose[TILL] -= found
        self.loose[SHORTAGE] += found

    def open(self) -> Counter[str]:
        """What each has to come in all."""
        total = Counter(self.loose)
        for items in self.nights.values():
            for party, amount in items.items():
                total[party] += amount
        return total
