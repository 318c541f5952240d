"""What a page says was just done. A form redirects, and names in the address which sentence is to be read there."""

from __future__ import annotations

from typing import Final

from flask import g, redirect, request
from flask_babel import lazy_gettext as later
from werkzeug.wrappers import Response

from web.words import ngettext

SENTENCES: Final = {
    "renamed": later("The new name stands everywhere."),
    "archived": later("Archived. What is open between him and the club stays as it is."),
    "restored": later("Back again."),
    "merged": later("Both are one person now; every night counts for the one that is left."),
    "erased": later("The name is gone. Amounts stay, under a number."),
    "table_opened": later("The table is open."),
    "table_changed": later("Changed, from the next night on."),
    "table_closed": later("The table is closed."),
    "night_closed": later("The night is closed. The receipt below proves it."),
    "night_reopened": later("The night is open again; its earlier receipt is superseded."),
    "disputed": later("Noted that this hand is disputed. It counts in play; settlement warns until it is resolved."),
    "resolved": later("The dispute is resolved."),
    "noted": later("Noted."),
    "counted": later("The count is booked."),
    "undone": later("Taken back."),
    "seated": later("The seats are changed, from the next deal on."),
    "paid": later("The payment is booked: %(payer)s paid %(payee)s %(amount)s."),
    "reversed": later("The payment is reversed; both stay readable."),
    "adjusted": later("The adjustment is booked."),
    "admitted": later("The hand counts: its night is corrected, and stays closed."),
    "late_refused": later("The hand does not count. The reason is kept."),
    "club_changed": later("Changed: the name at once, time zone and cut-off from the next night on."),
    "season_started": later("The season has begun."),
    "season_ended": later("The season has ended."),
    "came_in": later("You are in. From now on you sign in as %(login)s."),
    "role_changed": later("The role holds from now on."),
    "renamed_here": later("The new name holds from now on; what was recorded before bears the old one."),
    "put_out": later("Put out, and signed out everywhere."),
    "let_in": later("Let in again."),
    "handed_over": later("The office is handed over."),
    "token_revoked": later("The token is of no use any more."),
    "revoked": later("The device is of no use any more."),
    "password_changed": later("The password is changed. Everywhere else you are signed out."),
    "session_ended": later("Ended."),
    "pin_set": later("The PIN is good from now on."),
    "pin_removed": later("You have no PIN any more."),
}


def done(path: str, what: str, count: int | None = None, about: str | None = None) -> Response:
    """Redirect to a page that says what was done; ``about`` is the id of what it looks up to say that."""
    assert what in SENTENCES or count is not None
    mark = "&" if "?" in path else "?"
    number = "" if count is None else f"&n={count}"
    number += "" if about is None else f"&about={about}"
    return redirect(f"{path}{mark}done={what}{number}", 303)


def fill_in(**facts: str) -> None:
    """Say what is to be filled in where this page says what was done."""
    g.facts = {**g.get("facts", {}), **facts}


def said() -> list[tuple[str, str]]:
    """Return what this page has to say: kind of notice and sentence."""
    what = request.args.get("done", "")
    if what == "added":
        count = request.args.get("n", 1, type=int)
        return [("good", ngettext("%(num)d member added.", "%(num)d members added.", count))]
    try:
        return [("good", str(SENTENCES[what]) % g.get("facts", {}))]
    except KeyError:  # no such sentence, or the page does not know what is to be filled in: somebody wrote the address
        return []
