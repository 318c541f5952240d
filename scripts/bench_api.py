"""Measurements of the API on loopback: commands, polling, a tap among pollers, memory. Clients are processes apart."""

from __future__ import annotations

import json
import multiprocessing
import os
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

from ledger.service import read_request
from ledger.store import NewEvent, Posting, Transaction
from ledger.stores import tokens_of
from ledger.tokens import Token, digest_of
from scripts.bench_book import CLUB, PLAYERS, SENDER, Table, folder

SECRET: Final = "kb_bench"
AT: Final = f"/api/v1/clubs/{CLUB}"


class Wire:
    """A connection that is kept, with as little of a client around it as can be."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""

    def call(self, request: bytes) -> tuple[int, str, bytes]:
        """Return status, head and body of an answer."""
        self._socket.sendall(request)
        answer = self._rest
        while b"\r\n\r\n" not in answer:
            answer += self._receive()
        head, _, body = answer.partition(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        while len(body) < length:
            body += self._receive()
        self._rest = body[length:]
        return int(head[9:12]), head.decode(), body[:length]

    def _receive(self) -> bytes:
        found = self._socket.recv(65_536)
        if not found:
            raise SystemExit("the server hung up")
        return found

    def close(self) -> None:
        self._socket.close()


def asking(method: str, path: str, body: object = None, **headers: str) -> bytes:
    """Return a request as it goes over the wire."""
    raw = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {SECRET}"]
    lines += [f"{key.replace('_', '-')}: {value}" for key, value in headers.items()]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(raw)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + raw


@contextmanager
def served(path: Path, *program: str) -> Iterator[tuple[int, int]]:
    """Serve a store by a process of its own; lend its port and its process id."""
    kittybook = str(Path(sys.executable).with_name("kittybook"))
    server = subprocess.Popen(
        program or (kittybook, "serve", "--port", "0", "--db", str(path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout is not None
    address = server.stdout.readline()
    try:
        yield int(address.rstrip("/\n").rpartition(":")[2]), server.pid
    finally:
        server.terminate()
        server.wait(30)
        server.stdout.close()


def table_at(path: Path) -> Table:
    """Return a table with a token to reach it by."""
    table = Table(path)
    digest = digest_of(SECRET)
    token = Token(club=CLUB, id=digest[:8], name="bench", role="owner", created="2026-01-01", used="2026-01-01")
    tokens_of(table.store).add(token, digest)
    return table


def facts_of(hand: int) -> dict[str, Any]:
    """Return a hand as it is sent: one peek, a Three made."""
    return {
        "id": str(uuid.uuid4()),
        "type": "RecordHand",
        "data": {"hand": hand, "peeks": [PLAYERS[hand % 4]], "bidder": PLAYERS[(hand + 1) % 4], "bid": "three",
                 "made": True},
    }  # fmt: skip


# Hands over HTTP


def http_hands(connections: int = 8, hands: int = 60, rounds: int = 5) -> bool:
    """Record hands over HTTP by eight connections, and the same commands through the library, in turns."""
    with folder() as place:
        table = table_at(place / "book.db")
        ours, theirs = [], []
        for number in range(rounds):
            nights = [f"http-{number}-{one}" for one in range(connections)]
            plain = [f"plain-{number}-{one}" for one in range(connections)]
            _open(table, [*nights, *plain])
            commands = [[facts_of(hand) for hand in range(1, hands + 1)] for _ in nights]
            with served(place / "book.db") as (port, _pid):
                ours.append(_in_processes(port, nights, commands))
            begun = time.perf_counter()
            for hand in range(hands):
                for night in plain:
                    table.ledger.carry_out(CLUB, [read_request({**facts_of(hand + 1), "night": night})], SENDER)
            theirs.append(time.perf_counter() - begun)
        table.store.close()
    count = connections * hands
    ratio, limit = median(theirs) / median(ours), 0.4
    print(
        f"http_hands: {count / median(ours):,.0f} hands/s by {connections} connections, {count / median(theirs):,.0f}"
        f" through the library, ratio {ratio:.2f} (at least {limit:g}; medians of {rounds} turns of {count})"
    )
    return ratio >= limit


def _open(table: Table, nights: list[str]) -> None:
    for night in nights:
        table.send("OpenTable", table=night, name=night, rulebook="rockets-peep-nap")
        table.send("OpenNight", table=night, players=list(PLAYERS), dealer="ann", named=night)


def _in_processes(port: int, nights: list[str], commands: list[list[Any]]) -> float:
    """Send each night's commands over a connection of its own, from one process; return the seconds it took."""
    sent = [
        [asking("POST", f"{AT}/nights/{night}/commands", command) for command in row]
        for night, row in zip(nights, commands, strict=True)
    ]
    return _timed(port, [(requests, 201) for requests in sent])


