"""A rulebook as pages show it: its payment table, what house rules make of it, and its worked examples."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from flask_babel import lazy_gettext as later

from ledger.errors import BadValue, HouseRuleInvalid
from ledger.payment_table import REBUILT, changes, conditions, ladder, legend
from ledger.rulebook import Rulebook
from ledger.rulebook.keys import KEYS, Key
from ledger.sheet import score
from web.forms import Form
from web.words import gettext

LANGUAGE: Final = "en"

_HEADS: Final = {
    "bid": later("Bid"),
    "tricks": later("Tricks"),
    "made": later("Made"),
    "failed": later("Failed"),
    "fell short": later("Fell short"),
    "defenders": later("Defenders"),
    "swept": later("Swept"),
    "surrendered": later("Surrendered"),
    "granted": later("Granted"),
    "pool if made": later("Pool if made"),
    "pool if failed": later("Pool if failed"),
    "trumps": later("Trumps"),
    "only over": later("Only over"),
}

_SECTIONS: Final = {
    "table": later("The table"),
    "auction": later("The auction"),
    "pool": later("The pool"),
    "bids": later("The bids"),
    "fines": later("Fines"),
    "score": later("Scoring"),
    "stakes": later("Stakes"),
}


class Cell(NamedTuple):
    """What stands in a table, and what stood there without the change; None where nothing changed."""

    text: str
    before: str | None = None


def table_of(book: Rulebook, base: Rulebook, *, stake: int = 1, base_stake: int | None = None) -> dict[str, Any]:
    """Return a payment table; a cell that differs from ``base``, at its own stake, says what stood there."""
    before = stake if base_stake is None else base_stake
    rows, old = ladder(book, stake, LANGUAGE, _say), ladder(base, before, LANGUAGE, _say)
    every = [*rows.values(), *old.values()]
    names = [name for name in next(iter(rows.values())) if name != "id" and any(row.get(name) for row in every)]
    return {
        "head": [str(_HEADS.get(name, name)) for name in names],
        "rows": [[_cell(row[name], old.get(bid, {}).get(name)) for name in names] for bid, row in rows.items()],
        "numbers": {names.index(name) for name in ("tricks", "made", "failed", "fell short", "swept") if name in names},
        "legend": [*legend(book, _say)],
        "sections": _conditions(book, base, stake, before),
        "changes": [(path, _plain(was), _plain(now)) for path, was, now in changes(base, book)],
        "rebuilt": REBUILT,
    }


def _say(words: str, **values: object) -> str:
    return gettext(words).format(**values)


def _cell(text: str, before: str | None) -> Cell:
    return Cell(text, None) if before == text else Cell(text or "–", before or "–")


def _conditions(book: Rulebook, base: Rulebook, stake: int, before: int) -> dict[str, list[tuple[str, Cell]]]:
    old = conditions(base, before, LANGUAGE, _say)
    return {
        section: [(label, _cell(words, old.get(section, {}).get(label))) for label, words in lines.items()]
        for section, lines in conditions(book, stake, LANGUAGE, _say).items()
    }


def gist(book: Rulebook) -> list[str]:
    """Return what tells a game from others, in a few words."""
    fewest, most = book.players
    said = [gettext("%(fewest)s to %(most)s players", fewest=fewest, most=most)]
    if fewest == most:
        said = [gettext("%(most)s players", most=most)]
    if book.family == "pepper":
        return [*said, gettext("partners, to %(target)s points", target=book.score.target if book.score else "")]
    pool = book.pool
    if pool.peek is not None:
        said.append(gettext("a peep card") if pool.peek else gettext("a free peep card"))
    if pool.buy is not None:
        said.append(gettext("cards for sale"))
    if pool.widow is not None:
        said.append(gettext("a widow"))
    fed = pool.opening_stake or pool.ante or pool.dealer_stake
    said.append(
        gettext("a staked pool") if fed else gettext("a pool") if pool.peek is not None else gettext("no stakes")
    )
    return said


# Worked examples


def examples_of(book: Rulebook, base: Rulebook) -> list[dict[str, Any]]:
    """Return the rulebook's worked examples: each hand as it comes out, and as it does without the house rules."""
    told = []
    titles = {bid.id: book.bid_name(bid.id, LANGUAGE) for bid in book.bids}
    for example in base.examples:
        sheet = {key: value for key, value in example.items() if key not in ("expect", "name")}
        compared = _compared(_scored(sheet, book), _scored(sheet, base), titles)
        told.append({"name": example["name"], "pool": example.get("pool", 0), **compared})
    return told


def _scored(sheet: Mapping[str, Any], book: Rulebook) -> dict[str, Any]:
    return score({**sheet, "rulebook": book.id}, lambda _id: book)


