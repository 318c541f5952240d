"""Who plays how."""

from __future__ import annotations

from typing import Any

from flask_smorest import Blueprint

from api.reading import Reading, page, read_call
from api.schemas import answers, queries
from ledger.reports.stats import statistics, statistics_data

stats = Blueprint("stats", __name__, url_prefix="/clubs/<id:club>", description="Who plays how")


@read_call(stats, "/stats", answers.Statistics, queries.OfTableAndSeason)
def statistics_of(book: Reading, after: int, limit: int, table: str | None, season: str | None) -> dict[str, Any]:
    """What everybody did in closed nights, who played most first."""
    counted = statistics(book.ledger, book.club, book.reader, table=table, season=season)
    rows = statistics_data(counted, {member: book.words.member(member) for member in counted})
    shown, following = page([{"place": place, **row} for place, row in enumerate(rows, 1)][after:], limit,
                            lambda row: row["place"])  # fmt: skip
    return {"members": shown, "next": following}
