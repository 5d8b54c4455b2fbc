"""What a Svara hand is worth against random ones, and what a network sees of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.betting import (
    bit,
    is_live,
    live_seats,
)
from pokerspiel.games.compiled import kernel
from pokerspiel.games.hands import svara_points
from pokerspiel.games.kernel import (
    random_below,
)
from pokerspiel.games.svara.knowledge import cards_held
from pokerspiel.games.svara.state import BET, MAIN_POT, MAX_HAND


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


# What a network sees.
_PHASES = 4


def observation_size(parameters: dict[str, Any]) -> Any:
    """Length of the observation: see `observe`."""
    return 6 * parameters["players"] + _PHASES + 52 + 6


@kernel
def observe(state: Any, tables: Any, player: int, out: Any) -> None:
    """Write what `player` sees now; chips are divided by the chips on the table.

    Blocks in order: player (n), live (n), dealer (n), stacks (n), bets of the round (n), seats that
    may win the main pot (n), phase (4), own cards (52), then pot, level, blind, price to join,
    wagers / 10, svarkas / 10.
    """
    rules = tables.rules[0]
    n = rules.players
    chips = 0
    for seat in range(n):
        chips += rules.start_stack[seat]
    out[:] = 0.0
    out[player] = 1.0
    for seat in range(n):
        out[n + seat] = 1.0 if is_live(state, seat) else 0.0
        out[3 * n + seat] = state.stack[seat] / chips
        out[4 * n + seat] = state.bet[seat] / chips
        if state.pots > 0 and state.pot_seats[MAIN_POT] & bit(seat):
            out[5 * n + seat] = 1.0
    out[2 * n + state.dealer] = 1.0
    at = 6 * n
    out[at + state.phase] = 1.0
    at += _PHASES
    for i in range(cards_held(state, rules, player)):
        out[at + state.hand[player, i]] = 1.0
    at += 52
    out[at] = state.pot / chips
    out[at + 1] = state.level / chips
    out[at + 2] = state.blind / chips
    out[at + 3] = state.price / chips
    out[at + 4] = state.wagers / 10.0
    out[at + 5] = state.svarkas / 10.0


def private_block(parameters: dict[str, Any]) -> slice:
    """Where `observe` writes what the others do not see."""
    at = 6 * parameters["players"] + _PHASES
    return slice(at, at + 52)
