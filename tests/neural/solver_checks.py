"""What the tests of neural algorithms ask of each of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.exact_strategy import strategy_of
from pokerspiel.agents.policy import NETWORK, Policy, new_policy
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.best_response import evaluate
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.network import Network
from pokerspiel.solvers.neural.neural_solver import NeuralSolver

Make = Callable[[Game, int], NeuralSolver]
"""Gives a solver of a game and a seed."""


class NetworkAgent(CompiledAgent):
    """A network at play."""

    def __init__(self, game: Game, network: Network) -> None:
        super().__init__("network", game)
        self._network = network

    def policy(self, game: Game) -> Policy:
        return new_policy(NETWORK, game, network=self._network)


def exploitability(solver: NeuralSolver) -> float:
    """Of the exported policy, in chips."""
    tree = compile_tree(str(solver.game))
    strategy, missed = strategy_of(NetworkAgent(solver.game, solver.policy()), tree)
    assert missed == 0
    return evaluate(tree, strategy).exploitability


def check_cut_run(make: Make) -> None:
    """A run that was cut and resumed by a new solver is the uninterrupted one, bit for bit."""
    game = load("kuhn")
    whole, first, second = make(game, 3), make(game, 3), make(game, 4)
    whole.advance(5)
    first.advance(2)
    second.restore(first.to_arrays(), first.to_numbers())
    second.advance(3)
    arrays = second.to_arrays()
    assert whole.to_arrays().keys() == arrays.keys()
    for name, array in whole.to_arrays().items():
        np.testing.assert_array_equal(array, arrays[name], err_msg=name)
    assert {**second.to_numbers(), "seconds": 0} == {**whole.to_numbers(), "seconds": 0}


def check_foreign_arrays(make: Make) -> None:
    """What belongs to another game, or lacks an array or a number, is refused."""
    solver, other = make(load("kuhn"), 0), make(load("kuhn(players=3)"), 0)
    other.advance(1)
    with pytest.raises(ValueError):
        solver.restore(other.to_arrays(), other.to_numbers())
    solver.advance(1)
    arrays, numbers = solver.to_arrays(), solver.to_numbers()
    for name in arrays:
        with pytest.raises(ValueError):
            solver.restore({k: v for k, v in arrays.items() if k != name}, numbers)
    with pytest.raises(ValueError):
        solver.restore(arrays, {k: v for k, v in numbers.items() if k != "nodes"})


def check_plays(make: Make, text: str) -> None:
    """The algorithm runs on a game, and its policy gives chances there."""
    solver = make(load(text), 0)
    solver.prepare()
    solver.advance(2)
    assert solver.iteration == 2
    assert solver.nodes > 0
    assert all(np.isfinite(value) for value in solver.losses().values())
    assert solver.policy().weights.shape[1] in (1, solver.game.players)
