"""What a served book needs while nobody looks: backups by rule, rehearsals of them, and the truth about the last."""

from ledger.upkeep.backups import Upkeep, default_place
from ledger.upkeep.overdue import Overdue, backups_of, is_rehearsal_overdue, overdue, rehearsals_of
from ledger.upkeep.rehearsals import Outcome, keep, rehearse

__all__ = [
    "Outcome",
    "Overdue",
    "Upkeep",
    "backups_of",
    "default_place",
    "is_rehearsal_overdue",
    "keep",
    "overdue",
    "rehearsals_of",
    "rehearse",
]
