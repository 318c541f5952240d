"""What is known of the backups of a book, kept beside it: the newest of each place, and what rehearsals came to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Final

from ledger.store import Head
from ledger.stores.sqlite.store import SqliteStore

_NOTE: Final = """
    INSERT INTO backups (club, place, file, position, digest, epoch, at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET file = excluded.file, position = excluded.position, digest = excluded.digest,
        epoch = excluded.epoch, at = excluded.at
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """A backup: of which club, where, how far it goes, and when it was made (RFC 3339, in UTC)."""

    club: str
    place: str
    file: str
    position: int
    digest: str
    epoch: str
    at: str


def note(store: SqliteStore, file: Path, heads: Mapping[str, Head], at: str) -> None:
    """Remember a backup that was made and checked; the one before it in the same folder is forgotten."""
    file = file.resolve()
    with store.writing() as connection:
        for club, head in heads.items():
            noted = Noted(
                club=club, place=str(file.parent), file=file.name, position=head.position, digest=head.digest,
                epoch=head.epoch, at=at,
            )  # fmt: skip
            connection.run(_NOTE, astuple(noted))


def noted(store: SqliteStore, club: str) -> list[Noted]:
    """Return the newest backup of each place that belongs to this history of a club, the newest first.

    What was made before a restore covers another history.
    """
    with store.connection() as connection:
        rows = connection.all(
            "SELECT b.club, b.place, b.file, b.position, b.digest, b.epoch, b.at FROM backups b"
            " JOIN clubs c ON c.club = b.club AND c.epoch = b.epoch WHERE b.club = ? ORDER BY b.at DESC, b.place",
            (club,),
        )
    return [
        Noted(club=row[0], place=row[1], file=row[2], position=row[3], digest=row[4], epoch=row[5], at=row[6])
        for row in rows
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed:
    """A backup that was restored for a trial: when, which file, how far it goes, and what was wrong (else None)."""

    club: str
    at: str
    file: str
    position: int
    why: str | None


def note_rehearsal(store: SqliteStore, rows: Iterable[Rehearsed]) -> None:
    """Remember what a rehearsal came to."""
    with store.writing() as connection:
        for row in rows:
            connection.run(
                "INSERT INTO rehearsals (club, at, file, position, why) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET file = excluded.file, position = excluded.position, why = excluded.why",
                astuple(row),
            )


def rehearsed(store: SqliteStore, club: str, limit: int = 100) -> list[Rehearsed]:
    """Return the rehearsals of a club's backups, the newest first."""
    with store.connection() as connection:
        rows = connection.all(
            "SELECT club, at, file, position, why FROM rehearsals WHERE club = ? ORDER BY at DESC LIMIT ?",
            (club, limit),
        )
    return [Rehearsed(club=row[0], at=row[1], file=row[2], position=row[3], why=row[4]) for row in rows]
