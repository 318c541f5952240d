"""Whatever comes in: an error object with a code, or one sentence on standard error; never a traceback.

The sheets around a bad one are scored as if it were not there.
"""

from __future__ import annotations

import copy
import io
import itertools
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from click.testing import CliRunner, Result

from ledger.cli import main, reading
from ledger.errors import LedgerError, RulebookInvalid
from ledger.hands import Hand
from ledger.rulebook import apply_house_rules, parse, read, switches
from ledger.rulebooks import preset, preset_text
from ledger.sheet import score

Data = dict[str, Any]

GOOD: Final[Data] = {
    "id": "good",
    "rulebook": "rockets-napoleon",
    "players": ["A", "B", "C"],
    "dealer": "A",
    "hands": [{"bidder": "B", "bid": "two", "made": True}],
}
PEEP: Final[Data] = {
    "id": "peep",
    "rulebook": "foster-peep-nap",
    "house_rules": {"buy": {"price": 1, "per": "card"}, "widow": {"fail_pays": 5, "on_fail_pool": "none"}},
    "players": ["A", "B", "C", "D"],
    "dealer": "A",
    "hands": [{"bidder": "B", "bid": "nap", "made": False}],
}
PEPPER: Final[Data] = {
    "id": "pepper",
    "rulebook": "wolf-pepper",
    "players": ["N", "E", "S", "W"],
    "dealer": "N",
    "hands": [{"bidder": "E", "bid": "four", "tricks": 4}],
}
GOOD_ANSWER: Final = score(GOOD)


def error_of(sheet: Any) -> Data:
    """The error of a sheet that is refused, which must have the shape of the contract (section 3)."""
    answer = score(sheet)
    assert set(answer) == {"id", "error"}, f"it was scored: {answer}"
    assert set(answer["error"]) == {"code", "detail", "hand"}
    assert re.fullmatch(r"[a-z][a-z0-9_]{2,40}", answer["error"]["code"])
    assert answer["error"]["detail"].isprintable()
    assert len(answer["error"]["detail"]) < 1_000
    assert json.loads(json.dumps(answer)) == answer
    assert score(GOOD) == GOOD_ANSWER
    error: Data = answer["error"]
    return error


def code_of(sheet: Any) -> str:
    return str(error_of(sheet)["code"])


def code_or_ok(sheet: Data) -> str:
    answer = score(sheet)
    return str(answer["error"]["code"]) if "error" in answer else "ok"


def with_hand(sheet: Data, **facts: Any) -> Data:
    return {**sheet, "hands": [facts]}


def kittybook(*arguments: str, given: bytes | None = None) -> Result:
    """Run the command line; whatever it was given, it ends with an exit code."""
    result = CliRunner().invoke(main, arguments, input=given)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def answers(result: Result) -> list[Data]:
    return [json.loads(line) for line in result.stdout.splitlines()]


# Every key, and what is no value for it

WRONG: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    -1,
    0,
    1,
    5,
    1.5,
    float("inf"),
    float("nan"),
    10**30,
    10**4_200,
    "",
    " ",
    "one",
    "A",
    "\ud800",
    "\0",
    "x" * 5_000,
    [],
    [None],
    [[]],
    ["A", "A"],
    ["A"],
    {},
    {"a": 1},
    {"A": 1},
    {"": None},
    {"\ud800": 1},
    [[[[[[[[]]]]]]]],
)

KINDS: Final[dict[str, tuple[Any, ...]]] = {
    "never": (),
    "flag": (True, False),
    "count": (0, 1, 5),
    "positive": (1, 5),
    "one": (1,),
    "five": (5,),
    "up_to_one": (0, 1),
    "optional_count": (None, 0, 1, 5),
    "optional": (None,),
    "text": ("", " ", "one", "A"),
    "optional_text": (None, -1, 0, 1, 5, 10**30, 10**4_200, "", " ", "one", "A"),
    "player": ("A",),
    "players": ([], ["A"]),
    "offenders": ([], ["A", "A"], ["A"]),
    "per_player": ({}, {"A": 1}),
    "bid": ("one",),
    "made": (True, False),
    "off": (False,),
    "list": ([],),
    "section": ({},),
    "optional_section": (None, {}),
    "id": ("one",),
    "examples": ([],),
    "anything": WRONG,
    "round": (False, 0, 1, 5),
}
"""Which of the values above each kind of key takes."""

SHEET_KEYS = """
    id           optional_text
    rulebook     never
    house_rules  section
    stake        positive
    players      never
    dealer       player
    pool         count
    scores       never
    hands        list
    expect       section
    name         text
    note         text
    nonsense     never
"""

HAND_KEYS = """
    players             never
    out                 players
    dealer              player
    bought              per_player
    peeks               players
    bids                never
    bidder              player
    bid                 bid
    made                flag
    tricks              up_to_one
    took_card           flag
    took_widow          flag
    trumps              never
    revoke              player
    led_out_of_turn     offenders
    played_out_of_turn  offenders
    foul                never
    misdeal             off
    passed_out          off
    surrendered         off
    granted             never
    note                text
    nonsense            never
"""

NAP_KEYS = """
    id                              id
    title                           section
    family                          never
    source                          text
    notes                           text
    table                           section
    table.players                   never
    table.players.0                 five
    table.players.1                 five
    table.tricks                    five
    table.dealer_sits_out_from      optional_sits_out
    table.dealer_out_pays           flag
    auction                         section
    auction.all_pass                never
    auction.nap_may_raise           flag
    auction.minimum_bid             bid
    auction.rounds                  one
    bids                            never
    bids.one                        never
    bids.one.id                     bid
    bids.one.title                  section
    bids.one.tricks                 count
    bids.one.exactly                flag
    bids.one.collects               count
    bids.one.pays                   count
    bids.one.takes_pool             flag
    bids.one.on_fail_pool           never
    bids.one.pays_players           flag
    bids.one.over                   optional
    bids.one.trumps                 flag
    bids.one.unattested             flag
    bids.nap.over                   optional_bid
    pool                            section
    pool.opening_stake              count
    pool.ante                       count
    pool.dealer_stake               count
    pool.peek                       optional_count
    pool.buy                        optional
    pool.buy.price                  count
    pool.buy.per                    never
    pool.widow                      optional
    pool.widow.fail_pays            count
    pool.widow.on_fail_pool         never
    pool.widow.on_fail_pool.fixed   count
    pool.join_fee                   never
    pool.stakes_stand_when_passed   flag
    pool.failed_pot                 never
    pool.at_close                   never
    pool.refund_on_misdeal          flag
    pool.revoke_awards_pool         flag
    fines                           section
    fines.revoke                    section
    fines.revoke.pool               count
    fines.led_out_of_turn           section
    fines.led_out_of_turn.chips     count
    fines.led_out_of_turn.to        never
    fines.played_out_of_turn        section
    fines.played_out_of_turn.chips  count
    fines.played_out_of_turn.to     never
    fines.misdeal                   section
    fines.misdeal.pool              count
    examples                        examples
    examples.0                      never
    nonsense                        never
"""

