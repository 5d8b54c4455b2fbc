"""CFR-BR: each player minimises its regrets against an opponent who always responds best.

Johanson, Bard, Burch and Bowling 2012, "Finding optimal abstract strategies in extensive-form
games", section 3. For two players. The average strategies approach an equilibrium; each one's
exploitability is bounded by its own regrets alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.algorithms import AVERAGE, NEGATIVE, POSITIVE, PREDICTION, factors
from pokerspiel.solvers.cfr import Cfr
from pokerspiel.solvers.passes import (
    add_reach,
    respond,
    spread_reach,
    terminal_values,
    update_regrets,
)
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import ITERATION, NODES


class CfrBr(Cfr):
    """CFR-BR on a tree; the learning player's regrets are those of `algorithm`."""

    def __init__(self, tree: Tree, algorithm: str = "cfr") -> None:
        if tree.players != 2:
            raise ValueError(f"cfr-br is for two players: {tree.game} has {tree.players}")
        super().__init__(tree, algorithm)
        self._response, self._plan = np.zeros(self.form.places), np.zeros(self.form.places)
        self._plan[self.form.layout.roots] = 1.0

    def _iterate(self, weights: np.ndarray) -> None:
        _learn(
            self.form.layout,
            self.state,
            self._response,
            self._plan,
            weights,
            self.control,
            4 * self.tree.nodes,
        )

    def advance(self, iterations: int) -> None:
        start = self.iteration
        self._iterate(factors(self.row, start, start + iterations, self.horizon))


@kernel(fuse=True, allocates=False)
def _learn(
    layout: Any, state: Any, response: Any, plan: Any, weights: Any, control: Any, nodes: int
) -> None:
    """One iteration for each row of `weights`, the factors of algorithms.py."""
    parts = layout.group_first.shape[1] - 1
    for t in range(len(weights)):
        for player in range(2):
            other = 1 - player
            for part in range(parts):
                terminal_values(layout, other, part, state.reach, state.value)
                respond(layout, other, part, state.value, response)
            spread_reach(layout, other, response, plan)
            for part in range(parts):
                terminal_values(layout, player, part, plan, state.value)
                update_regrets(
                    layout,
                    player,
                    part,
                    state,
                    weights[t, POSITIVE],
                    weights[t, NEGATIVE],
                    weights[t, PREDICTION],
                )
                add_reach(layout, player, part, state, weights[t, AVERAGE])
        control[ITERATION] += 1
        control[NODES] += nodes
