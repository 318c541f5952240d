"""Whole evenings tapped at the table screen come to what ``kittybook score`` makes of the same facts."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from ledger import people
from ledger.people import By
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

At = Callable[[str], Scorekeeper]

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


@pytest.fixture
def at(window: BrowserContext, room: Room) -> Iterator[At]:
    """Take the tablet to the table of a night; its page is closed behind the test, since each holds a connection."""
    page = window.new_page()
    yield lambda night: Scorekeeper(page, room, night, MEMBERS)
    page.close()


def treasurer(room: Room, name: str, pin: str) -> None:
    """Let somebody belong to the club who may do everything, and has a PIN."""
    door, by = room.state.door, By(actor="cli")
    _user, secret = people.add_user(door, room.club, name, "treasurer", by)
    came = people.use_link(door, secret, by, password="staple in the corner", club_name="x")
    people.set_pin(door, came.session, pin, "staple in the corner", by)


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
            calls = self.auction(deal)[:2] if how == "followed" else []
            begun = {"bids": calls, "peeks": [calls[0][0]]} if calls else {}
            return Hand({**facts, **begun, "misdeal": True})
        if what == "passed out":
            passes = {"bids": [[player, "pass"] for player in deal.active]} if how == "followed" else {}
            return Hand({**facts, **passes, **self.peeks(deal), "passed_out": True})
        while True:
            calls = self.auction(deal)
            bidder, bid = next(call for call in reversed(calls) if call[1] != "pass")
            if (what != "granted" or self.granted(bid)) and (what != "less" or bid != next(iter(self.bids))):
                break
        facts |= {"bids": calls} if how == "followed" else {"bidder": bidder, "bid": bid}
        others = [player for player in deal.active if player != bidder]
        if isinstance(self.night, PepperNight):
            return Hand(facts | self.points(what, bid, others))
        facts |= self.peeks(deal)
        late: tuple[str, ...] = ()
        if what == "less":
            bids = facts.pop("bids")
            facts |= {"bidder": bidder, "bid": list(self.bids)[list(self.bids).index(bid) - 1]}
            return Hand({**facts, "made": True}, bids=bids)
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

    def points(self, what: str, bid: str, others: Sequence[str]) -> Data:
        """How a hand of Pepper ends, its trumps told."""
        trumps = {"trumps": self.rng.choice(["clubs", "diamonds", "hearts", "spades", "none"])}
        if what == "surrendered":
            return {**trumps, "surrendered": True}
        if what == "granted":
            return {**trumps, "granted": self.rng.randint(1, self.granted(bid))}
        if what == "revoke":
            return {**trumps, "revoke": self.rng.choice(others)}
        return {**trumps, "tricks": min(6, self.bids[bid]["tricks"] + self.rng.choice([-1, 0, 0, 1]))}

    def granted(self, bid: str) -> int:
        most: int = self.night.rules["score"]["negotiate"].get(bid, 0)
        return most

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
    "followed revoke", "followed less", "followed led", "followed misdeal", "quick foul both", "followed passed out",
    "quick", "followed", "quick played", "followed", "followed own revoke", "quick", "followed late peek", "followed",
    "quick revoke", "followed foul bidder_more", "quick", "followed played", "followed", "quick", "followed", "quick",
)  # fmt: skip


def test_an_evening_of_peep_nap(room: Room, at: At, tmp_path: Path) -> None:
    """Thirty hands, followed and at once; somebody comes late, and somebody leaves early."""
    seated = {11: ["ann", "bea", "eve", "cal", "dan"], 22: ["ann", "eve", "cal", "dan"]}
    sheet, hands = evening("rockets-peep-nap", ["ann", "bea", "cal", "dan"], PEEP_NAP, seed=2, seated=seated)
    scorekeeper = at(night_of(room, "peep-nap", sheet))
    for number, hand in enumerate(hands, start=1):
        if number == 11:
            scorekeeper.comes("eve", seat=3)
        if number == 22:
            scorekeeper.leaves("bea")
        scorekeeper.book(hand)
    booked = scorekeeper.settled(30)
    expected = score(tmp_path, sheet)
    assert [told(row) for row in booked] == [told(row) for row in expected["hands"]]
    left = {"bea": expected["balances"].pop("bea")}
    assert scorekeeper.shown() == {"balances": expected["balances"], "pool": expected["pool"]}
    assert {one["id"]: one["balance"] for one in scorekeeper.state()["players"]} == expected["balances"] | left
    assert scorekeeper.complaints.said == []


POOL_NAP: Final = ("followed", "quick", "followed", "followed led", "quick misdeal", "followed", "quick")


def test_pool_nap_with_a_correction_three_hands_back(room: Room, at: At, tmp_path: Path) -> None:
    """Another bidder, who failed: the pool is doubled and not taken, which two later hands feel."""
    sheet, hands = evening("foster-pool-nap", ["ann", "bea", "cal", "dan", "eve"], POOL_NAP, seed=3)
    scorekeeper = at(night_of(room, "pool-nap", sheet))
    for facts in (
        {"bidder": "cal", "bid": "nap", "made": True},
        {"bidder": "dan", "bid": "two", "made": False},
        {"bidder": "ann", "bid": "nap", "made": True},
    ):
        hands.append(Hand(facts))
        sheet["hands"].append(facts)
    for hand in hands:
        scorekeeper.book(hand)
    booked = scorekeeper.settled(10)
    before = score(tmp_path, sheet)
    assert [told(row) for row in booked] == [told(row) for row in before["hands"]]
    assert scorekeeper.shown() == {key: before[key] for key in ("balances", "pool")}

    change = {"bidder": "dan", "made": False}
    previewed = scorekeeper.correct(8, change, "It was Dan, and he failed.")
    sheet["hands"][7] |= change
    expected = score(tmp_path, sheet)
    corrected = scorekeeper.settled(10)
    assert [told(row) for row in corrected] == [told(row) for row in expected["hands"]]
    after = {key: expected[key] for key in ("balances", "pool")}
    touched = [now["hand"] for now, then in zip(corrected, booked, strict=True) if told(now) != told(then)]
    assert previewed == {**after, "hands": touched}
    assert touched == [8, 9, 10]
    expect(scorekeeper.page.locator(".middle .pool-count")).to_have_text(str(expected["pool"]))
    assert scorekeeper.shown() == after
    assert scorekeeper.complaints.said == []


def told(row: Data) -> Data:
    """What a hand came to."""
    return {key: row[key] for key in ("hand", "dealer", "result", "changes", "pool")}


PEPPER: Final = (
    "followed",
    "followed surrendered",
    "quick",
    "followed passed out",
    "quick granted",
    "followed",
    "quick misdeal",
    "followed granted",
    "quick surrendered",
)


def test_a_game_of_pepper_and_the_next(room: Room, at: At, tmp_path: Path) -> None:
    """Scores and the winner; trumps, a surrender, tricks that were granted; then another game from nothing."""
    rules = {"negotiate": {"three": 2, "four": 2, "five": 1}, "per_game": 5}
    plan = [*PEPPER, "followed", "quick", "followed"]
    sheet, hands = evening("rockets-pepper", ["ann", "bea", "cal", "dan"], plan, seed=8, house_rules=rules)
    expected = score(tmp_path, sheet)
    (game,) = expected["games"]
    assert game["last_hand"] == len(hands) - 1
    scorekeeper = at(night_of(room, "pepper", sheet))
    *played, won, next_game = hands
    for hand in played:
        scorekeeper.book(hand)
    scorekeeper.enter(won)
    assert scorekeeper.foretold()["scores"] == game["scores"]
    winners = " + ".join(MEMBERS[one] for one in game["winner"].split("+"))
    assert scorekeeper.page.get_by_text(f"{winners} win the game.").is_visible()
    assert scorekeeper.page.get_by_text("Ann pays").count() + scorekeeper.page.get_by_text("Bea pays").count() == 1
    scorekeeper.tap(BOOK)
    scorekeeper.settled(len(hands) - 1)
    assert scorekeeper.scores() == game["scores"]
    assert scorekeeper.seats() == game["chips"]
    scorekeeper.enter(next_game)
    assert scorekeeper.foretold()["scores"] == expected["balances"]
    scorekeeper.tap(BOOK)
    booked = scorekeeper.settled(len(hands))
    assert [told(row) for row in booked] == [told(row) for row in expected["hands"]]
    assert scorekeeper.scores() == expected["balances"] == booked[-1]["changes"]
    assert scorekeeper.complaints.said == []


def test_who_bid_nap_may_raise_over_a_higher_bid(room: Room, at: At, tmp_path: Path) -> None:
    facts = {"bids": [["ann", "nap"], ["bea", "wellington"], ["cal", "pass"], ["ann", "blucher"]], "made": True}
    sheet = {"rulebook": "rockets-peep-nap", "house_rules": {"nap_may_raise": True}, "hands": [facts]}
    sheet |= {"players": ["ann", "bea", "cal"], "dealer": "cal", "id": "raised"}
    scorekeeper = at(night_of(room, "raised", sheet))
    scorekeeper.book(Hand(facts))
    booked = scorekeeper.settled(1)
    assert [told(row) for row in booked] == [told(row) for row in score(tmp_path, sheet)["hands"]]


# Taking back


def test_two_quick_taps_are_one(room: Room, at: At) -> None:
    sheet = {"rulebook": "rockets-peep-nap", "players": ["ann", "bea", "cal"], "dealer": "cal"}
    scorekeeper = at(night_of(room, "quick-taps", sheet))
    scorekeeper.part("The bidding", "Ann").get_by_role("button", name=re.compile("^Peek")).dblclick()
    scorekeeper.part("The bidding", "Ann").get_by_role("button", name="Pass").dblclick()
    scorekeeper.part("The bidding", "Bea").get_by_role("button", name="Two").dblclick()
    scorekeeper.tap("Pass", scorekeeper.part("The bidding", "Cal"))
    scorekeeper.tap("Made")
    scorekeeper.page.get_by_role("button", name=BOOK).dblclick()
    (booked,) = scorekeeper.settled(1)
    assert booked["facts"]["bids"] == [["ann", "pass"], ["bea", "two"], ["cal", "pass"]]
    assert booked["changes"] == {"ann": -3, "bea": 4, "cal": -2}
    assert scorekeeper.page.get_by_role("alert").count() == 0
    assert scorekeeper.complaints.said == []


def test_undo_goes_back_over_a_step_a_hand_and_the_close(room: Room, at: At) -> None:
    treasurer(room, "Rosa", "407193")
    seats = ["ann", "bea", "cal", "dan"]
    night = night_of(room, "undo", {"rulebook": "rockets-peep-nap", "players": seats, "dealer": "dan"})
    scorekeeper = at(night)
    here = scorekeeper.part("The bidding", "Bea")
    scorekeeper.tap(re.compile("^Peek"), scorekeeper.part("The bidding", "Ann"))
    scorekeeper.tap("Pass", scorekeeper.part("The bidding", "Ann"))
    scorekeeper.tap("Three", here)
    scorekeeper.undo(re.compile("Bea bid Three"))
    scorekeeper.tap("Four", here)
    scorekeeper.tap("Pass", scorekeeper.part("The bidding", "Cal"))
    scorekeeper.tap("Pass", scorekeeper.part("The bidding", "Dan"))
    scorekeeper.tap("Made")
    scorekeeper.undo("what is chosen")
    scorekeeper.tap("Failed")
    foretold = scorekeeper.foretold()
    assert foretold == {"changes": {"ann": 3, "bea": -12, "cal": 4, "dan": 4}, "pool": 1}
    scorekeeper.tap(BOOK)
    scorekeeper.settled(1)

    scorekeeper.undo(re.compile("hand 1"))
    asked = scorekeeper.page.get_by_role("dialog", name="Take back?")
    assert "Bea: Four, failed" in asked.inner_text()
    scorekeeper.tap("Take it back", asked)
    asked.wait_for(state="hidden")
    expect(scorekeeper.page.locator(".bar-hand")).to_have_text("Hand 1")
    scorekeeper.tap("Made")
    scorekeeper.tap(BOOK)
    (booked,) = scorekeeper.settled(1)
    after = {"ann": -5, "bea": 12, "cal": -4, "dan": -4}
    assert booked["changes"] == after

    scorekeeper.tap("Menu")
    scorekeeper.tap(re.compile("^Close the night"), scorekeeper.page.get_by_role("dialog", name="Menu"))
    scorekeeper.tap("Close the night", scorekeeper.page.get_by_role("dialog", name="Close the night"))
    scorekeeper.page.get_by_role("dialog", name="The night is closed").wait_for()
    scorekeeper.page.keyboard.press("Escape")
    scorekeeper.undo(re.compile("clos"))
    scorekeeper.tap("Take it back", asked)
    leave = scorekeeper.page.get_by_role("dialog", name="Who allows it?")
    for digit in "407193":
        scorekeeper.tap(digit, leave)
    scorekeeper.tap("Allow it", leave)
    asked.wait_for(state="hidden")
    expect(scorekeeper.page.locator(".bar-hand")).to_have_text("Hand 2")
    assert scorekeeper.state()["state"] == "open"
    assert scorekeeper.shown() == {"balances": after, "pool": 1}
    scorekeeper.undo(re.compile("hand 1"))
    scorekeeper.tap("Take it back", asked)
    asked.wait_for(state="hidden")
    assert scorekeeper.state()["hand"]["standing"] == {"player": "bea", "bid": "four"}
    refused = [one for one in scorekeeper.complaints.said if "403 (FORBIDDEN)" not in one]  # and so asked for a PIN
    assert refused == []


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
        if "hands" in one["expect"]
        and "scores" not in one
        and not {"players", "out", "dealer"} & one["hands"][-1].keys()
    ]
    return max(examples, key=telling)


@pytest.mark.parametrize("game", preset_ids())
def test_a_hand_of_every_rulebook(room: Room, at: At, game: str) -> None:
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
    scorekeeper = at(night)
    waits = scorekeeper.enter(Hand(last))
    if waits:
        foretold = scorekeeper.foretold()
        assert foretold["changes"] == expected["changes"]
        assert foretold["pool"] == expected.get("pool", 0)
        scorekeeper.tap(BOOK)
    booked = scorekeeper.settled(len(sheet["hands"]))[-1]
    assert {key: booked[key] for key in expected} == expected
    assert scorekeeper.complaints.said == []
