"""The calculator in a real browser: cards by mouse, keys and text, on small and large screens."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.web.pages import Site, assert_accessible, assert_fits

PHONE = {"width": 360, "height": 740}
LARGE = {"width": 1920, "height": 1080}
ACES, QUEENS, FLOP = "AsAdKcKs9c", "QhTh8c6s3d", "2h7h4c"
KNOWN = f"game=sviten_special&hand={ACES}&board={FLOP}&others={QUEENS}&opponents=0"


def open_calculator(site: Site, page: Page, query: str = "") -> None:
    page.goto(f"{site.url}/#/calculator?{query}")
    page.get_by_role("heading", name="Calculator").wait_for()


def test_cards_are_tapped_and_discards_ranked(site: Site, page: Page) -> None:
    open_calculator(site, page)
    for card in re.findall("..", ACES + FLOP):
        page.locator(f'.deck-card[data-card="{card}"]').click()
    expect(page.get_by_test_id("how")).to_contain_text("sampled:")
    rows = page.locator(".calc-discards tbody tr")
    expect(rows.first.locator(".card")).to_have_attribute("data-card", "9c")
    page.get_by_test_id("all-discards").click()
    expect(rows).to_have_count(32)
    rows.nth(1).get_by_role("button").click()
    expect(page.get_by_role("heading", name="Standing pat")).to_be_visible()
    assert f"hand={ACES}" in page.url and f"board={FLOP}" in page.url


def test_known_hands_are_counted(site: Site, page: Page) -> None:
    open_calculator(site, page, f"{KNOWN}&draw=no")
    expect(page.get_by_test_id("how")).to_have_text("exact, over 741 run-outs")
    expect(page.get_by_test_id("pot-share")).to_have_text(["70.45 %", "29.55 %"])


def test_typed_cards_and_the_deck_by_keys(site: Site, page: Page) -> None:
    open_calculator(site, page, "game=svara&opponents=1")
    typed = page.get_by_test_id("text-hand")
    typed.fill("7c 9s Xx")
    typed.press("Tab")
    expect(page.get_by_text('"Xx" is no card')).to_be_visible()
    typed.fill("7c9s")
    page.locator('.deck-card[data-card="As"]').focus()
    for key in (*["ArrowRight"] * 3, "Space"):
        page.keyboard.press(key)
    expect(page.get_by_test_id("points")).to_have_text("30")
    expect(typed).to_have_value("7c 9s Js")
    expect(page.get_by_test_id("how")).to_have_text("exact, over 3,654 deals")
    page.get_by_test_id("calc-joker").select_option("sum_all")
    expect(page).to_have_url(re.compile("joker=sum_all"))


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (LARGE, "light")])
def test_it_fits_and_is_accessible(
    site: Site, new_page: Callable[..., Page], size: dict[str, int], scheme: str
) -> None:
    page = new_page(viewport=size, color_scheme=scheme)
    for query in ("game=svara&hand=7c9sJs&others=AhKd&opponents=2", f"{KNOWN}&style=pat"):
        page.goto("about:blank")
        open_calculator(site, page, query)
        page.locator(".calc-answer").wait_for()
        assert_fits(page)
        assert_accessible(page)
