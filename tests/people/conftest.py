"""A door with a clock that is set by hand, on every store; hashing is cheap, for what is tried here is not its cost."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from ledger import people
from ledger.people import By, Door, SignedIn, User, passwords
from ledger.stores import MemoryPeople, SqliteStore, people_of

CLUB = "thursday"
GOOD = "correct horse battery"
BY = By(actor="user:olga", address="10.0.0.1")


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 26, 19, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def wait(self, **time: float) -> None:
        self.time += timedelta(**time)


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_hasher", lambda: hasher)
    passwords._nobody.cache_clear()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
def door(request: pytest.FixtureRequest, clock: Clock, tmp_path: Path) -> Iterator[Door]:
    numbers = itertools.count(1)

    def chance(size: int) -> bytes:
        return next(numbers).to_bytes(size, "little")

    if request.param == "memory":
        yield Door(people=MemoryPeople(), clock=clock, chance=chance)
        return
    with SqliteStore(tmp_path / "book.db", create=True) as store:
        yield Door(people=people_of(store), clock=clock, chance=chance)


@pytest.fixture
def owner(door: Door) -> SignedIn:
    """Olga, who came in by the first owner's link."""
    secret = people.first_owner(door, CLUB, "Olga", By(actor="cli"))
    return people.use_link(door, secret, BY, password=GOOD, club_name="Thursday Club")


@pytest.fixture
def joined(door: Door) -> Callable[[str, str], User]:
    """Let somebody join with a role."""

    def join(name: str, role: str) -> User:
        _user, secret = people.add_user(door, CLUB, name, role, BY)
        return people.use_link(door, secret, BY, password=GOOD, club_name="Thursday Club").user

    return join


def user(door: Door, name: str) -> User:
    with door.people.read() as records:
        found = records.get(User, CLUB, name)
    assert found is not None
    return found


def trail(door: Door, club: str = CLUB) -> list[tuple[str, str, str | None]]:
    with door.people.read() as records:
        return [(entry.actor, entry.what, entry.about) for entry in reversed(records.trail(club))]
