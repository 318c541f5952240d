"""Whole evenings tapped at the table screen come to what ``kittybook score`` makes of the same facts."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext

from ledger.rulebooks import preset, preset_ids
from tests.browser.kit import make_empty
from tests.browser.room import Room
from tests.browser.tapping import BOOK, TABLET, Data, Hand, Scorekeeper
from tests.cli.book import data
from tests.fuzz.nights import renamed, rulebook_data, team_renamed
from tests.model import ChipNight, PepperNight, open_night
from tests.model.generate import Writer
from tests.model.seats import Deal

NAMES: Final = {
    "A": "Ann", "B": "Bea", "C": "Cal", "D": "Dan", "E": "Eve", "F": "Fay", "G": "Gus", "H": "Hal", "I": "Ida",
    "J": "Jim", "N": "Nan", "S": "Sam", "W": "Wes", "X": "Xia", "Y": "Yan",
}  # fmt: skip
"""Whom the examples of the rulebooks call by a letter."""

MEMBERS: Final = {name.lower(): name for name in NAMES.values()}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    path = tmp_path_factory.mktemp("evenings") / "evenings.db"
    room = Room(path, make_empty(path))
    for member, name in MEMBERS.items():
        room.do("AddMember", member=member, name=name)
    yield room
    room.stop()


@pytest.fixture(scope="module")
def window(browser: Browser, room: Room) -> Iterator[BrowserContext]:
    """The scorekeeper's tablet, with one browser for all nights."""
    window = room.window(browser, TABLET, role="scorekeeper")
    yield window
    window.close()


def night_of(room: Room, name: str, sheet: Data) -> str:
    """Open a table for the night of a sheet; return the night."""
    rules = {key: sheet[key] for key in ("rulebook", "house_rules", "stake") if key in sheet}
    room.do("OpenTable", table=name, name=name.replace("-", " ").title(), **rules)
    opened = {key: sheet[key] for key in ("players", "dealer", "pool") if sheet.get(key)}
    room.do("OpenNight", table=name, night=name, date="2026-11-28", **opened)
    return name


def at(window: BrowserContext, room: Room, night: str) -> Scorekeeper:
    return Scorekeeper(window.new_page(), room, night, MEMBERS)


def score(tmp_path: Path, sheet: Data) -> Data:
    """What ``kittybook score`` makes of a sheet."""
    file = tmp_path / "sheet.json"
    file.write_text(json.dumps(sheet), encoding="utf-8")
    scored: Data = data("score", str(file))
    return scored


# An evening that somebody could have played


def evening(
    game: str, seats: Sequence[str], plan: Sequence[str], seed: int, seated: Mapping[int, list[str]] = {}, **more: Any
) -> tuple[Data, list[Hand]]:
    """The same evening for the same seed: its sheet, and its hands as they are to be entered.

    `plan` says what kind of hand each is; `seated` who sits at the table from a hand on.
    """
    rulebook = rulebook_data(game)
    sheet: Data = {"id": game, "rulebook": game, "players": list(seats), "dealer": seats[-1], **more, "hands": []}
    night = open_night(sheet, rulebook)
    table = Table(random.Random(seed), night)
    hands = []
    for number, kind in enumerate(plan, start=1):
        facts: Data = {"players": seated[number]} if number in seated else {}
        hand = table.hand(kind, facts, night.deal(facts))
        night.play(hand.facts)
        hands.append(hand)
        sheet["hands"].append(hand.facts)
    return sheet, hands


