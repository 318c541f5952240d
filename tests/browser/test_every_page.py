"""Every page, by day and by night, on a tablet and on a phone: it fits, it is quiet, and axe finds nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.kit import (
    PAGES,
    SIZES,
    THEMES,
    Complaints,
    color_at,
    context_of,
    overflow_of,
    small_targets_of,
    violations_of,
)
from tests.browser.states import resized


def test_every_page_fits_its_window_and_a_thumb_and_breaks_nothing(browser: Browser, demo: str) -> None:
    context = context_of(browser, SIZES[0], "light", has_touch=True)
    page = context.new_page()
    complaints = Complaints(page)
    found = []
    for path in PAGES:
        page.goto(demo + path)
        for size in SIZES:
            resized(page, size)
            found += [f"{path}, {size}: sticks out: {one}" for one in overflow_of(page)]
            found += [f"{path}, {size}: small: {one}" for one in small_targets_of(page)]
    context.close()
    assert not found, "\n".join(found)
    assert not complaints.said


@pytest.mark.parametrize("first", range(2))
def test_axe_finds_nothing_wrong_with_any_page(browser: Browser, demo: str, first: int) -> None:
    context = context_of(browser, SIZES[0], "light")
    page = context.new_page()
    found = []
    for path in PAGES[first::2]:
        page.goto(demo + path)
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true })")
        for theme in THEMES:
            resized(page, SIZES[0], theme)
            found += [f"{path}, {theme}: {one}" for one in violations_of(page)]
    context.close()
    assert not found, "\n".join(found)


def test_axe_finds_nothing_wrong_with_what_is_refused_or_shown_first(browser: Browser, demo: str) -> None:
    context = context_of(browser, SIZES[2], "light")
    page = context.new_page()
    found = []
    for path, field, text, button in (
        ("/members", "Names", "x" * 61, "Add"),
        ("/tables/pool/rules", "Opening stake", "3", "Show what changes"),
        ("/tables/pool/rules", "Opening stake", "-3", "Show what changes"),
        ("/nights/peep-2026-11-26/count", "The pool", "1", "Compare with the book"),
    ):
        page.goto(demo + path)
        page.evaluate("() => document.querySelectorAll('form').forEach((one) => { one.noValidate = true })")
        page.get_by_label(field).fill(text)
        page.get_by_role("button", name=button).click()
        page.wait_for_load_state()
        for theme in THEMES:
            resized(page, SIZES[2], theme)
            wrong = (*violations_of(page), *overflow_of(page), *small_targets_of(page))
            found += [f"{path}, {theme}: {one}" for one in wrong]
    context.close()
    assert not found, "\n".join(found)


def test_every_page_fits_from_right_to_left(browser: Browser, demo: str) -> None:
    context = context_of(browser, SIZES[2], "light")
    page = context.new_page()
    found = []
    for path in PAGES:
        page.goto(demo + path)
        page.evaluate("() => { document.documentElement.dir = 'rtl' }")
        wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found += [f"{path}: {wide}"] if wide else []
    context.close()
    assert not found, "\n".join(found)


@pytest.mark.parametrize("theme", THEMES)
def test_important_figures_stand_out_by_seven_to_one(browser: Browser, demo: str, theme: str) -> None:
    context = context_of(browser, SIZES[0], theme)
    page = context.new_page()
    page.goto(f"{demo}/nights/peep-2026-11-26")
    found = page.evaluate(
        """() => {
          const light = (text) => {
            const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
              .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const ground = (one) => {
            for (; one; one = one.parentElement) {
              const color = getComputedStyle(one).backgroundColor;
              if (!color.endsWith(", 0)") && color !== "transparent") return color;
            }
          };
          return [...document.querySelectorAll(".figure, .amount, .brand-name, th bdi, h1 bdi")].map((one) => {
            const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
            return [one.textContent, Math.round((a + 0.05) / (b + 0.05) * 10) / 10];
          });
        }"""
    )
    context.close()
    assert len(found) > 20
    assert [one for one in found if one[1] < 7] == []


@pytest.mark.parametrize(("theme", "is_dark"), [("light", False), ("dark", True)])
def test_no_page_flashes_white_at_night_before_its_style_has_come(
    browser: Browser, demo: str, theme: str, is_dark: bool
) -> None:
    context = context_of(browser, SIZES[0], theme)
    page = context.new_page()
    page.route("**/*.css*", lambda route: route.abort())
    page.goto(demo)
    assert (max(color_at(page, 1170, 810)) < 80) is is_dark
    page.unroute("**/*.css*")
    page.goto(demo)
    assert (max(color_at(page, 1170, 810)) < 80) is is_dark
    context.close()
