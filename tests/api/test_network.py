"""Names in the network: what a server answers to with ``--lan``, and what it does not."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from api import server
from tests.api.kit import CLUB, V1, secret_of
from tests.api.server import Connection, once, serving


def test_with_lan_it_answers_to_the_name_and_the_addresses_of_this_machine(path: Path, tmp_path: Path) -> None:
    name = socket.gethostname().lower()
    with serving(path, tmp_path / "log", "--lan") as running:
        for host in (name, f"{name}:{running.port}", "localhost", *server._names_in_the_network()):
            connection = Connection(running.port)
            assert connection.call("GET", f"{V1}/health", Host=host)[0] == 200, host
            connection.close()
        connection = Connection(running.port)
        assert connection.call("GET", f"{V1}/health", Host="evil.example")[0] == 400
        connection.close()


def test_without_lan_it_answers_to_this_machine_alone(path: Path, tmp_path: Path) -> None:
    with serving(path, tmp_path / "log") as running:
        connection = Connection(running.port)
        assert connection.call("GET", f"{V1}/health", Host="10.1.2.3")[0] == 400
        connection.close()


def test_a_host_that_is_a_name_of_two_addresses_can_be_listened_at(path: Path, tmp_path: Path) -> None:
    with serving(path, tmp_path / "log", "--host", "localhost") as running:
        connection = Connection(running.port)
        assert connection.call("GET", f"{V1}/health")[0] == 200
        connection.close()


@pytest.mark.parametrize("options", [(), ("--lan",)])
def test_a_pairing_code_leads_to_a_name_that_the_server_answers_to(
    path: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    with serving(path, tmp_path / "log", *options) as running:
        at, token = f"{V1}/clubs/{CLUB}/devices", secret_of(CLUB, "owner")
        told = once(running.port, "POST", at, token, {"name": "Bar", "role": "viewer"})[2]
        if not options:
            assert told["only_here"] is True
            assert told["address"].startswith(f"http://127.0.0.1:{running.port}/pair#")
            assert told["others"] == []
            return
        assert told["only_here"] is False
        hosts = [one.split("/")[2] for one in (told["address"], *told["others"])]
        assert hosts == [f"{name}:{running.port}" for name in server._names_in_the_network()]
        for host in hosts:
            connection = Connection(running.port)
            assert connection.call("GET", f"{V1}/health", Host=host)[0] == 200
            connection.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "example.org"])
def test_a_host_is_written_as_in_an_address(host: str) -> None:
    assert server._in_address(host) == (f"[{host}]" if ":" in host else host)
