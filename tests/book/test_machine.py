"""Whatever people send, in whatever order, the book stays one book: it adds up, replays, and says why."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from ledger.night import Night
from ledger.night.decide import running_auction
from ledger.night.steps import HandStep
from ledger.play import Rules
from ledger.projections import hand_row
from ledger.service import Answer
from ledger.store import EventStore
from ledger.stores import MemoryStore, SqliteStore
from tests.book.kit import Book, Data, check, check_verified, dump, everything
from tests.fuzz.nights import CHIP_GAMES, PEPPER, rulebook_data
from tests.model import open_night
from tests.model.generate import Writer
from tests.model.house import random_house_rules

STORES: dict[str, Callable[[Path], EventStore]] = {
    "memory": lambda _folder: MemoryStore(),
    "sqlite": lambda folder: SqliteStore(folder / "book.db", create=True),
}

MEMBERS = ["ann", "bob", "cal", "dot", "eve", "fay", "gus"]
BESIDE = {"took_card", "took_widow", "trumps", "revoke", "foul", "surrendered", "granted", "out"}

GBP = {"currency": "GBP", "chip": 10}
EUR = {"currency": "EUR", "chip": 7}

seeds = st.integers(0, 2**32)


class BookMachine(RuleBasedStateMachine):
    """One club with a table for chips, or money, and one for Pepper. Every command is previewed, sent, and sent again.

    Each rule draws one number, from which chance does the rest: commands mostly legal, in every state there is.
    """

    make: Callable[[Path], EventStore]
    money: Data | None = None

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = type(self).make(Path(self.folder.name))
        self.book = self.founded()
        self.sent: list[tuple[Data, Answer]] = []
        self.rng = random.Random()
        self.changed = False

    def founded(self, **settings: Any) -> Book:
        return Book(self.store, MEMBERS, **{"money": self.money, **settings})

    @initialize(game=st.sampled_from(CHIP_GAMES), pepper=st.sampled_from(PEPPER), seed=seeds)
    def found(self, game: str, pepper: str, seed: int) -> None:
        rng = self.dice(seed)
        house = random_house_rules(rng, rulebook_data(game)) if rng.random() < 0.6 else {}
        stake = rng.choice([1, 1, 2, 5])
        data: Data = {"money": rng.choice([None, GBP, EUR])}
        data["banker"] = rng.choice([None, *MEMBERS[:5]]) if rng.random() < 0.6 else None
        data = {key: value for key, value in data.items() if value is not None}
        more = {**data, "house_rules": house, "stake": stake}
        if self.send("OpenTable", table="tue", name="Tuesday", rulebook=game, **more)["status"] == "refused":
            self.book.done("OpenTable", table="tue", name="Tuesday", rulebook=game, **data)
        house = {"per_game": rng.randint(0, 3), "per_point": rng.randint(0, 1), "target": rng.randint(8, 30)}
        self.book.done("OpenTable", table="wed", name="Wednesday", rulebook=pepper, house_rules=house)
        self.send("OpenNight", table="tue", players=MEMBERS[:4], dealer="ann", pool=rng.choice([0, 0, 7]))

    def dice(self, seed: int) -> random.Random:
        """Chance that differs from step to step, and is the same when the steps are the same."""
        self.rng = random.Random(seed * 1_000 + len(self.sent))
        return self.rng

    def chance(self, part: float) -> bool:
        return self.rng.random() < part

    # Sending

    def send(self, kind: str, night: str | None = None, **data: Any) -> Answer:
        """Preview a command, send it, send it again; hold the three against each other and against the store."""
        book = self.book
        data = {key.rstrip("_"): value for key, value in data.items() if value is not None}
        request = book.request(kind, night, data=data)
        before = dump(self.store)
        (preview,) = book.carry_out(request, dry_run=True)
        assert dump(self.store) == before, "a preview wrote something"
        standing = self.standing(night)
        (answer,) = book.carry_out(request, device="tablet-1")
        if answer["status"] == "refused":
            assert dump(self.store) == before, "a refusal wrote something"
            assert (preview["status"], preview["code"]) == ("refused", answer["code"])
            return answer
        assert preview["status"] == "preview", (preview, answer)
        for key in ("changes", "balances", "pool"):
            assert preview[key] == answer[key], (key, preview, answer)
        after = dump(self.store)
        assert self.again(request, answer) == after, "sending again wrote something"
        self.check_answer(night or self.opened(answer), standing, preview, answer)
        self.sent.append((request, answer))
        self.changed = True
        return answer

    def again(self, request: Data, answer: Answer) -> str:
        (repeated,) = self.book.carry_out(request, device="tablet-2")
        assert repeated["status"] == ("late" if answer["status"] == "late" else "duplicate")
        for key in ("version", "position", "events", "changes"):
            assert repeated[key] == answer[key], (key, repeated, answer)
        return dump(self.store)

    def opened(self, answer: Answer) -> str | None:
        if answer["events"][0]["type"] != "NightOpened":
            return None
        row = everything(self.store)[answer["events"][0]["position"] - 1]
        night: str = row.stream.partition(":")[2]
        return night

    def standing(self, night: str | None) -> Night | None:
        known = night is not None and night in self.book.club().nights
        return self.book.night(night) if night is not None and known else None

    def check_answer(self, night: str | None, before: Night | None, preview: Answer, answer: Answer) -> None:
        """The answer tells what the night's state tells, and what changed is the difference to before."""
        if night is None or answer["status"] == "late":
            return
        state = self.book.night(night)
        assert answer["version"] == state.version
        assert preview["version"] == (0 if before is None else before.version)
        for hand in preview["hands"]:
            step = state.hand(hand["hand"])
            if step is None:
                assert hand["after"] is None
                continue
            row = hand_row(state, step)
            assert hand["after"]["changes"] == row["changes"]
            assert hand["needs_review"] == row["needs_review"]
            assert step.void or not step.settled or hand["after"]["result"] == row["result"]
            assert not step.settled or hand["after"]["pool"] == row["pool"]
        if state.rules.book.family == "pepper":
            scored = points(state)
            scored.subtract(points(before) if before is not None else {})
            changes = {team: change for team, change in answer["changes"].items() if change}
            assert changes == {team: change for team, change in scored.items() if change}
            return
        assert answer["balances"] == {player: purse.balance for player, purse in state.purses.items()}
        assert answer["pool"] == state.pool
        was = {} if before is None else {player: purse.balance for player, purse in before.purses.items()}
        moved = {
            player: answer["balances"].get(player, 0) - was.get(player, 0) for player in {*was, *answer["balances"]}
        }
        changes = {player: change for player, change in answer["changes"].items() if change}
        assert changes == {player: change for player, change in moved.items() if change}

    # What there is

    def nights(self, *, closed: bool) -> list[str]:
        """Return the nights that are open, or closed, the newest first."""
        known = reversed([*self.book.club().nights.values()])
        return [night.id for night in known if night.closed is closed]

    def night(self) -> Night | None:
        """Return an open night mostly."""
        opened, closed = self.nights(closed=False), self.nights(closed=True)
        names = closed if closed and (not opened or self.chance(0.06)) else opened
        return self.book.night(self.rng.choice(names)) if names else None

    def number(self, night: Night) -> int:
        """Return the number of the hand in progress, or of the next; sometimes a wrong one."""
        wrong = self.rng.choice([-1, 1]) if self.chance(0.04) else 0
        return max(1, (night.hands if night.open_hand else night.hands + 1) + wrong)

    def facts(self, night: Night, step: HandStep | None = None) -> Data:
        """Write down a hand that could have been, in the place of a recorded one or as the next; sometimes a slip."""
        rng = self.rng
        rules = step.rules if step else night.rules
        seats = list(step.facts.players or ()) if step else list(night.seats)
        dealer = step.facts.dealer if step else None
        named = self.chance(0.15) or not seats
        if named:
            fewest, most = rules.book.players
            pool = [*night.purses] if self.chance(0.9) else MEMBERS
            seats = rng.sample(pool, min(len(pool), rng.randint(fewest, min(most, 7))))
        if dealer not in seats:
            dealer = None
        if len(seats) < rules.book.players[0] or len(seats) > rules.book.players[1]:
            return {"bidder": seats[0] if seats else "ann", "bid": rules.book.bids[0].id, "made": True}
        facts = written(rng, rules, seats, dealer or self.dealer(night, seats), night.pool)
        if named:
            facts["players"] = seats
        if self.chance(0.1):
            facts = self.slip(facts)
        return facts

    def dealer(self, night: Night, seats: Sequence[str]) -> str:
        try:
            return night.rules.seating(tuple(seats), (), night.carry, night.dealer).dealer
        except Exception:  # noqa: BLE001 - whoever it is, if nobody can deal
            return seats[0]

    def slip(self, facts: Data) -> Data:
        """The scorekeeper's thumb."""
        rng, wrong = self.rng, dict(facts)
        key = rng.choice([*wrong])
        match rng.randint(0, 3):
            case 0:
                del wrong[key]
            case 1:
                wrong[rng.choice(["bidder", "revoke", "dealer"])] = rng.choice(MEMBERS)
            case 2:
                wrong |= {"misdeal": True} if self.chance(0.5) else {"tricks": rng.randint(0, 6)}
            case _:
                wrong["peeks"] = rng.sample(MEMBERS, 2)
        return wrong

    # A hand

    @rule(seed=seeds)
    def record(self, seed: int) -> None:
        self.dice(seed)
        if state := self.night():
            self.send("RecordHand", state.opened.night, hand=self.number(state), **self.facts(state))

    @rule(seed=seeds)
    def record_some(self, seed: int) -> None:
        for _ in range(3):
            self.record(seed)

    @rule(seed=seeds)
    def follow(self, seed: int) -> None:
        """Log a hand as it goes on, in any order that a table might, perhaps not to its end."""
        rng = self.dice(seed)
        state = self.night()
        if state is None or (state.open_hand is None and len(state.seats) < state.rules.book.players[0]):
            return
        step, name, hand = state.open_hand, state.opened.night, self.number(state)
        seats = list(step.facts.players or ()) if step else list(state.seats)
        if len(seats) > state.rules.book.players[1]:
            return
        dealer = step.facts.dealer if step else None
        facts = written(rng, step.rules if step else state.rules, seats, dealer or self.dealer(state, seats), 0)
        steps: list[tuple[str, Data]] = [("Peek", {"player": player}) for player in facts.get("peeks", [])]
        steps += [("BuyCards", {"player": player, "cards": cards}) for player, cards in facts.get("bought", {}).items()]
        steps += [("TakePeepCard", {"taken": facts["took_card"]})] if "took_card" in facts else []
        rng.shuffle(steps)
        calls = [("call", {"player": player, "bid": bid}) for player, bid in facts.get("bids", [])]
        for call in calls or [("call", {"player": rng.choice(seats), "bid": "pass"})]:
            steps.insert(rng.randint(0, len(steps)), call)
        order = iter(calls)
        steps = [next(order) if kind == "call" and calls else (kind, data) for kind, data in steps]
        for kind, data in steps:
            self.step(name, hand, kind, data)
            if self.chance(0.06):
                self.undo_one(self.book.night(name))
            if self.chance(0.04):
                return
        self.finish(name, hand, facts)

    def step(self, name: str, hand: int, kind: str, data: Data) -> None:
        if kind != "call":
            self.send(kind, name, hand=hand, **data)
        elif data["bid"] == "pass":
            self.send("Pass", name, hand=hand, player=data["player"])
        else:
            self.send("Bid", name, hand=hand, **data)

    def finish(self, name: str, hand: int, facts: Data) -> None:
        """Pass until the auction is over, then say how it ended."""
        for _ in range(12):
            step = self.book.night(name).open_hand
            if step is None:
                break
            auction = running_auction(step)
            if auction.over or auction.turn is None:
                break
            legal = auction.legal_bids()
            if legal and (auction.must_bid(auction.turn) or self.chance(0.4)):
                self.send("Bid", name, hand=hand, player=auction.turn, bid=self.rng.choice(legal).id)
            else:
                self.send("Pass", name, hand=hand, player=auction.turn)
        if facts.get("misdeal") or self.chance(0.05):
            self.send("DeclareMisdeal", name, hand=hand, note="a faced card" if self.chance(0.3) else None)
            return
        beside = {key: value for key, value in facts.items() if key in BESIDE or key.endswith("out_of_turn")}
        made, tricks = facts.get("made"), facts.get("tricks")
        if made is None and tricks is None:
            tricks = self.rng.randint(0, 5)
        self.send("RecordOutcome", name, hand=hand, made=made, tricks=tricks, irregularities=beside or None)

    @rule(seed=seeds)
    def correct(self, seed: int) -> None:
        rng = self.dice(seed)
        state = self.night()
        if state is None:
            return
        name, number = state.opened.night, rng.randint(1, max(1, state.hands))
        step = state.hand(number)
        if self.chance(0.15):
            self.send("VoidHand", name, hand=number, reason="it was never dealt")
        elif step is not None and self.chance(0.15):
            facts = hand_row(state, step)["facts"]
            self.send("CorrectHand", name, hand=number, facts=facts, reason="it was so", note=None)
        else:
            self.send("CorrectHand", name, hand=number, facts=self.facts(state, step), reason="wrong")

    @rule(seed=seeds)
    def undo(self, seed: int) -> None:
        rng = self.dice(seed)
        state = self.night()
        for _ in range(rng.choice([1, 1, 2, 5]) if state else 0):
            assert state is not None
            self.undo_one(state)
            state = self.book.night(state.opened.night)

    def undo_one(self, state: Night) -> None:
        newest = state.newest()
        if self.chance(0.1) and self.sent:
            self.send("Undo", state.opened.night, command=self.rng.choice(self.sent)[1]["id"])
        elif self.chance(0.3):
            self.send("Undo", state.opened.night, version=newest.version if newest else state.version)
        else:
            self.send("Undo", state.opened.night, command=newest.command if newest else self.book.new_id())

    # Seats, chips, rules, words

    @rule(seed=seeds)
    def sit(self, seed: int) -> None:
        rng = self.dice(seed)
        state = self.night()
        if state is None:
            return
        name = state.opened.night
        away = [member for member in MEMBERS if member not in state.seats]
        match rng.choice(["seat", "seat", "leave", "deal", "order", "past", "past"]):
            case "seat":
                where = rng.randint(1, len(state.seats) + 2) if self.chance(0.5) else None
                self.send("SeatPlayer", name, player=rng.choice(away or MEMBERS), seat=where)
            case "leave":
                self.send("UnseatPlayer", name, player=rng.choice(state.seats or MEMBERS))
            case "deal":
                self.send("SetDealer", name, player=rng.choice(state.seats or MEMBERS if self.chance(0.9) else MEMBERS))
            case kind if state.seats:
                since = rng.randint(1, state.hands + 1) if kind == "past" else None
                self.send("Reseat", name, players=rng.sample(state.seats, len(state.seats)), from_hand=since)

    @rule(seed=seeds)
    def move_chips(self, seed: int) -> None:
        rng = self.dice(seed)
        state = self.night()
        if state is None:
            return
        name, amount = state.opened.night, rng.randint(1, 40)
        player, other = rng.sample([*state.purses] if self.chance(0.9) else MEMBERS, 2)
        paid = rng.choice([None, rng.randint(0, 400)])
        match rng.choice(["in", "out", "over"]):
            case "in":
                self.send("BuyIn", name, player=player, chips=amount, paid=paid)
            case "out":
                self.send("CashOut", name, player=player, chips=amount, paid=paid)
            case _:
                self.send("Transfer", name, from_=player, to=other, chips=amount, paid=paid)

    @rule(seed=seeds)
    def pay(self, seed: int) -> None:
        """Move money, or chips where there is no money, outside the hands."""
        rng = self.dice(seed)
        club = self.book.club()
        night = rng.choice([None, None, *club.nights])
        parties: Data = dict(zip(("from_", "to"), rng.sample([*MEMBERS, "till", "till", "shortage"], 2), strict=True))
        amount = rng.randint(1, 120)
        match rng.choice(["pay", "pay", "pay", "reverse", "adjust", "charge", "count"]):
            case "pay":
                self.send("RecordPayment", **parties, amount=amount, night_=night)
            case "reverse" if club.payments:
                self.send("ReversePayment", payment=rng.choice([*club.payments]), reason="it came back")
            case "adjust":
                unit = None if night else rng.choice([None, "GBP", "EUR", "chips:tue.1"])
                self.send("PostAdjustment", **parties, amount=amount, night_=night, unit=unit, reason="agreed")
            case "charge" if night is not None:
                self.send("ChargeTable", night_=night, amount_each=rng.randint(1, 50), reason="tea")
            case _:
                self.send("CountCash", amount=rng.randint(0, 500))

    @rule(seed=seeds)
    def change_money(self, seed: int) -> None:
        rng = self.dice(seed)
        data: Data = {"money": rng.choice([GBP, {**GBP, "chip": rng.randint(1, 30)}, EUR])}
        data["banker"] = rng.choice([None, "till", *MEMBERS[:4]])
        data["pool"] = rng.choice([None, "split", "convert", "keep_worth"])
        self.send("ChangeTable", table="tue", **data)

    @rule(seed=seeds)
    def count(self, seed: int) -> None:
        rng = self.dice(seed)
        state = self.night()
        if state is None:
            return
        counts = {"pool": max(0, state.pool + rng.randint(-6, 4))} if self.chance(0.6) else {}
        for player in rng.sample([*state.purses], rng.randint(0 if counts else 1, 2)):
            counts[player] = state.purses[player].stack + rng.randint(-4, 4)
        self.send("CountChips", state.opened.night, counts=counts, gap=rng.choice(["shortage", "shortage", "leave"]))

    @rule(seed=seeds)
    def change_rules(self, seed: int) -> None:
        rng = self.dice(seed)
        state = self.night()
        if state is None:
            return
        data: Data = {}
        game = state.rulebook
        if self.chance(0.5):
            games = CHIP_GAMES if state.rules.book.family == "nap" else PEPPER
            data["rulebook"] = game = rng.choice(games if self.chance(0.95) else [*CHIP_GAMES, *PEPPER])
        if self.chance(0.5):
            data["house_rules"] = random_house_rules(rng, rulebook_data(game))
        if not data or self.chance(0.3):
            data["stake"] = rng.randint(1, 4)
        self.send("ChangeRules", state.opened.night, **data)

    @rule(seed=seeds)
    def say(self, seed: int) -> None:
        rng = self.dice(seed)
        if state := self.night():
            what = rng.choice(["Dispute", "ResolveDispute", "AddNote"])
            who = {"player": rng.choice(MEMBERS)} if what == "Dispute" and rng.random() < 0.5 else {}
            self.send(what, state.opened.night, hand=rng.randint(1, max(1, state.hands)), note="well", **who)

    # Nights and tables

    @rule(seed=seeds)
    def open_night(self, seed: int) -> None:
        rng = self.dice(seed)
        busy = {self.book.night(name).opened.table for name in self.nights(closed=False)}
        free = [table for table in ("tue", "wed") if table not in busy]
        table = rng.choice(free or ["tue", "wed", "thu"])
        members = [member.id for member in self.book.club().members.values() if not member.archived]
        players = rng.sample(members or MEMBERS, min(len(members), 4 if table == "wed" else rng.randint(2, 6)))
        if not players:
            return
        data: Data = {"rulebook": rng.choice(CHIP_GAMES)} if table == "tue" and self.chance(0.3) else {}
        if self.chance(0.2):
            data["stake"] = rng.randint(1, 4)
        if table == "tue" and self.chance(0.2):
            data["pool"] = rng.randint(1, 9)
        if self.chance(0.3):
            data["banker"] = rng.choice(["till", *MEMBERS])
        if table == "tue" and self.chance(0.1):
            data["money"] = rng.choice([GBP, EUR])
        self.book.next_day()
        self.send("OpenNight", table=table, players=players, dealer=rng.choice(players), **data)

    @rule(seed=seeds)
    def close(self, seed: int) -> None:
        """Close a night, after a hand in progress if need be, and often begin the next."""
        rng = self.dice(seed)
        state = self.night()
        if state is None:
            return
        name = state.opened.night
        if state.open_hand and self.chance(0.8):
            self.send("DeclareMisdeal", name, hand=state.hands)
        choice = rng.choice([None, None, "carry", "split", {"to": rng.choice([*state.purses, *MEMBERS[:1]])}])
        self.send("CloseNight", name, pool=choice)
        if self.chance(0.4):
            self.open_night(seed)

    @precondition(lambda self: self.nights(closed=True))
    @rule(seed=seeds)
    def reopen(self, seed: int) -> None:
        rng = self.dice(seed)
        name = rng.choice(self.nights(closed=True))
        if self.chance(0.4):
            self.undo_one(self.book.night(name))
        else:
            self.send("ReopenNight", name, reason="one hand more")

    @precondition(lambda self: self.nights(closed=True))
    @rule(seed=seeds)
    def correct_a_closed_night(self, seed: int) -> None:
        rng = self.dice(seed)
        state = self.book.night(rng.choice(self.nights(closed=True)))
        number = rng.randint(1, max(1, state.hands))
        facts = self.facts(state, state.hand(number))
        self.send("CorrectClosedHand", night_=state.opened.night, hand=number, facts=facts, reason="wrong")

    @precondition(lambda self: self.nights(closed=True))
    @rule(seed=seeds)
    def a_late_hand(self, seed: int) -> None:
        rng = self.dice(seed)
        late = [*self.book.club().late]
        if late and self.chance(0.4):
            self.send("AdmitLateHand", command=rng.choice(late))
        elif late and self.chance(0.2):
            self.send("RefuseLateHand", command=rng.choice(late), reason="nobody saw it")
        else:
            state = self.book.night(rng.choice(self.nights(closed=True)))
            hand = state.hands + rng.choice([0, 1, 1, 2])
            self.send("RecordHand", state.opened.night, hand=hand, **self.facts(state))

    @rule(seed=seeds)
    def club_affairs(self, seed: int) -> None:
        rng = self.dice(seed)
        member, other = rng.sample(MEMBERS, 2)
        match rng.randint(0, 12):
            case 0:
                self.send("AddMember", name="Somebody")
            case 1:
                self.send("RenameMember", member=member, name=f"{member.title()} W.")
            case 2:
                self.send("ArchiveMember", member=member)
            case 3 | 4 | 5:
                archived = [one.id for one in self.book.club().members.values() if one.archived]
                self.send("RestoreMember", member=rng.choice(archived or MEMBERS))
            case 6:
                self.send("MergeMembers", from_=member, into=other)
            case 7 if self.chance(0.3):
                self.send("EraseMember", member=member)
            case 8:
                self.send("ChangeTable", table="tue", stake=rng.randint(1, 3), rulebook=rng.choice(CHIP_GAMES))
            case 9 if self.chance(0.3):
                self.send("CloseTable", table="tue", pool=rng.choice(["split", "carry", {"to": member}]))
            case 10:
                self.send("FoundClub", club="thursday", name="Another")
            case 11:
                zone = rng.choice([None, "Asia/Kathmandu", "America/Los_Angeles"])
                self.send("ChangeClub", zone=zone, cut_off=rng.choice([None, "00:00", "23:59"]))
            case _:
                self.send("StartSeason", name="Spring")

    @precondition(lambda self: self.sent)
    @rule(seed=seeds)
    def send_again(self, seed: int) -> None:
        """A tablet sends again what it has, at any time; or another command under a known id."""
        rng = self.dice(seed)
        before = dump(self.store)
        request, answer = rng.choice(self.sent)
        if self.chance(0.7):
            self.again(request, answer)
        else:
            other, _answer = rng.choice(self.sent)
            (second,) = self.book.carry_out({**other, "id": request["id"]})
            same = other["type"] == request["type"] and other["data"] == request["data"]
            same = same and other.get("night") == request.get("night")
            assert second["status"] in {"duplicate", "late"} if same else second["code"] == "command_id_reused"
        assert dump(self.store) == before

    # What always holds

    def check_invariants(self, *args: Any, **kwargs: Any) -> None:
        super().check_invariants(*args, **kwargs)
        if self.changed:
            self.changed = False
            self.check()

    def check(self) -> None:
        check(self.book)

    def teardown(self) -> None:
        check_verified(self.book)
        self.store.close()
        self.folder.cleanup()


