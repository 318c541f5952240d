"""``kittybook init`` and ``kittybook user``: links that let people in, on the machine whatever happens at the door."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ledger import people
from ledger.errors import CodeWrong
from ledger.people import By, Door
from ledger.service import Ledger
from ledger.stores import SqliteStore, people_of
from tests.cli.book import data, kittybook

GOOD = "correct horse battery"

pytestmark = pytest.mark.usefixtures("club")


def secret_in(printed: str) -> str:
    (found,) = re.findall(r"https?://\S+/invite#([A-Za-z0-9_-]{43})$", printed, re.MULTILINE)
    assert isinstance(found, str)
    return found


def come_in(printed: str, **chosen: str) -> people.User:
    with SqliteStore("kittybook.db") as store:
        ledger = Ledger(store)
        door = Door(people=people_of(store), clock=ledger.now, chance=ledger.chance)
        return people.use_link(door, secret_in(printed), By(actor="x"), password=GOOD, club_name="x", **chosen).user


def test_init_prints_the_address_and_a_link_that_lets_the_first_owner_in_once(tmp_path: Path) -> None:
    made = kittybook("init", "--db", "new.db", "--club", "New", "--owner", "Olga", "--address", "https://club.example/")
    secret = secret_in(made.stdout)
    assert "https://club.example/invite#" in made.stdout
    with SqliteStore("new.db") as store:
        ledger = Ledger(store)
        door = Door(people=people_of(store), clock=ledger.now, chance=ledger.chance)
        link, user = people.look(door, secret)
    assert (link.kind, user.name, user.role) == ("owner", "Olga", "owner")
    for file in tmp_path.glob("new.db*"):
        assert secret.encode() not in file.read_bytes()


def test_somebody_is_invited_and_comes_in() -> None:
    invited = kittybook("user", "add", "Ann", "--role", "treasurer")
    assert invited.stdout.count("\n") == 1
    assert invited.stdout.startswith("http://localhost:8000/invite#")
    rows = {row["id"]: row for row in data("user", "list", "--json")}
    assert (rows["ann"]["role"], rows["ann"]["joined"]) == ("treasurer", None)
    assert "invited" in kittybook("user", "list").stdout
    assert come_in(invited.stdout, login="Annie").login == "annie"
    rows = {row["id"]: row for row in data("user", "list", "--json")}
    assert rows["ann"]["joined"]
    assert "password" not in rows["ann"]
    assert "argon2" not in kittybook("user", "list").stdout


def test_who_forgot_his_password_is_let_in_from_the_machine() -> None:
    come_in(kittybook("user", "add", "Ann", "--role", "owner").stdout)
    first, second = (
        kittybook("user", "reset", "ann"),
        kittybook("user", "reset", "ANN", "--address", "http://10.0.0.2:80"),
    )
    assert secret_in(first.stdout) != secret_in(second.stdout)
    assert come_in(second.stdout).id == "ann"


def test_who_was_put_out_is_let_in_again_by_a_reset() -> None:
    come_in(kittybook("user", "add", "Ann", "--role", "owner").stdout)
    come_in(kittybook("user", "add", "Bob", "--role", "owner").stdout)
    with SqliteStore("kittybook.db") as store:
        ledger = Ledger(store)
        door = Door(people=people_of(store), clock=ledger.now, chance=ledger.chance)
        people.disable_user(door, "club", "ann", By(actor="user:bob"))
    assert come_in(kittybook("user", "reset", "ann").stdout).disabled is None


def test_a_role_is_changed_and_the_last_owner_stays() -> None:
    come_in(kittybook("user", "add", "Ann", "--role", "owner").stdout)
    refused = kittybook("user", "role", "ann", "viewer", code=1)
    assert "at least one owner" in refused.stderr
    come_in(kittybook("user", "add", "Bob", "--role", "viewer").stdout)
    assert kittybook("user", "role", "bob", "owner").stdout == "Bob is an owner now.\n"
    assert kittybook("user", "role", "ann", "viewer").stdout == "Ann is a viewer now.\n"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("user", "role", "nobody", "viewer"), 1),
        (("user", "reset", "nobody"), 1),
        (("user", "role", "nobody", "king"), 2),
        (("user", "add", "Ann"), 2),
        (("user", "add", "\u202e", "--role", "viewer"), 2),
        (("user", "add", "Ann", "--role", "viewer", "--address", "javascript:alert(1)"), 2),
        (("init", "--db", "new.db", "--club", "New", "--owner", " "), 2),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(words: tuple[str, ...], code: int) -> None:
    refused = kittybook(*words, code=code)
    assert refused.stdout == ""
    assert "Traceback" not in refused.stderr
    assert not Path("new.db").exists()


def test_the_book_itself_knows_no_users() -> None:
    before = kittybook("export", "events").stdout
    kittybook("user", "add", "Ann", "--role", "owner")
    assert kittybook("export", "events").stdout == before
    kittybook("verify")


def test_a_restored_backup_lets_nobody_in_by_what_was_used_since() -> None:
    link = kittybook("user", "add", "Ann", "--role", "owner").stdout
    kittybook("backup", "kept.db")
    come_in(link)
    kittybook("restore", "kept.db")
    with pytest.raises(CodeWrong):
        come_in(link)
    come_in(kittybook("user", "reset", "ann").stdout)