PEPPER_KEYS = """
    family                          never
    table                           section
    table.players                   never
    table.tricks                    never
    table.dealer_sits_out_from      optional
    auction                         section
    auction.all_pass                never
    auction.rounds                  one
    bids                            never
    bids.four                       never
    bids.four.tricks                up_to_one
    bids.four.collects              count
    bids.four.pays                  count
    bids.four.defenders             optional_count
    teams                           section
    teams.players                   never
    score                           never
    score.target                    positive
    score.both_reach                never
    score.swept                     never
    score.fail                      count
    score.score_what_you_get        flag
    score.dirty_clubs               flag
    score.surrender                 flag
    score.pepper_round              round
    score.negotiate                 section
    score.negotiate.four            one
    score.negotiate.five            one
    stakes                          section
    stakes.per_game                 count
    stakes.per_point                count
    pool                            section
    nonsense                        never
"""
KINDS["optional_sits_out"] = (None, 5)
KINDS["optional_bid"] = (None, "one")


def rows(table: str) -> list[tuple[str, tuple[Any, ...]]]:
    return [(key, KINDS[kind]) for key, kind in (line.split() for line in table.strip().splitlines())]


def is_in(value: Any, right: tuple[Any, ...]) -> bool:
    return any(type(value) is type(other) and value == other for other in right)


def nap_rulebook() -> Data:
    """A rulebook of the Nap family that says everything there is to say."""
    book: Data = json.loads(preset("foster-peep-nap").canonical)
    one, nap = book["bids"][0], book["bids"][-1]
    book["bids"] = [{**one, "title": {"en": "One"}, "unattested": True}, nap]
    book["pool"]["buy"] = {"price": 1, "per": "card"}
    book["pool"]["widow"] = {"fail_pays": 5, "on_fail_pool": {"fixed": 2}}
    example = {"name": "e", "players": ["A", "B"], "dealer": "A", "hands": [], "expect": {}}
    return {**book, "id": "x", "title": {"en": "X"}, "source": "", "notes": "", "examples": [example]}


def pepper_rulebook() -> Data:
    book: Data = json.loads(preset("wolf-pepper").canonical)
    book["bids"] = book["bids"][:2]
    book["score"]["fail"] = "bid"
    return book


def changed(book: Data, path: str, value: Any) -> Data:
    """The rulebook with something else at a dotted path; bids by id."""
    steps: list[str | int] = [int(step) if step.isdigit() else step for step in path.split(".")]
    if steps[0] == "bids" and len(steps) > 1:
        steps[1] = next(index for index, bid in enumerate(book["bids"]) if bid["id"] == steps[1])
    result: Any = copy.deepcopy(book)
    place = result
    for step in steps[:-1]:
        place = place[step]
    place[steps[-1]] = value
    return result  # type: ignore[no-any-return]


class BadSheet(NamedTuple):
    what: str
    sheet: Data


def bad_sheets() -> list[BadSheet]:
    """A sheet for every key of sheet, hand and rulebook with every value that it does not take."""
    found = [
        BadSheet(f"{key}: {value!r:.40}", {**PEEP, key: value})
        for key, right in rows(SHEET_KEYS)
        for value in WRONG
        if not is_in(value, right)
    ]
    found += [
        BadSheet(f"hand {key}: {value!r:.40}", with_hand(PEEP, **{**PEEP["hands"][0], key: value}))
        for key, right in rows(HAND_KEYS)
        for value in WRONG
        if not is_in(value, right)
    ]
    for book, base, table in ((nap_rulebook(), GOOD, NAP_KEYS), (pepper_rulebook(), PEPPER, PEPPER_KEYS)):
        found += [
            BadSheet(f"{book['family']} {key}: {value!r:.40}", {**base, "rulebook": changed(book, key, value)})
            for key, right in rows(table)
            for value in WRONG
            if not is_in(value, right)
        ]
    return found


def test_the_tables_name_every_key_of_a_hand_and_of_a_rulebook() -> None:
    assert {key for key, _right in rows(HAND_KEYS)} == {*Hand._fields, "nonsense"}
    named = {key.split(".")[-1] for table in (NAP_KEYS, PEPPER_KEYS) for key, _right in rows(table)}
    for book in (nap_rulebook(), pepper_rulebook()):
        assert {path.split(".")[-1] for path in switches(read(book))} <= named


@pytest.mark.parametrize(("key", "right"), rows(SHEET_KEYS))
def test_a_sheet_takes_for(key: str, right: tuple[Any, ...]) -> None:
    for value in WRONG:
        sheet = {**PEEP, key: value}
        if is_in(value, right):
            assert code_or_ok(sheet) == "ok", f"{value!r:.40}"
        else:
            assert error_of(sheet), f"{value!r:.40}"


@pytest.mark.parametrize(("key", "right"), rows(HAND_KEYS))
def test_a_hand_takes_for(key: str, right: tuple[Any, ...]) -> None:
    for value in WRONG:
        sheet = with_hand(PEEP, **{**PEEP["hands"][0], key: value})
        if is_in(value, right):
            assert code_or_ok(sheet) in {"ok", "result_clash"}, f"{value!r:.40}"
        else:
            assert error_of(sheet)["hand"] == 1, f"{value!r:.40}"


@pytest.mark.parametrize(("key", "right"), rows(NAP_KEYS))
def test_a_rulebook_of_the_nap_family_takes_for(key: str, right: tuple[Any, ...]) -> None:
    check_rulebook(nap_rulebook(), key, right)


@pytest.mark.parametrize(("key", "right"), rows(PEPPER_KEYS))
def test_a_rulebook_of_pepper_takes_for(key: str, right: tuple[Any, ...]) -> None:
    check_rulebook(pepper_rulebook(), key, right)


def check_rulebook(book: Data, key: str, right: tuple[Any, ...]) -> None:
    for value in WRONG:
        raw = changed(book, key, value)
        if is_in(value, right):
            read(raw)
            continue
        with pytest.raises(LedgerError) as refused:
            read(raw)
        named = key.split(".")[-1]
        assert named.isdigit() or named in refused.value.detail or key.split(".")[0] in refused.value.detail, value
        assert refused.value.field is not None


def test_no_bad_sheet_touches_the_sheets_around_it(tmp_path: Path) -> None:
    bad = [BadSheet("no sheet", value) for value in WRONG if not isinstance(value, dict)] + bad_sheets()
    bad = [each for each in bad if is_json(each.sheet)]
    good = json.dumps(GOOD)
    file = tmp_path / "mixed.jsonl"
    file.write_text(f"{good}\n" + "".join(f"{json.dumps(each.sheet)}\n{good}\n" for each in bad))
    result = kittybook("score", str(file))
    found = answers(result)
    assert result.exit_code == 1
    assert len(found) == 2 * len(bad) + 1 > 2_500
    assert all(answer == GOOD_ANSWER for answer in found[::2])
    for each, answer in zip(bad, found[1::2], strict=True):
        assert "error" in answer, each.what


def is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("key", ["", "auction", "bids.one", "fines", "fines.revoke", "fines.misdeal", "pool", "table"])
def test_a_key_that_is_not_known_is_refused_wherever_it_stands_in_nap(key: str) -> None:
    check_unknown_key(nap_rulebook(), key)


@pytest.mark.parametrize("key", ["", "auction", "bids.four", "score", "score.negotiate", "stakes", "teams", "table"])
def test_a_key_that_is_not_known_is_refused_wherever_it_stands_in_pepper(key: str) -> None:
    check_unknown_key(pepper_rulebook(), key)


def check_unknown_key(book: Data, key: str) -> None:
    with pytest.raises(LedgerError, match="nonsense") as refused:
        read(changed(book, f"{key}.nonsense".removeprefix("."), 1))
    assert refused.value.code == "unknown_key"


