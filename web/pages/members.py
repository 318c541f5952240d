"""The people of a club: added, renamed, put away, found to be one, erased; and what made an account."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from api.reading import Reading
from ledger import open_items
from ledger.access import SCOREKEEPER, TREASURER
from ledger.club import Club
from ledger.errors import BadName, LedgerError, MemberUnknown
from ledger.reports.statement import statement
from ledger.views import members_view, payments_view
from web.booking import carry_out, carry_out_all, command, names_of, previewed, shows, takes
from web.done import done
from web.forms import Form
from web.refusals import words_of
from web.words import gettext

members = Blueprint("people_of_the_book", __name__, template_folder="../templates")

AT_ONCE = 100
"""So many names are taken from one form."""

LINES = 60
"""So many lines of a statement are shown at once, the newest first."""


@shows(members, "/members")
def everybody(here: Reading) -> str:
    """Everybody who may sit down, what is open between each and the club, and who was put away."""
    rows = [row for row in members_view(here.club, here.reader, everybody=True) if not row["alias_of"]]
    return render_template(
        "members.html",
        active=[row for row in rows if not row["archived"] and not row["erased"]],
        archived=[row for row in rows if row["archived"] and not row["erased"]],
        open_items=_open_by_member(here.club),
        first=not here.club.members,
    )


@takes(members, "/members/add", role=SCOREKEEPER, again=everybody)
def add(form: Form) -> AnyResponse:
    """Add everybody who was named: a line each, or between commas."""
    names = [name.strip() for line in form.value("names").splitlines() for name in line.split(",")]
    names = [name for name in names if name]
    if not names:
        raise BadName(field="names", why=gettext("write at least one"))
    if len(names) > AT_ONCE:
        raise BadName(field="names", why=gettext("that is more than a hundred at once"))
    requests = []
    for index, name in enumerate(names):
        try:
            requests.append(command(form.part(index), "AddMember", {"name": name}))
        except LedgerError as error:
            raise BadName(field="names", why=f"{name}: {error.facts.get('why', error.detail)}") from None
    carry_out_all(requests)
    ahead = "/" if form.value("then") == "start" else "/members"
    return done(ahead, "added", len(names))


@shows(members, "/members/<id:member>")
def one(here: Reading, member: str) -> str | AnyResponse:
    """One member: what is open, and what made it, line by line."""
    _require_known(here.club, member)
    resolved = here.club.resolved(member)
    if resolved != member:
        return redirect(f"/members/{resolved}", 308)
    found = here.club.members[member]
    lines = [*statement(here.club, here.reader, member)]
    balances = {line.unit: line.balance for line in lines}
    page = max(request.args.get("page", 1, type=int), 1)
    shown = lines[::-1][(page - 1) * LINES : page * LINES]
    return render_template(
        "member.html",
        member=found,
        name=here.words.member(member),
        aliases=[alias for alias in here.club.aliases(member) if alias != member],
        balances=balances,
        owed=_open_by_member(here.club).get(member, {}),
        lines=shown,
        page=page,
        pages=-(-len(lines) // LINES),
        payments=payments_view(here.club, here.words, member),
        table_of={night.id: here.words.table(night.table) for night in here.club.nights.values()},
    )


@takes(members, "/members/<id:member>/rename", role=TREASURER, again=one)
def rename(form: Form, member: str) -> AnyResponse:
    """Give a member another name."""
    carry_out(form, "RenameMember", member=member, name=form.value("name"))
    return done(f"/members/{member}", "renamed")


@takes(members, "/members/<id:member>/archive", role=TREASURER, again=one)
def archive(form: Form, member: str) -> AnyResponse:
    """Put a member away: he is offered nowhere; what is open stays."""
    carry_out(form, "ArchiveMember", member=member)
    return done(f"/members/{member}", "archived")


@takes(members, "/members/<id:member>/restore", role=TREASURER, again=one)
def restore(form: Form, member: str) -> AnyResponse:
    """Bring an archived member back."""
    carry_out(form, "RestoreMember", member=member)
    return done(f"/members/{member}", "restored")


@shows(members, "/members/<id:member>/merge", role=TREASURER, leads_to_form=True)
def merging(here: Reading, member: str) -> str:
    """Who else this member turned out to be: chosen, then shown before it is booked."""
    _require_known(here.club, member)
    into = request.values.get("into", "")
    plan: dict[str, Any] = {}
    if into:
        try:
            _require_known(here.club, into)
            answer = previewed(here, "MergeMembers", from_=member, into=into)
            plan = {"version": answer["version"], "items": _together(here.club, member, into)}
        except LedgerError as error:
            plan = {"refused": words_of(error, names_of(here), {"into": gettext("This")})}
    others = [
        row
        for row in members_view(here.club, here.reader, everybody=True)
        if row["id"] != member and not row["alias_of"] and not row["erased"]
    ]
    return render_template(
        "merge.html",
        member=member,
        name=here.words.member(member),
        others=others,
        into=into,
        into_name=here.words.member(into) if into in here.club.members else into,
        sat={one: _nights_of(here.club, one) for one in (member, into)},
        plan=plan,
    )


@takes(members, "/members/<id:member>/merge", role=TREASURER, again=merging)
def merge(form: Form, member: str) -> AnyResponse:
    """Say that two memberships are one person."""
    into = form.value("into")
    carry_out(form, "MergeMembers", expected=form.number("version"), from_=member, into=into)
    return done(f"/members/{into}", "merged")


@shows(members, "/members/<id:member>/erase", role=TREASURER, leads_to_form=True)
def erasing(here: Reading, member: str) -> str:
    """What erasing a member removes, and what stays."""
    _require_known(here.club, member)
    return render_template(
        "erase.html",
        member=here.club.members[member],
        name=here.words.member(member),
        aliases=[here.words.text(here.club.members[one].name) for one in here.club.aliases(member)[1:]],
        owed=_open_by_member(here.club).get(member, {}),
    )


@takes(members, "/members/<id:member>/erase", role=TREASURER, again=erasing)
def erase(form: Form, member: str) -> AnyResponse:
    """Remove a member's names for good."""
    if form.value("sure") != "yes":
        raise BadName(field="sure", why=gettext("tick it, or leave the name as it is"))
    carry_out(form, "EraseMember", member=member)
    return done("/members", "erased")


def _open_by_member(club: Club) -> dict[str, dict[str, int]]:
    """Return what is open by member and unit."""
    found: dict[str, dict[str, int]] = {}
    for unit, parties in open_items.of_club(club).items():
        for party, amount in parties.items():
            found.setdefault(party, {})[unit] = amount
    return found


def _together(club: Club, member: str, into: str) -> dict[str, int]:
    sums: dict[str, int] = {}
    for items in (_open_by_member(club).get(one, {}) for one in (member, into)):
        for unit, amount in items.items():
            sums[unit] = sums.get(unit, 0) + amount
    return sums


def _nights_of(club: Club, member: str) -> int:
    ids = set(club.aliases(member))
    return sum(1 for night in club.nights.values() if ids.intersection(night.players))


def _require_known(club: Club, member: str) -> None:
    if member not in club.members:
        raise MemberUnknown(field="member", member=member)
