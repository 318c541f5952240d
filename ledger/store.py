"""What a book is kept in: events with their postings, appended under one lock and never changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol, TypeAlias, TypeVar

from ledger.errors import LedgerError

JSON: TypeAlias = bool | int | str | Sequence["JSON"] | Mapping[str, "JSON"] | None
"""What an event may hold: no floats, and only text as keys."""

Texts: TypeAlias = Mapping[str, tuple[str, str]]
"""Names and free text by reference: the salt in hexadecimal, and the words."""

T = TypeVar("T")

GENESIS: Final = "0" * 64
"""The digest before the first event of any club. Every row names its club, so no two clubs share a chain."""

CLUB: Final = "club"
"""The scope of the accounts that outlive a night, and the stream of a club's own affairs."""

_KEPT_BY_A_STREAM: Final = frozenset({"player", "till", "shortage", "game"})
_KEPT_BY_THE_CLUB: Final = frozenset({"pool", "member", "cash", "charges", "exchange"})


def scope_of(account: str, stream: str) -> str:
    """Return the scope an account's balance is kept under: the stream that posts it, or ``"club"``."""
    return CLUB if account.partition(":")[0] in _KEPT_BY_THE_CLUB else stream


def is_account(account: str) -> bool:
    """Return whether an account is of a kind that the book knows: ``till``, ``player:ann``, ``pool:main``."""
    kind = account.partition(":")[0]
    return kind in _KEPT_BY_A_STREAM or kind in _KEPT_BY_THE_CLUB


# What goes in


class Posting(NamedTuple):
    """One line of a journal entry; positive is to the player. Its line number is its place in the event."""

    entry: int
    """The number of the journal entry within the event; the postings of one entry sum to zero in every unit."""
    hand: int | None
    memo: str
    account: str
    unit: str
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """What happened, and the postings that followed, not yet stored."""

    type: str
    data: Mapping[str, JSON]
    postings: tuple[Posting, ...] = ()


class CommandKey(NamedTuple):
    """What a command is known by: a plain triple will do."""

    id: str
    fingerprint: str
    type: str


# What comes out


class Recorded(NamedTuple):
    """An event as it is stored. Times are RFC 3339 text; ``text`` is the stored JSON that ``data`` was read from."""

    club: str
    stream: str
    version: int
    position: int
    type: str
    data: dict[str, JSON]
    text: str
    command_id: str
    actor: str
    device: str | None
    recorded_at: str
    device_time: str | None
    digest: str
    postings: tuple[Posting, ...]


class CommandRow(NamedTuple):
    """A command that was carried out, and what is remembered of its answer: JSON text without names."""

    command_id: str
    fingerprint: str
    stream: str
    type: str
    first_version: int
    version: int
    first_position: int
    position: int
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """How far a club's book goes. The epoch changes when a backup is restored."""

    position: int
    digest: str
    epoch: str
    backed_up_to: int | None = field(default=None, compare=False)
    """How far the newest backup of this epoch goes; None where there is none. It is no part of the book itself."""


class JournalLine(NamedTuple):
    """A posting behind the event it belongs to, in one row; (position, line) is the key to page by."""

    position: int
    line: int
    stream: str
    version: int
    recorded_at: str
    entry: int
    hand: int | None
    memo: str
    account: str
    unit: str
    amount: int

    @property
    def posting(self) -> Posting:
        return Posting._make(self[5:])


JournalRow: TypeAlias = tuple[int, int, str, int, str, int, int | None, str, str, str, int]
"""The fields of a ``JournalLine`` in their order."""


