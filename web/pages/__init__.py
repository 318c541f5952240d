"""The pages of a club: start, members, tables, nights, money, settings, self-audit."""

from __future__ import annotations

from typing import Final

from flask import Blueprint

from web.pages.audit import audit
from web.pages.files import files
from web.pages.members import members
from web.pages.money import money
from web.pages.night_rules import night_rules
from web.pages.nights import nights
from web.pages.screens import screens
from web.pages.settings import settings
from web.pages.start import start
from web.pages.tables import tables

PAGES: Final[tuple[Blueprint, ...]] = (
    start,
    members,
    tables,
    nights,
    night_rules,
    screens,
    money,
    settings,
    audit,
    files,
)
