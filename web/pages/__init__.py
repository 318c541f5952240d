"""The pages of a club: start, members, tables, nights, money, settings, self-audit."""

from __future__ import annotations

from typing import Final

from flask import Blueprint

from web.pages.members import members
from web.pages.start import start
from web.pages.tables import tables

PAGES: Final[tuple[Blueprint, ...]] = (start, members, tables)
