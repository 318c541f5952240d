"""The aggregate of a night: what commands it takes, what events they cause, and what it is after each."""

from ledger.night.decide import decide
from ledger.night.evolve import Books, evolve
from ledger.night.state import Night, Origin

__all__ = ["Books", "Night", "Origin", "decide", "evolve"]
