"""Who owes whom: settlement of a night or of everything, payments, adjustments, the cash box."""

from __future__ import annotations

from typing import Any, Final, get_args

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from api.reading import Reading
from ledger import open_items
from ledger.access import TREASURER
from ledger.club import ClubNight
from ledger.errors import BadValue, LedgerError, MissingKey
from ledger.journal import CASH, SHORTAGE, TILL
from ledger.reports.settlement import Settled, results, settlement
from ledger.settlement import EXACT_LIMIT, Policy
from ledger.views import members_view, payments_view
from ledger.words import names_at
from web import shown
from web.amounts import as_typed, in_minor_units
from web.booking import carry_out, reading, shows, takes
from web.done import done, fill_in
from web.forms import Form
from web.pages.nights import require_closed
from web.refusals import words_of
from web.words import gettext

money = Blueprint("money_of_the_book", __name__, template_folder="../templates")

PAYMENTS: Final = 50
"""So many payments are shown, the newest first."""


@shows(money, "/money")
def everything(here: Reading) -> str:
    """Everything that is open, who would pay whom, and what was paid."""
    plans, how = _plans(here, ())
    club = here.club
    payments = payments_view(club, here.words)[::-1]
    unit = str(club.money["currency"]) if club.money else None
    _fill_in(payments)
    return render_template(
        "money.html",
        plans=plans,
        how=how,
        payments=payments[:PAYMENTS],
        more=len(payments) > PAYMENTS,
        parties=_parties(here),
        currency=unit,
        box=None if unit is None else -here.reader.balance(CASH, unit, "club"),
        units=sorted(
            {*open_items.of_club(club), *(night.unit for night in club.nights.values()), *filter(None, [unit])}
        ),
        table_of={night.id: here.words.table(night.table) for night in club.nights.values()},
        units_of_tables={night.unit: here.words.table(night.table) for night in club.nights.values()},
    )


@shows(money, "/nights/<id:night>/settlement")
def of_night(here: Reading, night: str) -> str:
    """What a closed night came to, who pays whom for it, and what was paid."""
    known = require_closed(here.club, night)
    found = here.night(night)
    plans, how = _plans(here, (known,))
    rows = [dict(zip(_RESULT, row[3:], strict=True)) for row in results(found, here.words)]
    names = names_at(found, here.words)
    paid = [
        row
        for row in payments_view(here.club, here.words)[::-1]
        if any(part["night"] == night for part in row["nights"])
    ]
    _fill_in(paid)
    return render_template(
        "settlement.html",
        night=known,
        name=here.words.table(known.table),
        rows=rows,
        names=names,
        plans=plans,
        how=how,
        payments=paid,
        settled=open_items.is_settled(here.club, known),
        disputed=sorted(found.disputes),
        parties=_parties(here),
        receipt=found.closings[-1].receipt,
        table_of={known.id: here.words.table(known.table)},
    )


_RESULT: Final = (
    "player_id", "player", "bought", "sold", "chips", "worth", "paid", "open", "currency",
)  # fmt: skip


@takes(money, "/nights/<id:night>/pay", role=TREASURER, again=of_night)
def pay_night(form: Form, night: str) -> Response:
    """Book a payment for a night."""
    with reading() as here:
        unit = require_closed(here.club, night).unit
    _pay(form, unit, night)
    return done(f"/nights/{night}/settlement", "paid", about=form.command)


@takes(money, "/money/pay", role=TREASURER, again=everything)
def pay(form: Form) -> Response:
    """Book a payment that names no night: it settles the oldest that is open."""
    _pay(form, form.value("unit"), None)
    return done("/money", "paid", about=form.command)


def _fill_in(payments: list[dict[str, Any]]) -> None:
    """Let the page say who paid whom how much, of the payment that was just booked: a wrong tap is noticed there."""
    for row in payments:
        if row["payment"] == request.args.get("about"):
            amount = shown.units(row["amount"], row["unit"], sign=False)
            fill_in(payer=row["from_name"], payee=row["to_name"], amount=amount)


def _pay(form: Form, unit: str, night: str | None) -> None:
    amount = in_minor_units(form, "amount", unit)
    if amount is None:
        raise MissingKey(field="amount")
    carry_out(
        form,
        "RecordPayment",
        expected=form.number("version"),
        from_=form.value("from"),
        to=form.value("to"),
        amount=amount,
        night_=night,
        method=form.text("method"),
        date=form.text("date"),
    )


