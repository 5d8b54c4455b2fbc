"""No hidden card reaches a guest: every text that the server sends, over whole matches.

What a guest may know is computed here from the records of the hand and the rules alone.
"""

from __future__ import annotations

import logging
import random
import re
from pathlib import Path
from typing import Any

import pytest

from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.games import svara
from pokerspiel.games.cards import card_name
from pokerspiel.games.kernel import TERMINAL
from tests.web.clients import Client, serving

RUN = re.compile(r"(?<![A-Za-z0-9])(?:[2-9TJQKA][cdhs])+(?![A-Za-z0-9])")
"""Cards in a row, as texts name them."""
HANDS = 5


def _may_know(hand: LiveHand, seat: int) -> set[str]:
    """The cards that a seat has seen of a hand so far."""
    rule = _svara_cards if hand.game.family is svara else _sviten_cards
    cards: set[int] = set()
    for step in hand.steps:
        cards |= rule(step.before, step.after, seat, hand.game.players)
    return {card_name(card) for card in cards}


def _sviten_cards(before: Any, after: Any, seat: int, players: int) -> set[int]:
    """Own cards, those on the board and those drawn face up; at a showdown all live hands."""
    cards = {int(card) for card in after["hole"][seat][: after["hole_count"][seat]]}
    cards |= {int(card) for card in after["board"][: after["board_count"]]}
    cards |= {int(card) for card in after["up"][: after["up_count"]]}
    live = [s for s in range(players) if not int(after["folded"]) >> s & 1]
    if after["turn"] == TERMINAL and len(live) > 1:
        for other in live:
            cards |= {int(card) for card in after["hole"][other]}
    return cards


def _svara_cards(before: Any, after: Any, seat: int, players: int) -> set[int]:
    """Own cards once the betting begins; those of all who are in when a deal ends in a showdown."""
    betting = after["phase"] == svara.BET
    mine = int(after["in_deal"]) >> seat & 1
    cards = {int(card) for card in after["hand"][seat]} if betting and mine else set()
    was_live = int(before["in_deal"]) & ~int(before["folded"])
    ended = before["turn"] != TERMINAL and (
        after["turn"] == TERMINAL
        or after["svarkas"] > before["svarkas"]
        or (after["tied"] and not before["tied"])
    )
    if ended and before["phase"] != svara.JOIN:
        folds = was_live & int(after["folded"]) & ~int(after["tied"])
        still = [s for s in range(players) if was_live >> s & 1]
        if after["turn"] == TERMINAL:
            still = [s for s in still if not folds >> s & 1]
        if len(still) > 1:
            for other in still:
                cards |= {int(card) for card in after["hand"][other]}
    return cards


def _named(text: str, token: str) -> set[str]:
    """All cards that a text names."""
    runs = RUN.findall(text.replace(token, ""))
    return {run[i : i + 2] for run in runs for i in range(0, len(run), 2)}


class _Spy:
    """Reads all that a client is sent about the hand under way."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.tables = client.app._app.state.server.tables  # type: ignore[attr-defined]
        self.texts: list[str] = []
        self.has_asked = False

    def post(self, name: str, **members: Any) -> Any:
        answer = self.client.post(f"/api/{name}", json=members)
        self.texts.append(answer.text + str(answer.headers))
        return answer

    def check(self, token: str, hand: LiveHand, seat: int) -> set[str]:
        """Assert that nothing hidden was said; returns the cards that were named."""
        table = self.tables.find(token).table
        known = _may_know(hand, seat)
        named: set[str] = set()
        for text in self.texts:
            named |= _named(text, token)
            assert str(table.seed) not in text and str(hand.seed) not in text
        assert named <= known, named - known
        self.texts.clear()
        return named


@pytest.mark.parametrize(
    ("game", "bots"),
    [
        ("svara", ["svara-home"]),
        ("svara(players=5,stack=12)", ["always-call"]),
        ("sviten_special", ["sviten-limit"]),
        ("sviten_special(players=7)", ["always-call"]),
        ("sviten_flush(betting=no_limit,stack=60)", ["equity"]),
        ("dramaha(players=3)", ["always-call"]),
    ],
)
def test_a_guest_is_told_only_what_it_may_know(
    tmp_path: Path, game: str, bots: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    luck = random.Random(game)
    with serving(tmp_path, seed=None) as client, client.socket() as socket:
        spy = _Spy(client)
        view = spy.post("new_hand", game=game, against=bots).json()
        token = view["token"]
        socket.send_json({"type": "join", "token": token})
        spy.texts.append(socket.receive_text())
        shown = 0
        for number in range(HANDS):
            while not view["over"]:
                _ask_around(spy, token, number, luck)
                hand, seat = _present(spy, token)
                spy.check(token, hand, seat)
                kinds = [a for a in view["actions"] if a["kind"] != "fold" or luck.random() < 0.1]
                action = luck.choice(kinds or view["actions"])
                view = spy.post("act", token=token, action=action["name"]).json()
                spy.texts.append(socket.receive_text())
            hand, seat = _present(spy, token)
            for form in ("jsonl", "phh"):
                lines = spy.post("history", token=token, format=form).json()["text"]
                spy.texts[-1] = lines.split('"hand": ')[-1] if form == "jsonl" else ""
            spy.post("frames", token=token, hand=number)
            if game == "svara":
                spy.post("review", token=token, hand=number)
            spy.check(token, hand, seat)
            shown += any(view["hands"])
            view = spy.post("new_hand", token=token).json()
            spy.texts.append(socket.receive_text())
        assert shown >= 1, "no hand was shown down: the test tells little"
    assert not _named(caplog.text, token), "a log names cards"


def _present(spy: _Spy, token: str) -> tuple[LiveHand, int]:
    table = spy.tables.find(token).table
    return table.hand, table.guest


def _ask_around(spy: _Spy, token: str, number: int, luck: random.Random) -> None:
    """Things that a curious guest tries in the middle of a hand."""
    spy.post("view", token=token)
    spy.post("act", token=token, action="show me the cards")
    spy.post("act", token=token, action="discard")
    spy.post("frames", token=token, hand=number)
    spy.post("review", token=token, hand=number)
    spy.post("new_hand", token=token)
    spy.post("hands", token=token)
    if not spy.has_asked:  # an estimate takes a second
        spy.post("advice", token=token)
        spy.has_asked = True
