"""Kernels that Python calls: one step of a game whose state is `states[0]`.

`random_hands` plays whole hands at random, the fastest use of the rules there is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    DECK,
    TERMINAL,
    act,
    audience,
    begin,
    information_key,
    legal_actions,
    mix,
    next_card,
    observe,
    random_below,
    seed_deck,
)


@kernel
def begin_hand(states: Any, tables: Any) -> None:
    """Begin a hand in `states[0]`."""
    begin(states[0], tables)


@kernel
def list_actions(states: Any, tables: Any, actions: Any) -> int:
    """Write the legal actions of the seat to act, ascending; returns how many."""
    return legal_actions(states[0], tables, actions)


@kernel
def apply_action(states: Any, tables: Any, action: int) -> Any:
    """Play an action, or let a card fall; returns (whose turn it is then, who saw the event).

    Who saw it is a seat, EVERYBODY or NOBODY.
    """
    state = states[0]
    seen_by = audience(state, tables)
    act(state, tables, action)
    return np.int64(state.turn), np.int64(seen_by)


@kernel
def audience_of(states: Any, tables: Any) -> Any:
    """Who sees the next card or action: a seat, EVERYBODY or NOBODY."""
    return np.int64(audience(states[0], tables))


@kernel
def list_cards(states: Any, cards: Any) -> int:
    """Write the cards that may fall at a chance node, ascending; returns how many."""
    stub = states[0].stub
    n = 0
    for card in range(52):
        if stub >> np.uint64(card) & np.uint64(1):
            cards[n] = card
            n += 1
    return n


@kernel
def key_of(states: Any, tables: Any, player: int) -> int:
    """The information key of a player."""
    return information_key(states[0], tables, player)


@kernel
def observe_into(states: Any, tables: Any, player: int, out: Any) -> None:
    """Write the observation of a player."""
    observe(states[0], tables, player, out)


def new_decks(n: int = 1) -> np.ndarray:
    """Room for `n` decks."""
    return np.zeros(n, DECK)


@kernel
def seed_hand(decks: Any, seed: int) -> None:
    """Fix the order of the cards of a hand."""
    seed_deck(decks[0], seed)


@kernel(allocates=True)
def random_hands(states: Any, tables: Any, decks: Any, actions: Any, hands: int, seed: int) -> Any:
    """Play `hands` hands with uniformly random actions; returns (moves, sum of |returns|).

    Moves count the cards that fall as well as the actions.
    """
    state = states[0]
    deck = decks[0]
    random = np.array([seed], dtype=np.uint64)
    moves = 0
    swing = 0.0
    for hand in range(hands):
        seed_deck(deck, mix(np.uint64(seed), np.uint64(hand)))
        begin(state, tables)
        while state.turn != TERMINAL:
            if state.turn == CHANCE:
                move = next_card(state, tables, deck)
            else:
                n = legal_actions(state, tables, actions)
                move = actions[random_below(random, n)]
            act(state, tables, move)
            moves += 1
        for seat in range(tables.rules[0].players):
            swing += abs(state.returns[seat])
    return moves, swing
