"""The presets: one payment table a file, each with its source and its own worked examples."""

from __future__ import annotations

from functools import cache
from importlib import resources

from ledger.errors import RulebookUnknown
from ledger.rulebook import Rulebook, parse


@cache
def preset_ids() -> tuple[str, ...]:
    """Return the ids of all presets, sorted."""
    files = resources.files(__name__).iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def preset_text(rulebook: str) -> str:
    """Return a preset's file as it is written.

    Raises ``RulebookUnknown``.
    """
    if rulebook not in preset_ids():
        raise RulebookUnknown(rulebook=rulebook)
    return (resources.files(__name__) / f"{rulebook}.toml").read_text(encoding="utf-8")


@cache
def preset(rulebook: str) -> Rulebook:
    """Return a preset.

    Raises ``RulebookUnknown``.
    """
    return parse(preset_text(rulebook), f"{rulebook}.toml")
