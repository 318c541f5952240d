"""Https with the club's own authority: who trusts it gets in, and it vouches for no more than it must."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from api.tls import CannotServeTls
from api.tls.authority import Authority, authority
from api.tls.https import authority_folder, with_files, with_own_authority
from tests.api.conftest import made_once, path
from tests.api.kit import CLUB, NIGHT, V1, command, secret_of
from tests.api.server import Server, free_port

__all__ = ["made_once", "path"]

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NAMES = ["192.168.7.9", "bar", "bar.local"]
AT = f"{V1}/clubs/{CLUB}/nights/{NIGHT}"
SCORER = {"Authorization": f"Bearer {secret_of(CLUB, 'scorekeeper')}"}
LAN = socket.gethostname().lower()

posix = pytest.mark.skipif(os.name == "nt", reason="modes are another matter there")
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


# The authority


@pytest.fixture
def own(tmp_path: Path) -> Authority:
    return authority(tmp_path / "club-authority", NAMES, NOW)


def extension(file: Path, kind: Any) -> Any:
    return x509.load_pem_x509_certificate(file.read_bytes()).extensions.get_extension_for_class(kind).value


@posix
def test_its_keys_are_for_its_owners_eyes(own: Authority, tmp_path: Path) -> None:
    own.issue(NAMES, NOW)
    folder = tmp_path / "club-authority"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()} == dict.fromkeys(
        ("authority.pem", "authority.key", "server.pem", "server.key"), 0o600
    )
    assert b"BEGIN PRIVATE KEY" in (folder / "server.key").read_bytes()  # PKCS#8


def test_it_is_made_once_and_a_certificate_at_every_start(own: Authority, tmp_path: Path) -> None:
    until = own.issue(NAMES, NOW)
    assert until == NOW + timedelta(days=60)
    first = own.leaf_files[0].read_bytes()
    again = authority(tmp_path / "club-authority", ["other"], NOW + timedelta(days=100))
    assert again.fingerprint == own.fingerprint
    again.issue(NAMES, NOW)
    assert own.leaf_files[0].read_bytes() != first


def test_a_certificate_names_the_machine_and_nothing_that_the_authority_may_not(own: Authority) -> None:
    own.issue([*NAMES, "evil.example", "8.8.8.8"], NOW)
    names = extension(own.leaf_files[0], x509.SubjectAlternativeName)
    assert names.get_values_for_type(x509.DNSName) == ["bar", "bar.local", "localhost"]
    assert [str(found) for found in names.get_values_for_type(x509.IPAddress)] == ["192.168.7.9", "127.0.0.1", "::1"]
    assert own.may_speak_for("bar.local")
    assert not own.may_speak_for("evil.example")
    assert not own.may_speak_for("8.8.8.8")


@needs_openssl
@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("bar.local", "OK"),
        ("192.168.7.9", "OK"),
        ("bank.example", "permitted subtree"),
        ("8.8.8.8", "permitted subtree"),
    ],
)
def test_openssl_refuses_what_a_thief_of_the_key_would_certify(
    own: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, verdict: str
) -> None:
    monkeypatch.setattr(Authority, "may_speak_for", lambda _self, other: other == name)
    own.issue([name], NOW)
    kind = "-verify_ip" if name[0].isdigit() else "-verify_hostname"
    program = ["openssl", "verify", "-x509_strict", "-attime", str(int(NOW.timestamp())), kind, name]
    told = subprocess.run(
        [*program, "-CAfile", str(tmp_path / "club-authority" / "authority.pem"), str(own.leaf_files[0])],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert verdict in told.stdout + told.stderr
    assert (told.returncode == 0) is (verdict == "OK")


def test_one_at_its_end_or_with_a_wrong_key_is_told(own: Authority, tmp_path: Path) -> None:
    folder = tmp_path / "club-authority"
    with pytest.raises(CannotServeTls, match="ends on 2036"):
        authority(folder, NAMES, NOW + timedelta(days=3640))
    own.issue(NAMES, NOW)
    shutil.copy(folder / "server.key", folder / "authority.key")
    with pytest.raises(CannotServeTls, match="has a key that is not its own"):
        authority(folder, NAMES, NOW)
    (folder / "authority.key").write_text("nonsense")
    with pytest.raises(CannotServeTls, match="cannot be read"):
        authority(folder, NAMES, NOW)


def test_a_certificate_is_renewed_while_it_serves(tmp_path: Path) -> None:
    at = NOW
    https = with_own_authority(tmp_path / "club.db", NAMES, lambda: at)
    assert https.renew is not None
    file = authority_folder(tmp_path / "club.db") / "server.pem"
    before = file.read_bytes()
    at += timedelta(days=59)
    https.renew()
    assert file.read_bytes() == before
    at += timedelta(days=2)
    https.renew()
    assert file.read_bytes() != before


def test_what_is_missing_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CannotServeTls, match="cannot be read"):
        with_files(str(tmp_path / "none.pem"), str(tmp_path / "none.key"))
    monkeypatch.delitem(sys.modules, "api.tls.authority")
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(CannotServeTls, match="pip install"):
        with_own_authority(tmp_path / "club.db", NAMES)


# The server


class Served:
    """``kittybook serve --tls`` on a store."""

    def __init__(self, path: Path, log: Path, *options: str) -> None:
        self.path = path
        self.server = Server(path, log)
        self.plain = self.server.port
        self.secure = free_port()
        self.server.start("--lan", "--tls", "--tls-port", str(self.secure), *options)

    def trusting(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(authority_folder(self.path) / "authority.pem"))

    def ask(self, method: str, path: str, body: Any = None, *, host: str = "localhost", **headers: str) -> Any:
        connection = HTTPSConnection(host, self.secure, timeout=20, context=self.trusting())
        return answer(connection, method, path, body, headers)

    def ask_plainly(self, method: str, path: str, body: Any = None, *, host: str = LAN, **headers: str) -> Any:
        connection = HTTPConnection("127.0.0.1", self.plain, timeout=20)
        return answer(connection, method, path, body, {**headers, "Host": f"{host}:{self.plain}"})


def answer(connection: HTTPConnection, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
    import json

    sent = None if body is None else json.dumps(body)
    kind = {} if body is None else {"Content-Type": "application/json"}
    connection.request(method, path, sent, {**headers, **kind})
    response = connection.getresponse()
    raw = response.read()
    connection.close()
    return response.status, {key.lower(): value for key, value in response.getheaders()}, raw


@pytest.fixture
def served(path: Path, tmp_path: Path) -> Iterator[Served]:
    served = Served(path, tmp_path / "log")
    yield served
    served.server.stop()


def test_who_trusts_the_authority_gets_in_and_who_does_not_is_not_fooled(served: Served, tmp_path: Path) -> None:
    status, headers, raw = served.ask("GET", AT, **SCORER)
    assert status == 200
    assert b'"night":"peep-1"' in raw
    assert "strict-transport-security" not in headers
    assert served.ask("POST", f"{AT}/commands", command("Peek", hand=6, player="ann"), **SCORER)[0] == 201
    stranger = HTTPSConnection("localhost", served.secure, timeout=20, context=ssl.create_default_context())
    with pytest.raises(ssl.SSLCertVerificationError, match=r"self-signed|unable to get local issuer"):
        stranger.request("GET", "/")
    with (
        socket.create_connection(("127.0.0.1", served.secure)) as wire,
        pytest.raises(ssl.SSLCertVerificationError, match="not valid for"),
    ):
        served.trusting().wrap_socket(wire, server_hostname="bank.example")
    assert not [file for file in tmp_path.glob("book-backups/*") if not file.name.endswith(".db")]


def test_what_comes_by_plain_http_over_the_network_is_led_to_trust(served: Served) -> None:
    status, headers, _raw = served.ask_plainly("GET", "/nights")
    assert (status, headers["location"]) == (303, "/trust")
    status, _headers, raw = served.ask_plainly("GET", "/trust")
    assert status == 200
    assert f"https://{LAN}:{served.secure}/" in raw.decode()
    status, headers, raw = served.ask_plainly("GET", "/trust/authority.crt")
    assert headers["content-type"] == "application/x-x509-ca-cert"
    found = x509.load_der_x509_certificate(raw)
    assert raw == ssl.PEM_cert_to_DER_cert((authority_folder(served.path) / "authority.pem").read_text())
    assert found.extensions.get_extension_for_class(x509.NameConstraints).critical
    assert served.ask_plainly("GET", AT, **SCORER)[0] == 403
    assert served.ask_plainly("POST", f"{AT}/commands", command("Peek", hand=6, player="ann"), **SCORER)[0] == 403
    assert served.ask_plainly("GET", f"{V1}/health")[0] == 200
    assert served.ask_plainly("GET", AT, host="localhost", **SCORER)[0] == 200  # on the machine itself


def test_a_stream_arrives_through_it_and_does_not_keep_it_from_ending(served: Served) -> None:
    wire = served.trusting().wrap_socket(
        socket.create_connection(("127.0.0.1", served.secure), timeout=20), server_hostname="localhost"
    )
    asked = (
        f"GET {V1}/clubs/{CLUB}/live HTTP/1.1\r\nHost: localhost\r\nAuthorization: {SCORER['Authorization']}\r\n\r\n"
    )
    wire.sendall(asked.encode())
    heard = b""
    while b"data: " not in heard:
        heard += wire.recv(4096)
    begun = time.monotonic()
    assert served.server.stop() == 0
    assert time.monotonic() - begun < 4
    wire.close()


def test_what_is_being_answered_over_https_is_finished(path: Path, tmp_path: Path) -> None:
    served = Served(path, tmp_path / "log", "--slow")
    answers: list[Any] = []
    asked = threading.Thread(target=lambda: answers.append(served.ask("GET", f"{V1}/health")))
    asked.start()
    time.sleep(0.4)
    assert served.server.stop() == 0
    asked.join()
    assert [found[0] for found in answers] == [200]


def test_eight_at_once_and_nonsense_between_them_are_answered(served: Served) -> None:
    statuses: list[int] = []

    def buy(player: str) -> None:
        sent = command("BuyIn", player=player, chips=1)
        statuses.extend(served.ask("POST", f"{AT}/commands", sent, **SCORER)[0] for _ in range(3))

    with (
        socket.create_connection(("127.0.0.1", served.secure)) as silent,
        socket.create_connection(("127.0.0.1", served.secure)) as wrong,
    ):
        wrong.sendall(b"GET / HTTP/1.1\r\n\r\n")
        threads = [threading.Thread(target=buy, args=(name,)) for name in ("ann", "bob", "cal", "dot") * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        silent.close()
    assert sorted(statuses) == [200] * 16 + [201] * 8
    assert all("error" not in str(line.get("level")) for line in served.server.log())


def test_with_given_files_browsers_are_told_to_insist(path: Path, tmp_path: Path) -> None:
    own = authority(tmp_path / "elsewhere", [LAN], datetime.now(UTC))
    own.issue([LAN], datetime.now(UTC))
    certificate, key = map(str, own.leaf_files)
    served = Served(path, tmp_path / "log", "--cert", certificate, "--key", key)
    try:
        assert not authority_folder(path).exists()
        context = ssl.create_default_context(cafile=str(tmp_path / "elsewhere" / "authority.pem"))
        connection = HTTPSConnection("localhost", served.secure, timeout=20, context=context)
        status, headers, _raw = answer(connection, "GET", f"{V1}/health", None, {})
        assert (status, headers["strict-transport-security"]) == (200, "max-age=31536000")
        status, headers, _raw = served.ask_plainly("GET", "/nights?table=peep")
        assert (status, headers["location"]) == (303, f"https://{LAN}:{served.secure}/nights?table=peep")
        assert served.ask_plainly("GET", "/trust")[0] == 404
    finally:
        served.server.stop()
