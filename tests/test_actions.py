"""What the state of a night offers is legal, and what is legal is offered, in every game and at every moment."""

from __future__ import annotations

import random
import uuid
from typing import Any

import pytest

from ledger.actions import Action, actions
from ledger.night import Night
from ledger.projections import explain, night_state
from ledger.rulebooks import preset, preset_ids
from ledger.service import Ledger, Sender, read_request
from ledger.stores import MemoryStore

NAMES = ("ann", "bob", "cal", "dot", "eve", "fay")
SELDOM = {"UnseatPlayer": 1, "SetDealer": 2, "CloseNight": 1, "DeclareMisdeal": 3, "BuyCards": 2, "Undo": 6}


class Walk:
    """A night in which whatever is offered is done, by chance; now and then somebody comes, or a hand is corrected."""

    def __init__(self, rulebook: str, seed: int) -> None:
        self.chance = random.Random(f"{rulebook} {seed}")
        self.book = preset(rulebook)
        self.ledger = Ledger(MemoryStore())
        self.ledger.found("club", "Club", Sender(actor="test"))
        for name in NAMES:
            self.do("AddMember", name=name, member=name)
        self.do("OpenTable", table="table", name="Table", rulebook=rulebook)
        fewest, most = self.book.players
        players = list(NAMES[: self.chance.randint(max(fewest, 2), min(most, len(NAMES)))])
        self.chance.shuffle(players)
        self.do("OpenNight", table="table", night="night", players=players, dealer=players[0])

    def send(self, kind: str, *, at: str | None = None, dry_run: bool = False, **data: Any) -> dict[str, Any]:
        command = {"id": str(uuid.uuid4()), "type": kind, "data": data, "dry_run": dry_run}
        request = read_request(command if at is None else {**command, "night": at})
        return self.ledger.carry_out("club", [request], Sender(actor="test"))[0]

    def do(self, kind: str, *, at: str | None = None, **data: Any) -> None:
        verdict = self.send(kind, at=at, **data)
        assert verdict["status"] == "recorded", (kind, data, verdict)

    def is_legal(self, kind: str, **data: Any) -> bool:
        return bool(self.send(kind, at="night", dry_run=True, **data)["status"] == "preview")

    @property
    def night(self) -> Night:
        with self.ledger.store.read("club") as reader:
            return self.ledger.night("club", "night", reader)

    def step(self, offered: list[Action]) -> None:
        night = self.night
        if not night.closed and self.chance.random() < 0.15:
            self._disturb(night)
        elif offered:
            (action,) = self.chance.choices(offered, [SELDOM.get(action["type"], 12) for action in offered])
            self.do(action["type"], at="night", **action["data"])

    def _disturb(self, night: Night) -> None:
        away = [name for name in NAMES if name not in night.seats]
        settled = [step for step in night.hand_steps() if step.settled]
        if away and self.chance.random() < 0.3:
            self.do("SeatPlayer", at="night", player=self.chance.choice(away))
        elif settled:
            step = self.chance.choice(settled)
            if not step.void and self.chance.random() < 0.5:
                self.do("VoidHand", at="night", hand=step.number, reason="x")
                return
            bid = self.chance.choice(self.book.bids)
            facts = {"bidder": self.chance.choice(step.facts.players or NAMES), "bid": bid.id}
            ending = {"made": True} if self.book.family == "nap" else {"tricks": bid.tricks}
            self.send("CorrectHand", at="night", hand=step.number, facts={**facts, **ending}, reason="x")


@pytest.mark.parametrize("rulebook", preset_ids())
def test_what_is_offered_is_legal_and_what_is_legal_is_offered(rulebook: str) -> None:
    walk = Walk(rulebook, 1)
    for _ in range(25):
        night = walk.night
        offered = actions(night)
        for action in offered:
            assert walk.is_legal(action["type"], **action["data"]), action
        _require_complete(walk, night, offered)
        _require_explained(night)
        walk.step(offered)


def _require_complete(walk: Walk, night: Night, offered: list[Action]) -> None:
    known = {(action["type"], action["data"].get("player"), action["data"].get("bid")) for action in offered}
    hand = night.hands + (night.open_hand is None)
    for player in night.seats:
        for bid in walk.book.bids:
            offer = ("Bid", player, bid.id) in known
            assert walk.is_legal("Bid", hand=hand, player=player, bid=bid.id) is offer, (player, bid.id)
        for kind in ("Pass", "Peek"):
            assert walk.is_legal(kind, hand=hand, player=player) is ((kind, player, None) in known), (kind, player)
    for ending in ({"made": True}, {"made": False}) if walk.book.family == "nap" else ({"tricks": 0}, {"tricks": 6}):
        offer = any(
            action["type"] == "RecordOutcome" and action["data"] == {"hand": hand, **ending} for action in offered
        )
        assert walk.is_legal("RecordOutcome", hand=hand, **ending) is offer, ending


def _require_explained(night: Night) -> None:
    state = night_state(night, str)
    assert state["pool"]["chips"] == explain(night, "pool")["total"]
    for player in state["players"]:
        assert player["balance"] == explain(night, player["id"])["total"], player


def test_labels_call_people_by_their_names_and_bids_by_their_titles() -> None:
    walk = Walk("rockets-peep-nap", 2)
    labels = [action["label"] for action in actions(walk.night, str.title)]
    assert "Ann peeks" in labels
    assert any(label.casefold().endswith(" bids three") for label in labels)


def test_the_closing_of_a_night_is_taken_back_only_where_it_may_be_opened_again() -> None:
    walk = Walk("rockets-peep-nap", 3)
    walk.do("CloseNight", at="night", pool="carry")
    assert [action["type"] for action in actions(walk.night)] == ["Undo"]
    assert actions(walk.night, may_reopen=False) == []
