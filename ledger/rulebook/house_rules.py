"""House rules: a club's changes, as a flat map laid over a rulebook."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ledger import values
from ledger.errors import HouseRuleAmbiguous, HouseRuleInvalid, HouseRuleUnknown, LedgerError
from ledger.rulebook.model import Rulebook
from ledger.rulebook.parse import read


def apply_house_rules(book: Rulebook, house_rules: Mapping[str, Any]) -> Rulebook:
    """Return a rulebook with a club's changes; what a change leaves out keeps following the rulebook's defaults.

    Raises ``HouseRuleUnknown``, ``HouseRuleAmbiguous`` and ``HouseRuleInvalid``, naming the switch.
    """
    if not house_rules:
        return book
    # Examples stay as they are: they may be nested too deeply to be copied.
    raw = {key: value if key == "examples" else copy.deepcopy(value) for key, value in book.raw.items()}
    known = switches(book)
    changes: dict[str, tuple[str, Any]] = {}
    for switch, value in values.mapping(house_rules, "house_rules").items():
        path = _resolve(book, switch, known)
        if path in changes:
            raise HouseRuleInvalid(field=switch, why=f"{changes[path][0]!r} sets {path} already")
        changes[path] = (switch, value)
        _set(raw, path.split("."), value)
    try:
        return read(raw, {**book.house_rules, **{path: value for path, (_switch, value) in changes.items()}})
    except LedgerError as error:
        blamed = _switch_of(error.field or "", book, changes)
        raise HouseRuleInvalid(field=blamed, why=error.detail.rstrip(".")) from None


def switches(book: Rulebook) -> frozenset[str]:
    """Return the dotted path of everything that a house rule may set in this rulebook."""
    paths: set[str] = set()
    for section, keys in book.effective.items():
        if section == "bids":
            paths.update(f"bids.{bid['id']}.{key}" for bid in keys for key in bid if key != "id")
        elif isinstance(keys, dict):
            paths.update(_leaves(section, keys))
    paths.discard("teams.players")
    paths.add("auction.minimum_bid")
    if book.family == "nap":
        paths.update(("fines.led_out_of_turn", "fines.played_out_of_turn"))
        paths.update(("pool.buy.price", "pool.buy.per", "pool.widow.fail_pays", "pool.widow.on_fail_pool"))
    else:
        paths.update((*(f"score.negotiate.{bid.id}" for bid in book.bids), "score.negotiate", "score.fail"))
    return frozenset(paths)


def _leaves(prefix: str, keys: Mapping[str, Any]) -> list[str]:
    paths = []
    for key, value in keys.items():
        if isinstance(value, dict) and key not in {"buy", "widow"}:
            paths.extend(_leaves(f"{prefix}.{key}", value))
        else:
            paths.append(f"{prefix}.{key}")
    return paths


def _resolve(book: Rulebook, switch: str, known: frozenset[str]) -> str:
    if switch in known:
        return switch
    found = sorted(path for path in known if path.endswith(f".{switch}"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise HouseRuleUnknown(field=switch, rulebook=book.id)
    raise HouseRuleAmbiguous(field=switch, paths=" or ".join(found[:6]))


def _set(raw: dict[str, Any], path: list[str], value: object) -> None:
    if path[0] == "bids":
        place = next(bid for bid in raw["bids"] if bid["id"] == path[1])
        path = path[2:]
    else:
        place = raw
    for part in path[:-1]:
        if not isinstance(place.get(part), dict):
            place[part] = {}
        place = place[part]
    if value is None and path[-1] != "on_fail_pool":
        place.pop(path[-1], None)
    else:
        place[path[-1]] = value


def _switch_of(field: str, book: Rulebook, changes: Mapping[str, tuple[str, Any]]) -> str:
    """Return the switch that an error about a key of the rulebook comes from."""
    for index, bid in enumerate(book.bids):
        field = field.replace(f"bids[{index}]", f"bids.{bid.id}")
    for path, (switch, _value) in changes.items():
        if field == path or field.startswith(f"{path}.") or path.startswith(f"{field}."):
            return switch
    return next(iter(changes.values()))[0]
