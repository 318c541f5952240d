"""Every refusal: a family, a code for machines, a sentence for people."""

from __future__ import annotations

from typing import ClassVar


class LedgerError(Exception):
    """Raised on purpose: a code for machines, a sentence for people, and the field to blame where there is one."""

    code: ClassVar[str] = "error"
    sentence: ClassVar[str] = "Something is wrong."

    def __init__(self, *, field: str | None = None, **facts: object) -> None:
        self.field = field
        self.facts = facts
        super().__init__(self.sentence.format(field=_shortened(field), **{k: _shortened(v) for k, v in facts.items()}))

    @property
    def detail(self) -> str:
        """Return the sentence, filled in."""
        return str(self)


def _shortened(fact: object) -> object:
    """What came in may be quoted in a sentence: not at length, and nothing that a terminal would obey."""
    if not isinstance(fact, str) or (len(fact) <= 240 and fact.isprintable()):
        return fact
    text = fact if len(fact) <= 240 else f"{fact[:160]}…"
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


class Unreadable(LedgerError):
    """What came in is not of the shape that was asked for."""


class Refused(LedgerError):
    """It was understood, and the rules or the book do not allow it."""


class NotFound(Refused):
    """It names what is not there, or is another club's."""


class Conflict(Refused):
    """Somebody was quicker: it does not fit what is in the book by now."""


class Forbidden(Refused):
    """It could be done, but not by whoever asked."""


class NotSignedIn(LedgerError):
    """Nobody says who asks, or he is not known."""


class Unavailable(LedgerError):
    """The store cannot answer now; nothing was written, and the same call may be repeated."""


class Corrupt(LedgerError):
    """A store is not what it should be."""


# Shapes


class NotJson(Unreadable):
    code = "unreadable"
    sentence = "{where} cannot be read: {why}."


class TooLarge(Unreadable):
    code = "too_large"
    sentence = "{where} is larger than {limit}."


class UnknownKey(Unreadable):
    code = "unknown_key"
    sentence = "{field}: there is no such key here."


class MissingKey(Unreadable):
    code = "missing_key"
    sentence = "{field} is missing."


class BadValue(Unreadable):
    code = "bad_value"
    sentence = "{field} must be {wanted}."


class BadName(Unreadable):
    code = "bad_name"
    sentence = "{field} is no name: {why}."


class OutOfRange(Unreadable):
    code = "out_of_range"
    sentence = "{field} must be between {low} and {high}."


# Rulebooks


class RulebookInvalid(Unreadable):
    code = "rulebook_invalid"
    sentence = "{where}: {why}."


class RulebookUnknown(NotFound):
    code = "rulebook_unknown"
    sentence = "There is no rulebook {rulebook!r}."


class HouseRuleUnknown(Refused):
    code = "house_rule_unknown"
    sentence = "{field}: {rulebook} has no such switch."


class HouseRuleAmbiguous(Refused):
    code = "house_rule_ambiguous"
    sentence = "{field} could mean {paths}: write one of them out."


class HouseRuleInvalid(Refused):
    code = "house_rule_invalid"
    sentence = "House rule {field}: {why}."


# Hands


class FactsClash(Refused):
    code = "facts_clash"
    sentence = "{field} does not go together with {other}."


class TooFewPlayers(Refused):
    code = "too_few_players"
    sentence = "{rulebook} needs at least {limit} players; {count} are in this hand."


class TooManyPlayers(Refused):
    code = "too_many_players"
    sentence = "{rulebook} takes at most {limit} players; {count} are in this hand."


class NotSeated(Refused):
    code = "not_seated"
    sentence = "{field}: {player} is not in this hand."


class SitsOut(Refused):
    code = "sits_out"
    sentence = "{field}: {player} holds no cards in this hand."


class NoPeeks(Refused):
    code = "no_peeks"
    sentence = "{rulebook} has no peeks."


class AlreadyPeeked(Refused):
    code = "already_peeked"
    sentence = "{player} has peeked in this hand already."


class NoPurchases(Refused):
    code = "no_purchases"
    sentence = "{rulebook} sells no cards."


class AlreadyBought(Refused):
    code = "already_bought"
    sentence = "{player} has bought cards in this hand already."


