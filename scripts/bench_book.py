"""Measurements of the book: a command against a bare commit, against a peer, at hand 400, and in a club grown large."""

from __future__ import annotations

import csv
import importlib
import os
import sqlite3
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from ledger.audit import verify_book
from ledger.exports.journal import season_journal
from ledger.service import Ledger, Sender, read_request
from ledger.store import NewEvent, Posting, Transaction
from ledger.stores import SqliteStore

CLUB = "club"
PLAYERS = ("ann", "bob", "cal", "dot")
SENDER = Sender(actor="bench")


class Table:
    """A club with one night of Peep Nap in progress, on a SQLite file."""

    def __init__(self, path: Path, money: dict[str, Any] | None = None) -> None:
        self.store = SqliteStore(path, create=True)
        self.ledger = Ledger(self.store)
        self.hand = 0
        self.ledger.found(CLUB, "Bench", SENDER, money=money)
        for player in PLAYERS:
            self.send("AddMember", member=player, name=player.title())
        self.send("OpenTable", table="t", name="T", rulebook="rockets-peep-nap")
        self.nights = 0
        self.night = ""
        self.open_night()

    def send(self, kind: str, *, night: str | None = None, named: str | None = None, **data: object) -> None:
        """Send a command; ``named`` is the id of a night that it opens."""
        command: dict[str, Any] = {"id": str(uuid.uuid4()), "type": kind, "data": data}
        if named is not None:
            data["night"] = named
        if night is not None:
            command["night"] = night
        (answer,) = self.ledger.carry_out(CLUB, [read_request(command)], SENDER)
        if answer["status"] != "recorded":
            raise SystemExit(f"{kind}: {answer}")

    def open_night(self) -> None:
        """Open the next night; one in progress is closed."""
        if self.nights:
            self.send("CloseNight", night=self.night)
        self.nights += 1
        self.hand, self.night = 0, f"night-{self.nights}"
        self.send("OpenNight", table="t", players=list(PLAYERS), dealer="ann", named=self.night)

    def record_hand(self) -> None:
        """Record the next hand: one peek, a Three made."""
        self.hand += 1
        peeker, bidder = PLAYERS[self.hand % 4], PLAYERS[(self.hand + 1) % 4]
        facts: dict[str, Any] = {"peeks": [peeker], "bidder": bidder, "bid": "three", "made": True}
        self.send("RecordHand", night=self.night, hand=self.hand, **facts)

    def taps(self) -> Iterator[Callable[[], object]]:
        """Yield the next hand step by step: two peeks, the auction, the outcome."""
        self.hand += 1
        hand, night = self.hand, self.night
        order = [PLAYERS[(self.hand + seat) % 4] for seat in range(4)]
        yield lambda: self.send("Peek", night=night, hand=hand, player=order[1])
        yield lambda: self.send("Bid", night=night, hand=hand, player=order[0], bid="two")
        yield lambda: self.send("Peek", night=night, hand=hand, player=order[2])
        yield lambda: self.send("Pass", night=night, hand=hand, player=order[1])
        yield lambda: self.send("Bid", night=night, hand=hand, player=order[2], bid="three")
        yield lambda: self.send("Pass", night=night, hand=hand, player=order[3])
        yield lambda: self.send("RecordOutcome", night=night, hand=hand, made=True)

    def endless_taps(self) -> Iterator[Callable[[], object]]:
        """Yield taps hand after hand, a new night every sixty hands."""
        while True:
            if self.hand == 60:
                self.open_night()
            yield from self.taps()


def fill(store: SqliteStore, events: int) -> None:
    """Let a club have so many events of other nights, with postings, as old clubs have."""
    for begun in range(0, events, 20_000):

        def job(transaction: Transaction, begun: int = begun) -> None:
            for chunk in range(begun, min(begun + 20_000, events), 100):
                stream = f"night:old-{chunk // 2_000}"
                version = transaction.version(stream)
                night = [
                    NewEvent(
                        type="PeekPaid",
                        data={"hand": number, "player": "ann"},
                        postings=(
                            Posting(
                                entry=1, hand=number, memo="peek", account="player:ann", unit="chips:o.1", amount=-1
                            ),
                            Posting(entry=1, hand=number, memo="peek", account="pool:o", unit="chips:o.1", amount=1),
                        ),
                    )
                    for number in range(100)
                ]
                transaction.append(
                    stream,
                    version,
                    night,
                    command=(str(uuid.UUID(int=chunk + 1)), "00", "Peek"),
                    actor="bench",
                    device=None,
                    recorded_at="2026-01-01T00:00:00.000Z",
                    answer="{}",
                )

        (failed,) = store.transact(CLUB, [job])
        if failed is not None:
            raise failed


