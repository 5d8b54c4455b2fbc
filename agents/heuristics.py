"""Rules of thumb in compiled code: players that know nothing but the strength of their own hand.

Each function gets the legal actions of the seat to act and returns the place of the one to play.
They work on any family through the generic names of `kernel`: what an action does is its
`action_kind`, how good the hand is its `equity` against random hands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    KIND_BLIND,
    KIND_CALL,
    KIND_DECLINE,
    KIND_DRAW,
    KIND_FOLD,
    KIND_JOIN,
    KIND_KEEP,
    KIND_LOOK,
    KIND_RAISE,
    KIND_REJECT,
    action_kind,
    equity,
    odds,
    raise_cost,
)

_ROUNDING = 1e-9


@kernel
def _place_of(state: Any, tables: Any, actions: Any, n: int, kind: int) -> Any:
    """Place of the first action of a kind, -1 if there is none."""
    for i in range(n):
        if action_kind(state, tables, actions[i]) == kind:
            return i
    return -1


@kernel
def always_call(state: Any, tables: Any, actions: Any, n: int) -> Any:
    """Never fold, never bet more than needed: call, look, keep, join, stand pat."""
    for kind in (KIND_CALL, KIND_LOOK, KIND_KEEP, KIND_JOIN, KIND_DRAW, KIND_RAISE):
        place = _place_of(state, tables, actions, n, kind)
        if place >= 0:
            return place
    return 0


@kernel
def by_equity(state: Any, policy: Any, actions: Any, n: int, seed: int) -> Any:
    """Weigh the equity of the hand against its price; see `Policy` for the thresholds."""
    kind = action_kind(state, policy.tables, actions[0])
    if kind in (KIND_LOOK, KIND_BLIND):
        return max(_place_of(state, policy.tables, actions, n, KIND_LOOK), 0)
    changes_hand = kind in (KIND_DRAW, KIND_KEEP, KIND_REJECT)
    samples = policy.draw_samples if kind == KIND_DRAW else policy.samples
    candidates = n if changes_hand else 1
    best, value = _best_equity(state, policy.tables, actions, candidates, samples, seed)
    if changes_hand:
        return best
    if kind in (KIND_JOIN, KIND_DECLINE):
        joins = value + _ROUNDING >= _price_odds(state) * max(policy.stay, 1.0)
        return _place_of(state, policy.tables, actions, n, KIND_JOIN if joins else KIND_DECLINE)
    return bet_by_equity(state, policy, actions, n, value)


@kernel
def _best_equity(
    state: Any, tables: Any, actions: Any, n: int, samples: int, seed: int
) -> tuple[int, float]:
    """(Place of the action with the best equity, that equity); all are sampled from one seed."""
    seat: Any = np.int64(state.turn)
    best = 0
    best_value = -1.0
    for i in range(n):
        value = equity(state, tables, seat, actions[i], samples, seed)
        if value > best_value:
            best = i
            best_value = value
    return best, best_value


@kernel
def _price_odds(state: Any) -> float:
    """The share of the pot that pays for staying in."""
    seat: Any = np.int64(state.turn)
    price, pot = odds(state, seat)
    return price / (pot + price)


@kernel
def bet_by_equity(state: Any, policy: Any, actions: Any, n: int, value: float) -> Any:
    """Raise a strong hand; stay in if equity covers the price and the threshold; else fold."""
    tables = policy.tables
    seat: Any = np.int64(state.turn)
    fair = 1.0 / tables.rules[0].players
    fold = _place_of(state, tables, actions, n, KIND_FOLD)
    call = _place_of(state, tables, actions, n, KIND_CALL)
    smallest = _place_of(state, tables, actions, n, KIND_RAISE)
    if smallest >= 0 and value >= policy.strong * fair:
        return _pot_raise(state, tables, actions, n, smallest)
    needed = _price_odds(state)
    if call < 0 and smallest >= 0:
        cost = raise_cost(state, tables, actions[smallest])
        _, pot = odds(state, seat)
        needed = cost / (pot + cost)
    if fold >= 0 and value < max(needed, policy.stay * fair):
        return fold
    return call if call >= 0 else max(smallest, 0)


@kernel
def _pot_raise(state: Any, tables: Any, actions: Any, n: int, smallest: int) -> Any:
    """The largest raise by no more than the pot after a call, or else the smallest."""
    seat: Any = np.int64(state.turn)
    owed, pot = odds(state, seat)
    best = smallest
    for i in range(smallest + 1, n):
        if raise_cost(state, tables, actions[i]) > 2 * owed + pot:
            break
        best = i
    return best
