"""What a Sviten hand is worth against random ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.betting import (
    is_live,
    live_seats,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    random_below,
)
from pokerspiel.games.sviten.knowledge import visible
from pokerspiel.games.sviten.play import discarded
from pokerspiel.games.sviten.showdown import draw_strength, omaha_strength
from pokerspiel.games.sviten.state import DRAW, KEEP, MAX_BOARD, MAX_HAND, keep


@kernel
def _draw_from(random: Any, left: int) -> Any:
    """A random card of the mask `left`."""
    card = random_below(random, 52)
    while not left >> np.uint64(card) & np.uint64(1):
        card = random_below(random, 52)
    return card


@kernel(allocates=True)
def equity(state: Any, tables: Any, player: int, action: int, samples: int, seed: int) -> float:
    """Share of the pot that the hand takes from random hands of the seats still in, by sampling.

    The board is completed at random. `action` counts where it changes the hand: discards are
    replaced by random cards, and the face-up card is kept or not.
    """
    rules = tables.rules[0]
    random = np.array([seed], dtype=np.uint64)
    own = np.zeros(MAX_HAND, np.uint8)
    hand = np.zeros(MAX_HAND, np.uint8)
    board = np.zeros(MAX_BOARD, np.uint8)
    board_size = 0
    for street in range(rules.rounds):
        board_size += rules.street_cards[street]
    thrown = 0
    if state.phase == DRAW and state.turn == player:
        thrown = discarded(state, tables, action)
    kept = 0
    for i in range(np.int64(state.hole_count[player])):
        if not thrown >> i & 1:
            own[kept] = state.hole[player, i]
            kept += 1
    if state.phase == KEEP and state.turn == player and action == keep(rules):
        own[kept] = state.up[state.up_count - 1]
        kept += 1
    for i in range(np.int64(state.board_count)):
        board[i] = state.board[i]
    unseen = rules.deck & ~visible(state, player)
    others = live_seats(state, rules.players) - (1 if is_live(state, player) else 0)
    total = 0.0
    for _ in range(samples):
        left = unseen
        for i in range(kept, rules.hole_cards):
            own[i] = _draw_from(random, left)
            left &= ~(np.uint64(1) << np.uint64(own[i]))
        for i in range(np.int64(state.board_count), board_size):
            board[i] = _draw_from(random, left)
            left &= ~(np.uint64(1) << np.uint64(board[i]))
        draw = draw_strength(tables, own, rules.hole_cards)
        omaha = omaha_strength(tables, own, rules.hole_cards, board, board_size)
        draw_share = 0.5
        omaha_share = 0.5
        draw_ties = 1
        omaha_ties = 1
        for _ in range(others):
            for i in range(rules.hole_cards):
                hand[i] = _draw_from(random, left)
                left &= ~(np.uint64(1) << np.uint64(hand[i]))
            other = draw_strength(tables, hand, rules.hole_cards)
            if other > draw:
                draw_share = 0.0
            elif other == draw:
                draw_ties += 1
            other = omaha_strength(tables, hand, rules.hole_cards, board, board_size)
            if other > omaha:
                omaha_share = 0.0
            elif other == omaha:
                omaha_ties += 1
        total += draw_share / draw_ties + omaha_share / omaha_ties
    return total / samples