@contextmanager
def folder() -> Iterator[Path]:
    """Lend a folder on the disk that the repository is on, so that commits are really written."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("KITTYBOOK_BENCH", Path(__file__).parent)) as name:
        yield Path(name)


def command() -> bool:
    """Carry out commands through the service against bare single-row commits of the same bytes, in turns.

    A command is a tap at the table (the taps of a hand, one after the other); whole hands are measured beside it.
    """
    with folder() as place:
        table = Table(place / "book.db")
        endless = table.endless_taps()
        taps = _against_bare_commits(table, place / "taps.db", lambda: next(endless)())
        table.open_night()
        hands = _against_bare_commits(table, place / "hands.db", table.record_hand)
        limit = 0.4
        for name, (ours, theirs, size) in (("taps", taps), ("whole hands", hands)):
            print(
                f"command: {1 / ours:,.0f} {name}/s through the service, {1 / theirs:,.0f} bare commits/s of {size:,}"
                f" bytes, ratio {theirs / ours:.2f} (medians of 20 turns)"
            )
        table.store.close()
    ratio = taps[1] / taps[0]
    print(f"command: ratio {ratio:.2f} (at least {limit:g})")
    return ratio >= limit


def _against_bare_commits(table: Table, path: Path, run: Callable[[], object]) -> tuple[float, float, int]:
    """Return the median seconds of one call and of one bare commit, and the bytes that a call adds on average."""
    with table.store.read(CLUB) as reader:
        before = reader.head().position
    for _ in range(7):
        run()
    body = "x" * (_bytes_since(table, before) // 7)
    bare = sqlite3.connect(path, isolation_level=None)
    bare.execute("PRAGMA journal_mode=WAL")
    bare.execute("PRAGMA synchronous=FULL")
    bare.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT)")

    def commit() -> None:
        bare.execute("BEGIN IMMEDIATE")
        bare.execute("INSERT INTO rows (body) VALUES (?)", (body,))
        bare.execute("COMMIT")

    ours, theirs = _in_turns(run, commit, rounds=20, times=42)
    bare.close()
    return ours, theirs, len(body)


def peer() -> bool:
    """Record hands against get-and-save of the eventsourcing library on SQLite, in streams of 40 events."""
    try:
        application: Any = importlib.import_module("eventsourcing.application")
        domain: Any = importlib.import_module("eventsourcing.domain")
    except ImportError:
        print("peer: not measured: install the optional group (pip install --group peers)")
        return True

    class Night(domain.Aggregate):  # type: ignore[misc]  # the library is optional
        @domain.event("Opened")  # type: ignore[untyped-decorator]  # as above
        def __init__(self) -> None:
            self.hands: list[dict[str, Any]] = []

        @domain.event("HandRecorded")  # type: ignore[untyped-decorator]  # as above
        def record(self, facts: dict[str, Any]) -> None:
            self.hands.append(facts)

    with folder() as place:
        table = Table(place / "book.db")
        environment = {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(place / "peer.db")}
        app: Any = application.Application(env=environment)
        facts = {"peeks": ["bob"], "bidder": "cal", "bid": "three", "made": True}
        nights = []
        for _ in range(400):
            night: Any = Night()
            for _ in range(39):
                night.record(facts)
            app.save(night)
            nights.append(night.id)

        def save() -> None:
            night = app.repository.get(nights.pop())
            night.record(facts)
            app.save(night)

        taps = table.endless_taps()
        ours, theirs = _in_turns(lambda: next(taps)(), save, rounds=10, times=40)
        ratio, limit = theirs / ours, 2.0
        print(
            f"peer: {1 / ours:,.0f} taps/s, eventsourcing {1 / theirs:,.0f} saves/s, "
            f"ratio {ratio:.2f} (at least {limit:g}; medians of 10 turns)"
        )
        table.store.close()
    return ratio >= limit


def flat(events: int = 1_000_000) -> bool:
    """Time a tap at hand 1 and at hand 400, in a new club and in one with a million events."""
    with folder() as place:
        new, grown = Table(place / "new.db"), Table(place / "grown.db")
        early = _tap_seconds(new, hands=25)
        for _ in range(375):
            new.record_hand()
        late = _tap_seconds(new, hands=25)
        begun = time.perf_counter()
        fill(grown.store, events)
        filled = time.perf_counter() - begun
        other = Table(place / "other.db")
        pairs = [(_tap_seconds(other, hands=1), _tap_seconds(grown, hands=1)) for _ in range(40)]
        fresh, old = (median(side) for side in zip(*pairs, strict=True))
        by_hand, by_age, limit = late / early, old / fresh, 1.2
        print(
            f"flat: a tap {early * 1e6:.0f} µs at hand 1, {late * 1e6:.0f} µs at hand 400, ratio {by_hand:.2f}; "
            f"{fresh * 1e6:.0f} µs in a new club, {old * 1e6:.0f} µs in one with {events:,} events "
            f"(made in {filled:.0f} s), ratio {by_age:.2f} (at most {limit:g}; medians)"
        )
        for table in (new, grown, other):
            table.store.close()
    return by_hand <= limit and by_age <= limit


def verify(hands: int = 6_000) -> bool:
    """Verify a book that was logged tap by tap: events a second, replay and all."""
    with folder() as place:
        table = Table(place / "book.db")
        for tap in islice(table.endless_taps(), 7 * hands):
            tap()
        with table.store.read(CLUB) as reader:
            count = reader.head().position
        begun = time.perf_counter()
        findings = verify_book(table.ledger, CLUB, beside=True)
        rate = count / (time.perf_counter() - begun)
        if findings:
            raise SystemExit(f"verify: {findings[0]}")
        print(f"verify: {rate:,.0f} events/s over {count:,} events (at least 20,000)")
        table.store.close()
    return rate >= 20_000


def season(postings: int = 1_000_000, sample: int = 100_000) -> bool:
    """Export the journal of a season as CSV, against csv.writer alone over the same rows, as far as a sample goes."""
    with folder() as place:
        table = Table(place / "book.db")
        table.send("StartSeason", season="s", name="S")
        fill(table.store, postings // 2)
        _let_nights_be_of_today(table)
        with table.store.read(CLUB) as reader:
            club, file = table.ledger.club(CLUB, reader), place / "season.csv"

            def export() -> None:
                with file.open("wb") as out:
                    out.writelines(piece.encode() for piece in season_journal(reader, club, "s"))

            export()
            with file.open(encoding="utf-8", newline="") as lines:
                head, *rows = islice(csv.reader(lines), sample + 1)
            with file.open("rb") as raw:
                count = sum(1 for _ in raw) - 1
            numbers = {head.index(name) for name in ("position", "hand", "entry", "amount")}
            typed = [tuple(int(cell) if n in numbers and cell else cell for n, cell in enumerate(row)) for row in rows]

            def write() -> None:
                with (place / "bare.csv").open("w", encoding="utf-8", newline="") as out:
                    csv.writer(out).writerows(typed)

            ours, theirs = _in_turns(export, write, rounds=3, times=1)
        ours, theirs = count / ours, len(typed) / theirs
        ratio, limit = ours / theirs, 0.3
        print(
            f"season: {ours:,.0f} postings/s of {count:,}, csv.writer {theirs:,.0f} rows/s, "
            f"ratio {ratio:.2f} (at least {limit:g}; medians of 3 turns)"
        )
        table.store.close()
    return ratio >= limit


def _let_nights_be_of_today(table: Table) -> None:
    """Let the club know the nights that ``fill`` made, as nights of the season that has begun."""

    def job(transaction: Transaction) -> None:
        day = table.ledger.club(CLUB, transaction).seasons["s"].started
        nights = [stream.removeprefix("night:") for stream, _version in transaction.streams("night:old-")]
        transaction.append(
            "club",
            transaction.version("club"),
            [NewEvent(type="NightBegan", data={"night": night, "table": "t", "date": day}) for night in nights],
            command=(str(uuid.uuid4()), "00", "OpenNight"),
            actor="bench",
            device=None,
            recorded_at="2026-01-01T00:00:00.000Z",
            answer="{}",
        )

    (failed,) = table.store.transact(CLUB, [job])
    if failed is not None:
        raise failed


def _tap_seconds(table: Table, *, hands: int) -> float:
    """Return the median time of a tap over some hands logged step by step."""
    times = []
    for _ in range(hands):
        for tap in table.taps():
            begun = time.perf_counter()
            tap()
            times.append(time.perf_counter() - begun)
    return median(times)


def _in_turns(
    one: Callable[[], object], other: Callable[[], object], *, rounds: int, times: int
) -> tuple[float, float]:
    """Return the median seconds of one call each, taken in turns so that the machine's moods fall on both."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for run, seconds in zip((one, other), taken, strict=True):
            begun = time.perf_counter()
            for _ in range(times):
                run()
            seconds.append((time.perf_counter() - begun) / times)
    return median(taken[0]), median(taken[1])


def _bytes_since(table: Table, position: int) -> int:
    """Return how many bytes of content were added since a position: events, postings, command rows."""
    size = 0
    with table.store.read(CLUB) as reader:
        for row in reader.events(position):
            command = reader.command(row.command_id)
            assert command is not None
            size += len(row.text) + len(row.digest) + 2 * len(row.command_id) + len(command.answer) + 128
            size += sum(len(p.memo) + len(p.account) + len(p.unit) + 24 for p in row.postings)
    return size
