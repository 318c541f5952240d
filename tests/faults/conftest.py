"""Fixtures of the tests of faults."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.stores.sqlite import connection


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here can cut the power. Other processes, and so those that are killed, keep the setting."""
    quick = tuple(pragma.replace("synchronous=FULL", "synchronous=OFF") for pragma in connection.PRAGMAS)
    monkeypatch.setattr(connection, "PRAGMAS", quick)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "book.db"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of eight megabytes of its own. Needs root; where that is missing the test is skipped."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if sys.platform != "linux" or mount is None:
        pytest.skip("needs Linux and mount")
    if subprocess.run([mount, "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("needs the right to mount")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
