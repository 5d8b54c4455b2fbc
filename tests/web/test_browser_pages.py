"""Study mode, replay, calculator and explorer in a real browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import NewPage
from tests.web.pages import (
    Guest,
    Site,
    assert_accessible,
    controls,
    is_over,
    wait_for_guest,
)

PHONE = {"width": 360, "height": 740}
LARGE = {"width": 1920, "height": 1080}


def _study(page: Page, mode: str) -> None:
    page.add_init_script(f"localStorage.setItem('pokerspiel.study', JSON.stringify('{mode}'))")


def test_study_mode_says_what_the_bot_would_do(site: Site, page: Page) -> None:
    _study(page, "before")
    token = site.sit_down(page, "svara", "svara-home")
    wait_for_guest(page)
    advice = site.call("advice", token=token)
    study = page.get_by_test_id("study")
    for action in advice["actions"]:
        expect(study).to_contain_text(f"{100 * action['frequency']:.0f}")
    assert_accessible(page)
    guest = Guest(site, page, token)
    while not is_over(page):
        guest.decide()
        wait_for_guest(page)
    study.get_by_test_id("review").click()
    expect(study).to_contain_text("svara-home")
    assert_accessible(page)


def test_after_the_move_it_says_so_only_then(site: Site, page: Page) -> None:
    _study(page, "after")
    site.sit_down(page, "svara", "svara-home")
    wait_for_guest(page)
    study = page.get_by_test_id("study")
    expect(study).to_contain_text("after your move")
    assert "%" not in study.inner_text()
    controls(page).locator('button[data-kind="look"]').click()
    expect(study).to_contain_text("%")


def _play(site: Site, page: Page, game: str, hands: int) -> str:
    guest = Guest(site, page, site.sit_down(page, game, "always-call"))
    for _ in range(hands):
        guest.play_hand()
    return guest.token


def test_a_hand_is_replayed_step_by_step(site: Site, page: Page) -> None:
    token = _play(site, page, "sviten_special", 2)
    frames = site.call("frames", token=token, hand=0)["hand"]["frames"]
    page.goto(f"{site.url}/#/replay?token={token}&hand=0")
    count = page.get_by_test_id("replay-count")
    expect(count).to_contain_text(str(len(frames)))
    page.get_by_test_id("replay-last").click()
    won = frames[-1]["view"]["returns"][0]
    words = f"{abs(won):g}" if won else "get back"
    expect(page.get_by_test_id("outcome")).to_contain_text(words)
    page.get_by_test_id("replay-first").click()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("pot")).to_contain_text(str(frames[3]["view"]["pot"]))
    assert_accessible(page)


@pytest.mark.parametrize("form", ["jsonl", "phh"])
def test_a_file_of_hands_is_replayed(site: Site, page: Page, tmp_path: Path, form: str) -> None:
    token = _play(site, page, "svara(players=3)", 2)
    text = site.call("history", token=token, format=form)["text"]
    path = tmp_path / f"hands.{form}"
    path.write_text(text, encoding="utf-8")
    page.goto(f"{site.url}/#/replay")
    page.get_by_test_id("history-file").set_input_files(path)
    expect(page.locator("h1")).to_contain_text("Hand 1")
    page.get_by_test_id("replay-last").click()
    expect(page.get_by_test_id("outcome")).to_be_visible()
    assert_accessible(page)


def test_a_file_that_is_none_is_refused_in_one_line(
    site: Site, new_page: NewPage, tmp_path: Path
) -> None:
    page = new_page(complains=True)
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"format": "<i>other</i>"}), encoding="utf-8")
    page.goto(f"{site.url}/#/replay")
    page.get_by_test_id("history-file").set_input_files(path)
    expect(page.locator("main")).to_contain_text("line 1")
    assert page.locator("main i").count() == 0


def test_the_calculator_counts_points_and_shares(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/#/calculator?game=svara")
    page.get_by_test_id("calc-game").select_option("svara")
    page.get_by_test_id("text-hand").fill("7c9sJs")
    expect(page.get_by_test_id("points").first).to_have_text("30")
    expect(page.locator("main")).to_contain_text("joker + 9 and J of spades: 11 + 9 + 10")
    assert_accessible(page)


@pytest.mark.parametrize("view", ["table", "calculator", "explorer", "replay"])
def test_every_page_fits_and_is_accessible(site: Site, new_page: NewPage, view: str) -> None:
    for size, scheme in ((PHONE, "dark"), (LARGE, "light")):
        page = new_page(viewport=size, color_scheme=scheme)
        page.goto(f"{site.url}/#/{view}")
        page.locator("main h1, main h2").first.wait_for()
        page.wait_for_load_state("networkidle")
        wide = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert wide[0] <= wide[1], wide
        assert_accessible(page)


def test_the_explorer_leads_through_the_game(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/#/explorer?bot=svara-home&at=look%20b1")
    grid = page.get_by_test_id("explorer-grid")
    grid.wait_for()
    document = site.call("explorer", bot="svara-home", at="look b1")
    expect(page.get_by_test_id("explorer-situation")).to_contain_text(document["situation"])
    best = document["grid"][0]
    expect(grid).to_contain_text(str(best["score"] if "score" in best else best["points"]))
    onward = next(a for a in document["actions"] if a["next"])
    page.goto(f"{site.url}/#/explorer?bot=svara-home&at={onward['next'].replace(' ', '%20')}")
    after = site.call("explorer", bot="svara-home", at=onward["next"])
    expect(page.get_by_test_id("explorer-situation")).to_contain_text(after["situation"])
    page.go_back()
    expect(page.get_by_test_id("explorer-situation")).to_contain_text(document["situation"])
