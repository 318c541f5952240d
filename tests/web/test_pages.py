"""Pages as a browser sends for them: what they say, what their forms book, what is refused and how."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from ledger.access import ROLES
from ledger.rulebooks import preset, preset_ids
from ledger.service import Ledger, Sender, read_request
from ledger.stores import SqliteStore
from ledger.upkeep import Outcome, keep
from tests.api.kit import CLUB, NIGHT
from tests.web.conftest import VisitorOf
from tests.web.kit import Forms, went_to, words_of


def events_of(store: SqliteStore) -> list[str]:
    with store.read(CLUB) as reader:
        return [row.type for row in reader.events(0, 1000)]


# The walls


def test_every_page_carries_the_headers(visitor: VisitorOf) -> None:
    for path in ("/", "/members", "/nowhere", f"/nights/{NIGHT}"):
        headers = visitor().get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert "'unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cache-Control"] == "no-store"


def test_no_page_has_a_style_or_script_inside(visitor: VisitorOf) -> None:
    for path in ("/", "/members", "/tables/peep", "/tables/peep/rules", f"/nights/{NIGHT}", "/money", "/audit"):
        html = visitor().get(path).text
        assert "<script" not in html
        assert "<style" not in html
        assert not re.search(r"\s(style|on[a-z]+)=\"", html)


@pytest.mark.parametrize(
    ("site", "headers", "status"),
    [
        ("same-origin", {}, 303),
        ("none", {}, 303),
        ("cross-site", {}, 403),
        ("same-site", {}, 403),
        (None, {"Origin": "http://localhost"}, 303),
        (None, {"Origin": "http://elsewhere.example"}, 403),
        (None, {"Origin": "null"}, 403),
        (None, {}, 403),
    ],
)
def test_a_form_from_elsewhere_is_not_taken(
    visitor: VisitorOf, site: str | None, headers: dict[str, str], status: int
) -> None:
    response = visitor().post("/members/add", {"names": "Fay"}, site=site, **headers)
    assert response.status_code == status


def test_who_is_nobody_sees_nothing_of_the_club(visitor: VisitorOf) -> None:
    for path in ("/", "/members", f"/nights/{NIGHT}", f"/nights/{NIGHT}/settlement.csv", "/audit"):
        response = visitor(None).get(path)
        assert (response.status_code, response.headers["Location"]) == (303, "/sign-in")
        assert "Ann" not in response.text
        assert CLUB not in response.text


def test_a_viewer_reads_and_changes_nothing(visitor: VisitorOf, store: SqliteStore) -> None:
    before = events_of(store)
    for path in ("/", "/members", "/members/ann", "/tables", "/tables/peep", "/nights", f"/nights/{NIGHT}", "/money"):
        assert "Add members" not in visitor("viewer").reads(path)
    for action in ("/members/add", "/members/ann/rename", "/tables/new/rockets-peep-nap", f"/nights/{NIGHT}/close"):
        assert visitor("viewer").post(action, {"names": "Fay", "name": "Fay"}).status_code == 403
    assert events_of(store) == before


def test_refusals_are_pages_for_people_and_problems_for_programs(visitor: VisitorOf) -> None:
    page = visitor().get("/nights/none-such")
    assert (page.status_code, page.mimetype) == (404, "text/html")
    problem = visitor().get("/api/v1/nowhere")
    assert (problem.status_code, problem.mimetype) == (404, "application/problem+json")


@pytest.mark.parametrize("role", ROLES)
def test_every_way_that_a_page_offers_leads_somewhere(visitor: VisitorOf, role: str) -> None:
    who, seen, ahead = visitor(role), set[str](), ["/"]
    while ahead:
        path = ahead.pop()
        if path in seen:
            continue
        seen.add(path)
        response = who.get(path)
        assert response.status_code == 200, (path, response.status_code)
        ahead += [
            found.replace("&amp;", "&")
            for found in re.findall(r'href="(/[^"#]*)"', response.text)
            if not found.startswith(("/api/", "/static/", "/tables/new/"))
        ]
    assert len(seen) > 15


# Files


def test_files_are_kept_for_good_by_the_name_of_what_is_in_them(visitor: VisitorOf) -> None:
    href = re.findall(r'href="(/static/kittybook\.css[^"]*)"', visitor().get("/").text)[0]
    response = visitor().get(href)
    assert "immutable" in response.headers["Cache-Control"]
    assert visitor().get("/static/kittybook.css").headers["Cache-Control"] == "no-cache"
    assert visitor().get("/static/kittybook.css?v=old").headers["Cache-Control"] == "no-cache"
    assert visitor().get("/static/../app.py").status_code == 404
    assert visitor().get("/static/%2e%2e/app.py").status_code == 404
    assert visitor().get("/static/nothing.css").status_code == 404


def test_tables_to_take_away_are_those_of_the_api(visitor: VisitorOf) -> None:
    for path in ("settlement.csv", "journal.csv"):
        response = visitor().get(f"/nights/{NIGHT}/{path}")
        assert response.mimetype == "text/csv"
        assert "attachment" in response.headers["Content-Disposition"]
    assert visitor("scorekeeper").get(f"/nights/{NIGHT}/settlement.csv").status_code == 403
    assert visitor().get("/members/ann/statement.csv").status_code == 200


# Every form


def test_no_form_books_twice_however_often_it_is_sent(visitor: VisitorOf, store: SqliteStore) -> None:
    typed = {"reason": "So it was.", "note": "Noted.", "amount": "1", "names": "Fay", "chip": "0.10", "currency": "GBP"}
    tried, places = 0, ["/members", "/members/eve", "/members/eve/merge?into=ann", "/members/bob/erase"]
    places += ["/tables/new/penny-nap", "/tables/penny-nap", "/nights/new?table=penny-nap", "/tables/penny-nap"]
    places += [f"/nights/{NIGHT}/hands/5", f"/nights/{NIGHT}", f"/nights/{NIGHT}/close"]
    places += [f"/nights/{NIGHT}/settlement", "/money", f"/nights/{NIGHT}", "/settings", "/settings", "/late"]
    for place in places:
        for form in Forms(visitor().get(place).text).found:
            if form["method"] != "post":
                continue
            values = form["values"]
            for name, text in typed.items():
                if name in values and not values[name]:
                    values[name] = text
            values["sure"] = "yes"
            first = visitor().post(form["action"], values)
            booked = len(events_of(store))
            again = visitor().post(form["action"], values)
            assert first.status_code < 500, (form["action"], words_of(first.text)[-300:])
            assert again.status_code == first.status_code, form["action"]
            assert len(events_of(store)) == booked, form["action"]
            tried += first.status_code == 303
    assert tried > 15


# Members


def test_several_are_added_at_once_and_sent_twice_they_are_added_once(visitor: VisitorOf, store: SqliteStore) -> None:
    form = visitor().form("/members", "add")
    form["values"]["names"] = "Fay\nGus, Zoë  \n\n"
    for _twice in range(2):
        assert went_to(visitor().post(form["action"], form["values"])) == "/members?done=added&n=3"
    assert events_of(store).count("MemberAdded") == 5 + 3
    assert "3 members added." in visitor().reads("/members?done=added&n=3")


def test_one_wrong_name_adds_nobody_and_keeps_what_was_written(visitor: VisitorOf, store: SqliteStore) -> None:
    response = visitor().sends("/members", "add", names="Fay\nGus\u202e")
    assert response.status_code == 422
    assert "Fay\nGus\u202e</textarea>" in response.text
    assert 'aria-invalid="true"' in response.text
    assert 'aria-describedby="f-names-hint f-names-wrong"' in response.text
    assert events_of(store).count("MemberAdded") == 5


def test_a_name_is_changed_where_the_page_says_so(visitor: VisitorOf) -> None:
    assert went_to(visitor().sends("/members/ann", "rename", name="Anna")) == "/members/ann?done=renamed"
    assert "Anna" in visitor().reads("/members")
    refused = visitor().sends("/members/ann", "rename", name=" ")
    assert refused.status_code == 422
    assert "This is no name: it is empty." in words_of(refused.text)


def test_who_left_is_put_away_and_comes_back(visitor: VisitorOf) -> None:
    went_to(visitor().sends("/members/eve", "archive"))
    assert "archived" in visitor().reads("/members/eve")
    went_to(visitor().sends("/members/eve", "restore"))
    assert "archived" not in visitor().reads("/members/eve")


def test_two_who_sat_together_are_not_one(visitor: VisitorOf) -> None:
    assert "Ann and Bob both sat in" in visitor().reads("/members/ann/merge?into=bob")


def test_merging_is_shown_first_and_refused_where_the_book_moved_on(visitor: VisitorOf) -> None:
    form = visitor().form("/members/eve/merge?into=ann", "merge")
    went_to(visitor().sends("/members/bob", "rename", name="Bobby"))
    moved = visitor().post(form["action"], form["values"])
    assert moved.status_code == 409
    assert "Somebody recorded something meanwhile" in words_of(moved.text)
    assert went_to(visitor().sends("/members/eve/merge?into=ann", "merge")) == "/members/ann?done=merged"
    assert visitor().get("/members/eve").status_code == 308


def test_a_name_is_erased_only_when_that_is_meant(visitor: VisitorOf) -> None:
    assert visitor().sends("/members/eve/erase", "erase").status_code == 422
    assert went_to(visitor().sends("/members/eve/erase", "erase", sure="yes")) == "/members?done=erased"
    assert "Eve" not in visitor().reads("/members/eve")
    assert "member 5" in visitor().reads("/members/eve")


# Tables


def test_a_game_is_chosen_and_its_table_opened_once(visitor: VisitorOf, store: SqliteStore) -> None:
    form = visitor().form("/tables/new/foster-pool-nap", "open")
    form["values"]["currency"], form["values"]["chip"] = "gbp", "0,10"
    assert form["values"]["name"] == "Pool Nap"
    for _twice in range(2):
        assert went_to(visitor().post(form["action"], form["values"])).endswith("done=table_opened")
    assert events_of(store).count("TableOpened") == 2
    assert "£0.10" in visitor().reads("/tables/pool-nap")


@pytest.mark.parametrize(
    ("currency", "chip", "field"),
    [("GBP", "", "chip"), ("GBP", "0.005", "chip"), ("XQX", "1", "currency"), ("", "1", "currency")],
)
def test_money_that_makes_no_sense_is_refused_at_its_field(
    visitor: VisitorOf, currency: str, chip: str, field: str
) -> None:
    response = visitor().sends("/tables/new/foster-pool-nap", "open", currency=currency, chip=chip)
    assert response.status_code in (400, 422)
    assert f'id="f-{field}-wrong"' in response.text


def test_house_rules_are_shown_before_they_are_booked(visitor: VisitorOf, store: SqliteStore) -> None:
    shown = visitor().sends("/tables/peep/rules", "rules", rule__pool__peek="2", do="show")
    assert shown.status_code == 200
    words = words_of(shown.text)
    assert "What that would change" in words
    assert "2 instead of 1" in words
    assert "comes out otherwise" in words
    assert "TableChanged" not in events_of(store)


@pytest.mark.parametrize("game", preset_ids())
def test_every_worked_example_of_a_game_comes_out_on_its_page(visitor: VisitorOf, game: str) -> None:
    page = visitor().get(f"/tables/new/{game}").text
    assert "comes out otherwise" not in words_of(page)
    assert 'class="error"' not in page
    refused = sum("error" in one["expect"] for one in preset(game).examples)
    assert words_of(page).count("Is refused, as it should be:") == refused


def test_examples_call_bids_by_their_titles_and_tell_what_house_rules_refuse(visitor: VisitorOf) -> None:
    words = visitor().reads("/tables/new/rockets-peep-nap")
    assert re.search(r"\b[A-Z]: Misère, (made|failed)", words)
    assert not re.search(r"\b[A-Z]: misere,", words)
    assert "what each of the others pays the bidder" in words
    shown = visitor().sends("/tables/peep/rules", "rules", rule__auction__minimum_bid="nap", do="show")
    assert "comes out otherwise" in words_of(shown.text)
    assert 'class="error"' in shown.text


def test_only_what_was_shown_is_booked(visitor: VisitorOf, store: SqliteStore) -> None:
    shown = visitor().sends("/tables/peep/rules", "rules", rule__pool__peek="2", do="show")
    (form,) = Forms(shown.text).found
    other = form["values"].copy()
    other["rule.pool.peek"], other["do"] = "3", "book"
    assert visitor().post(form["action"], other).status_code == 200
    assert "TableChanged" not in events_of(store)
    form["values"]["do"] = "book"
    assert went_to(visitor().post(form["action"], form["values"])) == "/tables/peep?done=table_changed"
    with store.read(CLUB) as reader:
        assert Ledger(store).club(CLUB, reader).tables["peep"].house_rules == {"pool.peek": 2}
    assert "with house rules" in visitor().reads("/tables/peep")


def test_a_house_rule_that_cannot_be_is_refused_at_its_field(visitor: VisitorOf) -> None:
    response = visitor().sends("/tables/peep/rules", "rules", rule__pool__peek="-1", do="show")
    assert response.status_code == 422
    assert 'id="f-rule.pool.peek-wrong"' in response.text
    assert visitor().sends("/tables/peep/rules", "rules", rule__pool__peek="2.5", do="show").status_code == 422


def test_a_table_with_an_open_night_is_not_closed(visitor: VisitorOf) -> None:
    response = visitor().post("/tables/peep/close", {"form": "close", "pool": "split"})
    assert response.status_code == 409
    assert visitor().sends("/tables/peep", "change", name="Peep Nap", stake="2").status_code == 303
    assert "stake 2" in visitor().reads("/tables")


# Nights


def test_a_night_is_begun_with_the_seats_of_the_last(visitor: VisitorOf, store: SqliteStore) -> None:
    went_to(visitor().sends("/tables/new/foster-pool-nap", "open"))
    form = visitor().form("/nights/new?table=pool-nap", "night")
    assert [form["values"][f"seat{number}"] for number in (1, 2, 3, 4, 5)] == ["ann", "bob", "cal", "dot", "eve"]
    twice = form["values"].copy()
    twice["seat2"] = "ann"
    refused = visitor().post(form["action"], twice)
    assert refused.status_code == 422
    assert "somebody who sits nowhere else" in refused.text
    for _twice in range(2):
        assert "/nights/pool-nap-" in went_to(visitor().post(form["action"], form["values"]))
    assert events_of(store).count("NightOpened") == 2


def test_seats_say_who_partners_whom_and_who_sits_elsewhere(visitor: VisitorOf) -> None:
    went_to(visitor().sends("/tables/new/rockets-pepper", "open", name="Four"))
    words = visitor().reads("/nights/new?table=four")
    assert "Seats 1 and 3 play against 2 and 4." in words
    assert "Seats are numbered as they are filled in above." in words
    assert "Ann sits at an open night of Peep too." in words
    opened = went_to(visitor().sends("/nights/new?table=four", "night")).removesuffix("/table")
    assert "Ann sits at an open night of Peep too." in visitor().reads(opened)
    assert "Ann sits at an open night of Four too." in visitor().reads(f"/nights/{NIGHT}")
    went_to(visitor().sends(f"{opened}/close", "close"))
    assert "sits at an open night" not in visitor().reads(f"/nights/{NIGHT}")
    went_to(visitor().sends("/tables/new/foster-pool-nap", "open"))
    assert "play against" not in visitor().reads("/nights/new?table=pool-nap")


def test_of_two_open_nights_one_is_chosen_for_the_tablet(visitor: VisitorOf) -> None:
    assert went_to(visitor().get("/table")) == f"/nights/{NIGHT}/table"
    went_to(visitor().sends("/tables/new/rockets-pepper", "open", name="Four"))
    opened = went_to(visitor().sends("/nights/new?table=four", "night"))
    page = visitor("scorekeeper").get(at := went_to(visitor().get("/table"))).text
    assert "2 nights are open: choose one. To Peep To Four" in words_of(page)
    assert f'href="{opened}"' in page
    assert "choose one" not in visitor().reads("/nights")
    for night in (NIGHT, opened.split("/")[2]):
        went_to(visitor().sends(f"/nights/{night}/close?pool=split", "close"))
    assert went_to(visitor().get("/table")) == at
    assert "No night is open." in visitor().reads(at)


def test_an_open_night_is_not_settled_yet_and_the_start_page_says_so(visitor: VisitorOf) -> None:
    assert "Nothing to settle but the night that is open: it counts when it is closed." in visitor().reads("/")


def test_who_lets_a_phone_join_finds_back_to_the_table(visitor: VisitorOf) -> None:
    at = f"/nights/{NIGHT}/join"
    assert "Phone and wall" in visitor("scorekeeper").reads(f"/nights/{NIGHT}")
    assert "Back to the table Back to the night" in visitor("scorekeeper").reads(at)
    assert f'href="/nights/{NIGHT}/table"' in visitor("scorekeeper").get(at).text
    went_to(visitor().sends(f"/nights/{NIGHT}/close?pool=split", "close"))
    assert "Back to the table" not in visitor("scorekeeper").reads(at)


def test_a_night_tells_its_hands_its_pool_and_why(visitor: VisitorOf) -> None:
    words = visitor().reads(f"/nights/{NIGHT}")
    assert "5 hands" in words
    assert "Grown since hand 1." in words
    assert "Why this number?" in visitor().reads(f"/nights/{NIGHT}/explain/pool")
    assert "Total" in visitor().reads(f"/nights/{NIGHT}/explain/ann")
    assert visitor().get(f"/nights/{NIGHT}/explain/eve").status_code == 404
    assert "Three" in visitor().reads(f"/nights/{NIGHT}/hands/2")
    assert visitor().get(f"/nights/{NIGHT}/hands/9").status_code == 404


def test_a_hand_says_why_it_was_corrected(visitor: VisitorOf, store: SqliteStore) -> None:
    facts = {"bidder": "ann", "bid": "three", "made": False}
    told = {
        "id": str(uuid4()),
        "type": "CorrectHand",
        "data": {"hand": 5, "facts": facts, "reason": "Ann counted again."},
    }
    (answer,) = Ledger(store).carry_out(CLUB, [read_request({**told, "night": NIGHT})], Sender(actor="cli"))
    assert answer["status"] == "recorded"
    assert "Ann counted again." in visitor().reads(f"/nights/{NIGHT}/hands/5")


def test_a_hand_is_disputed_by_anybody_and_resolved_by_who_keeps_score(visitor: VisitorOf) -> None:
    at = f"/nights/{NIGHT}/hands/5"
    went_to(visitor("viewer").sends(at, "dispute", note="I led."))
    assert "Hand 5 is disputed" in visitor().reads(f"/nights/{NIGHT}")
    assert "I led." in visitor().reads(at)
    assert visitor("viewer").post(f"{at}/resolve", {"form": "resolve"}).status_code == 403
    went_to(visitor("scorekeeper").sends(at, "resolve"))
    assert "disputed" not in visitor().reads(f"/nights/{NIGHT}")


def test_a_note_is_written_once(visitor: VisitorOf, store: SqliteStore) -> None:
    form = visitor().form(f"/nights/{NIGHT}", "note")
    form["values"]["note"] = "<b>Rain</b>"
    for _twice in range(2):
        went_to(visitor().post(form["action"], form["values"]))
    assert events_of(store).count("NoteAdded") == 1
    assert "&lt;b&gt;Rain" in visitor().get(f"/nights/{NIGHT}").text
    assert visitor().sends(f"/nights/{NIGHT}", "note", note=" ").status_code == 422


def test_a_form_that_was_sent_filled_in_otherwise_is_not_taken_for_the_same(visitor: VisitorOf) -> None:
    form = visitor().form(f"/nights/{NIGHT}", "note")
    went_to(visitor().post(form["action"], {**form["values"].to_dict(), "note": "one"}))
    other = visitor().post(form["action"], {**form["values"].to_dict(), "note": "two"})
    assert other.status_code == 422
    assert "This form was sent before" in words_of(other.text)
    assert f'name="command" value="{form["values"]["command"]}"' not in other.text


def test_only_the_newest_is_taken_back(visitor: VisitorOf) -> None:
    form = visitor().form(f"/nights/{NIGHT}", "undo")
    for _twice in range(2):
        went_to(visitor().post(form["action"], form["values"]))
    assert "4 hands" in visitor().reads(f"/nights/{NIGHT}") or "taken out" in visitor().reads(f"/nights/{NIGHT}")


def test_seats_change_from_the_next_deal_on(visitor: VisitorOf) -> None:
    went_to(visitor().sends(f"/nights/{NIGHT}", "seat", player="eve"))
    assert "Eve" in visitor().reads(f"/nights/{NIGHT}")
    went_to(visitor().sends(f"/nights/{NIGHT}", "unseat", player="eve"))
    assert "gone" in visitor().reads(f"/nights/{NIGHT}")


def test_a_count_shows_its_gaps_before_it_is_booked(visitor: VisitorOf, store: SqliteStore) -> None:
    shown = visitor().sends(f"/nights/{NIGHT}/count", "count", count__pool="1", do="show")
    assert "missing" in words_of(shown.text)
    (form,) = Forms(shown.text).found
    assert "ChipsCounted" not in events_of(store)
    form["values"]["do"] = "book"
    assert went_to(visitor().post(form["action"], form["values"])) == f"/nights/{NIGHT}?done=counted"
    assert events_of(store).count("ChipsCounted") == 1
    assert visitor().sends(f"/nights/{NIGHT}/count", "count", do="show").status_code == 422


def test_a_night_is_closed_as_it_was_shown_settled_paid_and_reversed(visitor: VisitorOf, store: SqliteStore) -> None:
    form = visitor().form(f"/nights/{NIGHT}/close", "close")
    went_to(visitor().sends(f"/nights/{NIGHT}", "undo"))
    moved = visitor().post(form["action"], form["values"])
    assert moved.status_code == 409
    assert "Look again" in words_of(moved.text)
    assert went_to(visitor().sends(f"/nights/{NIGHT}/close?pool=split", "close")).endswith("done=night_closed")
    assert "Receipt" in visitor().reads(f"/nights/{NIGHT}")
    at = f"/nights/{NIGHT}/settlement"
    assert "Who pays whom" in visitor().reads(at)
    pay = visitor().form(at, "pay")
    for _twice in range(2):
        booked = went_to(visitor().post(pay["action"], pay["values"]))
        assert booked.startswith(f"{at}?done=paid&about=")
    assert events_of(store).count("PaymentRecorded") == 1
    told = visitor().reads(booked)
    assert re.search(r"The payment is booked: \w+ paid \w+ \d+\.", told), told[:400]
    assert "is booked" not in visitor().reads(f"{at}?done=paid&about=another")
    assert visitor().sends(f"/nights/{NIGHT}", "note", note="closed").status_code == 303
    assert went_to(visitor().sends(at, "reverse", reason="It came back.")) == f"{at}?done=reversed"
    assert "reversed" in visitor().reads("/money")
    assert visitor("scorekeeper").post(f"/nights/{NIGHT}/pay", pay["values"]).status_code == 403


def test_a_night_that_was_paid_says_why_it_stays_closed_and_what_opens_it(visitor: VisitorOf) -> None:
    at = f"/nights/{NIGHT}"
    went_to(visitor().sends(f"{at}/close?pool=split", "close"))
    undo = visitor().form(at, "undo")  # of the close
    assert "The table’s screen" in visitor().reads(at)
    assert f'href="{at}/table"' in visitor().get(at).text
    assert "not settled" in visitor().reads(f"{at}/settlement")
    went_to(visitor().sends(f"{at}/settlement", "pay"))
    page = visitor().get(at).text
    why = "This night cannot be opened again: it was paid already; reverse that payment first. To its payments"
    assert why in words_of(page)
    assert f'href="{at}/settlement#paid"' in page
    assert "Take it back" not in page
    assert "Open it again" not in page
    refused = visitor().post(undo["action"], undo["values"])
    assert refused.status_code == 409
    assert "reverse that payment first" in words_of(refused.text)
    went_to(visitor().sends(f"{at}/settlement", "reverse", reason="A slip of the finger."))
    assert "Open it again" in visitor().reads(at)


def test_everything_open_is_settled_by_every_policy(visitor: VisitorOf) -> None:
    went_to(visitor().sends(f"/nights/{NIGHT}/close", "close"))
    for policy in ("fewest", "banker", "threshold", "nonsense"):
        assert "Who pays whom" in visitor().reads(f"/money?policy={policy}&threshold=2")
    assert "This must be" in visitor().reads("/money?policy=threshold&threshold=lots")


def test_a_closed_night_is_opened_again_with_a_reason(visitor: VisitorOf) -> None:
    went_to(visitor().sends(f"/nights/{NIGHT}/close", "close"))
    went_to(visitor().sends(f"/nights/{NIGHT}", "reopen", reason="One hand more."))
    assert "revision 2" in visitor().reads(f"/nights/{NIGHT}")
    assert "Superseded receipts" in visitor().reads(f"/nights/{NIGHT}")


# Settings and self-audit


def test_a_club_is_changed_once_and_by_what_was_filled_in_alone(visitor: VisitorOf, store: SqliteStore) -> None:
    form = visitor().form("/settings", "club")
    filled = {**form["values"].to_dict(), "name": "The Corner Table", "cut_off": "04:30"}
    went_to(visitor().sends("/settings", "club", zone="Asia/Kathmandu"))  # meanwhile, by another owner
    for _twice in range(2):
        assert went_to(visitor().post("/settings/club", filled)) == "/settings?done=club_changed"
    assert events_of(store).count("ClubChanged") == 2
    with store.read(CLUB) as reader:
        club = Ledger(store).club(CLUB, reader)
    assert (club.zone, club.cut_off) == ("Asia/Kathmandu", "04:30")
    words = visitor("viewer").reads("/settings?done=club_changed")
    for said in ("The Corner Table", "Asia/Kathmandu", "04:30", "from the next night on."):
        assert said in words, said
    assert "The Corner Table" in visitor("viewer").reads("/")


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": "Fri\u202edays"}, "club-name"),
        ({"name": " "}, "club-name"),
        ({"zone": "Mars/Olympus"}, "f-zone"),
        ({"zone": ""}, "f-zone"),
        ({"cut_off": "25:00"}, "f-cut_off"),
        ({}, ""),
    ],
)
def test_what_is_wrong_with_a_club_stands_at_its_field(
    visitor: VisitorOf, store: SqliteStore, wrong: dict[str, str], field: str
) -> None:
    before = events_of(store)
    response = visitor().sends("/settings", "club", **wrong)
    assert response.status_code == 422
    assert re.findall(r'class="error" id="([\w-]+)-wrong"', response.text) == ([field] if field else [])
    assert ("notice bad" in response.text) is (not field)
    (form,) = [one for one in Forms(response.text).found if one["action"] == "/settings/club"]
    assert {key: form["values"][key] for key in wrong} == wrong
    assert events_of(store) == before
    right = {"name": "Fridays", "zone": "Asia/Tokyo", "cut_off": "05:00"}
    went_to(visitor().post("/settings/club", {**form["values"].to_dict(), **right}))
    assert events_of(store) == [*before, "ClubChanged"]


@pytest.mark.parametrize("role", ["viewer", "scorekeeper", "treasurer"])
def test_a_club_is_its_owners_to_change(visitor: VisitorOf, store: SqliteStore, role: str) -> None:
    before = events_of(store)
    assert 'action="/settings/club"' in visitor().get("/settings").text
    assert 'action="/settings/club"' not in visitor(role).get("/settings").text
    assert visitor(role).post("/settings/club", {"name": "Ours", "name_was": "Theirs"}).status_code == 403
    assert events_of(store) == before


def test_seasons_begin_and_end(visitor: VisitorOf) -> None:
    went_to(visitor().sends("/settings", "start", name="Winter"))
    assert "Winter" in visitor().reads("/settings")
    went_to(visitor().sends("/settings", "end"))
    assert "still going" not in visitor().reads("/settings")
    assert visitor().get("/nights?season=season-1").status_code == 200


def test_the_book_proves_itself(visitor: VisitorOf) -> None:
    words = visitor().reads("/audit?check=all")
    assert "Checked from the first event to the last" in words
    assert "sums to 0" in words
    went_to(visitor().sends(f"/nights/{NIGHT}/close", "close"))
    receipt = re.findall(r'receipt">([0-9A-Z]{12})<', visitor().get(f"/nights/{NIGHT}").text)[0]
    assert "As signed" in visitor().reads(f"/audit?night={NIGHT}&receipt={receipt}")
    assert "Not in this history" in visitor().reads(f"/audit?night={NIGHT}&receipt=000000000000")
    assert visitor("scorekeeper").get("/audit").status_code == 403


def test_the_self_audit_tells_the_last_rehearsal_and_is_red_without_one(store: SqliteStore, visitor: VisitorOf) -> None:
    assert "No backup was restored in a rehearsal in the last 30 days" in visitor().reads("/audit")
    with store.read(CLUB) as reader:
        head = reader.head()
    now = datetime.now(UTC)
    sound = Outcome(heads={CLUB: (head.position, head.digest)}, why=None)
    keep(store, Path("/backups/sound.db"), sound, (now - timedelta(hours=1)).isoformat())
    words = visitor().reads("/audit")
    assert "Last backup restored in a rehearsal:" in words
    assert f"up to position {head.position} sound.db" in words
    assert "No backup was restored" not in words
    keep(store, Path("/backups/bad.db"), Outcome(heads={}, why="position 3 <b>"), now.isoformat())
    page = visitor().get("/audit").text
    assert "would not do" in page
    assert "position 3 &lt;b&gt;" in page
