"""The kernels of external sampling: one traversal of a hand, on any family of games.

A traversal is a loop with a stack of frames, one for each open decision of the traverser.
"""

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
from pokerspiel.games.variants import Game
from pokerspiel.solvers.atomics import atomic_add, atomic_load
from pokerspiel.solvers.table import (
    NOT_STORED,
    find_or_add,
    is_crowded,
    prefetch_slot,
    prefetch_values,
)

# Indices of the control array that the threads of a run share.
NEXT = 0
"""The iteration that the next free thread takes."""
NODES = 1
"""States visited."""
STOP = 2
"""1: return after the current iteration."""

FRAME = np.dtype(
    [
        ("key", np.uint64),
        ("place", np.int64),  # index of the decision's state
        ("top", np.int64),  # index of its first action and its first utility on their stacks
        ("n", np.int64),  # legal actions
        ("tried", np.int64),  # actions tried, the one under way included
    ],
    align=True,
)


class Workspace(NamedTuple):
    """The memory of one thread."""

    states: np.ndarray
    frames: np.ndarray
    actions: np.ndarray
    """Stack of the legal actions of the open decisions."""
    utilities: np.ndarray
    """Stack of the values of these actions to the traverser, in chips."""
    deck: np.ndarray
    random: np.ndarray


def new_workspace(game: Game) -> Workspace:
    depth = game.limits.max_game_length + 1
    return Workspace(
        np.zeros(depth + 1, game.state_type),
        np.zeros(depth, FRAME),
        np.zeros(depth * game.limits.num_actions, np.int64),
        np.zeros(depth * game.limits.num_actions),
        np.zeros(1, DECK),
        np.zeros(1, np.uint64),
    )


@kernel
def run_iterations(
    work: Any, tables: Any, table: Any, control: Any, players: int, seed: int, last: int
) -> None:
    """Take the next iteration and do it, until `last`, a crowded table or a request to stop."""
    nodes = 0
    while not atomic_load(control, STOP) and not is_crowded(table):
        iteration = atomic_add(control, NEXT, 1)
        if iteration >= last:
            atomic_add(control, NEXT, -1)
            break
        for traverser in range(players):
            deal(work, mix(mix(seed, iteration), traverser))
            nodes += _traverse(work, tables, table, traverser, np.float64(iteration + 1))
    atomic_add(control, NODES, nodes)


@kernel
def deal(work: Any, hand: int) -> None:
    """Fix the deal and the chances of the sampled actions."""
    seed_deck(work.deck[0], hand)
    work.random[0] = mix(hand, 0)


@kernel
def _traverse(work: Any, tables: Any, table: Any, traverser: int, weight: float) -> Any:
    """One traversal; gives the number of states visited.

    The state of a frame is copied for each of its actions but the last, which takes it over.
    (Arrays are taken out of their tuples once: each time costs two atomic counts. `act` is called
    in one place only, since it is large and compiled anew in each.)
    """
    states, frames, actions, utilities = work.states, work.frames, work.actions, work.utilities
    values, random, deck = table.values, work.random, work.deck[0]
    depth = 0
    top = 0
    place = 0
    nodes = 0
    begin(states[0], tables)
    while True:
        state = states[place]
        nodes += 1
        turn: Any = np.int64(state.turn)
        if turn == CHANCE:
            action = next_card(state, tables, deck)
        elif turn >= 0:
            n = legal_actions(state, tables, actions[top:])
            action = actions[top]
            if n > 1:
                key = information_key(state, tables, turn)
                if turn == traverser:
                    _open_frame(frames[depth], key, place, top, n)
                    prefetch_slot(table.slots, key)
                    depth += 1
                    top += n
                    states[place + 1] = state
                    place += 1
                else:
                    first = find_or_add(table, key, n)
                    action = actions[top + _choose(values, first, n, weight, random_unit(random))]
        else:
            value = state.returns[traverser]
            while depth > 0:
                frame = frames[depth - 1]
                utilities[frame.top + frame.tried - 1] = value
                if frame.tried < frame.n:
                    break
                first = find_or_add(table, frame.key, frame.n)
                value = _add_regrets(values, first, frame.n, weight, utilities, frame.top)
                depth -= 1
            if depth == 0:
                return nodes
            frame = frames[depth - 1]
            place = frame.place
            top = frame.top + frame.n
            action = actions[frame.top + frame.tried]
            frame.tried += 1
            if frame.tried < frame.n:
                states[place + 1] = states[place]
                place += 1
            else:
                prefetch_values(table.slots, values, frame.key)
        act(states[place], tables, action)


@kernel
def _open_frame(frame: Any, key: int, place: int, top: int, n: int) -> None:
    frame.key = key
    frame.place = place
    frame.top = top
    frame.n = n
    frame.tried = 1


@kernel
def _choose(values: Any, first: int, n: int, weight: float, unit: float) -> Any:
    """An action by regret matching, from `unit`, uniform in [0, 1); adds the strategy to the
    average. Any action if the information set is not stored.
    """
    if first == NOT_STORED:
        return np.int64(unit * n)
    total = 0.0
    for i in range(first, first + n):
        total += max(values[i], 0.0)
    if total <= 0.0:
        for i in range(first + n, first + 2 * n):
            values[i] += weight / n
        return np.int64(unit * n)
    scale = weight / total
    mark = unit * total
    below = 0.0
    chosen = 0
    for i in range(first, first + n):
        positive = max(values[i], 0.0)
        values[i + n] += scale * positive
        below += positive
        chosen += mark >= below
    return min(chosen, n - 1)


@kernel
def _add_regrets(values: Any, first: int, n: int, weight: float, utilities: Any, top: int) -> Any:
    """Add the regrets of not having played each action; gives the value of regret matching.

    The value of uniform play if the information set is not stored.
    """
    if first == NOT_STORED:
        return _mean(utilities, top, n)
    total = 0.0
    value = 0.0
    for i in range(n):
        positive = max(values[first + i], 0.0)
        total += positive
        value += positive * utilities[top + i]
    value = value / total if total > 0.0 else _mean(utilities, top, n)
    for i in range(n):
        values[first + i] += weight * (utilities[top + i] - value)
    return value


@kernel
def _mean(utilities: Any, top: int, n: int) -> Any:
    total = 0.0
    for i in range(top, top + n):
        total += utilities[i]
    return total / n
