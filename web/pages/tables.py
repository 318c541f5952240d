"""Tables: a card for every game on the shelf, its payment table, and what is changed of it at home."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, g, render_template
from werkzeug.wrappers import Response

from api.reading import Reading
from ledger.access import TREASURER
from ledger.club import Club, ClubTable
from ledger.errors import CommandIdReused, HouseRuleInvalid, LedgerError, TableExists, TableUnknown
from ledger.imports.ids import id_from
from ledger.rulebook import Rulebook, apply_house_rules, read
from ledger.rulebooks import preset, preset_ids
from ledger.views import members_view, tables_view
from web.amounts import as_typed, money_of
from web.booking import carry_out, reading, shows, takes
from web.done import done
from web.forms import Form
from web.pages.nights import told_of
from web.rulebook_page import examples_of, field_of, gist, house_rules_of, switches_of, table_of
from web.words import gettext

tables = Blueprint("tables_of_the_book", __name__, template_folder="../templates")

_FIRST = ("rockets-peep-nap", "rockets-napoleon", "foster-pool-nap", "rockets-pepper")
"""What most begin with stands first."""


@shows(tables, "/tables")
def every_table(here: Reading) -> str:
    """Every table, with what is played there and what waits in its pool."""
    rows = tables_view(here.club, here.reader, everything=True)
    for row in rows:
        row["game"] = here.ledger.book(here.club.id, here.reader, row["rulebook"]).name()
    return render_template("tables.html", tables=rows)


@shows(tables, "/tables/new")
def shelf(here: Reading) -> str:
    """A card for every game."""
    own = [read(one.body) for one in here.club.rulebooks.values()]
    names = [*_FIRST, *(name for name in preset_ids() if name not in _FIRST)]
    taken = {book.id for book in own}
    books = [*own, *(preset(name) for name in names if name not in taken)]
    return render_template(
        "shelf.html", books=[{"book": book, "gist": gist(book), "own": book.id in taken} for book in books]
    )


@shows(tables, "/tables/new/<id:rulebook>")
def game(here: Reading, rulebook: str) -> str:
    """A game as a payment table, and a form to open a table for it."""
    book = here.ledger.book(here.club.id, here.reader, rulebook)
    return render_template(
        "game.html",
        book=book,
        gist=gist(book),
        shown=table_of(book, book),
        examples=examples_of(book, book),
        bankers=_bankers(here),
        money=here.club.money,
        chip=as_typed(here.club.money["chip"], here.club.money["currency"]) if here.club.money else "",
        suggested=_suggested(here.club, here, book),
    )


@takes(tables, "/tables/new/<id:rulebook>", role=TREASURER, again=game)
def open_table(form: Form, rulebook: str) -> Response:
    """Open a table for a game."""
    made = id_from(form.value("name").strip())
    settings: dict[str, Any] = {
        "name": form.value("name"),
        "rulebook": rulebook,
        "stake": form.number("stake"),
        "money": money_of(form),
        "banker": form.text("banker"),
    }
    table = made
    try:
        carry_out(form, "OpenTable", table=table, **settings)
    except (TableExists, CommandIdReused):  # the same ids in the same order, however often the form is sent
        table = f"{(made or 'table')[:50]}-{form.command[:4]}"
        carry_out(form, "OpenTable", table=table, **settings)
    with reading() as here:
        fresh = not here.club.nights
    return done("/" if fresh else f"/tables/{table or [*here.club.tables][-1]}", "table_opened")


@shows(tables, "/tables/<id:table>")
def one_table(here: Reading, table: str) -> str:
    """A table: its payment table, its pool, its nights, and what may be changed of it."""
    known = _known(here.club, table)
    book, base = _books(here, known)
    (row,) = (one for one in tables_view(here.club, here.reader, everything=True) if one["id"] == table)
    return render_template(
        "table.html",
        table=row,
        book=book,
        base=base,
        shown=table_of(book, base, stake=known.stake),
        nights=told_of(here.club, [one for one in reversed([*here.club.nights.values()]) if one.table == table][:10]),
        bankers=_bankers(here),
        banker=here.words.party(known.banker),
        chip=as_typed(known.money["chip"], known.money["currency"]) if known.money else "",
        members=members_view(here.club, here.reader),
    )


@takes(tables, "/tables/<id:table>/change", role=TREASURER, again=one_table)
def change_table(form: Form, table: str) -> Response:
    """Change a table's name, stake or banker."""
    with reading() as here:
        known = _known(here.club, table)
        name = None if form.value("name").strip() == here.words.table(table) else form.value("name")
    stake, banker = form.number("stake"), form.text("banker")
    carry_out(
        form,
        "ChangeTable",
        table=table,
        name=name,
        stake=None if stake == known.stake else stake,
        banker=None if banker == known.banker else banker,
    )
    return done(f"/tables/{table}", "table_changed")


