"""Processes that keep a book while something is done to them. They are forked from one that has everything loaded."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import pytest

from ledger.service import Ledger, Sender, read_request
from ledger.stores import SqliteStore
from ledger.stores.sqlite import connection
from ledger.stores.sqlite import restore as sqlite_restore
from tests.book.kit import THE_CLUB
from tests.faults.kit import Data, kittybook

posix = pytest.mark.skipif(os.name == "nt", reason="needs fork and signals")

PATIENCE: Final = 60
"""Seconds after which a test gives up on another process."""

REST: Final = 0.01
"""Seconds that who has recorded something leaves to the others; else who is first once may be first for ever."""


def start(work: Callable[..., None], *arguments: object) -> tuple[Any, Connection]:
    """Run a function of this module in a process of its own; return it, and the pipe that it answers through."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs, *arguments), daemon=True)
    process.start()
    theirs.close()  # so that the end of the process is the end of the pipe
    return process, ours


def heard(pipe: Connection) -> Any:
    """Return what a process says next. Raises ``EOFError`` when it has ended."""
    assert pipe.poll(PATIENCE), "nothing was heard from the process"
    return pipe.recv()


def told(pipe: Connection) -> Iterator[Any]:
    """Yield all that a process says until it ends."""
    while True:
        try:
            yield heard(pipe)
        except (EOFError, ConnectionResetError):
            return


def together(work: Callable[..., None], arguments: Sequence[tuple[object, ...]]) -> list[list[Any]]:
    """Run a function in several processes that begin at the same moment; return what each answered."""
    started = [start(work, *each) for each in arguments]
    for _process, pipe in started:
        assert heard(pipe) == "ready"
    for _process, pipe in started:
        pipe.send("go")
    answers = [list(told(pipe)) for _process, pipe in started]
    for process, _pipe in started:
        process.join(PATIENCE)
        assert process.exitcode == 0, "a process failed: see its traceback above"
    return answers


@contextmanager
def holding(path: Path, begin: str = "BEGIN IMMEDIATE") -> Iterator[Callable[[], None]]:
    """Let another process hold a lock on a store until the function that is lent is called, or to the end."""
    process, pipe = start(hold, path, begin)
    assert heard(pipe) == "held"

    def let_go() -> None:
        pipe.send("let go")
        assert heard(pipe) == "let go"

    try:
        yield let_go
    finally:
        pipe.close()
        process.join(PATIENCE)


# What runs in the other process. Each says what it has to say through the pipe.


def send(pipe: Connection, path: Path, batches: list[list[Data]], halt: str = "", commits: int = 0) -> None:
    """Send batches in order; say each verdict as it is known.

    ``halt`` stops for good before or after so many commits, having said so: whoever listens may kill it there.
    """
    if halt:
        _halt(pipe, halt, commits)
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        for batch in batches:
            answers = ledger.carry_out(THE_CLUB, [read_request(request) for request in batch], Sender(actor="scorer"))
            for answer in answers:
                pipe.send(answer)


def race(pipe: Connection, path: Path, device: str, commands: list[Data]) -> None:
    """Send commands one by one from the moment that all are ready; say each verdict."""
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        requests = [read_request(command) for command in commands]
        pipe.send("ready")
        pipe.recv()
        for request in requests:
            (answer,) = ledger.carry_out(THE_CLUB, [request], Sender(actor="scorer", device=device))
            pipe.send(answer)
            time.sleep(REST if answer["status"] == "recorded" else 0)


def init(pipe: Connection, path: Path, name: str) -> None:
    """Begin a club's book from the moment that all are ready; say exit code and output."""
    pipe.send("ready")
    pipe.recv()
    result = kittybook("--db", path, "init", "--club", name, "--slug", "club")
    pipe.send((result.exit_code, result.output))


def hold(pipe: Connection, path: Path, begin: str) -> None:
    """Keep a transaction open until told otherwise."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute(begin)
        raw.execute("SELECT count(*) FROM events").fetchone()
        pipe.send("held")
        try:
            pipe.recv()
        except EOFError:
            return
        raw.execute("ROLLBACK")
        pipe.send("let go")


def restore(pipe: Connection, copy: Path, store: Path, steps: int) -> None:
    """Restore, and be killed after so many steps: whatever is written, copied, forced to disk, renamed, removed."""
    left = steps

    def counted(work: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            result = work(*arguments, **named)
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return step

    run = connection.Connection.run
    write = counted(run)
    reading = ("SELECT", "PRAGMA synchronous", "PRAGMA fullfsync", "PRAGMA secure_delete", "PRAGMA trusted_schema")

    def counting(self: connection.Connection, sql: str, parameters: connection.Parameters = ()) -> None:
        (run if sql.startswith(reading) else write)(self, sql, parameters)

    connection.Connection.run = counting  # type: ignore[method-assign]  # in this process alone
    for module, name in [(shutil, "copy2"), (os, "fsync"), (Path, "replace"), (Path, "rename"), (Path, "unlink")]:
        setattr(module, name, counted(getattr(module, name)))
    sqlite_restore(copy, store, epoch="epoch-2", stamp="stamp")
    pipe.send("done")


def _halt(pipe: Connection, halt: str, commits: int) -> None:
    """Stop at a commit. A page cache of a few pages makes SQLite write to the log before it commits."""
    setattr(connection, "PRAGMAS", (*connection.PRAGMAS, "PRAGMA cache_size=4"))  # noqa: B010 - it is final elsewhere
    run = connection.Connection.run
    left = commits

    def stopping(self: connection.Connection, sql: str, parameters: connection.Parameters = ()) -> None:
        nonlocal left
        left -= sql == "COMMIT"
        if sql == "COMMIT" and left == 0:
            if halt == "after":
                run(self, sql, parameters)
            pipe.send("halted")
            time.sleep(PATIENCE)
        run(self, sql, parameters)

    connection.Connection.run = stopping  # type: ignore[method-assign]  # in this process alone


def killed(process: Any) -> None:
    """Kill a process that this module started (-9), and wait for its end."""
    process.kill()
    process.join(PATIENCE)
    assert process.exitcode == -signal.SIGKILL
