"""What payment tables say goes through the catalogue, every word: pages show it in their own language."""

from __future__ import annotations

import re

import pytest

from ledger.payment_table import conditions, ladder, legend
from ledger.rulebooks import preset, preset_ids
from scripts.catalogue import catalogue

KNOWN = {str(message.id) for message in catalogue()}


@pytest.mark.parametrize("name", preset_ids())
def test_every_word_is_said_and_every_sentence_is_known_to_translators(name: str) -> None:
    unknown = []

    def say(words: str, **values: object) -> str:
        if words not in KNOWN:
            unknown.append(words)
        return f"[{re.sub(r'[][]', '', words.format(**values))}]"

    book = preset(name)
    rows = ladder(book, 1, "en", say).values()
    cells = [words for row in rows for key, words in row.items() if key not in ("bid", "id", "only over")]
    sections = conditions(book, 1, "en", say)
    labels = [*sections, *(label for lines in sections.values() for label in lines)]
    words = [words for lines in sections.values() for words in lines.values()]
    said = [*cells, *labels, *words, *legend(book, say)]
    assert len(said) > 20
    assert [one for one in said if re.search(r"[a-z]", re.sub(r"\[.*?\]", "", one))] == []
    assert unknown == []
