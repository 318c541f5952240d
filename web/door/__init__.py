"""The pages at the door: in and out, who belongs to the club, its devices, and one's own account."""

from __future__ import annotations

from typing import Final

from flask import Blueprint

from web.door.account import account
from web.door.devices import devices
from web.door.entrance import entrance
from web.door.people import people

DOOR: Final[tuple[Blueprint, ...]] = (entrance, people, devices, account)
