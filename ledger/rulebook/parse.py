"""Text or data to a rulebook, strictly: an unknown key, a wrong type or an impossible value is refused by name."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn, cast

from ledger import values
from ledger.errors import BadValue, LedgerError, MissingKey, RulebookInvalid
from ledger.rulebook.locate import line_of
from ledger.rulebook.model import WIDOW_BID, Bid, Buy, Fine, Pool, PoolEffect, Rulebook, Score, Stakes, Widow

TEXT_LIMIT: Final = 200_000
"""The longest rulebook that is read, in characters."""

Reader = Callable[[object, str], Any]
_NEEDED: Final = object()
_BID_ID = re.compile(r"[a-z][a-z0-9_]{0,29}")
_EXAMPLE_KEYS = frozenset({"name", "players", "dealer", "pool", "stake", "house_rules", "scores", "hands", "expect"})


def parse(text: str, where: str = "rulebook") -> Rulebook:
    """Read a rulebook from TOML.

    Raises ``RulebookInvalid`` naming the file, the line and the key.
    """
    if len(text) > TEXT_LIMIT:
        raise RulebookInvalid(where=where, why=f"it is longer than {TEXT_LIMIT:,} characters")
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise RulebookInvalid(where=where, why=f"it is not TOML: {str(error).partition(';')[0]}") from None
    try:
        return read(raw)
    except LedgerError as error:
        line = line_of(text, error.field or "")
        raise RulebookInvalid(
            where=f"{where}, line {line}" if line else where, why=error.detail.rstrip("."), field=error.field
        ) from None


def read(raw: object, house_rules: Mapping[str, Any] | None = None) -> Rulebook:
    """Read a rulebook from data of the same shape; what an effective rulebook holds is such data too.

    Raises ``Unreadable`` errors that name the key.
    """
    root = _Section(values.mapping(raw, ""), "")
    family = root.take("family", _one_of("nap", "pepper"))
    nap = family == "nap"
    table = root.section("table")
    auction = root.section("auction")
    bids = _bids(root, family)
    pool = _pool(root.section("pool"))
    fines = _fines(root.section("fines"))
    teams = root.section("teams", allowed=not nap)
    teams.take("players", _whole(2, 2), 2)
    score = None if nap else _score(root.section("score"), bids)
    stakes_section = root.section("stakes", allowed=not nap)
    all_pass = auction.take(
        "all_pass",
        _one_of("redeal_next", "redeal_same", "dealer_min", "eldest_min", "double_next"),
        "redeal_next",
    )
    if not nap and "minimum_bid" in auction.data:
        all_pass = _forced_by_minimum(all_pass)
    book = Rulebook(
        id=root.take("id", values.identifier, "rulebook"),
        title=root.take("title", _title, {}),
        family=family,
        source=root.take("source", values.text, ""),
        notes=root.take("notes", values.text, ""),
        players=table.take("players", _players, (2, 10) if nap else (4, 4)),
        tricks=table.take("tricks", _whole(1, 26), 5 if nap else 6),
        dealer_sits_out_from=table.take("dealer_sits_out_from", _optional(_whole(3, 20)), None),
        dealer_out_pays=table.take("dealer_out_pays", values.flag, default=True),
        all_pass=all_pass,
        nap_may_raise=auction.take("nap_may_raise", values.flag, default=False),
        minimum_bid=auction.take("minimum_bid", _one_of(*(bid.id for bid in bids)), bids[0].id),
        until_passed=auction.take("rounds", _rounds, 1) != 1,
        bids=bids,
        pool=pool,
        fines=fines,
        score=score,
        stakes=Stakes(
            per_game=stakes_section.take("per_game", _chips, 0), per_point=stakes_section.take("per_point", _chips, 0)
        ),
        examples=root.take("examples", _examples, ()),
        house_rules=dict(house_rules or {}),
        raw=cast("Mapping[str, Any]", raw),
    )
    for section in (table, auction, teams, stakes_section, root):
        section.done()
    _require_sense(book)
    return book


# Sections


def _bids(root: _Section, family: str) -> tuple[Bid, ...]:
    rows = values.sequence(root.take("bids", _any, _NEEDED), "bids", 30)
    if not rows:
        raise BadValue(field="bids", wanted="at least one bid")
    fail = "bid" if family == "nap" else root.section("score").peek("fail", "bid")
    bids: list[Bid] = []
    for index, row in enumerate(rows):
        section = _Section(values.mapping(row, f"bids[{index}]"), f"bids[{index}]")
        bid = _bid(section, family, fail)
        if any(bid.id == lower.id for lower in bids):
            raise BadValue(field=f"bids[{index}].id", wanted=f"an id of its own: {bid.id!r} stands above already")
        if bid.over is not None and bid.over not in {lower.id for lower in bids}:
            raise BadValue(field=f"bids[{index}].over", wanted="a bid that stands above it in the file, so a lower one")
        bids.append(bid)
    return tuple(bids)


def _bid(section: _Section, family: str, fail: object) -> Bid:
    nap = family == "nap"
    collects = section.take("collects", _chips, _NEEDED)
    bid = Bid(
        id=section.take("id", _bid_id, _NEEDED),
        title=section.take("title", _title, {}),
        tricks=section.take("tricks", _whole(0, 26), _NEEDED),
        exactly=section.take("exactly", values.flag, default=False),
        collects=collects,
        pays=section.take("pays", _chips, collects if fail == "bid" else fail),
        takes_pool=nap and section.take("takes_pool", values.flag, default=False),
        on_fail_pool=section.take("on_fail_pool", _pool_effect, "none") if nap else "none",
        pays_players=section.take("pays_players", values.flag, default=True) if nap else True,
        over=section.take("over", _optional(_bid_id), None),
        trumps=section.take("trumps", values.flag, default=True),
        unattested=section.take("unattested", values.flag, default=False),
        defenders=None if nap else section.take("defenders", _optional(_chips), None),
    )
    section.done()
    return bid


def _pool(section: _Section) -> Pool:
    pool = Pool(
        opening_stake=section.take("opening_stake", _chips, 0),
        ante=section.take("ante", _chips, 0),
        dealer_stake=section.take("dealer_stake", _chips, 0),
        peek=section.take("peek", _optional(_chips), None),
        buy=section.take("buy", _optional(_buy), None),
        widow=section.take("widow", _optional(_widow), None),
        join_fee=section.take("join_fee", _one_of("opening", "none", "fair_share"), "opening"),
        stakes_stand_when_passed=section.take("stakes_stand_when_passed", values.flag, default=False),
        failed_pot=section.take("failed_pot", _one_of("carry", "refund"), "carry"),
        at_close=section.take("at_close", _one_of("carry", "split", "draw"), "carry"),
        refund_on_misdeal=section.take("refund_on_misdeal", values.flag, default=True),
        revoke_awards_pool=section.take("revoke_awards_pool", values.flag, default=True),
    )
    section.done()
    return pool


def _fines(section: _Section) -> dict[str, Fine]:
    fines = {
        "revoke": Fine(chips=_pool_fine(section, "revoke"), to="pool"),
        "led_out_of_turn": _fine(section, "led_out_of_turn"),
        "played_out_of_turn": _fine(section, "played_out_of_turn"),
        "misdeal": Fine(chips=_pool_fine(section, "misdeal"), to="pool"),
    }
    section.done()
    return fines


def _pool_fine(fines: _Section, key: str) -> int:
    section = fines.section(key)
    chips: int = section.take("pool", _chips, 0)
    section.done()
    return chips


def _fine(fines: _Section, key: str) -> Fine:
    section = fines.section(key)
    fine = Fine(chips=section.take("chips", _chips, 3), to=section.take("to", _one_of("bidder", "pool"), "bidder"))
    section.done()
    return fine


def _score(section: _Section, bids: tuple[Bid, ...]) -> Score:
    section.take("fail", _fail, "bid")  # read with the bids, whose `pays` it fills in
    negotiate = section.section("negotiate")
    score = Score(
        target=section.take("target", _whole(1, 100_000), _NEEDED),
        both_reach=section.take("both_reach", _one_of("play_on", "higher", "bidder"), "play_on"),
        swept=section.take("swept", _one_of("lose_bid", "nothing"), "nothing"),
        score_what_you_get=section.take("score_what_you_get", values.flag, default=False),
        dirty_clubs=section.take("dirty_clubs", values.flag, default=False),
        surrender=section.take("surrender", values.flag, default=True),
        pepper_round=section.take("pepper_round", _pepper_round, 0),
        negotiate={bid.id: negotiate.take(bid.id, _whole(1, 26)) for bid in bids if bid.id in negotiate.data},
    )
    negotiate.done()
    section.done()
    return score


class _Section:
    """One table of the file, read key by key; what was not asked for is unknown."""

    def __init__(self, data: Mapping[str, Any], path: str) -> None:
        self.data = data
        self.path = path
        self._sections: dict[str, _Section] = {}
        self._known: set[str] = set()

    def take(self, key: str, reader: Reader, default: object = _NEEDED) -> Any:  # noqa: ANN401 - the reader decides
        self._known.add(key)
        if key in self.data:
            return reader(self.data[key], self._at(key))
        if default is _NEEDED:
            raise MissingKey(field=self._at(key))
        return default

    def peek(self, key: str, default: object) -> object:
        value = self.data.get(key, default)
        return _fail(value, self._at(key))

    def section(self, key: str, *, allowed: bool = True) -> _Section:
        if key not in self._sections:
            if allowed:
                self._known.add(key)
            data = values.mapping(self.data.get(key, {}), self._at(key)) if allowed else {}
            self._sections[key] = _Section(data, self._at(key))
        return self._sections[key]

    def done(self) -> None:
        values.mapping(self.data, self.path, self._known)

    def _at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


# Values


def _any(value: object, _field: str) -> object:
    return value


def _whole(low: int, high: int) -> Reader:
    return lambda value, field: values.integer(value, field, low, high)


def _chips(value: object, field: str) -> int:
    return values.integer(value, field, 0)


def _optional(reader: Reader) -> Reader:
    return lambda value, field: None if value is None else reader(value, field)


def _one_of(*allowed: str) -> Reader:
    return lambda value, field: values.choice(value, field, allowed)


def _bid_id(value: object, field: str) -> str:
    if isinstance(value, str) and _BID_ID.fullmatch(value) and value != "pass":
        return value
    raise BadValue(field=field, wanted="the id of a bid, such as 'three' or 'nap'")


def _title(value: object, field: str) -> dict[str, str]:
    title = values.mapping(value, field)
    for language, words in title.items():
        if not re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", language):
            raise BadValue(field=field, wanted='texts by language, such as { en = "Nap" }')
        if not values.text(words, f"{field}.{language}", 160).strip():
            raise BadValue(field=f"{field}.{language}", wanted="a title")
    return dict(title)


def _players(value: object, field: str) -> tuple[int, int]:
    pair = values.sequence(value, field, 2)
    if len(pair) != 2:
        raise BadValue(field=field, wanted="two numbers: the fewest and the most players")
    fewest, most = (values.integer(item, field, 2, 20) for item in pair)
    if fewest > most:
        raise BadValue(field=field, wanted="the fewest players first, then the most")
    return fewest, most


def _rounds(value: object, field: str) -> int | str:
    if value == "until_passed":
        return "until_passed"
    if type(value) in {int, float} and value == 1:
        return 1
    raise BadValue(field=field, wanted='1 or "until_passed"')


def _pool_effect(value: object, field: str) -> PoolEffect:
    if isinstance(value, dict):
        values.mapping(value, field, {"fixed"})
        return _chips(values.required(value, "fixed", field), f"{field}.fixed")
    if isinstance(value, str) and value in {"none", "double", "per_player"}:
        return cast("PoolEffect", value)
    raise BadValue(field=field, wanted='"none", "double", "per_player" or { fixed = chips }')


def _buy(value: object, field: str) -> Buy:
    section = _Section(values.mapping(value, field), field)
    buy = Buy(price=section.take("price", _chips, _NEEDED), per=section.take("per", _one_of("card", "hand"), "card"))
    section.done()
    return buy


def _widow(value: object, field: str) -> Widow:
    section = _Section(values.mapping(value, field), field)
    widow = Widow(
        fail_pays=section.take("fail_pays", _chips, _NEEDED),
        on_fail_pool=section.take("on_fail_pool", _pool_effect, "none"),
    )
    section.done()
    return widow


def _fail(value: object, field: str) -> object:
    return value if value == "bid" else values.integer(value, field, 0)


def _pepper_round(value: object, field: str) -> int:
    return 0 if value is False else values.integer(value, field, 0, 1_000)


def _examples(value: object, field: str) -> tuple[Mapping[str, Any], ...]:
    rows = values.sequence(value, field, 500)
    for index, row in enumerate(rows):
        values.mapping(row, f"{field}[{index}]", _EXAMPLE_KEYS)
        for key in ("name", "players", "dealer", "hands", "expect"):
            values.required(row, key, f"{field}[{index}]")
    return tuple(rows)


# What cannot be


def _require_sense(book: Rulebook) -> None:
    if book.bids_by_id[book.minimum_bid].over is not None:
        _refuse("auction.minimum_bid", f"a bid that needs no other: {book.minimum_bid!r} may only be bid over one")
    for index, bid in enumerate(book.bids):
        if bid.tricks > book.tricks:
            _refuse(f"bids[{index}].tricks", f"at most table.tricks, which is {book.tricks}")
    if book.family == "pepper":
        if book.players != (4, 4):
            _refuse("table.players", "[4, 4]: Pepper is played by two teams of two")
        if book.pool != _NO_POOL:
            _refuse("pool", "left out: Pepper has no pool")
        if book.all_pass == "double_next":
            _refuse("auction.all_pass", "another: points are not doubled")
        if book.dealer_sits_out_from is not None:
            _refuse("table.dealer_sits_out_from", "left out: in Pepper all four play")
        assert book.score is not None
        for bid_id, tricks in book.score.negotiate.items():
            if tricks > book.tricks - book.bids_by_id[bid_id].tricks:
                _refuse(f"score.negotiate.{bid_id}", "no more tricks than the bid leaves to the defenders")
    if book.pool.widow is not None and WIDOW_BID not in book.bids_by_id:
        _refuse("pool.widow", f"left out where the ladder has no bid {WIDOW_BID!r}")
    if book.dealer_sits_out_from is not None and book.players[0] >= book.players[1] < book.dealer_sits_out_from:
        _refuse("table.dealer_sits_out_from", f"at most {book.players[1]}, the most players")


def _forced_by_minimum(all_pass: str) -> str:
    """In Pepper a minimum bid, once named, also binds the dealer when the others pass."""
    if all_pass not in {"redeal_next", "dealer_min"}:
        _refuse("auction.all_pass", "left out: with a minimum bid the dealer must bid it")
    return "dealer_min"


def _refuse(field: str, wanted: str) -> NoReturn:
    raise BadValue(field=field, wanted=wanted)


_NO_POOL: Final = _pool(_Section({}, "pool"))
