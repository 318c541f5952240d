"""Roles: who has which, and that a club always keeps an owner who can sign in."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ledger import values
from ledger.access import OWNER, ROLES
from ledger.errors import LastOwner, TooMany, UserIsDisabled, UserUnknown
from ledger.people.door import By, Door
from ledger.people.links import drop_links, drop_links_by, new_link, new_user
from ledger.people.model import Records, User
from ledger.people.sessions import forget_sign_ins

USERS_EACH: Final = 500


def add_user(door: Door, club: str, name: object, role: object, by: By) -> tuple[User, str]:
    """Invite somebody: return him, and the secret of the link by which he comes in.

    Raises ``BadName``, ``BadValue``, ``TooMany``.
    """
    found, given = values.name(name, "name"), values.choice(role, "role", ROLES)
    with door.people.write() as records:
        if records.count(User, club) >= USERS_EACH:
            raise TooMany(limit=USERS_EACH, what="people who can sign in")
        user = new_user(door, records, club, found, given, by)
        return user, new_link(door, records, user, "invite", by)


def change_role(door: Door, club: str, user: str, role: object, by: By) -> User:
    """Let a user have another role, at once. Raises ``UserUnknown``, ``LastOwner``, ``BadValue``."""
    given = values.choice(role, "role", ROLES)
    with door.people.write() as records:
        changed = replace(_user(records, club, user), role=given)
        _put(records, changed)
        by.note(records, club, door.now(), "role_changed", f"user:{user} {given}")
    return changed


def hand_over(door: Door, club: str, giver: str, taker: str, role: object, by: By) -> tuple[User, User]:
    """Let another user be owner, and who was have a lesser role: both or neither. Raises as ``change_role`` does.

    The taker must be able to sign in: ``UserIsDisabled``, or ``LastOwner`` where he never came.
    """
    given = values.choice(role, "role", ROLES[:-1])
    with door.people.write() as records:
        new = _user(records, club, taker)
        if new.disabled:
            raise UserIsDisabled(user=new.name)
        if new.joined is None or giver == taker:
            raise LastOwner(field="user")
        new = replace(new, role=OWNER)
        records.put(new)
        old = replace(_user(records, club, giver), role=given)
        _put(records, old)
        by.note(records, club, door.now(), "role_changed", f"user:{taker} {OWNER}")
        by.note(records, club, door.now(), "role_changed", f"user:{giver} {given}")
    return old, new


def disable_user(door: Door, club: str, user: str, by: By) -> User:
    """Let somebody in no more, and end whatever he is signed in with. Raises ``UserUnknown``, ``LastOwner``."""
    with door.people.write() as records:
        found = _user(records, club, user)
        changed = replace(found, disabled=found.disabled or door.now())
        _put(records, changed)
        forget_sign_ins(records, changed, pin=True)
        drop_links(records, changed)
        by.note(records, club, door.now(), "user_disabled", f"user:{user}")
    return changed


def enable_user(door: Door, club: str, user: str, by: By) -> User:
    """Let somebody in again, with the password that he had. Raises ``UserUnknown``."""
    with door.people.write() as records:
        changed = replace(_user(records, club, user), disabled=None)
        records.put(changed)
        by.note(records, club, door.now(), "user_enabled", f"user:{user}")
    return changed


def rename_user(door: Door, club: str, user: str, name: object, by: By) -> User:
    """Call somebody by another name; what he recorded bears the old one. Raises ``UserUnknown``, ``BadName``."""
    found = values.name(name, "name")
    with door.people.write() as records:
        changed = replace(_user(records, club, user), name=found)
        records.put(changed)
        by.note(records, club, door.now(), "user_renamed", f"user:{user}")
    return changed


def _user(records: Records, club: str, user: str) -> User:
    found = records.get(User, club, user)
    if found is None:
        raise UserUnknown(user=user)
    return found


def _put(records: Records, changed: User) -> None:
    """Write a user, unless the club would lose its last owner by it.

    Who is no owner any more has let nobody in: he could come back by a link that he made for another and kept.
    """
    before = _owners(records, changed.club)
    records.put(changed)
    if before and not _owners(records, changed.club):
        raise LastOwner()
    if changed.disabled or changed.role != OWNER:
        drop_links_by(records, changed.club, f"user:{changed.id}")


def _owners(records: Records, club: str) -> int:
    """Count who can sign in as owner; who was invited and never came does not count."""
    return sum(not user.disabled and user.joined is not None for user in records.all(User, club, role=OWNER))
