"""``kittybook token``: made once, shown once, of no use once revoked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ledger.access import ROLES
from ledger.stores import SqliteStore, people_of, tokens_of
from ledger.tokens import digest_of
from tests.cli.book import data, kittybook

pytestmark = pytest.mark.usefixtures("club")


@pytest.mark.parametrize("role", ROLES)
def test_a_token_is_printed_alone_and_only_its_hash_is_kept(role: str) -> None:
    made = kittybook("token", "create", "--role", role, "--name", "Bar tablet")
    assert re.fullmatch(r"kb_[A-Za-z0-9_-]{43}\n", made.stdout)
    secret = made.stdout.strip()
    with SqliteStore("kittybook.db") as store:
        found = tokens_of(store).find(digest_of(secret))
    assert found is not None
    assert (found.club, found.role, found.name, found.used, found.revoked) == ("club", role, "Bar tablet", None, None)
    for file in Path().iterdir():
        assert secret.encode() not in file.read_bytes()


def test_two_tokens_are_never_the_same() -> None:
    made = {kittybook("token", "create", "--role", "viewer").stdout for _ in range(20)}
    assert len(made) == 20
    assert len(data("token", "list", "--json")) == 20


def test_tokens_are_listed_without_their_secrets_and_revoked_by_id_or_name() -> None:
    secrets = [kittybook("token", "create", "--role", "viewer", "--name", name).stdout for name in ("one", "two")]
    rows = data("token", "list", "--json")
    assert [(row["name"], row["role"], row["revoked"]) for row in rows] == [
        ("one", "viewer", None),
        ("two", "viewer", None),
    ]
    assert not any(secret.strip() in kittybook("token", "list").stdout for secret in secrets)
    kittybook("token", "revoke", rows[0]["id"])
    kittybook("token", "revoke", "two")
    assert all(row["revoked"] for row in data("token", "list", "--json"))
    assert "no token" in kittybook("token", "revoke", "two", code=1).stderr


def test_a_role_that_is_none_is_bad_usage() -> None:
    assert "viewer" in kittybook("token", "create", "--role", "king", code=2).stderr
    assert "--role" in kittybook("token", "create", code=2).stderr
    assert kittybook("token", "create", "--role", "viewer", "--name", "\u202e", code=2).stderr


def test_the_book_itself_knows_no_tokens() -> None:
    before = kittybook("export", "events").stdout
    kittybook("token", "create", "--role", "owner")
    assert kittybook("export", "events").stdout == before
    kittybook("verify")


def test_the_trail_says_that_a_token_was_made_and_revoked_on_the_machine() -> None:
    kittybook("token", "create", "--role", "treasurer", "--name", "till")
    (row,) = data("token", "list", "--json")
    kittybook("token", "revoke", "till")
    with SqliteStore("kittybook.db") as store, people_of(store).read() as records:
        lines = [(one.actor, one.what, one.about) for one in records.trail("club", limit=2)]
    assert lines == [
        ("cli", "token_revoked", f"token:{row['id']}"),
        ("cli", "token_made", f"token:{row['id']} treasurer"),
    ]
