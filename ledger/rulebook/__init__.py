"""A payment table and its conditions, as data: parsed strictly, changed by house rules, known by its digest."""

from ledger.rulebook.house_rules import apply_house_rules, switches
from ledger.rulebook.model import Bid, Buy, Fine, Pool, Rulebook, Score, Stakes, Widow
from ledger.rulebook.parse import parse, read

__all__ = [
    "Bid",
    "Buy",
    "Fine",
    "Pool",
    "Rulebook",
    "Score",
    "Stakes",
    "Widow",
    "apply_house_rules",
    "parse",
    "read",
    "switches",
]
