"""What comes from files and pipes: JSON a line at a time, or bytes as they are, without trusting any of it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Final

from ledger.errors import LedgerError, NotJson, RulebookInvalid, RulebookUnknown, TooLarge
from ledger.rulebook import Rulebook, parse
from ledger.rulebook.parse import TEXT_LIMIT
from ledger.rulebooks import preset, preset_ids
from ledger.values import no_key_twice

LINE_LIMIT: Final = 32 * 1024 * 1024
"""The longest line, and the largest file that holds one sheet, in bytes: a night of 200,000 hands."""

_BOM = b"\xef\xbb\xbf"


def documents(path: str, *, by_line: bool = False) -> Iterator[Any | LedgerError]:
    """Yield every JSON document of a file, or in its place the error that says why it cannot be read.

    ``.json`` holds one; anything else one a line (blank lines are skipped), or one over several lines. What is read
    ``by_line`` has one a line, whatever it is called, and no line waits for the next. ``-`` is standard input. Raises
    ``OSError``.
    """
    with ExitStack() as stack:
        stream: IO[bytes] = _standard_input() if path == "-" else stack.enter_context(Path(path).open("rb"))
        if path.endswith(".json") and not by_line:
            yield decoded(_limited(stream), shown(path))
        else:
            yield from _lines(stream, shown(path), one_each=by_line)


def content(path: str, limit: int) -> bytes:
    """Return all bytes of a file; ``-`` is standard input. Raises ``TooLarge`` beyond a limit, and ``OSError``."""
    with ExitStack() as stack:
        stream: IO[bytes] = _standard_input() if path == "-" else stack.enter_context(Path(path).open("rb"))
        raw = stream.read(limit + 1)
    if len(raw) > limit:
        raise TooLarge(where=shown(path), limit=f"{limit // 1024**2} MB")
    return raw


def shown(path: str) -> str:
    """Return what a file is called in a sentence."""
    return "standard input" if path == "-" else path


def decoded(raw: bytes | None, where: str) -> Any | LedgerError:  # noqa: ANN401 - JSON is of any shape
    """Return what JSON text says, or the error that says why it cannot be read."""
    if raw is None:
        return TooLarge(where=where, limit=f"{LINE_LIMIT // 1024**2} MB")
    try:
        return _decoder.decode(raw.removeprefix(_BOM).decode("utf-8"))
    except UnicodeDecodeError as error:
        return NotJson(where=where, why=f"it is not UTF-8 at byte {error.start + 1}")
    except json.JSONDecodeError as error:
        return NotJson(where=where, why=f"it is not JSON: {error.msg.lower()} at column {error.colno}")
    except RecursionError:
        return NotJson(where=where, why="it is nested too deeply")
    except ValueError as error:
        return NotJson(where=where, why=str(error).split(";")[0])


def rulebook_from(name: str, beside: str | None = None) -> Rulebook:
    """Return a preset, or the rulebook in a TOML file; a path is tried from here, then from beside a sheet.

    Raises ``RulebookUnknown`` and ``RulebookInvalid``.
    """
    if name in preset_ids():
        return preset(name)
    places = [Path(name)]
    if beside is not None and beside != "-":
        places.append(Path(beside).parent / name)
    try:
        path = next((place for place in places if place.exists()), None)
    except (OSError, ValueError):
        path = None
    if path is None:
        raise RulebookUnknown(field="rulebook", rulebook=name)
    return parse(_text_of(path), str(path))


def _text_of(path: Path) -> str:
    if path.is_dir():
        raise RulebookInvalid(where=str(path), why="it is a folder, not a file")
    try:
        with path.open("rb") as stream:
            raw = stream.read(4 * TEXT_LIMIT + 1)
        return raw.removeprefix(_BOM).decode("utf-8").replace("\r\n", "\n")
    except OSError as error:
        raise RulebookInvalid(where=str(path), why=f"it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise RulebookInvalid(where=str(path), why=f"it is not UTF-8 at byte {error.start + 1}") from None


def _standard_input() -> IO[bytes]:
    if sys.stdin is None:
        raise OSError("standard input is closed")
    return sys.stdin.buffer


def _limited(stream: IO[bytes]) -> bytes | None:
    raw = stream.read(LINE_LIMIT + 1)
    return raw if len(raw) <= LINE_LIMIT else None


def _lines(stream: IO[bytes], shown: str, number: int = 0, *, one_each: bool = False) -> Iterator[Any | LedgerError]:
    while line := stream.readline(LINE_LIMIT + 1):
        number += 1
        where = f"{shown}, line {number}"
        if len(line) > LINE_LIMIT:
            while line and not line.endswith(b"\n"):
                line = stream.readline(LINE_LIMIT)
            yield decoded(None, where)
            continue
        if not line.removeprefix(_BOM).strip():
            continue
        document = decoded(line, where)
        begun = (
            number == 1 and isinstance(document, LedgerError) and line.removeprefix(_BOM).lstrip()[:1] in {b"{", b"["}
        )
        if begun and not one_each:
            # Perhaps a sheet that somebody laid out over several lines.
            rest = stream.read(LINE_LIMIT + 1 - len(line))
            rest += stream.readline(LINE_LIMIT)
            whole = decoded(line + rest if len(line) + len(rest) <= LINE_LIMIT else None, shown)
            if not isinstance(whole, LedgerError):
                yield whole
                return
            yield document
            yield from _lines(io.BytesIO(rest), shown, number)
            number += rest.count(b"\n")
            continue
        yield document


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"it has {constant}, which is no number")


_decoder = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=no_key_twice)