@pytest.mark.parametrize("family", ["nap", "pepper"])
def test_a_rulebook_without_one_of_its_keys_is_read_or_refused(family: str) -> None:
    book = nap_rulebook() if family == "nap" else pepper_rulebook()
    needed = set()
    for key, _right in rows(NAP_KEYS if family == "nap" else PEPPER_KEYS):
        *above, last = key.split(".")
        if last == "nonsense" or last.isdigit() or above == ["bids"]:
            continue
        raw = copy.deepcopy(book)
        place: Any = raw
        for step in above:
            place = next(bid for bid in place if bid["id"] == step) if isinstance(place, list) else place[step]
        place.pop(last, None)
        refusal = refusal_of(raw)
        if refusal is not None:
            assert refusal.code == "missing_key"
            assert refusal.field is not None
            needed.add(last)
    optional_parts = {"price", "fail_pays", "fixed"} if family == "nap" else {"score", "target"}
    assert needed == {"family", "bids", "tricks", "collects", *optional_parts} | ({"id"} if family == "nap" else set())


def refusal_of(raw: Data) -> LedgerError | None:
    try:
        read(raw)
    except LedgerError as error:
        return error
    return None


# Places where a rulebook in a file is wrong


@pytest.mark.parametrize("rulebook", ["foster-peep-nap", "peel-spare-hand", "floater-holmes", "wolf-pepper"])
def test_a_mistake_in_a_file_is_shown_by_file_line_and_key(rulebook: str) -> None:
    lines = preset_text(rulebook).splitlines()
    shown = 0
    notes = False
    for number, line in enumerate(lines, start=1):
        if line.startswith("[[examples]]"):
            break
        notes ^= line.count('"""') == 1
        key = re.match(r"([a-z_]+) = (?!\"\"\")", line)
        if key is None or notes:
            continue
        wrong = [*lines[: number - 1], f"{key[1]} = [[1979-05-27]]", *lines[number:]]
        with pytest.raises(RulebookInvalid) as refused:
            parse("\n".join(wrong), "some.toml")
        assert f"some.toml, line {number}: " in refused.value.detail
        assert key[1] in refused.value.detail
        misspelt = [*lines[: number - 1], line.replace(key[1], f"{key[1]}x", 1), *lines[number:]]
        with pytest.raises(RulebookInvalid, match=r"some\.toml"):
            parse("\n".join(misspelt), "some.toml")
        shown += 1
    assert shown > 20


# House rules


@pytest.mark.parametrize("family", ["nap", "pepper"])
def test_a_switch_takes_what_its_key_takes(family: str) -> None:
    book = read(nap_rulebook() if family == "nap" else pepper_rulebook())
    known = switches(book)
    for switch, right in rows(NAP_KEYS if family == "nap" else PEPPER_KEYS):
        for value in WRONG:
            if switch not in known or value is None or is_in(value, right):  # null: back to the default
                continue
            with pytest.raises(LedgerError) as refused:
                apply_house_rules(book, {switch: value})
            assert refused.value.code == "house_rule_invalid"
            assert refused.value.field == switch
            assert switch in refused.value.detail


@pytest.mark.parametrize(
    ("house_rules", "code"),
    [
        ({"nonsense": 1}, "house_rule_unknown"),
        ({"": 1}, "house_rule_unknown"),
        ({".": 1}, "house_rule_unknown"),
        ({"bids": []}, "house_rule_unknown"),
        ({"pool": {}}, "house_rule_ambiguous"),
        ({"family": "pepper"}, "house_rule_unknown"),
        ({"id": "x"}, "house_rule_unknown"),
        ({"title": {}}, "house_rule_unknown"),
        ({"examples": []}, "house_rule_unknown"),
        ({"bids.five.pays": 1}, "house_rule_unknown"),
        ({"bids.nap.id": "five"}, "house_rule_unknown"),
        ({"bids.nap": None}, "house_rule_unknown"),
        ({"bids.nap.pays.more": 1}, "house_rule_unknown"),
        ({"score.target": 1}, "house_rule_unknown"),
        ({"\ud800": 1}, "house_rule_unknown"),
        ({"x" * 10_000: 1}, "house_rule_unknown"),
        ({"pays": 1}, "house_rule_ambiguous"),
        ({"on_fail_pool": "none"}, "house_rule_ambiguous"),
        ({"chips": 1}, "house_rule_ambiguous"),
        ({"to": "pool"}, "house_rule_ambiguous"),
        ({"bids.nap.collects": None}, "house_rule_invalid"),
        ({"bids.nap.tricks": 6}, "house_rule_invalid"),
        ({"table.tricks": 4}, "house_rule_invalid"),
        ({"buy.per": "pound"}, "house_rule_invalid"),
        ({"minimum_bid": "nothing"}, "house_rule_invalid"),
        ({"players": [7, 2]}, "house_rule_invalid"),
        ({"players": [2, 21]}, "house_rule_invalid"),
        ({"dealer_sits_out_from": 1}, "house_rule_invalid"),
        ({"ante": 1, "pool.ante": 2}, "house_rule_invalid"),
        ({"ante": 1_000_000_001}, "house_rule_invalid"),
        ({"peek": -1}, "house_rule_invalid"),
        ({"bids.one.over": "nap"}, "house_rule_invalid"),
        ({"bids.nap.over": "nap"}, "house_rule_invalid"),
    ],
)
def test_a_wrong_house_rule_is_refused_by_name(house_rules: Data, code: str) -> None:
    error = error_of({**PEEP, "house_rules": house_rules})
    assert error["code"] == code
    if len(house_rules) == 1:
        (switch,) = house_rules
        assert switch.encode("ascii", "backslashreplace").decode()[:100] in error["detail"]


def test_the_switch_that_is_wrong_is_named_among_those_that_are_not() -> None:
    house_rules = {"ante": 1, "bids.nap.pays": "ten", "peek": 2, "revoke_awards_pool": False}
    assert "bids.nap.pays" in error_of({**PEEP, "house_rules": house_rules})["detail"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pool.ante", 1),
        ("pool.join_fee", "none"),
        ("table.players", [3, 4]),
        ("table.dealer_sits_out_from", 4),
        ("score.negotiate", {"six": 1}),
        ("score.negotiate.four", 3),
        ("table.tricks", 3),
        ("auction.all_pass", "nonsense"),
    ],
)
def test_pepper_with_what_pepper_cannot_have_is_refused(key: str, value: Any) -> None:
    with pytest.raises(LedgerError):
        read(changed({**pepper_rulebook(), "pool": {}}, key, value))


# Numbers


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("0", "ok"),
        ("5.0", "ok"),
        ("5e0", "ok"),
        ("-0", "ok"),
        ("-0.0", "ok"),
        ("1000000000", "ok"),
        ("1e9", "ok"),
        ("1000000001", "out_of_range"),
        ("-1", "out_of_range"),
        ("5.5", "bad_value"),
        ("true", "bad_value"),
        ('"3"', "bad_value"),
        ("null", "bad_value"),
        ("1e309", "bad_value"),
        ("-1e309", "bad_value"),
        ("1e300", "out_of_range"),
        ("1" + 30 * "0", "out_of_range"),
        ("9" * 4_000, "out_of_range"),
        ("9" * 5_000, "unreadable"),
        ("9" * 2_000_000, "unreadable"),
        ("NaN", "unreadable"),
        ("Infinity", "unreadable"),
        ("-Infinity", "unreadable"),
        ("0x10", "unreadable"),
        ("01", "unreadable"),
        ("+1", "unreadable"),
        ("", "unreadable"),
    ],
    ids=lambda value: value[:20],
)
def test_a_pool_of(number: str, code: str) -> None:
    line = json.dumps({**GOOD, "pool": "HERE"}).replace('"HERE"', number)
    result = kittybook("score", "-", given=line.encode())
    (answer,) = answers(result)
    assert (answer.get("error", {}).get("code", "ok"), result.exit_code) == (code, 0 if code == "ok" else 1)


