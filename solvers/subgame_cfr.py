"""Counterfactual regret minimisation of a subgame, one lane a hand.

The values of all hands at the terminals are products of the other's reach with two matrices, one
for showdowns and one for folds; in between, every node is a few sweeps over the lanes. Reach leaves
the ranges out: those of the other are in the matrices, and a seat's own would scale its lanes only.
Hands that the blueprint never brings here thus get a strategy as well.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.algorithms import DISCOUNTING, factors
from pokerspiel.solvers.best_response import Evaluation
from pokerspiel.solvers.subgame import FOLDED, ROOT, SHOWDOWN, PublicTree, Subgame

ALGORITHM = "dcfr"
_BETWEEN_LOOKS = 8
"""Iterations between two looks at the clock."""


class Lanes(NamedTuple):
    """The numbers of a seat: rows are nodes, columns its N hands; M hands of the other."""

    showdown: np.ndarray
    """[M, N] float32: what a stake of one brings, times the weight of the other's hand."""
    fold: np.ndarray
    """[M, N] float32: the same of one chip that seat 0 wins by a fold."""
    strategy: np.ndarray
    """[nodes, N] float32: probability of the action that leads to a node of this seat's making."""
    regret: np.ndarray
    average: np.ndarray
    reach: np.ndarray
    value: np.ndarray


class Leaves(NamedTuple):
    """Terminals of one kind."""

    node: np.ndarray
    chips: np.ndarray
    """[leaves] float32"""


def _leaves(tree: PublicTree, kind: int) -> Leaves:
    node = np.flatnonzero(tree.player == kind)
    return Leaves(node, tree.chips[node].astype(np.float32))


def _lanes(subgame: Subgame, seat: int) -> Lanes:
    tree = subgame.tree
    sign = 1.0 - 2.0 * seat
    other = subgame.weights[1 - seat]
    scale = sign * other / other.sum()
    matrices = [
        np.ascontiguousarray((matrix.T if seat == 0 else matrix) * scale[:, None], dtype=np.float32)
        for matrix in (subgame.showdown, subgame.meets)
    ]
    shape = (len(tree.player), len(subgame.weights[seat]))
    rows = [np.zeros(shape, np.float32) for _ in range(5)]
    lanes = Lanes(*matrices, *rows)
    for node in np.flatnonzero(tree.player == seat):
        first, n = tree.first[node], tree.choices[node]
        lanes.strategy[first : first + n] = 1.0 / n
    lanes.reach[ROOT] = 1.0
    return lanes


@dataclass(frozen=True)
class SubgameSolution:
    """The average strategies of both seats after some iterations."""

    subgame: Subgame
    strategies: tuple[np.ndarray, np.ndarray]
    """[nodes, N_p] float64: probability that seat p takes the action leading to a node."""
    iterations: int
    seconds: float

    def strategy(self, node: int) -> np.ndarray:
        """[actions, N_p]: what the seat to act at `node` does with each of its hands."""
        tree = self.subgame.tree
        seat, first = int(tree.player[node]), int(tree.first[node])
        if seat < 0:
            raise ValueError(f"node {node} is a terminal: nobody acts there")
        return self.strategies[seat][first : first + int(tree.choices[node])]

    def hand_values(self, seat: int, best: bool = False) -> np.ndarray:
        """[N_p]: chips that each hand of a seat wins; with `best`, by a best response.

        They are returns of the whole hand, weighed with the chance that the other's range leaves
        the hand possible; `values` adds them up.
        """
        return _root_values(self.subgame, self.strategies, seat, best)

    @cached_property
    def evaluation(self) -> Evaluation:
        """What the strategies, and best responses to them in the subgame, are worth in chips."""
        values = [[self._worth(seat, best) for seat in range(2)] for best in (False, True)]
        return Evaluation(np.array(values[0]), np.array(values[1]))

    def _worth(self, seat: int, best: bool) -> float:
        weights = self.subgame.weights
        total = float(weights[seat] @ self.hand_values(seat, best))
        return total * float(weights[1 - seat].sum()) / self.subgame.chance

    @property
    def exploitability(self) -> float:
        """NashConv / 2 within the subgame, in chips, given the ranges."""
        return self.evaluation.exploitability


