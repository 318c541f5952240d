"""A night's book as steps in order: each says what it moved, and what it leaves to the next.

A correction changes one step and works out all later ones again, each from its own facts, so the night equals one
that was logged right at first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from ledger.errors import Refused, TotalTooLarge
from ledger.hands import Hand
from ledger.journal import (
    POINTS,
    SHORTAGE,
    TAKEN_BACK,
    TILL,
    JournalEntry,
    Posting,
    entry,
    player_account,
    pool_account,
)
from ledger.payments import Record
from ledger.play import Carry, Played, Rules, lay, play
from ledger.play.carry import Game, team_names
from ledger.play.points import running_game, stakes_paid
from ledger.play.rules import Seating
from ledger.tuples import quickly_replaced

Amounts: TypeAlias = Mapping[tuple[str, str], int]
"""(account, unit) to amount."""


class Accounts(NamedTuple):
    """The unit and the pool account that a night posts to."""

    unit: str
    table: str

    def player(self, player: str) -> tuple[str, str]:
        """Return the account of the chips in front of a player."""
        return player_account(player), self.unit

    @property
    def pool(self) -> tuple[str, str]:
        """Return the account of the pool."""
        return pool_account(self.table), self.unit

    @property
    def shortage(self) -> tuple[str, str]:
        """Return the account of what a count found missing or left over."""
        return SHORTAGE, self.unit

    @property
    def till(self) -> tuple[str, str]:
        """Return the account of chips that nobody at the table holds."""
        return TILL, self.unit


class Origin(NamedTuple):
    """Where an event came from."""

    command: str
    version: int
    actor: str = ""
    device: str | None = None
    at: str = ""


@quickly_replaced
class HandStep(NamedTuple):
    """A hand: its facts, and what they came to in their place. ``seating`` is of a hand in progress.

    ``seats`` and ``named`` are who was seated, and who was named to deal, before it began.
    """

    number: int
    facts: Hand
    note: Mapping[str, str] | None
    settled: bool
    origin: Origin
    rules: Rules
    before: Carry
    after: Carry
    void: bool = False
    confirmed: bool = False
    review: str | None = None
    corrections: tuple[Origin, ...] = ()
    seating: Seating | None = None
    played: Played | None = None
    entries: tuple[JournalEntry, ...] = ()
    seats: tuple[str, ...] = ()
    named: str | None = None

    @property
    def leaves(self) -> tuple[str, ...]:
        """Return who is seated behind it: who was in it or out of it; a void one leaves all as they sat."""
        return self.seats if self.void else self.after.seats


class RulesStep(NamedTuple):
    """Other rules from here on."""

    rules: Rules
    after: Carry
    entries: tuple[JournalEntry, ...] = ()


class CountStep(NamedTuple):
    """A count of chips. Where the gap was booked, the pool equals the count whatever history says before it."""

    version: int
    counts: Mapping[str, int]
    gap: str
    pool: int | None
    players: tuple[JournalEntry, ...]
    after: Carry
    entries: tuple[JournalEntry, ...] = ()


class PoolStep(NamedTuple):
    """Chips that a correction of an earlier, closed night brought to the pool or took from it."""

    chips: int
    after: Carry
    entries: tuple[JournalEntry, ...] = ()


class ChipsStep(NamedTuple):
    """Chips between players and till: a purchase, a sale, a transfer, a pool brought in, the close of a night."""

    after: Carry
    entries: tuple[JournalEntry, ...]


Step: TypeAlias = HandStep | RulesStep | CountStep | PoolStep | ChipsStep


def work_out(step: Step, before: Carry, rules: Rules, accounts: Accounts) -> Step:
    """Return a step as it is behind another history.

    Raises ``Refused`` when a hand is not possible there.
    """
    match step:
        case HandStep():
            return hand_step(step, before, rules, accounts)
        case CountStep() if step.pool is not None:
            moved = step.pool - before.pool
            entries = (*step.players, *_gap("pool counted", accounts.pool, moved, accounts))
            return step._replace(after=before._replace(pool=step.pool), entries=entries)
        case PoolStep():
            missing = max(0, -(before.pool + step.chips))
            return step._replace(
                after=before._replace(pool=before.pool + step.chips + missing),
                entries=_gap("correction", accounts.pool, missing, accounts),
            )
        case RulesStep() | CountStep() | ChipsStep():
            return step._replace(after=before)


def hand_step(step: HandStep, before: Carry, rules: Rules, accounts: Accounts) -> HandStep:
    """Return a hand worked out from its facts, in progress or settled."""
    if step.void:
        return step._replace(rules=rules, before=before, after=before, played=None, seating=None, entries=())
    record: Record = []
    if not step.settled:
        seating = lay(rules, before, step.facts, record)
        entries = _chip_entries(step.number, record, accounts)
        return step._replace(rules=rules, before=before, after=before, seating=seating, played=None, entries=entries)
    played = play(rules, before, step.facts, record)
    game = played.carry.game
    if game is None:
        entries = _chip_entries(step.number, record, accounts)
    else:
        entries = _point_entries(step.number, rules, game, played, accounts)
    return step._replace(
        rules=rules, before=before, after=played.carry, seating=None, played=played, entries=entries, review=None
    )


def cascade(steps: Sequence[Step], start: int, first: Carry, rules: Rules, accounts: Accounts) -> tuple[Step, ...]:
    """Return the steps with all from ``start`` on worked out again.

    ``first`` and ``rules`` are what the step at ``start`` finds. A hand that the new history makes illegal stays as
    it was and is marked for review. Raises ``TotalTooLarge``.
    """
    carry = first
    done = list(steps[:start])
    for step in steps[start:]:
        if isinstance(step, RulesStep):
            rules = step.rules
        try:
            new = work_out(step, carry, rules, accounts)
        except TotalTooLarge:
            raise
        except Refused as refusal:
            assert isinstance(step, HandStep)
            new = _kept(step, carry, refusal, accounts)
        done.append(new)
        carry = new.after
    return tuple(done)


def _kept(step: HandStep, before: Carry, refusal: Refused, accounts: Accounts) -> HandStep:
    """People were there: what was recorded stays, with its payments, until somebody looks at it.

    What it took from the pool and is not there any more is missing.
    """
    review = None if step.confirmed else refusal.detail
    if not step.settled:
        return step._replace(before=before, after=before, review=review)
    own = tuple(item for item in step.entries if item.memo != _POOL_SHORT)
    pool = before.pool + sum(
        amount for item in own for account, unit, amount in item.postings if (account, unit) == accounts.pool
    )
    short = _gap(_POOL_SHORT, accounts.pool, max(0, -pool), accounts)
    after = step.after._replace(pool=max(0, pool))
    if before.game is not None and step.played is not None:
        game = running_game(before, step.played.payers)
        points = tuple(step.played.changes.values())
        scores = (game.scores[0] + points[0], game.scores[1] + points[1])
        after = after._replace(game=game._replace(scores=scores, hands=game.hands + 1))
    return step._replace(before=before, after=after, review=review, entries=(*own, *short))


_POOL_SHORT: Final = "the pool is short"


def _chip_entries(hand: int, record: Record, accounts: Accounts) -> tuple[JournalEntry, ...]:
    """Moves are in balance by their nature: what they take from one they give to another."""
    unit = accounts.unit
    entries = []
    for memo, purses, pool in record:
        postings = [Posting(f"player:{player}", unit, chips) for player, chips in purses.items() if chips]
        if pool:
            postings.append(Posting(pool_account(accounts.table), unit, pool))
        entries.append(JournalEntry(memo, hand, tuple(postings)))
    return tuple(entries)


def _point_entries(hand: int, rules: Rules, game: Game, played: Played, accounts: Accounts) -> tuple[JournalEntry, ...]:
    """Points go to both partners, against the account of the game; a finished game may move chips too."""
    entries = []
    points = dict(zip(team_names(game), (game.first, game.second), strict=True))
    amounts: dict[tuple[str, str], int] = {}
    for team, scored in played.changes.items():
        for player in points[team]:
            amounts[(player_account(player), POINTS)] = scored
    amounts[(f"game:{game.number}", POINTS)] = -sum(amounts.values())
    if any(amounts.values()):
        entries.append(entry(played.bid or "points", hand, amounts))
    if game.winner is not None:
        paid = stakes_paid(rules, game, played.payers)
        if any(paid.values()):
            entries.append(entry("game won", hand, {accounts.player(name): chips for name, chips in paid.items()}))
    return tuple(entries)


def _gap(memo: str, account: tuple[str, str], moved: int, accounts: Accounts) -> tuple[JournalEntry, ...]:
    return (entry(memo, None, {account: moved, accounts.shortage: -moved}),) if moved else ()


def gap_entry(account: tuple[str, str], moved: int, accounts: Accounts) -> tuple[JournalEntry, ...]:
    """Return the entry, if one is needed, that takes a player's chips to what was counted."""
    return _gap("counted", account, moved, accounts)


