"""Reads: what is told, what is not sent twice, and how what grows is read on."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from freezegun import freeze_time

from ledger.service import Ledger
from ledger.stores import SqliteStore
from ledger.views import night_view
from tests.api.conftest import CallerOf
from tests.api.kit import CLUB, NIGHT, V1, Caller, command
from tests.api.test_roles import READS, REFUSED

THREE = {"bidder": "bob", "bid": "three", "made": True}
TAGGED = [call for call in READS if call not in {"live", *REFUSED}]


@pytest.mark.parametrize("call", TAGGED)
def test_every_read_has_a_tag_and_is_not_sent_twice(steady: CallerOf, call: str) -> None:
    owner = steady("owner")
    first = owner.get(READS[call])
    tag = first.headers["ETag"]
    assert tag.startswith('"')
    assert first.headers["Cache-Control"] == "private, no-cache"
    again = owner.get(READS[call], headers={"If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert owner.get(READS[call]).data == first.data  # a strong tag: the same bytes


@pytest.mark.parametrize("call", TAGGED)
def test_whoever_has_anything_has_what_is_there_and_not_what_is_not(steady: CallerOf, call: str) -> None:
    owner = steady("owner")
    first = owner.get(READS[call])
    again = owner.get(READS[call], headers={"If-None-Match": "*"})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", first.headers["ETag"])


@pytest.mark.parametrize(
    "at", ["/nights/none", f"/nights/{NIGHT}/hands/99", "/nights/none/settlement.csv", "/members/nobody/statement"]
)
def test_what_is_not_there_is_not_unchanged(treasurer: Caller, at: str) -> None:
    assert treasurer.get(at, headers={"If-None-Match": "*"}).status_code == 404


def test_files_at_different_addresses_have_different_tags(treasurer: Caller) -> None:
    paths = [f"/nights/{NIGHT}/settlement.csv", *(f"/members/{who}/statement.csv" for who in ("ann", "bob"))]
    assert len({treasurer.get(path).headers["ETag"] for path in paths}) == len(paths)


def test_a_tag_changes_with_the_book_and_the_role(scorer: Caller, treasurer: Caller) -> None:
    tags = [caller.get(f"/nights/{NIGHT}").headers["ETag"] for caller in (scorer, treasurer)]
    assert tags[0] != tags[1]
    scorer.send("RecordHand", hand=6, **THREE)
    new = scorer.get(f"/nights/{NIGHT}", headers={"If-None-Match": tags[0]})
    assert new.status_code == 200
    assert new.headers["ETag"] not in tags


def test_what_is_not_new_is_found_out_from_the_head_alone(scorer: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    tag = scorer.get(f"/nights/{NIGHT}").headers["ETag"]
    monkeypatch.setattr(Ledger, "club", None)
    monkeypatch.setattr(Ledger, "night", None)
    assert scorer.get(f"/nights/{NIGHT}", headers={"If-None-Match": tag}).status_code == 304


def test_what_is_long_is_compressed_for_whoever_understands_that(scorer: Caller) -> None:
    plain = scorer.get(f"/nights/{NIGHT}")
    short = scorer.get(f"/nights/{NIGHT}", headers={"Accept-Encoding": "gzip, br"})
    assert short.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(short.data) == plain.data
    assert len(short.data) < len(plain.data) / 2
    assert short.headers["ETag"] != plain.headers["ETag"]
    for tag in (short.headers["ETag"], plain.headers["ETag"]):
        assert scorer.get(f"/nights/{NIGHT}", headers={"If-None-Match": tag}).status_code == 304
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert "Content-Encoding" not in scorer.get("", headers={"Accept-Encoding": "gzip"}).headers
    assert "Content-Encoding" not in scorer.get(f"/nights/{NIGHT}", headers={"Accept-Encoding": "gzip;q=0"}).headers


def test_a_night_is_told_as_the_contract_says(scorer: Caller) -> None:
    night = scorer.state()
    assert {
        "club", "night", "table", "date", "state", "revision", "version", "position", "epoch", "as_of", "backed_up_to",
        "rulebook", "unit", "players", "dealer", "pool", "hand", "teams", "scores", "games", "actions", "undo",
        "hands_played", "disputed", "needs_review", "receipt", "moves", "ladder", "deal",
    } <= set(night)  # fmt: skip
    assert set(night["pool"]) == {"chips", "since_hand", "fed_by", "would_pay"}
    assert [player["balance"] for player in night["players"]] == [-13, 15, -1, -6] or sum(
        player["balance"] for player in night["players"]
    ) + night["pool"]["chips"] == 0
    assert [bid["id"] for bid in night["ladder"]][:2] == ["one", "two"]
    assert night["moves"]["contracts"]["three"]["made"][0]["chips"] == 3
    assert night["deal"]["next"]["eldest_first"][0] == night["actions"][4]["data"]["player"]


def test_an_action_can_be_sent_as_it_is(scorer: Caller) -> None:
    for _ in range(12):
        wanted = next(
            action for action in scorer.state()["actions"] if action["type"] in ("RecordOutcome", "Bid", "Pass")
        )
        sent = scorer.send(wanted["type"], **wanted["data"])
        assert sent.status_code == 201, (wanted, sent.get_json())
    assert scorer.state()["hands_played"] >= 6


PAGED = {
    "members": ("/members", "number"),
    "tables": ("/tables", "id"),
    "balances": ("/balances", "id"),
    "nights": ("/nights", "night"),
    "hands": (f"/nights/{NIGHT}/hands", "hand"),
    "events": ("/events", "position"),
}


@pytest.mark.parametrize("call", PAGED)
def test_what_grows_is_read_on_by_key(steady: CallerOf, call: str) -> None:
    reader = steady("viewer")
    path, key = PAGED[call]
    whole = [row[key] for row in reader.read(f"{path}?limit=1000")[call]]
    found: list[Any] = []
    at = f"{path}?limit=2"
    while True:
        page = reader.read(at)
        assert len(page[call]) <= 2
        found += [row[key] for row in page[call]]
        if page["next"] is None:
            break
        at = f"{path}?limit=2&after={page['next']}"
    assert found == whole != []


def test_a_page_of_the_journal_ends_between_events_and_sums_to_zero(steady: CallerOf) -> None:
    reader = steady("viewer")
    whole = reader.read(f"/nights/{NIGHT}/journal?limit=1000")["entries"]
    found: list[Any] = []
    after: int | None = 0
    while after is not None:
        page = reader.read(f"/nights/{NIGHT}/journal?limit=1&after={after}")
        found += page["entries"]
        after = page["next"]
    assert found == whole != []
    assert all(sum(line["amount"] for line in entry["postings"]) == 0 for entry in whole)


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=1001", "limit=x", "after=-1", "after=١", "limit=1e1", f"after={9**40}"]
)
def test_a_page_that_cannot_be_is_refused(steady: CallerOf, query: str) -> None:
    refused = steady("viewer").get(f"/events?{query}")
    assert (refused.status_code, refused.content_type) == (422, "application/problem+json")
    assert query.partition("=")[0] in refused.get_json()["errors"]["query"]


def test_an_explanation_sums_to_what_it_explains(steady: CallerOf) -> None:
    reader = steady("viewer")
    night = reader.state()
    stands = {player["id"]: player["balance"] for player in night["players"]} | {"pool": night["pool"]["chips"]}
    for account, total in stands.items():
        told = reader.read(f"/nights/{NIGHT}/explain?account={account}")
        assert told["total"] == total == sum(line["change"] for line in told["lines"])
        if told["lines"]:
            assert told["lines"][-1]["balance"] == total
    assert reader.get(f"/nights/{NIGHT}/explain?account=eve").status_code == 404
    assert reader.get(f"/nights/{NIGHT}/explain").status_code == 422


def test_by_the_same_rules_everything_would_be_the_same(steady: CallerOf) -> None:
    reader = steady("viewer")
    night = reader.state()
    told = reader.read(f"/nights/{NIGHT}/whatif")
    assert told["balances"] == {player["id"]: player["balance"] for player in night["players"]}
    assert set(told["differences"].values()) == {0}
    assert told["pool"] == night["pool"]["chips"]


def test_what_is_decided_beside_the_hands_makes_no_difference(scorer: Caller) -> None:
    scorer.send("Peek", hand=6, player="bob")  # a hand in progress
    assert set(scorer.read(f"/nights/{NIGHT}/whatif")["differences"].values()) == {0}
    scorer.send("DeclareMisdeal", hand=6)
    assert scorer.send("CloseNight", pool="split").status_code == 201
    told = scorer.read(f"/nights/{NIGHT}/whatif")
    assert set(told["differences"].values()) == {0}
    assert told["pool"] == 5


@pytest.mark.parametrize("rulebook", ["wolf-pepper", "foster-pool-nap"])
def test_the_hands_of_any_game_can_be_scored_by_other_rules(treasurer: Caller, rulebook: str) -> None:
    treasurer.send("OpenTable", None, table="new", name="New", rulebook=rulebook)
    opening = command("OpenNight", table="new", night="new-1", players=["ann", "bob", "cal", "dot"], dealer="ann")
    assert treasurer.post("/nights", opening).status_code == 201
    facts = {"tricks": 5} if rulebook == "wolf-pepper" else {"made": True}
    for hand in (1, 2, 3):
        sent = treasurer.send("RecordHand", "new-1", hand=hand, bidder="bob", bid="four", **facts)
        assert sent.status_code == 201, sent.get_json()
    told = treasurer.read("/nights/new-1/whatif")
    assert len(told["hands"]) == 3
    assert set(told["differences"].values()) == {0}
    other = "rockets-pepper" if rulebook == "wolf-pepper" else "rockets-napoleon"
    assert len(treasurer.read(f"/nights/new-1/whatif?rulebook={other}")["hands"]) == 3


def test_a_clock_that_jumps_orders_nothing(scorer: Caller) -> None:
    versions = []
    for day in ("2031-05-01", "2019-01-01", "2026-11-30"):
        with freeze_time(day):
            sent = command("BuyIn", player="ann", chips=1)
            assert [scorer.post(f"/nights/{NIGHT}/commands", sent).status_code for _ in range(2)] == [201, 200]
            night = scorer.state()
            versions.append(night["version"])
            assert night["as_of"].startswith(day)
    assert versions == [7, 8, 9]


def test_by_other_rules_a_peek_that_they_do_not_know_costs_nothing(steady: CallerOf) -> None:
    told = steady("viewer").read(f"/nights/{NIGHT}/whatif?rulebook=rockets-napoleon")
    assert told["pool"] == 0
    assert told["differences"]["ann"] == 5
    dearer = steady("viewer").read(f"/nights/{NIGHT}/whatif?house_rules=%7B%22peek%22%3A3%7D")
    assert dearer["differences"] == {"ann": -10, "bob": 0, "cal": 0, "dot": 0}


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("rulebook=nowhere", 404, "rulebook_unknown"),
        ("rulebook=wolf-pepper", 422, "other_family"),
        ("house_rules=%7Bx", 422, "bad_value"),
        ("house_rules=[]", 422, "bad_value"),
        ("house_rules=%7B%22x%22%3A1%7D", 422, "house_rule_unknown"),
    ],
)
def test_other_rules_that_cannot_be_are_refused(steady: CallerOf, query: str, status: int, code: str) -> None:
    refused = steady("viewer").get(f"/nights/{NIGHT}/whatif?{query}")
    assert (refused.status_code, refused.get_json()["code"]) == (status, code)


def test_the_journal_as_csv_is_what_the_command_line_writes(treasurer: Caller, path: Any) -> None:
    from click.testing import CliRunner

    from ledger.cli import main

    told = treasurer.get(f"/nights/{NIGHT}/journal.csv")
    written = CliRunner().invoke(main, ["export", "journal", "--night", NIGHT, "--db", str(path), "--club", CLUB])
    assert told.data == written.stdout_bytes
    assert told.content_type == "text/csv; charset=utf-8"
    squeezed = treasurer.get(f"/nights/{NIGHT}/journal.csv", headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(squeezed.data) == told.data
    assert treasurer.get("/nights/never/journal.csv").status_code == 404


def test_the_command_line_tells_of_a_night_what_the_api_tells(caller: CallerOf, path: Any) -> None:
    told = caller("owner").state()
    with SqliteStore(path) as store, store.read(CLUB) as reader:
        ledger = Ledger(store)
        assert json.loads(json.dumps(night_view(ledger, ledger.club(CLUB, reader), NIGHT, reader))) == told


def test_hints_follow_the_book_and_begin_where_one_was(scorer: Caller) -> None:
    position = scorer.read()["position"]
    stream = scorer.get("/live", headers={"Last-Event-ID": str(position - 1)})
    chunks: Iterator[bytes] = stream.iter_encoded()
    assert next(chunks) == b"retry: 2000\n\n"
    missed = json.loads(next(chunks).decode().partition("data: ")[2])
    assert missed["position"] == position
    sent = threading.Thread(target=scorer.send, args=("Peek",), kwargs={"hand": 6, "player": "bob"})
    sent.start()
    hint = next(chunks).decode()
    sent.join()
    assert hint.startswith(f"id: {position + 2}\n")  # the hand, and the peek
    assert json.loads(hint.partition("data: ")[2])["night"] == NIGHT
    stream.close()


def test_who_listens_beyond_the_limit_is_told_to_poll(scorer: Caller) -> None:
    listening = [scorer.get("/live") for _ in range(3)]
    refused = scorer.get("/live")
    assert (refused.status_code, refused.get_json()["code"]) == (503, "too_many_listen")
    assert refused.headers["Retry-After"]
    listening[0].close()
    last = scorer.get("/live")
    assert last.status_code == 200
    for stream in (*listening, last):
        stream.close()


def test_rulebooks_are_there_for_everybody_and_a_clubs_own_for_its_people(caller: CallerOf) -> None:
    anybody, treasurer = caller(), caller("treasurer")
    own = treasurer.read(f"{V1}/rulebooks/penny-nap")
    book = {"id": "own-nap", "family": "nap", "title": {"en": "Own"}, "source": "us", **own["effective"]}
    published = treasurer.send("PublishRulebook", None, rulebook=book)
    assert published.status_code == 201, published.get_json()
    assert treasurer.read(f"{V1}/rulebooks/own-nap")["origin"] == "club"
    assert anybody.get(f"{V1}/rulebooks/own-nap").status_code == 404
    ids = {entry["id"] for entry in treasurer.read(f"{V1}/rulebooks")["rulebooks"]}
    assert len(anybody.read(f"{V1}/rulebooks")["rulebooks"]) == len(ids) - 1 == 25


def test_a_sheet_is_scored_for_anybody(steady: CallerOf) -> None:
    sheet = {"id": "P2", "rulebook": "foster-pool-nap", "players": ["A", "B", "C", "D"], "dealer": "B", "pool": 8}
    told = steady().post(f"{V1}/score", {**sheet, "hands": [{"bidder": "C", "bid": "nap", "made": False}]})
    assert told.status_code == 200
    assert told.get_json()["balances"] == {"A": 5, "B": 3, "C": -25, "D": 5}
    wrong = steady().post(f"{V1}/score", {**sheet, "hands": [{"bidder": "C", "bid": "nine", "made": False}]})
    assert (wrong.status_code, wrong.get_json()["code"], wrong.get_json()["hand"]) == (422, "bid_unknown", 1)
    path = steady().post(f"{V1}/score", {**sheet, "rulebook": "/etc/passwd", "hands": []})
    assert path.get_json()["code"] == "rulebook_unknown"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1@evil", "[::2]"])
def test_to_another_name_nothing_is_answered(app: Flask, host: str) -> None:
    refused = app.test_client().get(f"{V1}/health", headers={"Host": host})
    assert refused.status_code == 400


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:8000", "[::1]:8000", "[::1]"])
def test_to_its_own_names_it_answers(app: Flask, host: str) -> None:
    assert app.test_client().get(f"{V1}/health", headers={"Host": host}).status_code == 200


def test_a_problem_is_told_as_json_under_api_and_nowhere_else(app: Flask) -> None:
    client = app.test_client()
    for path in ("/api/v1/nothing", "/api/nothing"):
        assert client.get(path).content_type == "application/problem+json"
    assert client.get("/nothing").content_type.startswith("text/html")
    wrong = client.delete(f"{V1}/health")
    assert (wrong.status_code, wrong.content_type) == (405, "application/problem+json")
    assert "GET" in wrong.headers["Allow"]


def test_what_should_not_happen_is_a_problem_too(scorer: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.views.nights.night_view", lambda *_: 1 // 0)
    broken = scorer.get(f"/nights/{NIGHT}", headers={"X-Request-Id": "abc-1"})
    problem = broken.get_json()
    assert (broken.status_code, problem["code"], problem["request_id"]) == (500, "defect", "abc-1")
    assert "division" not in problem["detail"]


def test_the_description_is_read_without_another_network(app: Flask) -> None:
    client = app.test_client()
    page = client.get("/api/docs")
    assert page.status_code == 200
    html = page.get_data(as_text=True)
    assert "http" not in html
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for name in ("swagger-ui.css", "swagger-ui-bundle.js", "start.js"):
        assert f"/api/docs/{name}" in html
        assert client.get(f"/api/docs/{name}").status_code == 200
    assert client.get("/api/docs/..%2f..%2fpyproject.toml").status_code == 404
    assert client.get("/api/docs/index.html").status_code == 404


def test_nothing_secret_is_logged(scorer: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    scorer.get(f"/nights/{NIGHT}?token=kb_secret")
    scorer.post(f"/nights/{NIGHT}/commands", command("AddNote", note="between us"))
    said = "".join(capsys.readouterr())
    assert "answered" in said
    assert "kb_" not in said
    assert "between us" not in said
