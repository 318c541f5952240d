"""What the tests of faults share: evenings written down as commands, and what another reading makes of them."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner, Result

from ledger.audit import verify_book
from ledger.cli import main
from ledger.service import Ledger, Sender, read_request
from ledger.store import CLUB, Recorded
from ledger.stores import SqliteStore
from tests.book.kit import THE_CLUB, everything
from tests.fuzz.nights import rulebook_data
from tests.model import ChipNight, open_night
from tests.model.generate import Writer

Data = dict[str, Any]

MEMBERS: Final = ("ann", "bob", "cal", "dot")
SENDER: Final = Sender(actor="scorer", device="tablet-1")

GAMES: Final = ("rockets-peep-nap", "russian-napoleon", "rockets-pool-nap", "foster-purchase-nap")
"""Peeks; an ante every deal and a refund; an opening and the dealer's stake; purchases."""


# Evenings as commands, each with the id it is sent with, however often


@dataclass(kw_only=True)
class Evening:
    """One night of a table: the commands in order, and the sheet that they come to."""

    night: str
    table: str
    sheet: Data
    commands: list[Data] = field(default_factory=list)

    def send(self, kind: str, **data: Any) -> str:
        command = str(uuid.UUID(int=self._rng.getrandbits(128), version=4))
        self.commands.append({"id": command, "type": kind, "data": data, "night": self.night})
        return command

    def __post_init__(self) -> None:
        self._rng = random.Random(self.night)


def founded(path: Path, tables: Iterable[str] = GAMES, **settings: Any) -> None:
    """Make a store with a club, its members, and a table of each of these games, called as the game is."""
    with SqliteStore(path, create=True) as store:
        ledger = Ledger(store)
        ledger.found(THE_CLUB, "The Thursday Club", SENDER, **settings)
        commands = [("AddMember", {"member": name, "name": name.title()}) for name in MEMBERS]
        commands += [("OpenTable", {"table": game, "name": game, "rulebook": game}) for game in tables]
        for kind, data in commands:
            done(ledger, {"id": ledger.new_id(), "type": kind, "data": data})


def done(ledger: Ledger, *requests: Data) -> list[Data]:
    """Send commands that must be recorded, or have been."""
    answers = ledger.carry_out(THE_CLUB, [read_request(request) for request in requests], SENDER)
    for request, answer in zip(requests, answers, strict=True):
        assert answer["status"] in {"recorded", "duplicate"}, (request, answer)
    return answers


def evenings(seed: int, count: int, hands: int, games: tuple[str, ...] = GAMES) -> list[Evening]:
    """Write down evenings one after another: hands whole and step by step, undone, corrected; pools carried over."""
    rng = random.Random(seed)
    pools: Counter[str] = Counter()
    written = []
    for number in range(1, count + 1):
        game = games[number % len(games)]
        sheet: Data = {"players": list(MEMBERS), "dealer": rng.choice(MEMBERS), "pool": pools[game], "hands": []}
        sheet["rulebook"] = game
        evening = Evening(night=f"night-{seed}-{number}", table=game, sheet=sheet)
        evening.send("OpenNight", table=game, night=evening.night, players=list(MEMBERS), dealer=sheet["dealer"])
        for hand in range(1, hands + 1):
            _write_hand(rng, evening, hand)
        evening.send("CloseNight")
        pools[game] = scored(evening)["pool"]
        written.append(evening)
    return written


def scored(evening: Evening) -> Data:
    """Return what the other reading of the rules makes of an evening."""
    return _model(evening.sheet).result()


def _model(sheet: Data) -> ChipNight:
    model = open_night(sheet, rulebook_data(sheet["rulebook"]))
    assert isinstance(model, ChipNight)
    for facts in sheet["hands"]:
        model.play(facts)
    return model


def _write_hand(rng: random.Random, evening: Evening, number: int) -> None:
    facts = _next_facts(rng, evening.sheet)
    if rng.random() < 0.15:
        wrong = evening.send("RecordHand", hand=number, bidder=rng.choice(MEMBERS), bid="three", made=True)
        evening.send("Undo", command=wrong)
    if rng.random() < 0.6 and _can_be_tapped(facts):
        _tap(evening, number, facts)
    else:
        evening.send("RecordHand", hand=number, **facts)
    evening.sheet["hands"].append(facts)
    if rng.random() < 0.15:
        _correct(rng, evening)


def _next_facts(rng: random.Random, sheet: Data) -> Data:
    return Writer(rng, _model(sheet), auctions=0.7, comings=0, unusual=0.2, edge=False).hand()


