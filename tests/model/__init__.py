"""A second, independent reading of the rules, to catch faults in the engine: it scores night sheets and invents them.

Written from the contract, the rules and the rulings alone; it imports nothing of `ledger`. Sheets are taken to be
valid. `money` does the same for what nights, payments and a treasurer come to; tests/test_money_model.py plays it.
"""

from __future__ import annotations

from .chips import ChipNight
from .pepper import PepperNight
from .rules import Data, effective


def open_night(sheet: Data, rulebook: Data) -> ChipNight | PepperNight:
    """The night of this sheet before its first hand."""
    return PepperNight(sheet, rulebook) if rulebook["family"] == "pepper" else ChipNight(sheet, rulebook)


def score(sheet: Data, rulebook: Data) -> Data:
    """What `kittybook score` must come to: hands, balances, pool; for Pepper also winner and games (contract 3)."""
    night = open_night(sheet, rulebook)
    for facts in sheet["hands"]:
        night.play(facts)
    return night.result()


__all__ = ["ChipNight", "Data", "PepperNight", "effective", "open_night", "score"]