def _timed(port: int, rows: list[tuple[list[bytes], int]]) -> float:
    """Send rows of requests, each over a connection of its own, and return the seconds until the last is answered."""
    ready = multiprocessing.Event()
    done: Any = multiprocessing.SimpleQueue()
    client = multiprocessing.Process(target=_client, args=(port, rows, ready, done))
    client.start()
    done.get()
    ready.set()
    seconds: float = done.get()
    client.join()
    return seconds


def _client(port: int, rows: list[tuple[list[bytes], int]], ready: Any, done: Any) -> None:  # noqa: ANN401 - of multiprocessing
    wires = [Wire(port) for _ in rows]

    def send(wire: Wire, requests: list[bytes], wanted: int) -> None:
        for request in requests:
            status, _head, answer = wire.call(request)
            if status != wanted:
                raise SystemExit(f"{status}, not {wanted}: {answer[-500:]!r}")

    threads = [threading.Thread(target=send, args=(wire, *row)) for wire, row in zip(wires, rows, strict=True)]
    done.put(None)
    ready.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done.put(time.perf_counter() - begun)


def _tag(head: str) -> str:
    return next(line[6:] for line in head.split("\r\n") if line.lower().startswith("etag: "))


# Polling

_BARE: Final = """
import sys
from flask import Flask
from waitress.server import create_server
from api.live import LIMIT
from api.server import WORKERS

app = Flask("bare")
app.add_url_rule("/", view_func=lambda: {"position": 1})
server = create_server(app, port=0, host="127.0.0.1", threads=LIMIT + WORKERS, ident=None)
print(f"http://127.0.0.1:{server.effective_port}/", flush=True)
server.run()
"""


def http_poll(requests: int = 1_500, rounds: int = 7) -> bool:
    """Ask for the state at hand 100 that has not changed, and a bare Flask view by the same server, in turns."""
    with folder() as place:
        table = table_at(place / "book.db")
        for _ in range(100):
            table.record_hand()
        path = f"{AT}/nights/{table.night}"
        with served(place / "book.db") as (port, _pid), served(place, sys.executable, "-c", _BARE) as (bare, _bare_pid):
            wire = Wire(port)
            wire.call(asking("GET", path))
            tag = _tag(wire.call(asking("GET", path))[1])
            poll, plain = asking("GET", path, If_None_Match=tag), asking("GET", "/")
            ours, theirs = [], []
            for _ in range(rounds):
                ours.append(_timed(port, [([poll] * requests, 304)]))
                theirs.append(_timed(bare, [([plain] * requests, 200)]))
            wire.close()
        table.store.close()
    ratio, limit = median(theirs) / median(ours), 0.7
    print(
        f"http_poll: {requests / median(ours):,.0f} states/s unchanged, {requests / median(theirs):,.0f} of a bare"
        f" view, ratio {ratio:.2f} (at least {limit:g}; medians of {rounds} turns)"
    )
    return ratio >= limit


# A tap among two hundred screens, while the treasurer exports


