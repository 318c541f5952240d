"""Who guesses waits, longer each time; whoever belongs to a club is never kept out of it by somebody else's guesses.

What is counted stands in the store, so a restart forgets nothing. An attempt is counted before it is looked at, and
taken off again when it was right: many at once are no way round. While one waits, nothing is looked at or counted, so
that nobody can make the wait longer than it is.

- An account: five in vain are free, then one waits 1, 2, 4 … seconds, at most 15 minutes.
- An address: forty are free, then the same up to a minute. A whole club may stand behind one address.
- In a browser where that account signed in before, neither counts: that browser has a count of its own, five free, at
  most 30 seconds. On a device of the club there is a count of the account for that device, as slow as the account's
  own, for whoever stands at the bar may hold it. So a guesser elsewhere delays nobody at home.
- A one-time link holds 256 random bits and is not counted at all: reset by an owner, or on the machine by
  ``kittybook user reset``, it lets in whoever has it, whatever was guessed before.
- A short code: counted by address, ten free, at most five minutes. A PIN: by device and person, three free, then 15,
  30, 60 … seconds, at most an hour; the same person may sign in with his password meanwhile.

A day without an attempt forgets the count.
"""

from __future__ import annotations

import hashlib
import ipaddress
import math
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from ledger.errors import TooManyAttempts
from ledger.people.door import Door, moment_of, stamp
from ledger.people.model import Attempts, Records

FORGOTTEN: Final = timedelta(days=1)

MOST_ROWS: Final = 10_000
"""Beyond, those who come new share one count: the store does not fill up with guesses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How many attempts are free, how long one waits for the next, doubled each time, and what the longest wait is."""

    free: int
    first: int
    longest: int

    def wait(self, count: int) -> int:
        """Return how many seconds behind the last of so many attempts the next may be made."""
        over = count - self.free
        return 0 if over < 0 else min(self.longest, self.first << min(over, 20))


PACES: Final = {
    "account": Pace(free=5, first=1, longest=15 * 60),
    "address": Pace(free=40, first=1, longest=60),
    "known": Pace(free=5, first=1, longest=30),
    "code": Pace(free=10, first=1, longest=5 * 60),
    "pin": Pace(free=3, first=15, longest=60 * 60),
}
"""By what stands before the colon of a key."""


def charge(door: Door, club: str, *keys: str) -> None:
    """Count an attempt by each of its keys. Raises ``TooManyAttempts`` where one must wait, and then counts nothing."""
    now = door.clock()
    with door.people.write() as records:
        records.drop_before(Attempts, "since", stamp(now - FORGOTTEN))
        found = [_row(records, club, key, stamp(now)) for key in keys]
        waits = [
            moment_of(row.since) + timedelta(seconds=PACES[row.key.partition(":")[0]].wait(row.count)) - now
            for row in found
        ]
        if (longest := max(waits)) > timedelta(0):
            raise TooManyAttempts(seconds=math.ceil(longest.total_seconds()))
        for row in found:
            records.put(replace(row, count=row.count + 1, since=stamp(now)))


def forgive(records: Records, club: str, *, wholly: tuple[str, ...], once: tuple[str, ...] = ()) -> None:
    """Take an attempt that was right off the counts: some begin anew, some only lose this one."""
    for key in wholly:
        if row := records.get(Attempts, club, key):
            records.drop(row)
    for key in once:
        if row := records.get(Attempts, club, key):
            records.put(replace(row, count=max(0, row.count - 1)))


def key_of_address(kind: str, address: str | None) -> str:
    """Return what an address is counted by; a household has many of IPv6."""
    try:
        found = ipaddress.ip_address(address or "")
    except ValueError:
        return f"{kind}:?"
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return f"{kind}:{found.ipv4_mapped}"
        return f"{kind}:{ipaddress.ip_network((found, 64), strict=False)}"
    return f"{kind}:{found}"


def key_of_nobody(login: str) -> str:
    """Return what a name is counted by that nobody has: it must not be told by how it is counted."""
    return f"account:?{hashlib.sha256(login.encode('utf-8', 'surrogatepass')).hexdigest()[:3]}"


def _row(records: Records, club: str, key: str, now: str) -> Attempts:
    row = records.get(Attempts, club, key)
    if row is None and records.count(Attempts, club) >= MOST_ROWS:
        key = f"{key.partition(':')[0]}:others"
        row = records.get(Attempts, club, key)
    return row or Attempts(club=club, key=key, count=0, since=now)
