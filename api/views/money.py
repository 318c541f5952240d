"""A club's money: who pays whom, what was paid, what made a member's account."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask_smorest import Blueprint

from api.files import file_call
from api.reading import Reading, behind, page, read_call
from api.schemas import answers, queries
from ledger.club import Club, require_member, require_night
from ledger.exports.spreadsheets import PROFILES, csv_lines
from ledger.exports.statement import statement_csv
from ledger.reports.settlement import (
    RESULT_COLUMNS,
    TRANSFER_COLUMNS,
    results,
    settlement,
    settlement_data,
    transfers,
)
from ledger.reports.statement import statement as statement_lines
from ledger.settlement import Policy
from ledger.views import payments_view

money = Blueprint("money", __name__, url_prefix="/clubs/<id:club>", description="Who owes whom, and why")


@read_call(money, "/settlement", answers.Settlement, queries.How)
def club_settlement(book: Reading, policy: Policy, threshold: int, banker: str | None) -> dict[str, Any]:
    """Who pays whom for everything that is open: closed nights, corrections, payments, adjustments, charges."""
    return _settlement(book, (), policy, threshold, banker)


@read_call(money, "/nights/<id:night>/settlement", answers.Settlement, queries.How)
def night_settlement(book: Reading, night: str, policy: Policy, threshold: int, banker: str | None) -> dict[str, Any]:
    """Who pays whom for a closed night, with what was paid, corrected, adjusted and charged since."""
    return _settlement(book, (night,), policy, threshold, banker)


def _settlement(
    book: Reading, nights: tuple[str, ...], policy: Policy, threshold: int, banker: str | None
) -> dict[str, Any]:
    if banker not in (None, "till"):
        require_member(book.club, str(banker), "banker")
    settled = settlement(book.club, nights, policy=policy, threshold=threshold, banker=banker)
    disputed = [night for night in nights if book.night(night).disputes]
    parties = {party for row in settled for party in row.balances}
    names = book.words.parties(sorted({*parties, "till"}))
    return {"policy": policy, "settlements": [settlement_data(row) for row in settled], "names": names,
            "disputed": disputed}  # fmt: skip


@file_call(money, "/nights/<id:night>/settlement.csv", queries.Table)
def settlement_csv(book: Reading, night: str, profile: str) -> tuple[str, Iterator[str]]:
    """What each player took home, as CSV; of a closed night what was so at its close."""
    rows = results(book.night(night), book.words)
    return f"{night}-settlement.csv", csv_lines(RESULT_COLUMNS, rows, PROFILES[profile])


@file_call(money, "/nights/<id:night>/transfers.csv", queries.HowAsTable)
def transfers_csv(
    book: Reading, night: str, policy: Policy, threshold: int, banker: str | None, profile: str
) -> tuple[str, Iterator[str]]:
    """Who paid whom for a closed night, and who has still to pay, as CSV."""
    known = require_night(book.club, night)
    rows = list(transfers(book.club, known, book.words, policy=policy, threshold=threshold, banker=banker))
    return f"{night}-transfers.csv", csv_lines(TRANSFER_COLUMNS, rows, PROFILES[profile])


@read_call(money, "/payments", answers.Payments, queries.PaymentsOf)
def payments(book: Reading, after: str | None, limit: int, member: str | None) -> dict[str, Any]:
    """The payments as they were recorded, reversed ones too."""
    if member is not None:
        _require_known(book.club, member)
    rows = behind(payments_view(book.club, book.words, member), after, lambda row: row["payment"])
    shown, following = page(rows, limit, lambda row: row["payment"])
    return {"payments": shown, "next": following}


@read_call(money, "/members/<id:member>/statement", answers.Statement, queries.PageAfterNumber)
def statement(book: Reading, member: str, after: int, limit: int) -> dict[str, Any]:
    """What made a member's account, line by line; the changes of all pages sum to the balance of each unit."""
    _require_known(book.club, member)
    lines = list(statement_lines(book.club, book.reader, member))
    balances = {line.unit: line.balance for line in lines}
    numbered = [{"line": number, **line._asdict()} for number, line in enumerate(lines, 1)][after:]
    shown, following = page(numbered, limit, lambda row: row["line"])
    return {"member": member, "name": book.words.member(member), "balances": balances, "lines": shown,
            "next": following}  # fmt: skip


@file_call(money, "/members/<id:member>/statement.csv", queries.Table)
def statement_as_csv(book: Reading, member: str, profile: str) -> tuple[str, Iterator[str]]:
    """What made a member's account, as CSV."""
    _require_known(book.club, member)
    lines = statement_lines(book.club, book.reader, member)
    return f"{member}-statement.csv", statement_csv(lines, PROFILES[profile])


def _require_known(club: Club, member: str) -> None:
    """Who left, or was erased, still has an account. Raises ``MemberUnknown``."""
    if member not in club.members:
        require_member(club, member)
