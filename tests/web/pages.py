"""How tests use the page: sit down, read it, decide, look for faults."""

from __future__ import annotations

import json
import urllib.request
from collections import Counter
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect


class Site:
    """A server, and what it says of its tables."""

    def __init__(self, url: str) -> None:
        self.url = url

    def call(self, name: str, **members: Any) -> dict[str, Any]:
        body = json.dumps(members).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"{self.url}/api/{name}", body, headers)
        with urllib.request.urlopen(request) as answer:
            document: dict[str, Any] = json.load(answer)
        return document

    def sit_down(self, page: Page, game: str, *bots: str) -> str:
        """A new table, open in the page; its token."""
        token: str = self.call("new_hand", game=game, against=list(bots))["token"]
        page.goto(f"{self.url}/#/table?token={token}")
        controls(page).wait_for()
        return token


def controls(page: Page) -> Locator:
    return page.get_by_test_id("controls")


def wait_for_guest(page: Page) -> None:
    """Until the guest may decide, or may ask for the next hand."""
    page.locator(
        '[data-testid="controls"][data-mode="mine"], [data-testid="next-hand"]:enabled'
    ).first.wait_for()


def is_over(page: Page) -> bool:
    return page.get_by_test_id("next-hand").count() > 0


def kinds(page: Page) -> list[str]:
    """The kinds of decisions that the page offers now."""
    buttons = controls(page).locator("button[data-kind]:enabled")
    return list(dict.fromkeys(b.get_attribute("data-kind") or "" for b in buttons.all()))


def own_cards(page: Page) -> list[str]:
    cards = page.get_by_test_id("own-cards").locator(".card[data-card]:not([data-card=''])").all()
    return [card.get_attribute("data-card") or "" for card in cards]


class Guest:
    """Decides with the mouse, what it has done least so far; checks the page against the server."""

    def __init__(self, site: Site, page: Page, token: str) -> None:
        self.site = site
        self.page = page
        self.token = token
        self.done: Counter[str] = Counter()

    def play_hand(self) -> None:
        """Play the hand to its end, and ask for the next one."""
        wait_for_guest(self.page)
        while not is_over(self.page):
            self.check()
            self.decide()
            wait_for_guest(self.page)
        view = self.site.call("view", token=self.token)
        won = view["returns"][view["seat"]]
        words = f"{abs(won):g}" if won else "get back"
        expect(self.page.get_by_test_id("outcome")).to_contain_text(words)
        self.page.get_by_test_id("next-hand").click()
        controls(self.page).and_(self.page.locator(f'[data-hand="{view["hand"] + 1}"]')).wait_for()
        wait_for_guest(self.page)

    def check(self) -> None:
        """The page shows what the server says: own cards, pot, actions."""
        view = self.site.call("view", token=self.token)
        shown, offered = own_cards(self.page), []
        if view["phase"] == "keep":
            offered = [view["draws"][view["seat"]]["card"]]
        assert sorted(shown) in (sorted(view["cards"]), sorted([*view["cards"], *offered]))
        if "pot" in view:
            expect(self.page.get_by_test_id("pot")).to_contain_text(str(view["pot"]))
        assert set(kinds(self.page)) == {action["kind"] for action in view["actions"]}

    def decide(self) -> None:
        kind = min(kinds(self.page), key=lambda kind: (self._weight(kind), kind))
        if kind == "discard":
            self._discard()
        elif kind == "raise" and self.page.get_by_test_id("size-slider").count():
            self._raise()
        else:
            self.done[kind] += 1
            controls(self.page).locator(f'button[data-kind="{kind}"]').first.click()

    def _weight(self, kind: str) -> int:
        """Folding ends the hand: it is done late, and seldom."""
        return 6 * self.done[kind] + 3 if kind == "fold" else self.done[kind]

    def _discard(self) -> None:
        """Tap so many cards as have been thrown least often, more than two seldom."""
        cards = self.page.get_by_test_id("own-cards").locator("button[data-card]")
        most = cards.count()
        order = [1, 0, 2, 5, 3, 4]
        seldom = {3: 2, 4: 2, 5: 2}
        count = min(
            (n for n in order if n <= most),
            key=lambda n: self.done[f"discard {n}"] + seldom.get(n, 0),
        )
        for i in range(count):
            cards.nth(i).click()
        self.done["discard"] += 1
        self.done[f"discard {count}"] += 1
        button = controls(self.page).locator('button[data-kind="discard"]')
        expect(button).to_contain_text("Stand pat" if count == 0 else f"Discard {count}")
        button.click()

    def _raise(self) -> None:
        """By the menu, by the number and by the slider in turn."""
        way = self.done["raise"] % 3
        slider, number = (self.page.get_by_test_id(f"size-{x}") for x in ("slider", "number"))
        size = int(number.get_attribute("min") or 0)
        if way == 0:
            chosen = controls(self.page).locator("button[data-size]").nth(1)
            size = int(chosen.get_attribute("data-size") or 0)
            chosen.click()
        elif way == 1:
            size = min(size + 3, int(number.get_attribute("max") or 0))
            number.fill(str(size))
        else:
            slider.focus()
            self.page.keyboard.press("Home")
        self.done["raise"] += 1
        button = controls(self.page).locator('button[data-verb="raise"]')
        assert (button.get_attribute("data-action") or "").endswith(f" {size}")
        button.click()


def assert_fits(page: Page) -> None:
    """Nothing sticks out of the window to the right, and what is to be pressed is wide enough."""
    wide = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide[0] <= wide[1], f"{wide[0]} pixels wide in a window of {wide[1]}"
    for button in controls(page).locator("button:visible").all():
        box = button.bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= wide[1]
        assert box["height"] >= 24 and box["width"] >= 24


def assert_accessible(page: Page) -> None:
    """axe finds nothing."""
    violations = Axe().run(page).response["violations"]
    found = [
        f"{v['id']}: {v['help']}: {[node['target'] for node in v['nodes']][:3]}" for v in violations
    ]
    assert not found, found
