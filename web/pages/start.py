"""The first page: what to do next."""

from __future__ import annotations

from flask import Blueprint, render_template

from ledger.access import VIEWER
from web.callers import require

start = Blueprint("start", __name__, template_folder="../templates")


@start.get("/")
def front() -> str:
    """The club, and what to do next."""
    require(VIEWER, "start")
    return render_template("start.html")
