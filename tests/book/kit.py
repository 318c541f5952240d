"""What the tests of the book share: a club to send commands to, and what must hold of its book at any time."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from ledger.audit import verify_book
from ledger.club import Club
from ledger.codec import imbalances, text_references
from ledger.errors import LedgerError
from ledger.night import Night
from ledger.open_items import of_club
from ledger.play import Rules
from ledger.projections import explain, hand_changes, night_state
from ledger.reports.statement import statement
from ledger.service import Answer, Ledger, Sender, night_stream, read_request
from ledger.store import CLUB, EventStore, Recorded, scope_of
from ledger.stores import MemoryStore

THE_CLUB: Final = "thursday"
START: Final = datetime(2026, 11, 26, 20, 0, tzinfo=UTC)

Data = dict[str, Any]


class Book:
    """A club's book with its one door. Ids, salts and times are the same in every run."""

    def __init__(self, store: EventStore | None = None, members: Iterable[str] = (), **settings: Any) -> None:
        self.store: EventStore = MemoryStore() if store is None else store
        self.now = START
        self._ids = 0
        self._salts = 0
        self.ledger = Ledger(self.store, clock=lambda: self.now, chance=self._chance)
        self.ledger.found(THE_CLUB, "The Thursday Club", Sender(actor="owner"), **settings)
        for member in members:
            self.done("AddMember", member=member, name=member.title())

    def _chance(self, size: int) -> bytes:
        self._salts += 1
        return self._salts.to_bytes(size, "big")

    def new_id(self) -> str:
        self._ids += 1
        return str(uuid.UUID(int=self._ids))

    def next_day(self) -> None:
        self.now += timedelta(days=1)

    # Sending

    def request(self, kind: str, night: str | None = None, *, data: Mapping[str, Any], **envelope: Any) -> Data:
        """Return a command as it is sent, with an id of its own unless one is given."""
        request: Data = {"id": envelope.pop("id", None) or self.new_id(), "type": kind, "data": dict(data)}
        if night is not None:
            request["night"] = night
        return request | {key: value for key, value in envelope.items() if value is not None}

    def carry_out(self, *requests: Data, device: str | None = None, dry_run: bool = False) -> list[Answer]:
        """Send a batch; what cannot be read stands in it as its error."""
        batch = []
        for request in requests:
            try:
                batch.append(read_request(request, dry_run=dry_run))
            except LedgerError as error:
                batch.append(error)  # type: ignore[arg-type]  # the service takes either
        return self.ledger.carry_out(THE_CLUB, batch, Sender(actor="scorer", device=device))

    def send(self, kind: str, night: str | None = None, **data: Any) -> Answer:
        """Send one command, and return the verdict. ``from_`` is the key ``from``."""
        data = {key.rstrip("_"): value for key, value in data.items()}
        (answer,) = self.carry_out(self.request(kind, night, data=data))
        return answer

    def done(self, kind: str, night: str | None = None, **data: Any) -> Answer:
        """Send a command that must be recorded."""
        answer = self.send(kind, night, **data)
        assert answer["status"] == "recorded", (kind, data, answer)
        return answer

    # Reading

    def club(self) -> Club:
        with self.store.read(THE_CLUB) as reader:
            return self.ledger.club(THE_CLUB, reader)

    def night(self, night: str) -> Night:
        with self.store.read(THE_CLUB) as reader:
            return self.ledger.night(THE_CLUB, night, reader)

    def corrected(self, night: str) -> Night:
        with self.store.read(THE_CLUB) as reader:
            return self.ledger.corrected(THE_CLUB, night, reader)

    def balance(self, account: str, unit: str, scope: str = CLUB) -> int:
        with self.store.read(THE_CLUB) as reader:
            return reader.balance(account, unit, scope)

    def balances(self, scope: str = CLUB) -> dict[str, int]:
        """Return balances in chips by account, zeros left out."""
        with self.store.read(THE_CLUB) as reader:
            return {account: amount for (account, unit), amount in reader.balances(scope).items() if unit != "points"}

    def rows(self, stream: str | None = None) -> list[Recorded]:
        return [row for row in everything(self.store) if stream in (None, row.stream)]

    def replayed(self) -> Book:
        """Return the same book behind a door that remembers nothing."""
        other = object.__new__(Book)
        other.store, other.now, other._ids, other._salts = self.store, self.now, self._ids, self._salts
        other.ledger = Ledger(self.store, clock=lambda: other.now, chance=other._chance)
        return other


