"""Writes the catalogue of everything that pages say, for translators: web/translations/messages.pot.

Words of code and templates are found by their calls (gettext, ngettext, later, _, and say in those of payment tables),
those of the table's screens by _ and n_; the sentences of refusals are added.
With --check nothing is written, and the exit code is 1 where the catalogue is not what it should be.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from babel.messages.catalog import Catalog  # noqa: E402 - the folder above must be known first
from babel.messages.extract import extract, extract_from_dir  # noqa: E402
from babel.messages.pofile import write_po  # noqa: E402

from ledger.errors import LedgerError  # noqa: E402
from web.screen_words import said  # noqa: E402

TARGET: Final = ROOT / "web" / "translations" / "messages.pot"

SAID: Final = ROOT / "ledger" / "payment_table.py"
"""What terminals say, too."""

METHODS: Final = [("**.py", "python"), ("**/templates/**.html", "jinja2.ext:babel_extract")]
MODULES: Final = "web/static/table"
OPTIONS: Final = {"**/templates/**.html": {"trimmed": "true", "silent": "false"}}
KEYWORDS: Final[dict[str, tuple[int, ...] | None]] = {"_": None, "gettext": None, "later": None, "ngettext": (1, 2)}


def main(check: bool) -> int:
    """Write the catalogue, or compare it with what it should be."""
    found = text_of(catalogue())
    if check:
        return int(not TARGET.exists() or TARGET.read_text(encoding="utf-8") != found)
    TARGET.write_text(found, encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)} is written")
    return 0


def catalogue() -> Catalog:
    """Return everything that pages say."""
    made = Catalog(project="Kittybook", charset="utf-8", header_comment="# What the pages of Kittybook say.")
    for file, _line, message, comments, context in extract_from_dir(
        ROOT / "web", METHODS, OPTIONS, keywords={**KEYWORDS}, comment_tags=()
    ):
        made.add(message, None, [(f"web/{file}", 0)], auto_comments=comments, context=context)
    for words in said():
        made.add(words[0] if len(words) == 1 else words, None, [(MODULES, 0)])
    with SAID.open("rb") as source:
        for _line, message, _comments, _context in extract("python", source, keywords={"say": None}):
            flags = ["python-brace-format"] if "{" in str(message) else []
            made.add(message, None, [(str(SAID.relative_to(ROOT)), 0)], flags=flags)
    ours = (error for error in refusals(LedgerError) if error.__module__ == LedgerError.__module__)
    for error in sorted(ours, key=lambda error: error.__name__):
        made.add(error.sentence, None, [("ledger/errors.py", 0)], flags=["python-brace-format"])
    return made


def refusals(family: type[LedgerError]) -> set[type[LedgerError]]:
    """Return every refusal there is of a family."""
    return {family, *(one for child in family.__subclasses__() for one in refusals(child))}


def text_of(made: Catalog) -> str:
    """Return a catalogue as a file holds it, without the dates and releases that would change by themselves."""
    stream = io.BytesIO()
    write_po(stream, made, width=120, omit_header=True, sort_output=True, include_lineno=False)
    header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    return "# What the pages of Kittybook say. Written by scripts/catalogue.py.\n" + header + stream.getvalue().decode()


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
