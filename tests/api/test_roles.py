"""Who may do what, cell by cell: role by call, role by command, and club by club."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import pytest
from flask import Flask

from ledger.access import CALLS, COMMANDS, ROLES, may
from ledger.commands import CLUB_COMMANDS, NIGHT_COMMANDS
from ledger.stores import SqliteStore, tokens_of
from tests.api.conftest import CallerOf
from tests.api.kit import CLUB, NIGHT, OTHER, PLAYERS, Caller, command

READS = {
    "club": "",
    "members": "/members",
    "tables": "/tables",
    "balances": "/balances",
    "nights": "/nights",
    "night": f"/nights/{NIGHT}",
    "hands": f"/nights/{NIGHT}/hands",
    "hand": f"/nights/{NIGHT}/hands/1",
    "journal": f"/nights/{NIGHT}/journal",
    "explain": f"/nights/{NIGHT}/explain?account=ann",
    "whatif": f"/nights/{NIGHT}/whatif?rulebook=penny-nap",
    "events": "/events",
    "live": "/live",
    "late_hands": "/late-hands",
    "journal_csv": f"/nights/{NIGHT}/journal.csv",
    "club_settlement": "/settlement",
    "night_settlement": f"/nights/{NIGHT}/settlement",
    "settlement_csv": f"/nights/{NIGHT}/settlement.csv",
    "transfers_csv": f"/nights/{NIGHT}/transfers.csv",
    "payments": "/payments",
    "statistics_of": "/stats",
    "statement": "/members/ann/statement",
    "statement_as_csv": "/members/ann/statement.csv",
    "me": "/me",
    "sessions": "/sessions",
    "people_with_pins": "/pins",
    "tokens": "/tokens",
    "users": "/users",
    "devices": "/devices",
    "trail": "/trail",
}
REFUSED = {"night_settlement", "transfers_csv"}
"""That night is open: it can be asked, and is refused."""

EXPORTS = {"journal_csv", "settlement_csv", "transfers_csv", "statement_as_csv"}

READ_BY = {
    **dict.fromkeys({"late_hands", *EXPORTS}, "treasurer"),
    **dict.fromkeys(["tokens", "users", "devices", "trail"], "owner"),
    "people_with_pins": "scorekeeper",
}
"""The least role where it is not a viewer."""

# As contract, section 7, has it; written down once more, so that a change of the table is seen.
VIEWER = {"Dispute"}
SCOREKEEPER = {
    "OpenNight", "SeatPlayer", "UnseatPlayer", "Reseat", "SetDealer", "BuyIn", "Transfer", "BuyCards", "Peek", "Bid",
    "Pass", "TakePeepCard", "RecordOutcome", "DeclareMisdeal", "RecordHand", "CorrectHand", "VoidHand", "Undo",
    "CountChips", "ResolveDispute", "AddNote", "CloseNight", "AddMember",
}  # fmt: skip
OWNER = {"FoundClub", "ChangeClub"}

THREE = {"bidder": "bob", "bid": "three", "made": True}

SAMPLES: dict[str, dict[str, Any]] = {
    "OpenNight": {"table": "peep", "players": list(PLAYERS), "dealer": "ann"},
    "SeatPlayer": {"player": "eve"},
    "UnseatPlayer": {"player": "ann"},
    "Reseat": {"players": [*reversed(PLAYERS)]},
    "SetDealer": {"player": "ann"},
    "BuyIn": {"player": "ann", "chips": 5},
    "CashOut": {"player": "ann", "chips": 5},
    "Transfer": {"from": "ann", "to": "bob", "chips": 1},
    "BuyCards": {"hand": 6, "player": "ann", "cards": 1},
    "Peek": {"hand": 6, "player": "ann"},
    "Bid": {"hand": 6, "player": "bob", "bid": "three"},
    "Pass": {"hand": 6, "player": "bob"},
    "TakePeepCard": {"hand": 6, "taken": True},
    "RecordOutcome": {"hand": 6, "made": True},
    "DeclareMisdeal": {"hand": 6},
    "RecordHand": {"hand": 6, **THREE},
    "CorrectHand": {"hand": 5, "facts": THREE, "reason": "so it was"},
    "VoidHand": {"hand": 5, "reason": "so it was"},
    "Undo": {"version": 6},
    "ChangeRules": {"stake": 2},
    "CountChips": {"counts": {"ann": 1}, "gap": "leave"},
    "Dispute": {"hand": 1},
    "ResolveDispute": {"hand": 1},
    "AddNote": {"note": "quiet"},
    "CloseNight": {},
    "ReopenNight": {"reason": "too early"},
    "FoundClub": {"club": "new", "name": "New"},
    "ChangeClub": {"cut_off": "05:00"},
    "AddMember": {"name": "Guest"},
    "RenameMember": {"member": "eve", "name": "Eva"},
    "ArchiveMember": {"member": "eve"},
    "RestoreMember": {"member": "eve"},
    "MergeMembers": {"from": "eve", "into": "ann"},
    "EraseMember": {"member": "eve"},
    "OpenTable": {"name": "New", "rulebook": "penny-nap"},
    "ChangeTable": {"table": "peep", "name": "Old"},
    "CloseTable": {"table": "peep"},
    "PublishRulebook": {"rulebook": {}},
    "StartSeason": {"name": "Winter"},
    "EndSeason": {"season": "winter"},
    "CorrectClosedHand": {"night": NIGHT, "hand": 1, "facts": THREE, "reason": "so it was"},
    "AdmitLateHand": {"command": "00000000-0000-4000-8000-000000000000"},
    "RefuseLateHand": {"command": "00000000-0000-4000-8000-000000000000", "reason": "no"},
    "RecordPayment": {"from": "ann", "to": "bob", "amount": 5},
    "ReversePayment": {"payment": "00000000-0000-4000-8000-000000000000", "reason": "no"},
    "PostAdjustment": {"from": "ann", "to": "bob", "amount": 5, "reason": "so it was"},
    "ChargeTable": {"night": NIGHT, "amount_each": 5, "reason": "tea"},
    "CountCash": {"amount": 5},
}


def needed(kind: str) -> str:
    if kind in VIEWER:
        return "viewer"
    if kind in SCOREKEEPER:
        return "scorekeeper"
    return "owner" if kind in OWNER else "treasurer"


def send(caller: Caller, kind: str, *, club: str | None = None) -> Any:
    """Send a command to be tried out: who may not is told so just the same."""
    path = f"/nights/{NIGHT}/commands" if kind in NIGHT_COMMANDS else "/commands"
    at = "/nights" if kind == "OpenNight" else path
    return caller.post(f"{at}?dry_run=true", command(kind, **SAMPLES[kind]), club=club)


def test_every_call_and_every_command_has_its_row(app: Flask) -> None:
    about_a_club = {rule.endpoint.rpartition(".")[2] for rule in app.url_map.iter_rules() if "club" in rule.arguments}
    assert about_a_club == set(CALLS)
    writes = {
        rule.endpoint.rpartition(".")[2] for rule in app.url_map.iter_rules() if "GET" not in (rule.methods or ())
    }
    assert set(READS) == set(CALLS) - writes
    assert set(COMMANDS) == {*NIGHT_COMMANDS, *CLUB_COMMANDS} == set(SAMPLES)
    assert {kind: needed(kind) for kind in COMMANDS} == dict(COMMANDS)


@pytest.mark.parametrize(("role", "call"), [*itertools.product(ROLES, READS)])
def test_a_read_by_role(steady: CallerOf, role: str, call: str) -> None:
    answered = steady(role).get(READS[call])
    answered.close()
    needs = READ_BY.get(call, "viewer")
    enough = may(role, needs)
    assert answered.status_code == (403 if not enough else 422 if call in REFUSED else 200)
    if not enough:
        assert answered.get_json()["role"] == needs


@pytest.mark.parametrize(("role", "kind"), [*itertools.product(ROLES, SAMPLES)])
def test_a_command_by_role(steady: CallerOf, role: str, kind: str) -> None:
    answered = send(steady(role), kind)
    problem = answered.get_json()
    if may(role, needed(kind)):
        assert answered.status_code not in (401, 403), problem
    else:
        assert (answered.status_code, problem["code"], problem["role"]) == (403, "role_needed", needed(kind))


@pytest.mark.parametrize("call", READS)
def test_nobody_reads_without_a_token(steady: CallerOf, call: str) -> None:
    answered = steady().get(READS[call])
    assert (answered.status_code, answered.get_json()["code"]) == (401, "sign_in_needed")
    assert answered.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer ", "Bearer wrong", "Basic YTpi", "bearer kb_ÿ", "Token x"])
def test_a_token_that_is_none_is_refused_everywhere(steady: CallerOf, given: str) -> None:
    for path in ("", "/api/v1/rulebooks"):
        answered = steady().get(path, headers={"Authorization": given})
        assert answered.status_code == 401


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("club", [OTHER, "nowhere"])
def test_another_club_is_not_there(steady: CallerOf, role: str, club: str) -> None:
    here = steady(role, CLUB)
    for path in READS.values():
        answered = here.get(path, club=club)
        assert (answered.status_code, answered.get_json()["code"]) == (404, "club_unknown")
    for kind in SAMPLES:
        assert send(here, kind, club=club).status_code == 404
    assert steady(role, OTHER).read()["club"] == OTHER


def test_a_token_that_is_revoked_is_of_no_use_at_once(caller: CallerOf, path: Any) -> None:
    viewer = caller("viewer")
    assert viewer.get().status_code == 200
    with SqliteStore(path) as store:
        (token,) = [one for one in tokens_of(store).all(CLUB) if one.role == "viewer"]
        assert token.used is not None
        tokens_of(store).revoke(token, "2026-11-27")
    assert (viewer.get().status_code, viewer.get().get_json()["code"]) == (401, "token_wrong")


def test_whoever_listens_hears_no_more_when_his_token_is_revoked(caller: CallerOf, scorer: Caller, path: Any) -> None:
    stream = caller("viewer").get("/live")
    chunks = stream.iter_encoded()
    assert next(chunks) == b"retry: 2000\n\n"
    assert b"position" in next(chunks)
    with SqliteStore(path) as store:
        (token,) = [one for one in tokens_of(store).all(CLUB) if one.role == "viewer"]
        tokens_of(store).revoke(token, "2026-11-27")
    sent = threading.Thread(target=scorer.send, args=("Peek",), kwargs={"hand": 6, "player": "bob"})
    sent.start()
    assert list(chunks) == []
    sent.join()
    stream.close()


def test_a_scorekeeper_corrects_the_last_three_hands(scorer: Caller, treasurer: Caller) -> None:
    def correct(caller: Caller, hand: int) -> int:
        return caller.send("CorrectHand", hand=hand, facts=THREE, reason="x").status_code

    assert [correct(scorer, hand) for hand in (1, 2, 3, 4, 5)] == [403, 403, 201, 201, 201]
    assert scorer.send("VoidHand", hand=2, reason="x").status_code == 403
    assert scorer.send("Reseat", players=[*reversed(PLAYERS)], from_hand=2).status_code == 403
    newest = treasurer.send("CorrectHand", hand=1, facts=THREE, reason="x").get_json()["version"]
    old = scorer.send("Undo", version=newest)  # the treasurer's correction of an old hand is not his to take back
    assert (old.status_code, old.get_json()["role"]) == (403, "treasurer")


def test_a_scorekeeper_cannot_undo_what_he_may_not_do(scorer: Caller, treasurer: Caller) -> None:
    def undo(caller: Caller) -> int:
        return caller.send("Undo", version=newest).status_code

    newest = treasurer.send("ChangeRules", stake=2).get_json()["version"]
    assert undo(scorer) == 403
    assert undo(treasurer) == 201
    newest = scorer.send("CloseNight").get_json()["version"]
    assert undo(scorer) == 403
    assert scorer.send("ReopenNight", reason="x").status_code == 403
    assert undo(treasurer) == 201


def test_what_was_recorded_is_told_again_whatever_one_may_by_now(scorer: Caller) -> None:
    sent = command("CorrectHand", hand=3, facts=THREE, reason="x")
    assert scorer.post(f"/nights/{NIGHT}/commands", sent).status_code == 201
    for hand in (6, 7):
        scorer.send("RecordHand", hand=hand, **THREE)
    assert scorer.send("CorrectHand", hand=3, facts=THREE, reason="y").status_code == 403
    assert scorer.post(f"/nights/{NIGHT}/commands", sent).status_code == 200


def test_in_a_batch_and_in_a_preview_each_command_is_judged_for_itself(caller: CallerOf) -> None:
    batch = {"commands": [command("Dispute", hand=1), command("Peek", hand=6, player="ann")]}
    for path in (f"/nights/{NIGHT}/commands?dry_run=true", f"/nights/{NIGHT}/commands"):
        verdicts = caller("viewer").post(path, batch).get_json()["verdicts"]
        assert verdicts[0]["status"] in ("preview", "recorded")
        assert (verdicts[1]["code"], verdicts[1]["role"]) == ("role_needed", "scorekeeper")


@pytest.mark.parametrize("role", ROLES)
def test_actions_are_those_that_this_caller_may_send(caller: CallerOf, role: str) -> None:
    caller("treasurer").send("CorrectHand", hand=1, facts=THREE, reason="x")
    asks = caller(role)
    actions = asks.state()["actions"]
    assert actions
    for action in actions:
        preview = asks.post(f"/nights/{NIGHT}/commands?dry_run=true", command(action["type"], **action["data"]))
        assert preview.status_code == 200, (action, preview.get_json())
    kinds = {action["type"] for action in actions}
    assert kinds == {"Dispute"} if role == "viewer" else {"Peek", "Bid", "Pass"} <= kinds
    assert ("Undo" in kinds) is (role in ("treasurer", "owner"))
