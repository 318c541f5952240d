"""Night sheets: a night on paper, scored from its facts alone, without a store (contract, section 3)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from ledger import values
from ledger.errors import BadValue, FactsClash, LedgerError, NotSeated, OutOfRange, TotalTooLarge
from ledger.hands import player, read_hand, seated_players
from ledger.play import Carry, Played, Rules, play, rules_for, start
from ledger.play.carry import Game, team_names
from ledger.play.points import running_game, stakes_paid
from ledger.rulebook import Rulebook, apply_house_rules, read
from ledger.rulebooks import preset

HANDS_LIMIT: Final = 200_000
"""The most hands that one sheet may have."""

STAKE_LIMIT: Final = values.AMOUNT_LIMIT

_TEAM_LIMIT: Final = 2_001
"""Two names and what joins them, before they are normalized."""

EXAMPLES_NEEDED: Final = 3
"""The fewest examples that make a rulebook worth believing."""

Resolve = Callable[[str], Rulebook]
"""Finds the rulebook that a sheet names: a preset, and where files may be read, a file."""

_KEYS = frozenset(
    {"id", "rulebook", "house_rules", "stake", "players", "dealer", "pool", "scores", "hands", "expect", "name", "note"}
)


class Sheet(NamedTuple):
    """A night sheet, read."""

    id: str | None
    rules: Rules
    carry: Carry
    hands: list[Any]
    expect: Mapping[str, Any]


def score(data: object, resolve: Resolve = preset) -> dict[str, Any]:
    """Return what a night comes to, or ``{"id", "error"}`` for a sheet that cannot be scored."""
    sheet_id: str | None = None
    number: int | None = None
    try:
        sheet_id = _sheet_id(values.mapping(data, "sheet").get("id"))
        sheet = read_sheet(data, resolve)
        result = _Result(sheet)
        for number, facts in enumerate(sheet.hands, start=1):
            result.add(number, play(sheet.rules, result.carry, read_hand(facts)))
        return result.as_json()
    except LedgerError as error:
        return refusal(sheet_id, error, number)


def refusal(sheet: object, error: LedgerError, hand: int | None = None) -> dict[str, Any]:
    """Return the object that stands in the place of a sheet that cannot be scored."""
    return {"id": sheet, "error": {"code": error.code, "detail": error.detail, "hand": hand}}


def read_sheet(data: object, resolve: Resolve = preset) -> Sheet:
    """Read a sheet up to its hands, which are read as they are played.

    Raises ``LedgerError`` naming the field.
    """
    sheet = values.mapping(data, "sheet", _KEYS)
    rules = read_rules(sheet, resolve)
    seats = seated_players(values.required(sheet, "players"), "players")
    dealer = player(values.required(sheet, "dealer"), "dealer")
    if dealer not in seats:
        raise NotSeated(field="dealer", player=dealer)
    carry = start(seats, dealer, values.integer(sheet.get("pool", 0), "pool", 0))
    if rules.book.family == "pepper":
        if carry.pool:
            raise FactsClash(field="pool", other="Pepper, which has none")
        rules.seating(seats, (), carry, dealer)
        if any("+" in name for name in seats):
            raise BadValue(field="players", wanted="names without '+', which joins the names of a team")
        carry = carry._replace(game=_first_game(rules, carry, sheet.get("scores")))
    elif "scores" in sheet:
        raise FactsClash(field="scores", other="a game for chips")
    for key in ("name", "note"):
        values.text(sheet.get(key, ""), key)
    return Sheet(
        id=_sheet_id(sheet.get("id")),
        rules=rules,
        carry=carry,
        hands=values.sequence(values.required(sheet, "hands"), "hands", HANDS_LIMIT),
        expect=values.mapping(sheet.get("expect", {}), "expect", _EXPECT_KEYS),
    )


def read_rules(sheet: Mapping[str, Any], resolve: Resolve = preset) -> Rules:
    """Return the rules that a sheet is played by: rulebook, house rules and stake."""
    named = values.required(sheet, "rulebook")
    if isinstance(named, dict):
        book = read(named)
    elif isinstance(named, str):
        book = resolve(named)
    else:
        raise BadValue(field="rulebook", wanted="the id of a rulebook, a file, or a rulebook as an object")
    book = apply_house_rules(book, values.mapping(sheet.get("house_rules", {}), "house_rules"))
    return rules_for(book, values.integer(sheet.get("stake", 1), "stake", 1, STAKE_LIMIT))


def _sheet_id(value: object) -> str | None:
    if type(value) is int:
        return str(value)
    return None if value is None else values.text(value, "id", 200)


def _first_game(rules: Rules, carry: Carry, scores: object) -> Game:
    game = running_game(carry, carry.seats)
    if scores is None:
        return game
    names = team_names(game)
    written = {_team(team): points for team, points in values.mapping(scores, "scores").items()}
    given = values.mapping(written, "scores", names)
    first, second = (values.integer(given.get(name, 0), f"scores.{name}") for name in names)
    assert rules.book.score is not None
    target = rules.book.score.target
    if (first >= target) != (second >= target):
        raise OutOfRange(field="scores", low=-values.AMOUNT_LIMIT, high=target - 1)
    return game._replace(scores=(first, second))


def _team(name: str) -> str:
    return unicodedata.normalize("NFC", name) if len(name) <= _TEAM_LIMIT else name  # it costs the square of its length


class _Result:
    """A night as it is scored: the answer, hand by hand."""

    def __init__(self, sheet: Sheet) -> None:
        self.carry = sheet.carry
        self._sheet = sheet
        self._hands: list[dict[str, Any]] = []
        self._games: list[dict[str, Any]] = []
        self._pepper = sheet.rules.book.family == "pepper"
        self._balances: dict[str, int] = {} if self._pepper else dict.fromkeys(sheet.carry.seats, 0)

    def add(self, number: int, played: Played) -> None:
        self.carry = played.carry
        row: dict[str, Any] = {"hand": number, "dealer": played.dealer}
        if played.bid is not None:
            row["bidder"] = played.bidder
            row["bid"] = played.bid
        row["result"] = played.result
        row["changes"] = played.changes
        row["pool"] = played.carry.pool
        self._hands.append(row)
        if self._pepper:
            self._end_game(number, played)
            return
        balances = self._balances
        for name in played.carry.seats:
            balances.setdefault(name, 0)
        for name, change in played.changes.items():
            balance = balances.get(name, 0) + change
            if not -values.TOTAL_LIMIT <= balance <= values.TOTAL_LIMIT:
                raise TotalTooLarge(field=f"the balance of {name}")
            balances[name] = balance

    def _end_game(self, number: int, played: Played) -> None:
        game = played.carry.game
        if game is not None and game.winner is not None:
            self._games.append(
                {
                    "winner": game.winner,
                    "last_hand": number,
                    "scores": dict(zip(team_names(game), game.scores, strict=True)),
                    "chips": stakes_paid(self._sheet.rules, game, played.payers),
                }
            )

    def as_json(self) -> dict[str, Any]:
        book = self._sheet.rules.book
        answer: dict[str, Any] = {
            "id": self._sheet.id,
            "rulebook": book.id,
            "digest": book.digest,
            "hands": self._hands,
            "balances": self._balances,
            "pool": self.carry.pool,
        }
        if self._pepper:
            game = self.carry.game
            assert game is not None
            answer["balances"] = dict(zip(team_names(game), game.scores, strict=True))
            answer["winner"] = self._games[-1]["winner"] if self._games else None
            answer["games"] = self._games
        return answer


# Comparing with what was expected

_EXPECT_KEYS = frozenset({"hands", "balances", "pool", "winner", "games", "error"})


def differences(expect: Mapping[str, Any], answer: Mapping[str, Any]) -> list[str]:
    """Return a line for every way in which a result is not what was expected.

    What ``expect`` leaves out is not compared; ``expect.error`` is the code of a refusal.
    """
    if "error" in answer:
        error = answer["error"]
        if "error" in expect and expect["error"] == error["code"]:
            return []
        where = f"hand {error['hand']}: " if error["hand"] else ""
        wanted = f", not {expect['error']!r}" if "error" in expect else ""
        return [f"{where}{error['detail']} ({error['code']}{wanted})"]
    if "error" in expect:
        return [f"expected to be refused as {expect['error']!r}, and was scored"]
    lines = list(_hand_differences(expect.get("hands", []), answer["hands"]))
    for key in ("balances", "pool", "winner", "games"):
        if key in expect:
            lines.extend(_difference(key, expect[key], answer.get(key)))
    return lines


def check_examples(book: Rulebook) -> list[str]:
    """Return a line for every way in which a rulebook's own examples do not come out, or are too few."""
    lines: list[str] = []
    for number, example in enumerate(book.examples, start=1):
        expect = example["expect"] if isinstance(example["expect"], dict) else {}
        answer = score({**example, "rulebook": book.id}, lambda _id: book)
        lines.extend(f"example {number}, {example['name']!r}: {line}" for line in differences(expect, answer))
    if len(book.examples) < EXAMPLES_NEEDED:
        lines.append(f"it has {len(book.examples)} examples, and needs at least {EXAMPLES_NEEDED}")
    return lines


