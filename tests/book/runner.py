"""Reads evenings that are written as tables of text (see ``test_evenings``)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

from ledger.club import ClubNight
from ledger.night import Night
from ledger.open_items import is_settled, of_club, of_night
from ledger.projections import games, night_state, running_scores
from ledger.service import Answer, night_stream
from ledger.store import CLUB, EventStore
from tests.book.kit import Book, Data, check, check_verified, dump

MEMBERS: Final = ("ann", "bob", "cal", "dot", "eve", "fay", "gus")
FLAGS: Final = frozenset({"misdeal", "surrendered", "took_card", "took_widow"})
LISTS: Final = frozenset({"players", "out", "peeks", "led", "played"})
NOT_PREVIEWED: Final = frozenset({"duplicate", "command_id_reused"})

Built = tuple[str, Data]


@cache
def played(text: str) -> Evening:
    """Return an evening that was played; where it begins with ``club GBP:10``, in a club that keeps money."""
    first, _end, rest = text.strip().partition("\n")
    if not first.startswith("club "):
        evening = Evening()
        evening.run(text)
    else:
        evening = Evening(money=_value(first.split()[1]))
        evening.run(rest)
    return evening


class Evening(Book):
    """A club of seven, and the night that its lines are about."""

    def __init__(self, store: EventStore | None = None, kept: Callable[[], str] | None = None, **settings: Any) -> None:
        """Begin a book; ``kept`` returns all that its store keeps."""
        super().__init__(store, members=MEMBERS, **settings)
        self.kept = kept or (lambda: dump(self.store))
        self.tonight: str | None = None
        self.table = "tue"
        self.labels: dict[str, tuple[Data, Answer]] = {}
        self.verdicts: set[str] = set()
        self.recorded: set[str] = set()
        self.last: Answer = {}

    def run(self, text: str) -> None:
        for line in text.splitlines():
            if line.strip() and not line.strip().startswith("#"):
                try:
                    self.line(line.strip())
                except AssertionError as error:
                    raise AssertionError(f"{line.strip()}\n{error}\n{self.last}") from error
        check_verified(self)

    def line(self, line: str) -> None:
        told, verdict, *wanted = [*re.split(r"\s{2,}", line, maxsplit=2), ""][:3] if "  " in line else (line, "", "")
        words = told.split()
        match words:
            case ["game", game, *rules]:
                given = _with_own({"house_rules": {}}, _pairs(rules))
                self.done("OpenTable", table="tue", name="Tuesday", rulebook=game, **given)
            case ["on", night]:
                self.tonight, wanted = night, [verdict]
            case ["also"]:
                wanted = [verdict]
            case ["next", "day"]:
                self.next_day()
            case ["again", label, *beside]:
                request, answer = self.labels[label]
                self.answered(request, verdict, beside, preview=False)
                for key in ("version", "position", "events", "changes"):
                    assert self.last[key] == answer[key], key
                assert self.last["balances"].keys() >= answer["balances"].keys()
            case _:
                self.command(words, verdict)
        for expected in wanted:
            self.look(expected)

    def command(self, words: list[str], verdict: str) -> None:
        """Send a command; ``@device``, ``#label`` and ``v=version`` stand beside it."""
        envelope: Data = {}
        if words[0] == "reuse":
            envelope["id"] = self.labels[words[1]][0]["id"]
            words = words[2:]
        if words[0] == "raw":
            request = {"id": self.new_id(), "night": self.tonight, **json.loads(" ".join(words[1:]))}
            self.answered({key: value for key, value in request.items() if value is not None}, verdict, [])
            return
        named = words[1:2] if words[0] in ("undo", "admit", "refuse", "reverse") else []
        beside = [word for word in words if word[0] in "@#" and word not in named]
        for word in words:
            if re.fullmatch(r"v=\d+", word):
                envelope["expected_version"] = int(word[2:])
        words = [word for word in words if word not in beside and not word.startswith("v=")]
        kind, data = self.built(words[0], words[1:])
        night = None if kind in _OF_THE_CLUB or kind == "OpenNight" else self.tonight
        self.answered(self.request(kind, night, data=data, **envelope), verdict, beside)
        if self.last["status"] in ("recorded", "late"):
            self.recorded.add(kind)
            check(self)

    def answered(self, request: Data, verdict: str, beside: list[str], *, preview: bool = True) -> None:
        """Preview a command and send it; the two must agree, and only the second may write, if it is not refused."""
        device = next((word[1:] for word in beside if word[0] == "@"), None)
        before = self.kept()
        if preview and verdict not in NOT_PREVIEWED:
            (previewed,) = self.carry_out(request, dry_run=True)
            assert self.kept() == before, "a preview wrote something"
        (self.last,) = self.carry_out(request, device=device)
        self.verdicts.add(verdict)
        found = self.last.get("code", self.last["status"])
        assert found == verdict, f"{found}, not {verdict}"
        if self.last["status"] in ("refused", "duplicate"):
            assert self.kept() == before, "a refusal wrote something"
        if preview and verdict not in NOT_PREVIEWED:
            assert previewed.get("code", "preview") == self.last.get("code", "preview")
            for key in ("changes", "balances", "pool", "pool_change", "shortage", "detail"):
                assert previewed.get(key) == self.last.get(key), key
        for word in beside:
            if word[0] == "#":
                self.labels[word] = request, self.last
        events = self.last.get("events", [{"type": ""}])
        if events[0]["type"] == "NightOpened":
            row = self.rows()[events[0]["position"] - 1]
            self.tonight = str(row.data["night"])

    # Building commands

    def built(self, word: str, words: list[str]) -> Built:
        build = _COMMANDS.get(word)
        assert build is not None, f"there is no line that begins with {word!r}"
        return build(self, words)

    def newest(self) -> str:
        assert self.tonight is not None
        newest = self.night(self.tonight).newest()
        return self.new_id() if newest is None else newest.command

    # Looking

    def look(self, expected: str) -> None:
        if expected.startswith("/"):
            assert expected.strip("/") in self.last["detail"]
            return
        for pair in expected.split():
            key, _equals, value = pair.partition("=")
            found = self.seen(key)
            assert found == value, f"{key} is {found}, not {value}"

    def seen(self, key: str) -> str:
        """Return what a key stands for, as text."""
        kind, _colon, name = key.partition(":")
        if key.partition("@")[0].partition(":")[0] in _OF_MONEY or "@" in key or (kind == "pool" and name):
            return str(self.seen_of_money(*key.partition("@")[::2]))
        if kind == "name":
            club = self.club()
            with self.store.read(club.id) as reader:
                (kept,) = reader.texts([club.members[name].name["ref"]]).values()
            return f"member_{club.members[name].number}" if kept is None else kept[1]
        if key == "changes":
            return ",".join(f"{who}{change:+}" for who, change in sorted(_by_size(self.last["changes"]))) or "-"
        assert self.tonight is not None
        night = self.night(self.tonight)
        if kind == "stack":
            return str(night.purses[name].stack)
        if kind == "dealt":
            step = night.hand(int(name))
            return "-" if step is None else str(step.facts.dealer)
        if kind == "chips":
            return str(night.purses[name].balance)
        if kind == "paid":
            return str(night.purses[name].paid)
        if "+" in key:
            return str(running_scores(night)[key])
        if key in night.purses:
            return str(night.purses[key].balance)
        return self.seen_of_night(key)

    def seen_of_money(self, key: str, unit: str) -> int:
        """Return an amount of the club's: ``member:ann``, ``cash``, ``open:ann``; ``@EUR`` behind it is its unit.

        Left out, it is what tonight is settled in, and of a pool the chips that its table has now. ``open:n1:ann`` is
        what Ann has open of a night, ``open:night:ann`` of tonight.
        """
        club = self.club()
        kind, _colon, name = key.partition(":")
        if kind == "pool":
            return self.balance(key, unit or club.tables[name].unit)
        unit = unit or self.settled_in()
        if kind != "open":
            return self.balance(key, unit)
        night, _colon, party = name.rpartition(":")
        if not night:
            return of_club(club).get(unit, {}).get(party, 0)
        known = self.known() if night == "night" else club.nights[night]
        return of_night(club, known).get(party, 0)

    def known(self) -> ClubNight:
        assert self.tonight is not None
        return self.club().nights[self.tonight]

    def settled_in(self) -> str:
        return str((self.club().money or {}).get("currency", "")) if self.tonight is None else self.known().unit

    def seen_of_night(self, key: str) -> str:
        assert self.tonight is not None
        night = self.night(self.tonight)
        state = night_state(night, str, settled=is_settled(self.club(), self.known()))
        match key:
            case "pool" | "played":
                return str(state["pool"]["chips"] if key == "pool" else state["hands_played"])
            case "hand":
                return str(state["hand"]["number"])
            case "fed":
                return ",".join(f"{who}:{chips}" for who, chips in sorted(state["pool"]["fed_by"].items())) or "-"
            case "since":
                return str(state["pool"]["since_hand"] or "-")
            case "turn" | "phase":
                return state["hand"][key] or "-"
            case "seats":
                return ",".join(night.seats)
            case "review" | "disputed":
                return ",".join(map(str, state["needs_review" if key == "review" else key])) or "-"
            case "games":
                return str(len(games(night)))
            case "superseded":
                return str(len(state[key]))
            case "shortage":
                return str(self.found_missing(night))
            case "undo":
                return _newest_type(self, state["undo"])
            case _:
                return str(state[key])

    def found_missing(self, night: Night) -> int:
        """Return the chips of tonight's unit that were found missing, in any night and since."""
        streams = (night_stream(name) for name in self.club().nights)
        return sum(self.balance("shortage", night.opened.unit, scope) for scope in (CLUB, *streams))


