"""Devices of the club: paired by a short code, named, and of no use once revoked."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from ledger import values
from ledger.access import VIEWER
from ledger.errors import CodeWrong, DeviceUnknown, TooMany
from ledger.people import attempts
from ledger.people.door import By, Door, digest_of_code
from ledger.people.model import DEVICE_ROLES, Device, Link, Records, Session
from ledger.tokens import digest_of

CODE_LIFE: Final = timedelta(minutes=10)

CODES_EACH: Final = 20
DEVICES_EACH: Final = 200


def pairing_code(door: Door, club: str, name: object, role: object, by: By) -> tuple[Link, str]:
    """Return a code by which one device may come in, within ten minutes.

    Raises ``BadName``, ``BadValue``, ``TooMany``.
    """
    found, given = values.name(name, "name"), values.choice(role, "role", DEVICE_ROLES)
    code, now = door.code(), door.now()
    with door.people.write() as records:
        records.drop_before(Link, "expires", now)
        if len(_codes(records, club, now)) >= CODES_EACH:
            raise TooMany(limit=CODES_EACH, what="codes that wait")
        if sum(device.revoked is None for device in records.all(Device, club)) >= DEVICES_EACH:
            raise TooMany(limit=DEVICES_EACH, what="devices")
        link = Link(
            digest=digest_of_code(code),
            club=club,
            kind="wall" if given == VIEWER else "pair",
            role=given,
            name=found,
            user=None,
            device=None,
            created_by=by.actor,
            created=now,
            expires=door.after(CODE_LIFE),
        )
        records.put(link)
        by.note(records, club, now, "pairing_begun", given)
    return link, code


def pairing_codes(door: Door, club: str) -> list[Link]:
    """Return the codes that wait for their devices."""
    with door.people.read() as records:
        return _codes(records, club, door.now())


def pair(door: Door, code: str, by: By, *, agent: str | None = None) -> tuple[Device, str]:
    """Make the device that a code was made for; return it, and the secret of its session.

    Raises ``CodeWrong``, ``TooManyAttempts``: codes are guessed at an address, whatever club they are of.
    """
    key = attempts.key_of_address("code", by.address)
    attempts.charge(door, "", key)
    secret, now = door.secret(), door.now()
    with door.people.write() as records:
        link = records.get(Link, digest_of_code(code[:100]))
        if link is None or link.kind not in ("pair", "wall") or link.used is not None or link.expires <= now:
            raise CodeWrong(field="code")
        device = Device(
            club=link.club,
            id=_new_id(door, records, link.club),
            name=link.name,
            role=link.role,
            created=now,
            paired_by=link.created_by,
        )
        records.put(device)
        records.put(
            Session(
                digest=digest_of(secret),
                club=link.club,
                user=None,
                device=device.id,
                created=now,
                seen=now,
                expires=None,
                agent=None if not agent else agent[:200],
            )
        )
        records.put(replace(link, used=now, used_by=f"device:{device.id}"))
        attempts.forgive(records, "", wholly=(), once=(key,))
        By(actor=f"device:{device.id}", address=by.address).note(records, link.club, now, "device_paired", link.role)
    return device, secret


def rename_device(door: Door, club: str, device: str, name: object, by: By) -> Device:
    """Call a device by another name; what it recorded bears the old one. Raises ``DeviceUnknown``, ``BadName``."""
    found = values.name(name, "name")
    with door.people.write() as records:
        changed = replace(_device(records, club, device), name=found)
        records.put(changed)
        by.note(records, club, door.now(), "device_renamed", f"device:{device}")
    return changed


def revoke_device(door: Door, club: str, device: str, by: By) -> Device:
    """Let a device be of no use any more, at once. Raises ``DeviceUnknown``."""
    with door.people.write() as records:
        found = _device(records, club, device)
        changed = replace(found, revoked=found.revoked or door.now())
        records.put(changed)
        for session in records.all(Session, club, device=device):
            records.drop(session)
        by.note(records, club, door.now(), "device_revoked", f"device:{device}")
    return changed


def _codes(records: Records, club: str, now: str) -> list[Link]:
    return [
        link
        for kind in ("pair", "wall")
        for link in records.all(Link, club, kind=kind)
        if link.used is None and link.expires > now
    ]


def _device(records: Records, club: str, device: str) -> Device:
    found = records.get(Device, club, device)
    if found is None:
        raise DeviceUnknown(device=device)
    return found


def _new_id(door: Door, records: Records, club: str) -> str:
    while True:
        found = f"d{door.chance(4).hex()}"
        if records.get(Device, club, found) is None:
            return found
