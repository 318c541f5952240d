"""What concerns a night and its club together: opening, closing, rules, money, corrections after the close, late hands.

A command answers with events of both streams, written at once; what is known here is exact, since the club is locked.
"""

from __future__ import annotations

from typing import get_args

from ledger import club as clubs
from ledger import commands as cmd
from ledger import events as ev
from ledger import night as nights
from ledger.book import money
from ledger.book.closed_nights import admit_late_hand, correct_closed_hand, late_hand, require_players
from ledger.book.closed_nights import as_corrected as as_corrected
from ledger.book.context import Context as Context
from ledger.book.context import Events
from ledger.book.night_book import change_rules, night_ended, open_night, reopen, undo
from ledger.book.night_book import require_may_reopen as require_may_reopen
from ledger.book.tables import change_table, close_table, open_table
from ledger.club import Club
from ledger.errors import BothAtTable, MemberSeated
from ledger.hands import facts_of, read_hand
from ledger.night import Night
from ledger.night.closing import due
from ledger.night.decide import require_unrecorded
from ledger.rulebook import read


def decide(context: Context, command: cmd.Command, *, night: str | None, command_id: str) -> Events:
    """Return the events that a command causes, of its night's stream and the club's. Raises ``Refused``."""
    if isinstance(command, cmd.FoundClub):
        return [*clubs.decide(context.club, command, today=context.today)]
    club = context.club
    assert club is not None
    if isinstance(command, cmd.OpenNight):
        return open_night(context, club, command)
    if isinstance(command, get_args(cmd.MoneyCommand)):
        return [money.decide(context, club, command, command_id)]
    if type(command).__name__ in cmd.NIGHT_COMMANDS:
        assert night is not None
        return _at_night(context, club, context.night(night), command, command_id)  # type: ignore[arg-type]
    return _in_club(context, club, command)  # type: ignore[arg-type]


def _at_night(context: Context, club: Club, night: Night, command: cmd.NightCommand, command_id: str) -> Events:
    match command:
        case cmd.SeatPlayer(player=player) if not night.closed:
            clubs.require_active(club, player, "player")
        case cmd.RecordHand(facts=facts) | cmd.CorrectHand(facts=facts) if not night.closed:
            require_players(club, night, facts)
        case cmd.ChangeRules():
            return [change_rules(context, night, command)]
        case cmd.ReopenNight(reason=reason):
            return reopen(context, club, night, reason)
        case cmd.Undo():
            return undo(context, club, night, command)
        case cmd.CloseNight():
            (ending,) = nights.decide(night, command)
            assert isinstance(ending, ev.NightClosed)
            return [ending, night_ended(night, night.revision, due(night, ending))]
        case cmd.RecordHand(hand=hand) if night.closed:
            require_unrecorded(night, hand)
            return [
                ev.LateHandKept(
                    command=command_id,
                    night=night.opened.night,
                    hand=hand,
                    facts=facts_of(read_hand(command.facts)),
                    note=command.note,
                )
            ]
    return [*nights.decide(night, command)]


def _in_club(context: Context, club: Club, command: cmd.ClubCommand) -> Events:
    match command:
        case cmd.OpenTable():
            return [open_table(context, club, command)]
        case cmd.ChangeTable():
            return change_table(context, club, command)
        case cmd.CloseTable():
            return [close_table(context, club, command)]
        case cmd.PublishRulebook(rulebook=raw):
            book = read(raw)
            return [
                ev.RulebookPublished(
                    rulebook=book.id, digest=context.pin(book), title=dict(book.title), body=dict(book.raw)
                )
            ]
        case cmd.MergeMembers():
            events = clubs.decide(club, command, today=context.today)
            _require_apart(context, club, command)
            return [*events]
        case cmd.CorrectClosedHand():
            return correct_closed_hand(context, club, command)
        case cmd.AdmitLateHand():
            return admit_late_hand(context, club, command)
        case cmd.RefuseLateHand(command=late, reason=reason):
            late_hand(club, late)
            return [ev.LateHandRefused(command=late, reason=reason)]
    return [*clubs.decide(club, command, today=context.today)]


def _require_apart(context: Context, club: Club, command: cmd.MergeMembers) -> None:
    """Who ever sat at one table on one night are two people, whatever somebody thinks."""
    one, other = set(club.aliases(command.from_)), set(club.aliases(command.into))
    for known in club.nights.values():
        players = set(known.players if known.closed else context.night(known.id).sat)
        players.update(player for correction in known.corrections for player in correction.members)
        if players & one and players & other:
            raise BothAtTable(one=command.from_, other=command.into, night=known.id)
        if not known.closed and players & one:
            raise MemberSeated(field="from", member=command.from_, night=known.id)
