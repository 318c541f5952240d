"""What is told of backups over HTTP."""

from __future__ import annotations

from pathlib import Path

from tests.api.conftest import CallerOf
from tests.api.kit import CLUB, NIGHT, V1, command, secret_of
from tests.api.server import Server, once, serving, until

AT = f"{V1}/clubs/{CLUB}/nights/{NIGHT}"
SCORER = secret_of(CLUB, "scorekeeper")


def backups_of(server: Server) -> object:
    return once(server.port, "GET", f"{V1}/health")[2]["backups"]


def covered(state: dict[str, int]) -> bool:
    return state["backed_up_to"] == state["position"]


def test_a_close_is_backed_up_and_who_has_the_night_is_told(path: Path, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    with serving(path, tmp_path / "log", "--backups", str(stick), "--backups", str(tmp_path)) as server:
        until(lambda: once(server.port, "GET", AT, SCORER)[2]["backed_up_to"] is not None)
        found = backups_of(server)
        assert isinstance(found, dict)
        assert found["last"] is not None
        assert found["failing"] == ["backup_place_missing"]
        status, headers, state = once(server.port, "POST", f"{AT}/commands", SCORER, command("CloseNight"))
        assert status == 201, state
        until(lambda: covered(once(server.port, "GET", AT, SCORER)[2]))
    assert len(list(tmp_path.glob("*thursday-*.db"))) == 2
    assert headers["content-type"] == "application/json"
    said = [line["event"] for line in server.log()]
    assert said.count("backed_up") == 2
    assert said.count("backup_failed") == 1


def test_without_a_keeper_nothing_is_said(caller: CallerOf) -> None:
    assert caller().get(f"{V1}/health").get_json()["backups"] is None
