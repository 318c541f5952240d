"""A night in plain text for people: its table, its hands one by one, and why a number is so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ledger.cli.tables import amount, columns, night_table, signed
from ledger.club import ClubNight
from ledger.night import Night
from ledger.night.steps import ChipsStep, CountStep, HandStep, PoolStep, RulesStep, Step
from ledger.projections import hand_row, night_state
from ledger.words import Words, names_at, team

_MARKS = {"*": "corrected", "?": "disputed", "!": "to be looked at"}

_NO_RESULT = frozenset({"bought", "sold", "transfer", "result"})


def night_text(night: Night, game: str, words: Words, known: ClubNight) -> str:
    """Return a night as a table with everything that must be said about it beneath. ``game`` is its rulebook."""
    names = names_at(night, words)
    state = night_state(night, words.member)
    pepper = state["scores"] is not None
    rows = [row for step in night.steps if (row := _row(night, step, names)) is not None]
    answer: dict[str, Any] = {
        "id": f"{night.opened.night} · {words.table(night.opened.table)}",
        "rulebook": f"{game}, changed" if night.house_rules else game,
        "hands": rows,
        "pool": night.pool,
        "balances": {names[player]: purse.balance for player, purse in night.purses.items()},
    }
    if pepper:
        answer["balances"] = _teams(state["scores"], names)
        answer["games"] = [
            {**game, "winner": team(game["winner"], names), "scores": _teams(game["scores"], names)}
            for game in state["games"]
        ]
    table = night_table({"stake": night.rules.stake, "pool": night.first.pool}, answer)
    return table + "\n".join(_beneath(night, known, names, state, rows))


def _teams(scores: Mapping[str, int], names: Mapping[str, str]) -> dict[str, int]:
    return {team(name, names): points for name, points in scores.items()}


def _row(night: Night, step: Step, names: Mapping[str, str]) -> dict[str, Any] | None:
    """Return what a step is as a row of the table; none where it is nothing that the table shows."""
    changes: dict[str, int] = {}
    match step:
        case HandStep():
            return _hand(night, step, names)
        case RulesStep():
            result = "other rules"
        case PoolStep():
            result = "closed night corrected"
        case CountStep(entries=entries) if entries:
            result, changes = "counted", _changes(night, step, names)
        case ChipsStep() if _moves_pool(step):
            changes = _changes(night, step, names)
            result = "pool shared" if changes else "pool brought in"
        case _:
            return None
    return {"hand": "", "dealer": "", "result": result, "changes": changes, "pool": step.after.pool}


def _changes(night: Night, step: Step, names: Mapping[str, str]) -> dict[str, int]:
    changes: dict[str, int] = {}
    for item in step.entries:
        for account, unit, moved in item.postings if item.memo not in _NO_RESULT else ():
            if account.startswith("player:") and unit == night.opened.unit:
                name = names[account.removeprefix("player:")]
                changes[name] = changes.get(name, 0) + moved
    return changes


def _moves_pool(step: Step) -> bool:
    return any(account.startswith("pool:") for item in step.entries for account, _unit, _amount in item.postings)


def _hand(night: Night, step: HandStep, names: Mapping[str, str]) -> dict[str, Any]:
    row = hand_row(night, step)
    marks = (
        "*" * bool(row["corrections"] and not step.void) + "?" * bool(row["disputed"]) + "!" * bool(row["needs_review"])
    )
    told: dict[str, Any] = {
        "hand": f"{step.number}{marks}",
        "dealer": names.get(row["dealer"] or "", ""),
        "result": _result(row),
        "changes": _teams(row["changes"], names),
        "pool": row["pool"],
    }
    if row.get("bid"):
        told["bidder"], told["bid"] = names[row["bidder"]], row["bid"]
    return told


def _result(row: Mapping[str, Any]) -> str:
    """Say how a hand ended; one that was taken out of the book is not one whose bid paid nothing."""
    if row["status"] == "void":
        return "taken out"
    return str(row["result"]) if row["status"] == "settled" else "in progress"


def _beneath(
    night: Night,
    known: ClubNight,
    names: Mapping[str, str],
    state: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
) -> Iterator[str]:
    found = {mark for row in rows for mark in str(row["hand"]) if mark in _MARKS}
    if found:
        yield ", ".join(f"{mark} {words}" for mark, words in _MARKS.items() if mark in found)
    if state["scores"] is None:
        yield _pool(night, names, state["pool"])
    yield from _chips(night, names)
    for step in night.hand_steps():
        if step.review is not None:
            yield f"hand {step.number} is to be looked at: {step.review}"
    if night.closed:
        again = f", revision {night.revision}" if night.revision > 1 else ""
        yield f"closed{again}; receipt {state['receipt']}"
    elif night.open_hand is None:
        dealer = names.get(state["dealer"] or "", "")
        yield f"open; {dealer} deals hand {night.hands + 1}" if dealer else "open"
    else:
        turn = names.get(state["hand"]["turn"] or "")
        yield f"open; hand {night.open_hand.number} is in progress" + (f", {turn} speaks" if turn else "")
    for closing in state["superseded"]:
        yield f"superseded: receipt {closing['receipt']} of revision {closing['revision']}"
    for correction in known.corrections:
        moved = ", ".join(f"{names.get(who, who)} {signed(chips)}" for who, chips in correction.members.items())
        yield f"corrected after its close: hand {correction.hand}, {moved or 'nobody moved'}, pool {correction.pool:+}"


def _pool(night: Night, names: Mapping[str, str], pool: Mapping[str, Any]) -> str:
    if not pool["chips"]:
        return "pool: empty"
    words = f"pool: {pool['chips']}"
    if pool["since_hand"] is not None:
        words += f", grown since hand {pool['since_hand']}"
    elif night.first.pool:
        words += ", brought forward"
    fed = ", ".join(f"{names.get(player, player)} {chips}" for player, chips in pool["fed_by"].items())
    return f"{words}; fed by {fed}" if fed else words


def _chips(night: Night, names: Mapping[str, str]) -> Iterator[str]:
    money = night.opened.money
    exponent = None if money is None else int(money["exponent"])
    for player, purse in night.purses.items():
        if purse.bought or purse.sold:
            stack = "" if night.closed else f", has {purse.stack}"
            paid = "".join(
                f", {word} {amount(units, exponent)}"
                for word, units in (("paid", purse.paid_in), ("was paid", purse.paid_out))
                if units
            )
            yield f"chips: {names[player]} bought {purse.bought}, sold {purse.sold}{stack}{paid}"
    if money is not None:
        settled = (
            f"{names[player]} {amount(night.worth(purse.balance) + purse.paid, exponent, sign=True)}"
            for player, purse in night.purses.items()
        )
        yield f"to settle, in {money['currency']}: {', '.join(settled)}"


# Hands one by one


def hands_text(rows: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """Return every hand with what is known of it, in a few lines each."""
    return "\n".join(line for row in rows for line in _hand_lines(row, names))


def _hand_lines(row: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    facts = row["facts"]
    played = [f"{names.get(row['dealer'] or '', 'nobody')} deals"]
    if row.get("bid"):
        played.append(f"{names[row['bidder']]} bids {row['bid'].replace('_', ' ')}")
    played.append(_result(row).replace("_", " "))
    yield f"{row['hand']:>3}  {', '.join(played)}; pool {row['pool']}"
    changes = ", ".join(f"{team(name, names)} {signed(chips)}" for name, chips in row["changes"].items())
    if changes:
        yield f"     {changes}"
    for key, says in _FACTS.items():
        if facts.get(key):
            yield f"     {says}: {_listed(facts[key], names)}"
    if row.get("note"):
        yield f"     note: {' '.join(row['note'].split())}"
    yield f"     recorded {row['recorded_at']} by {_by(row)}"
    for correction in row["corrections"]:
        yield f"     corrected {correction['at']} by {_by(correction)}"
    if row["disputed"]:
        yield "     disputed"
    if row["needs_review"]:
        yield f"     to be looked at: {row['needs_review']}"


_FACTS = {
    "bought": "cards bought",
    "peeks": "peeks",
    "bids": "auction",
    "tricks": "tricks",
    "revoke": "revoke",
    "led_out_of_turn": "led out of turn",
    "played_out_of_turn": "played out of turn",
    "foul": "wrong number of cards",
    "out": "missed it",
}


def _listed(value: Any, names: Mapping[str, str]) -> str:  # noqa: ANN401 - a fact of a hand
    if isinstance(value, Mapping):
        return ", ".join(f"{names.get(player, player)} {count}" for player, count in value.items())
    if isinstance(value, list):
        return ", ".join(_listed(item, names) if not isinstance(item, list) else _call(item, names) for item in value)
    return names.get(value, str(value).replace("_", " "))


def _call(call: Sequence[str], names: Mapping[str, str]) -> str:
    player, bid = call
    return f"{names.get(player, player)} {bid.replace('_', ' ')}"


def _by(row: Mapping[str, Any]) -> str:
    return f"{row['actor']} on {row['device']}" if row["device"] else str(row["actor"])


# Why a number is so


def explanation_text(told: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return the lines that sum to a balance, as a table."""
    rows = [
        [str(line["hand"] or ""), line["memo"].replace("_", " "), signed(line["change"]), str(line["balance"])]
        for line in told["lines"]
    ]
    title = "the pool" if told["account"] == "pool" else names[told["account"]]
    table = columns(["hand", "what", "change", "balance"], rows, ["", "", "", str(told["total"])], left=2)
    return f"{title}, in {told['unit']}\n{table}"
