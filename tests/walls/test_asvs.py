"""The table of the OWASP ASVS: whole, and every test that it names is there and is run."""

from __future__ import annotations

import ast
from functools import cache
from typing import Final

import pytest

from scripts.asvs import CHAPTERS, rows, verdict
from tests.test_readme import ROOT, section

LEVEL_1: Final = (
    "1.2.1 1.2.2 1.2.3 1.2.4 1.2.5 1.3.1 1.3.2 1.5.1 2.1.1 2.2.1 2.2.2 2.3.1 3.2.1 3.2.2 3.3.1 3.4.1 3.4.2 3.5.1 3.5.2"
    " 3.5.3 4.1.1 4.4.1 5.2.1 5.2.2 5.3.1 5.3.2 6.1.1 6.2.1 6.2.2 6.2.3 6.2.4 6.2.5 6.2.6 6.2.7 6.2.8 6.3.1 6.3.2 6.4.1"
    " 6.4.2 7.2.1 7.2.2 7.2.3 7.2.4 7.4.1 7.4.2 8.1.1 8.2.1 8.2.2 8.3.1 9.1.1 9.1.2 9.1.3 9.2.1 10.4.1 10.4.2 10.4.3"
    " 10.4.4 10.4.5 11.3.1 11.3.2 11.4.1 12.1.1 12.2.1 12.2.2 13.4.1 14.2.1 14.3.1 15.1.1 15.2.1 15.3.1"
)
"""Every requirement of level 1 in version 5.0.0."""

MORE: Final = (
    "1.2.10 2.3.3 2.3.4 2.3.5 3.3.2 3.3.3 3.3.4 3.4.3 3.4.4 3.4.5 3.4.6 3.4.7 3.4.8 6.2.9 6.2.10 6.2.11 6.2.12 6.3.3"
    " 6.5.1 6.5.2 6.5.3 6.5.4 6.5.5 6.6.2 6.6.3 7.4.5 7.5.2 8.4.1 14.3.2 14.3.3 16.2.1 16.2.2 16.2.3 16.2.4 16.2.5"
    " 16.3.1 16.3.2 16.3.3 16.3.4 16.4.1 16.4.2 16.4.3 16.5.1 16.5.2 16.5.3 16.5.4"
)
"""What else the product set out to meet."""

LEVEL_3: Final = {"1.2.10", "2.3.5", "3.4.7", "3.4.8", "16.5.4"}


def order(number: str) -> list[int]:
    return [int(part) for part in number.split(".")]


@cache
def in_file(file: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return {
        node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_every_requirement_of_level_1_is_there_once_and_the_others_that_were_set_out_for() -> None:
    assert len(LEVEL_1.split()) == len(set(LEVEL_1.split())) == 70
    assert [number for number, row in rows().items() if row["level"] == 1] == LEVEL_1.split()
    assert [number for number, row in rows().items() if row["level"] > 1] == MORE.split()
    assert {number for number, row in rows().items() if row["level"] == 3} == LEVEL_3
    assert [*rows()] == sorted(rows(), key=order)
    assert {int(number.partition(".")[0]) for number in rows()} == set(CHAPTERS)


@pytest.mark.parametrize("number", rows())
def test_a_row_names_tests_that_are_run(number: str) -> None:
    row = rows()[number]
    assert set(row) <= {"level", "asks", "tests", "note", "differs", "missing", "none"}
    assert len({"differs", "missing", "none", "note"} & set(row)) <= 1
    assert verdict(row) in ("met", "differs") or "tests" not in row or "none" in row
    assert "differs" not in row or row["tests"]
    assert verdict(row) != "not met" or row["missing"]
    for test in row.get("tests", []):
        file, _colons, name = test.partition("::")
        found = in_file(file).get(name)
        assert name.startswith("test_")
        assert found is not None, test
        marks = " ".join(ast.unparse(one) for one in found.decorator_list)
        assert "skip" not in marks, test
        assert "xfail" not in marks, test


def test_the_readme_has_the_table() -> None:
    told = section("What strangers try")
    for number, row in rows().items():
        (line,) = [line for line in told.splitlines() if line.startswith(f"| {number} | ")]
        assert row["asks"] in line
        assert verdict(row) in line
        assert all(test in line for test in row.get("tests", []))