def _compared(now: Mapping[str, Any], was: Mapping[str, Any], titles: Mapping[str, str]) -> dict[str, Any]:
    if "error" in now:
        as_it_was = "error" in was and was["error"]["code"] == now["error"]["code"]
        return {"error": now["error"]["detail"], "differs": not as_it_was, "hands": []}
    before = was.get("hands", [])
    hands = [
        {
            **hand,
            "bid": titles.get(hand["bid"], hand["bid"]) if "bid" in hand else None,
            "was": before[index] if index < len(before) else None,
            "who": list(hand["changes"]),
        }
        for index, hand in enumerate(now["hands"])
    ]
    differs = [(hand["changes"], hand["pool"]) for hand in now["hands"]] != [
        (hand["changes"], hand["pool"]) for hand in before
    ]
    return {"hands": hands, "differs": differs or "error" in was, "error": None}


# House rules as a form


class Switch(NamedTuple):
    """A switch in a form: its path, what it is called and says, its kind of field, what stands there, its choices."""

    path: str
    label: str
    says: str
    kind: str
    value: str
    original: str
    options: list[tuple[str, str]]


_LABELS: Final = {
    "table.dealer_sits_out_from": later("The dealer sits out from"),
    "table.dealer_out_pays": later("A dealer who sits out pays"),
    "auction.all_pass": later("When all pass"),
    "auction.minimum_bid": later("Lowest bid"),
    "auction.nap_may_raise": later("Nap may speak again"),
    "auction.rounds": later("Each speaks"),
    "pool.buy": later("Bought cards"),
    "pool.join_fee": later("A late-comer stakes"),
    "pool.stakes_stand_when_passed": later("Stakes stand when passed out"),
    "pool.failed_pot": later("After a failed bid"),
    "pool.at_close": later("At the close"),
    "pool.refund_on_misdeal": later("Misdeals refund peeks"),
    "pool.revoke_awards_pool": later("A revoke awards the pool"),
    "collects": later("Made: each pays"),
    "pays": later("Failed: pays each"),
    "takes_pool": later("Made: takes the pool"),
    "on_fail_pool": later("Failed: into the pool"),
    "pays_players": later("Failed: pays the players"),
    "defenders": later("Defenders score"),
}

_VALUES: Final = {
    "redeal_next": later("the next dealer deals"),
    "redeal_same": later("the same dealer deals again"),
    "dealer_min": later("the dealer must bid"),
    "eldest_min": later("eldest must bid"),
    "double_next": later("the next deal counts double"),
    "until_passed": later("until all but one have passed"),
    "opening": later("the opening stake"),
    "fair_share": later("his share of the pool"),
    "carry": later("the pool carries over"),
    "refund": later("stakes go back"),
    "split": later("the pool is split"),
    "draw": later("the pool is drawn for"),
    "play_on": later("they play on"),
    "higher": later("the higher score wins"),
    "bidder": later("the bidder"),
    "lose_bid": later("the points of the bid"),
    "none": later("nothing"),
    "nothing": later("nothing"),
    "double": later("the bidder doubles it"),
    "per_player": later("the bidder pays for every payer"),
}

_SKIPPED: Final = frozenset(
    {
        "table.players",
        "table.tricks",
        "bids.*.tricks",
        "bids.*.exactly",
        "bids.*.over",
        "bids.*.trumps",
        "score.negotiate",
    }
)
"""What makes another game of it: for a rulebook of one's own."""


def switches_of(book: Rulebook, base: Rulebook) -> dict[str, list[tuple[str, list[Switch]]]]:
    """Return what house rules may change, by section and, for bids, by bid; with the value that holds now."""
    now, original = _leaves(book), _leaves(base)
    found: dict[str, list[tuple[str, list[Switch]]]] = {}
    for key in KEYS:
        section, _dot, rest = key.path.partition(".")
        if (
            not key.switch
            or key.path in _SKIPPED
            or key.family not in ("both", base.family)
            or section not in _SECTIONS
        ):
            continue
        if section == "bids":
            continue
        if key.path not in original or rest.count(".") > 1 or "*" in rest:
            continue
        _group(found, str(_SECTIONS[section]), "").append(_switch(key, key.path, now, original, base))
    bids = _group_list(found, str(_SECTIONS["bids"]))
    for bid in base.bids:
        rows = [
            _switch(key, path, now, original, base)
            for key in KEYS
            if key.path.startswith("bids.*.")
            and key.switch
            and key.path not in _SKIPPED
            and (path := key.path.replace("*", bid.id)) in original
        ]
        bids.append((base.bid_name(bid.id, LANGUAGE), rows))
    return found


