"""What can be measured of how a screen looks: what overlaps, what is too small to hit, what is too faint to read."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from playwright.sync_api import Page

HELPERS: Final = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")

STRONG: Final = ".seat-name, .pool-count, .bar-pool, .bar-name, .ask h2, .changes dt, .pool-line, .last-words"
"""Names and the pool, which are read from across the table."""

SMALL: Final = ".notice a"
"""What may be 48 pixels: a way out of a sentence that is hardly ever there."""


def wrong_with(page: Page) -> list[str]:
    """Return what is wrong with how a page looks, as far as that can be measured."""
    page.evaluate(HELPERS)
    found: list[str] = page.evaluate(
        """({strong, small}) => [
          ...looks.overlaps().map((words) => `overlap: ${words}`),
          ...looks.targets({least: 64, apart: 12, small}).map((words) => `target: ${words}`),
          ...looks.faint({strong, least: 4.5, most: 7}).map((words) => `faint: ${words}`),
          ...looks.crowding().map((words) => `crowded: ${words}`),
          ...looks.cut().map((words) => `cut off: ${words}`),
        ]""",
        {"strong": STRONG, "small": SMALL},
    )
    return found


def out_of_reach_of(page: Page) -> list[str]:
    """Return what cannot be brought to where it can be tapped."""
    page.evaluate(HELPERS)
    found: list[str] = page.evaluate("() => looks.unreachable()")
    return found


def wrong_with_the_focus_of(page: Page) -> list[str]:
    """Return what is wrong with how a page shows where the focus is."""
    page.evaluate(HELPERS)
    found: list[str] = page.evaluate("() => looks.focus()")
    return found
