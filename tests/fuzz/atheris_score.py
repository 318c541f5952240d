"""A coverage-guided fuzzer for the calculator; not part of the tests. Stops at the first thing that should not be.

    python -m tests.fuzz.atheris_score CORPUS -max_total_time=120

It spoils valid sheets by the fuzzer's bytes, and tries the bytes themselves as JSON and as TOML. CORPUS is a folder
of its own, kept between runs; leave it out to start from nothing.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import Any

atheris: Any = importlib.import_module("atheris")  # has no types, and is not there on every system

with atheris.instrument_imports(include=["ledger"]):
    import ledger.cli.reading
    import ledger.errors
    import ledger.rulebook
    import ledger.sheet

from tests.fuzz.mutations import check_rulebook, check_sheet, spoil  # noqa: E402 - after what is instrumented
from tests.fuzz.nights import GAMES, night, rulebook_data  # noqa: E402 - as above

NIGHTS = [night(game, seed, 3, edge=True, unusual=0.6) for game in GAMES for seed in range(4)]
BOOKS = [{**rulebook_data(game), "examples": []} for game in GAMES]


def one_input(raw: bytes) -> None:
    given = atheris.FuzzedDataProvider(raw)

    def pick(limit: int) -> int:
        return int(given.ConsumeIntInRange(0, limit - 1))

    match pick(5):
        case 0:
            document = ledger.cli.reading.decoded(given.ConsumeBytes(sys.maxsize), "here")
            if not isinstance(document, ledger.errors.LedgerError):
                check_sheet(document)
        case 1:
            text = given.ConsumeUnicode(400)
            with contextlib.suppress(ledger.errors.RulebookInvalid):
                ledger.rulebook.parse(text)
        case 2:
            check_rulebook(spoil(BOOKS[pick(len(BOOKS))], pick, 1 + pick(4)))
        case 3:
            sheet = NIGHTS[pick(len(NIGHTS))]
            book = next(book for book in BOOKS if book["id"] == sheet["rulebook"])
            check_sheet({**sheet, "rulebook": spoil(book, pick, 1 + pick(3))})
        case _:
            check_sheet(spoil(NIGHTS[pick(len(NIGHTS))], pick, 1 + pick(6)))


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
