"""A club that has played for weeks: three tables, thirteen nights, and what goes wrong on such nights.

It is the same every time, digests and receipts too: time and chance are made up here. In ``EVENINGS`` each line is one
thing that happens; ``play 6`` are six hands as they come, and what stands behind a bar is said about it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from ledger.night import Night
from ledger.night.decide import next_dealer
from ledger.service import Ledger, Sender, read_request
from ledger.store import EventStore

CLUB: Final = "thursday"

_NAMES: Final = "Maeve Callum Ines Tariq Rosa Zoë Bertrand Olu Łukasz Bert"

_TABLES: Final = (
    {"table": "peep", "name": "Thursday, Peep Nap", "rulebook": "rockets-peep-nap"},
    {"table": "pool", "name": "Sunday, Pool Nap", "rulebook": "foster-pool-nap"},
    {"table": "pepper", "name": "Pepper corner", "rulebook": "rockets-pepper", "house_rules": {"stakes.per_game": 10}},
)

EVENINGS: Final = """
peep 2026-09-03 19:40 maeve callum ines tariq
  play 8
  close
peep 2026-09-10 19:45 maeve callum ines tariq
  play 3
  seat rosa 3
  play 4
  close
pool 2026-09-13 15:05 bertrand olu zoë lukasz
  buy bertrand 60 600
  buy olu 60 600
  buy zoë 60
  buy lukasz 60 300
  play 5
  hand zoë nap failed
  play 3
  close
pepper 2026-09-16 20:10 maeve rosa callum zoë
  play 12
  close
peep 2026-09-17 19:35 callum ines tariq rosa
  play 2
  hand ines three failed peeks callum | Tariq had led a card too early, and took it back.
  undo
  hand ines three made peeks callum
  play 5
  void 4 | It was dealt from the other pack.
  close
pool 2026-09-20 15:00 olu zoë lukasz maeve
  play 9
  close
club 2026-09-22 21:10
  correct pool-2026-09-20 4 zoë two failed | Olu kept the slip: she had taken one trick.
  merge bert bertrand
peep 2026-09-24 19:50 maeve ines tariq rosa
  play 3
  hand maeve nap failed peeks ines tariq
  play 2
  count ines -1 pool -2 | shortage
  play 3
  leave tariq
  play 2
  close
pepper 2026-09-30 20:05 ines tariq rosa olu
  play 16
  close
peep 2026-10-08 19:40 maeve callum ines tariq rosa
  play 4
  hand rosa nap made peeks maeve callum
  play 3
  dispute 6 | Callum says that he had passed.
  play 1
  resolve 6 | He remembers it now.
  close
pool 2026-10-18 15:10 bertrand olu zoë maeve
  play 5
  stake 2
  play 5
  close split
peep 2026-11-05 19:45 maeve callum ines tariq rosa
  play 3
  hand tariq nap failed peeks maeve rosa
  play 2
  hand ines nap made peeks ines callum
  correct 4 tariq nap made peeks maeve rosa | Maeve had revoked in the last trick.
  play 2
  close
pool 2026-11-15 15:00 bertrand olu zoë lukasz maeve
  play 8
  close
peep 2026-11-26 19:40 maeve callum ines tariq
  hand tariq two made peeks callum
  hand maeve three failed peeks maeve ines
  hand callum nap failed peeks callum tariq
  hand ines misere made
  seat rosa 5
  hand rosa nap made peeks maeve ines rosa
  hand tariq three failed peeks rosa
  dispute 6 | Rosa says that it was Four.
  peek maeve
  bid callum two
  bid ines three
club 2026-11-27 10:30
  pay callum till 500 | cash
  pay till olu 1100 | cash
  pay maeve till 300 | bank transfer
  reverse | It was Zoë who paid it.
  pay zoë till 300 | bank transfer
  charge pool-2026-11-15 50 | Tea and cake.
  cash 1195 | Five pence are missing.
