"""Buckets a second: all that one deal of a Sviten game asks for in training.

For both players: the bucket before the flop, on the flop and at the draw; then for each discard
that is offered, and where a card comes face up for keeping and for rejecting it, the bucket at that
decision, on the turn and on the river.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.experiments.bench_row import timed
from pokerspiel.games import drive
from pokerspiel.games.abstraction.clusters import MEMO
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    KIND_CALL,
    KIND_DRAW,
    TERMINAL,
    act,
    action_kind,
    begin,
    information_key,
    legal_actions,
    mix,
    next_card,
    seed_deck,
)
from pokerspiel.games.variants import Game

_DEALS = 200
_BRANCHES = 64


def deals_rate(game: Game, seconds: float, seed: int) -> float:
    """Deals a second whose buckets are all found, on one core, nothing remembered from before."""
    states, decks = game.new_states(_BRANCHES), drive.new_decks()
    actions = np.zeros(game.limits.num_actions, np.int64)
    memo = game.tables.rules["clusters"]["memo"]
    assert memo.size == MEMO

    def look_up(turn: int) -> int:
        memo[:] = 0
        first = np.uint64((seed + turn) * _DEALS)
        _look_up(states, game.tables, decks, actions, first, _DEALS)
        return _DEALS

    return timed(look_up, seconds)


@kernel
def _look_up(states: Any, tables: Any, decks: Any, actions: Any, first: int, deals: int) -> Any:
    """Ask for all keys of some deals in which nobody bets; returns a hash of them.

    One player at a time takes every choice of the draw, the other one the first.
    """
    found: Any = np.uint64(0)
    for deal in range(deals):
        for chooser in range(2):
            seed_deck(decks[0], mix(first, np.uint64(deal)))
            begin(states[0], tables)
            open_states = 1
            while open_states > 0:
                state = states[open_states - 1]
                if state.turn == TERMINAL:
                    open_states -= 1
                    continue
                action: Any = np.int64(0)
                if state.turn == CHANCE:
                    action = next_card(state, tables, decks[0])
                else:
                    seat: Any = np.int64(state.turn)
                    n = legal_actions(state, tables, actions)
                    if seat == chooser:
                        found = mix(found, information_key(state, tables, seat))
                    kind = action_kind(state, tables, actions[n - 1])
                    action = actions[0]
                    if kind < KIND_DRAW:
                        for i in range(n):
                            if action_kind(state, tables, actions[i]) == KIND_CALL:
                                action = actions[i]
                    elif seat == chooser:
                        for i in range(1, n):
                            states[open_states] = states[open_states - 1]
                            act(states[open_states - 1], tables, actions[i])
                            open_states += 1
                        state = states[open_states - 1]
                act(state, tables, action)
    return found
