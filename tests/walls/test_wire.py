"""A server as a process, and who harms it on the wire: slowly, in halves, by old TLS, between the lines of a log."""

from __future__ import annotations

import json
import os
import shutil
import socket
import ssl
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from api.tls.authority import authority
from api.tls.passage import context_of
from tests.api.kit import CLUB, NIGHT, V1, secret_of
from tests.api.server import Connection, Server, once, serving

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are another matter there")

AT = f"{V1}/clubs/{CLUB}/nights/{NIGHT}"
OWNER = secret_of(CLUB, "owner")


@pytest.fixture
def server(path: Path, tmp_path: Path) -> Iterator[Server]:
    with serving(path, tmp_path / "log") as server:
        yield server


@pytest.fixture(scope="module")
def standing(made_for_walls: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all who are only answered."""
    folder = tmp_path_factory.mktemp("standing")
    with serving(Path(shutil.copy(made_for_walls, folder / "book.db")), folder / "log") as server:
        yield server


def say(server: Server, raw: bytes) -> bytes:
    """Send bytes, and return all that comes back."""
    heard = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as wire:
        wire.sendall(raw)
        wire.shutdown(socket.SHUT_WR)
        while found := wire.recv(65_536):
            heard += found
    return heard


SLOW = (
    b"",
    b"GET /api/v1/he",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
    b"POST /api/v1/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n{",
    b"POST /api/v1/score HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
)


def test_two_hundred_who_send_slowly_keep_nobody_waiting(server: Server) -> None:
    wires = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(200)]
    try:
        for number, wire in enumerate(wires):
            wire.sendall(SLOW[number % len(SLOW)])
        for _ in range(5):
            for wire, sent in zip(wires[3::5], b"abcde" * 8, strict=True):
                wire.sendall(bytes([sent]))
            began = time.monotonic()
            assert once(server.port, "GET", AT, OWNER)[0] == 200
            assert time.monotonic() - began < 15  # those who are slow have sixty
    finally:
        for wire in wires:
            wire.close()


@pytest.mark.parametrize(
    "raw",
    [
        b"POST /api/v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: gzip\r\n\r\nabcde",
        b"POST /api/v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        b"POST /api/v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Length: +5\r\n\r\nabcde",
        b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nX : y\r\n\r\n",
        b"GET /api/v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET http://evil.example/api/v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"TRACE / HTTP/1.1\r\nHost: localhost\r\nCookie: s=x\r\n\r\n",
    ],
)
def test_what_two_readers_would_take_two_ways_is_refused(standing: Server, raw: bytes) -> None:
    told = say(standing, raw)
    assert told.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4")), told[:200]
    assert told.count(b"HTTP/1.") == 1
    assert b"X-Content-Type-Options: nosniff" in told
    assert b"frame-ancestors 'none'" in told
    assert b"Cookie: s=x" not in told


@pytest.mark.parametrize("at", ["//evil.example/", "//evil.example//nights", "/..//evil.example", "/%2f/evil.example"])
def test_no_path_leads_to_another_host(standing: Server, at: str) -> None:
    told = say(standing, f"GET {at} HTTP/1.1\r\nHost: localhost:{standing.port}\r\n\r\n".encode()).decode()
    places = [line.partition(": ")[2] for line in told.splitlines() if line.lower().startswith("location:")]
    assert all(place.startswith(f"http://localhost:{standing.port}/") or not place.startswith("//") for place in places)
    assert all("//evil" not in place for place in places)


def test_headers_of_a_proxy_that_is_none_are_not_heeded(server: Server) -> None:
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example", "X-Forwarded-For": "10.1.1.1"}
    named = {key.replace("-", "_"): value for key, value in headers.items()}
    connection = Connection(server.port, OWNER)
    status, _headers, made = connection.call(
        "POST", f"{V1}/clubs/{CLUB}/users", {"name": "Bob", "role": "viewer"}, **named
    )
    trail = connection.call("GET", f"{V1}/clubs/{CLUB}/trail")[2]["trail"]
    connection.close()
    assert status == 201
    assert made["link"].startswith(f"http://127.0.0.1:{server.port}/invite#")
    assert {row["address"] for row in trail} == {"127.0.0.1"}


def test_nobody_writes_lines_into_the_log(server: Server, path: Path) -> None:
    forged = '%0a{"event": "answered", "status": 200, "who": "user:olga"}'
    for at in (f"/{forged}", f"{V1}/clubs/{forged}", f"/static/{forged}"):
        say(server, f"GET {at.replace(' ', '%20')} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a b\r\n\r\n".encode())
    once(server.port, "POST", f"{V1}/sign-in", None, {"login": 'olga\n{"event": "x"}', "password": "secret-password"})
    once(server.port, "POST", f"{V1}/clubs/{CLUB}/users", secret_of(CLUB, "viewer"), {"name": "x", "role": "owner"})
    once(server.port, "GET", f"{V1}/clubs/{CLUB}", "kb_wrong")
    lines = server.log()  # each is JSON, or this raises
    answered = [line for line in lines if line["event"] == "answered"]
    assert [line["status"] for line in answered] == [404, 404, 404, 403, 403, 401]
    assert [line["code"] for line in answered][3:] == ["cross_site", "role_needed", "token_wrong"]
    for line in answered:
        assert {"timestamp", "path", "method", "address", "request_id", "token", "who"} <= set(line)
        assert line["address"] == "127.0.0.1"
        assert line["who"] is None
    assert [line["token"] is None for line in answered] == [True, True, True, True, False, True]
    for line in lines:
        assert datetime.fromisoformat(line["timestamp"]).utcoffset() == datetime.now(UTC).utcoffset()
    assert "secret-password" not in json.dumps(lines)
    kept = {file.name for file in path.parent.iterdir()} - {"log"}
    assert all(name.startswith("book") and "log" not in name for name in kept), kept  # there is no other log


# TLS


@pytest.fixture
def context(tmp_path: Path) -> ssl.SSLContext:
    own = authority(tmp_path / "authority", ["bar"], datetime.now(UTC))
    own.issue(["bar"], datetime.now(UTC))
    certificate, key = own.leaf_files
    return context_of(str(certificate), str(key))


def test_only_ciphers_that_authenticate_and_forget_are_offered(context: ssl.SSLContext) -> None:
    found = context.get_ciphers()
    assert found
    for cipher in found:
        assert cipher["aead"], cipher["name"]
        assert cipher["protocol"] == "TLSv1.3" or cipher["name"].startswith("ECDHE-"), cipher["name"]


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2, None])
def test_old_tls_is_refused_and_the_newest_is_taken(context: ssl.SSLContext, version: ssl.TLSVersion | None) -> None:
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    client.set_ciphers("ALL:@SECLEVEL=0")
    if version is not None:
        client.minimum_version = client.maximum_version = version
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    asks = client.wrap_bio(to_client, to_server)
    answers = context.wrap_bio(to_server, to_client, server_side=True)
    if version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        with pytest.raises(ssl.SSLError):
            shake(asks, answers)
    else:
        shake(asks, answers)
        assert asks.version() == ("TLSv1.2" if version else "TLSv1.3")


def shake(*hands: ssl.SSLObject) -> None:
    for _ in range(5):
        for hand in hands:
            try:
                hand.do_handshake()
            except ssl.SSLWantReadError:
                continue
