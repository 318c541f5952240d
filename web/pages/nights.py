"""Nights: begun, looked at hand by hand, counted, closed, and opened again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, g, redirect, render_template, request
from werkzeug.wrappers import Response

from api.reading import Reading
from ledger.access import SCOREKEEPER, TREASURER, VIEWER
from ledger.club import Club, ClubNight, nights_of, require_night, require_table
from ledger.errors import BadValue, LedgerError, MemberUnknown, NightIsClosed, NightIsOpen, NightPaid
from ledger.events import NightClosed
from ledger.night import Night
from ledger.open_items import is_settled
from ledger.projections import explain as lines_of
from ledger.reports.story import story
from ledger.rulebook import apply_house_rules
from ledger.views import hand_view, hands_view, members_view, night_view, tables_view, why_it_stays_closed
from ledger.words import names_at, team
from web.booking import carry_out, names_of, previewed, reading, shows, takes
from web.done import done
from web.forms import Form
from web.refusals import words_of
from web.words import gettext

nights = Blueprint("nights_of_the_book", __name__, template_folder="../templates")

AT_ONCE = 40
"""So many nights are shown on a page."""

SEATS = 10
"""Most rulebooks seat no more."""


@shows(nights, "/nights")
def every_night(here: Reading) -> str:
    """Every night, those that are open first; of one table or one season where that is asked for."""
    club = here.club
    table, season = request.args.get("table", ""), request.args.get("season", "")
    found = [night for night in reversed([*club.nights.values()]) if table in ("", night.table)]
    if season:
        within = {night.id for night in nights_of(club, season=season)}
        found = [night for night in found if night.id in within]
    found.sort(key=lambda night: night.closed)
    page = max(request.args.get("page", 1, type=int), 1)
    going = [(night.id, here.words.table(night.table)) for night in club.nights.values() if not night.closed]
    return render_template(
        "nights.html",
        nights=told_of(club, found[(page - 1) * AT_ONCE : page * AT_ONCE]),
        table_of={one: here.words.table(one) for one in club.tables},
        seasons=[(one.id, here.words.text(one.name) or one.id) for one in club.seasons.values()],
        table=table,
        season=season,
        choose=request.args.get("to") == "table",
        going=going,
        page=page,
        pages=max(-(-len(found) // AT_ONCE), 1),
        free=[row for row in tables_view(club, here.reader) if not row["open_night"]],
    )


def told_of(club: Club, nights: Sequence[ClubNight]) -> list[dict[str, Any]]:
    """Return nights for a list; whether one is settled is worked out for those alone that are shown."""
    return [
        {
            "night": night.id,
            "table": night.table,
            "date": night.date,
            "state": "open" if not night.closed else "settled" if is_settled(club, night) else "closed",
            "revision": night.revision,
            "corrections": len(night.corrections),
        }
        for night in nights
    ]


# Beginning one


@shows(nights, "/nights/new", role=SCOREKEEPER)
def beginning(here: Reading) -> str:
    """Who sits where tonight, and who deals first; filled in as it was last time."""
    club = here.club
    open_tables = [row for row in tables_view(club, here.reader) if not row["open_night"]]
    table = request.values.get("table", "") or (open_tables[0]["id"] if open_tables else "")
    if table:
        require_table(club, table)
    people = members_view(club, here.reader)
    last = club.latest_night(table) if table else None
    seated: list[str] = []
    fewest, most = 2, SEATS
    partners = False
    if table:
        known = club.tables[table]
        book = here.ledger.book(club.id, here.reader, known.rulebook)
        fewest, most = apply_house_rules(book, known.house_rules).players
        partners = book.family == "pepper"
    if last is not None:
        there = {row["id"] for row in people}
        seated = [one for one in map(club.resolved, here.night(last.id).seats) if one in there]
    if not seated:
        seated = [row["id"] for row in people][: min(most, 6)]
    return render_template(
        "new_night.html",
        tables=open_tables,
        table=table,
        people=[(row["id"], row["name"]) for row in people],
        seated=seated[:most],
        seats=min(most, max(len(people), fewest)),
        fewest=fewest,
        dealer=1,
        partners=partners,
        elsewhere=_at_other_tables(here, table, seated[:most]),
        again=last is not None,
        pool=next((row["pool"] for row in open_tables if row["id"] == table), 0),
    )


def _at_other_tables(here: Reading, table: str, players: Sequence[str]) -> list[tuple[str, str]]:
    """Return who of some players sits at an open night of another table, and at which: nothing forbids it."""
    club, words = here.club, here.words
    resolved = [club.resolved(one) for one in players]
    return [
        (words.member(one), words.table(night.table))
        for night in club.nights.values()
        if not night.closed and night.table != table
        for one in map(club.resolved, here.night(night.id).seats)
        if one in resolved
    ]


@takes(nights, "/nights/new", role=SCOREKEEPER, again=beginning)
def begin(form: Form) -> Response:
    """Open a night."""
    seats = [(number, form.value(f"seat{number}")) for number in range(1, 21)]
    taken = [(number, player) for number, player in seats if player]
    dealer = next((player for number, player in taken if str(number) == form.value("dealer")), None)
    if dealer is None:
        raise BadValue(field="dealer", wanted=gettext("a seat that somebody sits in"))
    table = form.value("table")
    players = [player for _number, player in taken]
    twice = next((number for number, player in taken if players.count(player) > 1), None)
    if twice is not None:
        raise BadValue(field=f"seat{twice}", wanted=gettext("somebody who sits nowhere else"))
    carry_out(form, "OpenNight", table=table, players=players, dealer=dealer)
    with reading() as here:
        opened = here.club.open_night(table) or here.club.latest_night(table)
    assert opened is not None
    return redirect(f"/nights/{opened.id}/table", 303)


# One night


@shows(nights, "/nights/<id:night>")
def one_night(here: Reading, night: str) -> str:
    """A night: its pool and the story of that, who has how much, and every hand."""
    known = require_night(here.club, night)
    found = here.night(night)
    told = night_view(here.ledger, here.club, night, here.reader, here.role)
    names = names_at(found, here.words)
    rows = hands_view(here.ledger, here.club, night, here.reader)
    columns = _columns(found, told, rows)
    seated = set(found.seats)
    stays = why_it_stays_closed(here.club, night) if known.closed else None
    newest = found.newest()
    return render_template(
        "night.html",
        night=told,
        name=here.words.table(known.table),
        names=names,
        columns=[(key, _side(key, names)) for key in columns],
        hands=rows[::-1],
        bid_names=_bids(found),
        notes=_notes(here, found)[::-1],
        corrections=known.corrections,
        closed=known.closed,
        elsewhere=[] if known.closed else _at_other_tables(here, known.table, found.seats),
        may_reopen=known.closed and stays is None,
        stays_closed=words_of(stays, {**names_of(here), night: gettext("This night")}) if stays else "",
        paid=isinstance(stays, NightPaid),
        undoes_close=newest is not None and isinstance(newest.events[0][0], NightClosed),
        zone=here.club.zone,
        free=[row for row in members_view(here.club, here.reader) if row["id"] not in seated],
        hand_open=found.open_hand is not None,
        party=here.words.party,
    )


@shows(nights, "/nights/<id:night>/hands/<int:number>")
def one_hand(here: Reading, night: str, number: int) -> str:
    """A hand: what happened, what it moved, who wrote it down, and what was said about it."""
    known = require_night(here.club, night)
    found = here.night(night)
    row = hand_view(here.ledger, here.club, night, number, here.reader)
    names = names_at(found, here.words)
    told = story(here.ledger, here.club.id, night, number, here.reader, here.words)
    return render_template(
        "hand.html",
        night=known,
        name=here.words.table(known.table),
        hand=row,
        reasons={one["version"]: one["words"] for one in told},
        names=names,
        changes=[(_side(who, names), change) for who, change in row["changes"].items()],
        facts=_facts(row["facts"], names, _bids(found)),
        bid_names=_bids(found),
        notes=[note for note in _notes(here, found) if note["hand"] == number],
        disputed=found.disputes.get(number, 0),
        who=[("", gettext("nobody by name")), *((player, names[player]) for player in found.sat)],
        last=found.hands,
        zone=here.club.zone,
        corrections=[one for one in known.corrections if one.hand == number],
        party=here.words.party,
    )


@shows(nights, "/nights/<id:night>/explain/<id:account>")
def explain(here: Reading, night: str, account: str) -> str:
    """Why a balance, or the pool, is what it is: lines that sum to it."""
    known = require_night(here.club, night)
    found = here.night(night)
    one = next((member for member in here.club.aliases(account) if member in found.purses), account)
    if one != "pool" and one not in found.purses:
        raise MemberUnknown(field="account", member=account)
    told = lines_of(found, one)
    return render_template(
        "explain.html",
        night=known,
        name=here.words.table(known.table),
        subject=gettext("The pool") if one == "pool" else names_at(found, here.words)[one],
        told=told,
        names=names_at(found, here.words),
        bid_names=_bids(found),
        pool=one == "pool",
    )


def _takes(rule: str, *, role: str = SCOREKEEPER, again: Any = one_night) -> Any:  # noqa: ANN401 - as web.booking.takes
    return takes(nights, f"/nights/<id:night>/{rule}", role=role, again=again)


@_takes("hands/<int:number>/dispute", role=VIEWER, again=one_hand)
def dispute(form: Form, night: str, number: int) -> Response:
    """Say that a hand is not as it was; it counts until that is resolved."""
    carry_out(form, "Dispute", night=night, hand=number, player=form.text("player"), note=form.text("note"))
    return done(f"/nights/{night}/hands/{number}", "disputed")


@_takes("hands/<int:number>/resolve", again=one_hand)
def resolve(form: Form, night: str, number: int) -> Response:
    """Say that a dispute is resolved."""
    carry_out(form, "ResolveDispute", night=night, hand=number, note=form.text("note"))
    return done(f"/nights/{night}/hands/{number}", "resolved")


@_takes("hands/<int:number>/note", again=one_hand)
def note_hand(form: Form, night: str, number: int) -> Response:
    """Note something about a hand."""
    carry_out(form, "AddNote", night=night, hand=number, note=_written(form))
    return done(f"/nights/{night}/hands/{number}", "noted")


@_takes("note")
def note(form: Form, night: str) -> Response:
    """Note something about a night."""
    carry_out(form, "AddNote", night=night, note=_written(form))
    return done(f"/nights/{night}", "noted")


@_takes("undo")
def undo(form: Form, night: str) -> Response:
    """Take back the newest command, if it is still the one that was shown."""
    carry_out(form, "Undo", night=night, command=form.value("newest"))
    return done(f"/nights/{night}", "undone")


@_takes("seat")
def seat(form: Form, night: str) -> Response:
    """Seat somebody from the next deal on; the last, or where a seat is named."""
    carry_out(form, "SeatPlayer", night=night, player=form.value("player"), seat=form.number("at"))
    return done(f"/nights/{night}", "seated")


@_takes("unseat")
def unseat(form: Form, night: str) -> Response:
    """Let somebody go home from the next deal on."""
    carry_out(form, "UnseatPlayer", night=night, player=form.value("player"))
    return done(f"/nights/{night}", "seated")


@_takes("reopen", role=TREASURER)
def reopen(form: Form, night: str) -> Response:
    """Open a closed night again."""
    carry_out(form, "ReopenNight", night=night, reason=form.value("reason"))
    return done(f"/nights/{night}", "night_reopened")


# Counting and closing


@shows(nights, "/nights/<id:night>/count", role=SCOREKEEPER)
def counting(here: Reading, night: str) -> str:
    """What lies on the table against what the book says, gap by gap, before anything is booked."""
    found = _open(here, night)
    form: Form | None = g.get("form") or g.get("tried")
    plan: dict[str, Any] = {}
    if g.get("tried") is not None and form is not None:
        answer = previewed(here, "CountChips", night=night, counts=_counts(form), gap=form.value("gap") or "leave")
        plan = {"version": answer["version"], "gaps": answer["gaps"], "shown": _as_shown(_counts(form))}
    names = names_at(found, here.words)
    return render_template(
        "count.html",
        night=here.club.nights[night],
        name=here.words.table(here.club.nights[night].table),
        rows=[*((who, names[who], found.purses[who].stack) for who in found.purses), ("pool", "", found.pool)],
        plan=plan,
        tried=form,
    )


@_takes("count", again=counting)
def count(form: Form, night: str) -> str | Response:
    """Show the gaps of a count; book it where they were shown."""
    counts = _counts(form)
    if form.value("do") != "book" or form.value("shown") != _as_shown(counts):
        with reading() as here:
            g.tried = form
            return str(counting(here, night))
    expected = form.number("version")
    carry_out(form, "CountChips", night=night, expected=expected, counts=counts, gap=form.value("gap"))
    return done(f"/nights/{night}", "counted")


@shows(nights, "/nights/<id:night>/close", role=SCOREKEEPER)
def closing(here: Reading, night: str) -> str:
    """What closing would come to: who ends with how much, and what becomes of the pool."""
    found = _open(here, night)
    names = names_at(found, here.words)
    choice = request.values.get("pool", "")
    plan: dict[str, Any] = {}
    try:
        answer = previewed(here, "CloseNight", night=night, pool_=_pool(choice))
        plan = {"version": answer["version"], "balances": answer["balances"], "pool": answer["pool"]}
    except LedgerError as error:
        plan = {"refused": words_of(error, {**names_of(here), night: gettext("This night")})}
    return render_template(
        "close.html",
        night=here.club.nights[night],
        name=here.words.table(here.club.nights[night].table),
        state=found,
        names=names,
        plan=plan,
        choice=choice,
        at_close=found.rules.book.pool.at_close,
        disputed=sorted(found.disputes),
        review=[step.number for step in found.hand_steps() if step.review is not None],
        pepper=found.rules.book.family == "pepper",
        team=lambda key: _side(key, names),
    )


@_takes("close", again=closing)
def close(form: Form, night: str) -> Response:
    """Close a night as it was shown."""
    carry_out(form, "CloseNight", night=night, expected=form.number("version"), pool_=_pool(form.value("pool")))
    return done(f"/nights/{night}", "night_closed")


def _pool(choice: str) -> Any:  # noqa: ANN401 - a word, an object, or nothing
    return {"": None, "carry": "carry", "split": "split"}.get(choice, {"to": choice})


def _counts(form: Form) -> dict[str, int]:
    found = {}
    for name in form.values:
        if name.startswith("count.") and (chips := form.number(name)) is not None:
            found[name.removeprefix("count.")] = chips
    if not found:
        raise BadValue(field="", wanted=gettext("counted: write down at least one stack, or the pool"))
    return found


def _as_shown(counts: dict[str, int]) -> str:
    return " ".join(f"{who}={chips}" for who, chips in sorted(counts.items()))


def _written(form: Form) -> str:
    words = form.text("note")
    if words is None:
        raise BadValue(field="note", wanted=gettext("written, or left"))
    return words


def _open(here: Reading, night: str) -> Night:
    require_night(here.club, night)
    found = here.night(night)
    if found.closed:
        raise NightIsClosed(field="night", night=night)
    return found


def require_closed(club: Club, night: str) -> ClubNight:
    """Return a night that is closed. Raises ``NightUnknown`` and ``NightIsOpen``."""
    known = require_night(club, night)
    if not known.closed:
        raise NightIsOpen(field="night", night=night)
    return known


# Hands that came in late


@shows(nights, "/late", role=TREASURER, leads_to_form=True)
def late_hands(here: Reading) -> str:
    """Hands that came in after their night was closed, and wait to be let count or refused."""
    told = []
    for kept in here.club.late.values():
        found = here.night(kept.night)
        told.append(
            {
                "command": kept.command,
                "night": kept.night,
                "name": here.words.table(here.club.nights[kept.night].table),
                "date": here.club.nights[kept.night].date,
                "hand": kept.hand,
                "facts": _facts(dict(kept.facts), names_at(found, here.words), _bids(found)),
                "note": here.words.text(kept.note),
            }
        )
    return render_template("late.html", late=told)


@takes(nights, "/late/admit", role=TREASURER, again=late_hands)
def admit(form: Form) -> Response:
    """Let a late hand count, as a correction of its closed night."""
    carry_out(form, "AdmitLateHand", command=form.value("late"))
    return done("/late", "admitted")


@takes(nights, "/late/refuse", role=TREASURER, again=late_hands)
def refuse(form: Form) -> Response:
    """Do not let a late hand count, for a reason."""
    carry_out(form, "RefuseLateHand", command=form.value("late"), reason=form.value("reason"))
    return done("/late", "late_refused")


# What is told of hands


def _columns(found: Night, told: dict[str, Any], rows: list[dict[str, Any]]) -> list[str]:
    """Return who or which teams the hands have columns for."""
    if found.rules.book.family == "pepper":
        keys = list(told["scores"] or {})
        for row in rows:
            keys.extend(key for key in row["changes"] if key not in keys)
        return keys
    return [player["id"] for player in told["players"]]


def _side(key: str, names: Mapping[str, str]) -> str:
    """Return what a player or a team is called, with air round the plus, as on the screens of the table."""
    return " + ".join(team(one, names) for one in key.split("+"))


def _bids(found: Night) -> dict[str, str]:
    return {bid.id: found.rules.book.bid_name(bid.id, "en") for bid in found.rules.book.bids}


def _notes(here: Reading, found: Night) -> list[dict[str, Any]]:
    told = []
    names = names_at(found, here.words)
    for hand, player, reference, origin in found.notes:
        words = here.words.text(reference) if reference is not None else None
        erased = reference is not None and words is None
        by = origin.device or origin.actor
        told.append(
            {
                "hand": hand,
                "player": names.get(player or ""),
                "words": words,
                "erased": erased,
                "at": origin.at,
                "by": by,
            }
        )
    return told


def _facts(facts: dict[str, Any], names: dict[str, str], bids: dict[str, str]) -> list[tuple[str, str]]:
    """Return what is known of a hand, in words."""

    def who(value: Any) -> str:  # noqa: ANN401 - a fact of a hand
        if isinstance(value, list):
            return ", ".join(who(item) for item in value)
        return names.get(value, str(value).replace("_", " "))

    labels = {
        "players": gettext("At the table"),
        "out": gettext("Missed it"),
        "dealer": gettext("Dealer"),
        "bought": gettext("Cards bought"),
        "peeks": gettext("Peeked"),
        "bids": gettext("Auction"),
        "bidder": gettext("Bidder"),
        "bid": gettext("Bid"),
        "made": gettext("Made"),
        "tricks": gettext("Tricks"),
        "trumps": gettext("Trumps"),
        "took_card": gettext("Took the peep card"),
        "took_widow": gettext("Took the widow"),
        "revoke": gettext("Revoke"),
        "led_out_of_turn": gettext("Led out of turn"),
        "played_out_of_turn": gettext("Played out of turn"),
        "foul": gettext("Wrong number of cards"),
        "misdeal": gettext("Misdeal"),
        "passed_out": gettext("Passed out"),
        "surrendered": gettext("Surrendered"),
        "granted": gettext("Tricks granted"),
    }
    told = []
    for key, label in labels.items():
        value = facts.get(key)
        if value is None or value in ([], {}):
            continue
        if value is True or value is False:
            words = gettext("yes") if value else gettext("no")
        elif key == "bid":
            words = bids.get(value, value)
        elif key == "bids":
            words = ", ".join(f"{names.get(one, one)}: {bids.get(call, call)}" for one, call in value)
        elif key == "bought":
            words = ", ".join(f"{names.get(one, one)}: {cards}" for one, cards in value.items())
        else:
            words = who(value)
        told.append((label, words))
    return told
