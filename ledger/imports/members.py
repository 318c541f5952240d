"""A list of members as people's spreadsheets write it: bytes in, rows with their lines out. Nothing is guessed."""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ledger import values
from ledger.errors import BadValue, LedgerError

ROW_LIMIT: Final = 10_000
SIZE_LIMIT: Final = 16 * 1024 * 1024
"""The largest file that is worth reading, in bytes."""

CELL_LIMIT: Final = 10_000
"""The longest cell, in characters, also of columns that nobody reads."""

NUMBER_LIMIT: Final = 1_000_000
"""The largest number of a member."""

HEADINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "name": ("name", "full name", "display name", "member", "member name", "player", "player name"),
    "id": ("id", "member id", "player id"),
    "number": (
        *("number", "no", "nr", "num", "member number", "member no", "member nr"),
        *("membership number", "membership no", "membership nr", "player number", "player no"),
    ),
}
"""What each column may be called, in any case and with any punctuation; ``#`` is ``no``."""

_DELIMITERS: Final = ";,\t"
_NO_DELIMITER: Final = "\x1f"  # a file of one column: a comma in it is part of a name
_SAID: Final = re.compile(r"sep=([;,\t])(?:\r\n|\r|\n)")
_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_UTF_8_MARK: Final = codecs.BOM_UTF8
_UTF_16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Row(NamedTuple):
    """A member as a line tells of him. ``typed`` is his number as it stands there: ``0042`` for 42."""

    line: int
    name: str
    id: str | None = None
    number: int | None = None
    typed: str | None = None


class Fault(NamedTuple):
    """What is wrong with a line, in words that name the field."""

    line: int
    why: str


class Roster(NamedTuple):
    """What a file holds: rows that can be read, what is wrong with the others, and headings that nothing is read of."""

    rows: tuple[Row, ...]
    faults: tuple[Fault, ...]
    ignored: tuple[str, ...]


class Unfit(Exception):
    """What is wrong with a file as a whole, in a sentence without its end."""


def read(
    raw: bytes,
    columns: Mapping[str, Sequence[str]],
    *,
    encoding: str | None = None,
    name_of: Callable[[str], str] = str,
) -> Roster:
    """Read a file. Raises ``Unfit`` where it cannot be read at all.

    ``columns`` says by which headings name, id and number go where the usual ones do not do; a name may have several,
    such as first and last. UTF-8 is expected unless an ``encoding`` (which must be one) is named. ``name_of`` is what a
    cell of names says: the cell itself, unless somebody wrote something around it.
    """
    text = _decoded(raw, encoding)
    delimiter, start = _delimiter(text, columns)
    records = _records(text, delimiter, start)
    head = next(records, None)
    if head is None:
        raise Unfit("it is empty")
    headings = [cell.strip() for cell in head[1]]
    places = _places(headings, columns)
    rows: list[Row] = []
    faults: list[Fault] = []
    for line, cells in records:
        if len(rows) + len(faults) == ROW_LIMIT:
            raise Unfit(f"it has more than {ROW_LIMIT:,} members")
        try:
            rows.append(_row(line, cells, headings, places, name_of))
        except LedgerError as error:
            faults.append(Fault(line, error.detail))
        except _Wrong as wrong:
            faults.append(Fault(line, str(wrong)))
    used = {place for found in places.values() for place in found}
    ignored = (heading for place, heading in enumerate(headings) if place not in used and heading)
    return Roster(tuple(rows), tuple(faults), tuple(quoted(heading) for heading in ignored))


def is_encoding(name: str) -> bool:
    """Tell whether text may be written in what is called so."""
    try:
        codecs.lookup(name)
        b"name".decode(name)
    except UnicodeDecodeError:
        return True  # only this is not written in it
    except (LookupError, ValueError):
        return False
    return True


def quoted(text: str) -> str:
    """Return what came in so that a sentence may quote it: not at length, nothing that a terminal would obey."""
    return repr(text if len(text) <= 60 else f"{text[:59]}…")


# Bytes to text


def _decoded(raw: bytes, encoding: str | None) -> str:
    if encoding is None:
        return _from_utf_8(raw.removeprefix(_UTF_8_MARK), len(_UTF_8_MARK) * raw.startswith(_UTF_8_MARK))
    name = codecs.lookup(encoding).name
    if raw.startswith(_UTF_8_MARK) and name not in ("utf-8", "utf-8-sig"):
        raise Unfit(f"it begins with the mark of UTF-8, and so is not {encoding}: leave --encoding out")
    try:
        return raw.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise Unfit(f"{_place(raw, error.start)} is not {encoding}") from None
    except ValueError:  # some codecs do not say where
        raise Unfit(f"it is not {encoding}") from None


def _from_utf_8(raw: bytes, skipped: int) -> str:
    if raw.startswith(_UTF_16_MARKS):
        raise Unfit("it is not UTF-8 but begins with the mark of UTF-16: say --encoding utf-16")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        at = f"{_place(raw, error.start)} (byte {skipped + error.start + 1} of the file)"
        raise Unfit(
            f"{at} is not UTF-8: save it as UTF-8, or say what it is with --encoding, such as cp1252 (Windows),"
            " latin-1 or mac-roman"
        ) from None


