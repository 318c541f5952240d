"""Whoever edits a book by hand: ``verify`` names the first row that differs, and never ends in a traceback."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from ledger import codec
from ledger.service import Ledger
from ledger.store import NewEvent, Recorded, Transaction
from ledger.stores import SqliteStore
from tests.book.kit import THE_CLUB, everything
from tests.faults import worker
from tests.faults.kit import Data, Evening, done, evenings, founded, kittybook
from tests.stores.test_verify import tamper

GAME: Final = "rockets-peep-nap"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book with something of everything: closed nights, an open one, corrections, a rulebook of its own, words."""
    path = tmp_path_factory.mktemp("whole") / "book.db"
    founded(path, [GAME])
    first, second = evenings(seed=11, count=2, hands=6, games=(GAME,))
    third = Evening(night="third", table=GAME, sheet={})
    third.send("OpenNight", table=GAME, night="third", players=["ann", "bob", "cal", "dot"], dealer="ann")
    third.send("Peek", hand=1, player="bob")
    third.send("Bid", hand=1, player="bob", bid="three")
    third.send("RecordHand", hand=1, bidder="bob", bid="three", made=True, peeks=["bob"], note="by candlelight")
    corrected = {"night": "third", "hand": 1, "facts": {"bidder": "bob", "bid": "three", "made": False}}
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        done(ledger, *first.commands, *second.commands[:-1], *second.commands[-1:])
        done(ledger, *third.commands)
        done(ledger, {"id": ledger.new_id(), "type": "CloseNight", "night": "third", "data": {}})
        done(ledger, _for_the_club(ledger, "CorrectClosedHand", reason="told otherwise", **corrected))
        done(ledger, _for_the_club(ledger, "AddMember", member="eve", name="Eve"))
        done(ledger, _for_the_club(ledger, "EraseMember", member="eve"))
        fourth = {**third.commands[0], "id": ledger.new_id(), "data": {**third.commands[0]["data"], "night": "fourth"}}
        done(ledger, {**fourth, "night": "fourth"})
    return path


def _for_the_club(ledger: Ledger, kind: str, **data: Any) -> Data:
    return {"id": ledger.new_id(), "type": kind, "data": data}


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path))


def position(path: Path, kind: str, number: int = 0) -> tuple[int, str, int]:
    """Return where the first event of a type is, or a later one: position, stream, version."""
    with closing(sqlite3.connect(path)) as raw:
        query = "SELECT position, stream, version FROM events WHERE type = ? ORDER BY position"
        found: tuple[int, str, int] = raw.execute(query, (kind,)).fetchall()[number]
    return found


def verified(path: Path) -> list[str]:
    """Return the lines of ``verify``; its exit code is 1 exactly when there is a fault."""
    result = kittybook("--db", path, "verify")
    assert "Traceback" not in result.output
    lines = result.output.splitlines()
    assert result.exit_code == (0 if "events are as they were written" in lines[-1] else 1)
    return lines


def test_a_whole_book(path: Path) -> None:
    *erased, last = verified(path)
    assert [line for line in erased if "was erased" not in line] == []
    assert last.startswith(f"{THE_CLUB}: ")


# Rows


