"""Where somebody is let in he is told an address that his own device finds; where there is none, that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from api import reach
from api.app import create_app
from ledger.stores import SqliteStore

LAN = ("http://192.168.7.9:8000/", "http://bar:8000/", "http://bar.local:8000/")


@pytest.mark.parametrize(
    ("came", "known", "offered"),
    [
        ("http://localhost:8000", LAN, LAN),
        ("http://127.0.0.1:8000", LAN, LAN),
        ("http://[::1]:8000", LAN, LAN),
        ("http://bar:8000", LAN, ("http://bar:8000/", "http://192.168.7.9:8000/", "http://bar.local:8000/")),
        ("https://club.example", (), ("https://club.example/",)),
        ("https://bar.local:8443", ("https://bar.local:8443/",), ("https://bar.local:8443/",)),
        ("http://localhost:8000", (), ()),
        ("http://localhost:8000", ("http://127.0.0.1:8000/",), ()),
        ("http://localhost:8000", ("http://0.0.0.0:8000/",), ()),
        ("http://localhost:8000", ("http://[::1]:8000/",), ()),
        ("http://localhost:8000", ("http://[fd00::7]:8000/",), ("http://[fd00::7]:8000/",)),
    ],
)
def test_what_others_reach_is_offered_first_what_somebody_came_by(
    tmp_path: Path, came: str, known: tuple[str, ...], offered: tuple[str, ...]
) -> None:
    with SqliteStore(tmp_path / "book.db", create=True) as store:
        app = create_app(store)
        reach.reached_at(app, known)
        with app.test_request_context("/", base_url=came):
            assert tuple(reach.addresses()) == offered
            links = [f"{one}pair#AB" for one in offered] or [f"{came}/pair#AB"]
            assert reach.links("pair#AB") == links