def _place(raw: bytes, at: int) -> str:
    ends = [found.end() for found in _LINE_END.finditer(raw, 0, at)]
    byte = raw[at : at + 1].hex().upper()
    return f"line {len(ends) + 1}, byte {at - (ends[-1] if ends else 0) + 1} (0x{byte})"


# Text to records


def _delimiter(text: str, columns: Mapping[str, Sequence[str]]) -> tuple[str, int]:
    """Return the delimiter that makes most of the first line, and where in the text that line begins."""
    if said := _SAID.match(text):
        return said[1], said.end()
    wanted = {_plain(heading) for group in {**HEADINGS, **columns}.values() for heading in group}

    def known(head: Sequence[str]) -> tuple[int, int]:
        return sum(_plain(cell) in wanted for cell in head), len(head)

    found, best = _NO_DELIMITER, (0, 0)
    for delimiter in (_NO_DELIMITER, *_DELIMITERS):
        try:
            _line, head = next(_records(text, delimiter, 0), (0, []))
        except Unfit:
            continue  # it may be well formed with another
        if known(head) > best:
            found, best = delimiter, known(head)
    return found, 0


def _records(text: str, delimiter: str, start: int) -> Iterator[tuple[int, list[str]]]:
    """Yield what is not empty, with the line in which it begins. Raises ``Unfit`` for quotation marks without end."""
    stream = io.StringIO(text, newline="")
    stream.seek(start)
    reader = csv.reader(stream, delimiter=delimiter, strict=True, skipinitialspace=True)
    before = 1 if start else 0
    while True:
        line = before + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise Unfit(f"line {line}: {_in_words(error)}") from None
        if any(cell.strip() for cell in cells):
            yield line, cells


def _in_words(error: csv.Error) -> str:
    words = str(error)
    if "end of data" in words:
        return 'a cell begins with " here, and no " ends it'
    if "expected after" in words:
        return 'something stands behind the " that ends a cell; within a cell, " is written twice'
    if "field limit" in words:
        return f"a cell is longer than {CELL_LIMIT:,} characters"
    return words


# Headings


def _places(headings: Sequence[str], columns: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
    """Return the columns of each field: those that were named, else the one that is called as such columns are."""
    places = {field: [_named(headings, wanted) for wanted in given] for field, given in columns.items() if given}
    used = [place for found in places.values() for place in found]
    if len(set(used)) < len(used):
        raise Unfit("--column names one column twice")
    for field, usual in HEADINGS.items():
        if field in places:
            continue
        found = [place for place, cell in enumerate(headings) if place not in used and _plain(cell) in usual]
        if len(found) > 1:
            several = " and ".join(quoted(headings[place]) for place in found)
            raise Unfit(f"{several} could each be the {field}: say which with --column {field}=HEADING")
        places[field] = found
    if not places["name"]:
        raise Unfit(
            "no heading in its first line says where the names are: say which with --column name=HEADING."
            f" The headings are {_listed(headings)}"
        )
    return places


def _named(headings: Sequence[str], wanted: str) -> int:
    exact = unicodedata.normalize("NFC", wanted.strip())
    found = [place for place, cell in enumerate(headings) if unicodedata.normalize("NFC", cell) == exact]
    if not found and (plain := _plain(wanted)):
        found = [place for place, cell in enumerate(headings) if _plain(cell) == plain]
    if len(found) != 1:
        how_often = f"{len(found)} headings are" if found else "no heading is"
        raise Unfit(f"{how_often} {quoted(wanted)}. The headings are {_listed(headings)}")
    return found[0]


def _plain(heading: str) -> str:
    letters = unicodedata.normalize("NFKC", heading).casefold().replace("#", " no ")
    return re.sub(r"[\W_]+", " ", letters).strip()


def _listed(headings: Sequence[str]) -> str:
    more = f" and {len(headings) - 20} more" if len(headings) > 20 else ""
    return ", ".join(quoted(heading) for heading in headings[:20]) + more


# Rows


class _Wrong(Exception):
    """What is wrong with a row, in words."""


def _row(
    line: int,
    cells: Sequence[str],
    headings: Sequence[str],
    places: Mapping[str, Sequence[int]],
    name_of: Callable[[str], str],
) -> Row:
    if any(len(cell) > CELL_LIMIT for cell in cells):
        raise _Wrong(f"a cell is longer than {CELL_LIMIT:,} characters.")
    if any(cell.strip() for cell in cells[len(headings) :]):
        raise _Wrong(f"it has {len(cells)} cells under {len(headings)} headings.")

    def cell(field: str, said: Callable[[str], str] = str) -> tuple[str, str]:
        found = [said(cells[place]).strip() for place in places[field] if place < len(cells)]
        return " ".join(filter(None, found)), " + ".join(headings[place] for place in places[field])

    name, called = cell("name", name_of)
    name = values.name(name, called)
    member, called = cell("id")
    if member.isascii():
        member = member.lower()
    member_id = values.member_id(member, called) if member else None
    typed, called = cell("number")
    return Row(line, name, member_id, _number(typed, called) if typed else None, typed or None)


def _number(typed: str, called: str) -> int:
    if not re.fullmatch(r"[0-9]{1,60}", typed):
        raise BadValue(field=called, wanted="a whole number in digits")
    return values.integer(int(typed), called, 1, NUMBER_LIMIT)