EDITS: Final[dict[str, tuple[str, int, str]]] = {
    "a fact": ("HandRecorded", -1, "UPDATE events SET data = replace(data, 'made', 'tricks') WHERE position = :p"),
    "a name": ("HandRecorded", -1, "UPDATE events SET data = replace(data, 'ann', 'bob') WHERE position = :p"),
    "a space": ("HandRecorded", -1, "UPDATE events SET data = data || ' ' WHERE position = :p"),
    "no JSON": ("HandRecorded", -1, "UPDATE events SET data = '{\"hand\":' WHERE position = :p"),
    "no object": ("HandRecorded", -1, "UPDATE events SET data = '[]' WHERE position = :p"),
    "nothing": ("HandRecorded", -1, "UPDATE events SET data = '{}' WHERE position = :p"),
    "too deep": ("HandRecorded", -1, "UPDATE events SET data = printf('%.*c', 99999, '[') WHERE position = :p"),
    "no number": ("NightClosed", 0, "UPDATE events SET data = json_set(data, '$.shares', 5) WHERE position = :p"),
    "no text": ("HandRecorded", -1, "UPDATE events SET data = CAST(x'7bff7d' AS TEXT) WHERE position = :p"),
    "a type": ("NightClosed", 0, "UPDATE events SET type = 'NightOpened' WHERE position = :p"),
    "a type of tomorrow": ("NightClosed", 0, "UPDATE events SET type = 'NightPostponed' WHERE position = :p"),
    "a time": ("HandRecorded", -1, "UPDATE events SET recorded_at = '2026-01-01T00:00:00.000Z' WHERE position = :p"),
    "a device": ("HandRecorded", -1, "UPDATE events SET device = 'tablet-2' WHERE position = :p"),
    "a digest": ("HandRecorded", -1, f"UPDATE events SET digest = '{1:064}' WHERE position = :p"),
    "a digest that is none": ("HandRecorded", -1, "UPDATE events SET digest = 'nonsense' WHERE position = :p"),
    "a posting's amount": ("HandRecorded", -1, "UPDATE postings SET amount = amount * 2 WHERE position = :p"),
    "one side of it": ("HandRecorded", -1, "UPDATE postings SET amount = amount + 1 WHERE position = :p AND line = 1"),
    "its account": ("HandRecorded", -1, "UPDATE postings SET account = 'till' WHERE position = :p AND line = 1"),
    "its unit": ("HandRecorded", -1, "UPDATE postings SET unit = 'GBP' WHERE position = :p"),
    "its hand": ("HandRecorded", -1, "UPDATE postings SET hand = hand + 1 WHERE position = :p"),
    "its memo": ("HandRecorded", -1, "UPDATE postings SET memo = 'gift' WHERE position = :p"),
    "a posting is gone": ("HandRecorded", -1, "DELETE FROM postings WHERE position = :p AND line = 1"),
    "all are gone": ("HandRecorded", -1, "DELETE FROM postings WHERE position = :p"),
    "a command is gone": ("HandRecorded", -1, "DELETE FROM commands WHERE position = :p"),
    "its version": ("HandRecorded", -1, "UPDATE commands SET version = version + 1 WHERE position = :p"),
    "its first position": ("HandRecorded", -1, "UPDATE commands SET first_position = 1 WHERE position = :p"),
    "its stream": ("HandRecorded", -1, "UPDATE commands SET stream = 'club' WHERE position = :p"),
    "its id": ("HandRecorded", -1, "UPDATE commands SET command_id = 'x' WHERE position = :p"),
    "a text": ("MemberAdded", 1, "UPDATE texts SET text = 'Bobby' WHERE text = 'Bob'"),
    "a text's salt": ("MemberAdded", 1, "UPDATE texts SET salt = '00' WHERE text = 'Bob'"),
    "a salt that is none": ("MemberAdded", 1, "UPDATE texts SET salt = 'nonsense' WHERE text = 'Bob'"),
    "a salt without its text": ("MemberAdded", 1, "UPDATE texts SET salt = NULL WHERE text = 'Bob'"),
    "a text is gone": ("MemberAdded", 1, "DELETE FROM texts WHERE text = 'Bob'"),
    "a note": ("HandRecorded", -1, "UPDATE texts SET text = 'by daylight' WHERE text = 'by candlelight'"),
    "a rulebook is gone": ("NightOpened", 0, "DELETE FROM rulebooks"),
    "a rulebook that is none": ("NightOpened", 0, "UPDATE rulebooks SET body = '[]'"),
    "a rulebook that is no JSON": ("NightOpened", 0, "UPDATE rulebooks SET body = 'other rules'"),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_the_first_row_that_differs_is_named(path: Path, edit: str) -> None:
    kind, number, statement = EDITS[edit]
    at, stream, version = position(path, kind, number)
    tamper(path, statement.replace(":p", str(at)))
    first = next(line for line in verified(path) if "was erased" not in line)
    assert first.startswith(f"position {at} ({stream}, version {version}): ") or (
        edit == "no text" and "UTF-8" in first
    ), first


def test_a_row_removed(path: Path) -> None:
    at, _stream, _version = position(path, "HandRecorded", -1)
    tamper(path, f"DELETE FROM events WHERE position = {at}", f"DELETE FROM postings WHERE position = {at}")
    assert next(line for line in verified(path) if "erased" not in line).startswith(f"position {at + 1} (")


def test_the_end_cut_off(path: Path) -> None:
    """It shows at the head. Where the head is cut too, the rest is a whole book: only who saw more of it can tell."""
    at, _stream, _version = position(path, "NightOpened", -1)  # the last command, with two events
    tamper(path, *(f"DELETE FROM {table} WHERE position >= {at}" for table in ("events", "postings", "commands")))
    assert any(line.startswith(f"the head says position {at + 1}") for line in verified(path))
    before = f"SELECT position, digest FROM events WHERE position = {at - 1}"
    tamper(path, f"UPDATE clubs SET (position, digest) = ({before})")
    assert f"{THE_CLUB}: {at - 1} events are as they were written" in verified(path)[-1]


def test_rows_reordered(path: Path) -> None:
    at, stream, version = position(path, "HandRecorded", -1)
    swapped = [f"UPDATE events SET position = 0 WHERE position = {at}"]
    swapped += [f"UPDATE events SET position = {at} WHERE position = {at + 1}"]
    swapped += [f"UPDATE events SET position = {at + 1} WHERE position = 0"]
    tamper(path, *swapped)
    first = next(line for line in verified(path) if "erased" not in line)
    assert first.startswith(f"position {at} (")
    del stream, version


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE balances SET amount = amount + 1 WHERE account = 'member:ann'", "member:ann in club stands at"),
        ("DELETE FROM balances WHERE account = 'member:ann'", "member:ann in club stands at 0"),
        ("INSERT INTO balances VALUES ('thursday', 'club', 'cash', 'GBP', 5)", "cash in club stands at 5 GBP"),
        ("UPDATE clubs SET digest = 'nonsense'", "the head says position"),
        ("UPDATE clubs SET position = position - 1", "the head says position"),
        ("INSERT INTO postings VALUES ('thursday', 999, 1, 1, NULL, 'x', 'till', 'GBP', 5)", "posting 1 of event 999"),
        ("UPDATE rulebooks SET body = replace(body, '\"collects\":3', '\"collects\":4')", "is not what was signed"),
        ("DROP TRIGGER events_no_update", "events_no_update"),
        ("DROP INDEX idx_events_club_position", "idx_events_club_position"),
        ("ALTER TABLE balances ADD COLUMN note TEXT", "balances is changed"),
    ],
)  # fmt: skip
def test_what_is_not_in_a_row_of_the_book_is_named_too(path: Path, statement: str, words: str) -> None:
    if statement.startswith("DROP"):
        with closing(sqlite3.connect(path)) as raw:
            raw.execute(statement)
    else:
        tamper(path, statement)
    assert any(words in line for line in verified(path))