class NoWidow(Refused):
    code = "no_widow"
    sentence = "{rulebook} has no widow to take."


class WidowNeedsNap(Refused):
    code = "widow_needs_nap"
    sentence = "Who takes the widow must bid {needed}, not {bid}."


class ResultMissing(Refused):
    code = "result_missing"
    sentence = "{field} is missing: was {bid} made or not?"


class ResultClash(Refused):
    code = "result_clash"
    sentence = "{bid} with {tricks} tricks is {truth}, not what {field} says."


class BidderMissing(Refused):
    code = "bidder_missing"
    sentence = "{field} is missing: a hand that was played has a bidder and a bid."


class SurrenderRefused(Refused):
    code = "surrender_refused"
    sentence = "{field}: {why}."


class GrantRefused(Refused):
    code = "grant_refused"
    sentence = "granted: for {bid} the defenders may be granted {limit}, not {granted}."


class TotalTooLarge(Refused):
    code = "amount_too_large"
    sentence = "{field} would grow beyond what can be counted exactly."


# The auction


class NotYourTurn(Refused):
    code = "not_your_turn"
    sentence = "It is {turn}'s turn to speak, not {player}'s."


class AlreadySpoken(Refused):
    code = "already_spoken"
    sentence = "{player} has spoken already."


class BidTooLow(Refused):
    code = "bid_too_low"
    sentence = "{bid} does not beat {standing}."


class BidUnknown(Refused):
    code = "bid_unknown"
    sentence = "{rulebook} knows no bid {bid!r}."


class BidNeeds(Refused):
    """A bid that may only be made over one other bid; the code names that bid, as in ``bid_needs_nap``."""

    code = "bid_needs"
    sentence = "{bid} may only be bid over {needs}."

    def __init__(self, *, needs: str, **facts: object) -> None:
        super().__init__(needs=needs, field=None, **facts)
        self.code = f"bid_needs_{needs}"  # type: ignore[misc]


class OwnBid(Refused):
    code = "own_bid"
    sentence = "{player} holds the standing bid already."


class AuctionOver(Refused):
    code = "auction_over"
    sentence = "The auction is over."


class AuctionOpen(Refused):
    code = "auction_open"
    sentence = "The auction is not over: {turn} has not spoken."


class ForcedBid(Refused):
    code = "forced_bid"
    sentence = "{player} must bid: this deal cannot be passed out."


# The store


class WrongVersion(Conflict):
    code = "wrong_version"
    sentence = "{stream} is at version {current}, not {expected}."


class ClubExists(Conflict):
    code = "club_exists"
    sentence = "There is a book of {club} here already."


class ClubUnknown(NotFound):
    code = "club_unknown"
    sentence = "There is no book of {club!r} here."


class StoreInUse(Conflict):
    code = "store_in_use"
    sentence = "{path} is in use: stop whatever has it open, then try again."


class BackupFailed(Refused):
    code = "backup_failed"
    sentence = "No backup was made or found at {path}: {why}."


class StoreBusy(Unavailable):
    code = "store_busy"
    sentence = "The book is busy; the same command may be sent again."


class DiskFull(Unavailable):
    code = "disk_full"
    sentence = "The disk takes no more ({why}); nothing was written, and the same command may be sent again."


class StoreReadOnly(Unavailable):
    code = "store_read_only"
    sentence = "{path} cannot be written ({why})."


class StoreMissing(Corrupt):
    code = "store_missing"
    sentence = "There is no store at {path}."


class StoreNewer(Corrupt):
    code = "store_newer"
    sentence = "{path} was written by a newer release (schema {found}, this release knows {known}): update first."


class StoreDamaged(Corrupt):
    code = "store_damaged"
    sentence = "{path} is not what it should be: {why}."


# Who may


class SignInNeeded(NotSignedIn):
    code = "sign_in_needed"
    sentence = "Say who you are: sign in, or send Authorization: Bearer TOKEN."


class TokenWrong(NotSignedIn):
    code = "token_wrong"
    sentence = "That token is not known here, or was revoked."


class TokenUnknown(NotFound):
    code = "token_unknown"
    sentence = "There is no token {token!r}."


class RoleNeeded(Forbidden):
    code = "role_needed"
    sentence = "{what} needs the role {role}; this is a {has}."


