"""A server as it is served: a process of its own, found by the address that it prints."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Final

PATIENCE: Final = 20.0

Answer = tuple[int, dict[str, str], Any]


class Server:
    """``kittybook serve`` on a store, at one port however often it is started."""

    def __init__(self, path: Path, log: Path) -> None:
        self._path = path
        self._log = log
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        program = [sys.executable, "-m", "tests.api.serving", "--db", str(self._path), "--port", str(self.port)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([*program, *options], stdout=subprocess.PIPE, stderr=log)
        assert self._process.stdout is not None
        line = self._process.stdout.readline().decode()
        assert line.startswith(("http://", "https://")), (line, self._log.read_text(encoding="utf-8"))

    def kill(self) -> None:
        """Give it no chance to say good-bye."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Ask it to end, and return its exit code."""
        return self._end(signal.SIGTERM)

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self) -> int:
        assert self._process is not None
        assert self._process.stdout is not None
        code = self._process.wait(PATIENCE)
        self._process.stdout.close()
        self._process = None
        return code

    def _end(self, number: int) -> int:
        if self._process is None:
            return 0
        self.signal(number)
        return self.wait()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def log(self) -> list[Any]:
        return [json.loads(line) for line in self._log.read_text(encoding="utf-8").splitlines()]


class Connection:
    """One connection that is kept, as a device keeps it."""

    def __init__(self, port: int, token: str | None = None, timeout: float = PATIENCE) -> None:
        self._http = HTTPConnection("127.0.0.1", port, timeout=timeout)
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Return status, headers and what was said; raises ``OSError`` where the connection is lost."""
        sent = None if body is None else json.dumps(body)
        kind = {} if body is None else {"Content-Type": "application/json"}
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        try:
            self._http.request(method, path, sent, {**self._headers, **kind, **named})
            response = self._http.getresponse()
            raw = response.read()
        except (HTTPException, OSError) as error:
            self._http.close()
            raise ConnectionError(str(error)) from error
        found = {key.lower(): value for key, value in response.getheaders()}
        is_json = "json" in found.get("content-type", "")
        return response.status, found, json.loads(raw) if raw and is_json else raw

    def lose(self, method: str, path: str, body: Any) -> None:
        """Send, and go away before the answer comes."""
        with suppress(HTTPException, OSError):
            self._http.request(method, path, json.dumps(body), {**self._headers, "Content-Type": "application/json"})
        self._http.close()

    def close(self) -> None:
        self._http.close()


def once(port: int, method: str, path: str, token: str | None = None, body: Any = None) -> Answer:
    """Call over a connection of its own."""
    connection = Connection(port, token)
    try:
        return connection.call(method, path, body)
    finally:
        connection.close()


@contextmanager
def serving(path: Path, log: Path, *options: str) -> Iterator[Server]:
    server = Server(path, log)
    server.start(*options)
    try:
        yield server
    finally:
        server.stop()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def resident(pid: int) -> int:
    """Return the memory of a process, in bytes."""
    pages = Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def until(true: Any, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