def test_a_table_without_types_may_hold_anything(path: Path) -> None:
    """Somebody made the tables anew with a tool that knows neither STRICT nor NOT NULL, and put what he liked there."""
    odd = [None, b"\xff\x00", 1.5, "x", -(2**60)]
    columns = [
        ("events", ["stream", "version", "position", "data", "command_id", "recorded_at", "digest"]),
        ("postings", ["line", "entry", "hand", "account", "unit", "amount"]),
        ("commands", ["first_version", "position", "answer"]),
        ("balances", ["scope", "account", "amount"]),
        ("rulebooks", ["digest", "body"]),
        ("texts", ["ref", "salt", "text"]),
    ]
    content = path.read_bytes()
    rng = random.Random(4)
    for table, names in columns:
        for name in names:
            path.write_bytes(content)
            with closing(sqlite3.connect(path)) as raw:
                raw.execute(f"CREATE TABLE plain AS SELECT * FROM {table}")
                raw.execute(f"DROP TABLE {table}")
                raw.execute(f"ALTER TABLE plain RENAME TO {table}")
                raw.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = 3", (rng.choice(odd),))
                raw.commit()
            assert verified(path)


# A new chain


def rewritten(path: Path, rows: Sequence[Recorded]) -> None:
    """Put these rows in the place of a book's, with a chain, balances and a head that hang together."""
    statements: list[tuple[str, tuple[object, ...]]] = [("DELETE FROM postings", ()), ("DELETE FROM balances", ())]
    digest = "0" * 64
    for row in rows:
        digest = codec.chain_digest(digest, row)
        changed = (row.text, row.device, digest, row.position)
        statements.append(("UPDATE events SET data = ?, device = ?, digest = ? WHERE position = ?", changed))
        for line, posting in enumerate(row.postings, 1):
            values = (row.club, row.position, line, *posting)
            statements.append(("INSERT INTO postings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values))
    for key, amount in codec.changes(rows).items():
        statements.append(("INSERT INTO balances VALUES (?, ?, ?, ?, ?)", (rows[0].club, *key, amount)))
    statements.append(("UPDATE clubs SET digest = ?", (digest,)))
    with closing(sqlite3.connect(path)) as raw:
        triggers = raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _sql in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        for statement, parameters in statements:
            raw.execute(statement, parameters)
        for _name, sql in triggers:
            raw.execute(sql)
        raw.commit()


def test_a_posting_changed_with_its_chain_made_anew(path: Path) -> None:
    """The chain cannot tell; the replay can, and says which hand, and what it is by today's rules."""
    at, stream, version = position(path, "HandRecorded", -1)
    with SqliteStore(path) as store:
        rows = everything(store)
    row = rows[at - 1]
    doubled = tuple(posting._replace(amount=2 * posting.amount) for posting in row.postings)
    rewritten(path, [*rows[: at - 1], row._replace(postings=doubled), *rows[at:]])
    first = next(line for line in verified(path) if "erased" not in line)
    assert first.startswith(f"position {at} ({stream}, version {version}): hand ")
    assert "by today's rules" in first


def test_a_history_rewritten_without_a_flaw_is_betrayed_by_a_receipt(path: Path) -> None:
    night = json.loads(kittybook("--db", path, "night", "show", "third", "--json").stdout)
    receipt = night["receipt"]
    asked = ("--db", path, "verify", "--receipt", receipt, "--night", "third")
    assert (kittybook(*asked).exit_code, kittybook(*asked).output) == (0, "as signed\n")
    with SqliteStore(path) as store:
        rows = everything(store)
    at, _stream, _version = position(path, "HandRecorded", 0)
    rewritten(path, [row._replace(device="tablet-9") if row.position == at else row for row in rows])
    assert "events are as they were written" in verified(path)[-1]
    assert (kittybook(*asked).exit_code, kittybook(*asked).output) == (1, "not in this history\n")


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE postings SET amount = 2 * amount WHERE position = :p",
        "UPDATE events SET data = replace(data, 'three', 'four') WHERE position = :p",
    ],
)
def test_a_receipt_is_not_as_signed_once_its_night_was_edited(path: Path, edit: str) -> None:
    night = json.loads(kittybook("--db", path, "night", "show", "third", "--json").stdout)
    at, _stream, _version = position(path, "HandRecorded", -1)
    tamper(path, edit.replace(":p", str(at)))
    result = kittybook("--db", path, "verify", "--receipt", night["receipt"], "--night", "third")
    assert (result.exit_code, result.output) == (1, "not in this history\n")


