"""The first page: what to do next, and what waits."""

from __future__ import annotations

from flask import Blueprint, render_template

from api.reading import Reading
from ledger import open_items
from ledger.views import tables_view
from web.booking import shows

start = Blueprint("start", __name__, template_folder="../templates")

NIGHTS = 5
"""So many of the last nights are shown."""


@shows(start, "/")
def front(here: Reading) -> str:
    """The club, and what to do next."""
    club, words = here.club, here.words
    members = sum(not (one.archived or one.alias_of or one.erased) for one in club.members.values())
    tables = tables_view(club, here.reader)
    going = [night for night in club.nights.values() if not night.closed]
    states = {night.id: here.night(night.id) for night in going}
    ended = [night for night in reversed([*club.nights.values()]) if night.closed]
    return render_template(
        "start.html",
        members=members,
        tables=tables,
        fresh=not club.nights,
        going=[{"night": night, "table": words.table(night.table), "state": states[night.id]} for night in going],
        recent=[
            {
                "night": night,
                "table": words.table(night.table),
                "settled": open_items.is_settled(club, night),
            }
            for night in ended[:NIGHTS]
        ],
        items={
            unit: sorted(((words.party(party), party, amount) for party, amount in parties.items()), key=lambda r: r[2])
            for unit, parties in open_items.of_club(club).items()
        },
        moved=sum(any(purse.balance for purse in found.purses.values()) for found in states.values()),
        late=len(club.late),
    )
