"""Who plays how: what each member did in the hands of a club, counted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any, Final, NamedTuple

from ledger.club import Club, ClubNight, nights_of
from ledger.night import Night
from ledger.service import Ledger, night_stream
from ledger.store import Reader


class Counted(NamedTuple):
    """What one member did: nights and hands that he was in, bids that he won, made and failed, peeks, pools taken.

    ``best`` and ``worst`` are the most chips (Pepper: points of his team) that one hand gave or took.
    """

    nights: int = 0
    hands: int = 0
    bids: int = 0
    made: int = 0
    failed: int = 0
    peeks: int = 0
    pools: int = 0
    best: int = 0
    worst: int = 0

    def plus(self, other: Counted) -> Counted:
        """Return both together."""
        sums = [one + two for one, two in zip(self[:-2], other[:-2], strict=True)]
        return Counted._make([*sums, max(self.best, other.best), min(self.worst, other.worst)])


def count(night: Night) -> dict[str, Counted]:
    """Return what each player did in a night; hands that were played count, void and passed-out ones do not."""
    found = {player: Counted(nights=1) for player in night.purses}
    for step in night.hand_steps():
        played = step.played
        if played is None or played.result not in ("made", "failed", "void"):
            continue
        took = step.after.pool < step.before.pool and played.result == "made"
        changes = {who: change for name, change in played.changes.items() for who in name.split("+")}
        for player in played.payers or step.facts.players or ():
            bidder = player == played.bidder
            change = changes.get(player, 0)
            found[player] = found[player].plus(
                Counted(
                    hands=1,
                    bids=bidder,
                    made=bidder and played.result == "made",
                    failed=bidder and played.result == "failed",
                    peeks=player in step.facts.peeks,
                    pools=bidder and took,
                    best=change,
                    worst=change,
                )
            )
    return found


def statistics(
    ledger: Ledger, club: Club, reader: Reader, *, table: str | None = None, season: str | None = None
) -> dict[str, Counted]:
    """Return what each member did in the closed nights of a table, of a season, or of all.

    Somebody who was merged is counted as who he turned out to be. Raises ``TableUnknown`` and ``SeasonUnknown``.
    """
    found: dict[str, Counted] = {}
    for known in nights_of(club, table=table, season=season):
        for player, counted in _counted(ledger, club, known, reader).items():
            member = club.resolved(player)
            found[member] = found.get(member, Counted()).plus(counted)
    return found


def statistics_data(counted: Mapping[str, Counted], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return statistics as data, who played most first."""
    order = sorted(counted, key=lambda member: (-counted[member].hands, member))
    return [{"id": member, "name": names[member], **counted[member]._asdict()} for member in order]


_KEPT: Final = 4_096
_known: OrderedDict[tuple[str, str, int], dict[str, Counted]] = OrderedDict()
_lock = Lock()


def _counted(ledger: Ledger, club: Club, known: ClubNight, reader: Reader) -> dict[str, Counted]:
    """Return a night's counts; of a night that has not moved since they are known. An epoch is of one book alone."""
    key = reader.head().epoch, known.id, reader.version(night_stream(known.id))
    with _lock:
        if key in _known:
            _known.move_to_end(key)
            return _known[key]
    counted = count(ledger.night(club.id, known.id, reader))
    with _lock:
        _known[key] = counted
        while len(_known) > _KEPT:
            _known.popitem(last=False)
    return counted
