"""A rulebook as a payment table that can be checked against the book on the shelf."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ledger.cli.tables import columns
from ledger.play import rules_for
from ledger.rulebook import Bid, Rulebook
from ledger.rulebook.model import PoolEffect, title_in

WIDTH: Final = 100
CHANGED: Final = "*"
REBUILT: Final = "†"

Ladder = dict[str, dict[str, str]]
"""A row for each bid, by its id: cells by column."""

Conditions = dict[str, dict[str, str]]
"""What holds beside the ladder: words by section and label."""


def payment_table(book: Rulebook, base: Rulebook, *, stake: int = 1, language: str = "en") -> str:
    """Return a rulebook for people to read; what differs from ``base``, the one without house rules, is marked.

    Chips are at ``stake``, points of Pepper as they are; ``language`` is that of the titles.
    """
    parts = [_head(book, stake, language)]
    parts.append(_ladder_text(ladder(book, stake, language), ladder(base, stake, language)))
    parts.append("\n".join(textwrap.fill(line, WIDTH) for line in legend(book)))
    parts.extend(_sections(conditions(book, stake, language), conditions(base, stake, language)))
    if book is not base:
        parts.append(_house_rules(changes(base, book)))
    if book.notes.strip():
        parts.append("Notes\n\n" + _filled(book.notes))
    parts.append(f"Digest {book.digest}")
    return "\n\n".join(parts)


def changes(base: Rulebook, book: Rulebook) -> list[tuple[str, Any, Any]]:
    """Return every switch in which two rulebooks differ, with its value in each; ``None`` where it is left out."""
    before, after = _leaves(base.effective), _leaves(book.effective)
    paths = [*before, *(path for path in after if path not in before)]
    return [(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)]


def _leaves(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for key, value in data.items():
        if key == "bids":
            for bid in value:
                leaves.update(_leaves(bid, f"bids.{bid['id']}."))
        elif isinstance(value, dict) and key not in {"on_fail_pool", "buy", "widow", "negotiate"}:
            leaves.update(_leaves(value, f"{prefix}{key}."))
        else:
            leaves[f"{prefix}{key}"] = value
    return leaves


# Round the ladder


def _head(book: Rulebook, stake: int, language: str) -> str:
    title = book.name(language)
    source = textwrap.fill(" · ".join(filter(None, (book.id, book.source))), WIDTH)
    return "\n".join([title, "=" * len(title), source, *([f"Chips at stake {stake}."] if stake != 1 else [])])


def legend(book: Rulebook) -> Iterator[str]:
    """Yield what the columns of the ladder mean."""
    if book.score is not None:
        yield "made, fell short: points of the bidding side."
        yield "defenders, swept: points of defenders who play and take a trick, or none."
        if book.score.surrender or book.score.negotiate:
            yield "surrendered, granted: points of both sides, the bidders' first."
    else:
        out = " and a dealer who sits out" if book.dealer_sits_out_from is not None and book.dealer_out_pays else ""
        yield "made: what each payer pays the bidder. failed: what the bidder pays each payer."
        yield f"payers: everybody in the hand, the bidder{out} included."
    if any(bid.unattested for bid in book.bids):
        yield (
            f"{REBUILT} reconstructed: this row is lost in the source, and rebuilt from other witnesses or by "
            "analogy; see the notes."
        )


def _house_rules(changed: list[tuple[str, Any, Any]]) -> str:
    if not changed:
        return "The house rules change nothing."
    rows = [[f"  {path}", f"{_shown(old)} -> {_shown(new)}"] for path, old, new in changed]
    width = max(len(path) for path, _values in rows)
    head = f"House rules, at stake 1 (marked {CHANGED})"
    return "\n".join([head, *(f"{path:<{width}}  {values}" for path, values in rows)])


def _shown(value: object) -> str:
    match value:
        case None:
            return "left out"
        case bool():
            return str(value).lower()
        case dict():
            return "{" + ", ".join(f"{key}: {_shown(item)}" for key, item in value.items()) + "}"
        case _:
            return str(value)


def _filled(notes: str) -> str:
    paragraphs = re.split(r"\n\s*\n", notes.strip())
    return "\n\n".join(textwrap.fill(" ".join(paragraph.split()), WIDTH) for paragraph in paragraphs)


# The ladder


def ladder(book: Rulebook, stake: int, language: str) -> Ladder:
    """Return what each bid that may be made collects and pays, lowest first."""
    return {bid.id: _row(book, bid, stake, language) for bid in book.bids if bid.id in book.rank}


def _row(book: Rulebook, bid: Bid, stake: int, language: str) -> dict[str, str]:
    needed = f"just {bid.tricks}" if bid.exactly else str(bid.tricks)
    return {
        "bid": (title_in(bid.title, language) or bid.id) + (REBUILT if bid.unattested else ""),
        "id": bid.id,
        "tricks": "none" if needed == "just 0" else needed,
        **(_points(book, bid) if book.family == "pepper" else _chips(book, bid, stake)),
        "trumps": "" if bid.trumps else "none",
        "only over": book.bid_name(bid.over, language) if bid.over else "",
    }


def _chips(book: Rulebook, bid: Bid, stake: int) -> dict[str, str]:
    stays = "stays" if _has_pool(book) else ""
    failed = [_effect(bid.on_fail_pool, bid.pays, stake), "stakes go back" if book.pool.failed_pot == "refund" else ""]
    return {
        "made": str(bid.collects * stake),
        "failed": str(bid.pays * stake) if bid.pays_players else "-",
        "pool if made": "taken" if bid.takes_pool else stays,
        "pool if failed": "; ".join(filter(None, failed)) or stays,
    }


def _effect(effect: PoolEffect, pays: int, stake: int) -> str:
    match effect:
        case "none" | 0:
            return ""
        case "double":
            return "bidder doubles it"
        case "per_player":
            return f"bidder adds {pays * stake} x payers"
        case _:
            return f"bidder adds {effect * stake}"


def _has_pool(book: Rulebook) -> bool:
    """Tell whether anything at all comes into the pool, or takes it."""
    pool, fines = book.pool, book.fines.values()
    return any(
        (
            *(pool.opening_stake, pool.ante, pool.dealer_stake, pool.peek, pool.buy and pool.buy.price),
            *(bid.takes_pool or bid.on_fail_pool not in {"none", 0} for bid in book.bids),
            pool.widow and pool.widow.on_fail_pool not in {"none", 0},
            *(fine.to == "pool" and fine.chips for fine in fines),
        )
    )


def _points(book: Rulebook, bid: Bid) -> dict[str, str]:
    """Return points from the table that also scores hands."""
    score, points = book.score, rules_for(book).points[bid.id]
    assert score is not None
    made = [points[str(tricks)][0] for tricks in range(book.tricks + 1) if bid.made_with(tricks)]
    granted = " or ".join(str(tricks) for tricks in range(1, score.negotiate.get(bid.id, 0) + 1))
    return {
        "made": str(made[0]) if made[0] == made[-1] else f"{made[0]} to {made[-1]}",
        "fell short": str(-bid.pays),
        "defenders": "1 a trick" if bid.defenders is None else str(bid.defenders),
        "swept": str(points[str(book.tricks)][1]),
        "surrendered": "{} : {}".format(*points["surrendered"]) if score.surrender else "",
        "granted": f"{bid.collects} : {granted}" if granted else "",
    }


def _ladder_text(rows: Ladder, before: Ladder) -> str:
    names = [name for name in next(iter(rows.values())) if any(row[name] for row in (*rows.values(), *before.values()))]
    table = [
        [_marked(row[name], before[bid][name] if bid in before else None) for name in names]
        for bid, row in rows.items()
    ]
    by_column = [_aligned(column) for column in zip(*table, strict=True)]
    return columns(names, list(zip(*by_column, strict=True)), left=len(names))


def _marked(cell: str, before: str | None) -> str:
    return cell if cell == before else f"{cell or '-'}{CHANGED}"


def _aligned(column: tuple[str, ...]) -> list[str]:
    """Return cells under each other at the right where all are numbers, the mark of a change beside them."""
    figures = [cell.removesuffix(CHANGED) for cell in column]
    if not all(re.fullmatch(r"-?\d*", figure) for figure in figures):
        return list(column)
    width = max(map(len, figures))
    return [f"{figure:>{width}}{cell[len(figure) :]}" for figure, cell in zip(figures, column, strict=True)]


# Beside the ladder


def _sections(conditions: Conditions, before: Conditions) -> Iterator[str]:
    width = max(len(label) for lines in conditions.values() for label in lines)
    for section, lines in conditions.items():
        text = [section]
        for label, words in lines.items():
            mark = " " if before[section].get(label) == words else CHANGED
            head = f"{mark} {label:<{width}}  "
            text.append(textwrap.fill(words, WIDTH, initial_indent=head, subsequent_indent=" " * len(head)))
        yield "\n".join(text)


def conditions(book: Rulebook, stake: int, language: str) -> Conditions:
    """Return what holds beside the ladder: the pool, prices, fines, the deal."""
    if book.family == "pepper":
        return {"The game": _game(book, stake), "The deal": _deal(book, language)}
    return {
        "The pool": _pool(book, stake) if _has_pool(book) else {"fed by": "nothing: there is no pool"},
        "Prices, to the pool": _prices(book, stake),
        "Fines": _fines(book, stake),
        "The deal": {"dealer": _dealer(book), **_deal(book, language)},
    }


def _pool(book: Rulebook, stake: int) -> dict[str, str]:
    pool = book.pool
    opening, ante, dealer = (chips * stake for chips in (pool.opening_stake, pool.ante, pool.dealer_stake))
    fees = {"opening": opening, "none": 0, "fair_share": "his share of it, rounded up,"}
    fee = fees[pool.join_fee]
    return {
        "opening stake": f"{opening} from each payer, when a deal finds the pool empty" if opening else "none",
        "ante": f"{ante} from each payer, every deal" if ante else "none",
        "dealer's stake": (
            f"{dealer} from the dealer, every deal{' that does not open a pool' if opening else ''}"
            if dealer
            else "none"
        ),
        "late-comer": f"{fee} at his first deal of a running pool" if fee else "nothing more",
        "made by a revoke": "a bid that takes the pool takes it" if pool.revoke_awards_pool else "the pool stays",
        "failed bid": (
            "everybody gets his own stakes of the deal back"
            if pool.failed_pot == "refund"
            else "what the pool holds carries over"
        ),
        "closing": {
            "carry": "the pool stays for the next night",
            "split": "the pool is split equally, odd chips from the last dealer's left",
            "draw": "the pool goes to who draws for it",
        }[pool.at_close],
    }


def _prices(book: Rulebook, stake: int) -> dict[str, str]:
    peek, buy, widow = book.pool.peek, book.pool.buy, book.pool.widow
    taker = "none"
    if widow is not None:
        into = _effect(widow.on_fail_pool, widow.fail_pays, stake)
        taker = f"free; who takes it must bid Nap, and if he fails pays {widow.fail_pays * stake} each"
        taker += f" ({into})" if into else ""
    return {
        "peek": "no peeks" if peek is None else f"{peek * stake or 'free'}, once a hand",
        "cards": (
            "none for sale"
            if buy is None
            else f"{buy.price * stake} {'each' if buy.per == 'card' else 'whatever their number'}, up to five"
        ),
        "widow": taker,
    }


def _fines(book: Rulebook, stake: int) -> dict[str, str]:
    chips = {name: fine.chips * stake for name, fine in book.fines.items()}
    led, played = book.fines["led_out_of_turn"].to, book.fines["played_out_of_turn"].to
    by = "from the bidder too" if led == "pool" else "from an opponent"
    unpaid = "an opponent gets nothing from a failed bid"
    return {
        "revoke": "the hand ends: the bidder's own is a failed bid, an opponent pays for all as if it were made"
        + (f"; {chips['revoke']} more to the pool" if chips["revoke"] else ""),
        "led out of turn": f"{chips['led_out_of_turn']} to the {led}, {by}; {unpaid}",
        "played out of turn": f"{chips['played_out_of_turn']} to the {played}, from an opponent; {unpaid}",
        "misdeal": f"{chips['misdeal']} to the pool, from the dealer" if chips["misdeal"] else "nothing",
    }


def _dealer(book: Rulebook) -> str:
    if book.dealer_sits_out_from is None:
        return "always plays"
    pays = "pays and is paid" if book.dealer_out_pays else "neither pays nor is paid"
    stake = ", and owes his stake" if book.pool.dealer_stake else ""
    return f"takes no cards with {book.dealer_sits_out_from} players or more; then he {pays}{stake}"


def _deal(book: Rulebook, language: str) -> dict[str, str]:
    pool, (fewest, most) = book.pool, book.players
    lowest = book.bid_name(book.minimum_bid, language)
    staked = pool.opening_stake or pool.ante or pool.dealer_stake
    stand = "; stakes stand and nobody stakes again" if staked and pool.stakes_stand_when_passed else ""
    returned = "; peeks and purchases " + ("go back" if pool.refund_on_misdeal else "stay in the pool")
    bought = pool.peek is not None or pool.buy is not None
    return {
        "players": f"{fewest} to {most}" if fewest < most else str(most),
        "tricks": str(book.tricks),
        "auction": (
            ("goes round until all but one have passed" if book.until_passed else "each speaks once")
            + f"; the lowest bid is {lowest}"
            + ("; an overcalled Nap bidder may speak again" if book.nap_may_raise else "")
        ),
        "all pass": {
            "redeal_next": f"thrown in; the next dealer deals{stand}",
            "redeal_same": f"thrown in; the same dealer deals again{stand}",
            "dealer_min": f"{lowest} falls to the dealer, or if he sits out to the last with cards",
            "eldest_min": f"{lowest} falls to eldest, at the dealer's left",
            "double_next": f"the next dealer deals; bids collect and pay double until one is made{stand}",
        }[book.all_pass],
        "misdeal": f"the same dealer deals again{'; stakes stand' if staked else ''}{returned if bought else ''}",
    }


def _game(book: Rulebook, stake: int) -> dict[str, str]:
    score, stakes = book.score, book.stakes
    assert score is not None
    chips = [f"{stakes.per_game * stake} a game"] if stakes.per_game else []
    chips += [f"{stakes.per_point * stake} for each point between the scores"] if stakes.per_point else []
    refused = ", but not when clubs are trumps" if score.dirty_clubs else ""
    return {
        "target": f"{score.target} points",
        "both reach it": {
            "play_on": "they play on until one team alone is there",
            "higher": "the higher score wins; a tie plays on",
            "bidder": "the bidding side wins",
        }[score.both_reach],
        "made bid": "scores every trick taken, if they are more"
        if score.score_what_you_get
        else "scores the points above",
        "surrender": f"before play{refused}" if score.surrender else "not allowed",
        "granted tricks": f"in place of play{refused}" if score.negotiate else "none",
        "pepper round": (
            f"in the first {score.pepper_round} hands of a game eldest counts as having made the lowest bid"
            if score.pepper_round
            else "none"
        ),
        "revoke": (
            "by the bidding side: it has failed, and the defenders score their tricks, at least one; by a defender: "
            "a surrender"
        ),
        "chips": f"each loser pays the winner at his left {' and '.join(chips)}" if chips else "none change hands",
    }
