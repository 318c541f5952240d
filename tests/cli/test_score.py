"""`kittybook score`: what goes in, what comes out, in what order, and with what exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ledger.cli import main, reading
from ledger.rulebooks import preset, preset_text

Sheet = dict[str, Any]


def night(name: str, **more: Any) -> Sheet:
    """Ann deals; Bob makes a Two against Ann and Cy."""
    two = {"bidder": "Bob", "bid": "two", "made": True}
    sheet = {"id": name, "rulebook": "rockets-napoleon", "players": ["Ann", "Bob", "Cy"], "dealer": "Ann"}
    return {**sheet, "hands": [two], **more}


BALANCES = {"Ann": -2, "Bob": 4, "Cy": -2}


def kittybook(*args: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(args), input=stdin)


def answers(result: Result) -> list[Any]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def lines(*sheets: Sheet) -> str:
    return "".join(json.dumps(sheet, ensure_ascii=False) + "\n" for sheet in sheets)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# One object a sheet


def test_prints_one_object_a_line_for_each_sheet() -> None:
    result = kittybook("score", "-", stdin=lines(night("a")))
    assert result.exit_code == 0
    assert result.stderr == ""
    assert answers(result) == [
        {
            "id": "a",
            "rulebook": "rockets-napoleon",
            "digest": preset("rockets-napoleon").digest,
            "hands": [
                {
                    "hand": 1,
                    "dealer": "Ann",
                    "bidder": "Bob",
                    "bid": "two",
                    "result": "made",
                    "changes": BALANCES,
                    "pool": 0,
                }
            ],
            "balances": BALANCES,
            "pool": 0,
        }
    ]


def test_keeps_the_order_of_files_and_lines(folder: Path) -> None:
    (folder / "one.jsonl").write_text(lines(night("b"), night("a")))
    (folder / "two.json").write_text(json.dumps(night("c")))
    result = kittybook("score", "two.json", "-", "one.jsonl", stdin=lines(night("z")))
    assert [answer["id"] for answer in answers(result)] == ["c", "z", "b", "a"]


def test_names_are_written_as_they_are_spelt() -> None:
    sheet = night("é", players=["Ann", "Bob", "Зоя"])
    result = kittybook("score", "-", stdin=lines(sheet))
    assert '"id": "é"' in result.stdout
    assert '"Зоя": -2' in result.stdout


def test_nothing_in_nothing_out() -> None:
    result = kittybook("score", "-", stdin="")
    assert (result.exit_code, result.stdout) == (0, "")


# Sheets that cannot be scored


def test_an_error_stands_in_the_place_of_a_sheet_and_the_others_are_scored() -> None:
    late = night("late", hands=[*night("")["hands"], {"bidder": "Bob", "bid": "five", "made": True}])
    result = kittybook("score", "-", stdin=lines(night("a"), late, night("b", stake=0), night("c")))
    assert result.exit_code == 1
    first, second, third, fourth = answers(result)
    assert first["balances"] == fourth["balances"] == BALANCES
    assert second == {
        "id": "late",
        "error": {"code": "bid_unknown", "detail": "rockets-napoleon knows no bid 'five'.", "hand": 2},
    }
    assert third["id"] == "b"
    assert third["error"]["code"] == "out_of_range"
    assert third["error"]["hand"] is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"id": ', "it is not JSON"),
        ('{"id": NaN}', "NaN, which is no number"),
        ("[" * 100_000, "it is nested too deeply"),
        (b'{"id": "\xff"}', "it is not UTF-8 at byte 9"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_by_its_number(line: str | bytes, words: str) -> None:
    raw = line if isinstance(line, bytes) else line.encode()
    result = kittybook("score", "-", stdin=b"\n".join([lines(night("a")).encode().strip(), raw, b""]))
    assert result.exit_code == 1
    scored, refused = answers(result)
    assert scored["id"] == "a"
    assert refused["id"] is None
    assert refused["error"]["code"] == "unreadable"
    assert "standard input, line 2" in refused["error"]["detail"]
    assert words in refused["error"]["detail"]


@pytest.mark.parametrize("document", ["[]", "3", "null", '"sheet"'])
def test_what_is_no_object_is_refused(document: str) -> None:
    (answer,) = answers(kittybook("score", "-", stdin=document))
    assert answer["error"] == {"code": "bad_value", "detail": "sheet must be an object.", "hand": None}


def test_a_line_that_is_too_long_is_refused_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LINE_LIMIT", 1_000)
    long = night("long", note="x" * 3_000)
    result = kittybook("score", "-", stdin=lines(night("a"), long, night("b")))
    assert [answer.get("error", {}).get("code") for answer in answers(result)] == [None, "too_large", None]


# Exit codes


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["good.jsonl"], 0),
        (["good.jsonl", "bad.jsonl"], 1),
        (["bad.jsonl", "--table"], 1),
        (["--check", "good.jsonl"], 0),
        (["--check", "wrong.jsonl"], 1),
        (["--check", "bad.jsonl"], 1),
        ([], 2),
        (["nowhere.json"], 2),
        (["good.jsonl", "nowhere.json"], 2),
        (["."], 2),
        (["--check", "--table", "good.jsonl"], 2),
        (["--chekc", "good.jsonl"], 2),
    ],
)
def test_exit_code(folder: Path, args: list[str], code: int) -> None:
    (folder / "good.jsonl").write_text(lines(night("a", expect={"balances": BALANCES})))
    (folder / "bad.jsonl").write_text(lines(night("a"), night("b", pool=-1)))
    (folder / "wrong.jsonl").write_text(lines(night("a", expect={"pool": 1})))
    assert kittybook("score", *args).exit_code == code


def test_a_file_that_is_not_there_is_named() -> None:
    result = kittybook("score", "nowhere.json")
    assert result.stdout == ""
    assert "nowhere.json" in result.stderr


# --check


def test_check_prints_sheet_hand_and_player_of_every_difference() -> None:
    expect = {
        "hands": [{"changes": {"Ann": -2, "Bob": 5, "Dora": 1}, "pool": 3, "result": "made"}],
        "balances": {**BALANCES, "Cy": 2},
        "pool": 0,
    }
    result = kittybook("score", "--check", "-", stdin=lines(night("a", expect=expect), night("b", expect={})))
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "a: hand 1: changes: Bob: expected 5, got 4",
        "a: hand 1: changes: Cy: expected nothing, got -2",
        "a: hand 1: changes: Dora: expected 1, got nothing",
        "a: hand 1: pool: expected 3, got 0",
        "a: balances: Cy: expected 2, got -2",
    ]
    assert result.stderr == "2 sheets, 1 as expected, 1 not\n"


def test_check_says_nothing_of_what_is_as_expected() -> None:
    result = kittybook("score", "--check", "-", stdin=lines(night("a", expect={"balances": BALANCES, "pool": 0})))
    assert (result.exit_code, result.stdout) == (0, "")


def test_check_knows_refusals_that_are_expected() -> None:
    unknown = [{"bidder": "Bob", "bid": "five", "made": True}]
    result = kittybook(
        "score",
        "--check",
        "-",
        stdin=lines(
            night("right", hands=unknown, expect={"error": "bid_unknown"}),
            night("other", hands=unknown, expect={"error": "bid_too_low"}),
            night("none", hands=unknown, expect={"pool": 0}),
            night("scored", expect={"error": "bid_unknown"}),
        ),
    )
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "other: hand 1: rockets-napoleon knows no bid 'five'. (bid_unknown, not 'bid_too_low')",
        "none: hand 1: rockets-napoleon knows no bid 'five'. (bid_unknown)",
        "scored: expected to be refused as 'bid_unknown', and was scored",
    ]


def test_check_misses_no_hand_that_was_not_played() -> None:
    result = kittybook("score", "--check", "-", stdin=lines(night("a", expect={"hands": [{}, {}]})))
    assert result.stdout == "a: expected 2 hands, found 1\n"


def test_check_compares_games_of_pepper() -> None:
    sheet = {
        "id": "p",
        "rulebook": "rockets-pepper",
        "players": ["N", "E", "S", "W"],
        "dealer": "N",
        "scores": {"N+S": 40, "E+W": 12},
        "hands": [{"bidder": "S", "bid": "three", "tricks": 4}],
        "expect": {"winner": "E+W", "balances": {"N+S": 43, "E+W": 14}},
    }
    result = kittybook("score", "--check", "-", stdin=lines(sheet))
    assert result.stdout == "p: winner: expected 'E+W', got 'N+S'\n"


# --table


def test_table_lines_up_for_people() -> None:
    sheet = night("Tuesday", players=["Ann", "Bob", "Зоя"], pool=3, stake=2)
    result = kittybook("score", "--table", "-", stdin=lines(sheet))
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Tuesday · rockets-napoleon · stake 2",
        "pool brought forward 3",
        "hand  dealer  bidder  bid  result   Ann  Bob  Зоя  pool",
        "-------------------------------------------------------",
        "1     Ann     Bob     two  made      -4   +8   -4     3",
        "-------------------------------------------------------",
        "                           balance   -4   +8   -4     3",
        "",
    ]


def test_table_sends_errors_to_standard_error() -> None:
    result = kittybook("score", "--table", "-", stdin=lines(night("a", stake="x"), night("b")))
    assert result.exit_code == 1
    assert result.stderr == "a: stake must be a whole number.\n"
    assert result.stdout.startswith("b · rockets-napoleon\n")


# Files


def test_a_json_file_holds_one_sheet_on_as_many_lines_as_it_likes(folder: Path) -> None:
    (folder / "night.json").write_text(json.dumps(night("a"), indent=2))
    (folder / "two.json").write_text(lines(night("a"), night("b")))
    (good,) = answers(kittybook("score", "night.json"))
    assert good["balances"] == BALANCES
    (bad,) = answers(kittybook("score", "two.json"))
    assert bad["error"]["code"] == "unreadable"


def test_a_sheet_laid_out_over_lines_may_also_come_by_pipe() -> None:
    (answer,) = answers(kittybook("score", "-", stdin=json.dumps(night("a"), indent=2)))
    assert answer["balances"] == BALANCES


def test_byte_order_mark_crlf_and_blank_lines_do_no_harm(folder: Path) -> None:
    text = "\r\n".join(["", json.dumps(night("a")), "  ", "", json.dumps(night("b"))])
    (folder / "night.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (folder / "night.json").write_bytes(
        b"\xef\xbb\xbf" + json.dumps(night("c"), indent=2).replace("\n", "\r\n").encode()
    )
    result = kittybook("score", "night.jsonl", "night.json")
    assert result.exit_code == 0
    assert [answer["id"] for answer in answers(result)] == ["a", "b", "c"]


# Rulebooks


@pytest.fixture
def own(folder: Path) -> Path:
    """A club's own rulebook, in which Two is worth seven, beside its sheets and not where the command runs."""
    club = folder / "club"
    club.mkdir()
    text = preset_text("rockets-napoleon").replace('id = "rockets-napoleon"', 'id = "own"', 1)
    (club / "own.toml").write_text(text.replace("tricks = 2\ncollects = 2\n", "tricks = 2\ncollects = 7\n"))
    return club


