"""Full-tree counterfactual regret minimisation, every algorithm of the family in one engine.

One iteration updates every player once: one after the other, each against the others' newest
strategies (alternating), or all against those of the iteration before (simultaneous).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.algorithms import DISCOUNTING, Discounting, factors
from pokerspiel.solvers.layout import SequenceForm
from pokerspiel.solvers.passes import (
    add_reach,
    multiply_joint,
    spread_reach,
    terminal_values,
    update_regrets,
)
from pokerspiel.solvers.sequence_form import sequence_form
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import ITERATION, NODES, TreeSolver, normalised


class State(NamedTuple):
    """The numbers of a run, by place: see passes.py."""

    value: np.ndarray
    behaviour: np.ndarray
    reach: np.ndarray
    regret: np.ndarray
    average: np.ndarray


class Cfr(TreeSolver):
    """An algorithm of the family, by its name in DISCOUNTING, on a tree.

    `horizon` is the number of iterations that algorithms with a schedule plan for.
    """

    def __init__(
        self,
        tree: Tree,
        algorithm: str | Discounting = "dcfr",
        alternating: bool = True,
        horizon: int = 1000,
        form: SequenceForm | None = None,
    ) -> None:
        super().__init__(tree)
        self.row = DISCOUNTING[algorithm] if isinstance(algorithm, str) else algorithm
        self.alternating = alternating
        self.horizon = horizon
        self.form = form or sequence_form(tree)
        layout = self.form.layout
        self.state = State(*(np.zeros(self.form.places) for _ in range(5)))
        self.state.reach[layout.roots] = 1.0
        self.state.behaviour[:] = self.form.to_places(normalised(tree, np.zeros(tree.sequences)))
        self._spread()
        largest = int(np.diff(layout.joint_first).max())
        self._joint = np.zeros(largest)

    def _spread(self) -> None:
        for player in range(self.tree.players):
            spread_reach(self.form.layout, player, self.state.behaviour, self.state.reach)

    def prepare(self) -> None:
        self._iterate(np.zeros((0, 4)))

    def advance(self, iterations: int) -> None:
        start = self.iteration
        self._iterate(factors(self.row, start, start + iterations, self.horizon))

    def _iterate(self, weights: np.ndarray) -> None:
        passes = self.tree.players if self.alternating else 1
        iterate(
            self.form.layout,
            self.state,
            self._joint,
            weights,
            self.control,
            self.alternating,
            passes * self.tree.nodes,
        )

    def average_strategy(self) -> np.ndarray:
        return normalised(self.tree, self.form.to_tree(self.state.average))

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {
            name: self.form.to_tree(getattr(self.state, name))
            for name in ("behaviour", "regret", "average")
        }

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, int | float]) -> None:
        for name in ("behaviour", "regret", "average"):
            values = arrays.get(name)
            if values is None or values.shape != (self.tree.sequences,):
                raise ValueError(f"array {name} does not fit {self.tree.game}")
            getattr(self.state, name)[self.form.place] = values
        self._restore_control(numbers)
        self._spread()


@kernel(fuse=True, allocates=False)
def iterate(
    layout: Any,
    state: Any,
    joint: Any,
    weights: Any,
    control: Any,
    alternating: bool,
    nodes: int,
) -> None:
    """One iteration for each row of `weights`, the factors of algorithms.py."""
    players = layout.group_first.shape[0]
    parts = layout.group_first.shape[1] - 1
    for t in range(len(weights)):
        positive, negative, discount, prediction = (
            weights[t, 0],
            weights[t, 1],
            weights[t, 2],
            weights[t, 3],
        )
        for player in range(players):
            y = state.reach
            if players > 2:
                multiply_joint(layout, player, state.reach, joint)
                y = joint
            for part in range(parts):
                terminal_values(layout, player, part, y, state.value)
                if alternating:
                    update_regrets(layout, player, part, state, positive, negative, prediction)
                    add_reach(layout, player, part, state, discount)
        if not alternating:
            for player in range(players):
                for part in range(parts):
                    update_regrets(layout, player, part, state, positive, negative, prediction)
                    add_reach(layout, player, part, state, discount)
        control[ITERATION] += 1
        control[NODES] += nodes
