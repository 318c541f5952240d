"""What is described is what is so: schemathesis asks a running server everything that its description allows, and not.

`KITTYBOOK_SCHEMATHESIS=200 scripts/test tests/api/test_schemathesis.py` asks so many times instead of a few, and
every edge of every command.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.api.kit import CLUB, V1, secret_of
from tests.api.server import serving

HERE = Path(__file__).parent
EXAMPLES = os.environ.get("KITTYBOOK_SCHEMATHESIS")

IN_SHORT = """
[[operations]] # every edge of every command is two thirds of all there is to ask: these are chosen at random
include-path-regex = "/commands$"
phases.coverage.enabled = false
phases.fuzzing.generation.max-examples = 100
"""


def test_schemathesis_finds_nothing(path: Path, tmp_path: Path) -> None:
    config = tmp_path / "schemathesis.toml"
    told = (HERE / "schemathesis.toml").read_text(encoding="utf-8")
    config.write_text(told if EXAMPLES else told + IN_SHORT, encoding="utf-8")
    phases = "examples,coverage,fuzzing" + (",stateful" if EXAMPLES else "")
    with serving(path, tmp_path / "log") as server:
        asked = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(config)),
                *("run", f"http://127.0.0.1:{server.port}{V1}/openapi.json", "--max-examples", EXAMPLES or "8"),
                *("-H", f"Authorization: Bearer {secret_of(CLUB, 'owner')}", "--seed", "1", "--no-color"),
                *("--phases", phases),
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
    assert asked.returncode == 0, asked.stdout[-6_000:] + asked.stderr[-2_000:]
    statuses = {line.get("status", 0) for line in server.log()}
    assert {status for status in statuses if status >= 500} <= {503, 507}