def _newest_type(evening: Evening, undo: Data | None) -> str:
    if undo is None:
        return "-"
    with evening.store.read(evening.club().id) as reader:
        row = reader.command(undo["command"])
    assert row is not None
    return row.type


def _by_size(changes: dict[str, int]) -> Iterator[tuple[str, int]]:
    return ((who, change) for who, change in changes.items() if change)


# One line, one command


def _open(evening: Evening, words: list[str]) -> Built:
    table = words.pop(0)[:-1] if words[0].endswith(":") else evening.table
    players = [word for word in words if "=" not in word]
    given = _pairs([word for word in words if "=" in word])
    return "OpenNight", {"table": table, "players": players, "dealer": players[0], **given}


def _pairs(words: list[str]) -> Data:
    """Return ``key=value`` as data; a value is JSON, or else text."""
    return {key: _value(value) for key, _equals, value in (word.partition("=") for word in words)}


def _value(value: str) -> Any:
    """Return a value as it is sent; ``GBP:10`` is money, a chip worth 10 of the smallest there are."""
    if re.fullmatch(r"[A-Z]{3}:\d+", value):
        return {"currency": value[:3], "chip": int(value[4:])}
    try:
        return json.loads(value)
    except ValueError:
        return value


def _facts(words: list[str]) -> Data:
    """Return the facts of a hand: ``cal nap made peeks=ann,bob``."""
    facts: Data = {}
    said = ["bidder", "bid"]
    for word in words:
        key, equals, value = word.partition("=")
        if equals:
            facts |= _fact(key, value)
        elif word in ("made", "failed"):
            facts["made"] = word == "made"
        elif word == "passed":
            facts["passed_out"] = True
        elif word in FLAGS:
            facts[word] = True
        else:
            facts[said.pop(0)] = word
    return facts