def test_a_pool_that_doubles_beyond_what_can_be_counted_is_refused_at_that_hand() -> None:
    nap = {"bidder": "B", "bid": "nap", "made": False}
    sheet = {**GOOD, "rulebook": "foster-pool-nap", "pool": 1_000_000_000, "hands": [nap] * 40}
    error = error_of(sheet)
    assert (error["code"], error["hand"]) == ("amount_too_large", 24)  # 10^9 x 2^24 is more than 2^53 - 1
    assert score({**sheet, "hands": [nap] * 23})["pool"] < 2**53


ENORMOUS: Final = {"ante": 10**9, "bids.nap.collects": 10**9, "bids.nap.pays": 10**9}


@pytest.mark.parametrize(
    ("what", "hands", "hand"),
    [
        ("a pool of antes", [{"passed_out": True}] * 4, 4),
        ("a balance", [{"bidder": "B", "bid": "nap", "made": False}] * 4, 4),
        ("a pool that is misdealt", [{"passed_out": True}] * 3 + [{"misdeal": True}], 4),
    ],
)
def test_what_would_grow_beyond_what_can_be_counted_is_refused(what: str, hands: list[Data], hand: int) -> None:
    sheet = {**GOOD, "house_rules": ENORMOUS, "stake": 10**6, "hands": hands}
    error = error_of(sheet)
    assert (error["code"], error["hand"]) == ("amount_too_large", hand), what


def test_a_change_beyond_what_can_be_counted_is_refused_though_the_balance_is_not() -> None:
    players = [f"p{number}" for number in range(10)]
    house_rules = {"bids.nap.collects": 10**9, "bids.nap.pays": 10**9, "all_pass": "double_next"}
    hands: list[Data] = [
        {"bidder": "p1", "bid": "nap", "made": False},
        {"passed_out": True},
        {"bidder": "p1", "bid": "nap", "made": True},
    ]
    sheet = {**GOOD, "players": players, "dealer": "p0", "house_rules": house_rules, "stake": 10**6, "hands": hands}
    assert score({**sheet, "hands": hands[:2]})["balances"]["p1"] == -9 * 10**15
    assert code_of(sheet) == "amount_too_large"  # 18 x 10^15 in one hand


def test_chips_for_a_game_of_pepper_beyond_what_can_be_counted_are_refused() -> None:
    sheet = {**PEPPER, "stake": 10**6, "house_rules": {"per_point": 10**9}, "scores": {"E+W": 41}}
    assert code_of(sheet) == "amount_too_large"


# Names


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"  # one grapheme, seven code points


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("A" * 60, "ok"),
        ("A" * 61, "bad_name"),
        ("é" * 60, "ok"),
        ("e\u0301" * 60, "ok"),
        ("é" * 61, "bad_name"),
        (FAMILY, "ok"),
        (FAMILY * 34, "ok"),
        (FAMILY * 35, "bad_name"),
        ("A" + "\u0301" * 239, "ok"),
        ("A" + "\u0301" * 241, "bad_name"),
        ("", "bad_name"),
        ("   ", "bad_name"),
        ("\u00a0\u2003", "bad_name"),
        ("\u200b", "bad_name"),
        ("\u0301", "bad_name"),
        ("Al\u202eice", "bad_name"),
        ("Al\u2066ice", "bad_name"),
        ("\ud800", "bad_name"),
        ("A\0", "bad_name"),
        ("A\nB", "bad_name"),
        ("A\tB", "bad_name"),
        ("A\x7fB", "bad_name"),
        ("A\u0085B", "bad_name"),
        ("A\u2028B", "bad_name"),
        ("A\x1b[31mB", "bad_name"),
        ("O'Brien", "ok"),
        ("<b>Al</b>", "ok"),
        ("=1+1", "ok"),
        ("-Lee", "ok"),
        ("null", "ok"),
        ("CON", "ok"),
        ("pool", "ok"),
        ("bidder", "ok"),
        ("opponents", "ok"),
        ("pass", "ok"),
        ("שלום", "ok"),
        ("王小明", "ok"),
        ("Ωραία Ελένη", "ok"),
        ("A" * 1_000_000, "bad_name"),
        ("é" * 1_000_000, "bad_name"),
    ],
    ids=lambda value: ascii(value)[:24],
)
def test_a_player_called(name: str, code: str) -> None:
    seated = {**GOOD, "players": [name, "B", "C"], "dealer": "B"}
    assert code_or_ok(seated) == code
    joined = with_hand(GOOD, players=["A", "B", name], bidder="B", bid="one", made=True)
    assert code_or_ok(joined) == code
    if code == "ok":
        hand = {"bidder": name, "bid": "one", "made": True}
        changes = score({**seated, "hands": [hand]})["hands"][0]["changes"]
        assert list(changes.values()) == [2, -1, -1]
    else:
        assert error_of(seated)


@pytest.mark.parametrize("name", ["A\0", "A\nB", "\ud800", "", " ", "A\u202e", "A" * 61, "é" * 61])
@pytest.mark.parametrize("key", ["dealer", "bidder", "revoke", "peeks", "out", "led_out_of_turn", "bought", "bids"])
def test_what_is_no_name_is_none_wherever_it_stands_in_a_hand(key: str, name: str) -> None:
    value: Any = {"bought": {name: 1}, "bids": [[name, "one"]]}.get(key, name)
    if key in {"peeks", "out", "led_out_of_turn"}:
        value = [name]
    assert code_of(with_hand(PEEP, **{**PEEP["hands"][0], key: value})) in {"bad_name", "not_seated"}


@pytest.mark.parametrize(
    ("one", "other"),
    [("\u00e9", "e\u0301"), ("\u212b", "\u00c5"), ("A", " A "), ("A", "A\u00a0"), ("\u1e9b\u0323", "\u1e9b\u0323")],
)
def test_one_name_in_two_writings_is_one_player(one: str, other: str) -> None:
    assert code_of({**GOOD, "players": [one, other, "C"], "dealer": "C"}) == "bad_value"
    sheet = {**GOOD, "players": [one, "B", "C"], "dealer": other}
    for facts in (
        {"bidder": other, "bid": "one", "made": True},
        {"bidder": "B", "bid": "one", "revoke": other},
        {"bidder": "B", "bid": "one", "made": True, "dealer": other, "led_out_of_turn": [other]},
        {"bids": [["B", "pass"], ["C", "one"], [other, "two"]], "made": True},
        {"players": [other, "B"], "bidder": one, "bid": "one", "made": True},
    ):
        assert code_or_ok({**sheet, "hands": [facts]}) == "ok", facts


def test_one_player_in_two_writings_buys_once() -> None:
    sheet = {**PEEP, "players": ["\u00e9", "B", "C"], "dealer": "B"}
    facts = {"bought": {"\u00e9": 1, "e\u0301": 5}, "bidder": "B", "bid": "one", "made": True}
    assert error_of({**sheet, "hands": [facts]})


