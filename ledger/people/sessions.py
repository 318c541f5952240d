"""Signing in and out: who a browser speaks for, and for how long."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from ledger.errors import SessionUnknown, SignInWrong, Unavailable
from ledger.people import attempts, passwords
from ledger.people.door import By, Door, moment_of
from ledger.people.model import Browser, Device, Pin, Records, Session, User
from ledger.people.names import folded
from ledger.tokens import digest_of

IDLE: Final = timedelta(days=30)
"""How long somebody stays signed in without coming by."""

REMEMBERED: Final = timedelta(days=365)
"""How long a browser counts as one in which somebody signed in before."""

SEEN_EVERY: Final = timedelta(hours=1)
"""How exactly it is kept when somebody was last there: not every read shall write."""

SESSIONS_EACH: Final = 50
"""Beyond, the one that was not used for longest ends."""

_AGENT_LIMIT: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """Somebody who just came in, with the secrets that his browser keeps: shown once."""

    user: User
    session: Session
    secret: str
    browser: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Whom a browser's session speaks for: a user, or a device."""

    session: Session
    user: User | None
    device: Device | None


def sign_in(
    door: Door,
    club: str,
    login: str,
    password: str,
    by: By,
    *,
    agent: str | None = None,
    browser: str | None = None,
    device: Device | None = None,
    leaving: Session | None = None,
) -> SignedIn:
    """Let somebody in by his password, in a new session.

    ``browser`` is the secret of a browser that he may have signed in before, ``device`` the club's own on which he
    does, ``leaving`` the session that ends. Raises ``SignInWrong``, ``TooManyAttempts``, ``SignInBusy``.
    """
    with door.people.read() as records:
        user = _by_login(records, club, login)
        keys = _keys(records, club, login, user, by, browser, device, door.now())
    attempts.charge(door, club, *keys)
    right = passwords.agrees(user.password if user else None, password)
    if user is None or not right or user.disabled:
        with door.people.write() as records:
            by.note(records, club, door.now(), "sign_in_refused", user.id if user else None)
        raise SignInWrong()
    anew = passwords.hashed(password) if passwords.is_outdated(user.password or "") else None
    now = door.now()
    with door.people.write() as records:
        current = records.get(User, club, user.id)
        if current is None or current.disabled or current.password != user.password:  # changed meanwhile
            raise SignInWrong()
        if anew:
            current = replace(current, password=anew)
            records.put(current)
        attempts.forgive(records, club, wholly=keys[:1], once=keys[1:])
        if leaving is not None and leaving.club == club:
            records.drop(leaving)
        signed_in = let_in(door, records, current, agent)
        By(actor=f"user:{current.id}", address=by.address).note(records, club, now, "signed_in")
    return signed_in


def let_in(door: Door, records: Records, user: User, agent: str | None) -> SignedIn:
    """Begin a session of a user, and remember the browser."""
    secret, browser, now = door.secret(), door.secret(), door.now()
    records.drop_before(Session, "expires", now)
    records.drop_before(Browser, "expires", now)
    session = Session(
        digest=digest_of(secret),
        club=user.club,
        user=user.id,
        device=None,
        created=now,
        seen=now,
        expires=door.after(IDLE),
        agent=_agent(agent),
    )
    _make_room(
        records,
        records.all(Session, user.club, user=user.id),
        records.all(Browser, user.club, user=user.id),
    )
    records.put(session)
    records.put(Browser(digest=digest_of(browser), club=user.club, user=user.id, expires=door.after(REMEMBERED)))
    return SignedIn(user=user, session=session, secret=secret, browser=browser)


def known(door: Door, secret: str) -> Known | None:
    """Return whom a session speaks for now, or None where it ended. Raises ``Unavailable``."""
    now = door.now()
    with door.people.read() as records:
        session = records.get(Session, digest_of(secret))
        if session is None or (session.expires is not None and session.expires <= now):
            return None
        user = records.get(User, session.club, session.user) if session.user else None
        device = records.get(Device, session.club, session.device) if session.device else None
    if user is not None and not user.disabled:
        found = Known(session=session, user=user, device=None)
    elif device is not None and device.revoked is None:
        found = Known(session=session, user=None, device=device)
    else:
        return None
    if moment_of(session.seen) + SEEN_EVERY <= door.clock():
        _note_seen(door, session, now)
    return found