class Table:
    """Invents hands of one kind after another."""

    def __init__(self, rng: random.Random, night: ChipNight | PepperNight) -> None:
        self.rng = rng
        self.night = night
        self.writer = Writer(rng, night, auctions=0, comings=0, unusual=0, edge=False)
        self.bids = {bid["id"]: bid for bid in night.rules["bids"]}

    def hand(self, kind: str, facts: Data, deal: Deal) -> Hand:
        """Invent a hand: `kind` is "followed" or "quick", and what became of it if that is out of the common."""
        how, _, what = kind.partition(" ")
        facts = dict(facts)
        if what == "misdeal":
            return Hand({**facts, "misdeal": True})
        if what == "passed out":
            passes = {"bids": [[player, "pass"] for player in deal.active]} if how == "followed" else {}
            return Hand({**facts, **passes, **self.peeks(deal), "passed_out": True})
        if how == "followed":
            facts["bids"] = self.auction(deal)
            bidder, bid = next(call for call in reversed(facts["bids"]) if call[1] != "pass")
        else:
            bidder, bid = self.rng.choice(deal.active), self.rng.choice(list(self.bids))
            facts |= {"bidder": bidder, "bid": bid}
        others = [player for player in deal.active if player != bidder]
        facts |= self.peeks(deal)
        late: tuple[str, ...] = ()
        if what == "late peek":
            late = (self.rng.choice(others),)
            facts["peeks"] = [*(player for player in facts.get("peeks", ()) if player not in late), *late]
        elif what == "revoke":
            return Hand({**facts, "revoke": self.rng.choice(others)})
        elif what == "own revoke":
            return Hand({**facts, "revoke": bidder})
        elif what == "led":
            facts["led_out_of_turn"] = [self.rng.choice(deal.active)]
        elif what == "played":
            facts["played_out_of_turn"] = self.rng.sample(others, min(2, len(others)))
        elif what.startswith("foul"):
            facts["foul"] = what.split()[1]
        return Hand({**facts, "made": self.rng.random() < 0.55}, late)

    def auction(self, deal: Deal) -> list[list[str]]:
        """A legal auction that ends in a bid; nobody speaks any more when nothing can beat it."""
        while True:
            calls = self.writer.auction(deal)
            standing = next((call for _player, call in reversed(calls) if call != "pass"), None)
            if standing is None:
                continue
            while not self.writer.may_follow(standing) and calls[-1][1] == "pass":
                calls.pop()
            return calls

    def peeks(self, deal: Deal) -> Data:
        some = [] if isinstance(self.night, PepperNight) else self.writer.some(deal.active, 0.35)
        return {"peeks": some} if some and self.night.rules["pool"]["peek"] is not None else {}


PEEP_NAP: Final = (
    "followed", "quick", "followed", "followed late peek", "quick passed out", "followed", "quick misdeal", "followed",
    "followed revoke", "quick", "followed led", "followed", "quick foul both", "followed passed out", "quick",
    "followed", "quick played", "followed", "followed own revoke", "quick", "followed late peek", "followed",
    "quick revoke", "followed foul bidder_more", "quick", "followed played", "followed", "quick", "followed", "quick",
)  # fmt: skip


def test_an_evening_of_peep_nap(room: Room, window: BrowserContext, tmp_path: Path) -> None:
    sheet, hands = evening("rockets-peep-nap", ["ann", "bea", "cal", "dan"], PEEP_NAP, seed=7)
    scorekeeper = at(window, room, night_of(room, "peep-nap", sheet))
    for hand in hands:
        scorekeeper.book(hand)
    booked = scorekeeper.settled(30)
    expected = score(tmp_path, sheet)
    assert [told(row) for row in booked] == [told(row) for row in expected["hands"]]
    assert scorekeeper.shown() == {"balances": expected["balances"], "pool": expected["pool"]}
    assert scorekeeper.complaints.said == []
    assert len(hands) == 30


def told(row: Data) -> Data:
    """What a hand came to."""
    return {key: row[key] for key in ("hand", "dealer", "result", "changes", "pool")}


# Every game, by its own examples


def telling(example: Data) -> tuple[int, int, int]:
    """How much a scorekeeper has to tell of an example's last hand: that of the most is tapped."""
    facts: Data = example["hands"][-1]
    rare = sum(key in facts for key in ("peeks", "bought", "took_widow", "granted", "surrendered", "trumps"))
    return rare, len(facts.get("bids", ())), len(example["hands"])


def most_telling(game: str) -> Data:
    examples = [
        dict(one)
        for one in preset(game).examples
        if "hands" in one["expect"] and "scores" not in one and not {"players", "out", "dealer"} & one["hands"][-1].keys()
    ]
    return max(examples, key=telling)


@pytest.mark.parametrize("game", preset_ids())
def test_a_hand_of_every_rulebook(room: Room, window: BrowserContext, game: str) -> None:
    example = most_telling(game)
    letters = {letter: name.lower() for letter, name in NAMES.items()}
    sheet = {**renamed(example, letters), "rulebook": game}
    expected = {**example["expect"]["hands"][-1]}
    for key in {"dealer", "bidder"} & expected.keys():
        expected[key] = letters[expected[key]]
    expected["changes"] = {team_renamed(who, letters): chips for who, chips in expected["changes"].items()}
    night = night_of(room, game, sheet)
    *before, last = sheet["hands"]
    for number, facts in enumerate(before, start=1):
        room.send("RecordHand", night, hand=number, **facts)
    scorekeeper = at(window, room, night)
    waits = scorekeeper.enter(Hand(last))
    if waits:
        assert scorekeeper.foretold() == {"changes": expected["changes"], "pool": expected.get("pool", 0)}
        scorekeeper.tap(BOOK)
    booked = scorekeeper.settled(len(sheet["hands"]))[-1]
    assert {key: booked[key] for key in expected} == expected
    assert scorekeeper.complaints.said == []
    scorekeeper.page.close()