def _fact(key: str, value: str) -> Data:
    if key in LISTS:
        names = {"led": "led_out_of_turn", "played": "played_out_of_turn"}
        return {names.get(key, key): value.split(",")}
    if key == "bids":
        return {"bids": [call.split(":") for call in value.split(",")]}
    if key == "bought":
        return {"bought": {who: int(cards) for who, cards in (item.split(":") for item in value.split(","))}}
    return {key: _value(value)}


def _record(_evening: Evening, words: list[str]) -> Built:
    return "RecordHand", {"hand": int(words[0]), **_facts(words[1:])}


def _correct(_evening: Evening, words: list[str]) -> Built:
    return "CorrectHand", {"hand": int(words[0]), "facts": _facts(words[1:]), "reason": "it was so"}


def _correct_closed(evening: Evening, words: list[str]) -> Built:
    facts = _facts(words[1:])
    night = facts.pop("night", evening.tonight)
    return "CorrectClosedHand", {"night": night, "hand": int(words[0]), "facts": facts, "reason": "it was so"}


def _outcome(_evening: Evening, words: list[str]) -> Built:
    facts = _facts(words[1:])
    beside = {key: value for key, value in facts.items() if key not in ("made", "tricks")}
    return "RecordOutcome", {"hand": int(words[0]), "irregularities": beside or None} | {
        key: facts[key] for key in ("made", "tricks") if key in facts
    }


