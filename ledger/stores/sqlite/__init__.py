"""A book in one SQLite file, and what an operator does to such a file."""

from ledger.stores.sqlite.backup import Restored, backup, restore
from ledger.stores.sqlite.backup_notes import Noted, Rehearsed, note, note_rehearsal, noted, rehearsed
from ledger.stores.sqlite.people import SqlitePeople
from ledger.stores.sqlite.store import SqliteStore
from ledger.stores.sqlite.tokens import SqliteTokens

__all__ = [
    "Noted",
    "Rehearsed",
    "Restored",
    "SqlitePeople",
    "SqliteStore",
    "SqliteTokens",
    "backup",
    "note",
    "note_rehearsal",
    "noted",
    "rehearsed",
    "restore",
]
