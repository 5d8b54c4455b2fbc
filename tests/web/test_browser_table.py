"""The table in a real browser: whole hands with every kind of decision, mouse, keys and phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.web.pages import (
    Guest,
    Site,
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
        ("sviten_special(players=3,betting=no_limit,stack=60)", ["always-call"], FACE_UP),
        ("sviten_flush(betting=pot_limit)", ["always-call"], FACE_UP),
        ("dramaha", ["always-call"], DRAWING),
        ("svara", ["always-call"], SVARA),
        ("svara(players=4)", ["always-call"], SVARA | {"join", "decline"}),
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