@pytest.mark.usefixtures("own")
def test_a_rulebook_may_be_a_path_from_here() -> None:
    (answer,) = answers(kittybook("score", "-", stdin=lines(night("a", rulebook="club/own.toml"))))
    assert answer["rulebook"] == "own"
    assert answer["balances"] == {"Ann": -7, "Bob": 14, "Cy": -7}


def test_a_rulebook_may_stand_beside_the_sheet(own: Path) -> None:
    (own / "night.json").write_text(json.dumps(night("a", rulebook="own.toml")))
    (own / "nights.jsonl").write_text(lines(night("b", rulebook="own.toml")))
    result = kittybook("score", "club/night.json", str(own / "nights.jsonl"))
    assert [answer["balances"]["Bob"] for answer in answers(result)] == [14, 14]


def test_a_rulebook_is_not_beside_the_sheet_of_another_file(own: Path, folder: Path) -> None:
    (own / "night.json").write_text(json.dumps(night("a", rulebook="own.toml")))
    (folder / "night.json").write_text(json.dumps(night("b", rulebook="own.toml")))
    here = answers(kittybook("score", "club/night.json", "night.json"))
    assert [answer.get("error", {}).get("code") for answer in here] == [None, "rulebook_unknown"]


def test_a_rulebook_may_be_an_object() -> None:
    book = {
        "family": "nap",
        "bids": [{"id": "two", "tricks": 2, "collects": 9}],
    }
    (answer,) = answers(kittybook("score", "-", stdin=lines(night("a", rulebook=book))))
    assert answer["balances"] == {"Ann": -9, "Bob": 18, "Cy": -9}


