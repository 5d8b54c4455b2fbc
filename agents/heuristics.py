"""Rules of thumb in compiled code: players that know nothing but the strength of their own hand.

Each function gets the legal actions of the seat to act and returns the place of the one to play. They
work on any family through the generic names of `kernel`: what an action does is its `action_kind`,
how good the hand is its `equity` against random hands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    KIND_CALL,
    KIND_DRAW,
    KIND_FOLD,
    KIND_JOIN,
    KIND_KEEP,
    KIND_LOOK,
    KIND_RAISE,
    KIND_REJECT,
    act,
    action_kind,
    equity,
    odds,
)

_ROUNDING = 1e-9


@kernel
def _place_of(state: Any, tables: Any, actions: Any, n: int, kind: int) -> int:
    """Place of the first action of a kind, -1 if there is none."""
    for i in range(n):
        if action_kind(state, tables, actions[i]) == kind:
            return i
    return -1


@kernel
def always_call(state: Any, tables: Any, actions: Any, n: int) -> int:
    """Never fold, never bet more than needed: call, look, keep, join, stand pat."""
    for kind in (KIND_CALL, KIND_LOOK, KIND_KEEP, KIND_JOIN, KIND_DRAW, KIND_RAISE):
        place = _place_of(state, tables, actions, n, kind)
        if place >= 0:
            return place
    return 0


@kernel
def by_equity(state: Any, policy: Any, states: Any, actions: Any, n: int, seed: int) -> int:
    """Weigh the equity of the hand against its price; see `Policy` for the thresholds.

    `states` is room for one state.
    """
    tables = policy.tables
    kind = action_kind(state, tables, actions[0])
    if kind == KIND_DRAW:
        return _best_equity(state, tables, actions, n, policy.draw_samples, seed)
    if kind == KIND_KEEP or kind == KIND_REJECT:
        return _best_equity(state, tables, actions, n, policy.samples, seed)
    if kind == KIND_FOLD or kind == KIND_CALL or kind == KIND_RAISE:
        return _bet(state, policy, states, actions, n, seed)
    if kind == KIND_JOIN and not _joins(state, policy, seed):
        return 1
    return max(_place_of(state, tables, actions, n, KIND_LOOK), 0)


@kernel
def _best_equity(state: Any, tables: Any, actions: Any, n: int, samples: int, seed: int) -> int:
    """The action with the best sampled equity; all see the same random cards as far as they can."""
    best = 0
    best_value = -1.0
    for i in range(n):
        value = equity(state, tables, np.int64(state.turn), actions[i], samples, seed)
        if value > best_value:
            best = i
            best_value = value
    return best


@kernel
def _joins(state: Any, policy: Any, seed: int) -> bool:
    """Whether an equal share of the pot is worth the price of joining."""
    seat = np.int64(state.turn)
    price, pot = odds(state, seat)
    share = equity(state, policy.tables, seat, 0, policy.samples, seed)
    return share * (pot + price) + _ROUNDING >= price * max(policy.stay, 1.0)


@kernel
def _bet(state: Any, policy: Any, states: Any, actions: Any, n: int, seed: int) -> int:
    """Raise a strong hand; stay in if equity covers the price and the threshold; else fold."""
    tables = policy.tables
    seat = np.int64(state.turn)
    fair = 1.0 / tables.rules[0].players
    owed, pot = odds(state, seat)
    call = _place_of(state, tables, actions, n, KIND_CALL)
    smallest = _place_of(state, tables, actions, n, KIND_RAISE)
    if call < 0:
        if smallest < 0:
            return 0
        owed = _cost(state, tables, states, actions[smallest])
    value = equity(state, tables, seat, 0, policy.samples, seed)
    if smallest >= 0 and value >= policy.strong * fair:
        return _pot_raise(state, tables, states, actions, n, smallest)
    fold = _place_of(state, tables, actions, n, KIND_FOLD)
    if fold >= 0 and value < max(owed / (pot + owed), policy.stay * fair):
        return fold
    return call if call >= 0 else smallest


@kernel
def _cost(state: Any, tables: Any, states: Any, action: int) -> int:
    """Chips that a wager puts in."""
    states[0] = state
    after = states[0]
    _, before = odds(state, np.int64(state.turn))
    act(after, tables, action)
    _, pot = odds(after, np.int64(state.turn))
    return pot - before


@kernel
def _pot_raise(
    state: Any, tables: Any, states: Any, actions: Any, n: int, smallest: int
) -> int:
    """The largest raise by no more than the pot after a call, or else the smallest; no search
    where there is but one size."""
    owed, pot = odds(state, np.int64(state.turn))
    best = smallest
    for i in range(smallest + 1, n):
        if _cost(state, tables, states, actions[i]) > 2 * owed + pot:
            break
        best = i
    return best
