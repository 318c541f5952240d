"""A book in one SQLite file, and what an operator does to such a file."""

from ledger.stores.sqlite.backup import Restored, backup, restore
from ledger.stores.sqlite.backup_notes import Noted, note, noted
from ledger.stores.sqlite.people import SqlitePeople
from ledger.stores.sqlite.store import SqliteStore
from ledger.stores.sqlite.tokens import SqliteTokens

__all__ = [
    "Noted",
    "Restored",
    "SqlitePeople",
    "SqliteStore",
    "SqliteTokens",
    "backup",
    "note",
    "noted",
    "restore",
]