def everything(store: EventStore) -> list[Recorded]:
    """Return every row of the club's book."""
    rows: list[Recorded] = []
    with store.read(THE_CLUB) as reader:
        while page := reader.events(rows[-1].position if rows else 0):
            rows += page
    return rows


def dump(store: EventStore) -> str:
    """Return all that a store keeps of the club, word for word."""
    rows = everything(store)
    with store.audit(THE_CLUB) as book:
        refs = sorted({ref for row in rows for ref, _digest in text_references(row.data)})
        commands = book.commands({row.command_id for row in rows})
        parts: list[object] = [book.head(), rows, sorted(commands.items()), book.all_balances(), book.texts(refs)]
        parts += [book.all_rulebooks(), book.strays(), book.streams("")]
    return "\n".join(map(repr, parts))


# What must hold of any book at any time


def check(book: Book) -> None:
    """Every sum comes out, every number can be explained, and a replay from nothing gives the same book."""
    rows = everything(book.store)
    fold = _folded(rows)
    _check_store(book, fold)
    other = book.replayed()
    club = book.club()
    assert_same(plain(club), plain(other.club()), "the club")
    for night in club.nights:
        state = book.night(night)
        assert_same(plain(state), plain(other.night(night)), night)
        _check_night(state, fold)
        _check_hands(state)
        _check_explained(state)
        _check_pepper(state, fold)
        night_state(state, str)
    _check_members(book, rows, fold)
    _check_money(club, rows, fold)


def check_verified(book: Book) -> None:
    """Nothing is wrong with the book, and every row replays to what is stored; erased texts are no fault."""
    assert [str(finding) for finding in verify_book(book.replayed().ledger, THE_CLUB) if finding.is_fault] == []
    _check_statements(book)


def _check_statements(book: Book) -> None:
    """The lines of a member's statement sum to his account, in every unit."""
    club = book.club()
    with book.store.read(THE_CLUB) as reader:
        kept = reader.balances(CLUB)
        for member in club.members:
            told: dict[tuple[str, str], int] = {}
            for line in statement(club, reader, member):
                _add(told, "", line.unit, line.change)
                assert line.balance == told["", line.unit], line
            accounts: dict[tuple[str, str], int] = {}
            for one in club.aliases(member):
                for (account, unit), amount in kept.items():
                    if account == f"member:{one}":
                        _add(accounts, "", unit, amount)
            assert {key: amount for key, amount in told.items() if amount} == {
                key: amount for key, amount in accounts.items() if amount
            }, member


def _folded(rows: list[Recorded]) -> dict[tuple[str, str, str], int]:
    fold: dict[tuple[str, str, str], int] = {}
    units: dict[str, int] = {}
    for row in rows:
        assert list(imbalances(row.postings)) == []
        for line in row.postings:
            assert line.amount
            key = scope_of(line.account, row.stream), line.account, line.unit
            fold[key] = fold.get(key, 0) + line.amount
            units[line.unit] = units.get(line.unit, 0) + line.amount
    assert not any(units.values()), units
    return {key: amount for key, amount in fold.items() if amount}


def _check_store(book: Book, fold: dict[tuple[str, str, str], int]) -> None:
    with book.store.audit(THE_CLUB) as audit:
        kept = {(row.scope, row.account, row.unit): row.amount for row in audit.all_balances() if row.amount}
    assert kept == fold