class SignInWrong(NotSignedIn):
    code = "sign_in_wrong"
    sentence = "That name and that password do not go together."


class SessionEnded(NotSignedIn):
    code = "session_ended"
    sentence = "Nobody is signed in here any more: sign in again."


class CodeWrong(Refused):
    code = "code_wrong"
    sentence = "That is not known here, was used before, or is too old: ask for a new one."


class TooManyAttempts(Refused):
    code = "too_many_attempts"
    sentence = "That was tried too often: wait {seconds} seconds."


class SignInBusy(Unavailable):
    code = "sign_in_busy"
    sentence = "Too many sign in at this moment; try again."


class CrossSite(Forbidden):
    code = "cross_site"
    sentence = "That was sent by a page of another site, or by none: it is not done."


class PasswordNeeded(Forbidden):
    code = "password_needed"
    sentence = "{what} is for people who signed in themselves, not for a device or a token."


class PasswordRefused(Refused):
    code = "password_refused"
    sentence = "{field} cannot be that: {why}."


class PinRefused(Refused):
    code = "pin_refused"
    sentence = "{field} cannot be that: {why}."


class PinWrong(Forbidden):
    code = "pin_wrong"
    sentence = "That is not the PIN of {user}, or he has none."


class GrantWrong(Forbidden):
    code = "pin_grant_wrong"
    sentence = "A PIN is good for one command, sent from the same device within a minute: enter it again."


class LoginTaken(Conflict):
    code = "login_taken"
    sentence = "Somebody signs in as {login!r} already."


class UserUnknown(NotFound):
    code = "user_unknown"
    sentence = "There is nobody {user!r} who could sign in."


class UserIsDisabled(Refused):
    code = "user_disabled"
    sentence = "{user} cannot sign in until somebody lets him again."


class LastOwner(Refused):
    code = "last_owner"
    sentence = "A club keeps at least one owner who can sign in: make somebody else one first."


class DeviceUnknown(NotFound):
    code = "device_unknown"
    sentence = "There is no device {device!r}."


class SessionUnknown(NotFound):
    code = "session_unknown"
    sentence = "There is no session {session!r}."


class TooMany(Refused):
    code = "too_many"
    sentence = "There are {limit} {what} already: remove some first."


# Commands


class CommandUnknown(Unreadable):
    code = "command_unknown"
    sentence = "There is no command {type!r} here."


# A night


class NightUnknown(NotFound):
    code = "night_unknown"
    sentence = "There is no night {night!r}."


class NightExists(Conflict):
    code = "night_exists"
    sentence = "There is a night {night!r} already."


class NightIsClosed(Refused):
    code = "night_closed"
    sentence = "{night} is closed."


class NightIsOpen(Refused):
    code = "night_open"
    sentence = "{night} is open."


class TableBusy(Conflict):
    code = "table_busy"
    sentence = "{table} has an open night already: {night}."


class HandOpen(Refused):
    code = "hand_open"
    sentence = "Hand {hand} is not finished."


class HandSettled(Conflict):
    code = "hand_settled"
    sentence = "Hand {hand} is recorded already: {recorded}, by {device}."


class HandNotNext(Refused):
    code = "hand_not_next"
    sentence = "Hand {hand} is not the next: that is {next}."


class HandUnknown(NotFound):
    code = "hand_unknown"
    sentence = "There is no hand {hand} in this night."


class HandNotBegun(Refused):
    code = "hand_not_begun"
    sentence = "Nothing of hand {hand} has been recorded yet."


class HandIsVoid(Conflict):
    code = "hand_void"
    sentence = "Hand {hand} is void already."


class AlreadySeated(Refused):
    code = "already_seated"
    sentence = "{player} is seated already."


class SeatsDiffer(Refused):
    code = "seats_differ"
    sentence = "{field} must name exactly those who are seated: {seated}."


class NothingToUndo(Refused):
    code = "nothing_to_undo"
    sentence = "There is nothing to take back."


class NotNewest(Conflict):
    code = "not_newest"
    sentence = "That is not the newest command, which is {newest}."


class NotDisputed(Refused):
    code = "not_disputed"
    sentence = "Hand {hand} is not disputed."