"""

_HANDS: Final = {
    "nap": (("one", 4, 90), ("two", 22, 75), ("three", 34, 60), ("misere", 7, 50), ("four", 17, 45), ("nap", 16, 40)),
    "pepper": (("two", 14, 85), ("three", 32, 75), ("four", 30, 65), ("five", 14, 50), ("big_pepper", 10, 30)),
}
"""How often a bid is the last, and how often it is made, of a hundred."""


def play(store: EventStore) -> None:
    """Let the club play in an empty store."""
    _Demo(store).run()


class _Demo:
    def __init__(self, store: EventStore) -> None:
        self._chance = _Chance()
        self._now = datetime(2026, 8, 30, 17, 0, tzinfo=UTC)
        self._ledger = Ledger(store, clock=lambda: self._now, chance=self._chance.bytes)
        self._scorer = Sender(actor="scorekeeper", device="the tablet")
        self._treasurer = Sender(actor="treasurer")
        self._payment = ""

    def run(self) -> None:
        self._ledger.found(CLUB, "The Thursday Table", self._treasurer, money={"currency": "GBP", "chip": 10})
        for name in _NAMES.split():
            self._send("AddMember", name=name, member=_id(name))
        for table in _TABLES:
            self._send("OpenTable", **table)
        night = None
        for line in EVENINGS.strip().splitlines():
            if line.startswith(" "):
                words, _bar, said = line.strip().partition(" | ")
                self._happens(night, words.split(), said)
            else:
                night = self._begin(line.split())

    def _begin(self, words: Sequence[str]) -> str | None:
        table, date, time, *players = words
        self._now = datetime.fromisoformat(f"{date}T{time}:00+00:00")
        if table == CLUB or not players:
            return None
        seats = [_id(name) for name in players]
        night = f"{table}-{date}"
        self._send("OpenNight", table=table, night=night, players=seats, dealer=seats[-1])
        return night

    def _happens(self, night: str | None, words: Sequence[str], said: str) -> None:
        verb, *rest = words
        if night is None:
            self._at_home(verb, rest, said)
            return
        match verb, rest:
            case "play", [count]:
                for _ in range(int(count)):
                    self._hand(night, self._any_hand(self._night(night)), "")
            case "hand", [*told]:
                self._hand(night, _facts(told), said)
            case "stake", [stake]:
                self._send("ChangeRules", night, stake=int(stake))
            case "buy", [player, chips, *paid]:
                self._send("BuyIn", night, player=_id(player), chips=int(chips), paid=sum(map(int, paid)))
            case "seat", [player, seat]:
                self._send("SeatPlayer", night, player=_id(player), seat=int(seat))
            case "leave", [player]:
                self._send("UnseatPlayer", night, player=_id(player))
            case "undo", []:
                newest = self._night(night).newest()
                assert newest is not None
                self._send("Undo", night, command=newest.command)
            case "correct", [hand, *told]:
                self._send("CorrectHand", night, hand=int(hand), facts=_facts(told), reason=said)
            case "void", [hand]:
                self._send("VoidHand", night, hand=int(hand), reason=said)
            case "count", [*gaps]:
                self._send("CountChips", night, counts=self._counts(self._night(night), gaps), gap=said)
            case "dispute", [hand]:
                self._send("Dispute", night, hand=int(hand), note=said)
            case "resolve", [hand]:
                self._send("ResolveDispute", night, hand=int(hand), note=said)
            case "peek", [player]:
                self._send("Peek", night, hand=self._next(night), player=_id(player))
            case "bid", [player, bid]:
                self._send("Bid", night, hand=self._next(night), player=_id(player), bid=bid)
            case "close", [*pool]:
                self._send("CloseNight", night, pool=pool[0] if pool else "carry")
            case _:
                raise AssertionError(f"nobody knows how to {verb} {rest}")

    def _at_home(self, verb: str, words: Sequence[str], said: str) -> None:
        """What the treasurer does between two nights."""
        match verb, words:
            case "correct", [night, hand, *told]:
                facts = _facts(told)
                self._send("CorrectClosedHand", at=night, hand=int(hand), facts=facts, reason=said)
            case "merge", [one, other]:
                self._send("MergeMembers", from_=_id(one), into=_id(other))
            case "pay", [payer, payee, amount]:
                verdict = self._send("RecordPayment", from_=_id(payer), to=_id(payee), amount=int(amount), method=said)
                self._payment = verdict["id"]
            case "reverse", []:
                self._send("ReversePayment", payment=self._payment, reason=said)
            case "charge", [night, amount]:
                self._send("ChargeTable", at=night, amount_each=int(amount), reason=said)
            case "cash", [amount]:
                self._send("CountCash", amount=int(amount), note=said)
            case _:
                raise AssertionError(f"nobody knows how to {verb} {words}")

    def _send(self, kind: str, night: str | None = None, at: str | None = None, **data: object) -> dict[str, Any]:
        self._now += timedelta(seconds=60 + self._chance.below(150))
        command: dict[str, Any] = {
            "id": self._ledger.new_id(),
            "type": kind,
            "data": {key.rstrip("_"): value for key, value in data.items()} | ({} if at is None else {"night": at}),
        }
        sender = self._treasurer if night is None else self._scorer
        request = read_request(command if night is None else {**command, "night": night})
        (verdict,) = self._ledger.carry_out(CLUB, [request], sender)
        assert verdict["status"] == "recorded", (kind, data, verdict)
        return verdict

    def _hand(self, night: str, facts: Mapping[str, Any], note: str) -> None:
        self._now += timedelta(seconds=100)
        told = {**facts, "note": note} if note else facts
        self._send("RecordHand", night, hand=self._next(night), **told)

    def _night(self, night: str) -> Night:
        with self._ledger.store.read(CLUB) as reader:
            return self._ledger.night(CLUB, night, reader)

    def _next(self, night: str) -> int:
        state = self._night(night)
        return state.hands + (state.open_hand is None)

    def _counts(self, night: Night, gaps: Sequence[str]) -> dict[str, int]:
        """Return what lies on the table: what the book says, but for the gaps."""
        counts = {player: purse.stack for player, purse in night.purses.items()} | {"pool": night.pool}
        missing = dict(zip(gaps[::2], map(int, gaps[1::2]), strict=True))
        return {who: chips + missing.get(who, 0) for who, chips in counts.items()}

    def _any_hand(self, night: Night) -> dict[str, Any]:
        """Return a hand as it might come."""
        book = night.rules.book
        players = night.rules.seating(night.seats, (), night.carry, next_dealer(night)).eldest_first
        bids = [row for row in _HANDS[book.family] if row[0] in book.bids_by_id]
        bid, _often, luck = bids[self._chance.weighted([often for _bid, often, _made in bids])]
        made = self._chance.below(100) < luck
        facts: dict[str, Any] = {"bidder": players[self._chance.below(len(players))], "bid": bid}
        if book.pool.peek is not None:
            facts["peeks"] = [player for player in players if self._chance.below(100) < 35]
        if book.family == "nap":
            return {**facts, "made": made}
        needed = book.bids_by_id[bid].tricks
        return {**facts, "tricks": needed + self._chance.below(book.tricks - needed + 1) if made else needed - 1}


def _facts(words: Sequence[str]) -> dict[str, Any]:
    """Read a hand: bidder, bid, made or failed, and who peeked."""
    bidder, bid, result, *peeks = words
    facts: dict[str, Any] = {"bidder": _id(bidder), "bid": bid, "made": result == "made"}
    return {**facts, "peeks": [_id(player) for player in peeks[1:]]} if peeks else facts


def _id(name: str) -> str:
    return {"Zoë": "zoe", "zoë": "zoe", "Łukasz": "lukasz"}.get(name, name.lower())


class _Chance:
    """Bytes that look like chance and are the same every time."""

    def __init__(self) -> None:
        self._bytes = self._endless()

    def bytes(self, count: int) -> bytes:
        return bytes(next(self._bytes) for _ in range(count))

    def below(self, limit: int) -> int:
        return int.from_bytes(self.bytes(4), "big") % limit

    def weighted(self, weights: Sequence[int]) -> int:
        left = self.below(sum(weights))
        for index, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return index
        raise AssertionError("chance went over the edge")

    @staticmethod
    def _endless() -> Iterator[int]:
        count = 0
        while True:
            yield from hashlib.sha256(f"kittybook demo {count}".encode()).digest()
            count += 1
