"""Start a server, book a hand over HTTP, read it back, verify the book: what `scripts/run --once` does."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

KITTYBOOK = str(Path(sys.executable).with_name("kittybook"))
NIGHT = "peep-2026-11-26"


def main() -> int:
    """Do all of it on a store that is thrown away; return 0 when all is well."""
    with tempfile.TemporaryDirectory() as folder:
        db = str(Path(folder) / "once.db")
        _kittybook("demo", "--db", db)
        token = _kittybook("token", "create", "--role", "scorekeeper", "--name", "once", "--db", db).strip()
        server = subprocess.Popen(
            [KITTYBOOK, "serve", "--port", "0", "--db", db], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            _book_a_hand(address, token)
        finally:
            server.terminate()
            server.communicate(timeout=30)
        print(_kittybook("verify", "--db", db).strip())
    return 0 if server.returncode == 0 else 1


def _book_a_hand(address: str, token: str) -> None:
    print(f"serving at {address}")
    at = f"{address}api/v1/clubs/thursday/nights/{NIGHT}"
    before = _call(at, token)
    hand = before["hand"]["number"]
    facts = {"bidder": "ines", "bid": "three", "made": True, "peeks": ["maeve"]}
    sent = {"id": str(uuid.uuid4()), "type": "RecordHand", "data": {"hand": hand, **facts}}
    for status in ("recorded", "duplicate"):
        verdict = _call(f"{at}/commands", token, sent)
        if verdict["status"] != status:
            raise SystemExit(f"not {status}: {verdict}")
    after = _call(at, token)
    if after["hands_played"] != before["hands_played"] + 1:
        raise SystemExit(f"the hand is not in the night: {after}")
    print(
        f"hand {hand} is booked over HTTP, once though it was sent twice: {verdict['changes']}, pool {verdict['pool']}"
    )


def _call(address: str, token: str, body: Any = None) -> Any:  # noqa: ANN401 - JSON is of any shape
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    raw = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, raw, headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def _kittybook(*words: str) -> str:
    run = subprocess.run([KITTYBOOK, *words], check=True, capture_output=True, text=True)
    return run.stdout


if __name__ == "__main__":
    raise SystemExit(main())
