"""What may stand behind the question mark."""

from __future__ import annotations

from typing import get_args

import marshmallow as ma

from api.schemas.fields import ID, UUID, Digits, choice, identifier, pattern, text
from ledger import values
from ledger.exports.spreadsheets import PROFILES
from ledger.settlement import Policy

PAGE = 100
MOST = 1_000


def yes_or_no(words: str) -> ma.fields.String:
    """Return a parameter that is said to be true, or not."""
    return choice("true", "false", load_default="false", metadata={"description": words})


class Query(ma.Schema):
    """Parameters of an address; others are not looked at."""

    class Meta:  # noqa: D106 - marshmallow's
        unknown = ma.EXCLUDE


class Page(Query):
    limit = Digits(1, MOST, load_default=PAGE, metadata={"description": "at most so many"})


class PageAfterNumber(Page):
    after = Digits(0, values.TOTAL_LIMIT, load_default=0, metadata={"description": "the next of the page before"})


class PageAfterId(Page):
    after = identifier(load_default=None, metadata={"description": "the next of the page before"})


class PageAfterCommand(Page):
    after = pattern(UUID, load_default=None, metadata={"description": "the next of the page before"})


class EverybodyToo(PageAfterNumber):
    all = choice(
        "true",
        "false",
        load_default="false",
        metadata={"description": "also who is archived, erased, or somebody else"},
    )


class EverythingToo(PageAfterId):
    all = yes_or_no("also those that are closed")


class OfTable(PageAfterId):
    table = identifier(load_default=None, metadata={"description": "only nights of this table"})


class Account(Query):
    account = pattern(ID, required=True, metadata={"description": "a member who sat there, or pool"})


class OtherRules(Query):
    rulebook = identifier(load_default=None, metadata={"description": "else that of the night"})
    house_rules = text(
        2,
        10_000,
        load_default=None,
        metadata={"description": "a JSON object; else none", "contentMediaType": "application/json"},
    )


class How(Query):
    policy = choice(
        *get_args(Policy),
        load_default="fewest",
        metadata={"description": "the fewest payments, everybody with the banker, or less than the threshold waits"},
    )
    threshold = Digits(0, values.AMOUNT_LIMIT, load_default=0, metadata={"description": "with threshold: how much"})
    banker = identifier(load_default=None, metadata={"description": "a member, or till; else the night's own"})


class Table(Query):
    profile = choice(
        *PROFILES,
        load_default="machine",
        metadata={"description": "for machines, or for Excel in two kinds of country"},
    )


class HowAsTable(How, Table):
    """How to settle, and how to write it."""


class PaymentsOf(PageAfterCommand):
    member = identifier(load_default=None, metadata={"description": "only what he paid or was paid"})


class OfTableAndSeason(PageAfterNumber):
    table = identifier(load_default=None, metadata={"description": "only nights of this table"})
    season = identifier(load_default=None, metadata={"description": "only nights dated within it"})
