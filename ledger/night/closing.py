"""Chips bought, sold and handed on with the money paid for them; and the close, where all of it goes to accounts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ledger import events as ev
from ledger.errors import TotalTooLarge
from ledger.journal import CASH, SHORTAGE, TILL, JournalEntry, entry, exchanged, member_account, player_account, post
from ledger.night.purses import with_moved
from ledger.night.state import Closing, Evolved, Night, Purse
from ledger.night.steps import (
    ChipsStep,
    accounts_of,
    reverse,
)
from ledger.values import TOTAL_LIMIT


class Paid(NamedTuple):
    """Money that changed hands at once: who paid, who was paid, and the entry that says so."""

    payer: str | None
    payee: str | None
    amount: int
    entries: tuple[JournalEntry, ...]


def paid_by(night: Night, memo: str, payer: str | None, payee: str | None, amount: int) -> Paid:
    """Return what one paid another, or paid to or had from the banker, who is the cash box or a player."""
    banker = night.opened.banker
    if not amount or (banker in (payer, payee) and None in (payer, payee)):  # who is the banker owes himself nothing
        return Paid(None, None, 0, ())
    box = CASH if banker == TILL else player_account(banker)
    unit = night.settled_in
    account, other = (box if player is None else player_account(player) for player in (payer, payee))
    item = entry(memo, None, {(account, unit): amount, (other, unit): -amount})
    return Paid(payer, payee, amount, (item,))


def move_chips(night: Night, memo: str, moved: Mapping[str, int], paid: Paid) -> Evolved:
    """Move chips between players, or between one and the till, with the money that was paid for them."""
    accounts = night.accounts
    amounts = {accounts.player(player): chips for player, chips in moved.items()}
    amounts[accounts.till] = -sum(moved.values())
    entries = (entry(memo, None, amounts), *paid.entries)
    purses = dict(night.purses)
    for player, chips in moved.items():
        purse = purses.get(player, Purse())
        if chips > 0:
            purse = purse._replace(bought=purse.bought + chips)
        else:
            purse = purse._replace(sold=purse.sold - chips)
        if player == paid.payer:
            purse = purse._replace(paid_in=purse.paid_in + paid.amount)
        if player == paid.payee:
            purse = purse._replace(paid_out=purse.paid_out + paid.amount)
        purses[player] = purse
    step = ChipsStep(after=night.carry, entries=entries)
    return night._replace(steps=(*night.steps, step), purses=purses), entries


def end_night(night: Night, event: ev.NightClosed) -> Evolved:
    """Return a closed night, with what everybody has, and paid, on his account as a member."""
    accounts = night.accounts
    entries: list[JournalEntry] = []
    if event.shares:
        shared = {accounts.player(player): chips for player, chips in event.shares.items()}
        entries.append(entry("pool shared", None, {**shared, accounts.pool: -sum(event.shares.values())}))
    night = with_moved(night, tuple(entries))
    entries += [_result(night, player) for player in dict.fromkeys((*night.purses, *_banker(night)))]
    entries = [item for item in entries if item.postings]
    carry = night.carry._replace(pool=event.carried)
    step = ChipsStep(after=carry, entries=tuple(entries))
    closed = night._replace(
        steps=(*night.steps, step),
        closed=True,
        revision=event.revision,
        closings=(*night.closings, Closing(event.revision, None)),
        ending=event,
    )
    return closed, tuple(entries)


def _banker(night: Night) -> tuple[str, ...]:
    """Return the banker where he is a member, who need not play."""
    return () if night.opened.banker == TILL else (night.opened.banker,)


def _result(night: Night, player: str) -> JournalEntry:
    """Return the entry that takes what a player has before him, and what he paid, to his account as a member."""
    accounts, money = night.accounts, night.opened.money
    purse = night.purses.get(player, Purse())
    amounts: dict[tuple[str, str], int] = {accounts.player(player): -purse.stack}
    post(amounts, *accounts.till, purse.bought - purse.sold)
    exchanged(amounts, {member_account(player): purse.balance}, accounts.unit, money)
    paid = purse.paid - (night.taken if player == night.opened.banker else 0)
    if paid:
        post(amounts, player_account(player), night.settled_in, -paid)
        post(amounts, member_account(player), night.settled_in, paid)
    return entry("result", None, amounts)


def due(night: Night, ending: ev.NightClosed) -> dict[str, int]:
    """Return what each party has to come from a night that ends so, in the unit that it is settled in.

    Positive is owed to the party. It sums to zero: what the players do not have between them lies in the pool, whose
    money the banker holds, or was found missing; and the banker owes what he took for chips. Who held the money of
    the pool that was brought forward hands it to this night's banker, and the till what it brings into the pool.
    Raises ``TotalTooLarge``.
    """
    banker = night.opened.banker
    amounts: Counter[str] = Counter()
    for player, purse in night.purses.items():
        amounts[player] += night.worth(ending.results[player]) + purse.paid
    short = accounts_of(night.steps).get(night.accounts.shortage, 0)
    amounts[SHORTAGE] += night.worth(short)
    amounts[banker] -= night.worth(sum(ending.results.values()) + short) + night.taken
    if night.opened.held_by != banker:
        amounts[night.opened.held_by] -= night.worth(night.opened.pool)
        amounts[banker] += night.worth(night.opened.pool)
    if banker != TILL:  # who holds the pool is handed what the club put into it
        amounts[TILL] -= night.worth(night.opened.pool_added)
        amounts[banker] += night.worth(night.opened.pool_added)
    for party, amount in amounts.items():
        if not -TOTAL_LIMIT <= amount <= TOTAL_LIMIT:
            raise TotalTooLarge(field=f"what {party} has to come")
    return {party: amount for party, amount in amounts.items() if amount}


def resume_night(night: Night, revision: int) -> Evolved:
    """Return a closed night as it was before it was closed."""
    closing = night.steps[-1]
    entries = tuple(reverse(item) for item in reversed(closing.entries))
    purses = dict(night.purses)
    for player, chips in (night.ending.shares if night.ending else {}).items():
        purses[player] = purses[player]._replace(balance=purses[player].balance - chips)
    reopened = night._replace(steps=night.steps[:-1], purses=purses, closed=False, revision=revision, ending=None)
    return reopened, entries
