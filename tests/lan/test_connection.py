"""A page says what it cannot do where a browser would not let it, and nothing where it would."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.tls import TLS, Shown
from ledger.stores import SqliteStore
from web import connection
from web.app import create_app


@pytest.mark.parametrize(
    ("address", "limited"),
    [
        ("http://localhost:8000", False),
        ("http://127.0.0.1:8000", False),
        ("http://127.0.0.2", False),
        ("http://[::1]:8000", False),
        ("http://LOCALHOST", False),
        ("https://bar.local:8443", False),
        ("https://192.0.2.7", False),
        ("http://bar.local:8000", True),
        ("http://bar", True),
        ("http://192.0.2.7:8000", True),
        ("http://[fd00::7]:8000", True),
        ("http://localhost.example:8000", True),
    ],
)
def test_it_is_told_over_plain_http_from_another_machine(tmp_path: Path, address: str, limited: bool) -> None:
    with SqliteStore(tmp_path / "book.db", create=True) as store:
        app = create_app(store)
        with app.test_request_context("/", base_url=address):
            told = connection.limits()
        assert (told is not None) is limited
        assert told is None or told.way_out is None
        app.extensions[TLS] = Shown(port=8443, authority=b"x", fingerprint="00")
        with app.test_request_context("/", base_url=address):
            told = connection.limits()
        assert told is None or told.way_out == "/trust"


def test_who_asks_by_a_name_that_is_not_vouched_for_is_sent_to_one_that_is() -> None:
    own = Shown(port=8443, names=("192.168.7.9", "bar", "localhost"), authority=b"x")
    assert own.address_for("bar") == "https://bar:8443"
    assert own.address_for("203.0.113.5") == "https://192.168.7.9:8443"
    assert Shown(port=8443).address_for("club.example") == "https://club.example:8443"
