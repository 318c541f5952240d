"""One command at a time: what it is judged by, what it makes happen, what is written and answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from typing import Any, get_args

from ledger import book
from ledger import club as clubs
from ledger import commands as cmd
from ledger import events as ev
from ledger.club import Club, parties_moved
from ledger.errors import (
    CommandIdReused,
    Corrupt,
    LedgerError,
    NightUnknown,
    RulebookUnknown,
    StoreDamaged,
    TotalTooLarge,
    Unavailable,
    WrongVersion,
)
from ledger.history import NIGHT_EVENTS, as_stored, to_store
from ledger.journal import JournalEntry, pool_account
from ledger.night import Night, Origin, evolve
from ledger.projections import preview_hands, running_scores, team_changes
from ledger.rulebook import Rulebook, read
from ledger.rulebooks import preset, preset_ids
from ledger.service.request import Request, Sender, fingerprint_of, resolved, with_references
from ledger.service.states import UNREPLAYABLE, Cache, advance, night_stream, with_receipt
from ledger.store import CLUB, CommandRow, Reader, Recorded, Texts, Transaction, scope_of
from ledger.values import TOTAL_LIMIT, club_date

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What the service has beside the store: the time in UTC, random bytes, and states in memory."""

    clock: Callable[[], datetime]
    chance: Callable[[int], bytes]
    cache: Cache


