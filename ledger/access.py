"""Who may do what: roles, and the one table of what each command and call needs (contract, section 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ledger import events as ev
from ledger.book import Context
from ledger.errors import RoleNeeded
from ledger.night import Night

VIEWER, SCOREKEEPER, TREASURER, OWNER = ROLES = ("viewer", "scorekeeper", "treasurer", "owner")
"""Each may do what those before it may."""

RECENT_HANDS: Final = 3
"""How many of a night's last hands a scorekeeper may correct and take back."""

COMMANDS: Final[Mapping[str, str]] = {
    "Dispute": VIEWER,
    # The table
    "OpenNight": SCOREKEEPER,
    "SeatPlayer": SCOREKEEPER,
    "UnseatPlayer": SCOREKEEPER,
    "Reseat": SCOREKEEPER,  # recent hands alone
    "SetDealer": SCOREKEEPER,
    "BuyIn": SCOREKEEPER,
    "Transfer": SCOREKEEPER,
    "BuyCards": SCOREKEEPER,
    "Peek": SCOREKEEPER,
    "Bid": SCOREKEEPER,
    "Pass": SCOREKEEPER,
    "TakePeepCard": SCOREKEEPER,
    "RecordOutcome": SCOREKEEPER,
    "DeclareMisdeal": SCOREKEEPER,
    "RecordHand": SCOREKEEPER,
    "CorrectHand": SCOREKEEPER,  # recent hands alone
    "VoidHand": SCOREKEEPER,  # recent hands alone
    "Undo": SCOREKEEPER,  # recent hands, and what he may do himself
    "CountChips": SCOREKEEPER,
    "ResolveDispute": SCOREKEEPER,
    "AddNote": SCOREKEEPER,
    "CloseNight": SCOREKEEPER,
    "AddMember": SCOREKEEPER,  # a guest comes to the table
    # Money, the past, and what nights begin with
    "CashOut": TREASURER,
    "ChangeRules": TREASURER,
    "ReopenNight": TREASURER,
    "RenameMember": TREASURER,
    "ArchiveMember": TREASURER,
    "RestoreMember": TREASURER,
    "MergeMembers": TREASURER,
    "EraseMember": TREASURER,
    "OpenTable": TREASURER,
    "ChangeTable": TREASURER,
    "CloseTable": TREASURER,
    "PublishRulebook": TREASURER,
    "StartSeason": TREASURER,
    "EndSeason": TREASURER,
    "CorrectClosedHand": TREASURER,
    "AdmitLateHand": TREASURER,
    "RefuseLateHand": TREASURER,
    "RecordPayment": TREASURER,
    "ReversePayment": TREASURER,
    "PostAdjustment": TREASURER,
    "ChargeTable": TREASURER,
    "CountCash": TREASURER,
    "FoundClub": OWNER,
    "ChangeClub": OWNER,
}
"""The least role that may send a command; of hands that are not recent it takes a treasurer."""

CALLS: Final[Mapping[str, str]] = {
    "club": VIEWER,
    "members": VIEWER,
    "tables": VIEWER,
    "balances": VIEWER,
    "send_to_club": VIEWER,  # each command is judged by its own row above
    "nights": VIEWER,
    "open_night": VIEWER,  # as above
    "night": VIEWER,
    "send_to_night": VIEWER,  # as above
    "hands": VIEWER,
    "hand": VIEWER,
    "journal": VIEWER,
    "explain": VIEWER,
    "whatif": VIEWER,
    "events": VIEWER,
    "live": VIEWER,
    "late_hands": TREASURER,
    "club_settlement": VIEWER,
    "night_settlement": VIEWER,
    "payments": VIEWER,
    "statement": VIEWER,
    "statistics_of": VIEWER,
    "journal_csv": TREASURER,  # exports
    "settlement_csv": TREASURER,
    "transfers_csv": TREASURER,
    "statement_as_csv": TREASURER,
    # The door: oneself, then who else
    "me": VIEWER,
    "change_password": VIEWER,
    "sessions": VIEWER,  # everybody's: owners
    "end_session": VIEWER,  # anybody's: owners
    "end_other_sessions": VIEWER,
    "set_pin": VIEWER,
    "remove_pin": VIEWER,
    "people_with_pins": SCOREKEEPER,
    "enter_pin": SCOREKEEPER,
    "tokens": OWNER,
    "make_token": OWNER,
    "revoke_token": OWNER,
    "users": OWNER,
    "invite": OWNER,
    "reset_user": OWNER,
    "change_role": OWNER,
    "rename_user": OWNER,
    "disable_user": OWNER,
    "enable_user": OWNER,
    "hand_over": OWNER,
    "devices": OWNER,
    "pair_device": OWNER,
    "rename_device": OWNER,
    "revoke_device": OWNER,
    "trail": OWNER,
}
"""The least role that a call of the API about a club needs; calls that are not here need no sign-in."""

_TAKEN_BACK: Final[Mapping[type, str]] = {
    ev.NightClosed: "ReopenNight",
    ev.NightReopened: "ReopenNight",
    ev.ChipsSold: "CashOut",
    ev.RulesChanged: "ChangeRules",
}
"""What may be taken back only by whoever may do this."""

Guard = Callable[[Context, Any, str | None], None]


def may(role: str, needed: str) -> bool:
    """Tell whether a role is enough where another is needed."""
    return ROLES.index(role) >= ROLES.index(needed)


def guard(role: str) -> Guard:
    """Return what judges, before anything else does, whether somebody of a role may send a command.

    It raises ``RoleNeeded``; whether a hand is recent is judged by the book as it is under the lock.
    """

    def require(context: Context, command: object, night: str | None) -> None:
        kind = type(command).__name__
        state = context.night(night) if night is not None and kind in _BY_AGE else None
        needed = role_for(kind, _hand_of(command), state)
        if not may(role, needed):
            raise RoleNeeded(what=kind, role=needed, has=role)

    return require


def role_for(kind: str, hand: int | None = None, night: Night | None = None) -> str:
    """Return the least role that a command needs, for a hand where it is about one, in a night as it stands."""
    needed = COMMANDS.get(kind, OWNER)
    if night is None or kind not in _BY_AGE:
        return needed
    if kind == "Undo":
        return _role_to_undo(night)
    return needed if hand is None or _is_recent(hand, night) else TREASURER


_BY_AGE: Final = frozenset({"CorrectHand", "VoidHand", "Reseat", "Undo"})


def _role_to_undo(night: Night) -> str:
    newest = night.newest()
    if newest is None:
        return SCOREKEEPER
    event = newest.events[0][0]
    hand = getattr(event, "hand", None) or getattr(event, "from_hand", None)
    if hand is not None and not _is_recent(hand, night):
        return TREASURER
    return COMMANDS[_TAKEN_BACK.get(type(event), "Undo")]


def _is_recent(hand: int, night: Night) -> bool:
    return hand > night.hands - RECENT_HANDS


def _hand_of(command: object) -> int | None:
    return getattr(command, "hand", None) or getattr(command, "from_hand", None)
