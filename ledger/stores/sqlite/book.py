"""The book of one club in one transaction: what a reader sees, and how an append is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ledger import codec
from ledger.errors import ClubUnknown, StoreDamaged, WrongVersion
from ledger.store import (
    JSON,
    BalanceRow,
    CommandKey,
    CommandRow,
    Head,
    JournalLine,
    JournalRow,
    Move,
    NewEvent,
    Posting,
    Recorded,
    Texts,
)
from ledger.stores.balances import wrong_balances
from ledger.stores.sqlite.connection import Connection, Row
from ledger.stores.sqlite.schema import SELDOM_POSTED, missing

_decode: Final = json.JSONDecoder().decode
_PAGE: Final = 500
# Each in the order of the fields of what is made of it.
_EVENT: Final = (
    "e.stream, e.version, e.position, e.type, e.data, e.command_id, e.actor, e.device, e.recorded_at, e.device_time,"
    " e.digest"
)
_POSTING: Final = "p.entry, p.hand, p.memo, p.account, p.unit, p.amount"
_LINE: Final = f"p.position, p.line, e.stream, e.version, e.recorded_at, {_POSTING}"
_COMMAND: Final = "command_id, fingerprint, stream, type, first_version, version, first_position, position, answer"

_HEAD: Final = """
    SELECT position, digest, epoch,
        (SELECT max(b.position) FROM backups b WHERE b.club = clubs.club AND b.epoch = clubs.epoch)
    FROM clubs WHERE club = ?
"""

_STREAMS: Final = """
    WITH RECURSIVE found(stream) AS (
        SELECT min(stream) FROM events WHERE club = :club AND stream > :after AND stream >= :prefix AND stream < :beyond
        UNION ALL
        SELECT (SELECT min(stream) FROM events WHERE club = :club AND stream > found.stream AND stream < :beyond)
        FROM found WHERE found.stream IS NOT NULL
        LIMIT :limit
    )
    SELECT stream, (SELECT max(version) FROM events e WHERE e.club = :club AND e.stream = found.stream)
    FROM found WHERE stream IS NOT NULL
"""
"""Steps from name to name along the primary key, so that its cost follows the streams and not the events."""

_ADD_TO_BALANCE: Final = """
    INSERT INTO balances (club, scope, account, unit, amount) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount
"""

_SET_BALANCE: Final = _ADD_TO_BALANCE.replace("amount + excluded.amount", "excluded.amount")

_KEEP_RULEBOOK: Final = """
    INSERT INTO rulebooks (club, digest, body) SELECT :club, :digest, :body
    WHERE NOT EXISTS (SELECT 1 FROM rulebooks WHERE club = :club AND digest = :digest)
"""

_STRAYS: Final = """
    SELECT * FROM (
        SELECT printf('posting %s of event %s, which does not exist', line, position) FROM postings p
        WHERE club = :club AND NOT EXISTS
            (SELECT 1 FROM events e WHERE e.club = p.club AND e.position = p.position)
        LIMIT 10
    ) UNION ALL SELECT * FROM (
        SELECT printf('command %s, which recorded no event', command_id) FROM commands c NOT INDEXED
        WHERE club = :club AND NOT EXISTS
            (SELECT 1 FROM events e WHERE e.club = c.club AND e.position = c.position AND e.command_id = c.command_id)
        LIMIT 10
    ) UNION ALL SELECT * FROM (
        SELECT printf('event of %s at position %s', stream, position) FROM events
        WHERE club = :club AND position < 1 LIMIT 10
    )