def test_scores_and_what_is_expected_may_be_written_with_either_writing_of_a_name() -> None:
    sheet = {**PEPPER, "players": ["e\u0301", "E", "S", "W"], "dealer": "E", "hands": []}
    assert code_or_ok({**sheet, "scores": {"e\u0301+S": 3, "E+W": 4}}) == "ok"


@pytest.mark.parametrize("name", ["N+S", "+", "N+", "=1+1"])
def test_in_pepper_a_plus_joins_names_and_is_in_none(name: str) -> None:
    assert error_of({**PEPPER, "players": [name, "E", "S", "W"], "dealer": "E"})
    hand = {"players": [name, "E", "S", "W"], "bidder": "E", "bid": "four", "tricks": 4}
    assert error_of({**PEPPER, "dealer": "E", "hands": [hand]})
    assert code_or_ok({**GOOD, "players": [name, "B", "C"], "dealer": "B"}) == "ok"


# Who is in a hand


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("dealer", "Z"),
        ("out", ["Z"]),
        ("bought", {"Z": 1}),
        ("bought", {"Z": 0}),
        ("peeks", ["Z"]),
        ("bidder", "Z"),
        ("revoke", "Z"),
        ("led_out_of_turn", ["Z"]),
        ("played_out_of_turn", ["B", "Z"]),
        ("bids", [["Z", "one"]]),
        ("bids", [["B", "one"], ["Z", "two"]]),
    ],
)
def test_a_stranger_has_no_part_in_a_hand(key: str, value: Any) -> None:
    assert code_of(with_hand(PEEP, **{**PEEP["hands"][0], key: value})) == "not_seated"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("bought", {"E": 1}),
        ("peeks", ["E"]),
        ("bidder", "E"),
        ("revoke", "E"),
        ("led_out_of_turn", ["E"]),
        ("played_out_of_turn", ["E"]),
        ("bids", [["E", "one"]]),
    ],
)
def test_a_dealer_who_sits_out_holds_no_cards(key: str, value: Any) -> None:
    sheet = {**PEEP, "players": ["A", "B", "C", "D", "E"], "dealer": "E"}
    assert code_of(with_hand(sheet, **{**PEEP["hands"][0], key: value})) == "sits_out"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"players": ["A", "A", "B"]}, "bad_value"),
        ({"players": []}, "bad_value"),
        ({"players": ["A", "B", "C", "A"]}, "bad_value"),
        ({"dealer": "Z"}, "not_seated"),
        ({"players": [f"p{number}" for number in range(21)], "dealer": "p0"}, "bad_value"),
        ({"players": [f"p{number}" for number in range(11)], "dealer": "p0"}, "too_many_players"),
        ({"players": ["A"]}, "too_few_players"),
        ({"hands": [{"players": ["A", "B", "B"]}]}, "bad_value"),
        ({"hands": [{"players": ["A"], "bidder": "A", "bid": "one", "made": True}]}, "too_few_players"),
        ({"hands": [{"out": ["B", "B"], "bidder": "A", "bid": "one", "made": True}]}, "bad_value"),
        ({"hands": [{"out": ["A", "B"], "bidder": "C", "bid": "one", "made": True}]}, "too_few_players"),
        ({"hands": [{"out": ["B"], "bidder": "B", "bid": "one", "made": True}]}, "not_seated"),
        ({"hands": [{"out": ["B"], "dealer": "B", "bidder": "A", "bid": "one", "made": True}]}, "not_seated"),
    ],
)
def test_players_who_cannot_be(change: Data, code: str) -> None:
    sheet = {**GOOD, "hands": [{"bidder": "p1", "bid": "one", "made": True}], **change}
    if "players" in change and "A" in change["players"]:
        sheet["hands"] = GOOD["hands"]
    assert code_of(sheet) == code


def test_pepper_with_a_fifth_who_is_out_is_played_by_the_other_four() -> None:
    hand = {"players": ["N", "E", "S", "W", "X"], "out": ["N"], "dealer": "E"}
    answer = score(with_hand(PEPPER, **hand, bidder="S", bid="four", tricks=4))
    assert answer["hands"][0]["changes"] == {"E+W": 2, "S+X": 4}


# Facts that clash

FACTS: Final[Data] = {
    "players": ["A", "B", "C", "D"],
    "out": ["D"],
    "dealer": "A",
    "bought": {"B": 1},
    "peeks": ["B"],
    "bids": [["B", "nap"]],
    "bidder": "B",
    "bid": "nap",
    "made": True,
    "tricks": 5,
    "took_card": True,
    "took_widow": True,
    "trumps": "hearts",
    "revoke": "C",
    "led_out_of_turn": ["C"],
    "played_out_of_turn": ["C"],
    "foul": "opponent",
    "misdeal": True,
    "passed_out": True,
    "surrendered": True,
    "granted": 1,
    "note": "n",
}
UNPLAYED: Final = {"players", "dealer", "bought", "peeks", "bids", "note"}  # contract, section 2
PAIRS: Final = list(itertools.combinations(FACTS, 2))


def clash(one: str, other: str) -> bool:
    """Tell whether two facts exclude each other in a game for chips (contract, section 2)."""
    pair = {one, other}
    if pair & {"surrendered", "granted"} or pair == {"misdeal", "passed_out"}:
        return True
    if "misdeal" in pair:
        return not pair - {"misdeal"} <= UNPLAYED
    if "passed_out" in pair:
        return not pair - {"passed_out"} <= {*UNPLAYED, "took_card"} - {"bids"}  # those bids end with a Nap
    return pair == {"revoke", "foul"}


@pytest.mark.parametrize("one", FACTS)
def test_facts_that_clash_in_a_game_for_chips(one: str) -> None:
    for other in FACTS:
        if other == one:
            continue
        facts = {one: FACTS[one], other: FACTS[other]}
        if not facts.keys() & {"misdeal", "passed_out"}:
            facts = {"bidder": "B", "bid": "nap", "made": True} | facts
        code = code_or_ok(
            with_hand({**PEEP, "house_rules": {**PEEP["house_rules"], "all_pass": "redeal_next"}}, **facts)
        )
        assert code == ("facts_clash" if clash(one, other) else "ok"), (one, other)


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("bidder", "facts_clash"),
        ("bid", "facts_clash"),
        ("made", "facts_clash"),
        ("tricks", "facts_clash"),
        ("took_widow", "facts_clash"),
        ("trumps", "facts_clash"),
        ("revoke", "facts_clash"),
        ("led_out_of_turn", "facts_clash"),
        ("played_out_of_turn", "facts_clash"),
        ("foul", "facts_clash"),
        ("surrendered", "facts_clash"),
        ("granted", "facts_clash"),
        ("bought", "ok"),
        ("peeks", "ok"),
        ("took_card", "ok"),
        ("note", "ok"),
        ("passed_out", "ok"),
    ],
)
def test_facts_of_a_played_hand_clash_with_bids_that_are_all_passes(key: str, code: str) -> None:
    house_rules = {**PEEP["house_rules"], "all_pass": "redeal_next"}
    facts = {"bids": [[player, "pass"] for player in "BCDA"], key: FACTS[key]}
    assert code_or_ok(with_hand({**PEEP, "house_rules": house_rules}, **facts)) == code


CONCEDED = ("surrendered", "granted")


