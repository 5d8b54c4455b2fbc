"""External-sampling Monte Carlo CFR on a flat tree: the traversal, made for speed.

A traversal samples chance and the actions of the others, and follows every action of the traverser
(Lanctot, Waugh, Zinkevich and Bowling 2009, section 4.2). It is a loop with a stack of frames, one
for each open decision of the traverser. With perfect recall it meets each of the traverser's
information sets once at most, so regrets can change as soon as the values below are known.

The strategy is regret matching: each action in proportion to its positive regret, all alike if
there is none. The average strategy is updated at the nodes of the others; see sampling.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import mix
from pokerspiel.solvers.packed_tree import (
    GAMMA,
    LEAF,
    UNIFORM,
    WEIGHTED,
    outcome_of,
    place_of,
    scrambled,
    unit_of,
)
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import ITERATION, NODES

_FRAME = np.dtype(
    [
        ("first_child", np.uint64),
        ("n", np.uint64),  # actions
        ("tried", np.uint64),  # actions tried, the one under way included
        ("first", np.uint64),  # first sequence of the information set
        ("top", np.uint64),  # index of the value of the first action
    ]
)

_ONE = np.uint64(1)


class TraversalMemory(NamedTuple):
    """The stacks of a traversal."""

    frames: np.ndarray
    values: np.ndarray
    """What the actions of the open decisions are worth to the traverser."""


def new_traversal_memory(tree: Tree) -> TraversalMemory:
    depth = len(tree.level)
    widest = int(np.diff(tree.set_first).max(initial=1))
    return TraversalMemory(np.zeros(depth, _FRAME), np.zeros(depth * widest))


@kernel
def run_external_sampling(
    packed: Any,
    sums: Any,
    memory: Any,
    control: Any,
    seed: int,
    iterations: int,
    linear: bool,
    floor: float,
) -> None:
    """Run some iterations, each one traversal for each player, and count them in `control`.

    `linear`: iteration t weighs t, else 1. `floor`: no regret is ever below it.
    """
    players = packed.nodes[0].returns.size
    for _ in range(iterations):
        iteration = control[ITERATION]
        weight = np.float64(iteration + 1) if linear else 1.0
        for traverser in range(players):
            random = mix(seed, iteration * players + traverser)
            control[NODES] += _traverse(
                packed, sums, memory, np.uint32(traverser), random, weight, floor
            )
        control[ITERATION] += 1


@kernel
def _traverse(
    packed: Any, sums: Any, memory: Any, traverser: Any, random: Any, weight: float, floor: float
) -> Any:
    """One traversal; gives the number of nodes visited.

    Regret matching is written out twice here: as functions they would take a third more time.
    """
    nodes, cumulative = packed.nodes, packed.cumulative
    frames, values = memory.frames, memory.values
    number, depth, top = np.uint64(0), np.uint64(0), np.uint64(0)
    visited = 0
    while True:
        node = nodes[number]
        turn, n = node.turn, np.uint64(node.children)
        visited += 1
        if turn == traverser:
            frame = frames[depth]
            frame.first_child, frame.n, frame.tried = node.first_child, n, _ONE
            frame.first, frame.top = node.first, top
            depth += _ONE
            top += n
            number = np.uint64(node.first_child)
            continue
        if turn != LEAF:
            random += GAMMA
            bits = scrambled(random)
            if turn == UNIFORM:
                number = np.uint64(node.first_child) + place_of(bits, n)
                continue
            if turn == WEIGHTED:
                number = outcome_of(cumulative, np.uint64(node.first_child), n, unit_of(bits))
                continue
            first = np.uint64(node.first)
            total = 0.0
            for a in range(n):
                total += max(sums[first + a].regret, 0.0)
            chosen = np.uint64(0)
            if total > 0.0:
                scale, mark, below = weight / total, unit_of(bits) * total, 0.0
                for a in range(n):
                    positive = max(sums[first + a].regret, 0.0)
                    sums[first + a].average += scale * positive
                    below += positive
                    chosen += np.uint64(mark >= below)
                chosen = min(chosen, n - _ONE)
            else:
                for a in range(n):
                    sums[first + a].average += weight / n
                chosen = place_of(bits, n)
            number = np.uint64(node.first_child) + chosen
            continue
        value = node.returns[traverser]
        while depth > 0:
            frame = frames[depth - _ONE]
            values[frame.top + frame.tried - _ONE] = value
            if frame.tried < frame.n:
                number = frame.first_child + frame.tried
                frame.tried += _ONE
                break
            first, top, n = frame.first, frame.top, frame.n
            depth -= _ONE
            total, value = 0.0, 0.0
            for a in range(n):
                positive = max(sums[first + a].regret, 0.0)
                total += positive
                value += positive * values[top + a]
            if total > 0.0:
                value /= total
            else:
                for a in range(n):
                    value += values[top + a] / n
            for a in range(n):
                regret = sums[first + a].regret + weight * (values[top + a] - value)
                sums[first + a].regret = max(regret, floor)
        if depth == 0:
            return visited
