"""Which passwords and PINs are let through, and what is kept of them."""

from __future__ import annotations

import threading
import unicodedata
from importlib import resources

import pytest

from ledger.errors import PasswordRefused, PinRefused, SignInBusy
from ledger.people import passwords
from tests.people.conftest import GOOD

NAMES = ("Olga Petrova", "olga", "Thursday Club", "thursday")


@pytest.mark.parametrize(
    "password",
    [
        GOOD,
        "aB3$xyzq",
        "x" * 20 + "yz",
        "сорок семь тузов",
        "🂡🂢🂣🂤🂥🂦🂧🂨",
        "    spaces    ",
        "q" + "ab" * 64,
        "longer than names olga",
        "73920175",
        "!!!???..",
        "olga-83920175",
    ],
)
def test_length_is_what_counts(password: str) -> None:
    assert passwords.require_good_password(password, "password", names=NAMES) == password


@pytest.mark.parametrize(
    "password",
    [
        "", "short", "1234567", "password", "PASSWORD", "baseball", "iloveyou1", "aaaaaaaa", "abababab", "12345678",
        "olgapetrova", "Olga Petrova", "thursdayclub", "Thursday-Club-2026", "thursdaythursday", "kittybook",
        "Kittybook1!",
        "x" * 257, None, 12345678, ["correct horse battery"],
    ],
)  # fmt: skip
def test_what_would_be_tried_first_is_refused(password: object) -> None:
    with pytest.raises(PasswordRefused) as refused:
        passwords.require_good_password(password, "password", names=NAMES)
    assert not isinstance(password, str) or len(password) < 9 or password not in str(refused.value)


def test_a_password_of_two_hundred_characters_is_not_cut_off() -> None:
    long = "ab cd " * 40
    kept = passwords.hashed(long)
    assert passwords.agrees(kept, long)
    assert not passwords.agrees(kept, long[:-1])
    assert not passwords.agrees(kept, long + "x")


def test_the_same_word_from_another_keyboard_is_the_same() -> None:
    word = "йод и ёлка"
    kept = passwords.hashed(unicodedata.normalize("NFD", word))
    assert passwords.agrees(kept, unicodedata.normalize("NFC", word))


@pytest.mark.parametrize("password", ["", "x", "\ud800 half a pair", "x" * 100_000, "\0\0\0"])
def test_whatever_is_tried_is_only_wrong(password: str) -> None:
    assert not passwords.agrees(passwords.hashed(GOOD), password)
    assert not passwords.agrees(None, password)
    assert not passwords.agrees("$argon2id$broken", password)


def test_nobody_has_no_password_that_is_right() -> None:
    assert not passwords.agrees(None, "nobody has this password")


def test_hashes_are_argon2id_at_the_librarys_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    kept = passwords.hashed(GOOD)
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert not passwords.is_outdated(kept)
    assert passwords.is_outdated("$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA")


def test_only_so_many_hash_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_PATIENCE", 0.01)
    monkeypatch.setattr(passwords, "_turns", threading.BoundedSemaphore(1))
    with passwords._turn(), pytest.raises(SignInBusy):
        passwords.hashed(GOOD)
    assert passwords.hashed(GOOD)


@pytest.mark.parametrize("pin", ["4071", "90210", "271828182845"])
def test_a_pin(pin: str) -> None:
    assert passwords.require_good_pin(pin, "pin") == pin


@pytest.mark.parametrize(
    "pin", ["", "123", "1234", "4321", "0000", "1212", "123123", "1234567890123", "12a4", "٤٠٧١", "-407", None, 4071]
)
def test_a_pin_that_would_be_tried_first_is_refused(pin: object) -> None:
    with pytest.raises(PinRefused):
        passwords.require_good_pin(pin, "pin")


def test_whose_list_of_common_passwords_it_is_ships_beside_it() -> None:
    words = (resources.files("ledger.people") / "common_passwords.LICENSE").read_text(encoding="utf-8")
    assert "zxcvbn" in words
    assert "Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc." in words
    assert "Permission is hereby granted" in words