@pytest.mark.parametrize("conceded", CONCEDED)
@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("tricks", 4, "facts_clash"),
        ("revoke", "S", "facts_clash"),
        ("foul", "opponent", "facts_clash"),
        ("made", False, "facts_clash"),
        ("misdeal", True, "facts_clash"),
        ("passed_out", True, "facts_clash"),
        ("made", True, "ok"),
        ("trumps", "hearts", "ok"),
        ("note", "n", "ok"),
        ("bids", [["E", "four"], ["S", "pass"], ["W", "pass"], ["N", "pass"]], "ok"),
    ],
)
def test_a_hand_that_was_given_up_was_not_played(conceded: str, key: str, value: Any, code: str) -> None:
    facts = {"bidder": "E", "bid": "four", conceded: FACTS[conceded], key: value}
    assert code_or_ok(with_hand(PEPPER, **facts)) == code
    other = CONCEDED[1 - CONCEDED.index(conceded)]
    assert code_of(with_hand(PEPPER, **facts, **{other: FACTS[other]})) == "facts_clash"


@pytest.mark.parametrize(
    ("sheet", "facts", "code"),
    [
        (PEEP, {"bidder": "B", "bid": "one", "tricks": 9}, "out_of_range"),
        (PEEP, {"bidder": "B", "bid": "one", "tricks": 6}, "out_of_range"),
        (PEEP, {"bidder": "B", "bid": "two", "tricks": 1, "made": True}, "result_clash"),
        (PEEP, {"bidder": "B", "bid": "misere", "tricks": 1, "made": True}, "result_clash"),
        (PEEP, {"bidder": "B", "bid": "one"}, "result_missing"),
        (PEEP, {"bidder": "B", "bid": "one", "foul": "opponent"}, "result_missing"),
        (PEEP, {"bidder": "B", "made": True}, "bidder_missing"),
        (PEEP, {"bid": "one", "made": True}, "bidder_missing"),
        (PEEP, {"made": True}, "bidder_missing"),
        (PEEP, {}, "bidder_missing"),
        (PEEP, {"bidder": "B", "bid": "five", "made": True}, "bid_unknown"),
        (PEEP, {"bidder": "B", "bid": "pass", "made": True}, "bid_unknown"),
        (PEEP, {"bidder": "B", "bid": "wellington", "made": True}, "bid_unknown"),
        (PEEP, {"bidder": "B", "bid": "four", "made": True, "took_widow": True}, "widow_needs_nap"),
        (GOOD, {"bidder": "B", "bid": "nap", "made": True, "took_widow": True}, "no_widow"),
        (GOOD, {"bidder": "B", "bid": "nap", "made": True, "peeks": ["B"]}, "no_peeks"),
        (GOOD, {"bidder": "B", "bid": "nap", "made": True, "bought": {"B": 1}}, "no_purchases"),
        (PEEP, {"bidder": "B", "bid": "nap", "made": True, "bought": {"B": 6}}, "out_of_range"),
        (PEEP, {"bidder": "B", "bid": "nap", "made": True, "bought": {"B": -1}}, "out_of_range"),
        (PEEP, {"bidder": "B", "bid": "nap", "made": True, "peeks": ["B", "C", "B"]}, "already_peeked"),
        (PEEP, {"passed_out": True}, "forced_bid"),
        (PEEP, {"bids": [["B", "pass"], ["C", "pass"], ["D", "pass"], ["A", "pass"]]}, "forced_bid"),
        (PEPPER, {"passed_out": True}, "forced_bid"),
        (PEPPER, {"bids": [["E", "pass"]]}, "forced_bid"),
        (PEPPER, {"bids": [["E", "five"]]}, "forced_bid"),
        (PEPPER, {"bidder": "E", "bid": "four", "tricks": 9}, "out_of_range"),
        (PEPPER, {"bidder": "E", "bid": "four", "tricks": 7, "revoke": "E"}, "out_of_range"),
        (PEPPER, {"bidder": "E", "bid": "four", "made": True}, "result_missing"),
        (PEPPER, {"bidder": "E", "bid": "four", "tricks": 3, "made": True}, "result_clash"),
        (PEPPER, {"bidder": "E", "bid": "four", "granted": 0}, "grant_refused"),
        (PEPPER, {"bidder": "E", "bid": "four", "granted": 3}, "grant_refused"),
        (PEPPER, {"bidder": "E", "bid": "six", "granted": 1}, "grant_refused"),
        (PEPPER, {"bidder": "E", "bid": "nap", "tricks": 5}, "bid_unknown"),
        (PEPPER, {"bidder": "E", "bid": "four", "tricks": 4, "peeks": ["E"]}, "no_peeks"),
    ],
)
def test_facts_that_cannot_be(sheet: Data, facts: Data, code: str) -> None:
    assert code_of({**sheet, "hands": [facts]}) == code


AUCTIONS = """
    rockets-peep-nap  B:one C:one                            bid_too_low
    rockets-peep-nap  B:two C:one                            bid_too_low
    rockets-peep-nap  B:three C:misere D:three               bid_too_low
    rockets-peep-nap  C:one                                  not_your_turn
    rockets-peep-nap  A:pass                                 not_your_turn
    rockets-peep-nap  B:one B:two                            own_bid
    rockets-peep-nap  B:pass B:one                           already_spoken
    rockets-peep-nap  B:one C:two B:three                    already_spoken
    rockets-peep-nap  B:five                                 bid_unknown
    rockets-peep-nap  B:Pass                                 bid_unknown
    rockets-peep-nap  B:wellington                           bid_needs_nap
    rockets-peep-nap  B:blucher                              bid_needs_wellington
    rockets-peep-nap  B:nap C:blucher                        bid_needs_wellington
    rockets-peep-nap  B:four C:wellington                    bid_needs_nap
    rockets-peep-nap  B:nap C:wellington D:blucher A:nap     auction_over
    rockets-peep-nap  B:nap C:wellington D:blucher A:pass    ok
    rockets-peep-nap  B:nap C:wellington D:blucher           ok
    rockets-peep-nap  B:nap C:pass D:wellington A:pass       ok
    rockets-peep-nap  B:one C:two D:three                    auction_open
    rockets-peep-nap  B:nap                                  auction_open
    foster-napoleon   B:nap                                  ok
    foster-napoleon   B:pass C:pass D:pass A:pass            forced_bid
    foster-napoleon   B:pass C:pass D:pass A:two             ok
    foster-napoleon   B:wellington                           bid_unknown
    pagat-nap         B:one                                  bid_unknown
    russian-napoleon  B:nap C:wellington                     ok
    peel-kitty-nap    B:pass C:pass D:pass A:pass            ok
    peel-kitty-nap    B:misere C:three D:pass A:pass         ok
    peel-kitty-nap    B:three C:misere                       bid_too_low
    pagat-pepper      B:one C:two D:pass A:pass              auction_open
    pagat-pepper      B:one C:two D:pass A:pass B:pass       ok
    pagat-pepper      B:one C:two D:pass A:pass B:three      auction_open
    pagat-pepper      B:one C:two D:pass A:pass B:three D:five      already_spoken
    pagat-pepper      B:one C:two D:pass A:pass B:three C:pass      ok
    pagat-pepper      B:one C:pass D:pass A:pass B:two              own_bid
"""


@pytest.mark.parametrize("row", [line.split() for line in AUCTIONS.strip().splitlines()], ids=" ".join)
def test_an_auction_that(row: list[str]) -> None:
    rulebook, *calls, code = row
    bids = [call.split(":") for call in calls]
    result = {"tricks": 5} if "pepper" in rulebook else {"made": True}
    sheet = {**GOOD, "rulebook": rulebook, "players": ["A", "B", "C", "D"], "hands": [{"bids": bids, **result}]}
    assert code_or_ok(sheet) == code


