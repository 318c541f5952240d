"""The aggregate of a club's own affairs: members, tables, seasons, rulebooks, money, and which nights there are."""

from ledger.club.decide import (
    decide,
    free_id,
    require_active,
    require_member,
    require_night,
    require_table,
)
from ledger.club.entries import entries_of, parties_moved
from ledger.club.evolve import evolve
from ledger.club.seasons import Days, days_of_season, nights_of
from ledger.club.state import Amounts, Clock, Club, ClubMember, ClubNight, ClubTable, Payment, Season

__all__ = [
    "Amounts",
    "Clock",
    "Club",
    "ClubMember",
    "ClubNight",
    "ClubTable",
    "Days",
    "Payment",
    "Season",
    "days_of_season",
    "decide",
    "entries_of",
    "evolve",
    "free_id",
    "nights_of",
    "parties_moved",
    "require_active",
    "require_member",
    "require_night",
    "require_table",
]
