"""What is sent and answered at the door: signing in, links, sessions, tokens, people, devices, PINs."""

from __future__ import annotations

import marshmallow as ma

from api.schemas.answers import Open, _flag, _list, _next, _one, _string, _whole
from api.schemas.fields import Flag, Strict, choice, identifier, text
from api.schemas.queries import PageAfterNumber, Query, yes_or_no
from ledger.access import OWNER, ROLES
from ledger.people import DEVICE_ROLES


def _name(words: str, **options: object) -> ma.fields.String:
    return text(1, 1_000, required=options.pop("required", True), metadata={"description": words})


def _secret(words: str, *, required: bool = True, low: int = 0) -> ma.fields.String:
    return text(low, 1_000, required=required, metadata={"description": words})


# Sent


class SignIn(Strict):
    club = identifier(metadata={"description": "where the store holds several"})
    login = _secret("what he signs in as")
    password = _secret("his password")


class SignOut(Strict):
    storage = Flag(metadata={"description": "clear what scripts kept, too: nothing waits there to be sent"})


class LinkCode(Strict):
    code = _secret("what stands behind # in the link")


class LinkUse(Strict):
    code = _secret("what stands behind # in the link")
    name = _name("what he is called; only for who comes for the first time", required=False)
    login = _name("what he will sign in as; only for who comes for the first time", required=False)
    password = _secret("8 to 256 characters; the first owner may choose one later", required=False)


class PairCode(Strict):
    code = _secret("as it was shown; case, spaces and hyphens do not count")


class NewPassword(Strict):
    current = _secret("the one he has, if he has one", required=False)
    new = _secret("8 to 256 characters, none that is tried first")


class NewToken(Strict):
    role = choice(*ROLES, required=True)
    name = _name("whose it is; it stands beside what it records", required=False)


class NewUser(Strict):
    name = _name("what he is called")
    role = choice(*ROLES, required=True)


class NewRole(Strict):
    role = choice(*ROLES, required=True)


class HandOver(Strict):
    user = identifier(required=True, metadata={"description": "who is owner from now on"})
    role = choice(*(role for role in ROLES if role != OWNER), required=True, metadata={"description": "one's own"})


class NewName(Strict):
    name = _name("what it is called from now on")


class NewDevice(Strict):
    name = _name("what it is called; it stands on what it records")
    role = choice(*DEVICE_ROLES, required=True)


class NewPin(Strict):
    pin = _secret("4 to 12 digits, none that is tried first")
    password = _secret("his password")


class PinEntry(Strict):
    user = identifier(required=True)
    pin = _secret("his PIN")


SENT = (
    SignIn, SignOut, LinkCode, LinkUse, PairCode, NewPassword, NewToken, NewUser, NewRole, HandOver, NewName, NewDevice,
    NewPin, PinEntry,
)  # fmt: skip
"""All of them, each a component of the description under its name."""


# Answered


class Me(Open):
    club = _string()
    kind = _string("user, device or token")
    id = _string()
    name = _string(none=True)
    role = _string()
    has_password = _flag()
    has_pin = _flag()


class LinkFor(Open):
    kind = _string("owner, invite or reset")
    club = _string()
    club_name = _string()
    name = _string()
    login = _string("what he signs in as, or would")
    role = _string()
    chooses_name = _flag("he comes for the first time")
    needs_password = _flag()


class SessionRow(Open):
    id = _string()
    user = _string()
    name = _string()
    created = _string()
    seen = _string()
    expires = _string(none=True)
    agent = _string("what the browser calls itself", none=True)
    current = _flag("the one that asks")


class Sessions(Open):
    sessions = _list(SessionRow)


class TokenRow(Open):
    id = _string()
    name = _string(none=True)
    role = _string()
    created = _string()
    used = _string(none=True)
    revoked = _string(none=True)


class Tokens(Open):
    tokens = _list(TokenRow)


class TokenMade(Open):
    token = _string("shown this once")
    id = _string()


class UserRow(Open):
    id = _string()
    name = _string()
    login = _string()
    role = _string()
    created = _string()
    joined = _string("null: he never came", none=True)
    disabled = _string(none=True)


class Users(Open):
    users = _list(UserRow)


class Invited(Open):
    user = _one(UserRow)
    link = _string("good once; shown this once")
    only_here = _flag("no other machine reaches this server")
    expires = _string()


class DeviceRow(Open):
    id = _string()
    name = _string()
    role = _string()
    created = _string()
    paired_by = _string()
    seen = _string("to the hour", none=True)
    revoked = _string(none=True)


class Devices(Open):
    devices = _list(DeviceRow)


class PairingCode(Open):
    code = _string("good once; shown this once")
    address = _string("where a device's own browser enters it, with the code behind #")
    others = _list(_string(), "the same by this server's other names")
    only_here = _flag("no other machine reaches this server: it must be started for the network")
    qr = _string("the address as a QR code: a data URL of an SVG")
    expires = _string()


class Paired(Open):
    club = _string()
    device = _string()
    name = _string()
    role = _string()


class PinUser(Open):
    user = _string()
    name = _string()
    role = _string()


class PinUsers(Open):
    users = _list(PinUser)


class PinGrant(Open):
    grant = _string("send it as X-Pin-Grant with one command, from this device, within a minute")
    expires_in = _whole("seconds")


class TrailRow(Open):
    number = _whole()
    at = _string()
    actor = _string()
    what = _string()
    about = _string(none=True)
    address = _string(none=True)


class Trail(Open):
    trail = _list(TrailRow, "the newest first")
    next = _next("the number to ask before")


class AllSessions(Query):
    all = yes_or_no("everybody's; for owners")


class TrailPage(PageAfterNumber):
    """``after`` is the ``next`` of the page before: lines older than that."""
