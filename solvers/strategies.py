"""Strategies of a tree as blueprints, which bots play from, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.blueprint import Blueprint, new_blueprint
from pokerspiel.solvers.tree import ROOT, Tree
from pokerspiel.solvers.tree_solver import normalised

SUM_TOLERANCE = 1e-6
"""How far the probabilities of a set may be from a sum of 1."""


def uniform_strategy(tree: Tree) -> np.ndarray:
    """[S] float64: every legal action as likely as the others."""
    return normalised(tree, np.zeros(tree.sequences))


def blueprint_of(tree: Tree, strategy: np.ndarray) -> Blueprint:
    """The strategy of all information sets by their keys, in single precision.

    Raises ValueError if `strategy` is no strategy of the tree.
    """
    check_strategy(tree, strategy)
    order = np.argsort(tree.set_key)
    sizes = np.diff(tree.set_first)[order]
    first = np.concatenate([[0], np.cumsum(sizes)])
    shift = np.repeat(tree.set_first[:-1][order] - first[:-1], sizes)
    probabilities = strategy[shift + np.arange(tree.sequences)]
    return new_blueprint(
        tree.set_key[order], first.astype(np.uint32), probabilities.astype(np.float32)
    )


def strategy_from_blueprint(tree: Tree, blueprint: Blueprint) -> tuple[np.ndarray, int]:
    """(The blueprint's strategy [S], number of sets that it misses).

    It misses a set with a choice whose key it does not hold, or holds with another number of
    actions; such a set is played uniformly.
    """
    sizes = np.diff(tree.set_first)
    strategy = uniform_strategy(tree)
    place = np.searchsorted(blueprint.keys, tree.set_key)
    inside = np.flatnonzero(place < len(blueprint.keys))
    sets = inside[blueprint.keys[place[inside]] == tree.set_key[inside]]
    start = blueprint.first.astype(np.int64)
    sets = sets[np.diff(start)[place[sets]] == sizes[sets]]
    run = np.arange(int(sizes[sets].sum()))
    run -= np.repeat(np.cumsum(sizes[sets]) - sizes[sets], sizes[sets])
    ours = np.repeat(tree.set_first[sets], sizes[sets]) + run
    theirs = np.repeat(start[place[sets]], sizes[sets]) + run
    strategy[ours] = blueprint.probabilities[theirs]
    known = np.zeros(tree.information_sets, bool)
    known[sets] = True
    return normalised(tree, strategy), int(np.count_nonzero(~known & (sizes > 1)))


def mixed_strategy(
    tree: Tree, strategies: Iterable[np.ndarray], weights: Sequence[float]
) -> np.ndarray:
    """[S] float64: what a player does who draws one of some strategies for each game.

    A strategy counts at a set as its own player reaches it by it (Kuhn 1953). With perfect recall
    no opponent can tell the result from the mixture.
    """
    sets = np.argsort(tree.set_node, kind="stable")
    total = np.zeros(tree.sequences)
    for strategy, weight in zip(strategies, weights, strict=True):
        plan = strategy.copy()
        _spread(tree.set_first, tree.set_parent, sets, plan)
        total += weight * plan
    return normalised(tree, total)


@kernel
def _spread(set_first: Any, set_parent: Any, sets: Any, plan: Any) -> None:
    """Multiply every sequence with the one before it, parents first."""
    for i in sets:
        parent = set_parent[i]
        if parent != ROOT:
            before = plan[parent]
            for sequence in range(set_first[i], set_first[i + 1]):
                plan[sequence] *= before


def check_strategy(tree: Tree, strategy: np.ndarray) -> None:
    """Raise ValueError if `strategy` gives no probabilities for each set of the tree."""
    if np.shape(strategy) != (tree.sequences,):
        raise ValueError(
            f"strategy of shape {np.shape(strategy)}: {tree.game} has {tree.sequences} sequences"
        )
    totals = np.add.reduceat(strategy, tree.set_first[:-1]) if tree.sequences else np.ones(0)
    wrong = np.flatnonzero(~(np.abs(totals - 1.0) <= SUM_TOLERANCE))
    if len(wrong):
        raise ValueError(
            f"the probabilities of {tree.name(int(wrong[0]))!r} add up to {totals[wrong[0]]:g}"
        )
    if strategy.min(initial=0.0) < 0.0:
        raise ValueError(f"a strategy has the probability {strategy.min():g}")