class OtherFamily(Refused):
    code = "other_family"
    sentence = "{rulebook} is another family of games than {current}: open another table for it."


class DrawNeeded(Refused):
    code = "draw_needed"
    sentence = "By these rules the pool is drawn for: say who gets it, or that it carries over."


class NightCorrected(Refused):
    code = "night_corrected"
    sentence = "{night} was corrected after it was closed, and cannot be opened again."


class LaterNight(Refused):
    code = "later_night"
    sentence = "{night} cannot be opened again: {later} of the same table came after it."


class MoneyNotKept(Refused):
    code = "money_not_kept"
    sentence = "{field}: this book keeps chips alone."


class NightPaid(Conflict):
    code = "night_paid"
    sentence = "{night} cannot be opened again: it was paid already; reverse that payment first."


class MoneyChanged(Conflict):
    code = "money_changed"
    sentence = "{night} cannot be opened again: a chip of its table is worth something else since."


class PoolUndecided(Refused):
    code = "pool_undecided"
    sentence = "A chip of {table} would be worth something else: say what becomes of the {chips} chips in its pool."


class WorthUnknown(Refused):
    code = "worth_unknown"
    sentence = "{field}: the pool of {table} has no worth in {currency} that could be kept."


class PaymentUnknown(NotFound):
    code = "payment_unknown"
    sentence = "There is no payment {payment}."


class PaymentIsReversed(Conflict):
    code = "payment_reversed"
    sentence = "That payment was reversed already."


class SameParty(Refused):
    code = "same_party"
    sentence = "{field}: {party} cannot pay himself."


class UnitUnclear(Refused):
    code = "unit_unclear"
    sentence = "{field}: this could be meant in {units}; say which."


class UnitUnknown(Refused):
    code = "unit_unknown"
    sentence = "{field}: nothing is kept in {unit} here."


# A club


class MemberUnknown(NotFound):
    code = "member_unknown"
    sentence = "{field}: there is no member {member!r}."


class MemberExists(Conflict):
    code = "member_exists"
    sentence = "There is a member {member!r} already."


class NumberTaken(Conflict):
    code = "number_taken"
    sentence = "Member number {number} is taken."


class MemberIsArchived(Refused):
    code = "member_archived"
    sentence = "{member} is archived."


class MemberNotArchived(Refused):
    code = "member_not_archived"
    sentence = "{member} is not archived."


class MemberIsErased(Refused):
    code = "member_erased"
    sentence = "{member} was erased."


class MemberSeated(Refused):
    code = "member_seated"
    sentence = "{member} sits in {night}, which is open."


class BothAtTable(Refused):
    code = "both_at_table"
    sentence = "{one} and {other} both sat in {night}, so they are two people."


class SameMember(Refused):
    code = "same_member"
    sentence = "{member} is that member already."


class TableUnknown(NotFound):
    code = "table_unknown"
    sentence = "There is no table {table!r}."


class TableExists(Conflict):
    code = "table_exists"
    sentence = "There is a table {table!r} already."


class TableIsClosed(Refused):
    code = "table_closed"
    sentence = "{table} is closed."


class SeasonUnknown(NotFound):
    code = "season_unknown"
    sentence = "There is no season {season!r}."


class SeasonExists(Conflict):
    code = "season_exists"
    sentence = "There is a season {season!r} already."


class SeasonIsEnded(Refused):
    code = "season_ended"
    sentence = "{season} has ended."


class LateHandUnknown(NotFound):
    code = "late_hand_unknown"
    sentence = "No late hand {command} is waiting."


class CommandIdReused(Refused):
    code = "command_id_reused"
    sentence = "The id {command} was used before, for something else."


class BatchTooLarge(Refused):
    code = "batch_too_large"
    sentence = "A batch has at most {limit} commands."


class WrongScope(Refused):
    code = "wrong_stream"
    sentence = "{type} is a command of {wanted}."


class EventUnknown(Corrupt):
    code = "event_unknown"
    sentence = "Position {position} holds a {type} that this release cannot read: update first."


# Settlement


class OutOfBalance(Refused):
    code = "settlement_out_of_balance"
    sentence = "The balances sum to {gap}, not to zero: nothing is settled."
