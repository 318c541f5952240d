"""Net results to transfers: who pays whom at the end, and equal shares of what does not divide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final, Literal, assert_never

from ledger.errors import OutOfBalance
from ledger.journal import TILL

Policy = Literal["fewest", "banker", "threshold"]

EXACT_LIMIT: Final = 12
"""With so many parties the fewest transfers are found for certain; the work doubles with each one more."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Transfer:
    """Payer hands payee an amount above zero, in the unit of the balances that it settles."""

    payer: str
    payee: str
    amount: int

    def __post_init__(self) -> None:
        if self.amount <= 0 or self.payer == self.payee:
            raise AssertionError(f"{self} is no transfer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """Transfers by payer and payee, and by party what stays open: never a zero; positive is owed to the party.

    What a party receives, less what it pays, plus what it carries is its balance. What is carried sums to zero.
    """

    transfers: tuple[Transfer, ...]
    carried: Mapping[str, int]


def settle(
    balances: Mapping[str, int], policy: Policy = "fewest", *, banker: str = TILL, threshold: int = 0
) -> Settlement:
    """Return the transfers that settle balances, the same ones in whatever order the parties come.

    Balances are by id of a party (members, the till or a banker, shortage), in one unit; positive is owed to the
    party. They are never explained by hands: a transfer may join two who never met in one.

    - ``fewest``: with up to 12 parties as few transfers as there can be; beyond, by a heuristic, at least one fewer
      than parties. The least that can move moves: nobody both pays and receives.
    - ``banker``: everyone settles with the banker.
    - ``threshold``: a balance of less than ``threshold``, either way, is carried, and the rest settled in the fewest
      transfers. The rest would not come out: the banker, whose own balance is never small, stands in for those
      who are carried. He settles the sum of their balances with his own, and carries the opposite of that sum,
      which is what he will then have to settle with them.

    Raises ``OutOfBalance`` unless the balances sum to zero.
    """
    gap = sum(balances.values())
    if gap:
        raise OutOfBalance(gap=gap)
    match policy:
        case "fewest":
            return _settlement(_fewest(balances))
        case "banker":
            others = {party: balance for party, balance in balances.items() if balance and party != banker}
            return _settlement(_payment(party, balance, banker) for party, balance in others.items())
        case "threshold":
            small = {party: balance for party, balance in balances.items() if abs(balance) < threshold}
            small.pop(banker, None)
            stood_in_for = sum(small.values())
            rest = {party: balance for party, balance in balances.items() if party not in small}
            rest[banker] = rest.get(banker, 0) + stood_in_for
            return _settlement(_fewest(rest), small | {banker: -stood_in_for})
        case _:
            assert_never(policy)


def shares(amount: int, parties: Sequence[str], turn: int) -> dict[str, int]:
    """Return equal shares of an amount, in the order of parties; they sum to it exactly.

    By largest remainder, which is the same for all: so each odd unit goes to the next in turn, beginning with the
    party at place ``turn``, counted round from 0. ``turn`` is how many odd units these parties have been given
    before; then nobody ever gets two more of them than another. An amount below zero is shared as its opposite is.
    """
    if not parties or len(set(parties)) < len(parties):
        raise AssertionError(f"{parties!r} should be somebody, and everybody once")
    share, odd = divmod(abs(amount), len(parties))
    sign = -1 if amount < 0 else 1
    return {party: sign * (share + ((place - turn) % len(parties) < odd)) for place, party in enumerate(parties)}


def _settlement(transfers: Iterable[Transfer], carried: Mapping[str, int] | None = None) -> Settlement:
    still_open = {party: balance for party, balance in sorted((carried or {}).items()) if balance}
    return Settlement(transfers=tuple(sorted(transfers)), carried=still_open)


def _payment(party: str, balance: int, banker: str) -> Transfer:
    payer, payee = (party, banker) if balance < 0 else (banker, party)
    return Transfer(payer=payer, payee=payee, amount=abs(balance))


def _fewest(balances: Mapping[str, int]) -> list[Transfer]:
    """Return as few transfers as can be found; among equally few, what comes first by party id.

    A group of k whose balances sum to zero is settled by k - 1 transfers, and no fewer if no part of it does too:
    so the fewest transfers are the parties less the most such groups they can be parted into. To find those is
    NP-hard (T. Verhoeff, Settling Multiple Debts Efficiently, Informatics in Education 3, 2004). Two with equal and
    opposite balances may always be a group: where each is in another's, what is left of both groups is one.
    """
    groups, waiting = _pairs(balances)
    groups += _most_groups(waiting, balances) if len(waiting) <= EXACT_LIMIT else [waiting]
    return [transfer for group in groups for transfer in _largest_to_largest(group, balances)]


def _pairs(balances: Mapping[str, int]) -> tuple[list[list[str]], list[str]]:
    """Return pairs of equal and opposite balances, and who is in none though his balance is not zero."""
    pairs: list[list[str]] = []
    waiting: dict[int, list[str]] = {}
    for party in sorted(balances):
        balance = balances[party]
        if opposite := waiting.get(-balance):
            pairs.append([opposite.pop(0), party])
        elif balance:
            waiting.setdefault(balance, []).append(party)
    return pairs, sorted(party for parties in waiting.values() for party in parties)


def _most_groups(parties: Sequence[str], balances: Mapping[str, int]) -> list[list[str]]:
    """Return parties in as many groups as can be, each of which sums to zero.

    A set of parties is a number with a bit for each. ``most[s]`` is how many groups can be cut out of the set s:
    as many as out of s without one of its members, and one more if what is left then is the last of them.
    """
    bits = [1 << place for place in range(len(parties))]
    everybody = (1 << len(parties)) - 1
    total, most = [0], [0]
    for party in parties:
        total += [before + balances[party] for before in total]
    for some in range(1, everybody + 1):
        most.append(max([most[some ^ bit] for bit in bits if some & bit]) + (not total[some]))
    groups: list[list[str]] = []
    left = everybody
    while left:
        if not total[left]:
            groups.append([])
        cut = most[left] - (not total[left])
        place = next(place for place, bit in enumerate(bits) if left & bit and most[left ^ bit] == cut)
        groups[-1].append(parties[place])
        left ^= bits[place]
    return groups


def _largest_to_largest(group: Sequence[str], balances: Mapping[str, int]) -> list[Transfer]:
    """Return transfers that settle a group, at most one fewer than it has parties.

    The largest debtor pays the largest creditor as much as fits, again and again: each time at least one of them
    is done with. It is the known heuristic for the fewest, told everywhere as "Minimize cash flow among a given set
    of friends who have borrowed money from each other".
    """
    payers = [(balances[party], party) for party in group if balances[party] < 0]
    payees = [(-balances[party], party) for party in group if balances[party] > 0]
    heapify(payers)
    heapify(payees)
    transfers = []
    while payers:
        owes, payer = heappop(payers)
        is_owed, payee = heappop(payees)
        amount = min(-owes, -is_owed)
        transfers.append(Transfer(payer=payer, payee=payee, amount=amount))
        if owes + amount:
            heappush(payers, (owes + amount, payer))
        if is_owed + amount:
            heappush(payees, (is_owed + amount, payee))
    return transfers
