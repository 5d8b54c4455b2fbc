"""Hands played at random, of every family and with everything that can happen in one."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import Any

import numpy as np

from pokerspiel.agents.table.history import Document, history_of, line_of
from pokerspiel.agents.table.live_hand import LiveHand, Step
from pokerspiel.games import svara, sviten
from pokerspiel.games.cards import cards_of
from pokerspiel.games.kernel import KIND_FOLD, TERMINAL
from pokerspiel.games.variants import load

HANDS = [
    ("kuhn", 2),
    ("kuhn(players=4)", 2),
    ("leduc", 3),
    ("leduc(players=3)", 3),
    ("mini_svara", 4),
    ("svara", 6),
    ("svara(players=3,betting=no_limit,stacks=9 30 60,ranks=TJQKA,hole_cards=1)", 12),
    ("svara(players=4,betting=pot_limit,ranks=789T,allow_check=true,max_blind_laps=2)", 4),
    ("svara(players=9,betting=no_limit,stack=30)", 3),
    ("mini_sviten", 6),
    ("sviten_special", 8),
    ("sviten_special(players=4,betting=no_limit,stacks=5 9 30 77)", 5),
    ("sviten_special(players=7)", 4),
    ("sviten_special(players=8,betting=no_limit,stack=20)", 2),
    ("sviten_special(players=4,ranks=789TJQKA,max_wagers=1)", 4),
    ("sviten_flush(players=5,betting=pot_limit,odd_chip=fractional)", 2),
    ("dramaha(players=6,burn=true)", 2),
]
"""Games, and how many hands of each."""

_WEIGHT = {"fold": 0.25, "decline": 0.3, "call": 4, "check": 3, "join": 3}
_LIKES_TO_DRAW = {0: 0.5, 1: 2, 3: 1, 5: 2}


def names_of(hand: LiveHand) -> list[str]:
    """Names that need quoting, and name no cards."""
    return [f'"P{seat}" \\ é' for seat in range(hand.game.players)]


def play_at_random(game: str, seed: int) -> LiveHand:
    """First a kind of action is chosen, then one of the kind; few fold, and many draw."""
    rng = np.random.default_rng(seed)
    hand = LiveHand(load(game), seed)
    while not hand.is_over:
        kinds: dict[tuple[str, int], list[int]] = defaultdict(list)
        for action in hand.legal():
            verb, _, rest = hand.game.action_name(hand.state, action).partition(" ")
            kinds[verb, len(rest) // 2 if verb == "discard" else 0].append(action)
        weights = [
            _LIKES_TO_DRAW.get(drawn, 0.5) if verb == "discard" else _WEIGHT.get(verb, 1)
            for verb, drawn in kinds
        ]
        chosen = rng.choice(len(kinds), p=np.array(weights) / sum(weights))
        hand.play(int(rng.choice(list(kinds.values())[chosen])))
    return hand


@lru_cache(maxsize=1)
def played_hands() -> tuple[LiveHand, ...]:
    return tuple(play_at_random(game, seed) for game, n in HANDS for seed in range(n))


@lru_cache(maxsize=1)
def seen_hands() -> tuple[tuple[LiveHand, int | None, Document], ...]:
    """Every hand as a witness and each seat saw it, with the number of the seed."""
    seen = []
    for number, hand in enumerate(played_hands()):
        for viewer in (None, *range(hand.game.players)):
            seen.append((hand, viewer, history_of(hand, viewer, names_of(hand), number)))
    return tuple(seen)


def text_of(document: Document) -> str:
    return line_of(document)


def card_names_in(text: str) -> set[str]:
    """Whatever looks like a card in a text."""
    return set(re.findall(r"(?<![A-Za-z0-9])(?:[2-9TJQKA][cdhs])+(?![A-Za-z0-9])", text))


def may_know(hand: LiveHand, seat: int) -> set[str]:
    """The cards that a seat of Svara or Sviten saw, by the rules, from the records of the hand."""
    cards: set[int] = set()
    for step in hand.steps:
        state = step.after
        if hand.game.family is sviten:
            cards.update(state["hole"][seat][: state["hole_count"][seat]].tolist())
            cards.update(state["board"][: state["board_count"]].tolist())
            cards.update(state["up"][: state["up_count"]].tolist())
            cards.update(cards_of(int(state["discards"][seat])))
        elif state["phase"] == svara.BET and int(state["in_deal"]) >> seat & 1:
            cards.update(_svara_hand(hand, state, seat))
        cards.update(_compared(hand, step))
    return {hand.game.card_name(card) for card in cards}


def _svara_hand(hand: LiveHand, state: Any, seat: int) -> list[int]:
    return [int(card) for card in state["hand"][seat][: hand.game.parameters["hole_cards"]]]


def _compared(hand: LiveHand, step: Step) -> list[int]:
    """The cards of all who are left at a showdown of two or more."""
    before, after = step.before, step.after
    over = after["turn"] == TERMINAL
    seats = range(hand.game.players)
    if hand.game.family is sviten:
        left = [s for s in seats if not int(after["folded"]) >> s & 1]
        if not over or len(left) < 2:
            return []
        return [int(c) for s in left for c in after["hole"][s][: after["hole_count"][s]]]
    tie = after["svarkas"] > before["svarkas"] or after["tied"]
    if before["phase"] == svara.JOIN or not (over or tie):
        return []
    left = [s for s in seats if int(before["in_deal"]) & ~int(before["folded"]) & 1 << s]
    if step.kind == KIND_FOLD:
        left.remove(step.seat)
    return [c for s in left for c in _svara_hand(hand, after, s)] if len(left) > 1 else []