def _hand_differences(expected: object, hands: list[dict[str, Any]]) -> Iterator[str]:
    if not isinstance(expected, list):
        yield "expect.hands is not a list"
        return
    if len(expected) > len(hands):
        yield f"expected {len(expected)} hands, found {len(hands)}"
    for want, got in zip(expected, hands, strict=False):
        if not isinstance(want, dict):
            yield f"hand {got['hand']}: expect is not an object"
            continue
        for key, value in want.items():
            yield from _difference(f"hand {got['hand']}: {key}", value, got.get(key))


def _difference(where: str, want: object, got: object) -> Iterator[str]:
    if isinstance(want, dict) and isinstance(got, dict):
        for name in (*got, *(name for name in want if name not in got)):
            if name in want and name in got:
                yield from _difference(f"{where}: {name}", want[name], got[name])
            else:
                yield f"{where}: {name}: expected {_shown(want, name)}, got {_shown(got, name)}"
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for index, (one, other) in enumerate(zip(want, got, strict=True), start=1):
            yield from _difference(f"{where} {index}", one, other)
    elif want != got or isinstance(want, bool) != isinstance(got, bool):
        yield f"{where}: expected {want!r}, got {got!r}"


def _shown(data: Mapping[str, Any], name: str) -> str:
    return repr(data[name]) if name in data else "nothing"
