"""What people look at: folds over a night's steps. Chips are whole numbers; positive is to the player."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ledger import events as ev
from ledger.errors import Refused
from ledger.hands import facts_of
from ledger.journal import JournalEntry
from ledger.night import Night
from ledger.night.decide import next_dealer, running_auction
from ledger.night.steps import ChipsStep, HandStep, PoolStep
from ledger.play.carry import team_names
from ledger.play.points import running_game, stakes_paid

Names = Callable[[str], str]
"""Says what a member is called."""


# Hands


def hand_rows(night: Night) -> list[dict[str, Any]]:
    """Return every hand with its facts, what it moved, and the pool behind it."""
    return [hand_row(night, step) for step in night.hand_steps()]


def hand_row(night: Night, step: HandStep) -> dict[str, Any]:
    """Return one hand: facts, changes, pool, and what happened to it since."""
    played = step.played
    row: dict[str, Any] = {
        "hand": step.number,
        "status": "void" if step.void else "settled" if step.settled else "open",
        "dealer": played.dealer if played else step.facts.dealer,
        "result": played.result if played else None,
        "facts": facts_of(step.facts),
        "changes": hand_changes(step),
        "pool": step.after.pool if step.settled else night.pool,
        "rulebook": {"id": step.rules.book.id, "digest": step.rules.book.digest, "stake": step.rules.stake},
        "version": step.origin.version,
        "device": step.origin.device,
        "recorded_at": step.origin.at,
        "actor": step.origin.actor,
        "corrections": [
            {"version": origin.version, "actor": origin.actor, "device": origin.device, "at": origin.at}
            for origin in step.corrections
        ],
        "needs_review": step.review,
        "disputed": step.number in night.disputes,
    }
    if step.note is not None:
        row["note"] = dict(step.note)
    if played is not None and played.bid is not None:
        row["bidder"], row["bid"] = played.bidder, played.bid
    return row


def hand_changes(step: HandStep) -> dict[str, int]:
    """Return what a hand moved by player (Pepper: by team); of a hand in progress what it has moved so far."""
    if step.played is not None:
        return dict(step.played.changes)
    if step.void:
        return {}
    changes = dict.fromkeys(step.seating.payers, 0) if step.seating else {}
    for player, amount in _players(step.entries):
        changes[player] = changes.get(player, 0) + amount
    return changes


def preview_hands(before: Night | None, after: Night) -> list[dict[str, Any]]:
    """Return the hands that a command would change, as they are and as they would be."""
    rows = []
    for step in after.hand_steps():
        old = before.hand(step.number) if before is not None else None
        if old is step:
            continue
        was, will = _told(before, old), _told(after, step)
        if was != will or (old is not None and old.review != step.review):
            rows.append({"hand": step.number, "before": was, "after": will, "needs_review": step.review})
    return rows


def _told(night: Night | None, step: HandStep | None) -> dict[str, Any] | None:
    if night is None or step is None:
        return None
    result = "void" if step.void else step.played.result if step.played else "open"
    pool = step.after.pool if step.settled else night.pool
    return {"result": result, "changes": hand_changes(step), "pool": pool}


# Pepper


def running_scores(night: Night) -> dict[str, int]:
    """Return the scores of the running game of Pepper, or of the last that ended."""
    game = night.carry.game
    if game is None:
        if len(night.seats) != 4:
            return {}
        game = running_game(night.carry, night.seats)
    return dict(zip(team_names(game), game.scores, strict=True))


def team_changes(before: Night | None, after: Night) -> dict[str, int]:
    """Return what each team scored more, or less, than before."""
    playing = dict.fromkeys(running_scores(after), 0)
    changes = dict(playing)
    old, new = before.steps if before is not None else (), after.steps
    # A step that changed has all later ones worked out again, so the first that differs can be searched for.
    first = bisect_left(range(min(len(old), len(new))), 1, key=lambda index: old[index] is not new[index])
    for steps, sign in ((old[first:], -1), (new[first:], 1)):
        for step in steps:
            if isinstance(step, HandStep) and step.played:
                for team, points in step.played.changes.items():
                    changes[team] = changes.get(team, 0) + sign * points
    return {team: change for team, change in changes.items() if change or team in playing}


def games(night: Night) -> list[dict[str, Any]]:
    """Return the finished games of Pepper, in order."""
    rows = []
    for step in night.hand_steps():
        game = step.played.carry.game if step.played else None
        if game is not None and game.winner is not None and step.played and step.played.result in {"made", "failed"}:
            rows.append(
                {
                    "winner": game.winner,
                    "last_hand": step.number,
                    "scores": dict(zip(team_names(game), game.scores, strict=True)),
                    "chips": stakes_paid(step.rules, game, step.played.payers),
                }
            )
    return rows


# The pool


def pool_story(night: Night) -> dict[str, Any]:
    """Return the pool: its chips, since which hand it has grown, who fed it, what a bid that takes it would take."""
    since: int | None = None
    fed: dict[str, int] = {}
    pool = night.first.pool
    for step in night.steps:
        number = step.number if isinstance(step, HandStep) else None
        for item in step.entries:
            moved, paid = 0, {}
            for account, _unit, amount in item.postings:
                if account.startswith("pool:"):
                    moved += amount
                elif account.startswith("player:"):
                    paid[account[7:]] = -amount
            if not moved:
                continue
            if pool == 0:
                since, fed = number, {}
            pool += moved
            if number is not None:
                for player, chips in paid.items():  # below zero is what goes back, as after a misdeal
                    if (chips > 0) is (moved > 0):
                        fed[player] = fed.get(player, 0) + (min(chips, moved) if moved > 0 else chips)
        if not isinstance(step, HandStep) or step.settled:
            pool = step.after.pool
        if pool == 0:
            since, fed = None, {}
    takes = any(bid.takes_pool for bid in night.rules.book.bids)
    fed = {player: chips for player, chips in fed.items() if chips > 0}
    return {"chips": night.pool, "since_hand": since, "fed_by": fed, "would_pay": night.pool if takes else 0}


# Why is this number so?


def explain(night: Night, account: str) -> dict[str, Any]:
    """Return the lines that sum to a player's balance, or with ``pool`` to the pool.

    ``parties`` of a line are the players on its other side: who paid where it is positive, else who was paid.
    Raises ``KeyError`` for a player who did not sit in this night.
    """
    pool = account == "pool"
    if not pool and account not in night.purses:
        raise KeyError(account)
    name = night.accounts.pool[0] if pool else f"player:{account}"
    lines: list[dict[str, Any]] = []
    total = 0

    def line(hand: int | None, memo: str, change: int, version: int | None, parties: Sequence[str] = ()) -> None:
        nonlocal total
        total += change
        told = {"hand": hand, "memo": memo, "change": change, "balance": total, "version": version}
        lines.append({**told, "parties": [*parties]})

    if pool and night.first.pool:
        line(None, "brought forward", night.first.pool, 1)
    carry = night.first
    for step in night.steps:
        if isinstance(step, PoolStep):
            if pool and step.after.pool != carry.pool:
                line(None, "correction of a closed night", step.after.pool - carry.pool, None)
            carry = step.after
            continue
        counts = pool or not isinstance(step, ChipsStep) or step is night.steps[-1]
        for item in step.entries if counts else ():
            moved = sum(
                amount for posted, unit, amount in item.postings if posted == name and unit == night.opened.unit
            )
            if moved and (pool or item.memo not in _NOT_A_RESULT):
                version = step.origin.version if isinstance(step, HandStep) else None
                line(item.hand, item.memo, moved, version, _parties(item, name, night.opened.unit, moved))
        carry = step.after
    return {"account": account, "unit": night.opened.unit, "total": total, "lines": lines}


def _parties(item: JournalEntry, name: str, unit: str, moved: int) -> list[str]:
    """Return the players on the other side of what an entry moved to an account, or from it."""
    return [
        account[7:]
        for account, of, amount in item.postings
        if account.startswith("player:") and account != name and of == unit and amount * moved < 0
    ]


_NOT_A_RESULT = frozenset({"bought", "sold", "transfer", "result"})


# The state of a night


def night_state(night: Night, names: Names, *, settled: bool = False) -> dict[str, Any]:
    """Return the state of a night (contract, section 7), but for what only the store knows.

    ``settled`` says what only the club knows: that nothing of a closed night is open any more.
    """
    opened, book = night.opened, night.rules.book
    hand = night.open_hand
    receipt = night.closings[-1].receipt if night.closed else None
    pepper = book.family == "pepper"
    return {
        "night": opened.night,
        "table": opened.table,
        "date": opened.date,
        "state": "settled" if night.closed and settled else "closed" if night.closed else "open",
        "revision": night.revision,
        "version": night.version,
        "rulebook": {
            "id": night.rulebook,
            "title": dict(book.title),
            "digest": book.digest,
            "house_rules": dict(night.house_rules),
            "stake": night.rules.stake,
        },
        "unit": opened.unit,
        "money": None if opened.money is None else dict(opened.money),
        "banker": opened.banker,
        "players": [
            {
                "id": player,
                "name": names(player),
                "seat": night.seats.index(player) + 1 if player in night.seats else None,
                "seated": player in night.seats,
                "balance": purse.balance,
                "stack": 0 if night.closed else purse.stack,
                "bought": purse.bought,
                "sold": purse.sold,
                "paid_in": purse.paid_in,
                "paid_out": purse.paid_out,
            }
            for player, purse in night.purses.items()
        ],
        "dealer": hand.facts.dealer if hand else _dealer(night),
        "pool": pool_story(night),
        "hand": _hand_in_progress(night),
        "teams": _teams(night) if pepper else None,
        "scores": running_scores(night) if pepper else None,
        "games": games(night) if pepper else None,
        "undo": _undo(night, names),
        "hands_played": sum(1 for step in night.hand_steps() if step.settled and not step.void),
        "disputed": sorted(night.disputes),
        "needs_review": [step.number for step in night.hand_steps() if step.review is not None],
        "receipt": receipt,
        "superseded": [
            {"revision": closing.revision, "receipt": closing.receipt}
            for closing in (night.closings[:-1] if night.closed else night.closings)
        ],
    }


def _dealer(night: Night) -> str | None:
    try:
        return next_dealer(night)
    except Refused:
        return night.dealer


def _hand_in_progress(night: Night) -> dict[str, Any]:
    step = night.open_hand
    if step is None:
        idle: dict[str, Any] = {"number": night.hands + 1, "phase": "closed" if night.closed else "not_begun"}
        return {**idle, "turn": None, "peeks": [], "bids": [], "standing": None}
    told: dict[str, Any] = {"number": step.number, "phase": "auction", "turn": None, "peeks": list(step.facts.peeks)}
    told |= {"bids": [list(call) for call in step.facts.bids or ()], "standing": None}
    try:
        auction = running_auction(step)
    except Refused:
        return told  # a correction of an earlier hand has made these calls impossible: somebody must look at it
    if auction.bidder is not None:
        told["standing"] = {"player": auction.bidder, "bid": auction.bid}
    return {**told, "phase": "play" if auction.over else "auction", "turn": auction.turn}


def _teams(night: Night) -> dict[str, list[str]]:
    if len(night.seats) != 4:
        return {}
    game = running_game(night.carry, night.seats)
    return {name: list(pair) for name, pair in zip(team_names(game), (game.first, game.second), strict=True)}


def _undo(night: Night, names: Names) -> dict[str, Any] | None:
    newest = night.newest()
    if newest is None:
        return None
    event, origin = newest.events[-1]
    return {
        "command": newest.command,
        "version": newest.version,
        "type": type(event).__name__,
        "label": label_of(event, night, names),
        "device": origin.device,
        "at": origin.at,
    }


def label_of(event: object, night: Night, names: Names = str) -> str:
    """Return what happened, in a few plain words."""
    words = _LABELS.get(type(event))
    if words is None:
        return "".join(f" {char.lower()}" if char.isupper() else char for char in type(event).__name__).strip()
    told = {key: getattr(event, key) for key in ("hand", "cards", "chips") if hasattr(event, key)}
    for key in ("player", "from_player", "to_player"):
        if (named := getattr(event, key, None)) is not None:
            told[key] = names(named)
    if isinstance(event, ev.BidMade):
        step = night.hand(event.hand)
        told["bid"] = (step.rules if step else night.rules).book.bid_name(event.bid)
    return words.format(**told)


_LABELS: Final[Mapping[type, str]] = {
    ev.PlayerSeated: "{player} sat down",
    ev.PlayerUnseated: "{player} left",
    ev.PlayersReseated: "the seats were changed",
    ev.DealerSet: "{player} deals next",
    ev.ChipsBought: "{player} bought {chips}",
    ev.ChipsSold: "{player} gave back {chips}",
    ev.ChipsTransferred: "{from_player} gave {to_player} {chips}",
    ev.CardsBought: "hand {hand}: {player} bought cards ({cards})",
    ev.PeekPaid: "hand {hand}: {player} peeked",
    ev.BidMade: "hand {hand}: {player} bid {bid}",
    ev.Passed: "hand {hand}: {player} passed",
    ev.PeepCardTaken: "hand {hand}: what became of the peep card",
    ev.OutcomeRecorded: "hand {hand}",
    ev.HandPassedOut: "hand {hand}, which nobody bid in",
    ev.MisdealDeclared: "hand {hand}, a misdeal",
    ev.HandRecorded: "hand {hand}",
    ev.HandCorrected: "the correction of hand {hand}",
    ev.HandVoided: "hand {hand} being taken out",
    ev.RulesChanged: "the change of rules",
    ev.ChipsCounted: "the count of chips",
    ev.HandDisputed: "the dispute about hand {hand}",
    ev.DisputeResolved: "the end of the dispute about hand {hand}",
    ev.NoteAdded: "a note",
    ev.NightClosed: "the close of the night",
    ev.NightReopened: "the reopening of the night",
}


def _players(entries: tuple[JournalEntry, ...]) -> list[tuple[str, int]]:
    return [
        (account[7:], amount)
        for item in entries
        for account, _unit, amount in item.postings
        if account.startswith("player:")
    ]
