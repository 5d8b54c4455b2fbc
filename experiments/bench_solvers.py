"""The rows of `pokerspiel bench speed` about trees and the solvers that work on them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from importlib.util import find_spec

import numpy as np

from pokerspiel.experiments.bench_row import Rate, Row, timed
from pokerspiel.solvers.best_response import Evaluator
from pokerspiel.solvers.catalogue import Plan, new_solver
from pokerspiel.solvers.compile_tree import compile_tree, load_spiel_game, tree_of_spiel_game
from pokerspiel.solvers.strategies import uniform_strategy
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import TreeSolver

KUHN, LEDUC, DICE = "kuhn_poker", "leduc_poker", "liars_dice"
SEVEN_SIDES = "liars_dice(dice_sides=7)"
GOOFSPIEL = (
    "turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards=5,"
    "points_order=descending,returns_type=win_loss))"
)
SHORT = {
    GOOFSPIEL: "goofspiel, 5 cards",
    DICE: "liars_dice, 6 sides",
    SEVEN_SIDES: "liars_dice, 7 sides",
}

FULL_TREE = ("cfr", "cfr+", "dcfr", "pcfr+")
"""Of these the slowest counts."""
AGAINST_OPENSPIEL = {KUHN: 80.0, LEDUC: 1400.0, GOOFSPIEL: 1500.0, DICE: 750.0, SEVEN_SIDES: 250.0}
AGAINST_LITEEFG = {KUHN: 30.0, LEDUC: 400.0, GOOFSPIEL: 700.0, DICE: 900.0}
EXTERNAL_SAMPLING = {KUHN: 17.0, LEDUC: 45.0, GOOFSPIEL: 60.0, DICE: 22.0}
EXPLOITABILITY = {LEDUC: 100.0, DICE: 800.0}
TWO_THREADS = {LEDUC: 1.0, DICE: 1.4, SEVEN_SIDES: 1.7}
COMPILED_NODES = 200_000.0
OUR_GAMES = ("mini_svara",)


def rows() -> list[Row]:
    """The comparisons, ours with the rival's."""
    from pokerspiel.experiments import rivals

    installed = find_spec(rivals.LITEEFG) is not None
    found = [
        *_rows(
            "full tree",
            AGAINST_OPENSPIEL,
            slowest_rate,
            "OpenSpiel's C++ CFR+",
            lambda game: _without_seed(partial(rivals.openspiel_cfr_plus_rate, game)),
        ),
        *_rows(
            "full tree",
            AGAINST_LITEEFG,
            slowest_rate,
            "LiteEFG's CFR+",
            lambda game: (
                _without_seed(partial(rivals.liteefg_rate, game, "cfr+")) if installed else None
            ),
        ),
        *_rows(
            "external sampling",
            EXTERNAL_SAMPLING,
            partial(solver_rate, "external-sampling", 1),
            "OpenSpiel's C++ external sampling",
            lambda game: _without_seed(partial(rivals.openspiel_external_rate, game)),
        ),
        *_rows(
            "exploitability",
            EXPLOITABILITY,
            exploitability_rate,
            "pyspiel.exploitability",
            lambda game: _without_seed(partial(rivals.openspiel_exploitability_rate, game)),
            unit="evaluations",
        ),
        *_rows(
            "two threads",
            TWO_THREADS,
            partial(solver_rate, "cfr+", 2),
            "one thread",
            lambda game: partial(solver_rate, "cfr+", 1, game),
        ),
    ]
    found.append(
        Row(
            f"{_short(DICE)}, tree through pyspiel",
            "nodes",
            COMPILED_NODES,
            partial(compile_rate, DICE),
            None,
            "",
            absolute=True,
        )
    )
    found += [
        Row(
            f"{game}, tree by the kernels",
            "nodes",
            5.0,
            partial(compile_rate, game),
            partial(pyspiel_compile_rate, game),
            "the same tree through pyspiel",
        )
        for game in OUR_GAMES
    ]
    return found


def _rows(
    what: str,
    goals: Mapping[str, float],
    ours: Callable[..., float],
    rival_name: str,
    rival: Callable[[str], Rate | None],
    unit: str = "iterations",
) -> list[Row]:
    """One row a game; `ours` takes the game before seconds and seed."""
    return [
        Row(f"{_short(game)}, {what}", unit, goal, partial(ours, game), rival(game), rival_name)
        for game, goal in goals.items()
    ]


def _short(game: str) -> str:
    return SHORT.get(game, game)


def _without_seed(rate: Callable[[float], float]) -> Rate:
    return lambda seconds, seed: rate(seconds)


@lru_cache(maxsize=4)
def _tree(game: str) -> Tree:
    return compile_tree(game)


@lru_cache(maxsize=8)
def _solver(game: str, algorithm: str, threads: int) -> TreeSolver:
    return new_solver(_tree(game), algorithm, Plan(threads=threads))


def solver_rate(algorithm: str, threads: int, game: str, seconds: float, seed: int) -> float:
    """Iterations a second; the solver goes on where the last call left it."""
    solver = _solver(game, algorithm, threads)
    iterations, before = solver.iteration, solver.seconds
    solver.run(seconds=seconds)
    return (solver.iteration - iterations) / (solver.seconds - before)


def slowest_rate(game: str, seconds: float, seed: int) -> float:
    """Iterations a second of the slowest of FULL_TREE."""
    share = seconds / len(FULL_TREE)
    return min(solver_rate(algorithm, 1, game, share, seed) for algorithm in FULL_TREE)


def exploitability_rate(game: str, seconds: float, seed: int) -> float:
    """Exact evaluations a second of a random strategy."""
    tree, evaluator = _tree(game), _evaluator(game)
    weights = np.random.default_rng(seed).random(tree.sequences) * uniform_strategy(tree)
    strategy = weights / np.repeat(
        np.add.reduceat(weights, tree.set_first[:-1]), np.diff(tree.set_first)
    )

    def evaluate(turn: int) -> int:
        evaluator.exploitability(strategy)
        return 1

    return timed(evaluate, seconds)


@lru_cache(maxsize=2)
def _evaluator(game: str) -> Evaluator:
    return Evaluator(_tree(game))


def compile_rate(game: str, seconds: float, seed: int) -> float:
    """Nodes a second from the game string to the checked tree, at least one tree."""
    return timed(lambda turn: compile_tree(game, keep=False).nodes, seconds)


def pyspiel_compile_rate(game: str, seconds: float, seed: int) -> float:
    """The same for one of our games, met as OpenSpiel meets it."""
    spiel_game = load_spiel_game(game)
    start = time.perf_counter()
    nodes = tree_of_spiel_game(spiel_game, 10**7).nodes
    return nodes / (time.perf_counter() - start)