@takes(money, "/money/reverse", role=TREASURER, again=everything)
def reverse(form: Form) -> Response:
    """Take a payment back; both stay readable."""
    carry_out(form, "ReversePayment", payment=form.value("payment"), reason=form.value("reason"))
    return done("/money", "reversed")


@takes(money, "/nights/<id:night>/reverse", role=TREASURER, again=of_night)
def reverse_of_night(form: Form, night: str) -> Response:
    """Take a payment of a night back."""
    carry_out(form, "ReversePayment", payment=form.value("payment"), reason=form.value("reason"))
    return done(f"/nights/{night}/settlement", "reversed")


@takes(money, "/money/adjust", role=TREASURER, again=everything)
def adjust(form: Form) -> Response:
    """Move an amount between two accounts without cash, for a reason."""
    unit = form.value("unit")
    amount = in_minor_units(form, "amount", unit)
    if amount is None:
        raise MissingKey(field="amount")
    carry_out(
        form,
        "PostAdjustment",
        from_=form.value("from"),
        to=form.value("to"),
        amount=amount,
        unit=unit or None,
        reason=form.value("reason"),
    )
    return done("/money", "adjusted")


@takes(money, "/money/cash", role=TREASURER, again=everything)
def count_cash(form: Form) -> Response:
    """Say what lies in the cash box; the book follows."""
    with reading() as here:
        unit = str(here.club.money["currency"]) if here.club.money else ""
    amount = in_minor_units(form, "amount", unit)
    if amount is None:
        raise MissingKey(field="amount")
    carry_out(form, "CountCash", amount=amount, note=form.text("note"))
    return done("/money", "counted")


@takes(money, "/nights/<id:night>/charge", role=TREASURER, again=of_night)
def charge(form: Form, night: str) -> Response:
    """Charge everybody who sat in a night an amount that is the club's."""
    with reading() as here:
        unit = require_closed(here.club, night).unit
    amount = in_minor_units(form, "amount", unit)
    if amount is None:
        raise MissingKey(field="amount")
    carry_out(form, "ChargeTable", night_=night, amount_each=amount, reason=form.value("reason"))
    return done(f"/nights/{night}/settlement", "adjusted")


def _plans(here: Reading, nights: tuple[ClubNight, ...]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return who pays whom by the policy that the address asks for, unit by unit, and how that was asked for."""
    asked = request.args.get("policy", "fewest")
    policy: Policy = next((known for known in get_args(Policy) if known == asked), "fewest")
    banker = request.args.get("banker") or None
    how: dict[str, Any] = {"policy": policy, "banker": banker or "", "threshold": "", "wrong": "", "version": 0}
    threshold = 0
    units = {night.unit for night in nights} or set(open_items.of_club(here.club))
    if policy == "threshold":
        how["threshold"] = request.args.get("threshold", "")
        try:
            typed = Form(name="", command=here.ledger.new_id(), values=request.args)
            threshold = in_minor_units(typed, "threshold", next(iter(units), "")) or 0
            if threshold < 0:
                raise BadValue(field="threshold", wanted=gettext("an amount above nothing"))
        except BadValue as error:
            how["wrong"] = words_of(error, labels={"threshold": gettext("This")})
    try:
        settled = settlement(
            here.club, [night.id for night in nights], policy=policy, threshold=threshold, banker=banker
        )
    except LedgerError as error:
        how["wrong"] = words_of(error)
        settled = settlement(here.club, [night.id for night in nights])
    how["version"] = here.club.version
    return [_plan(here, row) for row in settled], how


def _plan(here: Reading, row: Settled) -> dict[str, Any]:
    names = here.words.parties(sorted({*row.balances, TILL}))
    return {
        "unit": row.unit,
        "names": names,
        "balances": sorted(row.balances.items(), key=lambda item: item[1]),
        "transfers": [
            {
                "from": one.payer,
                "to": one.payee,
                "amount": one.amount,
                "typed": as_typed(one.amount, row.unit),
                "bookable": SHORTAGE not in (one.payer, one.payee),
            }
            for one in row.settlement.transfers
        ],
        "carried": row.settlement.carried,
        "exact": len(row.balances) <= EXACT_LIMIT,
    }


def _parties(here: Reading) -> list[tuple[str, str]]:
    rows = members_view(here.club, here.reader, everybody=True)
    members = [(row["id"], row["name"]) for row in rows if not row["alias_of"]]
    return [*members, (TILL, gettext("the club's till")), (SHORTAGE, gettext("shortage"))]