class Desk:
    """The book of one club while one command (or one row of previews) is judged: what is, and what is about to be."""

    def __init__(self, means: Means, club: str, reader: Reader, earlier: Desk | None = None) -> None:
        self._means = means
        self._club_id = club
        self._reader = reader
        self._epoch = reader.head().epoch
        self._states: dict[str, Any] = dict(earlier._states) if earlier else {}
        self._moved: dict[tuple[str, str], int] = dict(earlier._moved) if earlier else {}
        self._pinned: dict[str, Rulebook] = dict(earlier._pinned) if earlier else {}

    # What a command is judged by (``ledger.book.Context``)

    @property
    def club(self) -> Club | None:
        state: Club | None = self._state(CLUB)
        return state

    def require_club(self) -> Club:
        club = self.club
        if club is None:
            raise AssertionError(f"the book of {self._club_id} has no founding")
        return club

    @property
    def today(self) -> str:
        club = self.club
        zone, cut_off = (club.zone, club.cut_off) if club else ("UTC", "00:00")
        return club_date(self._means.clock(), zone, cut_off)

    def night(self, night: str) -> Night:
        state: Night | None = self._state(night_stream(night))
        if state is None:
            raise NightUnknown(field="night", night=night)
        return state

    def pool(self, table: str, unit: str) -> int:
        return self.balance(pool_account(table), unit)

    def balance(self, account: str, unit: str) -> int:
        return self._reader.balance(account, unit, CLUB) + self._moved.get((account, unit), 0)

    def book(self, rulebook: str) -> Rulebook:
        own = self.require_club().rulebooks.get(rulebook)
        if own is not None:
            return read(own.body)
        if rulebook in preset_ids():
            return preset(rulebook)
        raise RulebookUnknown(field="rulebook", rulebook=rulebook)

    def pinned(self, digest: str, rulebook: str) -> Rulebook:
        key = f"{self._club_id} {digest} {rulebook}"  # its titles are the club's own
        found = self._means.cache.books.get(key) or self._pinned.get(key)
        if found is None:
            body = self._reader.rulebook(digest)
            if body is None and digest not in self._pinned:
                raise StoreDamaged(path=f"The book of {self._club_id}", why=f"rulebook {digest} is missing")
            effective = self._pinned[digest].effective if body is None else json.loads(body)
            found = read(self._titled(effective, rulebook))
            if body is not None:
                self._means.cache.books[key] = found
            self._pinned[key] = found
        return found

    def _titled(self, effective: Mapping[str, Any], rulebook: str) -> dict[str, Any]:
        """Return an effective rulebook with the titles that people know it by, which score nothing."""
        try:
            named = self.book(rulebook)
        except RulebookUnknown:
            return {**effective, "id": rulebook}
        bids = [
            {**bid, "title": dict(named.bids_by_id[bid["id"]].title)} if bid["id"] in named.bids_by_id else bid
            for bid in effective["bids"]
        ]
        return {**effective, "id": rulebook, "title": dict(named.title), "bids": bids}

    def pin(self, book: Rulebook) -> str:
        self._pinned[book.digest] = book
        return book.digest

    # States

    def _state(self, stream: str) -> Any:  # noqa: ANN401 - a Club or a Night
        if stream not in self._states:
            key = (self._club_id, self._epoch, stream)
            state = self._means.cache.get(key)
            known = 0 if state is None else state.version
            version = self._reader.version(stream)
            if known > version:
                state, known = None, 0
            if version > known:
                for recorded in self._reader.stream(stream, known):
                    state = self._advanced(state, recorded)
                self._means.cache.put(key, state)
            self._states[stream] = state
        return self._states[stream]

    def _advanced(self, state: Any, recorded: Recorded) -> Any:  # noqa: ANN401 - a Club or a Night
        """Return a state after a stored event. Raises ``StoreDamaged`` for one that is not what it was."""
        try:
            return advance(state, recorded, self.pinned)[0]
        except (Unavailable, Corrupt):
            raise
        except UNREPLAYABLE as error:
            raise StoreDamaged(
                path=f"The book of {self._club_id}",
                why=f"event {recorded.position} cannot be replayed: run kittybook verify",
                stream=recorded.stream,
                version=recorded.version,
                position=recorded.position,
            ) from error

    def publish(self) -> None:
        """Let others see what was committed."""
        for stream, state in self._states.items():
            if state is not None:
                self._means.cache.put((self._club_id, self._epoch, stream), state)

    # Carrying out

    def write(self, transaction: Transaction, request: Request, sender: Sender) -> Answer:
        known = transaction.command(request.id)
        if known is not None:
            kept = transaction.texts(f"{request.id}:{key}" for key in request.words)
            try:
                self._require_same(request, known, kept)
                return self._duplicate(json.loads(known.answer))
            except (ValueError, LookupError) as error:
                raise StoreDamaged(
                    path=f"The book of {self._club_id}", why=f"what is kept of command {request.id} cannot be read"
                ) from error
        sender.require_leave(self, request)  # of what was recorded before, he is told again, whatever he may by now
        salts: Texts = {
            f"{request.id}:{key}": (self._means.chance(16).hex(), words) for key, words in request.words.items()
        }
        changes, stream = self._decided(request, salts)
        answer: Answer = {}
        recorded_at = _rfc3339(self._means.clock())
        entries = self._applied(
            changes, Origin(request.id, 0, sender.actor, sender.device, recorded_at), stream, answer
        )
        fingerprint = fingerprint_of(request, salts)
        kind = type(request.command).__name__
        primary = _primary(changes, stream)
        for name, group in entries:
            stored = [to_store(event, made) for event, made in group]
            first = self._states[name].version - len(stored)
            is_primary = name == primary
            recorded = transaction.append(
                name,
                first,
                stored,
                command=(request.id, fingerprint, kind),
                actor=sender.actor,
                device=sender.device,
                recorded_at=recorded_at,
                device_time=request.device_time,
                texts=salts if is_primary else None,
                rulebooks=self._bodies() if is_primary else None,
                answer=partial(_remembered, answer, stream) if is_primary else None,
            )
            self._receipt(name, recorded)
            if is_primary:
                answer.update(_places(recorded))
            for event, _made in group:
                if isinstance(event, ev.MemberErased):
                    self._erase(transaction, event)
        self._moved.clear()  # from now on the store knows
        return {**answer, **self._standing(stream)}

    def preview(self, request: Request, sender: Sender | None = None) -> Answer:
        """Work everything out and write nothing; a refusal leaves what earlier previews came to."""
        if sender is not None:
            sender.require_leave(self, request)
        salts = {f"{request.id}:{key}": ("00" * 16, words) for key, words in request.words.items()}
        states, moved = dict(self._states), dict(self._moved)
        before = self.night(request.night) if request.night is not None else None
        answer: Answer = {}
        try:
            changes, stream = self._decided(request, salts)
            version = self._version(stream)
            corrected = next((event.night for event in changes if isinstance(event, ev.ClosedHandCorrected)), None)
            if corrected is not None:
                before = book.as_corrected(self, self.require_club(), corrected)
            self._applied(changes, Origin(request.id, 0), stream, answer)
        except LedgerError:
            self._states, self._moved = states, moved
            raise
        after = self._states.get(stream)
        if corrected is not None:
            after = book.as_corrected(self, self.require_club(), corrected)
        hands = preview_hands(before, after) if isinstance(after, Night) else []
        return {**answer, "status": "preview", **self._standing(stream), "version": version, "hands": hands}

    def _version(self, stream: str) -> int:
        state = self._state(stream)
        return 0 if state is None else int(state.version)

    def _decided(self, request: Request, salts: Texts) -> tuple[list[ev.Event], str]:
        """Return a command's events, and the stream that it belongs to."""
        stream = CLUB if request.night is None else night_stream(request.night)
        if request.expected_version is not None:
            opens = isinstance(request.command, cmd.OpenNight)
            own = night_stream(request.command.night or "") if opens else stream
            current = self._version(own)
            if current != request.expected_version:
                raise WrongVersion(stream=own, current=current, expected=request.expected_version)
        command = with_references(request, salts)
        resolve = self._resolver(command.night if isinstance(command, cmd.CorrectClosedHand) else request.night)
        if resolve is not None:
            command = resolved(command, resolve)
        events = book.decide(self, command, night=request.night, command_id=request.id)
        opened = events[0]
        if isinstance(opened, ev.NightOpened):
            stream = night_stream(opened.night)
            self._states[stream] = None
        return events, stream

    def _resolver(self, night: str | None) -> Callable[[str], str] | None:
        """Return who a member is: the one he was merged into, or in a night the one he sat as."""
        club = self.club
        if club is None or not any(member.alias_of for member in club.members.values()):
            return None
        sat: tuple[str, ...] = self.night(night).sat if night is not None else ()

        def resolve(member: str) -> str:
            if member in sat:
                return member
            return next((one for one in club.aliases(member) if one in sat), club.resolved(member))

        return resolve

    def _applied(
        self, events: list[ev.Event], origin: Origin, stream: str, answer: Answer
    ) -> list[tuple[str, list[tuple[ev.Event, tuple[JournalEntry, ...]]]]]:
        """Let events happen in memory; return them with their entries, by stream, in order."""
        done = []
        before = self._states.get(stream)
        for is_night, group in groupby(events, key=lambda event: type(event).__name__ in NIGHT_EVENTS):
            made = []
            name = stream
            for event in group:
                name = self._stream_of(event, stream, is_night=is_night)
                made.append((event, self._apply(name, as_stored(event), origin)))
            done.append((name, made))
        changes = _changes(events, before, self._states.get(stream))
        late = any(isinstance(event, ev.LateHandKept) for event in events)
        answer.update(status="late" if late else "recorded", changes=changes)
        for event in events:
            if isinstance(event, ev.ClosedHandCorrected):
                answer.update(pool_change=event.pool, shortage=event.shortage)
            if isinstance(event, ev.ChipsCounted) and isinstance(before, Night):
                answer.update(gaps=_gaps(event, before))
        return done

    def _stream_of(self, event: ev.Event, stream: str, *, is_night: bool) -> str:
        if not is_night:
            return CLUB
        if isinstance(event, ev.PoolAdjusted) and stream == CLUB:
            club = self.require_club()
            table = club.nights[event.night].table
            busy = club.open_night(table)
            assert busy is not None
            return night_stream(busy.id)
        return stream

    def _apply(self, stream: str, event: Any, origin: Origin) -> tuple[JournalEntry, ...]:  # noqa: ANN401 - any of ev.Event
        state = self._state(stream)
        version = (0 if state is None else state.version) + 1
        if stream == CLUB:
            self._states[stream], entries = clubs.evolve(state, event, version)
        else:
            self._states[stream], entries = evolve(state, event, origin._replace(version=version), self.pinned)
        for item in entries:
            for account, unit, amount in item.postings:
                self._moved[(account, unit)] = self._moved.get((account, unit), 0) + amount
        for item in entries:
            for account, unit, amount in item.postings:
                kept = self.balance(account, unit) if self._grows(account, stream) else amount
                if not -TOTAL_LIMIT <= kept <= TOTAL_LIMIT:
                    raise TotalTooLarge(field=account)
        return entries

    @staticmethod
    def _grows(account: str, stream: str) -> bool:
        """Tell whether an account of the club's may grow from night to night; a night keeps its pool in bounds."""
        return scope_of(account, stream) == CLUB and not account.startswith("pool:")

    def _receipt(self, stream: str, recorded: Sequence[Recorded]) -> None:
        state = self._states[stream]
        for row in recorded:
            if row.type == "NightClosed" and isinstance(state, Night):
                self._states[stream] = with_receipt(state, row.digest)

    def _erase(self, transaction: Transaction, event: ev.MemberErased) -> None:
        club = self.require_club()
        for member in (event.member, *event.aliases):
            for ref in club.members[member].names:
                transaction.erase_text(ref)

    def _bodies(self) -> dict[str, str]:
        return {book.digest: book.canonical for key, book in self._pinned.items() if key == book.digest}

    # Answers

    def _require_same(self, request: Request, known: CommandRow, salts: Mapping[str, tuple[str, str] | None]) -> None:
        same = known.type == type(request.command).__name__ and len(salts) == len(request.words)
        sent = {f"{request.id}:{key}": words for key, words in request.words.items()}
        salted = {ref: (salt[0], sent[ref]) for ref, salt in salts.items() if salt is not None}
        if same and len(salted) == len(salts):  # else words were erased since, and cannot be compared
            same = fingerprint_of(request, salted) == known.fingerprint
        if not same:
            raise CommandIdReused(field="id", command=request.id)

    def _duplicate(self, remembered: Answer) -> Answer:
        stream = remembered.pop("stream")
        answer = {**remembered, "status": "late" if remembered["status"] == "late" else "duplicate"}
        standing = self._standing(stream)
        return {**answer, **standing, "balances_version": self._version(stream)}

    def _standing(self, stream: str) -> Answer:
        """Return what everybody has now."""
        state = self._state(stream)
        if not isinstance(state, Night):
            return {"balances": {}, "pool": None}
        if state.rules.book.family == "pepper":
            return {"balances": running_scores(state), "pool": 0}
        return {"balances": {player: purse.balance for player, purse in state.purses.items()}, "pool": state.pool}