def http_tap(pollers: int = 200, seconds: float = 12.0, lines: int = 100_000) -> bool:
    """Tap at a table while two hundred clients poll once a second and a CSV of 100,000 lines is exported."""
    with folder() as place:
        table = table_at(place / "book.db")
        _long_night(table, lines)
        with served(place / "book.db") as (port, _pid):
            stop = multiprocessing.Event()
            exports: Any = multiprocessing.Queue()
            beside = [
                multiprocessing.Process(target=_poll, args=(port, table.night, pollers, stop)),
                multiprocessing.Process(target=_export, args=(port, stop, exports)),
            ]
            for process in beside:
                process.start()
            time.sleep(1)
            taken = sorted(_taps(port, table, seconds))
            stop.set()
            told = [exports.get(timeout=60)]
            while not exports.empty():
                told.append(exports.get())
            for process in beside:
                process.join(30)
        table.store.close()
    if min(told) < lines:
        raise SystemExit(f"an export had {min(told)} lines")
    half, most = taken[len(taken) // 2], taken[int(len(taken) * 0.99)]
    ratio, limit = most / half, 5.0
    print(
        f"http_tap: p50 {half * 1000:.1f} ms, p99 {most * 1000:.1f} ms, longest {taken[-1] * 1000:.0f} ms of"
        f" {len(taken):,} taps, ratio {ratio:.1f} (under {limit:g}; {pollers} clients poll, {lines:,} lines were"
        f" exported {len(told)} times)"
    )
    return ratio < limit


def _long_night(table: Table, lines: int) -> None:
    """Let another night have so many postings: what is exported again and again."""
    _open(table, ["long"])
    unit, stream, at_once = "chips:long.1", "night:long", 100
    move = Posting(entry=1, hand=1, memo="peek", account="player:ann", unit=unit, amount=-1)
    peek = NewEvent(
        type="PeekPaid",
        data={"hand": 1, "player": "ann"},
        postings=(move, move._replace(account="pool:long", amount=1)),
    )

    def append(transaction: Transaction) -> None:
        for _ in range(lines // 2 // at_once):
            transaction.append(
                stream, transaction.version(stream), [peek] * at_once,
                command=(str(uuid.uuid4()), "00", "Peek"),
                actor="bench", device=None, recorded_at="2026-01-01T00:00:00.000Z", answer="{}",
            )  # fmt: skip

    (failed,) = table.store.transact(CLUB, [append])
    if failed is not None:
        raise failed


def _taps(port: int, table: Table, seconds: float) -> Iterator[float]:
    wire = Wire(port)
    end, hand = time.monotonic() + seconds, 0
    at = f"{AT}/nights/{table.night}/commands"
    while time.monotonic() < end:
        hand += 1
        request = asking("POST", at, facts_of(hand))
        begun = time.perf_counter()
        status, _head, answer = wire.call(request)
        yield time.perf_counter() - begun
        if status != 201:
            raise SystemExit(f"{status}: {answer[-500:]!r}")
        time.sleep(0.02)  # people do not tap faster
    wire.close()


def _poll(port: int, night: str, clients: int, stop: Any) -> None:  # noqa: ANN401 - of multiprocessing
    wires = [Wire(port) for _ in range(clients)]
    tags = [""] * clients
    while not stop.is_set():
        begun = time.monotonic()
        for index, wire in enumerate(wires):
            known = {"If_None_Match": tags[index]} if tags[index] else {}
            status, head, _body = wire.call(asking("GET", f"{AT}/nights/{night}", Accept_Encoding="gzip", **known))
            if status == 200:
                tags[index] = _tag(head)
            pause = begun + (index + 1) / clients - time.monotonic()
            if pause > 0:
                time.sleep(pause)


def _export(port: int, stop: Any, exports: Any) -> None:  # noqa: ANN401 - as above
    while not stop.is_set():
        with socket.create_connection(("127.0.0.1", port)) as export:
            export.sendall(asking("GET", f"{AT}/nights/long/journal.csv", Connection="close"))
            lines = 0
            while found := export.recv(65_536):
                lines += found.count(b"\n")
            exports.put(lines)


# Memory


def http_memory(requests: int = 36_000) -> bool:
    """Send 36,000 requests of every kind, and look at the server's memory after a quarter and at the end."""
    with folder() as place:
        table = table_at(place / "book.db")
        with served(place / "book.db") as (port, pid):
            wire, hand, found = Wire(port), 0, []
            for number in range(1, requests + 1):
                if hand == 60:
                    table.open_night()
                    hand = 0
                at = f"{AT}/nights/{table.night}"
                if number % 4 == 0:
                    hand += 1
                    wire.call(asking("POST", f"{at}/commands", facts_of(hand)))
                else:
                    paths = (
                        at,
                        f"{at}/hands",
                        f"{AT}/members",
                        f"{at}/journal",
                        f"{AT}/balances",
                        f"{AT}/events?limit=20",
                    )
                    wire.call(asking("GET", paths[number % len(paths)]))
                if number in (requests // 4, requests):
                    found.append(_resident(pid))
            wire.close()
        table.store.close()
    grown, size, limit, most = found[1] / found[0], found[1] / 1e6, 1.05, 150
    print(
        f"http_memory: {found[0] / 1e6:.0f} MB after a quarter of {requests:,} requests, {size:.0f} MB at the end,"
        f" ratio {grown:.2f} (at most {limit:g}, and below {most} MB)"
    )
    return grown <= limit and size < most


def _resident(pid: int) -> int:
    pages = Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def http_description() -> bool:
    """Schemathesis asks a running server five times as much as the tests let it, and step by step too."""
    begun = time.perf_counter()
    asked = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/api/test_schemathesis.py"],
        env={**os.environ, "KITTYBOOK_SCHEMATHESIS": "40"},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    found = "nothing" if asked.returncode == 0 else "something:\n" + asked.stdout[-3_000:]
    print(f"http_description: schemathesis found {found} in {time.perf_counter() - begun:,.0f} s")
    return asked.returncode == 0


ALL: Final[tuple[Callable[[], bool], ...]] = (http_hands, http_poll, http_tap, http_memory, http_description)