def _can_be_tapped(facts: Data) -> bool:
    """Tell whether a hand can be logged as it happens: an auction that somebody won, and the deal in turn."""
    return (
        not {"dealer", "out"} & set(facts)
        and any(bid != "pass" for _player, bid in facts.get("bids", ()))
        and _ended(facts)
    )


def _ended(facts: Data) -> bool:
    return not facts.get("misdeal") and not facts.get("passed_out") and ("made" in facts or "tricks" in facts)


def _tap(evening: Evening, hand: int, facts: Data) -> None:
    for player in facts.get("peeks", ()):
        evening.send("Peek", hand=hand, player=player)
    for player, cards in facts.get("bought", {}).items():
        evening.send("BuyCards", hand=hand, player=player, cards=cards)
    for player, bid in facts["bids"]:
        if bid == "pass":
            evening.send("Pass", hand=hand, player=player)
        else:
            evening.send("Bid", hand=hand, player=player, bid=bid)
    outcome = {key: facts[key] for key in ("made", "tricks", "note") if key in facts}
    beside = {key: value for key, value in facts.items() if key not in _TAPPED}
    evening.send("RecordOutcome", hand=hand, **outcome, **({"irregularities": beside} if beside else {}))


_TAPPED: Final = frozenset({"peeks", "bought", "bids", "bidder", "bid", "made", "tricks", "note"})


def _correct(rng: random.Random, evening: Evening) -> None:
    """Turn a hand that was made into one that failed, or the other way; who deals what stays as it was."""
    hands: list[Data] = evening.sheet["hands"]
    number = rng.randint(1, len(hands))
    facts = hands[number - 1]
    if set(facts) <= {"peeks", "bought", "bids", "bidder", "bid", "made"} and "made" in facts and _ended(facts):
        hands[number - 1] = facts = {**facts, "made": not facts["made"]}
        evening.send("CorrectHand", hand=number, facts=facts, reason="told otherwise")


# What must hold in the end


def assert_kept(path: Path, written: Iterable[Evening]) -> None:
    """The book holds these evenings and no more, each command once, and all comes to what the other reading says."""
    written = list(written)
    with SqliteStore(path) as store:
        ledger = Ledger(store)
        rows = everything(store)
        assert_no_fault(ledger)
        _assert_once(rows, written)
        members: Counter[str] = Counter()
        pools: dict[str, int] = {}
        with store.read(THE_CLUB) as reader:
            for evening in written:
                night = ledger.night(THE_CLUB, evening.night, reader)
                told = scored(evening)
                assert [step.number for step in night.hand_steps()] == list(range(1, len(evening.sheet["hands"]) + 1))
                assert {player: purse.balance for player, purse in night.purses.items()} == told["balances"]
                assert night.closed
                members.update(told["balances"])
                pools[evening.table] = told["pool"]
            units = {table: f"chips:{table}.1" for table in pools}
            for table, pool in pools.items():
                assert reader.balance(f"pool:{table}", units[table], CLUB) == pool
            for member in MEMBERS:
                assert sum(reader.balance(f"member:{member}", unit, CLUB) for unit in units.values()) == members[member]


def assert_no_fault(ledger: Ledger) -> None:
    assert [str(finding) for finding in verify_book(ledger, THE_CLUB) if finding.is_fault] == []


def _assert_once(rows: list[Recorded], written: list[Evening]) -> None:
    streams = {f"night:{evening.night}" for evening in written}
    found = [row for row in rows if row.stream in streams]
    order = {row.command_id: None for row in found}  # as recorded, each once
    assert [*order] == [command["id"] for evening in written for command in evening.commands]
    ends = Counter(command for command, _follower in _changes(found))
    assert set(ends.values()) <= {1}, "a command was written in two places"


def _changes(rows: list[Recorded]) -> Iterator[tuple[str, str | None]]:
    """Yield each command where its run of events ends."""
    followers = [*rows[1:], None]
    for row, follower in zip(rows, followers, strict=True):
        if follower is None or follower.command_id != row.command_id:
            yield row.command_id, follower and follower.command_id


# The command line


def kittybook(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    """Run a command in this process. Whatever it met, it told it in words and not by a traceback."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(f"kittybook {arguments} ended in a traceback") from result.exception
    return result


def balances(ledger: Ledger, night: str) -> Mapping[str, int]:
    with ledger.store.read(THE_CLUB) as reader:
        return {player: purse.balance for player, purse in ledger.night(THE_CLUB, night, reader).purses.items()}
