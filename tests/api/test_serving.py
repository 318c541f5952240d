"""A server as a process: it starts with one command, ends cleanly, tells the truth of its disk, and logs no secret."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import StoreBusy
from ledger.stores import SqliteStore
from tests.api.kit import CLUB, NIGHT, PLAYERS, V1, command, secret_of
from tests.api.server import Connection, Server, once, serving

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are another matter there")

AT = f"{V1}/clubs/{CLUB}/nights/{NIGHT}"
SCORER = secret_of(CLUB, "scorekeeper")


@pytest.fixture
def connection(server: Server) -> Any:
    connection = Connection(server.port, SCORER)
    yield connection
    connection.close()


@pytest.fixture
def server(path: Path, tmp_path: Path) -> Any:
    with serving(path, tmp_path / "log") as server:
        yield server


@pytest.fixture(scope="module")
def standing(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all who are only answered."""
    folder = tmp_path_factory.mktemp("standing")
    with serving(Path(shutil.copy(made_once, folder / "book.db")), folder / "log") as server:
        yield server


def test_it_answers_until_it_is_told_to_end_and_finishes_what_it_has_begun(path: Path, tmp_path: Path) -> None:
    server = Server(path, tmp_path / "log")
    server.start("--slow")
    answers: list[Any] = []
    asked = threading.Thread(target=lambda: answers.append(once(server.port, "GET", f"{V1}/health")))
    asked.start()
    time.sleep(0.3)
    assert server.stop() == 0
    asked.join()
    assert [answer[0] for answer in answers] == [200]
    with pytest.raises(ConnectionError):
        once(server.port, "GET", f"{V1}/health")
    assert [line["event"] for line in server.log()][-1] == "stopped"


def test_who_listens_does_not_keep_it_from_ending(path: Path, tmp_path: Path) -> None:
    server = Server(path, tmp_path / "log")
    server.start()
    listening = socket.create_connection(("127.0.0.1", server.port))
    listening.sendall(
        f"GET {V1}/clubs/{CLUB}/live HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {SCORER}\r\n\r\n".encode()
    )
    assert b"200 OK" in listening.recv(4096)
    begun = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - begun < 3
    listening.close()


