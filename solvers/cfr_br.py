"""CFR-BR: each player minimises its regrets against an opponent who always responds best.

Johanson, Bard, Burch and Bowling 2012, "Finding optimal abstract strategies in extensive-form
games", section 3. For two players. The average strategies approach an equilibrium; each one's
exploitability is bounded by its own regrets alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.cfr import Cfr, update_player
from pokerspiel.solvers.layout import aligned
from pokerspiel.solvers.passes import respond, spread_reach
from pokerspiel.solvers.solver import ITERATION, NODES
from pokerspiel.solvers.tree import Tree


class CfrBr(Cfr):
    """CFR-BR on a tree; the learning player's regrets are those of `algorithm`."""

    def __init__(self, tree: Tree, algorithm: str = "cfr") -> None:
        if tree.players != 2:
            raise ValueError(f"cfr-br is for two players: {tree.game} has {tree.players}")
        super().__init__(tree, algorithm)
        self._response = aligned(np.zeros(self.form.places))
        self._plan = aligned(np.zeros(self.form.places))
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


@kernel(fuse=True)
def _learn(
    layout: Any, state: Any, response: Any, plan: Any, weights: Any, control: Any, nodes: int
) -> None:
    """One iteration for each row of `weights`, the factors of algorithms.py."""
    for t in range(len(weights)):
        for player in range(2):
            respond(layout, 1 - player, state.reach, state.value, response)
            spread_reach(layout, 1 - player, response, plan)
            update_player(layout, state, player, plan, weights, t)
        control[ITERATION] += 1
        control[NODES] += nodes
