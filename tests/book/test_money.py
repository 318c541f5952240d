"""Ways to the same night lead to the same money: right at first or put right later, before its close or after it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ledger import open_items
from tests.book.kit import Book, Data, check, check_verified
from tests.book.money import check_money, without_zeros
from tests.book.test_equivalence import (
    NIGHT,
    Script,
    follow_up,
    games_of_all_kinds,
    put_closed_right,
    put_right,
    right_night,
    seeds,
    sheet_of,
    wrong_night,
)
from tests.fuzz.nights import players_of

currencies = st.sampled_from(["GBP", "JPY", "KWD", ""])


class MoneyScript(Script):
    """What happens in an evening besides the hands, and what is paid for chips at once."""

    def __init__(self, sheet: Data, rng: random.Random) -> None:
        super().__init__(sheet, rng)
        chip = sheet["club"].get("money", {}).get("chip", 0)
        for some in self.before.values():
            while rng.random() < 0.5:
                one, other = rng.sample(sheet["players"], 2)
                chips = rng.randint(1, 40)
                paid = rng.choice([0, chips * chip, rng.randint(1, 5000) if chip else 0])
                kinds = {"BuyIn": {"player": one}, "CashOut": {"player": one}, "Transfer": {"from": one, "to": other}}
                kind = rng.choice([*kinds])
                some.append((kind, {**kinds[kind], "chips": chips, "paid": paid}))


def with_money(game: str, seed: int, hands: int, currency: str) -> tuple[Data, MoneyScript, random.Random]:
    rng = random.Random(seed)
    sheet = sheet_of(game, seed, hands)
    money = {"currency": currency, "chip": rng.choice([1, 5, 7, 250])}
    sheet["club"] = {"money": money} if currency else {}
    sheet["banker"] = rng.choice(["till", rng.choice(players_of(sheet))])
    return sheet, MoneyScript(sheet, rng), rng


def due(book: Book) -> Mapping[str, int]:
    club = book.club()
    return open_items.of_night(club, club.nights[NIGHT])


def of_members(book: Book) -> dict[str, int]:
    with book.store.read("thursday") as reader:
        return without_zeros(
            {f"{account} {unit}": amount for (account, unit), amount in reader.balances("club").items()
             if account.startswith("member:")}
        )  # fmt: skip


def choice_of(sheet: Data, rng: random.Random) -> Any:
    return rng.choice(["carry", "split", {"to": sheet["players"][0]}])


@given(game=games_of_all_kinds, seed=seeds, hands=st.integers(1, 8), currency=currencies)
def test_a_night_put_right_before_its_close_owes_what_it_would_have(
    game: str, seed: int, hands: int, currency: str
) -> None:
    sheet, script, rng = with_money(game, seed, hands, currency)
    right, facts = right_night(sheet, script)
    book, wrong = wrong_night(sheet, script, facts, rng)
    put_right(book, facts, wrong, rng)
    choice = choice_of(sheet, rng)
    right.done("CloseNight", NIGHT, pool=choice)
    book.done("CloseNight", NIGHT, pool=choice)
    assert due(book) == due(right)
    assert of_members(book) == of_members(right)
    assert book.balances() == right.balances()
    check_money(book)
    check_money(right)
    check_verified(book)


@given(
    game=games_of_all_kinds, seed=seeds, hands=st.integers(1, 8), currency=currencies,
    later=st.sampled_from(["none", "open", "closed"]),
)  # fmt: skip
def test_a_night_put_right_after_its_close_owes_what_it_would_have(
    game: str, seed: int, hands: int, currency: str, later: str
) -> None:
    """Each member comes to the same; what the pool could not give is shortage, and not with who holds the pool."""
    sheet, script, rng = with_money(game, seed, hands, currency)
    right, facts = right_night(sheet, script)
    book, wrong = wrong_night(sheet, script, facts, rng)
    choice = choice_of(sheet, rng)
    right.done("CloseNight", NIGHT, pool=choice)
    book.done("CloseNight", NIGHT, pool=choice)
    if later != "none":
        follow_up(book, closed=later == "closed")
    put_closed_right(book, facts, wrong, rng)
    found, wanted = Counter(due(book)), Counter(due(right))
    if later != "closed":
        assert found == wanted
    holder = sheet["banker"]
    found["shortage"] += found.pop(holder, 0)
    wanted["shortage"] += wanted.pop(holder, 0)
    assert without_zeros(found) == without_zeros(wanted)
    mine = {key: amount for key, amount in of_members(book).items() if not key.startswith("member:yan")}
    assert mine == of_members(right)
    check(book)
    check_money(book)
    check_verified(book)


# Found by chance, and kept


def test_a_night_whose_chips_are_worth_something_else_since_is_not_opened_again() -> None:
    """Its pool became chips of another unit; with its own it would have ended in a pool that no night can reach."""
    book = Book(members=["ann", "bob"])
    book.done("OpenTable", table="tue", name="Tuesday", rulebook="rockets-peep-nap")
    book.done("OpenNight", table="tue", night=NIGHT, players=["ann", "bob"], dealer="ann", pool=4)
    book.done("CloseNight", NIGHT)
    book.done("ChangeTable", table="tue", money={"currency": "GBP", "chip": 10}, pool="convert")
    assert book.send("ReopenNight", NIGHT, reason="one hand more")["code"] == "money_changed"
    newest = book.night(NIGHT).newest()
    assert newest is not None
    assert book.send("Undo", NIGHT, command=newest.command)["code"] == "money_changed"
    check(book)
    check_money(book)
