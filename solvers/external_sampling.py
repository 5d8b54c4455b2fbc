"""External-sampling Monte Carlo CFR on a flat tree: the traversal, made for speed.

A traversal samples chance and the actions of the others, and follows every action of the traverser
(Lanctot, Waugh, Zinkevich and Bowling 2009). It is a loop with a stack of frames, one for each open
decision of the traverser. With perfect recall it meets each of the traverser's information sets
once at most, so regrets can change as soon as the values below are known.

All branches of a traversal meet the same luck: the k-th outcome of chance on a way down is drawn
from the k-th random number of the traversal, so that in poker the same cards fall. Each branch by
itself is as likely as before, but their differences, the regrets, vary less.

The strategy is regret matching: each action in proportion to its positive regret, all alike if
there is none. The average strategy is updated at the nodes of the others; see sampled_solver.py.
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
from pokerspiel.solvers.solver import ITERATION, NODES
from pokerspiel.solvers.tree import Tree

_FRAME = np.dtype(
    [
        ("first_child", np.uint64),
        ("n", np.uint64),  # actions
        ("tried", np.uint64),  # actions tried, the one under way included
        ("first", np.uint64),  # first sequence of the information set
        ("top", np.uint64),  # index of the value of the first action
        ("luck", np.uint64),  # state of the random numbers of chance
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
    packed: Any, sums: Any, memory: Any, rules: Any, control: Any, seed: int, iterations: int
) -> None:
    """Run some iterations, each one traversal for each player, and count them in `control`."""
    players = packed.nodes[0].returns.size
    for _ in range(iterations):
        iteration = control[ITERATION]
        regret_weight = np.float64(iteration + 1) if rules.linear_regrets else 1.0
        average_weight = np.float64(iteration + 1) if rules.linear_average else 1.0
        for traverser in range(players):
            control[NODES] += _traverse(
                packed,
                sums,
                memory,
                np.uint32(traverser),
                mix(seed, iteration * players + traverser),
                regret_weight,
                average_weight,
                rules.floor,
            )
        control[ITERATION] += 1


@kernel
def _traverse(
    packed: Any,
    sums: Any,
    memory: Any,
    traverser: Any,
    random: Any,
    regret_weight: float,
    average_weight: float,
    floor: float,
) -> Any:
    """One traversal; gives the number of nodes visited.

    Regret matching is written out twice here: as functions they would take a third more time.
    """
    nodes, cumulative = packed.nodes, packed.cumulative
    frames, values = memory.frames, memory.values
    number, depth, top = np.uint64(0), np.uint64(0), np.uint64(0)
    luck = scrambled(random)
    visited = 0
    while True:
        node = nodes[number]
        turn, n, number = node.turn, np.uint64(node.children), np.uint64(node.first_child)
        visited += 1
        if turn == traverser:
            frame = frames[depth]
            frame.first_child, frame.n, frame.tried = number, n, _ONE
            frame.first, frame.top, frame.luck = node.first, top, luck
            depth += _ONE
            top += n
            continue
        if turn == UNIFORM:
            luck += GAMMA
            number += place_of(scrambled(luck), n)
            continue
        if turn == WEIGHTED:
            luck += GAMMA
            number = outcome_of(cumulative, number, n, unit_of(scrambled(luck)))
            continue
        if turn != LEAF:
            random += GAMMA
            bits = scrambled(random)
            first = np.uint64(node.first)
            total = 0.0
            for a in range(n):
                total += max(sums[first + a].regret, 0.0)
            if total > 0.0:
                scale, mark, below = average_weight / total, unit_of(bits) * total, 0.0
                chosen = np.uint64(0)
                for a in range(n):
                    positive = max(sums[first + a].regret, 0.0)
                    sums[first + a].average += scale * positive
                    below += positive
                    chosen += np.uint64(mark >= below)
                number += min(chosen, n - _ONE)
            else:
                for a in range(n):
                    sums[first + a].average += average_weight / n
                number += place_of(bits, n)
            continue
        value = node.returns[traverser]
        while depth > 0:
            frame = frames[depth - _ONE]
            values[frame.top + frame.tried - _ONE] = value
            if frame.tried < frame.n:
                number, luck = frame.first_child + frame.tried, frame.luck
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
                regret = sums[first + a].regret + regret_weight * (values[top + a] - value)
                sums[first + a].regret = max(regret, floor)
        if depth == 0:
            return visited