Move: TypeAlias = tuple[str, int, int, int | None, str, str, int]
"""What is read of a posting where many are read: stream, position, line, hand, memo, unit, amount."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceRow:
    scope: str
    account: str
    unit: str
    amount: int


# What a store does


class Reader(Protocol):
    """A consistent snapshot of one club: what is written meanwhile does not show.

    Every method raises ``StoreDamaged`` for what cannot be read, ``StoreBusy`` for what cannot be read now.
    """

    def head(self) -> Head: ...

    def version(self, stream: str) -> int:
        """Return the version of a stream's newest event; 0 when there is none."""

    def stream(self, stream: str, after: int = 0) -> Iterator[Recorded]:
        """Yield the events of a stream behind a version, oldest first."""

    def events(self, after: int = 0, limit: int = 1000) -> list[Recorded]:
        """Return the events behind a position, oldest first."""

    def streams(self, prefix: str, after: str = "", limit: int = 1000) -> list[tuple[str, int]]:
        """Return the streams whose names begin so, behind a name, in order, each with its version."""

    def balance(self, account: str, unit: str, scope: str) -> int:
        """Return one balance; 0 for what was never posted to."""

    def balances(self, scope: str) -> dict[tuple[str, str], int]:
        """Return (account, unit) to amount for one scope; zeros are left out."""

    def postings(
        self,
        *,
        stream: str | None = None,
        account: str | None = None,
        after: tuple[int, int] = (0, 0),
        limit: int = 1000,
    ) -> list[JournalLine]:
        """Return the lines of a stream's journal, of an account's, or of both, behind (position, line)."""

    def journal(self, after: tuple[int, int] = (0, 0), limit: int = 1000) -> Sequence[JournalRow]:
        """Return the lines of all streams behind (position, line), as plain tuples: for who reads a million of them."""

    def moves(self, streams: Sequence[str], account: str) -> list[Move]:
        """Return what some streams posted to an account, in the order in which it was written."""

    def command(self, command_id: str) -> CommandRow | None: ...

    def texts(self, refs: Iterable[str]) -> dict[str, tuple[str, str] | None]:
        """Return salt and text by reference: None where it was erased; what was never written is left out."""

    def rulebook(self, digest: str) -> str | None: ...


class Transaction(Reader, Protocol):
    """The book of one club, locked for writing: what is appended here is seen by what is read here."""

    def append(
        self,
        stream: str,
        expected_version: int,
        events: Sequence[NewEvent],
        *,
        command: tuple[str, str, str],
        actor: str,
        device: str | None,
        recorded_at: str,
        device_time: str | None = None,
        texts: Texts | None = None,
        rulebooks: Mapping[str, str] | None = None,
        answer: str | Callable[[Sequence[Recorded]], str] | None,
    ) -> list[Recorded]:
        """Write events behind the expected version, with their postings, balances, texts and rulebooks.

        ``command`` is (id, fingerprint, type). With ``answer`` the command is remembered; a command that appends to
        several streams leaves it out (None) in every call but one. Raises ``WrongVersion`` when the stream has moved
        on, ``AssertionError`` for entries out of balance, unknown accounts, and commands or texts written before.
        """

    def erase_text(self, ref: str) -> None:
        """Remove a text and its salt for good; its reference stays. Erasing twice is harmless."""

    def rebuild_balances(self) -> int:
        """Make every balance the sum of its postings again; return how many were not."""


class EventStore(Protocol):
    """Opened once in a process, used by all its threads."""

    @property
    def address(self) -> str | None:
        """Return what another process opens the same store by, if one can."""

    def found(self, club: str, epoch: str, *, another: bool = False) -> None:
        """Begin the book of a club. Raises ``ClubExists``, also for a second club, unless ``another`` is meant."""

    def clubs(self) -> list[str]: ...

    def read(self, club: str) -> AbstractContextManager[Reader]:
        """Open a snapshot. Raises ``ClubUnknown``."""

    def transact(self, club: str, jobs: Sequence[Callable[[Transaction], T]]) -> list[T | LedgerError]:
        """Carry out jobs in order under the club's write lock, each judged alone, all durable together.

        A job that raises a ``LedgerError`` leaves nothing behind, and its error is its result. What the store itself
        raises (``Unavailable``, ``Corrupt``) and every other exception undoes all of them and propagates. Raises
        ``ClubUnknown``, ``StoreBusy``, ``DiskFull``, ``StoreReadOnly``, ``StoreDamaged``: nothing was written.
        """

    def audit(self, club: str) -> AbstractContextManager[Audit]:
        """Open a snapshot that shows everything ``verify`` looks at. Raises ``ClubUnknown``."""

    def close(self) -> None: ...


class Audit(Reader, Protocol):
    """A snapshot that also shows what is kept beside the events."""

    def commands(self, command_ids: Iterable[str]) -> dict[str, CommandRow]: ...

    def all_balances(self, after: tuple[str, str, str] = ("", "", ""), limit: int = 1000) -> list[BalanceRow]:
        """Return balances behind (scope, account, unit), zeros too."""

    def all_rulebooks(self, after: str = "", limit: int = 100) -> list[tuple[str, str]]:
        """Return (digest, body) behind a digest."""

    def versions(self, position: int) -> dict[str, int]:
        """Return how far each stream went when the book went as far as a position."""

    def pools(self, position: int) -> dict[tuple[str, str], int]:
        """Return what was posted to the pools until a position, by (account, unit)."""

    def strays(self) -> list[str]:
        """Name the first few postings and commands that belong to no event."""

    def damage(self) -> list[str]:
        """Return what the engine finds wrong with its files, and which guards against editing are missing."""