# Files

LINE = json.dumps(GOOD).encode()


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (LINE[:-1], "not JSON"),
        (LINE[: len(LINE) // 2], "not JSON"),
        (b"{", "not JSON"),
        (b"}", "not JSON"),
        (b"null", "an object"),
        (b"[]", "an object"),
        (b'"sheet"', "an object"),
        (LINE + LINE, "not JSON"),
        (LINE.replace(b"good", b"g\xff"), "not UTF-8"),
        (LINE.replace(b"good", b"g\xed\xa0\x80"), "not UTF-8"),
        (LINE.decode().encode("utf-16"), "UTF-8"),
        (b"\0" * 50, "not JSON"),
        (LINE.replace(b'"A"', b"'A'"), "not JSON"),
        (b"[" * 100_000, "too deeply"),
        (b'{"hands":' * 100_000, "too deeply"),
        (LINE.replace(b'"good"', b"NaN"), "NaN"),
        (b"kittybook score", "not JSON"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_line_that_cannot_be_read_is_refused_alone(tmp_path: Path, bad: bytes, said: str) -> None:
    file = tmp_path / "night.jsonl"
    file.write_bytes(LINE + b"\n" + bad + b"\n" + LINE + b"\n")
    result = kittybook("score", str(file))
    before, error, after = answers(result)[0], answers(result)[1:-1], answers(result)[-1]
    assert (before, after, result.exit_code) == (GOOD_ANSWER, GOOD_ANSWER, 1)
    assert said in error[0]["error"]["detail"]
    assert said == "an object" or "line 2" in error[0]["error"]["detail"]
    assert "Error" not in result.stderr


@pytest.mark.parametrize(
    ("name", "content", "count"),
    [
        ("bom.json", b"\xef\xbb\xbf" + LINE, 1),
        ("bom.jsonl", b"\xef\xbb\xbf" + LINE + b"\n" + LINE, 2),
        ("crlf.jsonl", LINE + b"\r\n\r\n" + LINE + b"\r\n", 2),
        ("blank.jsonl", b"\n \t\n" + LINE + b"\n\n\n", 1),
        ("no-end.jsonl", LINE + b"\n" + LINE, 2),
        ("pretty.json", json.dumps(GOOD, indent=2).encode(), 1),
        ("pretty.jsonl", json.dumps(GOOD, indent=2).encode(), 1),
        ("crlf.json", json.dumps(GOOD, indent=2).replace("\n", "\r\n").encode(), 1),
        ("empty.jsonl", b"", 0),
        ("no-extension", LINE, 1),
    ],
)
def test_a_file_is_read_as_people_save_it(tmp_path: Path, name: str, content: bytes, count: int) -> None:
    (tmp_path / name).write_bytes(content)
    result = kittybook("score", str(tmp_path / name))
    assert (answers(result), result.exit_code) == ([GOOD_ANSWER] * count, 0)
    result = kittybook("score", "-", given=content)
    assert (answers(result), result.exit_code) == ([GOOD_ANSWER] * count, 0)


@pytest.mark.parametrize("content", [b"", b" \n", b"\xef\xbb\xbf"])
def test_an_empty_json_file_is_no_sheet(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "empty.json").write_bytes(content)
    result = kittybook("score", str(tmp_path / "empty.json"))
    assert (answers(result)[0]["error"]["code"], result.exit_code) == ("unreadable", 1)


def test_a_line_that_is_too_long_is_refused_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LINE_LIMIT", 1_024)
    file = tmp_path / "long.jsonl"
    for length in (1_024, 1_025, 2_048, 2_049, 100_000):
        long = b'{"id":"' + b"x" * (length - 9) + b'"}'
        assert len(long) == length
        file.write_bytes(LINE + b"\n" + long + b"\n" + LINE)
        first, error, last = answers(kittybook("score", str(file)))
        assert (first, last) == (GOOD_ANSWER, GOOD_ANSWER)
        # a line ends with a line break, which counts
        assert error["error"]["code"] == ("too_large" if length >= 1_024 else "bad_value")
    (tmp_path / "long.json").write_bytes(b" " * 1_025)
    result = kittybook("score", str(tmp_path / "long.json"))
    assert (answers(result)[0]["error"]["code"], result.exit_code) == ("too_large", 1)


def test_a_long_input_is_read_line_by_line() -> None:
    class Endless(io.RawIOBase):
        """Lines without end; reading ahead would never come back."""

        lines = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            Endless.lines += 1
            line = LINE + b"\n"
            buffer[: len(line)] = line
            return len(line)

    found = reading._lines(io.BufferedReader(Endless()), "endless")
    assert [next(found) for _ in range(50)] == [GOOD] * 50
    assert Endless.lines < 200


@pytest.mark.parametrize(
    "arguments",
    [
        ["score"],
        ["score", "no-such-file.jsonl"],
        ["score", "."],
        ["score", "--no-such-option", "-"],
        ["score", "--check", "--table", "-"],
        ["score", "-", "no-such-file.json"],
        ["no-such-command"],
    ],
    ids=" ".join,
)
def test_bad_usage_is_exit_code_2_and_said_on_standard_error(arguments: list[str]) -> None:
    result = kittybook(*arguments, given=b"")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert "Traceback" not in result.stderr


def test_what_was_scored_before_a_file_that_is_missing_is_printed(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_bytes(LINE)
    result = kittybook("score", str(tmp_path / "good.json"), str(tmp_path / "missing.json"))
    assert (answers(result), result.exit_code) == ([GOOD_ANSWER], 2)


@pytest.mark.parametrize("option", [[], ["--check"], ["--table"]])
def test_every_way_of_printing_survives_every_kind_of_sheet(tmp_path: Path, option: list[str]) -> None:
    strange: list[Any] = [
        None,
        [],
        {},
        GOOD,
        {**GOOD, "id": None},
        {**GOOD, "id": "Zoë 王 " + FAMILY, "players": ["Zoë", "王", FAMILY], "dealer": "王", "hands": []},
        {**GOOD, "expect": None},
        {**GOOD, "expect": []},
        {**GOOD, "expect": {"hands": None}},
        {**GOOD, "expect": {"hands": [None, None, None]}},
        {**GOOD, "expect": {"hands": [{"changes": None}], "balances": [], "pool": "x", "games": {}, "winner": []}},
        {**GOOD, "expect": {"balances": {"\ud800": 1, "\x1b[31m": 2}, "pool": "\ud800"}},
        {**GOOD, "expect": {"hands": [{"\ud800": "\0"}]}},
        {**GOOD, "expect": {"error": "\ud800"}},
        {**PEEP, "expect": {"pool": 10**4_200}},
        {**GOOD, "expect": {"pool": nested(800)}},
        {**PEPPER, "expect": {"games": [{}], "winner": 1}},
        {**PEPPER, "scores": {"N+S": 40, "E+W": 41}, "stake": 2.0},
    ]
    file = tmp_path / "strange.jsonl"
    file.write_text("".join(json.dumps(sheet) + "\n" for sheet in strange))
    result = kittybook("score", *option, str(file))
    assert result.exit_code == 1
    assert "Traceback" not in result.output
    if not option:
        assert len(answers(result)) == len(strange)


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("key", ["house_rules", "rulebook", "players", "dealer", "pool", "hands", "expect", "id"])
def test_what_is_nested_deeply_is_refused_like_anything_else(key: str) -> None:
    for depth in (50, 900, 5_000):
        assert error_of({**GOOD, key: nested(depth)})
        assert error_of({**GOOD, "house_rules": {"ante": nested(depth)}})
        assert error_of(with_hand(GOOD, **{**GOOD["hands"][0], "note": nested(depth)}))


def test_examples_that_are_nested_deeply_are_not_looked_into() -> None:
    example = {"name": "e", "players": [], "dealer": "A", "hands": nested(5_000), "expect": nested(5_000)}
    book = {**nap_rulebook(), "examples": [example]}
    sheet = {**GOOD, "rulebook": book, "hands": [{"bidder": "B", "bid": "one", "made": True}]}
    assert code_or_ok(sheet) == code_or_ok({**sheet, "house_rules": {"ante": 1}}) == "ok"


def test_every_byte_of_a_sheet_may_be_missing_or_wrong(tmp_path: Path) -> None:
    line = json.dumps({**PEEP, "pool": 3}).encode()
    broken = [line[:index] + line[index + 1 :] for index in range(len(line))]
    broken += [line[:index] + bytes([line[index] ^ 0x15]) + line[index + 1 :] for index in range(len(line))]
    broken += [line[:index] for index in range(1, len(line))]
    broken = [each for each in broken if b"\n" not in each and each.strip()]
    file = tmp_path / "broken.jsonl"
    file.write_bytes(b"\n".join([LINE, *broken]))
    assert len(answers(kittybook("score", str(file)))) == len(broken) + 1


# Rulebooks by name and by file


@pytest.mark.parametrize(
    ("rulebook", "code"),
    [
        ("no-such-game", "rulebook_unknown"),
        ("missing.toml", "rulebook_unknown"),
        ("folder", "rulebook_invalid"),
        ("folder.toml", "rulebook_invalid"),
        ("", "rulebook_invalid"),
        ("/", "rulebook_invalid"),
        ("\0", "rulebook_unknown"),
        ("\ud800", "rulebook_unknown"),
        ("x" * 10_000, "rulebook_unknown"),
        ("../" * 2_000, "rulebook_unknown"),
        ("/dev/null", "rulebook_invalid"),
        ("empty.toml", "rulebook_invalid"),
        ("binary.toml", "rulebook_invalid"),
        ("latin.toml", "rulebook_invalid"),
        ("long.toml", "rulebook_invalid"),
        ("deep.toml", "rulebook_invalid"),
        ("digits.toml", "rulebook_invalid"),
        ("date.toml", "rulebook_invalid"),
        ("twice.toml", "rulebook_invalid"),
        ("bom-and-crlf.toml", "ok"),
        ("no-extension", "ok"),
        ("./no-extension", "ok"),
        ("folder/beside.toml", "ok"),
        (None, "bad_value"),
        (1, "bad_value"),
    ],
    ids=lambda value: ascii(value)[:24],
)
def test_a_rulebook_called(tmp_path: Path, rulebook: str | None, code: str) -> None:
    text = preset_text("rockets-napoleon")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.toml").mkdir()
    files = {
        "empty.toml": b"",
        "binary.toml": bytes(range(256)),
        "latin.toml": text.replace("Misère", "Mis\udce8re").encode("utf-8", "surrogateescape"),
        "long.toml": (text + "\n#" + "x" * 1_000_000).encode(),
        "deep.toml": b"x = " + b"[" * 20_000,
        "digits.toml": text.replace("collects = 1\n", f"collects = {'9' * 5_000}\n", 1).encode(),
        "date.toml": text.replace("collects = 1\n", "collects = 1979-05-27\n", 1).encode(),
        "twice.toml": text.replace("collects = 1\n", "collects = 1\ncollects = 1\n", 1).encode(),
        "bom-and-crlf.toml": b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
        "no-extension": text.encode(),
        "folder/beside.toml": text.encode(),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "night.jsonl").write_text(
        "".join(json.dumps({**GOOD, "rulebook": name}) + "\n" for name in (rulebook, "rockets-napoleon"))
    )
    found = answers(kittybook("score", str(tmp_path / "night.jsonl")))
    assert found[0].get("error", {}).get("code", "ok") == code
    assert found[1] == GOOD_ANSWER
    if code == "ok":
        assert found[0]["hands"] == GOOD_ANSWER["hands"]
        assert found[0]["digest"] == GOOD_ANSWER["digest"]


def test_a_rulebook_that_may_not_be_read_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.open

    def closed(self: Path, *args: Any, **kwargs: Any) -> Any:
        if self.name == "closed.toml":
            raise PermissionError(13, "Permission denied")
        return opened(self, *args, **kwargs)

    (tmp_path / "closed.toml").write_text(preset_text("rockets-napoleon"))
    monkeypatch.setattr(Path, "open", closed)
    (tmp_path / "night.json").write_text(json.dumps({**GOOD, "rulebook": "closed.toml"}))
    error = answers(kittybook("score", str(tmp_path / "night.json")))[0]["error"]
    assert error["code"] == "rulebook_invalid"
    assert "cannot be read: Permission denied" in error["detail"]


def test_a_mistake_in_a_rulebook_beside_a_sheet_is_shown_by_its_line(tmp_path: Path) -> None:
    lines = preset_text("rockets-napoleon").splitlines()
    number = lines.index("collects = 2") + 1
    lines[number - 1] = "colects = 2"
    (tmp_path / "own.toml").write_text("\n".join(lines))
    (tmp_path / "night.json").write_text(json.dumps({**GOOD, "rulebook": "own.toml"}))
    (answer,) = answers(kittybook("score", str(tmp_path / "night.json")))
    assert answer["error"]["code"] == "rulebook_invalid"
    assert "own.toml, line " in answer["error"]["detail"]
    assert "collects" in answer["error"]["detail"] or "colects" in answer["error"]["detail"]


@pytest.mark.parametrize("rulebook", ["foster-peep-nap", "wolf-pepper"])
def test_every_line_of_a_rulebook_may_be_missing(rulebook: str) -> None:
    text = preset_text(rulebook)
    lines = text[: text.index("[[examples]]")].splitlines()
    lacking = ["\n".join(lines[:index] + lines[index + 1 :]) for index in range(len(lines))]
    cut = [text[:length] for length in range(0, len(text), 197)]
    refused = [refusal for refusal in map(refusal_of_text, (*lacking, *cut)) if refusal is not None]
    assert len(refused) > 30
    assert all(refusal.detail.startswith("x.toml") for refusal in refused)


def refusal_of_text(text: str) -> LedgerError | None:
    try:
        parse(text, "x.toml")
    except RulebookInvalid as error:
        return error
    return None


def test_tomllib_and_the_parser_read_the_same_file() -> None:
    text = preset_text("foster-peep-nap")
    assert parse(text).digest == parse(text.replace("\n", "\r\n")).digest == read(tomllib.loads(text)).digest


# The program itself


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_what_is_printed_is_utf_8_whatever_the_terminal_is_set_to(tmp_path: Path, encoding: str) -> None:
    sheet = {
        **GOOD,
        "players": ["Zoë", "王", "C"],
        "dealer": "C",
        "hands": [{"bidder": "Zoë", "bid": "one", "made": True}],
    }
    (tmp_path / "night.json").write_text(json.dumps(sheet))
    program = "import sys; from ledger.cli import main; sys.argv[0] = 'kittybook'; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "score", str(tmp_path / "night.json")],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout.decode("utf-8"))["balances"] == {"Zoë": 2, "王": -1, "C": -1}
