"""Links that are good once: the first owner's, an invitation, a new password for who forgot his."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from ledger import values
from ledger.access import OWNER
from ledger.errors import CodeWrong, LoginTaken, PasswordRefused, TooMany, UserIsDisabled, UserUnknown
from ledger.people import passwords
from ledger.people.door import By, Door
from ledger.people.model import Link, Pin, Records, User
from ledger.people.names import free_login, new_id, read_login
from ledger.people.sessions import SignedIn, forget_sign_ins, let_in
from ledger.tokens import digest_of

LINK_LIFE: Final = timedelta(days=7)

LINKS_EACH: Final = 200
"""How many links of a club may wait at a time."""

KINDS: Final = ("owner", "invite", "reset")


def first_owner(door: Door, club: str, name: str, by: By) -> str:
    """Make the first owner of a club, and return the secret of the link that lets him in."""
    with door.people.write() as records:
        return new_link(door, records, new_user(door, records, club, name, OWNER, by), "owner", by)


def new_user(door: Door, records: Records, club: str, name: str, role: str, by: By) -> User:
    """Put down somebody who has not come in yet."""
    user = User(
        club=club,
        id=new_id(records, club, name),
        name=name,
        login=free_login(records, club, name),
        role=role,
        created=door.now(),
    )
    records.put(user)
    by.note(records, club, door.now(), "user_added", f"user:{user.id} {role}")
    return user


def awaited_owner(records: Records, club: str) -> User | None:
    """Return who was made the owner of a club and never came in."""
    return next((one for one in records.all(User, club, role=OWNER) if not one.joined and not one.disabled), None)


def has_owner(records: Records, club: str) -> bool:
    """Return whether an owner of a club has come in."""
    return any(one.joined for one in records.all(User, club, role=OWNER))


def welcome_owner(door: Door, club: str, name: str, by: By) -> str | None:
    """Return the secret of a fresh link for the owner of a club while none has come in; else None.

    Links that the same maker made before end. Others, as that of ``kittybook init``, stay as good as they were called.
    Raises ``TooMany``.
    """
    with door.people.write() as records:
        if has_owner(records, club):
            return None
        user = awaited_owner(records, club) or new_user(door, records, club, name, OWNER, by)
        drop_links_by(records, club, by.actor)
        by.note(records, club, door.now(), "link_made", f"user:{user.id}")
        return _put_link(door, records, user, "owner", by)


def link_for(door: Door, club: str, user: str, by: By) -> tuple[User, str]:
    """Return a user, and the secret of a new link that lets him in and choose a password; older ones end.

    Raises ``UserUnknown``, ``UserIsDisabled``, ``TooMany``.
    """
    with door.people.write() as records:
        found = records.get(User, club, user)
        if found is None:
            raise UserUnknown(user=user)
        if found.disabled:
            raise UserIsDisabled(user=found.name)
        kind = "reset" if found.joined else "invite"
        by.note(records, club, door.now(), "link_made", f"user:{found.id}")
        return found, new_link(door, records, found, kind, by)


def new_link(door: Door, records: Records, user: User, kind: str, by: By) -> str:
    """Make a link for a user, in the place of those that he did not use."""
    drop_links(records, user)
    return _put_link(door, records, user, kind, by)


def _put_link(door: Door, records: Records, user: User, kind: str, by: By) -> str:
    now, secret = door.now(), door.secret()
    records.drop_before(Link, "expires", now)
    if records.count(Link, user.club) >= LINKS_EACH:
        raise TooMany(limit=LINKS_EACH, what="links and codes")
    records.put(
        Link(
            digest=digest_of(secret),
            club=user.club,
            kind=kind,
            role=user.role,
            name=user.name,
            user=user.id,
            device=None,
            created_by=by.actor,
            created=now,
            expires=door.after(LINK_LIFE),
        )
    )
    return secret


def drop_links(records: Records, user: User) -> None:
    """Let links of a user that nobody used be good for nothing."""
    for link in records.all(Link, user.club, user=user.id):
        if link.used is None:
            records.drop(link)


def drop_links_by(records: Records, club: str, actor: str) -> None:
    """Let links and codes that somebody made for others be good for nothing, where nobody used them."""
    for link in records.all(Link, club):
        if link.created_by == actor and link.used is None:
            records.drop(link)


def look(door: Door, secret: str) -> tuple[Link, User]:
    """Return what a link is for, without using it. Raises ``CodeWrong``."""
    with door.people.read() as records:
        return _find(records, secret, door.now())


def use_link(
    door: Door,
    secret: str,
    by: By,
    *,
    name: str | None = None,
    login: str | None = None,
    password: str | None = None,
    club_name: str,
    agent: str | None = None,
) -> SignedIn:
    """Let in whoever has a link, once: he chooses a password, and what he is called when he comes for the first time.

    Who chooses a name and not what he signs in as gets that from his name. The first owner may choose a password later.
    Raises ``CodeWrong``, ``PasswordRefused``, ``LoginTaken``.
    """
    link, user = look(door, secret)
    chosen_name = user.name if name is None or user.joined else values.name(name, "name")
    named_anew = chosen_name != user.name
    chosen_login = user.login if login is None or user.joined else read_login(login, "login")
    kept = user.password
    if password:
        good = passwords.require_good_password(
            password, "password", names=(chosen_name, chosen_login, club_name, user.club)
        )
        kept = passwords.hashed(good)
    elif link.kind != "owner":
        raise PasswordRefused(field="password", why="choose one, so that you can come back")
    now = door.now()
    with door.people.write() as records:
        link, user = _find(records, secret, now)  # of two at once, one is too late
        if named_anew and login is None:
            records.drop(user)  # what he was to sign in as before is in nobody's way
            chosen_login = free_login(records, user.club, chosen_name)
        if any(one.id != user.id for one in records.all(User, user.club, login=chosen_login)):
            raise LoginTaken(field="login", login=chosen_login)
        changed = replace(user, name=chosen_name, login=chosen_login, password=kept, joined=user.joined or now)
        if link.kind == "owner" and user.joined is None and named_anew:
            records.drop(user)  # who was nobody yet gets an id after his own name
            changed = replace(changed, id=new_id(records, user.club, chosen_name))
        records.put(changed)
        drop_links(records, user)  # one of them was used: nobody else comes in by another
        forget_sign_ins(records, changed)
        if link.kind == "reset" and (pin := records.get(Pin, user.club, user.id)):
            records.drop(pin)
        signed_in = let_in(door, records, changed, agent)
        records.put(replace(link, user=changed.id, used=now, used_by=f"user:{changed.id}"))
        who = By(actor=f"user:{changed.id}", address=by.address)
        who.note(records, user.club, now, "link_used", link.kind)
        who.note(records, user.club, now, "signed_in")
    return signed_in


def _find(records: Records, secret: str, now: str) -> tuple[Link, User]:
    link = records.get(Link, digest_of(secret.strip()[:200]))
    if link is None or link.kind not in KINDS or link.used is not None or link.expires <= now or link.user is None:
        raise CodeWrong(field="code")
    user = records.get(User, link.club, link.user)
    if user is None or user.disabled:
        raise CodeWrong(field="code")
    return link, user