def points(night: Night) -> Counter[str]:
    """Return what each team scored, in all its games."""
    scored: Counter[str] = Counter()
    for step in night.hand_steps():
        scored.update(step.played.changes if step.played is not None else {})
    return scored


def written(rng: random.Random, rules: Rules, seats: list[str], dealer: str, pool: int) -> Data:
    """Return a hand as the generator of tests.model would write it under these rules."""
    sheet: Data = {"players": seats, "dealer": dealer, "stake": rules.stake, "hands": []}
    if rules.book.family == "nap":
        sheet["pool"] = pool
    model = open_night(sheet, without_nulls(rules.book.effective) | {"id": rules.book.id})
    writer = Writer(rng, model, auctions=0.5, comings=0, unusual=0.35, edge=True)
    facts = writer.hand()
    for player, cards in facts.get("bought", {}).items():
        facts["bought"][player] = max(0, cards)
    return facts


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", sorted(STORES))
def test_any_evening(name: str) -> None:
    money = GBP if name == "memory" else None
    machine = type("Machine", (BookMachine,), {"make": staticmethod(STORES[name]), "money": money})
    examples = settings.default.max_examples if settings.default else 50
    wanted = settings(max_examples=max(1, examples // (5 if name == "memory" else 12)), stateful_step_count=25)
    run_state_machine_as_test(machine, settings=wanted)