def _undo(evening: Evening, words: list[str]) -> Built:
    match words:
        case []:
            return "Undo", {"command": evening.newest()}
        case ["nothing"]:
            return "Undo", {}
        case [word] if word.startswith("#"):
            return "Undo", {"command": evening.labels[word][0]["id"]}
        case _:
            return "Undo", _pairs(words)


def _count(_evening: Evening, words: list[str]) -> Built:
    return "CountChips", {"counts": _pairs(words[:-1]), "gap": words[-1]}


def _close(_evening: Evening, words: list[str]) -> Built:
    if not words:
        return "CloseNight", {}
    return "CloseNight", {"pool": _pairs(words) if "=" in words[0] else words[0]}


def _rules(_evening: Evening, words: list[str]) -> Built:
    return "ChangeRules", _with_own({}, _pairs(words))


def _with_own(beside: Data, given: Data, *more: str) -> Data:
    """Return what is said of a table or its rules: what is no key of the command's own is a house rule."""
    own = {key: given.pop(key) for key in ("rulebook", "stake", "money", "banker", *more) if key in given}
    return beside | own | ({"house_rules": given} if given else {})


def _seat(_evening: Evening, words: list[str]) -> Built:
    return "SeatPlayer", {"player": words[0]} | ({"seat": int(words[1])} if words[1:] else {})


def _reseat(_evening: Evening, words: list[str]) -> Built:
    players = [word for word in words if "=" not in word]
    since = _pairs([word for word in words if "=" in word])
    return "Reseat", {"players": players} | ({"from_hand": since["from"]} if since else {})


def _chips(kind: str) -> Callable[[Evening, list[str]], Built]:
    def build(_evening: Evening, words: list[str]) -> Built:
        names = ("from", "to", "chips") if kind == "Transfer" else ("player", "chips")
        count = len(names)
        given = dict(zip(names, words[:count], strict=True))
        return kind, {**given, "chips": int(given["chips"]), **_pairs(words[count:])}

    return build


def _at_hand(kind: str, *names: str) -> Callable[[Evening, list[str]], Built]:
    """Return the builder of a command that names a hand, then these."""

    def build(_evening: Evening, words: list[str]) -> Built:
        given = {name: _value(word) for name, word in zip(names, words[1:], strict=True)}
        return kind, {"hand": int(words[0]), **given}

    return build


def _with_note(kind: str) -> Callable[[Evening, list[str]], Built]:
    def build(_evening: Evening, words: list[str]) -> Built:
        note = " ".join(words[1:])
        return kind, {"hand": int(words[0])} | ({"note": note} if note else {})

    return build


def _note(_evening: Evening, words: list[str]) -> Built:
    hand = {"hand": int(words.pop(0)[5:])} if words[0].startswith("hand=") else {}
    return "AddNote", {"note": " ".join(words), **hand}


def _take(_evening: Evening, words: list[str]) -> Built:
    return "TakePeepCard", {"hand": int(words[0]), "taken": words[1] == "yes"}


def _named(kind: str, *names: str) -> Callable[[Evening, list[str]], Built]:
    """Return the builder of a command that has just these, and what stands behind an equals sign."""

    def build(_evening: Evening, words: list[str]) -> Built:
        plain = [word for word in words if "=" not in word]
        given = dict(zip(names, plain, strict=False))
        return kind, {**given, **_pairs([word for word in words if "=" in word])}

    return build


def _table(_evening: Evening, words: list[str]) -> Built:
    given = _with_own({"name": words[0].title()}, _pairs(words[2:]))
    return "OpenTable", {"table": words[0], "rulebook": words[1], **given}


def _change_table(_evening: Evening, words: list[str]) -> Built:
    return "ChangeTable", _with_own({"table": words[0]}, _pairs(words[1:]), "name", "pool")


def _close_table(_evening: Evening, words: list[str]) -> Built:
    pool: Any = _pairs(words[1:]) if words[1:] and "=" in words[1] else (words[1:] or ["split"])[0]
    return "CloseTable", {"table": words[0], "pool": pool}


