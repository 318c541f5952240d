"""PINs: on a device that lies about, somebody's own leave for one act, of which he is then the actor."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from ledger.errors import GrantWrong, PinWrong, SignInWrong
from ledger.people import attempts, passwords
from ledger.people.door import By, Door
from ledger.people.model import Device, Link, Pin, Session, User
from ledger.tokens import digest_of

GRANT_LIFE: Final = timedelta(seconds=60)


def set_pin(door: Door, session: Session, pin: object, password: str | None, by: By) -> None:
    """Let a user have a PIN, or another one: he says his password. Raises ``PinRefused``, ``SignInWrong``."""
    club, user = session.club, session.user
    assert user is not None
    good = passwords.require_good_pin(pin, "pin")
    with door.people.read() as records:
        found = records.get(User, club, user)
    assert found is not None
    key = f"known:{session.id}"
    attempts.charge(door, club, key)
    if found.password is None or not passwords.agrees(found.password, password or ""):
        raise SignInWrong(field="password")
    kept = passwords.hashed(good)
    with door.people.write() as records:
        records.put(Pin(club=club, user=user, argon2=kept))
        attempts.forgive(records, club, wholly=(key,))
        by.note(records, club, door.now(), "pin_set", f"user:{user}")


def remove_pin(door: Door, session: Session, by: By) -> None:
    """Let a user have no PIN."""
    assert session.user is not None
    with door.people.write() as records:
        found = records.get(Pin, session.club, session.user)
        if found is not None:
            records.drop(found)
            by.note(records, session.club, door.now(), "pin_removed", f"user:{session.user}")


def people_with_pins(door: Door, club: str) -> list[User]:
    """Return who may be chosen where a PIN is asked for."""
    with door.people.read() as records:
        have = {pin.user for pin in records.all(Pin, club)}
        return [user for user in records.all(User, club) if user.id in have and not user.disabled]


def grant_by_pin(door: Door, device: Device, user: str, pin: str, by: By) -> str:
    """Return the secret of a leave for one act, sent from this device within a minute.

    Raises ``PinWrong``, ``TooManyAttempts``.
    """
    club = device.club
    with door.people.read() as records:
        found = records.get(User, club, user)
        kept = records.get(Pin, club, user)
    key = f"pin:{device.id}:{user[:60]}" if found is not None else f"pin:{device.id}:?"
    attempts.charge(door, club, key)
    right = passwords.agrees(kept.argon2 if kept else None, pin)
    with door.people.write() as records:
        now = door.now()
        current = records.get(User, club, user)
        if not right or current is None or current.disabled or records.get(Pin, club, user) != kept:
            refused = True
            by.note(records, club, now, "pin_refused", f"user:{user}" if found else None)
        else:
            refused = False
            records.drop_before(Link, "expires", now)
            attempts.forgive(records, club, wholly=(key,))
            secret = door.secret()
            records.put(
                Link(
                    digest=digest_of(secret),
                    club=club,
                    kind="grant",
                    role=current.role,
                    name=current.name,
                    user=user,
                    device=device.id,
                    created_by=by.actor,
                    created=now,
                    expires=door.after(GRANT_LIFE),
                )
            )
            by.note(records, club, now, "pin_accepted", f"user:{user}")
    if refused:
        raise PinWrong(field="pin", user=found.name if found else user)
    return secret


def act_by_grant(door: Door, device: Device, secret: str, command: str, *, dry_run: bool) -> User:
    """Return who takes responsibility for a command of a device.

    What is only tried out leaves the grant good; the same command may be sent again, where its answer was lost. Raises
    ``GrantWrong``.
    """
    with door.people.write() as records:
        link = records.get(Link, digest_of(secret[:200]))
        if link is None or link.kind != "grant" or link.user is None:
            raise GrantWrong()
        if (link.club, link.device) != (device.club, device.id) or link.expires <= door.now():
            raise GrantWrong()
        user = records.get(User, link.club, link.user)
        if user is None or user.disabled or link.used_by not in (None, command):
            raise GrantWrong()
        if not dry_run:
            records.put(replace(link, used=link.used or door.now(), used_by=command))
    return user
