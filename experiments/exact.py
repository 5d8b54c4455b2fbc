"""Exact exploitability on small games, by OpenSpiel's best response.

Exploitability is NashConv / 2: what a player who knows the strategy wins against it on average over
both seats, in big blinds or antes a hand. The game tree is expanded once, as a cached tree, so that
OpenSpiel's algorithms run on it at the speed of C++.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pyspiel

from pokerspiel.games import variants
from pokerspiel.solvers.mccfr import Mccfr

GOAL = 0.02
"""Exploitability that CFR+ is to reach."""
MOST_CFR_PLUS = 640
"""Iterations after which it is given up."""


@dataclass(frozen=True)
class Point:
    iterations: int
    exploitability: float


@dataclass
class Curves:
    """How two algorithms approach an equilibrium of one game."""

    game: str
    unit: str
    information_sets: int = 0
    seed: int = 0
    seconds: float = 0.0
    cfr_plus: list[Point] = field(default_factory=list)
    mccfr: list[Point] = field(default_factory=list)


class ExactGame:
    """A small two-player game with its expanded tree and OpenSpiel's CFR+ on it."""

    def __init__(self, name: str) -> None:
        self.game = variants.load(name)
        self._tree = pyspiel.convert_to_cached_tree(pyspiel.load_game(str(self.game)))
        self.solver = pyspiel.CFRPlusSolver(self._tree)
        self._actions = {
            text: [action for action, _ in row] for text, row in self._average().items()
        }

    @property
    def information_sets(self) -> int:
        return len(self._actions)

    def _average(self) -> dict[str, list[tuple[int, float]]]:
        table: dict[str, list[tuple[int, float]]]
        table = self.solver.tabular_average_policy().policy_table()
        return table

    def exploitability_of_cfr_plus(self) -> float:
        return self._exploitability(self._average())

    def exploitability(self, strategy: Callable[[int, int], Sequence[float]]) -> float:
        """Of the strategy that gives probabilities for (information key, number of actions)."""
        return self._exploitability(
            {
                text: list(zip(actions, strategy(key_in(text), len(actions)), strict=True))
                for text, actions in self._actions.items()
            }
        )

    def _exploitability(self, table: dict[str, list[tuple[int, float]]]) -> float:
        policy = pyspiel.TabularPolicy(table)
        return float(pyspiel.exploitability(self._tree, policy)) / self.game.limits.big_unit


def key_in(information_state: str) -> int:
    """The kernels' key, with which every information state of our games ends."""
    return int(information_state.rpartition("#")[2], 16)


def measure_curves(name: str, iterations: Sequence[int], seed: int, goal: float = GOAL) -> Curves:
    """CFR+ until it falls below `goal`, and our MCCFR after each number of `iterations`."""
    start = time.perf_counter()
    exact = ExactGame(name)
    curves = Curves(name, exact.game.limits.unit, exact.information_sets, seed)
    done, following = 0, 10
    while not curves.cfr_plus or curves.cfr_plus[-1].exploitability >= goal:
        if done >= MOST_CFR_PLUS:
            break
        for _ in range(following - done):
            exact.solver.evaluate_and_update_policy()
        done, following = following, 2 * following
        curves.cfr_plus.append(Point(done, exact.exploitability_of_cfr_plus()))
    solver = Mccfr(exact.game, seed)
    for count in sorted(iterations):
        solver.run(iterations=count - solver.state.iteration)
        value = exact.exploitability(lambda key, n: solver.average_strategy(key, n).tolist())
        curves.mccfr.append(Point(count, value))
    curves.seconds = time.perf_counter() - start
    return curves