def solve(
    subgame: Subgame,
    iterations: int = 1000,
    seconds: float | None = None,
    algorithm: str = ALGORITHM,
) -> SubgameSolution:
    """Solve by an algorithm of DISCOUNTING with alternating updates.

    Ends after `iterations`, or, where it is given, at the first look at the clock after `seconds`:
    with a limit of time the result depends on the machine.
    """
    if iterations < 1:
        raise ValueError(f"iterations={iterations} is not allowed: expected 1 or more")
    start = time.perf_counter()
    tree = subgame.tree
    leaves = _leaves(tree, SHOWDOWN), _leaves(tree, FOLDED)
    lanes = _lanes(subgame, 0), _lanes(subgame, 1)
    for seat in range(2):
        _spread_reach(tree, lanes[seat], seat, np.float32(0.0))
    done = 0
    while done < iterations:
        last = min(done + _BETWEEN_LOOKS, iterations) if seconds is not None else iterations
        weights = factors(DISCOUNTING[algorithm], done, last, iterations).astype(np.float32)
        _iterate(tree, lanes[0], lanes[1], leaves, weights)
        done = last
        if seconds is not None and time.perf_counter() - start >= seconds:
            break
    strategies = _normalised(tree, lanes[0].average, 0), _normalised(tree, lanes[1].average, 1)
    return SubgameSolution(subgame, strategies, done, time.perf_counter() - start)


def _normalised(tree: PublicTree, sums: np.ndarray, seat: int) -> np.ndarray:
    """Probabilities in proportion to `sums`; uniform where a hand's own strategy never comes."""
    out = np.zeros(sums.shape)
    for node in np.flatnonzero(tree.player == seat):
        rows = slice(tree.first[node], tree.first[node] + tree.choices[node])
        total = sums[rows].sum(axis=0, dtype=np.float64)
        known = total > 0.0
        out[rows] = np.where(known, sums[rows] / np.where(known, total, 1.0), 1.0 / len(out[rows]))
    return out


def _root_values(
    subgame: Subgame, strategies: tuple[np.ndarray, np.ndarray], seat: int, best: bool
) -> np.ndarray:
    tree = subgame.tree
    other = 1 - seat
    weights = subgame.weights[other]
    reach = np.zeros((len(tree.player), len(weights)))
    reach[ROOT] = weights / weights.sum()
    for node, first, n in _decisions(tree):
        for child in range(first, first + n):
            acts = tree.player[node] == other
            reach[child] = reach[node] * (strategies[other][child] if acts else 1.0)
    value = np.zeros((len(tree.player), len(subgame.weights[seat])))
    sign = 1.0 - 2.0 * seat
    for kind, matrix in ((SHOWDOWN, subgame.showdown), (FOLDED, subgame.meets)):
        rows = tree.player == kind
        values = reach[rows] @ np.asarray(matrix.T if seat == 0 else matrix, np.float64)
        value[rows] = sign * tree.chips[rows, None] * values
    for node, first, n in reversed(_decisions(tree)):
        below = value[first : first + n]
        if tree.player[node] == other:
            value[node] = below.sum(axis=0)
        elif best:
            value[node] = below.max(axis=0)
        else:
            value[node] = (below * strategies[seat][first : first + n]).sum(axis=0)
    return np.asarray(value[ROOT])


def _decisions(tree: PublicTree) -> list[tuple[int, int, int]]:
    """(Node, first child, number of children), parents first."""
    nodes = np.flatnonzero(tree.player >= 0)
    return [(int(node), int(tree.first[node]), int(tree.choices[node])) for node in nodes]


@kernel(allocates=True)
def _iterate(tree: Any, one: Any, other: Any, leaves: Any, weights: Any) -> None:
    """One iteration for each row of `weights`, the factors of algorithms.py."""
    room = _room(one, other, leaves), _room(other, one, leaves)
    for t in range(len(weights)):
        _update(tree, one, other, leaves, room[0], 0, weights[t])
        _update(tree, other, one, leaves, room[1], 1, weights[t])