def _appended(path: Path, kind: str, stream: str, data: Data, postings: Iterator[Any] | tuple[Any, ...] = ()) -> None:
    """Append an event as the service would, past the service: chain, balances and command are right."""
    with SqliteStore(path) as store:

        def job(transaction: Transaction) -> list[Recorded]:
            version = transaction.version(stream)
            event = NewEvent(type=kind, data=data, postings=tuple(postings))
            return transaction.append(
                stream, version, [event], command=("by-hand", "f" * 64, "RecordHand"), actor="scorer", device=None,
                recorded_at="2026-11-29T21:00:00.000Z", answer="{}",
            )  # fmt: skip

        (rows,) = store.transact(THE_CLUB, [job])
        assert isinstance(rows, list)


FACTS: Final = {"players": ["ann", "bob", "cal", "dot"], "dealer": "ann", "bidder": "bob", "bid": "three", "made": True}


@pytest.mark.parametrize(
    ("kind", "stream", "data", "words"),
    [
        ("HandRecorded", "night:fourth", {"hand": 1, "facts": FACTS}, "0 postings stored"),
        ("HandRecorded", "night:fourth", {"hand": 1, "facts": {**FACTS, "bid": "seven"}}, "cannot be replayed"),
        ("HandRecorded", "night:fourth", {"hand": 1, "facts": {**FACTS, "bidder": "zed"}}, "cannot be replayed"),
        ("HandRecorded", "night:fourth", {"hand": 1}, "cannot be replayed"),
        ("PeekPaid", "night:fourth", {"hand": 7, "player": "ann"}, "cannot be replayed"),
        ("PeekPaid", "night:fifth", {"hand": 1, "player": "ann"}, "cannot be replayed"),
        ("HandGuessed", "night:fourth", {"hand": 1}, "cannot be replayed"),
        ("ChipsBought", "night:fourth", {"player": "ann", "chips": 5}, "0 postings stored"),
        ("NightClosed", "night:third", {"revision": 2, "pool": "carry", "shares": {}, "carried": 0, "results": {}}, ""),
    ],
)  # fmt: skip
def test_an_event_appended_by_hand_is_named(path: Path, kind: str, stream: str, data: Data, words: str) -> None:
    _appended(path, kind, stream, data)
    first = next(line for line in verified(path) if "erased" not in line)
    assert first.startswith("position ")
    assert f"({stream}, version " in first
    assert words in first


