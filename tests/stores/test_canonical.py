"""Canonical JSON is RFC 8785 or refused."""

from __future__ import annotations

import json

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ledger.codec import canonical_json, text_digest, text_references
from ledger.store import JSON
from tests.stores.kit import text_sha

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]))
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-9, 9) | st.floats() | ANY_TEXT | st.binary(max_size=2),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT | st.integers(), inner, max_size=4),
    max_leaves=12,
)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(max_codepoint=0xD7FF), max_size=9), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(ANYTHING)
def test_what_is_not_refused_is_what_rfc_8785_says(value: object) -> None:
    try:
        text = canonical_json(value)
    except ValueError:
        return
    assert text.encode() == rfc8785.dumps(value)  # type: ignore[arg-type]


@given(PLAIN)
def test_plain_data_is_never_refused_and_reads_back_the_same(value: object) -> None:
    text = canonical_json(value)
    assert text.encode() == rfc8785.dumps(value)  # type: ignore[arg-type]
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text


@pytest.mark.parametrize(
    "value",
    [
        2**53,
        -(2**53),
        0.0,
        1e300,
        float("nan"),
        "\ud800",
        {"\ud800": 1},
        {"\ue000": 1, "\U00010000": 2},
        {1: 1},
        {1},
    ],
)
def test_what_two_implementations_may_write_differently_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        canonical_json([value])


def test_texts_are_referred_to_by_a_pair_of_keys() -> None:
    sha = text_sha("00", "Ann")
    assert text_digest("00", "Ann") == sha
    data: JSON = {
        "name": {"ref": "r1", "sha256": sha},
        "list": [[{"ref": "r2", "sha256": sha}]],
        "ref": "no",
        "sha256": sha,
    }
    assert sorted(text_references(data)) == [("r1", sha), ("r2", sha)]
    assert list(text_references({"ref": "r", "sha256": sha, "other": 1})) == []
    assert list(text_references({"ref": "r", "sha256": "short"})) == []
