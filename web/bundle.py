"""Modules poured into one file, so that a screen is there after one answer and not after forty.

Nobody builds anything: it is done when a file is first asked for, of modules that run as they stand, too. Each keeps a
scope of its own. The forms of import and export that our modules use are known; any other raises ``ValueError``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

Read: TypeAlias = Callable[[str], str]
"""Returns the source of a module by its path."""

_PATH: Final = r'"(?P<path>\.{1,2}/[^"]+\.mjs)"'
_START: Final = r"(?:^|(?<=[;}]))"
_IMPORT: Final = re.compile(
    _START + r"import\s*(?P<what>\{[^}]*\}|\*\s*as\s+\w+|\w+)\s*from\s*" + _PATH + ";?", re.MULTILINE
)
_PASSED_ON: Final = re.compile(_START + r"export\s*\{(?P<names>[^}]*)\}\s*from\s*" + _PATH + ";?", re.MULTILINE)
_EXPORT: Final = re.compile(_START + r"export\s*\{(?P<names>[^}]*)\};?", re.MULTILINE)
_DECLARED: Final = re.compile(r"^export (?=(?:async function|function|class|const) (?P<name>\w+))", re.MULTILINE)
_DEFAULT: Final = re.compile(_START + r"export default ", re.MULTILINE)
_LATER: Final = re.compile(r"import\(" + _PATH + r"\)")
_LEFT: Final = re.compile(_START + r"(?:import|export)\b(?!\()(?! \{ \$).*", re.MULTILINE)


def modules_of(entry: str, read: Read) -> list[str]:
    """Return a module and all that it imports, each behind what it imports. Raises ``ValueError`` for a circle."""
    found: list[str] = []

    def visit(path: str, way: tuple[str, ...]) -> None:
        if path in way:
            raise ValueError(f"{' imports '.join((*way, path))}")
        if path not in found:
            source = read(path)
            for match in (*_IMPORT.finditer(source), *_PASSED_ON.finditer(source)):
                visit(_beside(path, match["path"]), (*way, path))
            found.append(path)

    visit(entry, ())
    return found


def bundle(entry: str, read: Read, base: str | None = None) -> str:
    """Return a module with all that it imports; what is in the bundle of ``base`` is taken from there."""
    there = set(modules_of(base, read)) if base else set()
    modules = modules_of(entry, read)
    taken = [path for path in modules if path in there]
    own = [path for path in modules if path not in there]
    parts = [_scoped(path, read(path), path == entry and base is None) for path in own]
    if base and taken:
        parts.insert(0, f'import {{ {", ".join(map(_name, taken))} }} from "{_relative(bundled(base), entry)}";')
    if base or any(_LATER.search(read(path)) for path in own):
        parts.append(f"export {{ {', '.join(_name(path) for path in own if base or path != entry)} }};")
    return "\n".join(parts)


def bundled(path: str) -> str:
    """Return the path of the bundle of a module."""
    return path.removesuffix(".mjs") + ".bundle.mjs"


def _scoped(path: str, source: str, is_first: bool) -> str:
    """Return a module as a value that holds what it exports; the one that starts everything stands open."""
    exports: list[str] = []
    source = _IMPORT.sub(lambda match: _import(path, match), source)
    source = _PASSED_ON.sub(lambda match: _passed_on(path, match, exports), source)
    source = _EXPORT.sub(lambda match: _export(match, exports), source)
    source = _DECLARED.sub(lambda match: _declared(match, exports), source)
    if _DEFAULT.search(source):
        exports.append("default: $default")
        source = _DEFAULT.sub("const $default = ", source)
    source = _LATER.sub(lambda match: _later(path, match), source)
    if left := _LEFT.search(source):
        raise ValueError(f"{path}: {left[0][:80]}")
    return (
        source if is_first else f"const {_name(path)} = (() => {{\n{source}\nreturn {{ {', '.join(exports)} }};\n}})();"
    )


def _import(path: str, match: re.Match[str]) -> str:
    name = _name(_beside(path, match["path"]))
    what = match["what"]
    if what.startswith("{"):
        return f"const {what.replace(' as ', ': ')} = {name};"
    if what.startswith("*"):
        return f"const {what.split()[-1]} = {name};"
    return f"const {what} = {name}.default;"


def _passed_on(path: str, match: re.Match[str], exports: list[str]) -> str:
    name = _name(_beside(path, match["path"]))
    exports += [f"{outside}: {name}.{inside}" for inside, outside in _pairs(match["names"])]
    return ""


def _export(match: re.Match[str], exports: list[str]) -> str:
    exports += [f"{outside}: {inside}" for inside, outside in _pairs(match["names"])]
    return ""


def _declared(match: re.Match[str], exports: list[str]) -> str:
    exports.append(match["name"])
    return ""


def _later(path: str, match: re.Match[str]) -> str:
    there = _beside(path, match["path"])
    return f'import("{_relative(bundled(there), path)}").then(({{ {_name(there)} }}) => {_name(there)})'


def _pairs(names: str) -> Sequence[tuple[str, str]]:
    pairs = [one.split(" as ") for one in re.split(r"\s*,\s*", names.strip().rstrip(",").strip())]
    return [(one[0], one[-1]) for one in pairs]


def _beside(path: str, other: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), other))


def _relative(path: str, start: str) -> str:
    found = posixpath.relpath(path, posixpath.dirname(start) or ".")
    return found if found.startswith(".") else f"./{found}"


def _name(path: str) -> str:
    return "$" + re.sub(r"\W", "_", path.removesuffix(".mjs"))
