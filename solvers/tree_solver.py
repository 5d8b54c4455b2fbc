"""Algorithms on a flat tree.

A *strategy* is a float64[S] of probabilities, one for each sequence of the tree: those of a set add
up to 1.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from pokerspiel.solvers.solver import Solver
from pokerspiel.solvers.tree import Tree


class TreeSolver(Solver):
    """An algorithm at work on a tree."""

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.tree = tree

    @abstractmethod
    def average_strategy(self) -> np.ndarray:
        """[S] float64: the strategy that the algorithm promises something about."""


def normalised(tree: Tree, sums: np.ndarray) -> np.ndarray:
    """[S] float64: `sums` divided by their total in each set; uniform where that is zero."""
    sizes = np.diff(tree.set_first)
    total = np.add.reduceat(sums, tree.set_first[:-1]) if len(sizes) else np.zeros(0)
    total, count = np.repeat(total, sizes), np.repeat(sizes, sizes)
    return np.where(total > 0.0, sums / np.where(total > 0.0, total, 1.0), 1.0 / count)