"""


class Book:
    """A club's book through one connection, within a transaction that its maker begins and ends."""

    def __init__(self, connection: Connection, club: str) -> None:
        row = connection.one(_HEAD, (club,))
        if row is None:
            raise ClubUnknown(club=club)
        self._lent: Connection | None = connection
        self._club = club
        self._head = Head(position=row[0], digest=row[1], epoch=row[2], backed_up_to=row[3])
        self._versions: dict[str, int] = {}  # as far as they were asked for: within a transaction nobody else writes
        self._unanswered: set[str] = set()
        self.erased = False

    def end(self) -> None:
        """Give the connection back: nothing can be read or written through this book any more."""
        self._lent = None

    @property
    def _connection(self) -> Connection:
        if self._lent is None:
            raise AssertionError("this snapshot is closed")
        return self._lent

    # Reading

    def head(self) -> Head:
        return self._head

    def version(self, stream: str) -> int:
        if stream not in self._versions:
            row = self._connection.one(
                "SELECT max(version) FROM events WHERE club = ? AND stream = ?", (self._club, stream)
            )
            self._versions[stream] = (row and row[0]) or 0
        return self._versions[stream]

    def stream(self, stream: str, after: int = 0) -> Iterator[Recorded]:
        while page := self._connection.all(
            f"SELECT {_EVENT} FROM events e WHERE e.club = ? AND e.stream = ? AND e.version > ?"
            " ORDER BY e.version LIMIT ?",
            (self._club, stream, after, _PAGE),
        ):
            last = page[-1][1]
            postings = self._connection.all(
                f"SELECT p.position, {_POSTING} FROM events e CROSS JOIN postings p"
                " ON p.club = e.club AND p.position = e.position"
                " WHERE e.club = ? AND e.stream = ? AND e.version > ? AND e.version <= ? ORDER BY e.version, p.line",
                (self._club, stream, after, last),
            )
            yield from self._recorded(page, postings)
            after = last

    def events(self, after: int = 0, limit: int = 1000) -> list[Recorded]:
        page = self._connection.all(
            f"SELECT {_EVENT} FROM events e WHERE e.club = ? AND e.position > ? ORDER BY e.position LIMIT ?",
            (self._club, after, limit),
        )
        if not page:
            return []
        postings = self._connection.all(
            f"SELECT p.position, {_POSTING} FROM postings p WHERE p.club = ? AND p.position > ? AND p.position <= ?"
            " ORDER BY p.position, p.line",
            (self._club, after, page[-1][2]),
        )
        return self._recorded(page, postings)

    def streams(self, prefix: str, after: str = "", limit: int = 1000) -> list[tuple[str, int]]:
        names = {"club": self._club, "prefix": prefix, "after": after, "beyond": f"{prefix}\U0010ffff", "limit": limit}
        return self._connection.all(_STREAMS, names)

    def balance(self, account: str, unit: str, scope: str) -> int:
        row = self._connection.one(
            "SELECT amount FROM balances WHERE club = ? AND scope = ? AND account = ? AND unit = ?",
            (self._club, scope, account, unit),
        )
        return row[0] if row else 0

    def balances(self, scope: str) -> dict[tuple[str, str], int]:
        rows = self._connection.all(
            "SELECT account, unit, amount FROM balances WHERE club = ? AND scope = ? AND amount <> 0"
            " ORDER BY account, unit",
            (self._club, scope),
        )
        return {(account, unit): amount for account, unit, amount in rows}

    def postings(
        self,
        *,
        stream: str | None = None,
        account: str | None = None,
        after: tuple[int, int] = (0, 0),
        limit: int = 1000,
    ) -> list[JournalLine]:
        if stream is None and account is None:
            return list(map(JournalLine._make, self.journal(after, limit)))
        values: list[object]
        if stream is None:
            tables, order = "postings p CROSS JOIN events e", "p.position, p.line"
            where, values = "p.club = ? AND (p.position, p.line) > (?, ?)", [self._club, *after]
        else:  # along the stream, from the version where the last page ended
            tables, order = "events e CROSS JOIN postings p", "e.version, p.line"
            where = (
                "e.club = ? AND e.stream = ? AND e.version >= ? AND (e.position > ? OR e.position = ? AND p.line > ?)"
            )
            values = [self._club, stream, self._version_at(stream, after[0]), after[0], *after]
        if account is not None:
            where += " AND p.account = ?"
            values.append(account)
            if account[:1] not in "gpst":
                where += f" AND p.{SELDOM_POSTED}"
        rows = self._connection.all(
            f"SELECT {_LINE} FROM {tables}"
            f" ON e.club = p.club AND e.position = p.position WHERE {where} ORDER BY {order} LIMIT ?",
            (*values, limit),
        )
        return list(map(JournalLine._make, rows))

    def journal(self, after: tuple[int, int] = (0, 0), limit: int = 1000) -> Sequence[JournalRow]:
        # Event by event, so that each is looked up once for all its lines. Without the plus SQLite would bound
        # p.position as e.position is bounded, and look through everything behind it.
        return self._connection.all(
            f"SELECT {_LINE} FROM events e CROSS JOIN postings p ON p.club = e.club AND p.position = +e.position"
            " WHERE e.club = ? AND e.position >= ? AND (e.position > ? OR p.line > ?) ORDER BY e.position, p.line"
            " LIMIT ?",
            (self._club, after[0], *after, limit),
        )

    def moves(self, streams: Sequence[str], account: str) -> list[Move]:
        return self._connection.all(
            "SELECT s.value, p.position, p.line, p.hand, p.memo, p.unit, p.amount FROM json_each(?) s"
            " CROSS JOIN events e ON e.club = ? AND e.stream = s.value"
            " CROSS JOIN postings p ON p.club = e.club AND p.position = e.position AND p.account = ?"
            " ORDER BY p.position, p.line",
            (json.dumps(list(streams)), self._club, account),
        )

    def command(self, command_id: str) -> CommandRow | None:
        row = self._connection.one(
            f"SELECT {_COMMAND} FROM commands WHERE club = ? AND command_id = ?", (self._club, command_id)
        )
        return _command(row) if row else None

    def texts(self, refs: Iterable[str]) -> dict[str, tuple[str, str] | None]:
        rows = self._connection.all(
            "SELECT ref, salt, text FROM texts WHERE club = ? AND ref IN (SELECT value FROM json_each(?))",
            (self._club, json.dumps(list(refs))),
        )
        return {ref: None if text is None else (salt, text) for ref, salt, text in rows}

    def rulebook(self, digest: str) -> str | None:
        row = self._connection.one("SELECT body FROM rulebooks WHERE club = ? AND digest = ?", (self._club, digest))
        return row[0] if row else None

    # Writing

    def append(
        self,
        stream: str,
        expected_version: int,
        events: Sequence[NewEvent],
        *,
        command: tuple[str, str, str],
        actor: str,
        device: str | None,
        recorded_at: str,
        device_time: str | None = None,
        texts: Texts | None = None,
        rulebooks: Mapping[str, str] | None = None,
        answer: str | Callable[[Sequence[Recorded]], str] | None,
    ) -> list[Recorded]:
        current = self.version(stream)
        if current != expected_version:
            raise WrongVersion(stream=stream, current=current, expected=expected_version)
        key = CommandKey(*command)
        rows = codec.record(
            events, club=self._club, head=self._head, stream=stream, version=current, command=key,
            actor=actor, device=device, recorded_at=recorded_at, device_time=device_time,
        )  # fmt: skip
        self._write(rows)
        self._versions[stream] = rows[-1].version
        if texts:
            self._keep_texts(texts)
        if rulebooks:
            self._connection.run_many(
                _KEEP_RULEBOOK, [{"club": self._club, "digest": d, "body": body} for d, body in rulebooks.items()]
            )
        self._remember(key, rows, answer(rows) if callable(answer) else answer)
        return rows

    def erase_text(self, ref: str) -> None:
        if not self.texts([ref]):
            raise AssertionError(f"there is no text {ref}")
        self._connection.run("UPDATE texts SET salt = NULL, text = NULL WHERE club = ? AND ref = ?", (self._club, ref))
        self.erased = True

    def rebuild_balances(self) -> int:
        wrong = wrong_balances(self)
        self._connection.run_many(_SET_BALANCE, [(self._club, *key, amount) for key, amount in wrong.items()])
        return len(wrong)

    def require_answers(self) -> None:
        """Assert that every command that appended is remembered, or sending it again would append again."""
        if self._unanswered:
            raise AssertionError(f"nothing is remembered of {', '.join(sorted(self._unanswered))}")

    def restart(self, head: Head) -> None:
        """Forget what was appended since a head that the transaction was rolled back to."""
        self._head = head
        self._versions.clear()
        self._unanswered.clear()

    def _write(self, rows: Sequence[Recorded]) -> None:
        club, connection = self._club, self._connection
        connection.run_many(
            "INSERT INTO events (club, stream, version, position, type, data, command_id, actor, device, recorded_at,"
            " device_time, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (club, r.stream, r.version, r.position, r.type, r.text, r.command_id, r.actor, r.device,
                 r.recorded_at, r.device_time, r.digest)
                for r in rows
            ],
        )  # fmt: skip
        connection.run_many(
            "INSERT INTO postings (club, position, line, entry, hand, memo, account, unit, amount)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (club, r.position, line, p.entry, p.hand, p.memo, p.account, p.unit, p.amount)
                for r in rows
                for line, p in enumerate(r.postings, 1)
            ],
        )
        connection.run_many(_ADD_TO_BALANCE, [(club, *key, amount) for key, amount in codec.changes(rows).items()])
        last = rows[-1]
        connection.run("UPDATE clubs SET position = ?, digest = ? WHERE club = ?", (last.position, last.digest, club))
        self._head = replace(self._head, position=last.position, digest=last.digest)

    def _keep_texts(self, texts: Texts) -> None:
        if known := self.texts(texts):
            raise AssertionError(f"written before: {', '.join(known)}")
        self._connection.run_many(
            "INSERT INTO texts (club, ref, salt, text) VALUES (?, ?, ?, ?)",
            [(self._club, ref, salt, text) for ref, (salt, text) in texts.items()],
        )

    def _remember(self, key: CommandKey, rows: Sequence[Recorded], answer: str | None) -> None:
        if answer is None:
            if self.command(key.id) is None:
                self._unanswered.add(key.id)
            return
        first, last = rows[0], rows[-1]
        try:
            self._connection.run(
                f"INSERT INTO commands (club, {_COMMAND}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (self._club, key.id, key.fingerprint, first.stream, key.type, first.version, last.version,
                 first.position, last.position, answer),
            )  # fmt: skip
        except StoreDamaged as refused:
            if self.command(key.id) is None:
                raise
            raise AssertionError(f"command {key.id} is remembered already") from refused
        self._unanswered.discard(key.id)

    # Looking behind

    def commands(self, command_ids: Iterable[str]) -> dict[str, CommandRow]:
        rows = self._connection.all(
            f"SELECT {_COMMAND} FROM commands WHERE club = ? AND command_id IN (SELECT value FROM json_each(?))",
            (self._club, json.dumps(list(command_ids))),
        )
        return {row[0]: _command(row) for row in rows}

    def all_balances(self, after: tuple[str, str, str] = ("", "", ""), limit: int = 1000) -> list[BalanceRow]:
        rows = self._connection.all(
            "SELECT scope, account, unit, amount FROM balances WHERE club = ? AND (scope, account, unit) > (?, ?, ?)"
            " ORDER BY scope, account, unit LIMIT ?",
            (self._club, *after, limit),
        )
        return [BalanceRow(scope=s, account=account, unit=unit, amount=amount) for s, account, unit, amount in rows]

    def all_rulebooks(self, after: str = "", limit: int = 100) -> list[tuple[str, str]]:
        return self._connection.all(
            "SELECT digest, body FROM rulebooks WHERE club = ? AND digest > ? ORDER BY digest LIMIT ?",
            (self._club, after, limit),
        )

    def versions(self, position: int) -> dict[str, int]:
        rows = self._connection.all(
            "SELECT stream, version, max(position) FROM events WHERE club = ? AND position <= ? GROUP BY stream",
            (self._club, position),
        )
        return {stream: version for stream, version, _newest in rows}

    def pools(self, position: int) -> dict[tuple[str, str], int]:
        rows = self._connection.all(
            "SELECT p.account, p.unit, sum(p.amount) FROM postings p"
            " JOIN events e ON e.club = p.club AND e.position = p.position"
            " WHERE p.club = ? AND p.position <= ? AND p.account GLOB 'pool:*' GROUP BY p.account, p.unit",
            (self._club, position),
        )
        return {(account, unit): amount for account, unit, amount in rows}

    def strays(self) -> list[str]:
        return [row[0] for row in self._connection.all(_STRAYS, {"club": self._club})]

    def damage(self) -> list[str]:
        found = [row[0] for row in self._connection.all("PRAGMA integrity_check(10)") if row[0] != "ok"]
        return found + missing(self._connection)

    # Rows to objects

    def _version_at(self, stream: str, position: int) -> int:
        if not position:
            return 0
        row = self._connection.one(
            "SELECT version FROM events WHERE club = ? AND position = ? AND stream = ?", (self._club, position, stream)
        )
        return row[0] if row else 0

    def _recorded(self, events: Sequence[Row], postings: Sequence[Row]) -> list[Recorded]:
        lines: dict[int, list[Posting]] = {}
        for row in postings:
            lines.setdefault(row[0], []).append(_posting(row))
        return [
            Recorded._make((self._club, *row[:4], self._data(row), *row[4:], tuple(lines.get(row[2], ()))))
            for row in events
        ]

    def _data(self, row: Row) -> dict[str, JSON]:
        try:
            data = _decode(row[4])
        except (ValueError, TypeError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise StoreDamaged(
                path=str(self._connection.path), why=f"event {row[2]} holds no JSON object",
                stream=row[0], version=row[1], position=row[2],
            )  # fmt: skip
        return data


def _posting(row: Row) -> Posting:
    return Posting._make(row[1:])


def _command(row: Row) -> CommandRow:
    return CommandRow._make(row)