def _late(kind: str) -> Callable[[Evening, list[str]], Built]:
    def build(evening: Evening, words: list[str]) -> Built:
        data: Data = {"command": evening.labels[words[0]][0]["id"]}
        return kind, data | ({"reason": "nobody saw it"} if kind == "RefuseLateHand" else {})

    return build


def _pay(_evening: Evening, words: list[str]) -> Built:
    return "RecordPayment", {"from": words[0], "to": words[1], "amount": int(words[2]), **_pairs(words[3:])}


def _reverse(evening: Evening, words: list[str]) -> Built:
    payment = evening.labels[words[0]][0]["id"] if words[0].startswith("#") else words[0]
    return "ReversePayment", {"payment": payment, "reason": "the cheque came back"}


def _adjust(_evening: Evening, words: list[str]) -> Built:
    data = {"from": words[0], "to": words[1], "amount": int(words[2]), "reason": "it was agreed"}
    return "PostAdjustment", {**data, **_pairs(words[3:])}


def _charge(evening: Evening, words: list[str]) -> Built:
    night = evening.tonight if words[0] == "tonight" else words[0]
    return "ChargeTable", {"night": night, "amount_each": int(words[1]), "reason": "tea"}


_OF_MONEY: Final = frozenset({"member", "open", "cash", "charges", "exchange"})


_COMMANDS: Final[dict[str, Callable[[Evening, list[str]], Built]]] = {
    "open": _open,
    "seat": _seat,
    "unseat": _named("UnseatPlayer", "player"),
    "reseat": _reseat,
    "dealer": _named("SetDealer", "player"),
    "buyin": _chips("BuyIn"),
    "cashout": _chips("CashOut"),
    "transfer": _chips("Transfer"),
    "buy": _at_hand("BuyCards", "player", "cards"),
    "peek": _at_hand("Peek", "player"),
    "bid": _at_hand("Bid", "player", "bid"),
    "pass": _at_hand("Pass", "player"),
    "take": _take,
    "outcome": _outcome,
    "misdeal": _with_note("DeclareMisdeal"),
    "record": _record,
    "correct": _correct,
    "void": lambda _evening, words: ("VoidHand", {"hand": int(words[0]), "reason": "it was never dealt"}),
    "undo": _undo,
    "rules": _rules,
    "count": _count,
    "dispute": _with_note("Dispute"),
    "resolve": _with_note("ResolveDispute"),
    "note": _note,
    "close": _close,
    "reopen": lambda _evening, _words: ("ReopenNight", {"reason": "one hand more"}),
    "found": lambda _evening, _words: ("FoundClub", {"club": "friday", "name": "Another"}),
    "change-club": _named("ChangeClub", "name"),
    "member": _named("AddMember", "member", "name"),
    "rename": _named("RenameMember", "member", "name"),
    "archive": _named("ArchiveMember", "member"),
    "restore": _named("RestoreMember", "member"),
    "merge": _named("MergeMembers", "from", "into"),
    "erase": _named("EraseMember", "member"),
    "table": _table,
    "change-table": _change_table,
    "close-table": _close_table,
    "season": lambda _evening, words: ("StartSeason", dict(zip(("season", "name")[-len(words) :], words, strict=True))),
    "end-season": _named("EndSeason", "season"),
    "close-correct": _correct_closed,
    "admit": _late("AdmitLateHand"),
    "refuse": _late("RefuseLateHand"),
    "pay": _pay,
    "reverse": _reverse,
    "adjust": _adjust,
    "charge": _charge,
    "cash": lambda _evening, words: ("CountCash", {"amount": int(words[0])}),
}

_OF_THE_CLUB: Final = frozenset(
    {
        "FoundClub", "ChangeClub", "AddMember", "RenameMember", "ArchiveMember", "RestoreMember", "MergeMembers",
        "EraseMember", "OpenTable", "ChangeTable", "CloseTable", "StartSeason", "EndSeason", "PublishRulebook",
        "CorrectClosedHand", "AdmitLateHand", "RefuseLateHand", "RecordPayment", "ReversePayment", "PostAdjustment",
        "ChargeTable", "CountCash",
    }
)  # fmt: skip
