"""Whether the book is sound: sums, chain, length of the log, clocks of devices, and what is known of backups."""

from __future__ import annotations

from datetime import datetime
from threading import Lock
from typing import Any, Final

from flask import Blueprint, render_template, request

from api.reading import Reading
from api.state import state
from ledger.access import TREASURER
from ledger.audit import receipt_status, verify_book
from ledger.errors import LedgerError, StoreBusy
from ledger.service import night_stream
from ledger.store import CLUB
from ledger.stores.verify import Finding
from ledger.upkeep import backups_of, is_rehearsal_overdue, overdue, rehearsals_of
from web.booking import shows
from web.refusals import words_of
from web.words import gettext

audit = Blueprint("self_audit", __name__, template_folder="../templates")

AT_MOST: Final = 50_000
"""A longer log is checked by ``kittybook verify``: nobody waits that long for a page."""

RECENT: Final = 500
"""So many events are looked at for the clocks of devices."""

_one_at_a_time = Lock()


@shows(audit, "/audit", role=TREASURER)
def self_audit(here: Reading) -> str:
    """Sums and clocks at once; the whole chain where it is asked for."""
    head = here.reader.head()
    findings, checked = None, False
    if request.args.get("check") == "all" and head.position <= AT_MOST:
        findings, checked = _findings(here), True
    return render_template(
        "audit.html",
        position=head.position,
        epoch=head.epoch,
        digest=head.digest,
        nights=len(here.club.nights),
        sums=_sums(here),
        findings=[one for one in findings or [] if one.is_fault],
        erased=sum(not one.is_fault for one in findings or []),
        checked=checked,
        at_most=AT_MOST,
        clocks=_clocks(here, head.position),
        zone=here.club.zone,
        overdue=overdue(here.ledger.store, here.club.id, here.ledger.now()),
        backups=backups_of(here.ledger.store, here.club.id),
        **_rehearsals(here),
        **_receipt(here),
    )


def _findings(here: Reading) -> list[Finding]:
    if not _one_at_a_time.acquire(timeout=5):
        raise StoreBusy()
    try:
        return verify_book(state().ledger, here.club.id, limit=20)
    finally:
        _one_at_a_time.release()


def _rehearsals(here: Reading) -> dict[str, Any]:
    """Return the last good rehearsal, whether that is too long ago, and the last one if it was not good."""
    store, club = here.ledger.store, here.club.id
    every = rehearsals_of(store, club)
    return {
        "rehearsed": next((one for one in every if one.why is None), None),
        "rehearsal_overdue": is_rehearsal_overdue(store, club, here.ledger.now()),
        "rehearsal_failed": every[0] if every and every[0].why is not None else None,
    }


def _receipt(here: Reading) -> dict[str, Any]:
    """Return what a receipt that somebody kept is to the night that he names."""
    night, code = request.args.get("night", ""), request.args.get("receipt", "")
    told: dict[str, Any] = {"night": night, "code": code, "receipt": None, "receipt_wrong": ""}
    if night and code and here.reader.head().position <= AT_MOST:
        try:
            told["receipt"] = {
                "as signed": ("good", gettext("As signed: nothing up to that close was changed.")),
                "superseded": ("warn", gettext("Superseded: the night was opened again and closed anew since.")),
                "not in this history": ("bad", gettext("Not in this history: this book never gave that receipt.")),
            }[receipt_status(here.ledger, here.club.id, night, code)]
        except LedgerError as error:
            told["receipt_wrong"] = words_of(error)
    return told


def _sums(here: Reading) -> list[tuple[str, int, int]]:
    """Return by unit how many accounts there are, and what they sum to: nothing, or something is wrong.

    What stands in front of players, and what a count of theirs found missing, is kept by night.
    """
    found: dict[str, list[int]] = {}
    for scope in (CLUB, *map(night_stream, here.club.nights)):
        for (_account, unit), amount in here.reader.balances(scope).items():
            found.setdefault(unit, []).append(amount)
    return [(unit, sum(map(bool, amounts)), sum(amounts)) for unit, amounts in sorted(found.items())]


def _clocks(here: Reading, position: int) -> list[dict[str, Any]]:
    """Return by device when it was heard of last, and by how many seconds its clock was off then."""
    found: dict[str, dict[str, Any]] = {}
    for row in here.reader.events(max(position - RECENT, 0), RECENT):
        if row.device is None:
            continue
        late = None
        if row.device_time is not None:
            late = round(
                (datetime.fromisoformat(row.device_time) - datetime.fromisoformat(row.recorded_at)).total_seconds()
            )
        found[row.device] = {"device": row.device, "at": row.recorded_at, "off": late}
    return sorted(found.values(), key=lambda one: one["at"], reverse=True)
