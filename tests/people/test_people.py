"""Signing in, links, roles, devices and PINs, on every store: what lets somebody in, and what no longer does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import people
from ledger.access import ROLES
from ledger.errors import (
    BadName,
    BadValue,
    CodeWrong,
    DeviceUnknown,
    GrantWrong,
    LastOwner,
    LedgerError,
    LoginTaken,
    PasswordRefused,
    PinRefused,
    PinWrong,
    SessionUnknown,
    SignInWrong,
    TooMany,
    TooManyAttempts,
    UserIsDisabled,
    UserUnknown,
)
from ledger.people import By, Door, Link, Session, SignedIn, User, attempts, devices, links, passwords
from ledger.people.door import digest_of_code
from ledger.stores import MemoryPeople, SqliteStore, people_of
from tests.people.conftest import BY, CLUB, GOOD, Clock, trail, user

Join = Callable[[str, str], User]

OTHER = "another good one"


def sign_in(
    door: Door, login: str = "olga", password: str = GOOD, address: str = "10.0.0.1", **more: object
) -> SignedIn:
    return people.sign_in(door, CLUB, login, password, By(actor="nobody", address=address), **more)  # type: ignore[arg-type]


# The first owner, and links


def test_the_first_owner_comes_in_by_the_link_once(door: Door) -> None:
    secret = people.first_owner(door, CLUB, "Owner", By(actor="cli"))
    link, invited = people.look(door, secret)
    assert (link.kind, link.role, invited.joined, invited.password) == ("owner", "owner", None, None)
    came = people.use_link(door, secret, BY, name="Olga Petrova", login="Olga", password=GOOD, club_name="x")
    assert (came.user.name, came.user.login, came.user.role) == ("Olga Petrova", "olga", "owner")
    found = people.known(door, came.secret)
    assert found is not None
    assert found.user == came.user
    for again in (secret, secret.swapcase(), "", "x" * 5000, "\0", "é"):
        with pytest.raises(CodeWrong):
            people.use_link(door, again, BY, password=GOOD, club_name="x")
    assert sign_in(door, " OLGA ").user == came.user


def test_the_server_lets_the_first_owner_in_by_a_fresh_link_and_by_that_of_init(door: Door) -> None:
    server = By(actor="serve")
    kept = people.first_owner(door, CLUB, "Owner", By(actor="cli"))
    old, fresh = (people.welcome_owner(door, CLUB, "Owner", server) for _ in range(2))
    assert old is not None
    assert fresh is not None
    with pytest.raises(CodeWrong):
        people.look(door, old)
    assert people.look(door, kept)[1] == people.look(door, fresh)[1]
    came = people.use_link(door, fresh, BY, password=GOOD, club_name="x")
    assert (came.user.id, came.user.login) == ("owner", "owner")
    with pytest.raises(CodeWrong):  # nobody else comes in by the other
        people.use_link(door, kept, BY, password=OTHER, club_name="x")
    assert people.welcome_owner(door, CLUB, "Owner", server) is None


def test_a_club_without_users_gets_its_first_owner_by_the_server(door: Door) -> None:
    secret = people.welcome_owner(door, CLUB, "Owner", By(actor="serve"))
    assert secret is not None
    came = people.use_link(door, secret, BY, name="Gwen", password=GOOD, club_name="x")
    assert (came.user.id, came.user.role) == ("gwen", "owner")
    assert trail(door)[:2] == [("serve", "user_added", "user:owner owner"), ("serve", "link_made", "user:owner")]


@pytest.mark.parametrize(
    ("name", "login"),
    [("Gwen", "gwen"), ("Ann-Marie O’Neil 2", "annmarieoneil2"), ("Ольга", "ольга"), ("🃏", "🃏"), ("Olga", "olga-2")],
)
@pytest.mark.usefixtures("owner")
def test_what_somebody_signs_in_as_comes_from_his_name_unless_he_says_it(door: Door, name: str, login: str) -> None:
    _user, secret = people.add_user(door, CLUB, "Somebody", "viewer", BY)
    came = people.use_link(door, secret, BY, name=name, password=GOOD, club_name="x").user
    assert (came.name, came.login) == (name, login)
    assert sign_in(door, f" {login.upper()} ").user == came


def test_the_first_owner_may_choose_a_password_later_and_nobody_else(door: Door) -> None:
    secret = people.first_owner(door, CLUB, "Owner", By(actor="cli"))
    came = people.use_link(door, secret, BY, club_name="x")
    with pytest.raises(SignInWrong):
        sign_in(door, "owner", "")
    changed = people.change_password(door, came.session, None, GOOD, BY, club_name="x")
    assert sign_in(door, "owner").user == changed.user
    _user, invited = people.add_user(door, CLUB, "Bob", "viewer", BY)
    with pytest.raises(PasswordRefused):
        people.use_link(door, invited, BY, club_name="x")
    assert people.use_link(door, invited, BY, password=GOOD, club_name="x").user.name == "Bob"


@pytest.mark.parametrize("password", ["short", "password", "thursday club"])
def test_a_link_is_not_used_up_by_a_password_that_is_refused(door: Door, password: str) -> None:
    secret = people.first_owner(door, CLUB, "Owner", By(actor="cli"))
    with pytest.raises(PasswordRefused):
        people.use_link(door, secret, BY, password=password, club_name="Thursday Club")
    with pytest.raises(BadName):
        people.use_link(door, secret, BY, name="\u202e", password=GOOD, club_name="x")
    assert people.use_link(door, secret, BY, password=GOOD, club_name="x").secret


@pytest.mark.usefixtures("owner")
def test_a_link_is_good_for_seven_days_and_the_newest_alone(door: Door, clock: Clock) -> None:
    bob, first = people.add_user(door, CLUB, "Bob", "viewer", BY)
    _bob, second = people.link_for(door, CLUB, bob.id, BY)
    with pytest.raises(CodeWrong):
        people.look(door, first)
    clock.wait(days=6, hours=23)
    assert people.look(door, second)[0].kind == "invite"
    clock.wait(hours=1)
    with pytest.raises(CodeWrong):
        people.look(door, second)
    _bob, third = people.link_for(door, CLUB, bob.id, BY)
    assert people.use_link(door, third, BY, password=GOOD, club_name="x").user.role == "viewer"


def test_of_two_who_use_a_link_at_once_one_is_too_late(door: Door) -> None:
    secret = people.first_owner(door, CLUB, "Owner", By(actor="cli"))
    outcomes: list[str] = []
    start = threading.Barrier(4)

    def use() -> None:
        start.wait()
        try:
            people.use_link(door, secret, BY, password=GOOD, club_name="x")
        except CodeWrong as error:
            outcomes.append(error.code)
        else:
            outcomes.append("in")

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["code_wrong"] * 3 + ["in"]


def test_a_reset_ends_every_session_and_the_old_password(door: Door, owner: SignedIn, clock: Clock) -> None:
    with door.people.read() as records:
        session = records.get(Session, owner.session.digest)
    assert session is not None
    people.set_pin(door, session, "4071", GOOD, BY)
    _user, secret = people.link_for(door, CLUB, "olga", By(actor="cli"))
    assert people.known(door, owner.secret)  # until it is used
    came = people.use_link(door, secret, BY, name="Mallory", login="mallory", password=OTHER, club_name="x")
    assert (came.user.name, came.user.login) == ("Olga", "olga")  # a reset changes no names
    assert people.known(door, owner.secret) is None
    assert people.people_with_pins(door, CLUB) == []
    with pytest.raises(SignInWrong):
        sign_in(door)
    clock.wait(hours=1)
    assert sign_in(door, password=OTHER).secret


@pytest.mark.usefixtures("owner")
def test_nobody_takes_the_login_of_another(door: Door) -> None:
    _bob, secret = people.add_user(door, CLUB, "Bob", "viewer", BY)
    with pytest.raises(LoginTaken):
        people.use_link(door, secret, BY, login="ＯＬＧＡ", password=GOOD, club_name="x")
    second, _secret = people.add_user(door, CLUB, "Olga", "viewer", BY)
    assert (second.id, second.login) == ("olga-2", "olga-2")
    third, _secret = people.add_user(door, CLUB, "Ольга", "viewer", BY)
    assert (third.id, third.login) == ("user", "ольга")


# Signing in


@pytest.mark.usefixtures("owner")
@pytest.mark.parametrize(
    ("login", "password"),
    [("olga", "wrong password"), ("olga", ""), ("nobody", GOOD), ("", ""), ("olga\0", GOOD), ("x" * 100_000, GOOD)],
)
def test_who_is_wrong_is_told_the_same_whatever_was_wrong(door: Door, login: str, password: str) -> None:
    with pytest.raises(SignInWrong) as refused:
        sign_in(door, login, password)
    assert str(refused.value) == "That name and that password do not go together."


@pytest.mark.usefixtures("owner")
def test_another_clubs_people_are_not_this_clubs(door: Door) -> None:
    with pytest.raises(SignInWrong):
        people.sign_in(door, "strangers", "olga", GOOD, BY)
    assert trail(door, "strangers") == [(BY.actor, "sign_in_refused", None)]


def test_every_sign_in_is_a_new_session(door: Door, owner: SignedIn) -> None:
    second = sign_in(door)
    assert second.secret != owner.secret
    assert people.known(door, owner.secret)
    third = sign_in(door, leaving=second.session)
    assert people.known(door, second.secret) is None
    assert people.known(door, third.secret)
    assert people.known(door, third.browser) is None
    for guess in ("", third.session.digest, third.session.id, "x"):
        assert people.known(door, guess) is None


def test_a_session_ends_after_thirty_days_without_a_visit(door: Door, owner: SignedIn, clock: Clock) -> None:
    for _ in range(3):
        clock.wait(days=29)
        assert people.known(door, owner.secret)
    clock.wait(days=30)
    assert people.known(door, owner.secret) is None


def test_sessions_are_ended_one_by_one_and_all_others(door: Door, owner: SignedIn, joined: Join) -> None:
    bob = joined("Bob", "viewer")
    second, third = sign_in(door), sign_in(door)
    with pytest.raises(SessionUnknown):
        people.end_session(door, CLUB, second.session.id, BY, of_user=bob.id)
    with pytest.raises(SessionUnknown):
        people.end_session(door, "strangers", second.session.id, BY)
    people.end_session(door, CLUB, second.session.id, BY, of_user="olga")
    assert people.known(door, second.secret) is None
    assert people.end_other_sessions(door, third.session, BY) == 1
    assert people.known(door, owner.secret) is None
    assert people.known(door, third.secret)
    people.sign_out(door, third.session, BY)
    assert people.known(door, third.secret) is None


def test_a_new_password_ends_every_session(door: Door, owner: SignedIn) -> None:
    other = sign_in(door)
    with pytest.raises(SignInWrong):
        people.change_password(door, other.session, "wrong password", OTHER, BY, club_name="x")
    with pytest.raises(PasswordRefused):
        people.change_password(door, other.session, GOOD, "baseball", BY, club_name="x")
    changed = people.change_password(door, other.session, GOOD, OTHER, BY, club_name="x")
    assert [people.known(door, one.secret) is None for one in (owner, other, changed)] == [True, True, False]
    assert sign_in(door, password=OTHER).secret


@pytest.mark.usefixtures("owner")
def test_a_hash_of_older_days_is_made_anew_at_sign_in(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    before = user(door, "olga").password
    from argon2 import PasswordHasher

    dearer = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1)
    monkeypatch.setattr(passwords, "_hasher", lambda: dearer)
    sign_in(door)
    after = user(door, "olga").password
    assert after is not None
    assert after != before
    assert "m=16,t=2" in after
    sign_in(door)
    assert user(door, "olga").password == after


def test_sessions_of_one_user_do_not_grow_without_end(door: Door, owner: SignedIn, clock: Clock) -> None:
    for _ in range(60):
        clock.wait(seconds=1)
        sign_in(door)
    with door.people.read() as records:
        assert len(records.all(Session, CLUB)) == 50
    assert people.known(door, owner.secret) is None


# Who guesses waits


def guess(door: Door, times: int, login: str = "olga", address: str = "10.6.6.6") -> list[str]:
    outcomes = []
    for number in range(times):
        try:
            sign_in(door, login, f"wrong password {number}", address)
        except LedgerError as error:
            outcomes.append(error.code)
    return outcomes


@pytest.mark.usefixtures("owner")
def test_an_account_can_be_guessed_at_ever_more_slowly(door: Door, clock: Clock) -> None:
    assert guess(door, 7) == ["sign_in_wrong"] * 5 + ["too_many_attempts"] * 2
    with pytest.raises(TooManyAttempts) as refused:
        sign_in(door)  # the right password, where nobody signed in before
    assert refused.value.facts["seconds"] == 1
    waits = []
    for _ in range(14):
        clock.wait(seconds=900)
        guess(door, 1)
        try:
            sign_in(door)
        except TooManyAttempts as error:
            waits.append(error.facts["seconds"])
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900, 900]
    clock.wait(seconds=900)
    assert sign_in(door).secret
    assert guess(door, 5) == ["sign_in_wrong"] * 5  # the count begins anew


@pytest.mark.usefixtures("owner")
def test_a_wait_is_not_made_longer_by_those_who_do_not_wait(door: Door, clock: Clock) -> None:
    guess(door, 500)
    clock.wait(seconds=1)
    assert sign_in(door).secret


def test_nobody_is_kept_out_where_he_was_before(door: Door, owner: SignedIn, clock: Clock) -> None:
    for _ in range(30):
        guess(door, 5)
        clock.wait(minutes=15)
    guess(door, 5)
    with pytest.raises(TooManyAttempts):
        sign_in(door, address="10.0.0.77")
    assert sign_in(door, browser=owner.browser, address="10.6.6.6").secret
    assert people.known(door, owner.secret)


def test_a_browser_that_knows_one_account_is_a_stranger_to_others(door: Door, owner: SignedIn, joined: Join) -> None:
    joined("Bob", "viewer")
    outcomes = []
    for number in range(7):
        try:
            sign_in(door, "bob", f"wrong password {number}", browser=owner.browser)
        except LedgerError as error:
            outcomes.append(error.code)
    assert outcomes == ["sign_in_wrong"] * 5 + ["too_many_attempts"] * 2
    assert sign_in(door, browser=owner.browser).secret


def test_a_stolen_browser_waits_too(door: Door, owner: SignedIn) -> None:
    for number in range(5):
        with pytest.raises(SignInWrong):
            sign_in(door, "olga", f"wrong password {number}", browser=owner.browser)
    with pytest.raises(TooManyAttempts):
        sign_in(door, browser=owner.browser)
    assert sign_in(door, address="10.0.0.9").secret  # the account itself was not counted


@pytest.mark.usefixtures("owner")
def test_a_link_lets_in_whatever_was_guessed_before(door: Door, clock: Clock) -> None:
    for _ in range(20):
        guess(door, 5)
        clock.wait(minutes=15)
    guess(door, 9)
    _user, secret = people.link_for(door, CLUB, "olga", By(actor="cli"))
    assert people.use_link(door, secret, By(actor="x", address="10.6.6.6"), password=OTHER, club_name="x").secret


@pytest.mark.usefixtures("owner")
def test_an_address_that_tries_many_names_waits(door: Door) -> None:
    outcomes = [code for name in range(50) for code in guess(door, 1, f"name-{name}")]
    assert outcomes == ["sign_in_wrong"] * 40 + ["too_many_attempts"] * 10
    assert guess(door, 1, "name-1", "10.7.7.7") == ["sign_in_wrong"]


def test_names_that_nobody_has_are_counted_as_others_are(door: Door) -> None:
    assert guess(door, 6, "nobody") == ["sign_in_wrong"] * 5 + ["too_many_attempts"]


@pytest.mark.usefixtures("owner")
def test_a_day_without_an_attempt_forgets(door: Door, clock: Clock) -> None:
    guess(door, 6)
    clock.wait(days=1, seconds=1)
    assert guess(door, 6) == ["sign_in_wrong"] * 5 + ["too_many_attempts"]


@pytest.mark.usefixtures("owner")
def test_many_guesses_at_once_are_no_way_round(door: Door) -> None:
    outcomes: list[str] = []
    threads = [threading.Thread(target=lambda: outcomes.extend(guess(door, 1))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["sign_in_wrong"] * 5 + ["too_many_attempts"] * 11


def test_attempts_are_counted_in_the_store(tmp_path: Path, clock: Clock) -> None:
    """Which a restart of the program does not forget."""
    path = tmp_path / "book.db"
    outcomes = []
    for _ in range(8):
        with SqliteStore(path, create=True) as store:
            outcomes += guess(Door(people=people_of(store), clock=clock, chance=lambda size: bytes(size)), 1)
    assert outcomes == ["sign_in_wrong"] * 5 + ["too_many_attempts"] * 3


def test_guesses_do_not_fill_the_store(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "MOST_ROWS", 20)
    for number in range(60):
        guess(door, 1, f"name-{number}", f"10.1.{number}.1")
    with door.people.read() as records:
        assert records.count(people.Attempts, CLUB) <= 22


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("10.0.0.1", "code:10.0.0.1"),
        ("::ffff:10.0.0.1", "code:10.0.0.1"),
        ("2001:db8::1", "code:2001:db8::/64"),
        ("2001:db8::ffff:1:2", "code:2001:db8::/64"),
        ("", "code:?"),
        (None, "code:?"),
        ("unix:", "code:?"),
    ],
)
def test_what_an_address_is_counted_by(address: str | None, key: str) -> None:
    assert attempts.key_of_address("code", address) == key


# Roles


def test_the_last_owner_stays_one(door: Door, owner: SignedIn, joined: Join) -> None:
    joined("Bob", "treasurer")
    people.add_user(door, CLUB, "Carl", "owner", BY)  # who never came
    for role in ROLES[:-1]:
        with pytest.raises(LastOwner):
            people.change_role(door, CLUB, "olga", role, BY)
    with pytest.raises(LastOwner):
        people.disable_user(door, CLUB, "olga", BY)
    with pytest.raises(LastOwner):
        people.hand_over(door, CLUB, "olga", "carl", "viewer", BY)
    with pytest.raises(LastOwner):
        people.hand_over(door, CLUB, "olga", "olga", "viewer", BY)
    assert user(door, "olga").role == "owner"
    assert people.known(door, owner.secret)
    people.change_role(door, CLUB, "bob", "owner", BY)
    people.change_role(door, CLUB, "olga", "viewer", BY)
    with pytest.raises(LastOwner):
        people.disable_user(door, CLUB, "bob", BY)


@pytest.mark.usefixtures("owner")
def test_two_owners_cannot_put_each_other_out_at_once(door: Door, joined: Join) -> None:
    joined("Bob", "owner")
    outcomes: list[str] = []
    start = threading.Barrier(2)

    def put_out(who: str) -> None:
        start.wait()
        try:
            people.change_role(door, CLUB, who, "viewer", BY)
            outcomes.append("done")
        except LastOwner:
            outcomes.append("last")

    threads = [threading.Thread(target=put_out, args=(who,)) for who in ("olga", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["done", "last"]


@pytest.mark.usefixtures("owner")
def test_the_office_is_handed_over_in_one_step(door: Door, joined: Join) -> None:
    joined("Bob", "scorekeeper")
    with pytest.raises(BadValue):
        people.hand_over(door, CLUB, "olga", "bob", "owner", BY)
    people.hand_over(door, CLUB, "olga", "bob", "treasurer", BY)
    assert (user(door, "olga").role, user(door, "bob").role) == ("treasurer", "owner")
    assert trail(door)[-2:] == [
        (BY.actor, "role_changed", "user:bob owner"),
        (BY.actor, "role_changed", "user:olga treasurer"),
    ]


@pytest.mark.usefixtures("owner")
def test_a_role_holds_from_the_next_thing_that_is_asked(door: Door, joined: Join) -> None:
    joined("Bob", "treasurer")
    session = sign_in(door, "bob")
    people.change_role(door, CLUB, "bob", "viewer", BY)
    found = people.known(door, session.secret)
    assert found is not None
    assert found.user is not None
    assert found.user.role == "viewer"


@pytest.mark.usefixtures("owner")
def test_who_is_disabled_is_out_at_once(door: Door, joined: Join) -> None:
    joined("Bob", "treasurer")
    session = sign_in(door, "bob")
    people.set_pin(door, session.session, "4071", GOOD, BY)
    _bob, link = people.link_for(door, CLUB, "bob", BY)
    people.disable_user(door, CLUB, "bob", BY)
    assert people.known(door, session.secret) is None
    assert people.people_with_pins(door, CLUB) == []
    with pytest.raises(CodeWrong):
        people.use_link(door, link, BY, password=OTHER, club_name="x")
    with pytest.raises(SignInWrong):
        sign_in(door, "bob")
    with pytest.raises(UserIsDisabled):
        people.link_for(door, CLUB, "bob", BY)
    people.enable_user(door, CLUB, "bob", BY)
    assert sign_in(door, "bob").user.role == "treasurer"


@pytest.mark.usefixtures("owner")
def test_nobody_of_another_club_is_reached(door: Door, joined: Join) -> None:
    joined("Bob", "viewer")
    for act in (
        lambda: people.change_role(door, "strangers", "bob", "owner", BY),
        lambda: people.disable_user(door, "strangers", "bob", BY),
        lambda: people.enable_user(door, "strangers", "bob", BY),
        lambda: people.rename_user(door, "strangers", "bob", "Rob", BY),
        lambda: people.link_for(door, "strangers", "bob", BY),
        lambda: people.hand_over(door, "strangers", "olga", "bob", "viewer", BY),
    ):
        with pytest.raises(UserUnknown):
            act()
    assert user(door, "bob").role == "viewer"


# Devices


@pytest.fixture
def tablet(door: Door) -> tuple[people.Device, str]:
    _link, code = people.pairing_code(door, CLUB, "Bar tablet", "scorekeeper", BY)
    return people.pair(door, code, BY)


def test_a_device_is_paired_once_by_a_code_however_it_is_typed(door: Door) -> None:
    link, code = people.pairing_code(door, CLUB, "Bar tablet", "scorekeeper", BY)
    assert len(code) == 8
    assert [one.id for one in people.pairing_codes(door, CLUB)] == [link.id]
    assert people.pairing_codes(door, "strangers") == []
    typed = f" {code[:4].lower()}-{code[4:].lower()} ".replace("0", "o").replace("1", "l")
    device, secret = people.pair(door, typed, BY)
    assert (device.name, device.role, device.paired_by) == ("Bar tablet", "scorekeeper", BY.actor)
    found = people.known(door, secret)
    assert found is not None
    assert (found.device, found.user) == (device, None)
    assert people.pairing_codes(door, CLUB) == []
    with pytest.raises(CodeWrong):
        people.pair(door, code, BY)


@pytest.mark.parametrize("role", ["treasurer", "owner", "king", ""])
def test_a_device_that_lies_about_is_no_treasurer(door: Door, role: str) -> None:
    with pytest.raises(BadValue):
        people.pairing_code(door, CLUB, "Bar tablet", role, BY)


def test_a_code_is_good_for_ten_minutes(door: Door, clock: Clock) -> None:
    _link, code = people.pairing_code(door, CLUB, "Bar tablet", "viewer", BY)
    clock.wait(minutes=10)
    with pytest.raises(CodeWrong):
        people.pair(door, code, BY)


def test_codes_are_guessed_ever_more_slowly(door: Door, clock: Clock) -> None:
    _link, code = people.pairing_code(door, CLUB, "Bar tablet", "viewer", BY)
    outcomes = []
    for number in range(2_000):
        clock.wait(seconds=0.25)
        try:
            people.pair(door, f"{number:08}", By(actor="x", address="10.6.6.6"))
        except LedgerError as error:
            outcomes.append(error.code)
    assert outcomes.count("code_wrong") <= 19  # in more than eight minutes
    assert people.pair(door, code, BY)  # at another address


@pytest.mark.usefixtures("owner")
def test_a_code_is_no_link_and_a_link_no_code(door: Door) -> None:
    _link, code = people.pairing_code(door, CLUB, "Bar tablet", "viewer", BY)
    _bob, secret = people.add_user(door, CLUB, "Bob", "viewer", BY)
    with pytest.raises(CodeWrong):
        people.use_link(door, code, BY, password=GOOD, club_name="x")
    with pytest.raises(CodeWrong):
        people.pair(door, secret, BY)


def test_devices_stay_until_they_are_revoked(door: Door, tablet: tuple[people.Device, str], clock: Clock) -> None:
    device, secret = tablet
    clock.wait(days=3_000)
    assert people.known(door, secret)
    assert people.rename_device(door, CLUB, device.id, "Lounge", BY).name == "Lounge"
    with pytest.raises(DeviceUnknown):
        people.revoke_device(door, "strangers", device.id, BY)
    people.revoke_device(door, CLUB, device.id, BY)
    assert people.known(door, secret) is None


def test_codes_and_devices_do_not_grow_without_end(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "DEVICES_EACH", 2)
    for name in ("one", "two"):
        people.pair(door, people.pairing_code(door, CLUB, name, "viewer", BY)[1], BY)
    with pytest.raises(TooMany):
        people.pairing_code(door, CLUB, "three", "viewer", BY)
    for number in range(20):
        people.pairing_code(door, "strangers", f"n{number}", "viewer", BY)
    with pytest.raises(TooMany):
        people.pairing_code(door, "strangers", "one more", "viewer", BY)
    monkeypatch.setattr(links, "LINKS_EACH", 1)
    people.add_user(door, "third", "Bob", "viewer", BY)
    with pytest.raises(TooMany):
        people.add_user(door, "third", "Carl", "viewer", BY)


# PINs


@pytest.fixture
def pin(door: Door, owner: SignedIn) -> str:
    people.set_pin(door, owner.session, "4071", GOOD, BY)
    return "4071"


def test_a_pin_needs_the_password(door: Door, owner: SignedIn) -> None:
    for password in ("wrong password", "", None):
        with pytest.raises(SignInWrong):
            people.set_pin(door, owner.session, "4071", password, BY)
    with pytest.raises(PinRefused):
        people.set_pin(door, owner.session, "1234", GOOD, BY)
    people.set_pin(door, owner.session, "4071", GOOD, BY)
    assert [one.id for one in people.people_with_pins(door, CLUB)] == ["olga"]
    people.remove_pin(door, owner.session, BY)
    assert people.people_with_pins(door, CLUB) == []


def test_a_pin_is_good_for_one_command_from_one_device(
    door: Door, tablet: tuple[people.Device, str], pin: str, clock: Clock
) -> None:
    device, _secret = tablet
    grant = people.grant_by_pin(door, device, "olga", pin, BY)
    assert people.act_by_grant(door, device, grant, "first", dry_run=True).id == "olga"
    assert people.act_by_grant(door, device, grant, "first", dry_run=False).id == "olga"
    assert people.act_by_grant(door, device, grant, "first", dry_run=False).id  # sent again
    with pytest.raises(GrantWrong):
        people.act_by_grant(door, device, grant, "second", dry_run=False)
    other, _secret = people.pair(door, people.pairing_code(door, CLUB, "Other", "scorekeeper", BY)[1], BY)
    grant = people.grant_by_pin(door, device, "olga", pin, BY)
    with pytest.raises(GrantWrong):
        people.act_by_grant(door, other, grant, "third", dry_run=False)
    clock.wait(seconds=60)
    with pytest.raises(GrantWrong):
        people.act_by_grant(door, device, grant, "third", dry_run=False)
    for wrong in ("", "x", "x" * 1000):
        with pytest.raises(GrantWrong):
            people.act_by_grant(door, device, wrong, "third", dry_run=False)


def test_a_pin_is_guessed_ever_more_slowly(
    door: Door, tablet: tuple[people.Device, str], pin: str, clock: Clock
) -> None:
    device, _secret = tablet
    tried = 0
    for second in range(24 * 60):
        clock.wait(minutes=1)
        try:
            people.grant_by_pin(door, device, "olga", f"{second:04}", BY)
        except PinWrong:
            tried += 1
        except TooManyAttempts:
            pass
    assert tried <= 36  # in a day, of ten thousand
    assert sign_in(door).secret  # his password is another matter
    clock.wait(hours=1)
    assert people.grant_by_pin(door, device, "olga", pin, BY)


@pytest.mark.usefixtures("pin")
def test_a_pin_of_nobody_is_wrong(door: Door, tablet: tuple[people.Device, str]) -> None:
    for who in ("nobody", "", "x" * 1_000):
        with pytest.raises(PinWrong):
            people.grant_by_pin(door, tablet[0], who, "4071", BY)


@pytest.mark.usefixtures("owner")
def test_a_grant_is_worth_what_its_user_is_by_then(door: Door, tablet: tuple[people.Device, str], joined: Join) -> None:
    joined("Bob", "treasurer")
    people.set_pin(door, sign_in(door, "bob").session, "9021", GOOD, BY)
    grant = people.grant_by_pin(door, tablet[0], "bob", "9021", BY)
    people.change_role(door, CLUB, "bob", "viewer", BY)
    assert people.act_by_grant(door, tablet[0], grant, "x", dry_run=True).role == "viewer"
    people.disable_user(door, CLUB, "bob", BY)
    with pytest.raises(GrantWrong):
        people.act_by_grant(door, tablet[0], grant, "x", dry_run=False)


# What is kept


def test_the_trail_tells_who_did_what(door: Door, owner: SignedIn, joined: Join) -> None:
    joined("Bob", "viewer")
    people.change_role(door, CLUB, "bob", "treasurer", BY)
    with pytest.raises(SignInWrong):
        sign_in(door, "bob", "wrong password")
    people.sign_out(door, owner.session, BY)
    assert trail(door) == [
        ("cli", "user_added", "user:olga owner"),
        ("user:olga", "link_used", "owner"),
        ("user:olga", "signed_in", None),
        (BY.actor, "user_added", "user:bob viewer"),
        ("user:bob", "link_used", "invite"),
        ("user:bob", "signed_in", None),
        (BY.actor, "role_changed", "user:bob treasurer"),
        ("nobody", "sign_in_refused", "bob"),
        (BY.actor, "signed_out", None),
    ]
    with door.people.read() as records:
        assert [entry.number for entry in records.trail(CLUB, before=4, limit=2)] == [3, 2]
        assert records.trail(CLUB)[0].address == "10.0.0.1"


def test_no_secret_is_in_the_store(tmp_path: Path, clock: Clock) -> None:
    import os

    path = tmp_path / "book.db"
    with SqliteStore(path, create=True) as store:
        door = Door(people=people_of(store), clock=clock, chance=os.urandom)
        link = people.first_owner(door, CLUB, "Olga", By(actor="cli"))
        came = people.use_link(door, link, BY, password=GOOD, club_name="x")
        people.set_pin(door, came.session, "407193", GOOD, BY)
        _link, code = people.pairing_code(door, CLUB, "Bar tablet", "scorekeeper", BY)
        device, secret = people.pair(door, code, BY)
        grant = people.grant_by_pin(door, device, "olga", "407193", BY)
        for file in tmp_path.iterdir():
            content = file.read_bytes()
            for one in (link, came.secret, came.browser, GOOD, "407193", code, secret, grant):
                assert one.encode() not in content, file
        assert digest_of_code(code).encode() in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_the_trail_is_append_only(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "book.db", create=True) as store:
        with people_of(store).write() as records:
            records.note(CLUB, "2026-11-26T19:00:00Z", "cli", "x", None, None)
        for sql in (
            "DELETE FROM audit",
            "UPDATE audit SET actor = 'me'",
            "INSERT OR REPLACE INTO audit SELECT * FROM audit",
        ):
            with pytest.raises(LedgerError), store.writing() as connection:
                connection.run(sql)
    memory = MemoryPeople()
    with memory.write() as records:
        records.note(CLUB, "2026-11-26T19:00:00Z", "cli", "x", None, None)
        (entry,) = records.trail(CLUB)
        with pytest.raises(AssertionError):
            records.put(entry)
        with pytest.raises(AssertionError):
            records.drop(entry)


def test_what_is_refused_halfway_leaves_nothing(door: Door) -> None:
    def halfway() -> None:
        with door.people.write() as records:
            records.note(CLUB, "2026-11-26T19:00:00Z", "cli", "x", None, None)
            raise LastOwner()

    with pytest.raises(LastOwner):
        halfway()
    assert trail(door) == []
    with door.people.read() as records:
        assert records.all(Link, CLUB) == []
