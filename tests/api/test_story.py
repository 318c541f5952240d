"""The story of a hand: every event about it, in order, with the facts that stood before."""

from __future__ import annotations

from tests.api.kit import NIGHT, Caller, Data, command

HANDS = f"/nights/{NIGHT}/hands"


def story(caller: Caller, hand: int) -> list[Data]:
    found: list[Data] = caller.read(f"{HANDS}/{hand}")["story"]
    return found


def done(caller: Caller, kind: str, **data: object) -> str:
    sent = command(kind, **data)
    assert caller.post(f"/nights/{NIGHT}/commands", sent).status_code == 201
    return str(sent["id"])


def test_a_story_says_who_wrote_what_and_what_stood_there_before(treasurer: Caller, scorer: Caller) -> None:
    facts = {"bidder": "ann", "bid": "three", "made": False, "peeks": ["ann"]}
    done(scorer, "CorrectHand", hand=4, facts=facts, reason="Ann counted again.")
    done(scorer, "Dispute", hand=4, note="It was Four.")
    undone = done(treasurer, "VoidHand", hand=4, reason="It was another pack.")
    done(treasurer, "Undo", command=undone)
    told = story(scorer, 4)
    assert [one["what"] for one in told] == [
        "HandRecorded", "HandCorrected", "HandDisputed", "HandVoided", "CommandUndone",
    ]  # fmt: skip
    assert [one["words"] for one in told] == [None, "Ann counted again.", "It was Four.", "It was another pack.", None]
    assert [one["device"] for one in told[1:]] == ["scorekeeper's tablet"] * 2 + ["treasurer's tablet"] * 2
    recorded, corrected, disputed, taken_out, back = (one["facts"] for one in told)
    assert (recorded["made"], corrected["made"]) == (True, False)
    assert disputed is None  # it changed nothing
    assert taken_out == {}
    assert back == corrected


def test_who_disputes_a_hand_may_be_a_player_by_his_id(scorer: Caller) -> None:
    done(scorer, "Dispute", hand=4, player="bob")
    (disputed,) = story(scorer, 4)[1:]
    assert (disputed["what"], disputed["player"], disputed["words"]) == ("HandDisputed", "bob", None)
    refused = scorer.post(f"/nights/{NIGHT}/commands", command("Dispute", hand=4, player="stranger"))
    told = refused.get_json()
    assert (refused.status_code, told["code"], told["field"]) == (422, "not_seated", "player")
    assert story(scorer, 4)[1:] == [disputed]


def test_a_hand_followed_step_by_step_has_a_story_from_when_it_ended(scorer: Caller) -> None:
    night = scorer.state()
    number, speaks = night["hand"]["number"], night["deal"]["next"]["eldest_first"]
    done(scorer, "Peek", hand=number, player=speaks[0])
    done(scorer, "Bid", hand=number, player=speaks[0], bid="three")
    assert story(scorer, number) == []
    for player in speaks[1:]:
        done(scorer, "Pass", hand=number, player=player)
    done(scorer, "RecordOutcome", hand=number, made=True)
    (told,) = story(scorer, number)
    assert told["what"] == "OutcomeRecorded"
    assert (told["facts"]["peeks"], told["facts"]["made"]) == ([speaks[0]], True)


def test_what_happens_to_other_hands_is_not_in_a_story(scorer: Caller) -> None:
    before = story(scorer, 5)
    done(scorer, "CorrectHand", hand=3, facts={"bidder": "bob", "bid": "nap", "made": True}, reason="He made it.")
    assert story(scorer, 5) == before
