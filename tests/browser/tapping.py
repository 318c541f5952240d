"""A scorekeeper who taps: enters hands at the table screen as a person would, by what things are called there."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.browser.kit import Complaints
from tests.browser.room import Room

Data = dict[str, Any]

BOOK: Final = re.compile("^Book hand")

SLOW: Final = 15_000
"""Milliseconds for which a machine that does much else is waited for."""

QUICK: Final = 0.31
"""Seconds within which a person cannot mean two taps on one spot."""

NEAR: Final = 40.0

TABLET: Final = (1180, 820)

FOULS: Final = {
    "opponent": "An opponent",
    "bidder_more": "The bidder, too many",
    "bidder_fewer": "The bidder, too few",
    "both": "The bidder too many, and an opponent",
}
SUITS: Final = {
    "clubs": "Clubs", "diamonds": "Diamonds", "hearts": "Hearts", "spades": "Spades", "none": "No trumps",
}  # fmt: skip
TURNS: Final = {"led_out_of_turn": "Led out of turn", "played_out_of_turn": "Played out of turn"}


class Hand(NamedTuple):
    """The facts of a hand, who was found to have peeked when the bidding was over, and the calls if less was played."""

    facts: Data
    late: Sequence[str] = ()
    bids: Sequence[Sequence[str]] = ()


class Scorekeeper:
    """Somebody at the table screen of one night; `names` are what players are called, `taps` how often he tapped.

    Facts are those of the contract. A hand that names its `bids` is followed call by call, any other entered at once.
    """

    def __init__(self, page: Page, room: Room, night: str, names: Mapping[str, str]) -> None:
        self.page = page
        self.room = room
        self.night = night
        self.names = names
        self.taps = 0
        self._spot, self._tapped_at = (0.0, 0.0), 0.0
        self.complaints = Complaints(page)
        page.set_default_timeout(SLOW)
        page.goto(f"{room.address}/nights/{night}/table")
        page.get_by_role("region", name="The table").wait_for()
        state = self.state()
        self.bids = {bid["id"]: bid for bid in state["ladder"]}
        self.points = bool(state["moves"]["points"])

    # What is tapped

    def _aim(self, what: Locator) -> None:
        """Lift the finger for a moment where the tap before was on the same spot: two at once would count as one."""
        box = what.bounding_box()
        assert box is not None
        spot = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        rest = QUICK - (time.monotonic() - self._tapped_at)
        unseen = not 0 < spot[1] < TABLET[1]  # it is scrolled to, and may come to stand there
        if (unseen or math.dist(spot, self._spot) < NEAR) and rest > 0:
            time.sleep(rest)
        self._spot = spot

    def tap(self, what: str | re.Pattern[str], where: Locator | Page | None = None, role: Any = "button") -> None:
        """Tap something by its name, in a part of the screen."""
        try:
            found = (where or self.page).get_by_role(role, name=what, exact=isinstance(what, str))
            self._aim(found)
            found.click()
            self._tapped_at = time.monotonic()
        except PlaywrightTimeout as silence:
            told = self.page.locator(".bar, .side, dialog").all_inner_texts()
            raise AssertionError("\n".join([f"tap {self.taps + 1}: {what!r} is not to be tapped", *told])) from silence
        self.taps += 1

    def part(self, name: str, about: str | None = None) -> Locator:
        """Return a part of the screen; `about` is whom or what its heading names."""
        found = self.page.get_by_role("region", name=name)
        return found if about is None else found.filter(has=self.page.get_by_role("heading", name=about, exact=True))

    def turn(self, way: str, away_from: str) -> None:
        """Turn from one way of entering a hand to the other, unless it is the one that was used last."""
        self.part("The bidding").or_(self.part("Quick entry")).wait_for()
        if self.part(away_from).is_visible():
            self.tap(way, self.part(away_from))

    def choice(self, question: str, where: Locator | None = None) -> Locator:
        """Return the answers to a question; a hint may stand behind it."""
        return (where or self.page).get_by_role("group", name=re.compile(rf"^{re.escape(question)}"))

    def seat(self, player: str) -> Locator:
        """Return a seat at the table."""
        named = re.compile(rf"^{re.escape(self.names[player])}(?![\w-])")
        return self.part("The table").get_by_role("button", name=named)

    def undo(self, what: str | re.Pattern[str]) -> None:
        """Take back the newest, which is said to be this."""
        self.tap(f"Undo: {what}" if isinstance(what, str) else re.compile(f"^Undo: .*{what.pattern}"))

    # A hand

    def book(self, hand: Hand) -> None:
        """Enter a hand and book it, and wait until it is off the table."""
        if self.enter(hand):
            number = self.page.locator(".bar-hand")
            before = number.inner_text()
            self.tap(BOOK)
            expect(number).not_to_have_text(before)

    def enter(self, hand: Hand) -> bool:
        """Enter a hand up to where it can be booked; tells whether it waits for that, or has booked itself."""
        facts, late, bids = hand
        if bids:
            self.follow({**facts, "bids": bids}, late)
            self.played_for_less(facts)
        elif "bids" in facts:
            if not self.follow(facts, late):
                return False
            self.finish(facts)
        elif facts.get("misdeal") and not facts.get("peeks") and not facts.get("bought"):
            self.turn("Follow the bidding", away_from="Quick entry")
            self.tap("Something went wrong", self.part("The bidding"))
            self.tap("Misdeal", self.part("Something went wrong"))
        else:
            self.at_once(facts)
        return True

    # Followed

    def follow(self, facts: Data, late: Sequence[str] = ()) -> bool:
        """Follow the bidding round the table; tells whether anybody is to play."""
        peeks = [player for player in facts.get("peeks", ()) if player not in late]
        bought = dict(facts.get("bought", {}))
        spoken: set[str] = set()
        self.turn("Follow the bidding", away_from="Quick entry")
        for player, call in facts["bids"]:
            here = self.part("The bidding", self.names[player])
            if player not in spoken and player in bought:
                self.buys(player, bought.pop(player), here)
            if player in peeks:
                peeks.remove(player)
                self.tap(re.compile("^Peek"), here)
            self.tap("Pass" if call == "pass" else self.called(call), here)
            spoken.add(player)
        if facts.get("misdeal"):
            return True
        if not any(call != "pass" for _player, call in facts["bids"]) and not self.is_forced():
            return False
        for player in [*peeks, *late]:
            self.peeks_late(player)
        for player, cards in bought.items():
            self.buys(player, cards)
        return True

    def is_forced(self) -> bool:
        """Tell whether the lowest bid falls to somebody when everybody has passed."""
        return str(self.state()["deal"]["auction"]["all_pass"]) in {"dealer_min", "eldest_min"}

    def buys(self, player: str, cards: int, here: Locator | None = None) -> None:
        """Let a player buy cards, by way of his seat."""
        if not cards:
            return
        if here is not None:
            self.tap("Buy cards", here)
        else:
            self.seat(player).click()
        sheet = self.page.get_by_role("dialog", name=self.names[player])
        self.tap(str(cards), self.choice("Buys cards", sheet))
        sheet.wait_for(state="hidden")

    def peeks_late(self, player: str) -> None:
        """Let a player have peeked when the bidding is over."""
        here = self.part("How it ended")
        more = here.get_by_role("group", name=re.compile("^Peeked as well"))
        here.wait_for()
        if not more.is_visible():
            here.get_by_text("Trumps, a late peek, the card").click()
            self.taps += 1
        self.tap(self.names[player], more)
        more.get_by_role("button", name=self.names[player], exact=True).wait_for(state="hidden")

    def finish(self, facts: Data) -> None:
        """Say how a followed hand ended."""
        if facts.get("misdeal"):
            self.tap("Something went wrong")
            self.tap("Misdeal", self.part("Something went wrong"))
            return
        bidder, bid = self.contract(facts)
        here = self.part("How it ended", self.names[bidder])
        if facts.get("took_widow"):
            self.tap("was taken", self.choice("The widow", here))
        if "trumps" in facts and self.bids[bid].get("trumps", True):
            self.trumps(facts["trumps"], here)
        wrong = {key: facts[key] for key in ("revoke", "foul", *TURNS) if facts.get(key)}
        if wrong:
            self.tap("Something went wrong", here)
            here = self.part("Something went wrong")
            self.irregular(wrong, here)
        if facts.get("foul") != "both":
            self.ending(facts, here)

    def played_for_less(self, facts: Data) -> None:
        """Say as what a hand was played, and how it ended."""
        self.tap("Something went wrong", self.part("How it ended"))
        here = self.part("Something went wrong")
        self.tap("Played for less", here)
        self.tap(self.called(facts["bid"]), self.choice("As what was it played?", here))
        self.ending(facts, self.part("Quick entry"))

    def trumps(self, suit: str, here: Locator) -> None:
        """Say what was trumps."""
        asked = self.choice("What was trumps?", here)
        here.wait_for()
        if not asked.is_visible():
            here.get_by_text("Trumps, a late peek, the card").click()
            self.taps += 1
        self.tap(SUITS[suit], asked)

    def irregular(self, wrong: Data, here: Locator) -> None:
        """Say what went wrong, and with whom; a revoke last, since it ends the hand."""
        for key, words in TURNS.items():
            if wrong.get(key):
                self.tap(words, here)
                for player in wrong[key]:
                    self.tap(self.names[player], self.choice(f"Who {words.lower()}?", here))
        if "foul" in wrong:
            self.tap("Wrong number of cards", here)
            self.tap(FOULS[wrong["foul"]], self.choice("Who had a wrong number of cards?", here))
        if "revoke" in wrong:
            self.tap("Revoke", here)
            self.tap(self.names[wrong["revoke"]], self.choice("Who revoked?", here))

    def ending(self, facts: Data, here: Locator) -> None:
        """Say made or failed, how many tricks, or how it was given up."""
        if facts.get("surrendered"):
            self.tap("They gave up", here)
        elif facts.get("granted"):
            count = facts["granted"]
            self.tap("1 trick was granted" if count == 1 else f"{count} tricks were granted", here)
        elif "revoke" in facts and ("tricks" not in facts or not self.points):
            return
        elif self.points:
            self.tap(re.compile(rf"^{facts['tricks']}\b"), self.choice("How many tricks have", here))
        else:
            _bidder, bid = self.contract(facts)
            self.tap("Made" if is_made(facts, self.bids[bid]) else "Failed", self.choice("How did it end?", here))

    # At once

    def at_once(self, facts: Data) -> None:
        """Fill in quick entry."""
        self.turn("Quick entry", away_from="The bidding")
        here = self.part("Quick entry")
        if facts.get("misdeal"):
            self.company(facts, here)
            here.get_by_text("Something went wrong, or a note").click()
            self.tap("Misdeal", here)
            return
        if facts.get("passed_out"):
            self.tap("Nobody", self.choice("Who bid?", here))
            self.company(facts, here)
            return
        self.tap(self.names[facts["bidder"]], self.choice("Who bid?", here))
        self.tap(self.called(facts["bid"]), self.choice("What was bid?", here))
        self.company(facts, here)
        if facts.get("took_widow"):
            self.tap("The bidder took the widow", here, "switch")
        if self.points and "trumps" in facts and self.bids[facts["bid"]].get("trumps", True):
            self.tap(SUITS[facts["trumps"]], self.choice("What was trumps?", here))
        wrong = {key: facts[key] for key in ("revoke", "foul", *TURNS) if facts.get(key)}
        if wrong:
            here.get_by_text("Something went wrong, or a note").click()
            self.taps += 1
            self.irregular(wrong, here)
        if facts.get("foul") != "both":
            self.ending(facts, here)

    def company(self, facts: Data, here: Locator) -> None:
        """Say who peeked, and who bought cards."""
        for player in facts.get("peeks", ()):
            self.tap(self.names[player], self.choice("Who peeked?", here))
        for player, cards in facts.get("bought", {}).items():
            row = here.get_by_role("group", name=f"Cards bought by {self.names[player]}")
            self.tap(str(cards), row)

    # Around the hands

    def comes(self, player: str, seat: int) -> None:
        """Let somebody of the club sit down, from the next deal on."""
        self.tap("Menu")
        self.tap(re.compile("^Seats"), self.sheet("Menu"))
        self.tap("Somebody sits down", self.sheet("Seats"))
        here = self.sheet("Somebody sits down")
        self.tap(re.compile(rf"^{seat}\b"), self.choice("At which seat?", here))
        self.tap(self.names[player], self.choice("A member", here))
        self.tap("Close", self.sheet("Seats"))
        self.seat(player).wait_for()

    def leaves(self, player: str) -> None:
        """Let somebody leave, from the next deal on."""
        self.seat(player).click()
        self.taps += 1
        self.tap("Leaves the table", self.sheet(self.names[player]))
        self.seat(player).wait_for(state="detached")

    def correct(self, number: int, facts: Data, reason: str) -> Data:
        """Put a hand right: another bidder or result; returns what was said to change, and books it."""
        self.tap("Hands")
        self.tap(re.compile(rf"^Hand {number}\b"), self.sheet("Hands"))
        self.tap(re.compile("^Correct"), self.sheet(f"Hand {number}"))
        here = self.sheet(f"Correct hand {number}")
        here.get_by_label("Why is it corrected?").fill(reason)
        if "bidder" in facts:
            self.tap(self.names[facts["bidder"]], self.choice("Who bid?", here))
        if "made" in facts:
            self.tap("Made" if facts["made"] else "Failed", self.choice("How did it end?", here))
        self.tap("Show what changes", here)
        told = self.sheet(f"Hand {number}: what changes")
        told.get_by_role("row").last.wait_for()
        rows: list[list[str]] = told.locator(".old-new tbody tr").evaluate_all(
            "(rows) => rows.map((row) => [...row.children].map((one) => one.textContent))"
        )
        named = {self.names[player]: player for player in self.names}
        after = {named.get(words, "pool"): _whole(turn.rpartition("→")[2]) for words, turn, _change in rows}
        hands = [int(words.split()[-1]) for words in told.locator(".touched li > strong").all_inner_texts()]
        self.tap("Book it", told)
        here = self.sheet(f"Hand {number}")
        here.get_by_text(f"Hand {number} is corrected.").wait_for()
        self.tap("Close", here)
        return {"pool": after.pop("pool"), "balances": after, "hands": hands}

    def sheet(self, title: str) -> Locator:
        """Return a sheet over the table by its title."""
        return self.page.get_by_role("dialog", name=title, exact=True)

    # What is read

    def contract(self, facts: Data) -> tuple[str, str]:
        """Return who plays what: as it is said, as the auction came to, or as it falls to him."""
        if "bidder" in facts and "bid" in facts:
            return facts["bidder"], facts["bid"]
        spoken = [(player, call) for player, call in facts["bids"] if call != "pass"]
        return spoken[-1] if spoken else (facts["bids"][0][0], next(iter(self.bids)))

    def called(self, bid: str) -> str:
        """Return what a bid is called on the screen."""
        title: str = self.bids[bid]["title"]["en"]
        return title

    def foretold(self) -> Data:
        """Return the changes and the pool that the screen announces before a hand is booked."""
        rows: list[list[str]] = self.page.locator(".amounts .changes > div").evaluate_all(
            "(rows) => rows.map((row) => [...row.children].map((one) => one.textContent))"
        )
        named = {self.names[player]: player for player in self.names}
        if self.points:
            sides = {"+".join(named[one] for one in words.split(" + ")): sum for words, sum in rows}
            changes = {side: _whole(words.split()[1]) for side, words in sides.items()}
            scores = {side: _whole(words.split()[-1]) for side, words in sides.items()}
            return {"changes": changes, "pool": 0, "scores": scores}
        amounts = {words: _whole(number.rpartition("→")[2]) for words, number in rows}
        pool = amounts.pop("Pool")
        return {"changes": {named[words]: amount for words, amount in amounts.items()}, "pool": pool}

    def scores(self) -> dict[str, int]:
        """Return the scores in the middle of the table."""
        rows: list[list[str]] = self.page.locator(".middle .score").evaluate_all(
            "(rows) => rows.map((row) => [...row.children].map((one) => one.textContent))"
        )
        named = {self.names[player]: player for player in self.names}
        return {"+".join(named[one] for one in words.split(" + ")): _whole(points) for points, words in rows}

    def shown(self) -> Data:
        """Return the balances at the seats, and the pool in the middle."""
        pool = self.page.locator(".middle .pool-count").first.inner_text()
        return {"balances": self.seats(), "pool": _whole(pool)}

    def seats(self) -> dict[str, int]:
        """Return the balances at the seats."""
        rows: list[list[str]] = self.page.locator(".place").evaluate_all(
            "(seats) => seats.map((seat) => [seat.dataset.player, seat.querySelector('.seat-chips').textContent])"
        )
        return {player: _whole(chips or "0") for player, chips in rows}

    def state(self) -> Data:
        """Return the state of the night, as the server has it."""
        found: Data = self.room.ask(f"/nights/{self.night}")
        return found

    def settled(self, hands: int) -> list[Data]:
        """Wait until so many hands are booked and nothing waits; return them as the server has them."""
        expect(self.page.locator(".bar-hand")).to_have_text(f"Hand {hands + 1}", timeout=SLOW)
        expect(self.page.get_by_text("not sent yet")).to_have_count(0, timeout=SLOW)
        rows: list[Data] = self.room.ask(f"/nights/{self.night}/hands?limit=500")["hands"]
        return rows


def is_made(facts: Data, bid: Data) -> bool:
    """Tell whether the bid of a hand was made, of the tricks where those are told."""
    if "made" in facts:
        return bool(facts["made"])
    tricks: int = facts["tricks"]
    needed: int = bid["tricks"]
    return tricks == needed if bid.get("exactly") else tricks >= needed


def _whole(text: str) -> int:
    return int(re.sub(r"[+\s*,.]", "", text).replace("\u2212", "-"))