@kernel(allocates=True)
def _room(mine: Any, theirs: Any, leaves: Any) -> Any:
    """Room for the reach of the other and the values of the terminals, and for sums of lanes."""
    rows = max(len(leaves[0].node), len(leaves[1].node))
    n = mine.reach.shape[1]
    return (
        np.zeros((rows, theirs.reach.shape[1]), np.float32),
        np.zeros((rows, n), np.float32),
        np.zeros(n, np.float32),
    )


@kernel
def _update(
    tree: Any, mine: Any, theirs: Any, leaves: Any, room: Any, seat: int, rates: Any
) -> None:
    """One iteration of a seat against the other's present strategy."""
    _leaf_values(leaves[0], theirs.reach, mine.showdown, room, mine.value)
    _leaf_values(leaves[1], theirs.reach, mine.fold, room, mine.value)
    for node in range(len(tree.player) - 1, -1, -1):
        if tree.player[node] >= 0:
            first = tree.first[node]
            end = first + tree.choices[node]
            if tree.player[node] == seat:
                _match(mine, node, first, end, room[2], rates)
            else:
                _add_up(mine.value, node, first, end)
    _spread_reach(tree, mine, seat, rates[2])


@kernel(allocates=True)
def _leaf_values(leaves: Any, reach: Any, matrix: Any, room: Any, value: Any) -> None:
    n = len(leaves.node)
    chances, values = room[0][:n], room[1][:n]
    for k in range(n):
        chips = leaves.chips[k]
        for h in range(reach.shape[1]):
            chances[k, h] = chips * reach[leaves.node[k], h]
    np.dot(chances, matrix, values)
    for k in range(n):
        value[leaves.node[k]] = values[k]


@kernel
def _add_up(value: Any, node: int, first: int, end: int) -> None:
    """The value of a node of the other, whose probabilities are in its reach."""
    for h in range(value.shape[1]):
        value[node, h] = np.float32(0.0)
    for child in range(first, end):
        for h in range(value.shape[1]):
            value[node, h] += value[child, h]


@kernel
def _match(mine: Any, node: int, first: int, end: int, total: Any, rates: Any) -> None:
    """Add the regrets of a node, discount them, and match them, as `passes.update_regrets` does."""
    value, strategy, regret = mine.value, mine.strategy, mine.regret
    positive, negative, prediction = rates[0], rates[1], rates[3]
    zero = np.float32(0.0)
    lanes = value.shape[1]
    for h in range(lanes):
        value[node, h] = zero
        total[h] = zero
    for child in range(first, end):
        for h in range(lanes):
            value[node, h] += value[child, h] * strategy[child, h]
    for child in range(first, end):
        for h in range(lanes):
            r = value[child, h] - value[node, h]
            added = regret[child, h] + r
            gain = max(added, zero)
            kept = gain * positive
            regret[child, h] = kept + (added - gain) * negative
            strategy[child, h] = max(kept + prediction * r, zero)
            total[h] += strategy[child, h]
    rest = np.float32(1.0) / np.float32(end - first)
    for child in range(first, end):
        for h in range(lanes):
            strategy[child, h] = strategy[child, h] / total[h] if total[h] > zero else rest


@kernel
def _spread_reach(tree: Any, mine: Any, seat: int, keep: float) -> None:
    """The reach of a seat under its present strategy, added to `keep` times the average."""
    reach, strategy, average = mine.reach, mine.strategy, mine.average
    for node in range(len(tree.player)):
        if tree.player[node] < 0:
            continue
        for child in range(tree.first[node], tree.first[node] + tree.choices[node]):
            if tree.player[node] == seat:
                for h in range(reach.shape[1]):
                    reach[child, h] = reach[node, h] * strategy[child, h]
                    average[child, h] = average[child, h] * keep + reach[child, h]
            else:
                for h in range(reach.shape[1]):
                    reach[child, h] = reach[node, h]
