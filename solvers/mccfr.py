"""External-sampling Monte Carlo CFR."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    DECK,
    act,
    begin,
    information_key,
    legal_actions,
    mix,
    next_card,
    random_unit,
    seed_deck,
)
from pokerspiel.solvers.table import (
    NEXT,
    NODES,
    NOT_STORED,
    STOP,
    Table,
    _atomic_add,
    _atomic_load,
    find_or_add,
    is_crowded,
)

FRAME = np.dtype(
    [
        ("key", np.uint64),
        ("slot", np.int32),
        ("top", np.int32),
        ("n", np.int32),
        ("next", np.int32),
    ],
    align=True,
)


class Workspace(NamedTuple):
    states: np.ndarray
    frames: np.ndarray
    actions: np.ndarray
    utilities: np.ndarray
    deck: np.ndarray
    random: np.ndarray


def new_workspace(game: Any) -> Workspace:
    depth = game.max_game_length + 1
    room = depth * game.num_actions
    return Workspace(
        np.zeros(depth + 1, game.state_type),
        np.zeros(depth, FRAME),
        np.zeros(room, np.int64),
        np.zeros(room),
        np.zeros(1, DECK),
        np.zeros(1, np.uint64),
    )


@kernel
def _choose(values: Any, first: int, n: int, weight: float, unit: float) -> int:
    """Add the current strategy to the average, and sample an action."""
    total = 0.0
    for a in range(first, first + n):
        total += max(values[a], 0.0)
    if total > 0.0:
        scale = weight / total
        mark = unit * total
        chosen = 0
        below = 0.0
        for a in range(first, first + n):
            regret = max(values[a], 0.0)
            values[a + n] += scale * regret
            below += regret
            chosen += mark >= below
        return min(chosen, n - 1)
    for a in range(first + n, first + 2 * n):
        values[a] += weight / n
    return np.int64(unit * n)


@kernel
def _update(values: Any, first: int, n: int, weight: float, utilities: Any, top: int) -> float:
    total = 0.0
    value = 0.0
    for i in range(n):
        regret = max(values[first + i], 0.0)
        total += regret
        value += regret * utilities[top + i]
    if total > 0.0:
        value /= total
    else:
        value = _mean(utilities, top, n)
    for i in range(n):
        values[first + i] += weight * (utilities[top + i] - value)
    return value


@kernel
def _mean(utilities: Any, top: int, n: int) -> float:
    total = 0.0
    for i in range(top, top + n):
        total += utilities[i]
    return total / n


@kernel
def _traverse(work: Any, tables: Any, table: Any, traverser: int, weight: float) -> int:
    states = work.states
    frames = work.frames
    actions = work.actions
    utilities = work.utilities
    values = table.values
    deck = work.deck[0]
    random = work.random
    slot = 0
    depth = 0
    top = 0
    nodes = 0
    begin(states[0], tables)
    while True:
        state = states[slot]
        nodes += 1
        turn = state.turn
        if turn == CHANCE:
            act(state, tables, next_card(state, tables, deck))
            continue
        if turn >= 0:
            n = legal_actions(state, tables, actions[top:])
            if n == 1:
                act(state, tables, actions[top])
                continue
            key = information_key(state, tables, turn)
            if turn != traverser:
                first = find_or_add(table, key, n)
                unit = random_unit(random)
                if first == NOT_STORED:
                    chosen = np.int64(unit * n)
                else:
                    chosen = _choose(values, first, n, weight, unit)
                act(state, tables, actions[top + chosen])
                continue
            frame = frames[depth]
            frame.key = key
            frame.slot = slot
            frame.top = top
            frame.n = n
            frame.next = 1
            depth += 1
            states[slot + 1] = state
            slot += 1
            act(states[slot], tables, actions[top])
            top += n
            continue
        value = state.returns[traverser]
        while depth > 0:
            frame = frames[depth - 1]
            utilities[frame.top + frame.next - 1] = value
            if frame.next < frame.n:
                break
            top = frame.top
            first = find_or_add(table, frame.key, np.int64(frame.n))
            if first == NOT_STORED:
                value = _mean(utilities, top, np.int64(frame.n))
            else:
                value = _update(values, first, np.int64(frame.n), weight, utilities, top)
            depth -= 1
        if depth == 0:
            return nodes
        frame = frames[depth - 1]
        slot = frame.slot
        action = actions[frame.top + frame.next]
        frame.next += 1
        if frame.next < frame.n:
            states[slot + 1] = states[slot]
            slot += 1
        act(states[slot], tables, action)


@kernel
def _iterate(work: Any, tables: Any, table: Any, players: int, seed: int, last: int) -> None:
    counts = table.counts
    nodes = 0
    while not _atomic_load(counts, STOP) and not is_crowded(table):
        iteration = _atomic_add(counts, NEXT, 1)
        if iteration >= last:
            _atomic_add(counts, NEXT, -1)
            break
        for traverser in range(players):
            hand = mix(mix(np.uint64(seed), iteration), traverser)
            seed_deck(work.deck[0], hand)
            work.random[0] = mix(hand, np.uint64(1))
            nodes += _traverse(work, tables, table, traverser, np.float64(iteration + 1))
    _atomic_add(counts, NODES, nodes)
