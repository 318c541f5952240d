"""What keeps a book sound: verify, rebuild, backup, restore, migrate; and help that is quick."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from ledger.cli import main
from tests.cli.book import apply, data, kittybook, record

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.usefixtures("folder")


# Upkeep


@pytest.mark.usefixtures("night")
def test_verify_counts_and_finds_what_was_edited() -> None:
    apply(record(1, "bob", "three", True, peeks=["ann", "cal"]))
    told = kittybook("verify").stdout
    assert told.startswith("club: 9 events are as they were written; head ")
    with sqlite3.connect("kittybook.db") as connection:
        connection.execute("DROP TRIGGER postings_no_update")
        connection.execute("UPDATE postings SET amount = amount + 1 WHERE account = 'player:bob'")
    found = kittybook("verify", code=1).stdout
    assert "position 9" in found
    assert "postings_no_update is missing" in found


@pytest.mark.usefixtures("club")
def test_verify_lists_erased_names_as_no_fault() -> None:
    kittybook("member", "erase", "ann")
    told = kittybook("verify").stdout
    assert "was erased" in told
    assert "events are as they were written" in told


def test_verify_wants_a_receipt_and_its_night_together(night: str) -> None:
    for args in (["--receipt", "x"], ["--night", night]):
        assert "go together" in kittybook("verify", *args, code=2).stderr
    assert kittybook("verify", "--receipt", "X", "--night", night, code=1).stdout == "not in this history\n"
    assert "There is no night" in kittybook("verify", "--receipt", "X", "--night", "zed", code=1).stderr


@pytest.mark.usefixtures("night")
def test_rebuild_leaves_a_sound_book_as_it_is() -> None:
    apply(record(1, "bob", "three", True))
    before = kittybook("export", "events").stdout
    assert "0 differed" in kittybook("rebuild").stdout
    assert kittybook("export", "events").stdout == before


def test_a_backup_is_restored_and_the_old_file_is_kept(night: str, folder: Path) -> None:
    apply(record(1, "bob", "three", True))
    told = kittybook("backup", "copy.db").stdout
    assert told.startswith("copy.db holds club up to position 9; head ")
    assert "already" in kittybook("backup", "copy.db", code=1).stderr
    kittybook("backup", "copy.db", "--overwrite")
    epoch = data("night", "show", night, "--json")["epoch"]
    apply(record(2, "bob", "three", True))
    assert kittybook("restore", "copy.db").stdout.startswith("kittybook.db holds club up to position 9; head ")
    state = data("night", "show", night, "--json")
    assert state["hands_played"] == 1
    assert state["epoch"] != epoch
    assert len(list(folder.glob("kittybook.db.before-*"))) == 1
    assert "There is no store at" in kittybook("restore", "none.db", code=1).stderr
    kittybook("restore", "copy.db", "--db", "fresh.db")
    assert data("night", "show", night, "--json", "--db", "fresh.db")["hands_played"] == 1


@pytest.mark.usefixtures("club")
def test_migrate_says_where_a_store_stands() -> None:
    assert "there already" in kittybook("migrate").stdout
    assert "There is no store" in kittybook("migrate", "--db", "none.db", code=1).stderr


# Help


def test_help_is_quick_and_names_every_command() -> None:
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from ledger.cli import main\ntry: main(['--help'])\nfinally: print(*sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    told, _line, modules = result.stdout.rstrip("\n").rpartition("\n")
    assert not {"ledger.service", "ledger.stores", "sqlite3", "ledger.rulebook"} & set(modules.split())
    for name in ("init", "apply", "member", "table", "night", "verify", "import", "export", "demo", "migrate"):
        assert f"  {name} " in told
    for name in ("member", "table", "night", "import", "export"):
        assert CliRunner().invoke(main, [name, "--help"]).exit_code == 0