@pytest.mark.usefixtures("own")
def test_house_rules_and_stake_apply_to_any_of_them() -> None:
    rules = {"bids.two.collects": 5}
    (answer,) = answers(
        kittybook("score", "-", stdin=lines(night("a", rulebook="club/own.toml", house_rules=rules, stake=10)))
    )
    assert answer["balances"]["Bob"] == 100


@pytest.mark.parametrize(
    ("rulebook", "code"),
    [
        ("nowhere.toml", "rulebook_unknown"),
        ("club", "rulebook_invalid"),
        ("club/broken.toml", "rulebook_invalid"),
        ({"family": "whist", "bids": []}, "bad_value"),
        (7, "bad_value"),
    ],
)
def test_a_rulebook_that_cannot_be_used_is_the_error_of_its_sheet(own: Path, rulebook: Any, code: str) -> None:
    (own / "broken.toml").write_text('id = "broken"\nfamily = "nap"\nwidth = 3\n')
    result = kittybook("score", "-", stdin=lines(night("a", rulebook=rulebook), night("b")))
    first, second = answers(result)
    assert first["error"]["code"] == code
    assert second["balances"] == BALANCES


def test_an_error_in_a_rulebook_names_file_line_and_key(own: Path) -> None:
    (own / "broken.toml").write_text(
        'id = "broken"\nfamily = "nap"\n\n[[bids]]\nid = "two"\ntricks = 2\ncollects = -1\n'
    )
    (answer,) = answers(kittybook("score", "-", stdin=lines(night("a", rulebook="club/broken.toml"))))
    assert answer["error"]["detail"] == ("club/broken.toml, line 7: bids[0].collects must be between 0 and 1000000000.")
