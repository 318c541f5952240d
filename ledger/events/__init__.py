"""What happened at a table and in a club: past tense, immutable, and true for ever.

Fields hold plain JSON values, since an event is stored as it is. A name or a note is a reference to a text kept
beside the events (``{"ref", "sha256"}``), so that erasing it leaves the events whole.
"""

from __future__ import annotations

from typing import TypeAlias

from ledger.events.club import *  # noqa: F403
from ledger.events.club import ClubEvent
from ledger.events.money import *  # noqa: F403
from ledger.events.money import MoneyEvent as MoneyEvent
from ledger.events.night import *  # noqa: F403
from ledger.events.night import NightEvent
from ledger.events.shapes import Facts as Facts
from ledger.events.shapes import Money as Money
from ledger.events.shapes import Text as Text

Event: TypeAlias = NightEvent | ClubEvent