def _changes(events: list[ev.Event], before: object, after: object) -> dict[str, int]:
    """Return what everybody's balance changed by; who paid in the hand concerned is named though it be 0."""
    if not isinstance(after, Night):
        if isinstance(events[0], ev.ClosedHandCorrected):
            return dict(events[0].members)
        return parties_moved(events[0]) if isinstance(events[0], get_args(ev.MoneyEvent)) else {}
    was = before if isinstance(before, Night) else None
    if after.rules.book.family == "pepper":
        return team_changes(was, after)
    payers: dict[str, int] = {}
    for event in events:
        step = after.hand(getattr(event, "hand", None) or 0)
        if step is not None and step.played is not None and not isinstance(event, _WORDS_ALONE):
            payers |= dict.fromkeys(step.played.payers, 0)
    changes = dict(payers)
    for night, sign in ((was, -1), (after, 1)):
        for player, purse in night.purses.items() if night is not None else ():
            changes[player] = changes.get(player, 0) + sign * purse.balance
    return {player: change for player, change in changes.items() if change or player in payers}


def _gaps(event: ev.ChipsCounted, before: Night) -> dict[str, int]:
    """Return by how much what was counted lies above the book, or below it."""
    return {
        name: chips - (before.pool if name == "pool" else before.purses[name].stack)
        for name, chips in event.counts.items()
    }


_WORDS_ALONE = (ev.HandDisputed, ev.DisputeResolved, ev.NoteAdded)


def _primary(events: list[ev.Event], stream: str) -> str:
    """Return the stream that remembers a command: its own, unless only the club's was written."""
    return stream if stream == CLUB or any(type(event).__name__ in NIGHT_EVENTS for event in events) else CLUB


def _remembered(answer: Answer, stream: str, recorded: Sequence[Recorded]) -> str:
    return json.dumps(
        {
            "stream": stream,
            "status": answer["status"],
            "changes": answer["changes"],
            **_places(recorded),
        }
    )


def _places(recorded: Sequence[Recorded]) -> Answer:
    return {
        "version": recorded[-1].version,
        "position": recorded[-1].position,
        "events": [{"type": row.type, "version": row.version, "position": row.position} for row in recorded],
    }


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
