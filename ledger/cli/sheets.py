"""A night sheet into the book: tried out first, then recorded, each command once however often it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from ledger.cli.opening import Book, Refusal
from ledger.cli.reading import rulebook_from
from ledger.club import Club, free_id, require_table
from ledger.errors import BadValue, LedgerError, RulebookUnknown, Unavailable
from ledger.imports import night as paper
from ledger.rulebook import Rulebook
from ledger.service import Answer, night_stream, read_request
from ledger.sheet import differences, read_sheet, score
from ledger.store import Reader
from ledger.words import Words

NOBODY = "Nobody is called {names}: add them with --add-members, or say who is meant with --player NAME=ID."


class Wishes(NamedTuple):
    """What the command line adds to a sheet."""

    table: str
    date: str | None
    given: Mapping[str, str]
    add_members: bool
    pool: str | Mapping[str, str]
    dry_run: bool


def import_sheet(book: Book, document: Any, file: str, wishes: Wishes) -> str:  # noqa: ANN401 - JSON is of any shape
    """Record one sheet, or only try to; return what was done in a sentence. Raises ``Refusal``."""
    sheet = _title(document)
    if isinstance(document, LedgerError):
        raise Refusal(document.detail)
    with _blaming(sheet), book.read() as (club, reader):
        work = _Work(book, club, reader, document, file, wishes)
        work.require_expected()
        before = reader.command(work.ids.of("open"))
        if before is not None:
            work.night = before.stream.removeprefix(night_stream(""))
        commands = list(work.commands(again=before is not None))
        if before is None:
            work.try_out(commands)
    if wishes.dry_run:
        return f"{sheet}: it was recorded before, as {work.night}." if before else f"{sheet} would be {work.night}."
    new = 0
    for command in commands:
        with _blaming(sheet):
            (verdict,) = book.ledger.carry_out(book.club, [read_request(command)], book.sender)
            if verdict["status"] == "refused":
                raise Refusal(f"{_hand(command)}{verdict['detail']}")
            new += verdict["status"] != "duplicate"
    return _told(book, sheet, work.night, new=new)


class _Work:
    def __init__(
        self,
        book: Book,
        club: Club,
        reader: Reader,
        document: Any,  # noqa: ANN401 - as above
        file: str,
        wishes: Wishes,
    ) -> None:
        self._book, self._club, self._reader = book, club, reader
        self._document, self._wishes = document, wishes
        self._desk = book.ledger.reading(book.club, reader)
        self.ids = paper.Ids(book.club, wishes.table, document)
        table = require_table(club, wishes.table)
        self._table = table
        self.resolve = self._resolver(file)
        self._answer = score(document, self.resolve)
        if "error" in self._answer:
            error = self._answer["error"]
            raise Refusal((f"hand {error['hand']}: " if error["hand"] else "") + error["detail"])
        self._who, self._added = self._people()
        self.night = free_id(f"{table.id}-{wishes.date or self._desk.today}"[:56], club.nights)

    def require_expected(self) -> None:
        """Raise ``Refusal`` where the sheet does not come to what it says itself."""
        expect = self._document.get("expect", {})
        if lines := differences(expect, self._answer):
            raise Refusal(f"it does not come to what it expects: {'; '.join(lines)}.")

    def try_out(self, commands: Iterable[paper.Command]) -> None:
        """Preview every command, and raise ``Refusal`` where the night would not be what the sheet is."""
        verdict: Answer = {}
        for command in commands:
            if command["type"] == "CloseNight":
                self._require_same(verdict)
            try:
                verdict = self._desk.preview(read_request(command))
            except Unavailable:
                raise
            except LedgerError as error:
                raise Refusal(f"{_hand(command)}{error.detail}") from None

    def commands(self, *, again: bool) -> Iterator[paper.Command]:
        """Yield all commands; not those that were carried out before and depend on how the club was then."""
        if not again:
            yield from self._added.values()
            yield self._opening()
        yield from paper.recordings(self.ids, self._document, self.resolve, self._who, self.night)
        yield paper.closing(self.ids, self.night, self._wishes.pool)

    def _opening(self) -> paper.Command:
        sheet = read_sheet(self._document, self.resolve)
        rules: dict[str, Any] = {}
        if sheet.rules.book.digest != self._table.digest:
            rulebook = self._document["rulebook"]
            if not isinstance(rulebook, str) or not self._is_known(rulebook):
                raise BadValue(field="rulebook", wanted="the table's, one of the club's own, or a preset")
            rules = {"rulebook": rulebook, "house_rules": dict(self._document.get("house_rules", {}))}
        waiting = self._desk.pool(self._table.id, self._table.unit)
        begins = sheet.carry.pool
        if waiting not in (0, begins):
            raise Refusal(f"it begins with a pool of {begins}, and {waiting} wait at the table.")
        return paper.opening(
            self.ids, self._document, self.resolve, self._who, self._table.id,
            pool=begins - waiting, night=self.night, date=self._wishes.date, **rules,
        )  # fmt: skip

    def _people(self) -> tuple[dict[str, str], dict[str, paper.Command]]:
        words = Words(self._club, self._reader)
        known = [one for one in self._club.members.values() if one.alias_of is None and not one.erased]
        names = paper.names_in(self._document, self.resolve)
        who, unknown = paper.matched(names, {one.id: words.member(one.id) for one in known}, self._wishes.given)
        if unknown and not self._wishes.add_members:
            raise Refusal(NOBODY.format(names=", ".join(unknown)))
        numbers = {one.id: one.number for one in self._club.members.values()}
        added = paper.additions(self.ids, unknown, numbers)
        return who | {name: command["data"]["member"] for name, command in added.items()}, added

    def _require_same(self, verdict: Answer) -> None:
        wanted = paper.as_members(self._answer["balances"], self._who)
        found = {who: chips for who, chips in verdict["balances"].items() if chips}
        pools = (self._answer["pool"], verdict["pool"])
        if wanted != found or pools[0] != pools[1]:
            raise Refusal(f"the book would come to {found}, pool {pools[1]}; the sheet to {wanted}, pool {pools[0]}.")

    def _resolver(self, file: str) -> Callable[[str], Rulebook]:
        def resolve(rulebook: str) -> Rulebook:
            return self._desk.book(rulebook) if self._is_known(rulebook) else rulebook_from(rulebook, file)

        return resolve

    def _is_known(self, rulebook: str) -> bool:
        try:
            self._desk.book(rulebook)
        except RulebookUnknown:
            return False
        return True


@contextmanager
def _blaming(sheet: str) -> Iterator[None]:
    """Say of what is refused which sheet it is about."""
    try:
        yield
    except Unavailable:
        raise
    except LedgerError as error:
        raise Refusal(f"{sheet}: {error.detail}") from None
    except Refusal as error:
        raise Refusal(f"{sheet}: {error.message}") from None


def _title(document: object) -> str:
    named = document.get("id") if isinstance(document, dict) else None
    return str(named) if isinstance(named, str | int) else "sheet"


def _hand(command: paper.Command) -> str:
    hand = command["data"].get("hand")
    return f"hand {hand}: " if hand else ""


def _told(book: Book, sheet: str, night: str, *, new: int) -> str:
    with book.read() as (_club, reader):
        state = book.ledger.night(book.club, night, reader)
    receipt = state.closings[-1].receipt if state.closings else None
    if not new:
        return f"{sheet}: it was recorded before, as {night}; receipt {receipt}"
    return f"{sheet}: recorded as {night}, {state.hands} hands, pool {state.carry.pool}; receipt {receipt}"
