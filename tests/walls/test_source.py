"""What the program is made of: nothing in it runs words that somebody sent, and chance comes from the system."""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.access import ROLES
from ledger.people import Door, attempts, passwords
from ledger.service import Ledger
from ledger.tokens import new_secret
from tests.test_readme import ROOT, section

PRODUCT = ("ledger", "api", "web")

NO_CALL = re.compile(
    r"eval|exec|compile|__import__|os\.(system|popen|exec\w*|spawn\w*)|hashlib\.(md5|sha1|new)|render_template_string"
    r"|Markup|random\.(?!uniform)\w+"
)
NO_MODULE = re.compile(
    r"subprocess|pickle|marshal|shelve|xml(\..*)?|lxml|yaml|ldap|ftplib|smtplib|urllib\.request|requests"
)


ALLOWED = {("ledger/upkeep/rehearsals.py", "subprocess")}
"""It runs itself, in a process of its own, on files that the machine's owner chose: no shell, and nothing sent."""


def calls_and_modules(file: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield "call", ast.unparse(node.func)
        elif isinstance(node, ast.Import):
            yield from (("module", name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "module", node.module or ""
            yield from (("call", f"{node.module}.{name.name}") for name in node.names)


def of_the_product(suffix: str) -> list[Path]:
    return [file for folder in PRODUCT for file in sorted((ROOT / folder).rglob(f"*{suffix}"))]


def test_nothing_is_run_unpickled_or_fetched_and_no_weak_hash_is_used() -> None:
    files = of_the_product(".py")
    assert len(files) > 150
    for file in files:
        for kind, name in calls_and_modules(file):
            forbidden = NO_CALL if kind == "call" else NO_MODULE
            allowed = (file.relative_to(ROOT).as_posix(), name) in ALLOWED
            assert allowed or forbidden.fullmatch(name) is None, (file, name)


SPOILT = (
    "eval('1')", "import os; os.system('x')", "import pickle", "from xml.dom import x", "import hashlib; hashlib.md5()",
    "from subprocess import run", "import random; random.random()",
)  # fmt: skip


@pytest.mark.parametrize("source", SPOILT)
def test_what_is_looked_for_is_found(source: str, tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(source, encoding="utf-8")
    found = [*calls_and_modules(tmp_path / "x.py")]
    assert any((NO_CALL if kind == "call" else NO_MODULE).fullmatch(name) for kind, name in found)


def test_no_template_passes_anything_by_unescaped() -> None:
    templates = of_the_product(".html")
    assert len(templates) > 30
    for file in templates:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe\b|autoescape|Markup", text), file
        text = text.replace('<script type="application/json"', "")  # words as data
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|javascript:", text), file


FROM_WORDS = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function"


def test_scripts_put_words_on_a_page_as_words() -> None:
    scripts = [file for file in of_the_product("js") if "vendor" not in file.parts]
    assert scripts
    for file in scripts:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text), (
            file
        )


def test_no_query_is_made_of_what_was_sent() -> None:
    """Names of tables and columns are our own; values are bound."""
    for file in of_the_product(".py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
                if re.match(r"\s*(SELECT|INSERT|UPDATE|DELETE)\b", text):
                    assert file.is_relative_to(ROOT / "ledger" / "stores"), (file, text)
                    assert not re.search(r"['\"]", text), (file, text)


def test_chance_is_the_systems() -> None:
    assert inspect.signature(Ledger).parameters["chance"].default is os.urandom
    asked: list[int] = []

    def chance(size: int) -> bytes:
        asked.append(size)
        return os.urandom(size)

    door = Door(people=None, clock=None, chance=chance)  # type: ignore[arg-type]
    assert len({door.secret() for _ in range(100)}) == 100
    assert len({door.code() for _ in range(100)}) == 100
    assert len(new_secret(chance)) == 3 + 43
    assert set(asked) == {32, 5}  # 256 bits, and the 40 of a code that is good for ten minutes


def test_the_readme_tells_how_long_who_guesses_waits() -> None:
    row = r"^\| (?:a|any) .+ \| (\d+) \| (\d+) seconds? \| (\d+) (second|minute|hour)s? \|$"
    unit = {"second": 1, "minute": 60, "hour": 3600}
    told = [
        (int(free), int(first), int(most) * unit[of])
        for free, first, most, of in re.findall(row, section("The book over HTTP"), re.MULTILINE)
    ]
    paces = [attempts.PACES[name] for name in ("account", "address", "known", "account", "code", "pin")]
    assert told == [(pace.free, pace.first, pace.longest) for pace in paces]
    assert "nobody elsewhere can keep him" in " ".join(section("The book over HTTP").split())


def test_the_readme_tells_how_soon_a_library_with_a_hole_is_replaced() -> None:
    told = " ".join(section("For maintainers").split())
    assert "replaced within 7 days of its mending, any other within 30" in told


def test_the_readme_tells_the_roles() -> None:
    told = re.findall(r"^\| (\w+) \| \w.+ \|$", section("The book over HTTP").partition("**People")[0], re.MULTILINE)
    assert told == ["role", *ROLES]


def test_three_thousand_common_passwords_are_known() -> None:
    """As many as may be chosen at all: those that are too short are refused anyway."""
    assert sum(len(one) >= passwords.SHORTEST for one in passwords._common()) >= 3_000
