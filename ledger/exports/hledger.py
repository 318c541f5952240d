"""A club's book as a journal for hledger: ``hledger check --strict`` accepts it, and no longer when a unit is changed.

What people wrote stands only in whole-line comments, of which hledger reads nothing. All is ASCII: hledger reads a file
as the locale has it, and where that is C or a code page it would stop at the first name with an accent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import quote

from ledger.exports.accounting import (
    Accounts,
    Close,
    End,
    Evening,
    Item,
    Line,
    Path,
    Transaction,
    decimal,
    is_money,
    on_one_line,
)


def hledger(accounts: Accounts) -> Iterator[str]:
    """Yield the journal in pieces that end with a line."""
    yield _comment(accounts.title)
    yield _comment("Positive is what the club has, negative what it owes; the number of a transaction is its position.")
    yield "decimal-mark .\n\n"
    for unit, exponent in accounts.units.items():
        yield f"commodity 1000.{'0' * exponent} {_commodity(unit)}\n"
    yield "\n"
    for account in sorted(accounts.first_days):
        name = accounts.name(account)
        yield (_comment(name) if name else "") + f"account {_account(account)}\n"
    for item in accounts.items():
        yield _item(accounts, item)


def _item(accounts: Accounts, item: Item) -> str:
    match item:
        case Transaction(day=day, position=position, night=night, title=title, spoken=spoken, lines=lines):
            words = "".join(_comment(f"{key}: {text}") for key, text in spoken)
            about = _description(f"{night}, {title}" if night else title)
            return f"\n{words}{day} ({position}) {about}\n" + "".join(
                f"    {_account(line.account)}  {_amount(accounts, line)}\n" for line in lines
            )
        case Close(day=day, night=night, lines=lines):
            return f"\n{day} (close) {_description(f'{night} as it was closed')}\n{_assertions(accounts, lines)}"
        case End(day=day, lines=lines):
            return f"\n{day} (end) what the book says\n{_assertions(accounts, lines)}"
        case Evening():
            return ""  # within a day hledger goes by the order in the file, and has seen each close


def _assertions(accounts: Accounts, lines: Iterable[Line]) -> str:
    return "".join(
        f"    {_account(line.account)}  {_amount(accounts, line._replace(amount=0))} = {_amount(accounts, line)}\n"
        for line in lines
    )


def _account(path: Path) -> str:
    """Return an account's name. Ids are as they are; what no id has is written as in addresses, so that no two meet."""
    return ":".join(quote(part, safe="", errors="surrogatepass") for part in path)


def _commodity(unit: str) -> str:
    return unit if is_money(unit) else f'"{quote(unit, safe=":", errors="surrogatepass")}"'


def _amount(accounts: Accounts, line: Line) -> str:
    return f"{decimal(line.amount, accounts.units[line.unit])} {_commodity(line.unit)}"


def _description(text: str) -> str:
    """Return a description: a semicolon would begin a comment, a bar would end the payee."""
    return _ascii(text).replace(";", ",").replace("|", "/")


def _comment(text: str) -> str:
    return f"; {_ascii(text)}\n"


def _ascii(text: str) -> str:
    return on_one_line(text).encode("ascii", "backslashreplace").decode()