def _note_seen(door: Door, session: Session, now: str) -> None:
    try:
        with door.people.write(patient=False) as records:
            current = records.get(Session, session.digest)
            if current is not None:  # it was not ended meanwhile
                records.put(replace(current, seen=now, expires=current.expires and door.after(IDLE)))
    except Unavailable:
        pass  # who only reads may read on a full disk, and while others write


def sign_out(door: Door, session: Session, by: By) -> None:
    """End the session of whoever asks."""
    with door.people.write() as records:
        if records.get(Session, session.digest):
            records.drop(session)
            by.note(records, session.club, door.now(), "signed_out")


def end_session(door: Door, club: str, session: str, by: By, *, of_user: str | None = None) -> None:
    """End a session by its id in the list; only of one user where he is named. Raises ``SessionUnknown``."""
    with door.people.write() as records:
        for one in records.all(Session, club):
            if one.id == session and one.user is not None and of_user in (None, one.user):
                records.drop(one)
                by.note(records, club, door.now(), "session_ended", f"user:{one.user}")
                return
    raise SessionUnknown(session=session)


def end_other_sessions(door: Door, session: Session, by: By) -> int:
    """End every session of a user but this one; return how many."""
    assert session.user is not None
    with door.people.write() as records:
        others = [one for one in records.all(Session, session.club, user=session.user) if one.digest != session.digest]
        for one in others:
            records.drop(one)
        if others:
            by.note(records, session.club, door.now(), "session_ended", f"user:{session.user}")
    return len(others)


def change_password(
    door: Door, session: Session, current: str | None, new: str, by: By, *, club_name: str, agent: str | None = None
) -> SignedIn:
    """Let a user have another password: every session of his ends, and the one that asks begins anew.

    Who has none yet need not say one. Raises ``SignInWrong``, ``PasswordRefused``, ``TooManyAttempts``.
    """
    club, user = session.club, session.user
    assert user is not None
    with door.people.read() as records:
        found = records.get(User, club, user)
    assert found is not None
    chosen = passwords.require_good_password(new, "new", names=(found.name, found.login, club_name, club))
    key = f"known:{session.id}"
    if found.password is not None:
        attempts.charge(door, club, key)
        if current is None or not passwords.agrees(found.password, current):
            with door.people.write() as records:
                by.note(records, club, door.now(), "password_refused", f"user:{user}")
            raise SignInWrong(field="current")
    kept = passwords.hashed(chosen)
    with door.people.write() as records:
        now = records.get(User, club, user)
        if now is None or now.disabled or now.password != found.password:
            raise SignInWrong(field="current")
        changed = replace(now, password=kept)
        records.put(changed)
        forget_sign_ins(records, changed)
        attempts.forgive(records, club, wholly=(key,))
        by.note(records, club, door.now(), "password_changed", f"user:{user}")
        return let_in(door, records, changed, agent)


def forget_sign_ins(records: Records, user: User, *, pin: bool = False) -> None:
    """End every session of a user, and know his browsers no more."""
    for session in records.all(Session, user.club, user=user.id):
        records.drop(session)
    for browser in records.all(Browser, user.club, user=user.id):
        records.drop(browser)
    if pin and (found := records.get(Pin, user.club, user.id)):
        records.drop(found)


def _by_login(records: Records, club: str, login: str) -> User | None:
    found = records.all(User, club, login=folded(login))
    return found[0] if found else None


def _keys(
    records: Records,
    club: str,
    login: str,
    user: User | None,
    by: By,
    browser: str | None,
    device: Device | None,
    now: str,
) -> tuple[str, ...]:
    """Return what an attempt is counted by: where he was before by that browser alone, on a device by that device."""
    if user is not None and browser is not None:
        before = records.get(Browser, digest_of(browser))
        if before is not None and (before.club, before.user) == (club, user.id) and before.expires > now:
            return (f"known:{before.digest[:12]}",)
    if user is not None and device is not None and device.club == club:
        return (f"account:{device.id}:{user.id}",)
    account = f"account:{user.id}" if user else attempts.key_of_nobody(folded(login))
    return (account, attempts.key_of_address("address", by.address))


def _make_room(records: Records, sessions: list[Session], browsers: list[Browser]) -> None:
    for session in sorted(sessions, key=lambda one: one.seen)[: max(0, len(sessions) - SESSIONS_EACH + 1)]:
        records.drop(session)
    for browser in sorted(browsers, key=lambda one: one.expires)[: max(0, len(browsers) - SESSIONS_EACH + 1)]:
        records.drop(browser)


def _agent(agent: str | None) -> str | None:
    return None if not agent else "".join(char for char in agent if char.isprintable())[:_AGENT_LIMIT]
