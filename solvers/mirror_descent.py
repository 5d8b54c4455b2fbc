"""Magnetic mirror descent in behavioural form (Sokota et al. 2023, section 4 and appendix).

Every information set follows its action values q under the present strategies, drawn to the
uniform strategy ρ:

    π(a) <- [π(a) ρ(a)^(η α) exp(η q(a))]^(1 / (1 + η α)), normalised

with step η and temperature α that fall with the iteration t. The last strategy is the result, not
an average. q(a) is the value of a to the player who acts, given that the set is reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, sqrt
from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import CHANCE
from pokerspiel.solvers.solver import ITERATION, NODES
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import TreeSolver, normalised


@dataclass(frozen=True)
class Magnet:
    """Parameters: at iteration t the step is eta / √t and the temperature alpha / √t."""

    eta: float = 0.3
    alpha: float = 5.0


class MirrorDescent(TreeSolver):
    """MMD on a tree, all players and sets at once."""

    def __init__(self, tree: Tree, magnet: Magnet | None = None) -> None:
        super().__init__(tree)
        self.magnet = magnet or Magnet()
        self._log = np.log(normalised(tree, np.zeros(tree.sequences)))
        """[S]: logarithm of the present strategy."""
        self._strategy = np.exp(self._log)
        self._terminal_returns = np.zeros((tree.nodes, tree.players))
        self._terminal_returns[tree.terminal] = tree.returns
        self._others = np.zeros((tree.nodes, tree.players))
        self._value = np.zeros((tree.nodes, tree.players))
        self._gain, self._weight = np.zeros(tree.sequences), np.zeros(tree.information_sets)

    def prepare(self) -> None:
        self.advance(0)

    def advance(self, iterations: int) -> None:
        tree = self.tree
        shape = (tree.turn, tree.parent, tree.first_child, tree.chance)
        sets = (tree.information_set, tree.set_first)
        work = (self._others, self._value, self._gain, self._weight)
        _descend(
            shape,
            sets,
            self._terminal_returns,
            self._log,
            self._strategy,
            work,
            self.control,
            iterations,
            self.magnet.eta,
            self.magnet.alpha,
        )

    def average_strategy(self) -> np.ndarray:
        return np.array(self._strategy)

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {"log": np.array(self._log), "strategy": np.array(self._strategy)}

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, int | float]) -> None:
        for name, own in (("log", self._log), ("strategy", self._strategy)):
            values = arrays.get(name)
            if values is None or values.shape != (self.tree.sequences,):
                raise ValueError(f"array {name} does not fit {self.tree.game}")
            own[:] = values
        self._restore_control(numbers)


@kernel(allocates=True, fuse=True)
def _descend(
    shape: Any,
    sets: Any,
    returns: Any,
    log: Any,
    strategy: Any,
    work: Any,
    control: Any,
    iterations: int,
    eta: float,
    alpha: float,
) -> None:
    turn, parent, first_child, chance = shape
    information_set, set_first = sets
    others, value, gain, weight = work
    for _ in range(iterations):
        root = 1.0 / sqrt(control[ITERATION] + 1.0)
        _reach_of_others(shape, sets, strategy, others)
        gain[:] = 0.0
        weight[:] = 0.0
        value[:] = returns
        players = value.shape[1]
        for node in range(len(turn) - 1, 0, -1):
            above = parent[node]
            player = turn[above]
            probability = chance[node]
            if player != CHANCE:
                i = information_set[above]
                s = set_first[i] + (node - np.int64(first_child[above]))
                probability = strategy[s]
                gain[s] += others[above, player] * value[node, player]
                if node == first_child[above]:
                    weight[i] += others[above, player]
            for p in range(players):
                value[above, p] += probability * value[node, p]
        for i in range(len(weight)):
            _step(
                log,
                strategy,
                gain,
                set_first[i],
                set_first[i + 1],
                weight[i],
                eta * root,
                alpha * root,
            )
        control[ITERATION] += 1
        control[NODES] += len(turn)


@kernel(fuse=True)
def _reach_of_others(shape: Any, sets: Any, strategy: Any, others: Any) -> None:
    """others[h, p]: probability that chance and all players but p play to node h."""
    turn, parent, first_child, chance = shape
    information_set, set_first = sets
    players = others.shape[1]
    others[0] = 1.0
    for node in range(1, len(turn)):
        above = parent[node]
        mover = turn[above]
        probability = chance[node]
        if mover >= 0:
            place = node - np.int64(first_child[above])
            probability = strategy[set_first[information_set[above]] + place]
        for p in range(players):
            others[node, p] = others[above, p] * (1.0 if mover == p else probability)


@kernel(fuse=True)
def _step(
    log: Any,
    strategy: Any,
    gain: Any,
    start: int,
    end: int,
    weight: float,
    eta: float,
    alpha: float,
) -> None:
    """The new strategy of one set; ρ is the same for all its actions and cancels."""
    largest = -np.inf
    for s in range(start, end):
        log[s] = (log[s] + (eta * gain[s] / weight if weight > 0.0 else 0.0)) / (1.0 + eta * alpha)
        largest = max(largest, log[s])
    total = 0.0
    for s in range(start, end):
        total += exp(log[s] - largest)
    shift = largest + np.log(total)
    for s in range(start, end):
        log[s] -= shift
        strategy[s] = exp(log[s])