def accounts_of(steps: Iterable[Step]) -> dict[tuple[str, str], int]:
    """Return what steps moved in all, by account and unit."""
    sums: dict[tuple[str, str], int] = {}
    for step in steps:
        for item in step.entries:
            for account, unit, amount in item.postings:
                sums[account, unit] = sums.get((account, unit), 0) + amount
    return sums


# What changed between two states of a book


def added(before: tuple[JournalEntry, ...], after: tuple[JournalEntry, ...]) -> tuple[JournalEntry, ...]:
    """Return the entries that take a hand in progress from one state to the next; what vanished is reversed."""
    if after[: len(before)] == before:  # as it nearly always is
        return after[len(before) :]
    rest = Counter(before)
    new = []
    for item in after:
        if rest[item] > 0:
            rest[item] -= 1
        else:
            new.append(item)
    gone = [reverse(item) for item, count in rest.items() for _ in range(count)]
    return (*gone, *new)


def reverse(item: JournalEntry) -> JournalEntry:
    """Return the entry that takes another back."""
    postings = tuple(posting._replace(amount=-posting.amount) for posting in item.postings)
    return JournalEntry(f"{item.memo}{TAKEN_BACK}", item.hand, postings)


def corrections(before: Sequence[Step], after: Sequence[Step], memo: str) -> tuple[JournalEntry, ...]:
    """Return an entry for each step that moves other amounts than it did; one that came or went moves all it has."""
    pairs: Iterable[tuple[Step | None, Step | None]] = zip(before, after, strict=False)
    if len(before) != len(after):
        olds, news = _named(before), _named(after)
        pairs = [(olds.get(name), news.get(name)) for name in {**olds, **news}]
    return tuple(item for old, new in pairs if old is not new for item in _difference(old, new, memo))


def _named(steps: Sequence[Step]) -> dict[tuple[str, int], Step]:
    """Return steps by kind and number: of hands their own, else how many of the kind came before."""
    seen: Counter[str] = Counter()
    named = {}
    for step in steps:
        kind = type(step).__name__
        seen[kind] += 1
        named[kind, step.number if isinstance(step, HandStep) else seen[kind]] = step
    return named


def _difference(old: Step | None, new: Step | None, memo: str) -> list[JournalEntry]:
    if isinstance(old, ChipsStep) or isinstance(new, ChipsStep):  # a purchase is no result, nor is its taking back
        gone = old.entries if old and not (new and new.entries == old.entries) else ()
        come = new.entries if new and not (old and new.entries == old.entries) else ()
        return [*map(reverse, reversed(gone)), *come]
    amounts: dict[tuple[str, str], int] = {}
    for step, sign in ((old, -1), (new, 1)):
        for item in step.entries if step else ():
            for account, unit, amount in item.postings:
                amounts[(account, unit)] = amounts.get((account, unit), 0) + sign * amount
    step = new or old
    hand = step.number if isinstance(step, HandStep) else None
    return [entry(memo, hand, amounts)] if any(amounts.values()) else []
