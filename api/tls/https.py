"""What https is served with: given files, or what the club's own authority certifies."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import structlog

from api.tls.errors import CannotServeTls
from api.tls.passage import context_of
from ledger.errors import LedgerError

_log = structlog.get_logger("kittybook")


@dataclass(frozen=True, slots=True, kw_only=True)
class Https:
    """What shakes hands, how it is renewed while it serves, and what tablets must trust."""

    context: ssl.SSLContext
    renew: Callable[[], None] | None = None
    authority: bytes | None = None
    fingerprint: str | None = None
    names: tuple[str, ...] = ()


def with_files(certificate: str, key: str) -> Https:
    """Serve with files that somebody else renews. Raises ``CannotServeTls``."""
    try:
        return Https(context=context_of(certificate, key))
    except OSError as error:
        why = f"what --cert and --key name cannot be read, or does not go together ({error.strerror or error})"
        raise CannotServeTls(why=why) from None


def with_own_authority(store: Path, names: Sequence[str], clock: Callable[[], datetime] | None = None) -> Https:
    """Serve with what the authority beside a store certifies; it is made where there is none.

    Raises ``CannotServeTls``, also where the program that this needs is not installed.
    """
    try:
        from api.tls.authority import authority
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "cryptography":
            raise
        raise CannotServeTls(
            why="what makes certificates is not installed: pip install 'kittybook[tls]' (or cryptography),"
            " or name files by --cert and --key"
        ) from None
    now = clock or (lambda: datetime.now(UTC))
    own = authority(authority_folder(store), names, now())
    if left := [name for name in names if not own.may_speak_for(name)]:
        _log.warning("not_certified", names=left, why="the authority was made for other names and private addresses")
    due = own.issue(names, now())
    certificate, key = map(str, own.leaf_files)
    context = context_of(certificate, key)

    def renew() -> None:
        nonlocal due
        if now() < due:
            return
        try:
            due = own.issue(names, now())
            context.load_cert_chain(certificate, key)
        except (LedgerError, OSError) as error:
            _log.warning("certificate_not_renewed", why=str(error))
        else:
            _log.info("certificate_renewed")

    return Https(
        context=context,
        renew=renew,
        authority=own.der,
        fingerprint=own.fingerprint,
        names=(*(name for name in names if own.may_speak_for(name)), "localhost", "127.0.0.1", "[::1]"),
    )


def authority_folder(store: Path) -> Path:
    """Return the folder beside a store that its authority is kept in; backups copy the store alone."""
    return store.with_name(f"{store.stem}-authority")
