"""Who belongs to a club: people, devices, how they sign in, and what is kept of that. It stands beside the book.

The functions here are the only way in: each takes the ``Door`` first, asks the store in one transaction, and notes
in the trail what a club may want to know later. Secrets are shown once and kept as hashes.
"""

from ledger.people import links
from ledger.people.devices import pair, pairing_code, pairing_codes, rename_device, revoke_device
from ledger.people.door import By, Door, stamp
from ledger.people.links import awaited_owner, first_owner, has_owner, link_for, look, use_link, welcome_owner
from ledger.people.model import (
    DEVICE_ROLES,
    Attempts,
    Browser,
    Device,
    Entry,
    Link,
    People,
    Pin,
    Records,
    Session,
    User,
)
from ledger.people.office import add_user, change_role, disable_user, enable_user, hand_over, rename_user
from ledger.people.pins import act_by_grant, grant_by_pin, people_with_pins, remove_pin, set_pin
from ledger.people.programs import make_token, revoke_token
from ledger.people.sessions import (
    Known,
    SignedIn,
    change_password,
    end_other_sessions,
    end_session,
    known,
    sign_in,
    sign_out,
)

__all__ = [
    "DEVICE_ROLES",
    "Attempts",
    "Browser",
    "By",
    "Device",
    "Door",
    "Entry",
    "Known",
    "Link",
    "People",
    "Pin",
    "Records",
    "Session",
    "SignedIn",
    "User",
    "act_by_grant",
    "add_user",
    "awaited_owner",
    "change_password",
    "change_role",
    "disable_user",
    "enable_user",
    "end_other_sessions",
    "end_session",
    "first_owner",
    "grant_by_pin",
    "hand_over",
    "has_owner",
    "known",
    "link_for",
    "links",
    "look",
    "make_token",
    "pair",
    "pairing_code",
    "pairing_codes",
    "people_with_pins",
    "remove_pin",
    "rename_device",
    "rename_user",
    "revoke_device",
    "revoke_token",
    "set_pin",
    "sign_in",
    "sign_out",
    "stamp",
    "use_link",
    "welcome_owner",
]
