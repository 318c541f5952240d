"""A member's statement as a table (contract, section 9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger.exports.spreadsheets import MACHINE, Guard, Profile, guarded_lines
from ledger.reports.statement import STATEMENT_COLUMNS, StatementLine


def statement_csv(lines: Iterable[StatementLine], profile: Profile = MACHINE) -> Iterator[str]:
    """Yield a statement as lines of CSV; amounts of money are in minor units."""
    guard = Guard()
    rows = (
        (date, night, hand, guard[memo], change, balance, unit)
        for date, night, hand, memo, change, balance, unit in lines
    )
    return guarded_lines(STATEMENT_COLUMNS, rows, profile)
