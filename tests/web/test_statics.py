"""Files that pages are dressed in, and modules poured into one."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping

import brotli
import pytest

from tests.web.conftest import VisitorOf
from web.bundle import bundle, modules_of
from web.statics import BUNDLES, static, static_folder

SMALL: Mapping[str, str] = {
    "first.mjs": 'import { two as zwei } from "./parts/two.mjs";\nimport * as all from "./all.mjs";\n'
    'const later = () => import("./later.mjs");\nconsole.log(zwei, all.one, later);\n',
    "parts/two.mjs": 'import one from "../one.mjs";\nexport const two = one + 1;\n',
    "one.mjs": "export default 1;\n",
    "all.mjs": 'export { two } from "./parts/two.mjs";\n'
    'export { default as one } from "./one.mjs";\nexport function f() {}\n',
    "later.mjs": 'import { two } from "./parts/two.mjs";\n'
    'import { own } from "./own.mjs";\nexport const four = two + own;\n',
    "own.mjs": "const own = 2;\nexport { own };\n",
}


def test_modules_stand_behind_what_they_import_each_once() -> None:
    assert modules_of("first.mjs", SMALL.__getitem__) == ["one.mjs", "parts/two.mjs", "all.mjs", "first.mjs"]


def test_what_is_poured_together_names_what_it_exports_and_what_comes_later() -> None:
    first = bundle("first.mjs", SMALL.__getitem__)
    assert "const { two: zwei } = $parts_two;" in first
    assert "const all = $all;" in first
    assert "return { two: $parts_two.two, one: $one.default, f };" in first
    assert 'import("./later.bundle.mjs").then(({ $later }) => $later)' in first
    assert first.endswith("export { $one, $parts_two, $all };")
    later = bundle("later.mjs", SMALL.__getitem__, "first.mjs")
    assert later.startswith('import { $one, $parts_two } from "./first.bundle.mjs";')
    assert later.count("const $") == 2  # its own two alone
    assert later.endswith("export { $own, $later };")


@pytest.mark.parametrize(
    "source",
    [
        'import "./one.mjs";',
        "export let changing = 1;",
        "export * from './one.mjs';",
        'import { one } from "elsewhere";',
        "export const { a, b } = c;",
    ],
)
def test_a_form_that_is_not_known_is_an_error(source: str) -> None:
    with pytest.raises(ValueError, match=r"odd\.mjs: (import|export)"):
        bundle("odd.mjs", {**SMALL, "odd.mjs": f"const c = 0;\n{source}\n"}.__getitem__)


def test_modules_that_import_each_other_are_an_error() -> None:
    circle = {
        f"{one}.mjs": f'import {{ {other} }} from "./{other}.mjs";\nexport const {one} = {other};'
        for one, other in ("ab", "ba")
    }
    with pytest.raises(ValueError, match=r"a\.mjs imports b\.mjs imports a\.mjs"):
        bundle("a.mjs", circle.__getitem__)


def test_every_screen_is_one_script_without_comments_and_kept_for_good(visitor: VisitorOf) -> None:
    for name in BUNDLES:
        folder, _slash, path = name.partition("/")
        answer = visitor().get(f"{static_folder(folder)}/{path}")
        assert answer.status_code == 200, name
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert not re.search(r"^\s*(//|/\*| \*)", answer.text, re.MULTILINE), name


def test_the_table_is_small(visitor: VisitorOf) -> None:
    """60 kB compressed are allowed for what a table is played with; the rest comes once it can be."""
    sizes = {}
    for name in ("table.bundle.mjs", "screen/sheets.bundle.mjs"):
        for encoding in ("gzip", "br"):
            answer = visitor().get(f"/static/table/{name}", **{"Accept-Encoding": encoding})
            assert answer.headers["Content-Encoding"] == encoding
            sizes[name, encoding] = len(answer.data)
    assert max(sizes["table.bundle.mjs", "gzip"], sizes["table.bundle.mjs", "br"]) < 60_000
    assert sizes["table.bundle.mjs", "br"] + sizes["screen/sheets.bundle.mjs", "br"] < 70_000


def test_a_file_goes_out_as_small_as_whoever_asks_can_read(visitor: VisitorOf) -> None:
    address = static("kittybook.css")
    plain = visitor().get(address, **{"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert gzip.decompress(visitor().get(address, **{"Accept-Encoding": "gzip"}).data) == plain.data
    assert brotli.decompress(visitor().get(address, **{"Accept-Encoding": "br, gzip"}).data) == plain.data
    assert visitor().get(address, **{"If-None-Match": plain.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize(
    "path",
    [
        "table~0000000000000000/nothing.mjs",
        "nothing~0000000000000000/table.mjs",
        "table/no.bundle.mjs",
        "table~0/a.mjs",
    ],
)
def test_what_is_not_there_is_not_found(visitor: VisitorOf, path: str) -> None:
    assert visitor().get(f"/static/{path}").status_code == 404


def test_another_state_of_a_folder_is_answered_and_not_kept(visitor: VisitorOf) -> None:
    answer = visitor().get("/static/table~0000000000000000/words.mjs")
    assert answer.headers["Cache-Control"] == "no-cache"