def _check_night(night: Night, fold: dict[tuple[str, str, str], int]) -> None:
    """Purses and pool are what the postings say."""
    opened = night.opened
    stream, unit = night_stream(opened.night), opened.unit
    for player, purse in night.purses.items():
        found = fold.get((stream, f"player:{player}", unit), 0)
        assert found == (0 if night.closed else purse.stack), (player, found, purse)
    players = {key[1][7:] for key in fold if key[0] == stream and key[1].startswith("player:")}
    assert players <= {*night.purses, opened.banker}
    assert night.pool >= 0
    if opened.money is not None:
        paid = {player: 0 if night.closed else purse.paid for player, purse in night.purses.items()}
        if opened.banker != "till":
            paid[opened.banker] = paid.get(opened.banker, 0) - (0 if night.closed else night.taken)
        for player, amount in paid.items():
            assert fold.get((stream, f"player:{player}", night.settled_in), 0) == amount, player
    if not night.closed:
        assert night.pool == fold.get((CLUB, f"pool:{opened.table}", unit), 0)


def _check_members(book: Book, rows: list[Recorded], fold: dict[tuple[str, str, str], int]) -> None:
    """What members have to come is what their nights came to, and what was paid, moved and corrected since."""
    members: dict[tuple[str, str], int] = {}
    for night in book.club().nights:
        state = book.night(night)
        if state.ending is None or not state.closed:
            continue
        chip, unit = _chip(state.opened.money), state.settled_in
        for player, chips in state.ending.results.items():
            _add(members, f"member:{player}", unit, chips * chip + state.purses[player].paid)
        if state.opened.banker != "till":
            _add(members, f"member:{state.opened.banker}", unit, -state.taken)
    for row in rows:
        for member, amount, unit in _moved(row):
            if member not in ("till", "shortage"):
                _add(members, f"member:{member}", unit, amount)
    kept = {key[1:]: chips for key, chips in fold.items() if key[1].startswith("member:")}
    assert {key: chips for key, chips in members.items() if chips} == kept


def _moved(row: Recorded) -> list[tuple[str, int, str]]:
    """Return what an event of the club's moved for members: who, how much, in which unit."""
    data: Any = row.data
    match row.type:
        case "ClosedHandCorrected" | "TableClosed" | "TableMoneyChanged":
            shared = data["members" if row.type == "ClosedHandCorrected" else "shares"]
            old = "old_" if row.type == "TableMoneyChanged" else ""
            money = data.get(f"{old}money")
            unit = money["currency"] if money else data[f"{old}unit"]
            return [(member, chips * _chip(money), unit) for member, chips in shared.items()]
        case "PaymentRecorded" | "PaymentReversed" | "AdjustmentPosted":
            amount = data["amount"] if row.type == "PaymentRecorded" else -data["amount"]
            return [(data["from_party"], amount, data["unit"]), (data["to_party"], -amount, data["unit"])]
        case "TableCharged":
            return [(member, -data["amount_each"], data["unit"]) for member in data["members"]]
    return []


def _chip(money: Mapping[str, Any] | None) -> int:
    return 1 if money is None else int(money["chip"])


def _check_money(club: Club, rows: list[Recorded], fold: dict[tuple[str, str, str], int]) -> None:
    """Money and chips that were exchanged agree, and so do open items and accounts, whoever holds the pools."""
    chips: dict[str, tuple[str, int]] = {}  # what chips are settled in, and what one is worth
    for row in rows:
        if row.type in ("TableOpened", "TableMoneyChanged"):
            data: Any = row.data
            unit, money = data["unit"], data.get("money")
            chips[unit] = (money["currency"], money["chip"]) if money else (unit, 1)
    backing: dict[str, int] = {}
    expected: dict[tuple[str, str], int] = {}  # what is open, by party and unit
    for (_scope, account, unit), amount in fold.items():
        if unit == "points":
            continue
        kind, _colon, name = account.partition(":")
        settled, chip = chips.get(unit, (unit, 1))
        if kind == "exchange" and unit in chips:
            backing[settled] = backing.get(settled, 0) + amount * chip
        elif kind == "exchange":
            backing[unit] = backing.get(unit, 0) + amount
        party = {"member": club.resolved(name), "cash": "till", "charges": "till", "till": "till"}.get(kind)
        if kind == "shortage":
            party = "shortage"
        elif kind == "pool":
            party = club.resolved(club.tables[name].holder)
        if party is not None:
            _add(expected, party, settled, amount * chip)
    assert not any(backing.values()), backing
    for night in club.nights.values():
        assert sum(night.due.values()) == sum(night.moved.values()) == 0, night
    assert all(sum(parties.values()) == 0 for parties in of_club(club).values())
    if all(night.closed for night in club.nights.values()):
        found = {(party, unit): amount for unit, parties in of_club(club).items() for party, amount in parties.items()}
        assert found == {key: amount for key, amount in expected.items() if amount}


