"""The table in a real browser: whole hands with every kind of decision, mouse, keys and phone."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import NewPage, running
from tests.web.pages import (
    Guest,
    Site,
    assert_accessible,
    assert_fits,
    controls,
    is_over,
    own_cards,
    wait_for_guest,
)

BETTING = {"fold", "call", "raise"}
DRAWING = BETTING | {f"discard {n}" for n in range(3)}
FACE_UP = DRAWING | {"keep", "reject"}
SVARA = BETTING | {"look", "blind"}
MOST_HANDS = 60
PHONE = {"width": 360, "height": 740}
LARGE = {"width": 1920, "height": 1080}


@pytest.mark.parametrize(
    ("game", "bots", "decisions"),
    [
        ("sviten_special", ["always-call"], FACE_UP),
        ("sviten_special(players=3,betting=no_limit,stack=60)", ["always-call"], BETTING),
        ("sviten_flush(betting=pot_limit)", ["always-call"], FACE_UP),
        ("dramaha", ["always-call"], DRAWING),
        ("svara", ["always-call"], SVARA),
        ("svara(players=6,max_raises=1)", ["always-call"], SVARA | {"join", "decline"}),
        ("mini_svara", ["random"], SVARA - {"call"}),
        ("mini_sviten", ["random"], BETTING | {"discard 0", "discard 1"}),
        ("leduc", ["random"], BETTING),
        ("kuhn", ["random"], set()),
    ],
)
def test_whole_hands_with_every_kind_of_decision(
    site: Site, page: Page, game: str, bots: list[str], decisions: set[str]
) -> None:
    guest = Guest(site, page, site.sit_down(page, game, *bots))
    for _ in range(MOST_HANDS):
        guest.play_hand()
        if decisions <= set(guest.done):
            break
    assert decisions <= set(guest.done), guest.done


# Keys alone.


def _press_on(page: Page) -> None:
    """Decide by the shortcut that a control names, folding only if nothing else is offered."""
    buttons = controls(page).locator("button[data-key]:enabled").all()
    keys = [button.get_attribute("data-key") or "" for button in buttons]
    page.keyboard.press(next((key for key in keys if key != "f"), keys[0]))


def test_a_table_is_chosen_and_played_with_keys_alone(site: Site, page: Page) -> None:
    page.goto(site.url)
    page.get_by_test_id("sit-down").wait_for()
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_contain_text("Skip")
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.locator('input[name="game"]:focus').count():
            page.keyboard.press("ArrowUp")  # from Svara to the game before it
        if page.locator('[data-testid="sit-down"]:focus').count():
            break
    page.keyboard.press("Enter")
    wait_for_guest(page)
    expect(page.locator("main")).to_contain_text("Dramaha")
    for hand in range(2):
        while not is_over(page):
            _press_on(page)
            wait_for_guest(page)
        page.keyboard.press("n")
        controls(page).and_(page.locator(f'[data-hand="{hand + 1}"]')).wait_for()


@pytest.mark.parametrize("game", ["sviten_special", "svara(betting=no_limit)", "svara(players=3)"])
def test_every_decision_has_a_key(site: Site, page: Page, game: str) -> None:
    site.sit_down(page, game, "always-call")
    needed = {"c", "r", "d", "k", "x"} if game == "sviten_special" else {"l", "b", "c", "r"}
    pressed: set[str] = set()
    for hand in range(12):
        wait_for_guest(page)
        while not is_over(page):
            offered = controls(page).locator("button[data-key]:enabled").all()
            keys = [button.get_attribute("data-key") or "" for button in offered]
            if page.locator("button[data-key='d']").count():
                for place in range(1, 2 + hand % 2):  # one card, which comes face up, or two
                    page.keyboard.press(str(place))
                expect(controls(page)).to_contain_text("Discard")
            if controls(page).locator('[data-kind="raise"]').count():
                keys.append("r")
            key = min(keys, key=lambda key: (key == "f", key in pressed))
            pressed.add(key)
            page.keyboard.press(key)
            if key == "r":
                page.keyboard.press("Enter")
            wait_for_guest(page)
        page.keyboard.press("n")
        controls(page).and_(page.locator(f'[data-hand="{hand + 1}"]')).wait_for()
        if needed <= pressed:
            break
    assert needed <= pressed, pressed


def test_the_focus_is_not_lost_between_decisions(site: Site, page: Page) -> None:
    site.sit_down(page, "sviten_special", "always-call")
    wait_for_guest(page)
    controls(page).locator("button:enabled").last.focus()
    for _ in range(4):
        page.keyboard.press("Enter")
        wait_for_guest(page)
        assert page.evaluate("document.activeElement !== document.body")
        controls(page).locator("button:enabled").last.focus()


# Sizes of the window.


@pytest.mark.parametrize(
    ("game", "size"),
    [
        ("sviten_special(players=6,betting=no_limit)", PHONE),
        ("svara(players=9)", PHONE),
        ("sviten_special(players=6,betting=no_limit)", LARGE),
    ],
)
def test_whole_hands_fit_the_window(
    site: Site, new_page: NewPage, game: str, size: dict[str, int]
) -> None:
    page = new_page(viewport=size, has_touch=size is PHONE)
    guest = Guest(site, page, site.sit_down(page, game, "always-call"))
    wait_for_guest(page)
    while not is_over(page):
        assert_fits(page)
        guest.decide()
        wait_for_guest(page)
    assert_fits(page)


def test_on_a_phone_cards_are_tapped(site: Site, new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    site.sit_down(page, "sviten_special", "always-call")
    wait_for_guest(page)
    while not page.locator("button[data-key='d']").count():
        controls(page).locator('button[data-kind="call"]').tap()
        wait_for_guest(page)
    cards = page.get_by_test_id("own-cards").locator("button[data-card]")
    cards.nth(0).tap()
    cards.nth(3).tap()
    expect(controls(page)).to_contain_text("Discard 2")
    cards.nth(3).tap()
    expect(controls(page)).to_contain_text("Discard 1")
    controls(page).locator("button[data-key='d']").tap()
    wait_for_guest(page)
    assert {"keep", "reject"} == {
        b.get_attribute("data-kind") for b in controls(page).locator("button[data-kind]").all()
    }


# Coming back.


def test_a_reload_goes_on_in_mid_hand(site: Site, page: Page) -> None:
    token = site.sit_down(page, "sviten_special", "always-call")
    wait_for_guest(page)
    controls(page).locator('button[data-kind="call"]').click()
    wait_for_guest(page)
    cards, log = own_cards(page), page.get_by_test_id("log").inner_text()
    page.reload()
    wait_for_guest(page)
    assert own_cards(page) == cards
    assert page.get_by_test_id("log").inner_text() == log
    page.goto(site.url)
    page.get_by_role("link", name="Sviten Special").first.click()
    wait_for_guest(page)
    assert own_cards(page) == cards and token in page.url


def test_a_server_that_is_killed_and_started_again_goes_on(
    tmp_path: Path, new_page: NewPage
) -> None:
    page = new_page(complains=True)
    with running(tmp_path, seed=None) as first:
        first.sit_down(page, "sviten_special", "always-call")
        wait_for_guest(page)
        controls(page).locator('button[data-kind="call"]').click()
        wait_for_guest(page)
        cards = own_cards(page)
        port = int(first.url.rpartition(":")[2])
    expect(page.get_by_test_id("status")).to_contain_text("lost")
    with running(tmp_path, port, seed=None):
        expect(page.get_by_test_id("status")).to_contain_text("Connected", timeout=15_000)
        wait_for_guest(page)
        assert own_cards(page) == cards
        controls(page).locator('button[data-kind="call"]').click()
        wait_for_guest(page)
        page.close()


# Strangers' texts.


def test_names_are_text_and_never_markup(tmp_path: Path, page: Page) -> None:
    from pokerspiel.agents.roster import BOTS

    evil = "<img src=x onerror=alert(1)>.pspiel"
    (tmp_path / evil).write_bytes((BOTS / "svara-home.pspiel").read_bytes())
    with running(tmp_path / "data", bots=tmp_path) as site:
        page.goto(site.url)
        expect(page.get_by_test_id("bot-1")).to_contain_text("<img")
        page.get_by_test_id("bot-1").select_option(evil)
        assert page.locator("main img").count() == 0
        page.get_by_test_id("sit-down").click()
        wait_for_guest(page)
        page.close()


# What everybody can use.


def test_the_table_is_accessible_in_every_phase(site: Site, page: Page) -> None:
    schemes = itertools.cycle(["light", "dark"])
    page.goto(site.url)
    page.get_by_test_id("sit-down").wait_for()
    assert_accessible(page)
    seen = set()
    for game in ("svara(players=3)", "sviten_special", "sviten_special(betting=no_limit)"):
        guest = Guest(site, page, site.sit_down(page, game, "always-call"))
        while not is_over(page):
            phase = site.call("view", token=guest.token)["phase"]
            if (game, phase) not in seen:
                seen.add((game, phase))
                page.emulate_media(color_scheme=next(schemes))
                page.wait_for_timeout(300)  # colours change softly
                assert_accessible(page)
            guest.decide()
            wait_for_guest(page)
        assert_accessible(page)
    assert {phase for _, phase in seen} >= {"blind", "bet", "draw", "keep"}
