"""Take the pictures of the page that README shows: `python docs/screenshots.py`.

The server deals from a seed, so that the pictures are of the same hands every time. It needs a
Chromium; `python -m tests.web.browsers` installs one.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.web.browsers import find_browser
from tests.web.conftest import QUIET, running
from tests.web.pages import Site, controls, is_over, wait_for_guest

FOLDER = Path(__file__).parent / "images"
SIZE = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}


def main() -> None:
    path = find_browser()
    if path is None:
        sys.exit("no Chromium: run `python -m tests.web.browsers`")
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        running(Path(data), seed=7) as site,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        table(site, browser)
        phone(site, browser)
        study(site, browser)
        calculator(site, browser)
        explorer(site, browser)
        browser.close()


def _page(browser: Browser, dark: bool = False, **options: object) -> Page:
    settings: dict = {"viewport": SIZE, "reduced_motion": "reduce", **options}
    scheme = "dark" if dark else "light"
    return browser.new_context(color_scheme=scheme, **settings).new_page()


def _shoot(page: Page, name: str) -> None:
    page.wait_for_load_state("networkidle")
    page.mouse.move(0, 0)
    page.screenshot(path=FOLDER / f"{name}.png")
    page.context.close()
    print(f"{name}.png")


def _play_until(page: Page, kind: str) -> None:
    """Call, and stand pat with one card less, until a decision of this kind is offered."""
    wait_for_guest(page)
    while not controls(page).locator(f'button[data-kind="{kind}"]').count():
        if is_over(page):
            page.get_by_test_id("next-hand").click()
        elif controls(page).locator('button[data-kind="discard"]').count():
            page.get_by_test_id("own-cards").locator("button[data-card]").first.click()
            controls(page).locator('button[data-kind="discard"]').click()
        else:
            controls(page).locator("button[data-kind]:not([data-kind=fold])").first.click()
        wait_for_guest(page)


def table(site: Site, browser: Browser) -> None:
    """A face-up card, to be kept or rejected."""
    page = _page(browser)
    site.sit_down(page, "sviten_special(players=4)", "equity")
    _play_until(page, "keep")
    _shoot(page, "table")


def phone(site: Site, browser: Browser) -> None:
    """A draw on a phone, in the dark."""
    page = _page(browser, dark=True, viewport=PHONE, device_scale_factor=2)
    site.sit_down(page, "sviten_special", "sviten-limit")
    _play_until(page, "discard")
    page.get_by_test_id("own-cards").locator("button[data-card]").nth(1).click()
    _shoot(page, "phone")


def study(site: Site, browser: Browser) -> None:
    """What the solution would do."""
    page = _page(browser)
    page.add_init_script("localStorage.setItem('pokerspiel.study', JSON.stringify('before'))")
    site.sit_down(page, "svara", "svara-home")
    _play_until(page, "look")
    controls(page).locator('button[data-kind="look"]').click()
    wait_for_guest(page)
    _shoot(page, "study")


def calculator(site: Site, browser: Browser) -> None:
    page = _page(browser)
    page.goto(f"{site.url}/#/calculator")
    page.get_by_test_id("calc-game").select_option("sviten_special")
    page.get_by_test_id("text-hand").fill("AsAdKcKs9c")
    page.get_by_test_id("text-board").fill("2h7h4c")
    page.get_by_test_id("pot-share").first.wait_for()
    _shoot(page, "calculator")


def explorer(site: Site, browser: Browser) -> None:
    page = _page(browser)
    page.goto(f"{site.url}/#/explorer?bot=svara-home&at=look%20b1")
    page.get_by_test_id("explorer-grid").wait_for()
    _shoot(page, "explorer")


if __name__ == "__main__":
    main()