def test_hints_arrive_through_the_server_soon_after_another_process_wrote(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as listening:
        listening.sendall(
            f"GET {V1}/clubs/{CLUB}/live HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {SCORER}\r\n\r\n".encode()
        )
        heard = b""
        while b"data: " not in heard:
            heard += listening.recv(4096)
        assert b"text/event-stream" in heard
        once(server.port, "POST", f"{AT}/commands", SCORER, command("Peek", hand=6, player="bob"))
        while NIGHT.encode() not in heard:
            heard += listening.recv(4096)


def test_every_line_of_the_log_is_json_with_an_id_and_without_a_secret(
    server: Server, connection: Connection, tmp_path: Path
) -> None:
    _status, headers, _body = connection.call("GET", AT, X_Request_Id="mine-1")
    assert headers["x-request-id"] == "mine-1"
    for _ in range(3):  # the first backup, made as the server begins, is news too
        status, tagged, _body = connection.call("GET", AT)
        status_of_old, unchanged, _body = connection.call("GET", AT, If_None_Match=tagged["etag"])
        if status_of_old == 304:
            break
    assert status_of_old == 304
    assert "connection" not in unchanged  # who polls keeps his connection
    connection.call("POST", f"{AT}/commands", command("AddNote", note="between us"))
    lines = [line for line in server.log() if line["event"] == "answered"]
    assert status == 200
    assert lines[0]["request_id"] == "mine-1"
    statuses = [line["status"] for line in lines]
    assert set(statuses[:-1]) == {200}  # nothing new is no news
    assert statuses[-1] == 201
    said = (tmp_path / "log").read_text(encoding="utf-8")
    assert "kb_" not in said
    assert "between us" not in said


def test_eight_at_once_are_all_answered_and_each_is_recorded_once(server: Server) -> None:
    before = once(server.port, "GET", AT, SCORER)[2]["version"]
    statuses: list[int] = []

    def buy(player: str) -> None:
        connection = Connection(server.port, SCORER)
        for _ in range(10):
            sent = command("BuyIn", player=player, chips=1)
            statuses.extend(connection.call("POST", f"{AT}/commands", sent)[0] for _ in range(2))
        connection.close()

    threads = [threading.Thread(target=buy, args=(PLAYERS[number % 4],)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] * 80 + [201] * 80
    night = once(server.port, "GET", AT, SCORER)[2]
    assert night["version"] == before + 80
    assert {player["bought"] for player in night["players"]} == {20}


def test_a_disk_that_is_full_is_told_and_reads_go_on(server: Server, connection: Connection) -> None:
    import resource

    assert connection.call("GET", f"{V1}/health")[0] == 200
    assert connection.call("POST", f"{AT}/commands", command("Peek", hand=6, player="ann"))[0] == 201
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (1_000, resource.RLIM_INFINITY))
    sent = command("Peek", hand=6, player="bob")
    status, headers, problem = connection.call("POST", f"{AT}/commands", sent)
    assert (status, problem["code"]) == (507, "disk_full")
    assert headers["content-type"] == "application/problem+json"
    assert connection.call("GET", AT)[0] == 200
    time.sleep(1.1)
    assert connection.call("GET", f"{V1}/health")[0] == 507
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert connection.call("POST", f"{AT}/commands", sent)[0] == 201
    time.sleep(1.1)
    assert connection.call("GET", f"{V1}/health")[0] == 200


def test_a_lock_that_somebody_keeps_is_told_and_the_same_may_be_sent_again(connection: Connection, path: Path) -> None:
    sent = command("Peek", hand=6, player="ann")
    with SqliteStore(path) as store, store.writing():
        status, headers, problem = connection.call("POST", f"{AT}/commands", sent)
        assert (status, problem["code"]) == (503, StoreBusy.code)
        assert int(headers["retry-after"]) >= 1
        assert connection.call("GET", AT)[0] == 200
    assert connection.call("POST", f"{AT}/commands", sent)[0] == 201


def test_a_port_that_is_taken_is_told_in_a_sentence(server: Server, path: Path) -> None:
    program = [sys.executable, "-m", "tests.api.serving", "--db", str(path), "--port", str(server.port)]
    second = subprocess.run(program, capture_output=True, text=True, timeout=20, check=False)
    assert second.returncode == 1
    assert "cannot be listened at" in second.stderr
    assert "--port" in second.stderr


def test_a_second_signal_is_not_needed_and_ctrl_c_will_do(path: Path, tmp_path: Path) -> None:
    server = Server(path, tmp_path / "log")
    server.start()
    server.signal(signal.SIGINT)
    assert server.wait() == 0


def test_the_program_that_tries_everything_once_is_content() -> None:
    script = Path(__file__).parents[2] / "scripts" / "once.py"
    tried = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert tried.returncode == 0, tried.stderr
    assert "booked over HTTP" in tried.stdout


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 300_000 + b"\r\n\r\n", 431),
        (b"POST /api/v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n", 413),
        (b"POST /api/v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /api/v1/score HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400),
        (b"GET /api/v1/health HTTP/1.1\r\n\r\n", 400),
    ],
)
def test_what_is_no_request_is_refused_as_a_problem(standing: Server, raw: bytes, status: int) -> None:
    with socket.create_connection(("127.0.0.1", standing.port), timeout=10) as wire:
        wire.sendall(raw)
        said = b""
        while b"\r\n\r\n" not in said or b"}" not in said:
            found = wire.recv(65_536)
            if not found:
                break
            said += found
    assert said.startswith((f"HTTP/1.1 {status} ".encode(), f"HTTP/1.0 {status} ".encode())), said[:200]
    assert b"application/problem+json" in said
    assert once(standing.port, "GET", f"{V1}/health")[0] == 200