def test_a_closing_that_tells_other_results_than_its_hands_is_named(path: Path) -> None:
    """Its postings are right, and its chain is; what it says that people won is not."""
    at, stream, version = position(path, "NightClosed")
    with SqliteStore(path) as store:
        rows = everything(store)
    for key, value in (("results", {"ann": 1000, "bob": -1000}), ("carried", 77)):
        text = codec.canonical_json({**rows[at - 1].data, key: value})
        rewritten(path, [row._replace(text=text) if row.position == at else row for row in rows])
        first = next(line for line in verified(path) if "erased" not in line)
        assert first.startswith(f"position {at} ({stream}, version {version}): it closed with ")


def test_a_head_that_was_set_back_is_named(path: Path) -> None:
    """It is not mistaken for a club that was never finished, and nobody is told to begin it again."""
    tamper(path, f"UPDATE clubs SET position = 0, digest = '{0:064}'")
    assert verified(path)[-1].startswith("the head says position 0")
    assert kittybook("--db", path, "init", "--club", "Thursday", "--slug", THE_CLUB).exit_code == 1


# Files


def test_files_that_are_no_books(tmp_path: Path, path: Path) -> None:
    content = path.read_bytes()
    folder = tmp_path / "folder"
    folder.mkdir()
    assert kittybook("--db", tmp_path / "nothing.db", "verify").exit_code == 1
    assert kittybook("--db", folder, "verify").exit_code == 1
    expected = list(_rows(path))
    for cut in (0, 1, 99, 100, 512, 4095, 4096, 8192, len(content) // 2, len(content) - 4096, len(content) - 1):
        path.write_bytes(content[:cut])
        if "as they were written" in verified(path)[-1]:  # the last page held nothing
            assert (list(_rows(path)), cut) == (expected, max(cut, len(content) - 4096))


@pytest.mark.faults
def test_any_damage_to_the_file_is_found_or_did_no_harm(path: Path) -> None:
    """Bits flipped, blocks zeroed, pages swapped, anywhere: no traceback, and no passing what was changed."""
    content = path.read_bytes()
    pages = len(content) // 4096
    expected = list(_rows(path))
    rng = random.Random(5)
    found = 0
    for number in range(90):
        damaged = bytearray(content)
        start = rng.randrange(len(content))
        match number % 3:
            case 0:
                damaged[start] ^= 1 << rng.randrange(8)
            case 1:
                length = rng.choice([1, 16, 512, 4096])
                damaged[start : start + length] = bytes(len(damaged[start : start + length]))
            case _:
                one, other = (4096 * rng.randrange(pages) for _ in range(2))
                damaged[one : one + 4096], damaged[other : other + 4096] = (
                    damaged[other : other + 4096],
                    damaged[one : one + 4096],
                )
        path.write_bytes(damaged)
        result = kittybook("--db", path, "verify")
        if result.exit_code:
            found += 1
        else:
            assert list(_rows(path)) == expected, (number, start)
    assert found > 20


def _rows(path: Path) -> Iterator[tuple[object, ...]]:
    """Yield what verify answers for: what the digests cover, and what is worked out from that.

    Of a command's row it answers for the place alone, of an erased text for nothing; an epoch is no fact of the book.
    """
    columns = {
        "events": "position, *",
        "postings": "position, entry, hand, memo, account, unit, amount",
        "balances": "* FROM balances WHERE amount <> 0",
        "rulebooks": "*",
        "texts": "ref, salt, text FROM texts WHERE text IS NOT NULL",
        "commands": "command_id, stream, first_version, version, first_position, position",
        "clubs": "club, position, digest",
    }
    with closing(sqlite3.connect(path)) as raw:
        for table, names in columns.items():
            yield from sorted(raw.execute(f"SELECT {names}" + ("" if "FROM" in names else f" FROM {table}")), key=repr)


# The log beside the file


def test_a_book_copied_without_its_log(path: Path, tmp_path: Path) -> None:
    """Faults, B73: hands that are in the log alone are not in the copy. What there is, is whole; a receipt tells."""
    copy = tmp_path / "copy.db"
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        for number in range(1, 6):
            hand = {"hand": number, "bidder": "ann", "bid": "three", "made": True}
            done(ledger, {"id": ledger.new_id(), "type": "RecordHand", "night": "fourth", "data": hand})
        done(ledger, {"id": ledger.new_id(), "type": "CloseNight", "night": "fourth", "data": {}})
        shutil.copy(path, copy)
        with store.read(THE_CLUB) as reader:
            head = reader.head().position
    receipt = json.loads(kittybook("--db", path, "night", "show", "fourth", "--json").stdout)["receipt"]
    assert f"{THE_CLUB}: {head - 6 - 1} events are as they were written" in verified(copy)[-1]
    asked = ("verify", "--receipt", receipt, "--night", "fourth")
    assert kittybook("--db", path, *asked).output == "as signed\n"
    assert kittybook("--db", copy, *asked).output == "not in this history\n"


@pytest.fixture
def crashed(path: Path) -> tuple[Path, int, int]:
    """A book whose server was killed: its last hands are in the log alone. With it, where it stood before and after."""
    evening = Evening(night="fourth", table=GAME, sheet={})
    for number in range(1, 9):
        evening.send("RecordHand", hand=number, bidder="ann", bid="three", made=True)
    with SqliteStore(path) as store, store.read(THE_CLUB) as reader:
        before = reader.head().position
    process, pipe = worker.start(worker.send, path, [[each] for each in evening.commands], "after", 8)
    while worker.heard(pipe) != "halted":
        pass
    worker.killed(process)
    path.with_name(f"{path.name}-shm").unlink()
    return path, before, before + 8


@worker.posix
@pytest.mark.faults
def test_a_log_that_was_cut_or_hit_is_the_book_as_far_as_it_goes(crashed: tuple[Path, int, int]) -> None:
    """The power went before the disk had it all: a whole book up to some hand, and never half a hand."""
    path, before, after = crashed
    log = path.with_name(f"{path.name}-wal")
    content, frames = path.read_bytes(), log.read_bytes()
    rng = random.Random(6)
    heads = set()
    for number in range(36):
        damaged = bytearray(frames)
        start = rng.randrange(len(frames))
        if number % 2:
            del damaged[start:]
        else:
            damaged[start] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        log.write_bytes(damaged)
        path.with_name(f"{path.name}-shm").write_bytes(rng.randbytes(32768 if number % 3 else 7))
        *_erased, last = verified(path)
        assert "events are as they were written" in last
        heads.add(int(last.split()[1]))
    assert heads <= set(range(before, after + 1))
    assert len(heads) > 3


@worker.posix
@pytest.mark.faults
def test_a_log_that_was_lost_half_written_back(crashed: tuple[Path, int, int]) -> None:
    """Killed, and its log removed while some of its pages were in the file: that is no book, and verify says so."""
    path, before, after = crashed
    log = path.with_name(f"{path.name}-wal")
    content, frames = path.read_bytes(), log.read_bytes()
    page = int.from_bytes(frames[8:12], "big")
    starts = range(32, len(frames) - page, 24 + page)
    log.unlink()
    outcomes = {}
    for count in (*range(0, len(starts), 4), len(starts)):
        changed = bytearray(content)
        for start in starts[:count]:
            number = int.from_bytes(frames[start : start + 4], "big")
            changed[page * (number - 1) : page * number] = frames[start + 24 : start + 24 + page]
        path.write_bytes(changed)
        outcomes[count] = verified(path)[-1]
    whole = "{}: {} events are as they were written"
    assert whole.format(THE_CLUB, before) in outcomes[0]
    assert whole.format(THE_CLUB, after) in outcomes[len(starts)]
    assert len([line for line in outcomes.values() if "as they were written" in line]) < len(outcomes) // 2
