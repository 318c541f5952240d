"""What a served book needs while nobody looks: backups by rule, and the truth about the last one."""

from ledger.upkeep.backups import Upkeep, default_place
from ledger.upkeep.overdue import Overdue, backups_of, overdue

__all__ = ["Overdue", "Upkeep", "backups_of", "default_place", "overdue"]
