"""Who pays whom at the end: everything comes out, in as few transfers as there can be."""

from __future__ import annotations

import itertools
import timeit
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import OutOfBalance
from ledger.settlement import Policy, Settlement, Transfer, settle, shares
from ledger.values import TOTAL_LIMIT

Balances = dict[str, int]

IDS = [*"abcdefghijklmnopqrs", "till", "shortage"]
POLICIES = st.sampled_from(get_args(Policy))
BANKERS = st.sampled_from(["till", "a", "nobody"])


def balances(limit: int, largest: int = 9) -> st.SearchStrategy[Balances]:
    """So many parties at most, in any order, whose balances sum to zero; small ones often do so in groups."""
    amounts = st.lists(st.integers(-largest, largest), max_size=limit - 1).map(lambda found: [*found, -sum(found)])
    parties = st.permutations(IDS)
    return st.tuples(parties, amounts).map(lambda found: dict(zip(found[0], found[1], strict=False)))


def told(settlement: Settlement) -> list[str]:
    transfers = [f"{transfer.payer} {transfer.payee} {transfer.amount}" for transfer in settlement.transfers]
    return transfers + [f"{party} carries {balance}" for party, balance in settlement.carried.items()]


def written(text: str) -> Balances:
    words = text.split()
    return {party: int(balance) for party, balance in zip(words[::2], words[1::2], strict=True)}


# What always holds


@given(found=balances(20), policy=POLICIES, threshold=st.integers(0, 12), banker=BANKERS)
def test_paying_every_transfer_leaves_what_is_carried(
    found: Balances, policy: Policy, threshold: int, banker: str
) -> None:
    settlement = settle(found, policy, banker=banker, threshold=threshold)
    left = Counter(found)
    for transfer in settlement.transfers:
        left[transfer.payer] += transfer.amount
        left[transfer.payee] -= transfer.amount
    assert {party: balance for party, balance in left.items() if balance} == settlement.carried
    assert sum(settlement.carried.values()) == 0
    assert len(settlement.transfers) <= max(0, sum(map(bool, found.values())) - (policy != "banker"))


@given(found=balances(20), policy=POLICIES, threshold=st.integers(0, 12), factor=st.integers(2, 10**6), data=st.data())
def test_the_order_of_parties_and_the_size_of_the_unit_change_nothing(
    found: Balances, policy: Policy, threshold: int, factor: int, data: st.DataObject
) -> None:
    expected = settle(found, policy, threshold=threshold)
    shuffled = dict(data.draw(st.permutations(list(found.items()))))
    again = settle(shuffled | {"z": 0}, policy, threshold=threshold)
    assert again == expected
    assert list(again.carried) == sorted(expected.carried)
    assert list(again.transfers) == sorted(again.transfers)
    scaled = settle({party: balance * factor for party, balance in found.items()}, policy, threshold=threshold * factor)
    assert [transfer.amount for transfer in scaled.transfers] == [factor * each.amount for each in expected.transfers]
    assert scaled.carried == {party: factor * balance for party, balance in expected.carried.items()}


@given(found=balances(20))
def test_nobody_both_pays_and_receives(found: Balances) -> None:
    transfers = settle(found).transfers
    assert not {transfer.payer for transfer in transfers} & {transfer.payee for transfer in transfers}
    assert len({(transfer.payer, transfer.payee) for transfer in transfers}) == len(transfers)


# The fewest


@given(found=balances(7, largest=6))
def test_up_to_seven_parties_no_search_finds_fewer(found: Balances) -> None:
    assert len(settle(found).transfers) == _fewest_by_search([balance for balance in found.values() if balance])


def _fewest_by_search(amounts: list[int]) -> int:
    """Transfers between given pairs can be enough if and only if whoever they connect sums to zero."""
    ways = _connected(len(amounts)).items()
    return min(pairs for way, pairs in ways if all(sum(amounts[place] for place in part) == 0 for part in way))


