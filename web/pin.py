"""On a shared device: who takes responsibility for what the device may not do itself, and his PIN.

A form that needs more than the device's own role is answered with a page that says what would be booked and asks for a
PIN. It carries the form along, so that nothing need be filled in again, and sends it once more to the same address with
the PIN beside it. The PIN is looked at when a command is about to be booked, and is good for that one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from flask import Response, g, make_response, render_template, request
from flask_babel import lazy_gettext as later
from werkzeug.datastructures import MultiDict

from api import auth
from api.errors import status_of
from api.reading import Reading
from api.state import state
from ledger import access, people
from ledger.errors import LedgerError, RoleNeeded, TooManyAttempts
from ledger.journal import SHORTAGE, TILL
from ledger.service import Request
from ledger.views import night_view, payments_view
from web import shown
from web.forms import Form
from web.refusals import words_of
from web.words import gettext

WHO: Final = "responsible"
PIN: Final = "responsible_pin"
BACK: Final = "turn_back"
"""What the page adds to a form: whose PIN, the PIN, and that somebody thought better of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What was entered where a PIN was asked for."""

    user: str
    pin: str


def taken_out(form: Form) -> tuple[Form, Entry | None, bool]:
    """Return a form without what the page added to it, the PIN that came with it, and whether it was turned back."""
    values = MultiDict(form.values)
    user, pin, back = (values.pop(name, None) for name in (WHO, PIN, BACK))
    entry = None if user is None or pin is None else Entry(user=user, pin=pin)
    return replace(form, values=values), entry, back is not None


def reach(who: auth.Caller) -> str:
    """Return the role up to which pages offer somebody their forms: a device's go on to a treasurer's PIN.

    What is an owner's to do is not done on a device that lies about.
    """
    if is_asked_of(who) and not access.may(who.role, access.TREASURER):
        return access.TREASURER
    return who.role


def is_asked_of(who: auth.Caller) -> bool:
    """Tell whether this is a device on which PINs are good: the same as over the API."""
    return who.device is not None and access.may(who.role, access.CALLS["enter_pin"])


def grant() -> str | None:
    """Return the leave for one act that the PIN of this request gives, if one came with it.

    Raises ``PinWrong``, ``TooManyAttempts``.
    """
    entry: Entry | None = g.get("pin_entry")
    who: auth.Caller = g.caller
    if entry is None or who.device is None or not is_asked_of(who):
        return None
    if "pin_grant" not in g:
        g.pin_grant = people.grant_by_pin(state().door, who.device, entry.user[:60], entry.pin[:100], auth.by())
    given: str = g.pin_grant
    return given


def asked(here: Reading, who: auth.Caller, form: Form, error: LedgerError, requests: Sequence[Request]) -> Response:
    """Ask for the PIN of somebody who may book what a form says; or once more, with what was wrong."""
    needed = _needed(error, requests)
    entry: Entry | None = g.get("pin_entry")
    wrong = {} if entry is None else {"" if isinstance(error, RoleNeeded) else PIN: words_of(error)}
    g.code = error.code
    answer = make_response(
        render_template(
            "pin.html",
            needed=needed,
            device=who.name,
            people=[
                (user.id, user.name)
                for user in people.people_with_pins(state().door, who.club)
                if access.may(user.role, needed)
            ],
            acts=[_told(here, one) for one in requests],
            carried=[*((key, value) for key, value in form.values.items(multi=True) if key != "command")],
            form=Form(
                name="pin",
                command=form.command,
                values=MultiDict({WHO: entry.user} if entry else {}),
                errors=wrong,
            ),
            at=request.full_path.removesuffix("?"),
            fields={"who": WHO, "pin": PIN, "back": BACK},
        ),
        status_of(type(error)),
    )
    if isinstance(error, TooManyAttempts):
        answer.headers["Retry-After"] = str(error.facts["seconds"])
    return answer


def _needed(error: LedgerError, requests: Sequence[Request]) -> str:
    if isinstance(error, RoleNeeded):
        return str(error.facts["role"])
    roles = [access.COMMANDS.get(type(one.command).__name__, access.OWNER) for one in requests]
    return max([access.TREASURER, *roles], key=access.ROLES.index)


# What would be booked, in words: whoever gives his PIN for it must be able to read it.

_ACTS: Final[Mapping[str, Any]] = {
    "RecordPayment": later("Book a payment"),
    "ReversePayment": later("Reverse a payment"),
    "PostAdjustment": later("Book an adjustment"),
    "ChargeTable": later("Charge everybody who sat in a night"),
    "CountCash": later("Book a count of the cash box"),
    "ReopenNight": later("Open a closed night again"),
    "Undo": later("Take back"),
    "RenameMember": later("Rename a member"),
    "ArchiveMember": later("Archive a member"),
    "RestoreMember": later("Bring a member back"),
    "MergeMembers": later("Make two members one"),
    "EraseMember": later("Erase a name for good"),
    "OpenTable": later("Open a table"),
    "ChangeTable": later("Change a table"),
    "CloseTable": later("Close a table"),
    "StartSeason": later("Start a season"),
    "EndSeason": later("End a season"),
    "AdmitLateHand": later("Let a late hand count"),
    "RefuseLateHand": later("Refuse a late hand"),
    "CorrectHand": later("Correct a hand"),
    "CorrectClosedHand": later("Correct a hand of a closed night"),
    "VoidHand": later("Void a hand"),
    "Reseat": later("Seat everybody anew"),
    "ChangeRules": later("Change the rules of a night"),
    "CashOut": later("Take chips back for money"),
}

_LABELS: Final[Mapping[str, Any]] = {
    "from_": later("From"),
    "to": later("To"),
    "amount": later("Amount"),
    "amount_each": later("From each"),
    "reason": later("Why"),
    "note": later("Note"),
    "method": later("How"),
    "date": later("When"),
    "member": later("Member"),
    "into": later("Same person as"),
    "name": later("Name"),
    "night": later("Night"),
    "table": later("Table"),
    "hand": later("Hand"),
    "payment": later("Payment"),
    "rulebook": later("Game"),
    "house_rules": later("House rules"),
    "stake": later("Stake"),
    "money": later("A chip is worth"),
    "banker": later("Banker"),
    "pool": later("Pool"),
    "season": later("Season"),
    "command": later("What"),
}


def _told(here: Reading, one: Request) -> tuple[str, list[tuple[str, str]]]:
    """Return what a command would do, and to whom, with which amounts, why."""
    kind = type(one.command).__name__
    data = {field.name: getattr(one.command, field.name) for field in fields(one.command)}
    if one.night is not None:
        data = {"night": one.night, **data}
    names = _names(here, one)
    unit = data.pop("unit", None) or _unit(here, data.get("night"))
    lines = []
    for key, value in data.items():
        if value is None or value == {}:
            continue
        words = shown.units(value, unit, sign=False) if key in ("amount", "amount_each") else _words(value, names)
        lines.append((str(_LABELS.get(key, key.replace("_", " ").capitalize())), words))
    return str(_ACTS.get(kind, kind)), lines


def _names(here: Reading, one: Request) -> dict[str, str]:
    club, words = here.club, here.words
    names = {
        **{night.id: f"{words.table(night.table)}, {night.date}" for night in club.nights.values()},
        **{table: words.table(table) for table in club.tables},
        **{season.id: words.text(season.name) or season.id for season in club.seasons.values()},
        **{member: words.member(member) for member in club.members},
        TILL: gettext("the club's till"),
        SHORTAGE: gettext("shortage"),
    }
    for kept in club.late.values():
        names[kept.command] = f"{names[kept.night]}, {gettext('hand %(n)s', n=kept.hand)}"
    for row in payments_view(club, words):
        amount = shown.units(row["amount"], row["unit"], sign=False)
        names[row["payment"]] = f"{row['from_name']} → {row['to_name']}: {amount}"
    if one.night is not None and (undo := night_view(here.ledger, club, one.night, here.reader)["undo"]):
        names[undo["command"]] = undo["label"]
    return names


def _unit(here: Reading, night: str | None) -> str:
    if night is not None and night in here.club.nights:
        return here.club.nights[night].unit
    return str(here.club.money["currency"]) if here.club.money else ""


def _words(value: Any, names: Mapping[str, str]) -> str:  # noqa: ANN401 - a value of a command
    if value is None:
        return "–"
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, Mapping):
        return ", ".join(f"{names.get(key, key)}: {_words(one, names)}" for key, one in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_words(one, names) for one in value)
    return names.get(value, str(value)) if isinstance(value, str) else str(value)
