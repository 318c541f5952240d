"""A folder of one's own, with a club's book in it where a test asks for one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.book import NIGHT, make_club, open_night


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("KITTYBOOK_DB", "KITTYBOOK_CLUB"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture(scope="session")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a club, and one with a night too, made once."""
    made = tmp_path_factory.mktemp("stores")
    before = Path.cwd()
    os.chdir(made)
    try:
        make_club()
        shutil.copy("kittybook.db", "club.db")
        open_night()
    finally:
        os.chdir(before)
    return made


@pytest.fixture
def club(stores: Path, folder: Path) -> None:
    shutil.copy(stores / "club.db", folder / "kittybook.db")


@pytest.fixture
def night(stores: Path, folder: Path) -> str:
    shutil.copy(stores / "kittybook.db", folder / "kittybook.db")
    return NIGHT