@cache
def _connected(count: int) -> Mapping[frozenset[frozenset[int]], int]:
    """Every way in which transfers may connect people, with how many transfers that takes: pair by pair."""
    start = frozenset(frozenset({place}) for place in range(count))
    found, edge = {start: 0}, [start]
    while edge:
        way = edge.pop(0)
        for one, other in itertools.combinations(way, 2):
            joined = way - {one, other} | {one | other}
            if joined not in found:
                found[joined] = found[way] + 1
                edge.append(joined)
    return found


@given(groups=st.lists(st.lists(st.integers(-50, 50), min_size=1, max_size=3), max_size=3))
def test_up_to_twelve_parties_it_is_never_more_than_the_groups_they_were_made_of_need(groups: list[list[int]]) -> None:
    amounts = [[amount for amount in (*group, -sum(group)) if amount] for group in groups]
    found = dict(zip(IDS, itertools.chain(*amounts), strict=False))
    assert len(settle(found).transfers) <= sum(len(group) - 1 for group in amounts if group)


def test_twelve_parties_take_well_under_a_tenth_of_a_second() -> None:
    amounts = [30, 40, -50, -60, -11, -17, 21, 26, -19, -23, 29, 34]  # every fourth make a group
    found = dict(zip(IDS, amounts, strict=False))
    assert len(settle(found).transfers) == 8
    assert min(timeit.repeat(lambda: settle(found), number=1, repeat=5)) < 0.1


@pytest.mark.parametrize(
    ("parties", "transfers"),
    [
        ("", ""),
        ("ann 0 bob 0", ""),
        ("ann 5 bob -5", "bob ann 5"),
        ("ann 80 bob -15 cal -65", "bob ann 15, cal ann 65"),  # fault B36
        ("sam-2 -12 sam-1 12", "sam-2 sam-1 12"),  # fault B40: two players called Sam
        ("ann 20 bob -13 shortage -7", "bob ann 13, shortage ann 7"),
        # Who has equal and opposite balances pay each other, first ids first.
        ("dot 5 bob -5 ann -5 cal 5", "ann cal 5, bob dot 5"),
        ("dot 9 ann -9 bob 4 cal -4 eve 1 fay -1", "ann dot 9, cal bob 4, fay eve 1"),
        # Two groups of three; from largest to largest throughout would take five.
        ("ann 7 bob -4 cal -3 dot 6 eve -5 fay -1", "bob ann 4, cal ann 3, eve dot 5, fay dot 1"),
        # Equal debts: the first id comes first, and pays whom is owed most.
        ("ann -4 bob -4 cal -4 dot 7 eve 5", "ann dot 4, bob eve 4, cal dot 3, cal eve 1"),
        # Ann makes a group with cal and eve, or with bob and fay: bob comes before cal.
        ("ann -4 bob -1 cal -4 eve 8 fay 5 gus -4", "ann fay 4, bob fay 1, cal eve 4, gus eve 4"),
        # Beyond twelve: equal opposites, then from largest to largest.
        (
            "m -17 n 17 p 26 q 40 a -1 b -10 c -9 d -8 e -7 f -6 g -5 h -4 i -3 j -2 k -11",
            "a p 1, b q 10, c p 9, d q 8, e p 7, f q 6, g p 5, h p 4, i q 3, j q 2, k q 11, m n 17",
        ),
    ],
)
def test_the_fewest_transfers(parties: str, transfers: str) -> None:
    expected = [transfer.strip() for transfer in transfers.split(",") if transfer]
    assert told(settle(written(parties))) == sorted(expected)


def test_the_largest_amounts_that_are_counted_come_out_exactly() -> None:
    found = {"ann": TOTAL_LIMIT, "bob": -TOTAL_LIMIT + 1, "cal": -1}
    assert told(settle(found)) == [f"bob ann {TOTAL_LIMIT - 1}", "cal ann 1"]
    assert told(settle(found, "threshold", threshold=2)) == [
        f"bob ann {TOTAL_LIMIT - 1}",
        "till ann 1",
        "cal carries -1",
        "till carries 1",
    ]


# The other policies