@takes(tables, "/tables/<id:table>/money", role=TREASURER, again=one_table)
def change_money(form: Form, table: str) -> Response:
    """Say what a chip is worth from the next night on, and what becomes of the pool."""
    carry_out(form, "ChangeTable", table=table, money=money_of(form), pool_=form.text("pool"))
    return done(f"/tables/{table}", "table_changed")


@takes(tables, "/tables/<id:table>/close", role=TREASURER, again=one_table)
def close_table(form: Form, table: str) -> Response:
    """End a table, and share out its pool or give it to somebody."""
    choice = form.value("pool") or "split"
    carry_out(form, "CloseTable", table=table, pool_=choice if choice == "split" else {"to": choice})
    return done("/tables", "table_closed")


@shows(tables, "/tables/<id:table>/rules", role=TREASURER, leads_to_form=True)
def rules(here: Reading, table: str) -> str:
    """House rules as a form; with what they change of the payment table and of the worked examples."""
    known = _known(here.club, table)
    book, base = _books(here, known)
    plan: dict[str, Any] = {}
    form: Form | None = g.get("form") or g.get("tried")
    if form is not None:
        try:
            tried = apply_house_rules(base, house_rules_of(form, base, book.house_rules))
        except LedgerError:
            tried = None  # what is wrong stands at its field
        if tried is not None:
            plan = {
                "shown": table_of(tried, book, stake=known.stake),
                "examples": examples_of(tried, base),
                "digest": tried.digest,
                "version": here.club.version,
                "same": tried.digest == book.digest,
            }
    return render_template(
        "rules.html",
        table=known,
        name=here.words.table(table),
        base=base,
        switches=switches_of(book, base),
        plan=plan,
        tried=form,
    )


@takes(tables, "/tables/<id:table>/rules", role=TREASURER, again=rules)
def change_rules(form: Form, table: str) -> str | Response:
    """Show what other house rules would change; book them where just that was shown."""
    with reading() as here:
        known = _known(here.club, table)
        book, base = _books(here, known)
        house_rules = house_rules_of(form, base, book.house_rules)
        try:
            tried = apply_house_rules(base, house_rules)
        except HouseRuleInvalid as error:
            raise HouseRuleInvalid(field=field_of(error), why=str(error.facts["why"])) from None
        if form.value("do") != "book" or form.value("digest") != tried.digest:
            g.tried = form
            return str(rules(here, table))
    carry_out(form, "ChangeTable", expected=form.number("version"), table=table, house_rules=house_rules)
    return done(f"/tables/{table}", "table_changed")


def _known(club: Club, table: str) -> ClubTable:
    found = club.tables.get(table)
    if found is None:
        raise TableUnknown(field="table", table=table)
    return found


def _books(here: Reading, table: ClubTable) -> tuple[Rulebook, Rulebook]:
    """Return a table's rules with its house rules, and without."""
    base = here.ledger.book(here.club.id, here.reader, table.rulebook)
    return apply_house_rules(base, table.house_rules), base


def _bankers(here: Reading) -> list[tuple[str, str]]:
    members = members_view(here.club, here.reader)
    return [("till", gettext("the club's till")), *((row["id"], row["name"]) for row in members)]


def _suggested(club: Club, here: Reading, book: Rulebook) -> str:
    """Return a name for a table that nobody has used yet: that of its game."""
    name = book.name().partition(" (")[0]
    taken = {here.words.table(table) for table in club.tables}
    if name not in taken:
        return name
    return next(tried for count in range(2, len(taken) + 3) if (tried := f"{name} {count}") not in taken)
