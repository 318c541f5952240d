"""The arithmetic in the browser comes to what Python comes to, in every game, hand by hand and call by call."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page

from ledger import commands as cmd
from ledger import events as ev
from ledger.errors import LedgerError
from ledger.night import Night, Origin, evolve
from ledger.offline import offline_kit
from ledger.play import rules_for
from ledger.play.carry import team_names
from ledger.projections import night_state
from ledger.rulebooks import preset, preset_ids
from ledger.sheet import differences
from tests.browser.engine_cases import after, night_of, random_case, recorded
from tests.browser.kit import make_empty, served
from tests.fuzz.nights import GAMES, Data

ENGINE: Final = Path(__file__).parents[2] / "web" / "static" / "table" / "engine"
PLAYER: Final = Path(__file__).parent / "engine_player.mjs"
CASES: Final = Path(__file__).parents[1] / "cases"
SHEETS: Final = [json.loads(line) for file in sorted(CASES.glob("*.jsonl")) for line in file.read_text().splitlines()]
NIGHTS: Final = 5
HANDS: Final = 8

LOADED: Final = """async () => {
  const [hand, auction, player] = await Promise.all(
    ["engine/hand", "engine/auction", "engine_player"].map((name) => import(`/static/table/${name}.mjs`)));
  globalThis.hand = hand;
  globalThis.auction = auction;
  globalThis.play = (cases) => JSON.stringify(player.play({hand, auction}, JSON.parse(cases)));
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page of the product that has loaded the engine as it is served, and what plays nights with it."""
    path = tmp_path_factory.mktemp("engine") / "empty.db"
    with served(path, make_empty(path)) as address, browser.new_context() as context:
        page = context.new_page()
        page.route(
            "**/static/table/engine_player.mjs",
            lambda route: route.fulfill(body=PLAYER.read_text(encoding="utf-8"), content_type="text/javascript"),
        )
        page.goto(f"{address}/settings")
        page.evaluate(LOADED)
        yield page


def play(page: Page, cases: list[Data]) -> tuple[list[str], Counter[str]]:
    """Let the browser play nights; return what differs, and how often it did what."""
    answer = json.loads(page.evaluate("(cases) => play(cases)", json.dumps(cases)))
    return answer["differences"], Counter(answer["counts"])


def settle(page: Page, kit: Data, facts: Mapping[str, Any]) -> Data:
    told: Data = page.evaluate("([kit, facts]) => hand.settle(kit, facts)", [kit, facts])
    return told


@pytest.fixture(scope="module")
def cases() -> list[Data]:
    return [random_case(game, seed, HANDS) for game in GAMES for seed in range(NIGHTS)]


def test_every_game_comes_to_the_same_in_both_languages(page: Page, cases: list[Data]) -> None:
    found, counts = play(page, cases)
    assert found == []
    assert len(GAMES) == 25
    assert counts["settle"] >= 1_000
    assert counts["call"] > 1_200
    assert counts["lay"] > 400
    assert counts["try"] > 1_400
    assert min(counts[kind] for kind in ("SeatPlayer", "UnseatPlayer", "SetDealer", "Reseat")) > 30


def test_what_happens_at_tables_happened(cases: list[Data]) -> None:
    """Else the test before this one would prove less than it seems to."""
    taps = [tap for case in cases for tap in case["taps"]]
    settled = [tap["expect"] for tap in taps if tap["do"] == "settle" and "refused" not in tap["expect"]]
    assert {told["result"] for told in settled} == {"made", "failed", "void", "passed_out", "misdeal"}
    memos = {memo for told in settled for memo in told["sums"]}
    assert memos >= {
        "opening stake", "ante", "dealer's stake", "join fee", "peek", "purchase", "peek returned", "purchase returned",
        "misdeal", "revoke", "led out of turn", "played out of turn", "pool taken", "pool doubled", "into the pool",
        "stakes returned", "game won",
    }  # fmt: skip
    deals = [told["deal"] for told in settled]
    assert any(deal["doubled"] for deal in deals)
    assert any(deal["standing"] and deal["standing"]["passed"] for deal in deals)
    assert any(deal["game"] and deal["game"]["number"] > 1 for deal in deals)
    refused = {tap["expect"].get("refused") for tap in taps if tap["do"] == "try"}
    assert refused >= {
        "already_peeked", "auction_open", "bad_value", "bid_unknown", "bidder_missing", "facts_clash", "forced_bid",
        "grant_refused", "no_peeks", "no_purchases", "no_widow", "not_seated", "not_your_turn", "out_of_range",
        "result_clash", "result_missing", "sits_out", "surrender_refused", "too_few_players", "too_many_players",
        "widow_needs_nap",
    }  # fmt: skip
    whys = {why for tap in taps if tap["do"] == "call" for why in tap["expect"]["why"]}
    assert whys >= {
        None, "already_spoken", "auction_over", "bid_needs_nap", "bid_needs_wellington", "bid_too_low", "bid_unknown",
        "forced_bid", "not_your_turn", "own_bid", "sits_out",
    }  # fmt: skip


@pytest.mark.parametrize("what", ["chips", "times", "all_pass", "points", "tricks"])
def test_rules_that_differ_in_one_thing_are_noticed(page: Page, cases: list[Data], what: str) -> None:
    spoilt: list[Data] = json.loads(json.dumps(cases[::NIGHTS]))
    for case in spoilt:
        moves, deal = case["kit"]["moves"], case["kit"]["deal"]
        for contract in moves["contracts"].values():
            for move in contract["failed"]:
                if what == "chips":
                    move["chips"] += 1
                if what == "times" and move["times"] == "held":
                    move["times"] = "once"
        if what == "all_pass":
            deal["auction"]["all_pass"] = "dealer_min"
        if what == "points":
            for outcomes in moves["points"].values():
                outcomes["surrendered"] = [0, 0]
        if what == "tricks":
            for bid in case["kit"]["ladder"]:
                bid["tricks"] -= 1
    found, _counts = play(page, spoilt)
    assert found


# Sheets whose results are known


SHEET_BY_SHEET: Final = """(text) => {
  const [rules, sheets] = JSON.parse(text);
  return JSON.stringify(sheets.map(([key, deal, hands]) => {
    let kit = {...rules[key], deal};
    const rows = [];
    for (const facts of hands) {
      const told = hand.settle(kit, facts);
      kit = told.kit;
      rows.push({...told, seats: kit?.deal.seats, game: kit?.deal.game, kit: null});
      if (told.refused) break;
    }
    return rows;
  }));
}"""


def test_shared_sheets_and_the_examples_of_every_rulebook_come_out(page: Page) -> None:
    examples = [
        {**example, "id": f"{name}: {example['name']}", "rulebook": name}
        for name in preset_ids()
        for example in preset(name).examples
    ]
    nights: dict[str, Night] = {}
    sheets: dict[str, Data] = {}
    for sheet in (*SHEETS, *examples):
        with suppress(LedgerError):  # what is refused before a hand is played never gets to a table
            nights[sheet["id"]] = night_of(sheet)
            sheets[sheet["id"]] = sheet
    rules, asked = {}, []
    for name, sheet in sheets.items():
        kit = offline_kit(nights[name])
        rules[id(kit["moves"])] = {key: kit[key] for key in ("moves", "ladder")}  # the same for many a night
        asked.append([id(kit["moves"]), kit["deal"], sheet["hands"]])
    told = json.loads(page.evaluate(SHEET_BY_SHEET, json.dumps([rules, asked])))
    wrong = [
        f"{name}: {line}"
        for (name, sheet), rows in zip(sheets.items(), told, strict=True)
        for line in differences(sheet["expect"], _answer(nights[name], rows))
    ]
    assert wrong == []
    assert len(told) > 0.98 * (len(SHEETS) + len(examples))


def _answer(night: Night, rows: list[Data]) -> Data:
    """Return what ``score`` answers, of what the browser says of each hand."""
    last = rows[-1] if rows else None
    if last is not None and "refused" in last:
        return {"error": {"code": last["refused"], "detail": "", "hand": len(rows)}}
    first_game = night.carry.game
    balances = dict.fromkeys(night.seats, 0) if first_game is None else {}
    pool, games = night.carry.pool, []
    hands = []
    for number, row in enumerate(rows, start=1):
        pool = row["pool"]
        hands.append({"hand": number, **{key: row[key] for key in ("result", "dealer", "changes", "pool")}})
        if row["bid"] is not None:
            hands[-1] |= {"bidder": row["bidder"], "bid": row["bid"]}
        game = row["game"]
        if game is None:
            for player in {*row["seats"], *row["changes"]}:
                balances[player] = balances.get(player, 0) + row["changes"].get(player, 0)
            continue
        names = ["+".join(game["first"]), "+".join(game["second"])]
        balances = dict(zip(names, game["scores"], strict=True))
        if game["winner"] is not None:
            games.append({"winner": game["winner"], "last_hand": number, "scores": balances, "chips": row["chips"]})
    if first_game is not None and not rows:
        balances = dict(zip(team_names(first_game), first_game.scores, strict=True))
    return {
        "hands": hands,
        "balances": balances,
        "pool": pool,
        "winner": games[-1]["winner"] if games else None,
        "games": games,
    }


# What a screen asks


@pytest.mark.parametrize("game", GAMES)
def test_a_screen_is_told_what_may_end_a_hand_and_what_things_cost(page: Page, game: str) -> None:
    night = _opened(game, stake=2)
    book, kit = night.rules.book, offline_kit(night)
    buy = book.pool.buy
    assert page.evaluate("(kit) => hand.prices(kit)", kit) == {
        "peek": None if book.pool.peek is None else 2 * book.pool.peek,
        "buy": buy and {"price": 2 * buy.price, "per": buy.per, "most": 5},
        "widow": "nap" if book.pool.widow else None,
    }
    bidder = kit["deal"]["next"]["eldest_first"][0]
    told = page.evaluate("(kit) => kit.ladder.map(({id}) => hand.endings(kit, {bid: id}))", kit)
    for bid, ending in zip(kit["ladder"], told, strict=True):
        contract = {"bidder": bidder, "bid": bid["id"], "trumps": "hearts"}

        def taken(facts: Data, /, contract: Data = contract) -> bool:
            return "refused" not in recorded(night, {**contract, **facts})[1]

        assert ending["by"] == ("tricks" if book.family == "pepper" else "made")
        assert taken({"tricks": ending["tricks"]})
        assert not taken({"tricks": ending["tricks"] + 1})
        made = recorded(night, {**contract, "tricks": ending["needed"]})[1]
        assert made["result"] == "made"
        over = recorded(night, {**contract, "tricks": min(ending["tricks"], ending["needed"] + 1)})[1]
        assert over["result"] == ("failed" if ending["exactly"] else "made")
        assert taken({"surrendered": True}) == ending["surrender"]
        assert [tricks for tricks in range(1, 7) if taken({"granted": tricks})] == [*range(1, ending["granted"] + 1)]
        assert taken({"took_widow": True, "made": True}) == ending["widow"]
        assert taken({"led_out_of_turn": [bidder], "tricks": 1}) == ending["outOfTurn"]
        assert all(taken({"foul": foul, "tricks": 1}) for foul in ending["fouls"])
        assert all(taken({"revoke": player}) for player in ending["revoke"])
        assert ("refused" not in recorded(night, {"passed_out": True})[1]) == ending["mayPassOut"]
        forced = {"bidder": ending["forced"], "bid": ending["lowest"], "tricks": 1}
        assert ending["mayPassOut"] or "refused" not in recorded(night, forced)[1]


def test_with_too_few_for_a_hand_somebody_still_has_to_bid(page: Page) -> None:
    kit = offline_kit(_opened("foster-widow-nap"))
    left = page.evaluate("(kit) => 'BCD'.split('').reduce((now, player) => hand.unseat(now, player), kit)", kit)
    assert left["deal"]["next"] is None
    told = page.evaluate("(kit) => hand.endings(kit)", left)
    assert (told["mayPassOut"], told["forced"]) == (False, None)
    assert page.evaluate("(kit) => hand.dealt(kit).refused", left) == "too_few_players"


def test_other_rules_from_the_next_hand_on_are_left_to_the_server(page: Page) -> None:
    night = after(_opened("rockets-peep-nap"), cmd.Peek(hand=1, player="B"))
    dear = rules_for(preset("rockets-peep-nap"), 3)
    changed = ev.RulesChanged(rulebook="rockets-peep-nap", digest="", house_rules={}, stake=3)
    night, _entries = evolve(night, changed, Origin("c", 9), lambda _digest, _id: dear.book)
    facts = {"peeks": ["B"], "bidder": "A", "bid": "three", "made": True}
    told = settle(page, offline_kit(night), facts)
    assert told["changes"] == {"A": 9, "B": -4, "C": -3, "D": -3} == recorded(night, facts)[1]["changes"]
    assert told["kit"] is None
    for call in (
        "settle(null, {})",
        "lay(null, {})",
        "seat(null, 'A')",
        "unseat({}, 'A')",
        "deals({}, 'A')",
        "reseat({}, [])",
        "dealt({})",
    ):
        assert page.evaluate(f"() => hand.{call}")["refused"] == "unknown"
    assert page.evaluate("() => auction.auction(null, []).why('pass')") == "unknown"


def test_who_sits_down_while_a_hand_waits_to_be_sent_is_dealt_in_behind_it(page: Page) -> None:
    night = _opened("rockets-peep-nap")
    facts: Data = {"peeks": ["B"], "bidder": "A", "bid": "three", "made": True}
    rows: list[Data] = [
        {"type": "Peek", "data": {"hand": 1, "player": "B"}},
        {"type": "SeatPlayer", "data": {"player": "zoe", "seat": 2}},
        {"type": "UnseatPlayer", "data": {"player": "C"}},
        {"type": "Reseat", "data": {"players": ["A", "B", "D", "zoe"]}},
        {"type": "RecordHand", "data": {"hand": 1, **facts}},
    ]
    view = page.evaluate(
        """async ([state, rows]) => {
          const { projected } = await import("/static/table/projection.mjs");
          const { kit, hands } = projected({ state, last: [], rows, draft: null, members: [] });
          return { deal: kit.deal, changes: hands[0].changes };
        }""",
        [
            night_state(night, str) | offline_kit(night),
            [{"status": "waiting", "version": None} | row for row in rows],
        ],
    )
    sent = after(
        night,
        cmd.Peek(hand=1, player="B"),
        cmd.SeatPlayer(player="zoe", seat=2),
        cmd.UnseatPlayer(player="C"),
        cmd.Reseat(players=("A", "B", "D", "zoe")),
        cmd.RecordHand(hand=1, facts=facts),
    )
    assert view["changes"] == {"A": 9, "B": -4, "C": -3, "D": -3}
    assert view["deal"] == offline_kit(sent)["deal"]
    assert sent.seats == ("A", "B", "D", "zoe")


def test_what_the_browser_does_not_know_it_does_not_guess(page: Page) -> None:
    kit = offline_kit(_opened("rockets-peep-nap"))
    facts = {"bidder": "A", "bid": "three", "made": True}
    assert settle(page, kit, facts)["changes"]["A"] == 9
    assert settle(page, kit, {**facts, "insurance": 2}) == {"refused": "unknown", "field": "insurance"}
    assert settle(page, {**kit, "deal": None}, facts)["refused"] == "unknown"
    for key, value in (("times", "twice"), ("payer", "neighbours")):
        other = json.loads(json.dumps(kit))
        other["moves"]["contracts"]["three"]["made"].append(
            {"memo": "new", "payer": "opponents", "receiver": "pool", "chips": 1, "times": "once", "in_place_of": ""}
            | {key: value}
        )
        assert settle(page, other, facts)["refused"] == "unknown"


def test_more_chips_than_can_be_counted_are_refused(page: Page) -> None:
    sheet = {"rulebook": "rockets-peep-nap", "players": ["A", "B", "C"], "dealer": "A", "pool": 5}
    kit = offline_kit(night_of(sheet))
    kit["deal"]["pool"] = 2**53 - 1
    assert settle(page, kit, {"bidder": "A", "bid": "nap", "made": True})["refused"] == "amount_too_large"


def test_the_engine_is_small() -> None:
    assert sum(len(gzip.compress(file.read_bytes())) for file in ENGINE.glob("*.mjs")) < 11_500


def _opened(game: str, stake: int = 1) -> Night:
    return night_of({"rulebook": game, "players": ["A", "B", "C", "D"], "dealer": "D", "stake": stake, "hands": []})
