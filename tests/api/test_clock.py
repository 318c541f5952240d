"""A server's clock that jumps: what is recorded, and in which order, does not hang on it."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ledger.audit import verify_book
from ledger.service import Ledger
from ledger.stores import SqliteStore
from tests.api.kit import CLUB, NIGHT, PLAYERS, Caller, app_for, command

JUMPS = (timedelta(0), timedelta(days=-3), timedelta(days=400), timedelta(hours=-1), timedelta(days=-9_000))


def test_a_clock_that_jumps_loses_doubles_and_reorders_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = datetime(2026, 11, 26, 21, 0, tzinfo=UTC)
    jumps = itertools.cycle(JUMPS)
    monkeypatch.setattr("ledger.service.ledger._now", lambda: start + next(jumps))
    with app_for(path) as app:
        scorer = Caller(app.test_client(), "scorekeeper")
        positions, tags = [], []
        for hand in range(6, 18):
            facts = {"bidder": PLAYERS[hand % 4], "bid": "three", "made": True}
            body = command("RecordHand", hand=hand, **facts)
            first = scorer.post(f"/nights/{NIGHT}/commands", body)
            again = scorer.post(f"/nights/{NIGHT}/commands", body)
            assert (first.status_code, again.status_code) == (201, 200)
            assert first.get_json()["position"] == again.get_json()["position"]
            positions.append(first.get_json()["position"])
            state = scorer.get(f"/nights/{NIGHT}")
            tags.append(state.headers["ETag"])
            assert scorer.get(f"/nights/{NIGHT}", headers={"If-None-Match": tags[-1]}).status_code == 304
        assert positions == sorted(positions)
        assert len(set(tags)) == len(tags)
        assert scorer.state()["hands_played"] == 17
        rows = scorer.read(f"/nights/{NIGHT}/hands")["hands"]
        assert [row["hand"] for row in rows] == [*range(1, 18)]
        assert len({row["recorded_at"][:10] for row in rows[5:]}) > 2, "the clock did not jump"
        treasurer = Caller(app.test_client(), "treasurer")
        assert treasurer.send("CloseNight").status_code == 201
        assert treasurer.send("ReopenNight", reason="one hand more").status_code == 201
    with SqliteStore(path) as store:
        assert verify_book(Ledger(store), CLUB) == []
