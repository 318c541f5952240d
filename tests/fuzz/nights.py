"""Random nights that a scorekeeper could have written down, as a strategy; the invention is that of tests.model."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st

from ledger.rulebooks import preset, preset_ids, preset_text
from tests.model.generate import random_sheet

Data = dict[str, Any]

CHIP_GAMES: Final = tuple(game for game in preset_ids() if preset(game).family == "nap")
PEPPER: Final = tuple(game for game in preset_ids() if preset(game).family == "pepper")
GAMES: Final = preset_ids()


@cache
def rulebook_data(rulebook: str) -> Data:
    """A preset as tomllib reads it."""
    return tomllib.loads(preset_text(rulebook))


def night(rulebook: str, seed: int, hands: int, **chances: Any) -> Data:
    """The same night sheet for the same seed; fewer hands are the first of more."""
    data = rulebook_data(rulebook)
    while not agree(data, sheet := random_sheet(random.Random(seed), data, hands, **{"edge": False, **chances})):
        seed += 2**40
    for facts in sheet["hands"]:  # ten players leave fewer cards in the stock than none
        for player, cards in facts.get("bought", {}).items():
            facts["bought"][player] = max(0, cards)
    return sheet


def agree(rulebook: Data, sheet: Data) -> bool:
    """Tell whether house rules go together: no more tricks granted than a bid leaves, one player forced to bid."""
    rules = sheet.get("house_rules", {})
    needed = {bid["id"]: bid["tricks"] for bid in rulebook["bids"]}
    forced = rulebook["family"] == "pepper" and "minimum_bid" in rules
    return not (forced and rules.get("all_pass") in {"redeal_same", "eldest_min", "double_next"}) and all(
        tricks <= rulebook["table"]["tricks"] - needed[bid] for bid, tricks in rules.get("negotiate", {}).items()
    )


@st.composite
def nights(draw: st.DrawFn, /, games: Sequence[str] = GAMES, hands: int = 8, **chances: Any) -> Data:
    """A night of one of these games, of up to so many hands."""
    return night(draw(st.sampled_from(games)), draw(st.integers(0, 2**32)), draw(st.integers(1, hands)), **chances)


def renamed(sheet: Data, names: dict[str, str]) -> Data:
    """The same night with other names in every place of the sheet that holds one."""

    def each(players: list[str]) -> list[str]:
        return [names[player] for player in players]

    def hand(facts: Data) -> Data:
        new = dict(facts)
        for key in ("players", "out", "peeks", "led_out_of_turn", "played_out_of_turn"):
            if key in new:
                new[key] = each(new[key])
        for key in ("dealer", "bidder", "revoke"):
            if key in new:
                new[key] = names[new[key]]
        if "bought" in new:
            new["bought"] = {names[player]: cards for player, cards in new["bought"].items()}
        if "bids" in new:
            new["bids"] = [[names[player], call] for player, call in new["bids"]]
        return new

    new = {**sheet, "players": each(sheet["players"]), "dealer": names[sheet["dealer"]]}
    new["hands"] = [hand(facts) for facts in sheet["hands"]]
    if "scores" in new:
        new["scores"] = {team_renamed(team, names): points for team, points in sheet["scores"].items()}
    return new


def team_renamed(team: str, names: dict[str, str]) -> str:
    return "+".join(names[player] for player in team.split("+"))


def players_of(sheet: Data) -> list[str]:
    """Everybody whom a night sheet names, in the order of appearance."""
    return list(dict.fromkeys([*sheet["players"], *(p for hand in sheet["hands"] for p in hand.get("players", []))]))
