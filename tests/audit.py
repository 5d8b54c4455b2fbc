"""A kernel that plays random hands of a betting game and checks every node of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    TERMINAL,
    act,
    begin,
    legal_actions,
    mix,
    next_card,
    random_below,
    seed_deck,
)

SOUND, CHIPS, ACTIONS, CARDS, RETURNS, LENGTH = range(6)
"""What can be wrong with a hand."""


@kernel(allocates=True)
def audit(
    states: Any, tables: Any, decks: Any, actions: Any, longest: int, hands: int, seed: int
) -> Any:
    """Play `hands` random hands; returns (what is wrong, number of the hand), SOUND if nothing.

    Raises are rarer than calls, so that hands last.
    """
    state = states[0]
    deck = decks[0]
    random = np.array([seed], dtype=np.uint64)
    players = tables.rules[0].players
    chips = 0
    for seat in range(players):
        chips += tables.rules[0].start_stack[seat]
    for hand in range(hands):
        seed_deck(deck, mix(np.uint64(seed), np.uint64(hand)))
        begin(state, tables)
        moves = 0
        while state.turn != TERMINAL:
            on_table = np.int64(state.pot)
            for seat in range(players):
                on_table += state.stack[seat]
                if state.stack[seat] < 0:
                    return CHIPS, hand
            if on_table != chips:
                return CHIPS, hand
            if state.turn == CHANCE:
                move = next_card(state, tables, deck)
                if move < 0:
                    return CARDS, hand
            else:
                n = legal_actions(state, tables, actions)
                if n < 1:
                    return ACTIONS, hand
                for i in range(1, n):
                    if actions[i] <= actions[i - 1]:
                        return ACTIONS, hand
                move = actions[min(random_below(random, n), random_below(random, n + 1))]
                moves += 1
            act(state, tables, move)
        if moves > longest:
            return LENGTH, hand
        total = 0.0
        for seat in range(players):
            total += state.returns[seat]
        if abs(total) > 1e-9:
            return RETURNS, hand
    return SOUND, -1
