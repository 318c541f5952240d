"""Nights as Python plays them, hand by hand and call by call, for the arithmetic in the browser to play again."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any, Final

from ledger import commands as cmd
from ledger import events as ev
from ledger.auction import Auction
from ledger.errors import LedgerError
from ledger.journal import POINTS
from ledger.night import Night, Origin, decide, evolve
from ledger.offline import offline_kit
from ledger.play import auction_of
from ledger.projections import hand_changes
from ledger.rulebooks import preset
from ledger.sheet import read_sheet
from tests.fuzz.nights import PEPPER, Data
from tests.fuzz.nights import night as random_night

STRANGER: Final = "constructor"
"""A player who is never there, called what a careless program finds in any object."""


def night_of(sheet: Data) -> Night:
    """Return the night of a sheet, nothing having been played."""
    read = read_sheet({**sheet, "hands": []})
    book = read.rules.book
    opened = ev.NightOpened(
        night="n", table="t", date="2026-11-26", players=list(read.carry.seats), dealer=read.carry.dealer,
        rulebook=book.id, digest=book.digest, house_rules={}, stake=read.rules.stake, unit="chips:t.1",
        pool=read.carry.pool, pool_added=0, zone="UTC", cut_off="06:00",
    )  # fmt: skip
    night, _entries = evolve(None, opened, Origin("open", 1), lambda _digest, _id: book, recent=False)
    return night._replace(first=read.carry)


def after(night: Night, *commands: Any) -> Night:
    """Return the night behind commands that it takes. Raises ``LedgerError``."""
    book = night.rules.book
    for command in commands:
        for event in decide(night, command):
            origin = Origin(f"c{night.version + 1}", night.version + 1)
            night, _entries = evolve(night, event, origin, lambda _digest, _id: book, recent=False)
    return night


def told(night: Night, number: int) -> Data:
    """Return what a settled hand came to: as the browser tells it, but payments summed by memo and account."""
    step = night.hand(number)
    assert step is not None
    assert step.played is not None
    played = step.played
    chips: dict[str, int] = {}
    sums: dict[str, dict[str, int]] = {}
    for item in step.entries:
        for account, unit, amount in item.postings:
            name = account.removeprefix("player:").replace("pool:t", "pool")
            if unit != POINTS:
                _add(sums.setdefault(item.memo, {}), name, amount)
            if unit != POINTS and name != "pool":
                _add(chips, name, amount)
    if night.carry.game is not None:
        sums[played.bid or "points"] = {team: points for team, points in played.changes.items() if points}
    return {
        "result": played.result,
        "dealer": played.dealer,
        "bidder": played.bidder,
        "bid": played.bid,
        "changes": played.changes,
        "chips": {name: amount for name, amount in chips.items() if amount},
        "pool": played.carry.pool,
        "sums": {
            memo: kept
            for memo, amounts in sums.items()
            if (kept := {name: amount for name, amount in amounts.items() if amount})
        },
        "deal": offline_kit(night)["deal"],
    }


def _add(amounts: dict[str, int], name: str, amount: int) -> None:
    amounts[name] = amounts.get(name, 0) + amount


def recorded(night: Night, facts: Data) -> tuple[Night, Data]:
    """Return the night behind a hand, and what it came to; or the night as it was, and the code of the refusal."""
    number = night.hands + 1 if night.open_hand is None else night.open_hand.number
    try:
        played = after(night, cmd.RecordHand(hand=number, facts=facts))
    except LedgerError as error:
        return night, {"refused": error.code}
    return played, told(played, number)


# What happens at a table, as the browser is asked to follow it


def case_of(sheet: Data, rng: random.Random, *, faults: float = 0.5, steps: float = 0.4) -> Data:
    """A night: the kit it begins with, and one thing after another with what Python makes of it."""
    night = night_of(sheet)
    taps: list[Data] = []
    case = {"id": sheet.get("id"), "kit": offline_kit(night), "taps": taps}
    wanted = list(night.seats)
    for facts in sheet["hands"]:
        hand = dict(facts)
        wanted = hand.get("players", wanted)
        if wanted != list(night.seats):  # somebody came or went while the last hand was played
            hand["players"] = wanted
        for command in _seats(night, hand, rng):
            night = _seated_now(night, command, taps)
        if rng.random() < faults:
            for spoilt in _spoilt(hand, night, rng):
                taps.append({"do": "try", "facts": spoilt, "expect": recorded(night, spoilt)[1]})
        if night.open_hand is None and "bids" in hand and not {"players", "out", "dealer"} & hand.keys():
            taps.extend(_calls(night, hand, rng))
            for command in _steps(night, hand) if rng.random() < steps else ():
                try:
                    night = after(night, command)
                except LedgerError:  # the deal went to another than the sheet thinks
                    break
                taps.append(_in_progress(night))
                if night.open_hand is not None and rng.random() < 0.4:
                    night = _seated_now(night, _meanwhile(night, rng), taps)
            if taps and taps[-1]["do"] == "lay" and night.open_hand is None:  # everybody passed, which settles it
                taps.append({"do": "settle", "facts": taps.pop()["facts"], "expect": told(night, night.hands)})
                continue
        night, expect = recorded(night, hand)
        taps.append({"do": "settle", "facts": hand, "expect": expect})
    return case


def _seated_now(night: Night, command: Any, taps: list[Data]) -> Night:
    kind, place = type(command).__name__, getattr(command, "seat", None)
    try:
        seated = after(night, command)
    except LedgerError as error:
        expect: Data = {"refused": error.code}
    else:
        night, expect = seated, {"deal": offline_kit(seated)["deal"]}
    who = {key: getattr(command, key) for key in ("player", "players") if hasattr(command, key)}
    taps.append({"do": kind, **who, "place": place, "expect": expect})
    return night


def _meanwhile(night: Night, rng: random.Random) -> Any:
    """Somebody comes, goes, sits elsewhere, or is to deal next, while a hand is played; or it is one who cannot."""
    player = rng.choice([*night.seats, STRANGER, "zoe"])
    seat = rng.choice([None, 1, len(night.seats) + 1, len(night.seats) + 2])
    order = rng.sample(night.seats, len(night.seats))
    if rng.random() < 0.2:
        order[0] = player  # now and then one sits there twice, or is a stranger
    return rng.choice(
        [
            cmd.SeatPlayer(player=player, seat=seat),
            cmd.UnseatPlayer(player=player),
            cmd.SetDealer(player=player),
            cmd.Reseat(players=tuple(order)),
        ]
    )


def _seats(night: Night, hand: Data, rng: random.Random) -> Iterator[Any]:
    """Who comes, goes or is to deal does so by a command of its own, now and then, instead of in the facts."""
    seats, wanted = list(night.seats), hand.get("players")
    if wanted is not None and rng.random() < 0.6:
        for player in [player for player in seats if player not in wanted]:
            seats.remove(player)
            yield cmd.UnseatPlayer(player=player)
        for place, player in enumerate(wanted):
            if player not in seats:
                seats.insert(place, player)
                last = place == len(seats) - 1
                yield cmd.SeatPlayer(player=player, seat=None if last else place + 1)
        if seats == wanted:
            del hand["players"]
    if hand.get("dealer") in night.seats and hand["dealer"] in seats and rng.random() < 0.6:
        yield cmd.SetDealer(player=hand.pop("dealer"))


def _steps(night: Night, hand: Data) -> Iterator[Any]:
    """The commands of a hand that is logged step by step, up to its result."""
    number = night.hands + 1
    for player, cards in hand.get("bought", {}).items():
        yield cmd.BuyCards(hand=number, player=player, cards=cards)
    for player in hand.get("peeks", ()):
        yield cmd.Peek(hand=number, player=player)
    for player, call in hand["bids"]:
        if call == "pass":
            yield cmd.Pass(hand=number, player=player)
        else:
            yield cmd.Bid(hand=number, player=player, bid=call)


def _in_progress(night: Night) -> Data:
    """What a hand in progress has cost, and what the kit then is."""
    step = night.open_hand or night.hand(night.hands)
    assert step is not None
    facts: Data = {"bought": dict(step.facts.bought), "peeks": list(step.facts.peeks)}
    if step.facts.bids:
        facts["bids"] = [list(call) for call in step.facts.bids]
    expect = {"changes": hand_changes(step), "pool": night.pool, "deal": offline_kit(night)["deal"]}
    return {"do": "lay", "facts": facts, "expect": expect}


def _calls(night: Night, hand: Data, rng: random.Random) -> Iterator[Data]:
    """An auction after each call: who is next, what he may say, and why somebody else may not say something else."""
    calls, following = hand["bids"], offline_kit(night)["deal"]["next"]
    if following is None:
        return
    seating = night.rules.seating(night.seats, (), night.carry, following["dealer"])
    auction = auction_of(night.rules, night.carry, seating)
    words = [*night.rules.book.bids_by_id, "pass", "grand"]
    for count in range(len(calls) + 1):
        asked = [(rng.choice([*night.seats, STRANGER]), rng.choice(words)) for _ in range(2)]
        if auction.turn is not None:
            asked += [(auction.turn, rng.choice(words)) for _ in range(2)]
        expect = {
            "turn": auction.turn,
            "over": auction.over,
            "passedOut": auction.passed_out,
            "bidder": auction.bidder,
            "bid": auction.bid,
            "mustBid": auction.turn is not None and auction.must_bid(auction.turn),
            "legal": [bid.id for bid in auction.legal_bids()],
            "why": [_why(auction, player, call) for player, call in asked],
        }
        yield {"do": "call", "calls": calls[:count], "asked": [list(one) for one in asked], "expect": expect}
        if count < len(calls):
            try:
                auction.call(*calls[count])
            except LedgerError:
                return


def _why(auction: Auction, player: str, call: str) -> str | None:
    asked = _copied(auction)
    try:
        asked.call(player, call)
    except LedgerError as error:
        return error.code
    return None


def _copied(auction: Auction) -> Auction:
    copy = object.__new__(Auction)
    for name in Auction.__slots__:
        value = getattr(auction, name)
        setattr(copy, name, value.copy() if isinstance(value, list | set) else value)
    return copy


# Facts that somebody got wrong

Spoiler = Callable[[Data, random.Random, Sequence[str]], None]


def _put(key: str, *values: Any) -> Spoiler:
    def spoil(hand: Data, rng: random.Random, _seats: Sequence[str]) -> None:
        hand[key] = deepcopy(rng.choice(values))

    return spoil


def _without(*keys: str) -> Spoiler:
    def spoil(hand: Data, _rng: random.Random, _seats: Sequence[str]) -> None:
        for key in keys:
            hand.pop(key, None)

    return spoil


def _named(key: str, *, many: bool = False) -> Spoiler:
    def spoil(hand: Data, rng: random.Random, seats: Sequence[str]) -> None:
        one = rng.choice([*seats, STRANGER])
        hand[key] = [one] if many else one

    return spoil


def _twice(hand: Data, rng: random.Random, seats: Sequence[str]) -> None:
    one = rng.choice(seats)
    hand[rng.choice(["peeks", "players", "out", "led_out_of_turn"])] = [one, one]


def _bought(hand: Data, rng: random.Random, seats: Sequence[str]) -> None:
    hand["bought"] = {rng.choice([*seats, STRANGER]): rng.choice([0, 1, 5, 6, -1])}


def _shuffled(hand: Data, rng: random.Random, _seats: Sequence[str]) -> None:
    if "bids" in hand:
        hand["bids"] = rng.sample(hand["bids"], rng.randint(0, len(hand["bids"])))


def _seated(hand: Data, rng: random.Random, seats: Sequence[str]) -> None:
    hand["players"] = [*seats, STRANGER] if rng.random() < 0.5 else list(seats)[1:]


def _all_pass(hand: Data, _rng: random.Random, seats: Sequence[str]) -> None:
    _without("bidder", "bid")(hand, _rng, seats)
    hand["bids"] = [[player, "pass"] for player in seats]


def _conceded(hand: Data, rng: random.Random, seats: Sequence[str]) -> None:
    _without("tricks", "made", "revoke", "foul")(hand, rng, seats)
    hand.update(rng.choice([{"surrendered": True}, {"granted": 1}, {"granted": 3}]))


SPOILERS: Final[tuple[Spoiler, ...]] = (
    _put("made", True, False), _put("tricks", 0, 3, 5, 6, 7, 27, -1), _put("granted", 0, 1, 2, 9, 27),
    _put("surrendered", True), _put("took_widow", True), _put("misdeal", True), _put("passed_out", True),
    _put("foul", "opponent", "bidder_more", "bidder_fewer", "both", "nobody"), _put("trumps", "clubs", "none"),
    _put("bid", "one", "two", "nap", "blucher", "six", "grand", "nap_without", "moon"), _put("took_card", True, False),
    _named("bidder"), _named("revoke"), _named("dealer"), _named("out", many=True), _named("peeks", many=True),
    _named("led_out_of_turn", many=True), _named("played_out_of_turn", many=True), _twice, _bought, _shuffled, _seated,
    _all_pass, _conceded, _conceded, _without("bids"), _without("bidder"), _without("bid"), _without("made", "tricks"),
)  # fmt: skip


def _spoilt(hand: Data, night: Night, rng: random.Random) -> Iterator[Data]:
    for _ in range(3):
        spoilt = deepcopy(hand)
        for spoil in rng.sample(SPOILERS, rng.choice([1, 1, 2, 3])):
            spoil(spoilt, rng, night.seats)
        yield spoilt


def random_case(rulebook: str, seed: int, hands: int) -> Data:
    """The same night of the same game for the same seed."""
    rng = random.Random(f"{rulebook} {seed}")
    sheet = random_night(rulebook, seed, hands, comings=0.25, unusual=0.4, edge=True, sheet_id=f"{rulebook} {seed}")
    house = sheet.setdefault("house_rules", {})
    if rulebook in PEPPER:  # else no chips move there
        house |= {"per_game": rng.randint(0, 5), "per_point": rng.randint(0, 2)}
    elif house.get("all_pass", preset(rulebook).all_pass) == "redeal_next":  # what may be bid stays the same
        house |= {"all_pass": rng.choice(["redeal_next", "redeal_same", "double_next"])}
    return case_of({**sheet, "stake": rng.randint(1, 3)}, rng)
