"""The one door to a book: commands in, verdicts out, states to read."""

from ledger.service.desk import Answer
from ledger.service.ledger import BATCH_LIMIT, Ledger, refused
from ledger.service.request import Request, Sender, read_request
from ledger.service.states import advance, night_stream

__all__ = [
    "BATCH_LIMIT",
    "Answer",
    "Ledger",
    "Request",
    "Sender",
    "advance",
    "night_stream",
    "read_request",
    "refused",
]