def _check_hands(night: Night) -> None:
    """What a hand is said to have changed is what its entries move."""
    for step in night.hand_steps():
        if night.rules.book.family == "pepper":
            continue
        moved: dict[str, int] = {}
        pool = 0
        for item in step.entries:
            for account, _unit, amount in item.postings:
                if account.startswith("player:"):
                    moved[account[7:]] = moved.get(account[7:], 0) + amount
                elif account.startswith("pool:"):
                    pool += amount
        changes = hand_changes(step)
        assert {player: chips for player, chips in changes.items() if chips} == {
            player: chips for player, chips in moved.items() if chips
        }
        if step.settled:
            assert step.after.pool - step.before.pool == pool, step


def _check_explained(night: Night) -> None:
    for account in (*night.purses, "pool"):
        told = explain(night, account)
        total = night.pool if account == "pool" else night.purses[account].balance
        assert told["total"] == total == sum(line["change"] for line in told["lines"]), (account, told, total)


def _check_pepper(night: Night, fold: dict[tuple[str, str, str], int]) -> None:
    """Both partners have their team's points, against the account of the game."""
    if night.rules.book.family != "pepper" or any(step.review or step.confirmed for step in night.hand_steps()):
        return  # what could not have been so stays in the game that it was played in
    scores: dict[int, tuple[int, int]] = {}
    for step in night.hand_steps():
        if step.played is not None and step.played.carry.game is not None:
            scores[step.played.carry.game.number] = step.played.carry.game.scores
    stream = night_stream(night.opened.night)
    kept = {key[1]: -amount for key, amount in fold.items() if key[0] == stream and key[1].startswith("game:")}
    assert kept == {f"game:{number}": 2 * sum(both) for number, both in scores.items() if sum(both)}


def _add(sums: dict[tuple[str, str], int], account: str, unit: str, amount: int) -> None:
    sums[(account, unit)] = sums.get((account, unit), 0) + amount


# States to compare


def plain(value: Any, *, version: bool = True) -> Any:
    """Return a state as plain data, rules by digest and stake.

    Without ``version`` what tells of the way to it is left out: versions, origins, and what could be undone.
    """
    if isinstance(value, Rules):
        return value.book.digest, value.stake
    names = _field_names(value)
    if names:
        left_out = {"recent", "record"} if version else {"record", *_THE_WAY}
        found = {name: plain(getattr(value, name), version=version) for name in names if name not in left_out}
        if isinstance(value, Night) and version:
            found["recent"] = [night.version for night in value.recent]
        return found
    if isinstance(value, Mapping):
        return {key: plain(item, version=version) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item, version=version) for item in value]
    return sorted(value) if isinstance(value, frozenset) else value


def assert_same(one: Any, other: Any, where: str) -> None:
    """Find where two plain states differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            assert_same(one[key], other[key], f"{where}: {key}")
    elif isinstance(one, list) and isinstance(other, list):
        for index, (item, its) in enumerate(zip(one, other, strict=False)):
            assert_same(item, its, f"{where}: {index}")
        assert len(one) == len(other), where
    else:
        assert one == other, where


def _field_names(value: object) -> Sequence[str]:
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    return value._fields if isinstance(value, tuple) and hasattr(value, "_fields") else ()


_THE_WAY: Final = frozenset(
    {"recent", "history", "version", "origin", "corrections", "closings", "revision", "confirmed"}
)
