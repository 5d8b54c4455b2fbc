"""Extensive-form fictitious play (Heinrich, Lanctot and Silver 2015, section 3, XFP).

At iteration t each player finds a best response to the others' averages and mixes it into its own
average, in realisation weights: average <- average + (response - average) / (t + 1), from uniform.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.layout import aligned
from pokerspiel.solvers.passes import lower, multiply_joint, respond, spread_reach
from pokerspiel.solvers.sequence_form import sequence_form
from pokerspiel.solvers.solver import ITERATION, NODES
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import TreeSolver, normalised


class FictitiousPlay(TreeSolver):
    """XFP on a tree: players one after the other (alternating), or all at once."""

    def __init__(self, tree: Tree, alternating: bool = True) -> None:
        super().__init__(tree)
        self.alternating = alternating
        self.form = sequence_form(tree)
        layout = self.form.layout
        self._value, self._response, self._plan, self._average = (
            aligned(np.zeros(self.form.places)) for _ in range(4)
        )
        self._joint = np.zeros(int(np.diff(layout.joint_first).max()))
        self._plan[layout.roots] = self._average[layout.roots] = 1.0
        uniform = self.form.to_places(normalised(tree, np.zeros(tree.sequences)))
        for player in range(tree.players):
            spread_reach(layout, player, uniform, self._average)

    def prepare(self) -> None:
        self.advance(0)

    def advance(self, iterations: int) -> None:
        passes = self.tree.players if self.alternating else 1
        _play(
            self.form.layout,
            self._value,
            self._response,
            self._plan,
            self._average,
            self._joint,
            self.control,
            iterations,
            self.alternating,
            passes * self.tree.nodes,
        )

    def average_strategy(self) -> np.ndarray:
        return normalised(self.tree, self.form.to_tree(self._average))

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {"average": self.form.to_tree(self._average)}

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, int | float]) -> None:
        values = arrays.get("average")
        if values is None or values.shape != (self.tree.sequences,):
            raise ValueError(f"array average does not fit {self.tree.game}")
        self._average[:] = self.form.to_places(values)
        layout = self.form.layout
        self._average[layout.roots] = 1.0
        for player in range(self.tree.players):
            lower(layout, player, self._average)
        self._restore_control(numbers)


@kernel(fuse=True)
def _play(
    layout: Any,
    value: Any,
    response: Any,
    plan: Any,
    average: Any,
    joint: Any,
    control: Any,
    iterations: int,
    alternating: bool,
    nodes: int,
) -> None:
    players = layout.group_first.shape[0]
    for _ in range(iterations):
        step = 1.0 / (control[ITERATION] + 2.0)
        for player in range(players):
            y = average
            if players > 2:
                multiply_joint(layout, player, average, joint)
                y = joint
            respond(layout, player, y, value, response)
            if alternating:
                spread_reach(layout, player, response, plan)
                _mix(layout, player, plan, average, step)
        if not alternating:
            for player in range(players):
                spread_reach(layout, player, response, plan)
                _mix(layout, player, plan, average, step)
        control[ITERATION] += 1
        control[NODES] += nodes


@kernel(fuse=True)
def _mix(layout: Any, player: int, plan: Any, average: Any, step: float) -> None:
    """Move the average of a player towards its response."""
    groups = layout.groups
    for group in range(layout.group_first[player, 0], layout.group_first[player, -1]):
        base, n, m = groups[group, 0], groups[group, 1], groups[group, 2]
        for at in range(base, base + n * m):
            average[at] += (plan[at] - average[at]) * step
    lower(layout, player, average)