def house_rules_of(form: Form, base: Rulebook, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return the house rules that a form makes: every switch that is not as the rulebook has it.

    Those of the ``kept`` ones that the form does not show stay. Raises ``BadValue`` naming the field.
    """
    original = _leaves(base)
    shown = {name.removeprefix("rule.") for name in form.values if name.startswith("rule.")}
    rules = {path: value for path, value in kept.items() if path not in shown}
    for path in sorted(shown):
        if path not in original:
            continue
        text = form.value(f"rule.{path}").strip()
        value = _read(path, text)
        if value != original[path]:
            rules[path] = value
    return rules


def field_of(error: HouseRuleInvalid) -> str:
    """Return the field of the form that a refused switch stands in."""
    return f"rule.{error.field}"


def _read(path: str, text: str) -> Any:  # noqa: ANN401 - JSON is of any shape
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        if text.replace("_", "").isalpha():
            return text
        raise BadValue(field=f"rule.{path}", wanted=gettext("a whole number")) from None


def _group(found: dict[str, list[tuple[str, list[Switch]]]], section: str, name: str) -> list[Switch]:
    groups = _group_list(found, section)
    for known, rows in groups:
        if known == name:
            return rows
    groups.append((name, []))
    return groups[-1][1]


def _group_list(found: dict[str, list[tuple[str, list[Switch]]]], section: str) -> list[tuple[str, list[Switch]]]:
    return found.setdefault(section, [])


def _switch(key: Key, path: str, now: Mapping[str, Any], original: Mapping[str, Any], base: Rulebook) -> Switch:
    options = _options(key, path, now, original, base)
    last = path.rpartition(".")[2]
    label = path.split(".")[1].replace("_", " ") if last in ("pool", "chips") else last.replace("_", " ")
    if last == "to":
        label = gettext("%(fine)s goes to", fine=path.split(".")[1].replace("_", " "))
    return Switch(
        path=path,
        label=str(_LABELS.get(path) or _LABELS.get(last) or label[:1].upper() + label[1:]),
        says=key.says.replace("`", "") if "*" not in key.path else "",
        kind="select" if options else "number",
        value=_written(now.get(path)),
        original=_plain(original[path]),
        options=options,
    )


def _options(
    key: Key, path: str, now: Mapping[str, Any], original: Mapping[str, Any], base: Rulebook
) -> list[tuple[str, str]]:
    """Return the choices of a switch, as values and words; none where it is a number."""
    if key.values == "true, false":
        return [("true", gettext("yes")), ("false", gettext("no"))]
    if path == "auction.rounds":
        return [("1", gettext("once")), ("until_passed", _plain("until_passed"))]
    if path == "auction.minimum_bid":
        bids = [(bid.id, base.bid_name(bid.id, LANGUAGE)) for bid in base.bids]
        return [("", gettext("nobody must bid")), *bids] if base.family == "pepper" else bids
    if path.endswith("on_fail_pool"):
        values: list[Any] = ["none", "double", "per_player", *({"fixed": chips} for chips in range(1, 11))]
    elif path == "pool.buy":
        values = [None, *({"price": price, "per": per} for per in ("card", "hand") for price in range(1, 6))]
    elif path == "pool.widow":
        values = [None, *({"fail_pays": pays, "on_fail_pool": "none"} for pays in (5, 10))]
    elif key.values.startswith('"'):
        values = [word.strip().strip('"') for word in key.values.split(",")]
        values = [word for word in values if word.replace("_", "").isalpha()]
    elif key.path == "auction.rounds":
        values = [1, "until_passed"]
    else:
        return []
    for there in (original[path], now.get(path)):
        if there not in values:
            values.append(there)
    return [(_written(value), _plain(value)) for value in values]


def _written(value: Any) -> str:  # noqa: ANN401 - as above
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def _plain(value: Any) -> str:  # noqa: ANN401 - as above
    match value:
        case None:
            return gettext("none")
        case True:
            return gettext("yes")
        case False:
            return gettext("no")
        case {"fixed": chips}:
            return gettext("the bidder adds %(chips)s", chips=chips)
        case {"price": price, "per": per}:
            return (
                gettext("%(price)s a card", price=price) if per == "card" else gettext("%(price)s a hand", price=price)
            )
        case {"fail_pays": pays, "on_fail_pool": into}:
            words = gettext("who fails with it pays %(pays)s each", pays=pays)
            return words if into == "none" else f"{words}; {_plain(into)}"
        case dict() | list():
            return json.dumps(value)
        case _:
            return str(_VALUES.get(value, str(value).replace("_", " ")))


def _leaves(book: Rulebook) -> dict[str, Any]:
    """Return every switch by its path; a minimum bid that is left out too."""
    return {"auction.minimum_bid": None, **dict(_walk(book.effective, ""))}


def _walk(data: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        if key == "bids" and not prefix:
            for bid in value:
                yield from _walk(bid, f"bids.{bid['id']}.")
        elif isinstance(value, dict) and key not in {"on_fail_pool", "buy", "widow", "negotiate"}:
            yield from _walk(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
