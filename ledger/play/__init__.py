"""One hand after another: what a hand's facts do to purses, pool, scores and the deal, under the rules in force.

Pure: the calculator (``ledger.sheet``) and the book (``ledger.night``) both play hands through here, so a night
logged at the table and a night scored from paper cannot differ.
"""

from ledger.play.carry import Carry, Played, Standing, start
from ledger.play.hand import auction_of, lay, play, seats_of
from ledger.play.rules import Rules, rules_for

__all__ = ["Carry", "Played", "Rules", "Standing", "auction_of", "lay", "play", "rules_for", "seats_of", "start"]
