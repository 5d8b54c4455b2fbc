"""Other packages' solvers as rows of the grid: their policies, seeds, clocks and absence."""

from __future__ import annotations

import importlib.util
import time
from typing import Any

import numpy as np
import pyspiel
import pytest

from pokerspiel.experiments import rivals
from pokerspiel.experiments.rivals import RIVALS, MissingError, RivalSolver, spiel_game
from pokerspiel.solvers.best_response import evaluate
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.strategies import check_strategy
from pokerspiel.solvers.tree import Tree

LITEEFG = importlib.util.find_spec("LiteEFG") is not None
HERE = [name for name in RIVALS if LITEEFG or not name.startswith("liteefg")]
OTHERS_GAME = "goofspiel(num_cards=4,imp_info=True,points_order=descending)"


@pytest.fixture(scope="module", params=["kuhn", "leduc_poker", OTHERS_GAME])
def game(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("name", HERE)
def test_every_rival_gives_a_strategy_that_gets_better(name: str, game: str) -> None:
    """On a game of ours, on one of OpenSpiel's, and on one whose moves are simultaneous."""
    tree = compile_tree(game)
    solver = RIVALS[name].make(game, 1)
    solver.run(2)
    first = solver.average_strategy(tree)
    check_strategy(tree, first)
    solver.run(3_000 if RIVALS[name].sampled else 10)
    last = solver.average_strategy(tree)
    assert evaluate(tree, last).exploitability < 0.9 * evaluate(tree, first).exploitability


@pytest.mark.parametrize("name", ["openspiel-c++ cfr", "openspiel-c++ cfr+"])
def test_tables_of_openspiel_reach_our_sets(name: str, game: str) -> None:
    """Its own exploitability of its policy is ours of the strategy that was read from it."""
    solver: Any = RIVALS[name].make(game, 0)
    solver.run(7)
    tree = compile_tree(game)
    theirs = pyspiel.exploitability(spiel_game(game), solver._solver.tabular_average_policy())
    ours = evaluate(tree, solver.average_strategy(tree)).exploitability
    assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("method", ["external-sampling", "outcome-sampling"])
def test_policies_of_openspiel_s_sampling_reach_our_sets(method: str, game: str) -> None:
    solver: Any = RIVALS[f"openspiel-c++ {method}"].make(game, 3)
    solver.run(200)
    tree = compile_tree(game)
    policy = solver._solver.average_policy()
    theirs = pyspiel.exploitability(spiel_game(game), policy)
    ours = evaluate(tree, solver.average_strategy(tree)).exploitability
    assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.skipif(not LITEEFG, reason="the extra `rivals` is not installed")
@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "external-sampling"])
def test_strategies_of_liteefg_reach_our_sets(method: str, game: str) -> None:
    solver: Any = RIVALS[f"liteefg {method}"].make(game, 3)
    solver.run(20)
    tree = compile_tree(game)
    theirs = sum(solver._world.exploitability(solver._played, solver._average)) / 2
    ours = evaluate(tree, solver.average_strategy(tree)).exploitability
    assert ours == pytest.approx(theirs, abs=1e-9)


def test_cfr_of_openspiel_on_leduc_after_101_iterations() -> None:
    """The figure that its own example prints."""
    solver = RIVALS["openspiel-c++ cfr"].make("leduc_poker", 0)
    solver.run(101)
    tree = compile_tree("leduc_poker")
    found = evaluate(tree, solver.average_strategy(tree)).exploitability
    assert found == pytest.approx(0.0939493, abs=1e-6)


@pytest.mark.parametrize("name", [name for name in HERE if RIVALS[name].sampled])
def test_the_seed_decides_what_is_sampled(name: str) -> None:
    tree = compile_tree("kuhn")

    def strategy(seed: int) -> np.ndarray:
        solver = RIVALS[name].make("kuhn", seed)
        solver.run(100)
        return solver.average_strategy(tree)

    assert np.array_equal(strategy(0), strategy(0))
    assert not np.array_equal(strategy(0), strategy(1))


class _Sleeper(RivalSolver):
    def __init__(self, text: str = "kuhn", seed: int = 0) -> None:
        super().__init__(text)

    def iterate(self) -> None:
        time.sleep(0.01)

    def average_strategy(self, tree: Tree) -> np.ndarray:
        return np.zeros(tree.sequences)


def test_a_run_ends_with_its_iterations_or_its_seconds() -> None:
    solver = _Sleeper()
    solver.run(iterations=3)
    assert solver.iteration == 3 and solver.seconds >= 0.03
    solver.run(iterations=1000, seconds=0.05)
    assert 3 < solver.iteration <= 8 and solver.seconds >= 0.08
    before = solver.iteration
    solver.run(seconds=0.0)
    assert solver.iteration == before + 1


def test_a_rate_counts_iterations_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    sleeper = rivals.Rival("x", "x", _Sleeper, "", 2)
    monkeypatch.setitem(RIVALS, "openspiel-c++ cfr+", sleeper)
    rivals._kept_solver.cache_clear()
    try:
        # An iteration sleeps for a hundredth of a second, and seldom for much longer.
        assert 20 < rivals.openspiel_cfr_plus_rate("kuhn", 0.1) <= 100
    finally:
        rivals._kept_solver.cache_clear()


def test_rates_for_the_benchmark_of_speed() -> None:
    assert rivals.openspiel_cfr_plus_rate("kuhn", 0.05) > 100
    assert rivals.openspiel_external_rate("kuhn", 0.05) > 1000
    assert rivals.openspiel_exploitability_rate("kuhn", 0.05) > 10
    if LITEEFG:
        assert rivals.liteefg_rate("kuhn", "cfr+", 0.05) > 1000


def test_a_rival_that_is_not_installed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "find_spec", lambda name: None)
    rivals._kept_solver.cache_clear()
    for call in (
        lambda: RIVALS["liteefg cfr+"].make("kuhn", 0),
        lambda: rivals.liteefg_rate("kuhn", "cfr+", 0.1),
    ):
        with pytest.raises(MissingError, match=r"pokerspiel\[rivals\]"):
            call()


def test_an_algorithm_that_liteefg_lacks() -> None:
    with pytest.raises(ValueError, match=r"'lcfr'.*pcfr\+"):
        rivals.liteefg_rate("kuhn", "lcfr", 0.1)