@pytest.mark.parametrize(
    ("policy", "banker", "threshold", "parties", "expected"),
    [
        ("banker", "till", 0, "ann 5 bob -8 cal 3 dot 0", ["bob till 8", "till ann 5", "till cal 3"]),
        ("banker", "till", 0, "ann 5 bob -8 till 3", ["bob till 8", "till ann 5"]),
        ("banker", "bob", 0, "ann 5 bob -8 till 3", ["bob ann 5", "bob till 3"]),
        ("threshold", "till", 5, "ann 5 bob -5", ["bob ann 5"]),
        # The till takes what ann would have been given, and owes it to her.
        ("threshold", "till", 5, "ann 4 bob -9 cal 5", ["bob cal 5", "bob till 4", "ann carries 4", "till carries -4"]),
        # The banker's own balance is settled, however small.
        ("threshold", "cal", 5, "ann 10 bob -8 cal -2", ["bob ann 8", "cal ann 2"]),
        ("threshold", "cal", 5, "ann 3 bob -8 cal 5", ["bob cal 8", "ann carries 3", "cal carries -3"]),
        ("threshold", "till", 5, "ann 3 bob -3", ["ann carries 3", "bob carries -3"]),
        ("threshold", "till", 5, "ann 3 bob -1 till -2", ["ann carries 3", "bob carries -1", "till carries -2"]),
        ("threshold", "till", 0, "ann 3 bob -1 till -2", ["bob ann 1", "till ann 2"]),
    ],
)
def test_settling_with_the_banker_and_carrying_what_is_small(
    policy: Policy, banker: str, threshold: int, parties: str, expected: list[str]
) -> None:
    assert told(settle(written(parties), policy, banker=banker, threshold=threshold)) == expected


# What is refused, and what cannot be


@pytest.mark.parametrize("policy", get_args(Policy))
def test_balances_that_do_not_sum_to_zero_are_refused_with_the_gap(policy: Policy) -> None:
    with pytest.raises(OutOfBalance, match=r"sum to -3,") as refusal:
        settle({"ann": 5, "bob": -8}, policy, threshold=100)
    assert refusal.value.code == "settlement_out_of_balance"


@pytest.mark.parametrize(("payer", "payee", "amount"), [("ann", "bob", 0), ("ann", "bob", -1), ("ann", "ann", 1)])
def test_there_is_no_empty_transfer_and_none_to_oneself(payer: str, payee: str, amount: int) -> None:
    with pytest.raises(AssertionError):
        Transfer(payer=payer, payee=payee, amount=amount)


def test_there_is_no_other_policy() -> None:
    with pytest.raises(AssertionError):
        settle({}, cast(Any, "most"))


# Shares


@pytest.mark.parametrize(
    ("amount", "parties", "turn", "expected"),
    [
        (100, "abc", 0, [34, 33, 33]),  # fault B29
        (30300, "abc", 2, [10100, 10100, 10100]),  # fault B32
        (100, "abc", 2, [33, 33, 34]),
        (101, "abc", 2, [34, 33, 34]),
        (-100, "abc", 1, [-33, -34, -33]),
        (1, "ab", 7, [0, 1]),
        (0, "a", 0, [0]),
        (TOTAL_LIMIT, "ab", 0, [2**52, 2**52 - 1]),
    ],
)
def test_shares_are_as_equal_as_they_can_be(amount: int, parties: str, turn: int, expected: list[int]) -> None:
    assert list(shares(amount, parties, turn).items()) == list(zip(parties, expected, strict=True))


@given(amounts=st.lists(st.integers(0, 1000)), count=st.integers(1, 9))
def test_when_the_turn_goes_on_nobody_is_ever_given_two_more_than_another(amounts: list[int], count: int) -> None:
    given_to: Counter[str] = Counter(dict.fromkeys(IDS[:count], 0))
    turn = 0
    for amount in amounts:
        found = shares(amount, IDS[:count], turn)
        assert sum(found.values()) == amount
        given_to.update(found)
        turn += amount % count
        assert max(given_to.values()) - min(given_to.values()) <= 1


@pytest.mark.parametrize("parties", [[], ["ann", "bob", "ann"]])
def test_shares_are_for_somebody_and_for_everybody_once(parties: list[str]) -> None:
    with pytest.raises(AssertionError):
        shares(100, parties, 0)
