"""What a Svara hand is worth against random ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.betting import (
    is_live,
    live_seats,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import svara_points
from pokerspiel.games.kernel import (
    random_below,
)
from pokerspiel.games.svara.state import BET, MAX_HAND


@kernel(allocates=True)
def equity(state: Any, tables: Any, player: int, action: int, samples: int, seed: int) -> Any:
    """Share of the pot that the hand takes from random hands of the seats still in, by sampling.

    Ties share equally. Before the cards are dealt it is an equal share.
    """
    rules = tables.rules[0]
    others = live_seats(state, rules.players) - (1 if is_live(state, player) else 0)
    if state.phase != BET:
        return 1.0 / (others + 1)
    random = np.array([seed], dtype=np.uint64)
    hand = np.empty(MAX_HAND, np.uint8)
    unseen = rules.deck
    for i in range(rules.hole_cards):
        unseen &= ~(np.uint64(1) << np.uint64(state.hand[player, i]))
    own = state.points[player]
    total = 0.0
    for _ in range(samples):
        left = unseen
        ties = 1
        lost = False
        for _ in range(others):
            for i in range(rules.hole_cards):
                card = random_below(random, 52)
                while not left >> np.uint64(card) & np.uint64(1):
                    card = random_below(random, 52)
                left &= ~(np.uint64(1) << np.uint64(card))
                hand[i] = card
            points = svara_points(hand, rules.hole_cards, rules.joker_mode, rules.sevens)
            if points > own:
                lost = True
            elif points == own:
                ties += 1
        if not lost:
            total += 1.0 / ties
    return total / samples
