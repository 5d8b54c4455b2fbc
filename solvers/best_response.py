"""Exact values, best responses and exploitability of strategies, on the sequence form.

NashConv is the sum of what each player gains by a best response while the others keep to their
strategy; exploitability is NashConv divided by the number of players (Lanctot et al. 2017).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.layout import SequenceForm, aligned
from pokerspiel.solvers.passes import choose_best, multiply_joint, spread_reach, terminal_values
from pokerspiel.solvers.sequence_form import sequence_form
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import normalised

EXPLOITABILITY = "NashConv / number of players"
"""What the word means in this package."""


@dataclass(frozen=True)
class Evaluation:
    """What strategies are worth, in units of the game's returns."""

    values: np.ndarray
    """[P]: value of the strategies to each player."""
    best_values: np.ndarray
    """[P]: value of a best response to the others."""

    @property
    def gains(self) -> np.ndarray:
        """[P]: what each player gains by a best response."""
        return np.asarray(self.best_values - self.values)

    @property
    def nash_conv(self) -> float:
        return float(self.gains.sum())

    @property
    def exploitability(self) -> float:
        """NashConv / number of players."""
        return self.nash_conv / len(self.values)


class Evaluator:
    """Evaluates strategies of one tree, one after the other."""

    def __init__(self, tree: Tree, form: SequenceForm | None = None) -> None:
        self.form = form or sequence_form(tree)
        layout = self.form.layout
        places = self.form.places
        self._value, self._reach, self._response = (aligned(np.zeros(places)) for _ in range(3))
        self._reach[layout.roots] = 1.0
        self._joint = np.zeros(int(np.diff(layout.joint_first).max()))

    def evaluate(self, strategy: np.ndarray) -> Evaluation:
        """The exact values of a strategy [S] and of the best responses to it."""
        players = self.form.tree.players
        values, best = np.zeros(players), np.zeros(players)
        _evaluate(
            self.form.layout,
            aligned(self.form.to_places(strategy)),
            self._reach,
            self._value,
            self._response,
            self._joint,
            values,
            best,
        )
        return Evaluation(values, best)

    def best_response(self) -> np.ndarray:
        """[S] float64: what each player answers to the strategy that was evaluated last."""
        return normalised(self.form.tree, self.form.to_tree(self._response))

    def exploitability(self, strategy: np.ndarray) -> float:
        return self.evaluate(strategy).exploitability


def evaluate(tree: Tree, strategy: np.ndarray) -> Evaluation:
    """The exact values of a strategy [S] and of the best responses to it."""
    return Evaluator(tree).evaluate(strategy)


@kernel
def _evaluate(
    layout: Any,
    behaviour: Any,
    reach: Any,
    value: Any,
    response: Any,
    joint: Any,
    values: Any,
    best: Any,
) -> None:
    players = layout.group_first.shape[0]
    for player in range(players):
        spread_reach(layout, player, behaviour, reach)
    for player in range(players):
        y = reach
        if players > 2:
            multiply_joint(layout, player, reach, joint)
            y = joint
        values[player] = 0.0
        for part in range(layout.group_first.shape[1] - 1):
            terminal_values(layout, player, part, y, value)
            values[player] += _own_value(layout, player, part, reach, value)
        best[player] = choose_best(layout, player, value, response)


@kernel
def _own_value(layout: Any, player: int, part: int, reach: Any, value: Any) -> Any:
    """What the player wins at the ends of one part with its own strategy."""
    total = 0.0
    rows, runs = layout.rows, layout.runs
    lanes = layout.roots.shape[1]
    for run in range(layout.run_first[player, part], layout.run_first[player, part + 1]):
        if runs[run, 2] > 0:
            for r in range(runs[run, 0], runs[run, 1]):
                for place in range(rows[r], rows[r] + lanes):
                    total += reach[place] * value[place]
    return total
