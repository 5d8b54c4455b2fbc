"""Solvers of other packages on the same games: OpenSpiel's, in C++ and Python, and LiteEFG's.

They are rows of the grid, measured as ours are: their seconds are those of their iterations, and
our exact evaluator judges the average policy that they offer. One thread each. Our own games reach
them as OpenSpiel's tree of cached states, expanded before the clock runs, so that their own code
is what is timed.

LiteEFG is an extra: `pip install 'pokerspiel[rivals]'`.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyspiel

from pokerspiel.games.variants import VARIANTS
from pokerspiel.solvers.algorithms import DISCOUNTING
from pokerspiel.solvers.compile_tree import load_spiel_game
from pokerspiel.solvers.strategies import uniform_strategy
from pokerspiel.solvers.tree import Tree

SAMPLING = "Lanctot, Waugh, Zinkevich and Bowling 2009"
LITEEFG = "LiteEFG"


class MissingError(RuntimeError):
    """A rival whose package is not installed."""


@dataclass(frozen=True)
class Rival:
    """An algorithm of another package."""

    package: str
    """As pip knows it."""
    program: str
    """The package and the language of the solver, in words."""
    make: Callable[[str, int], RivalSolver]
    """Takes a game string and a seed."""
    paper: str
    passes: int
    """Passes over the whole tree in an iteration; 0: it samples, and counts no nodes."""
    alternating: bool = True
    """Whether players are updated one after the other."""

    @property
    def sampled(self) -> bool:
        return self.passes == 0


class RivalSolver(ABC):
    """A solver of another package at work."""

    iteration = 0
    seconds = 0.0
    """Wall time of all iterations."""

    def run(self, iterations: int | None = None, seconds: float | None = None) -> None:
        """Run `iterations` more, or for `seconds`, whichever ends first; at least one."""
        start = now = time.perf_counter()
        last = self.iteration + iterations if iterations is not None else 1 << 62
        deadline = start + (seconds if seconds is not None else float("inf"))
        while self.iteration < last:
            self.iterate()
            self.iteration += 1
            now = time.perf_counter()
            if now >= deadline:
                break
        self.seconds += now - start

    def __init__(self, text: str) -> None:
        self._game = spiel_game(text)
        self._states: list[Any] = []
        self._texts: list[str] = []

    @abstractmethod
    def iterate(self) -> None:
        """One iteration, in which every player is updated."""

    @abstractmethod
    def average_strategy(self, tree: Tree) -> np.ndarray:
        """[S] float64: the average policy on the tree of the same game."""

    def states(self, tree: Tree) -> list[Any]:
        """One state of OpenSpiel's for each information set of the tree."""
        if not self._states:
            self._states = _states(self._game, tree)
        return self._states

    def texts(self, tree: Tree) -> list[str]:
        """OpenSpiel's text for each information set of the tree."""
        if not self._texts:
            self._texts = [state.information_state_string() for state in self.states(tree)]
        return self._texts


# OpenSpiel.


@lru_cache(maxsize=4)
def spiel_game(text: str) -> Any:
    """The game as OpenSpiel's algorithms run fastest on it."""
    game = load_spiel_game(text)
    if text.partition("(")[0].strip() not in VARIANTS:
        return game
    cached = pyspiel.convert_to_cached_tree(game)
    pyspiel.CFRSolver(cached)  # visits every state, and so fills the cache
    return cached


def _states(game: Any, tree: Tree) -> list[Any]:
    """One state of OpenSpiel's for each information set of the tree."""
    states = []
    for node in tree.set_node:
        state = game.new_initial_state()
        for action in tree.history(int(node)):
            state.apply_action(action)
        states.append(state)
    return states


def _strategy(tree: Tree, row: Callable[[int], Mapping[int, float]]) -> np.ndarray:
    """[S]: from the probabilities by action that `row` gives for each set."""
    strategy = uniform_strategy(tree)
    for i in range(tree.information_sets):
        probabilities = row(i)
        if probabilities:
            first = int(tree.set_first[i])
            for a, action in enumerate(tree.actions(i)):
                strategy[first + a] = probabilities.get(int(action), 0.0)
    return strategy


class _OpenSpielCfr(RivalSolver):
    """OpenSpiel's C++ solvers on the whole tree."""

    def __init__(self, text: str, seed: int, kind: str) -> None:
        super().__init__(text)
        self._solver = getattr(pyspiel, kind)(self._game)

    def iterate(self) -> None:
        self._solver.evaluate_and_update_policy()

    def average_strategy(self, tree: Tree) -> np.ndarray:
        table = self._solver.tabular_average_policy().policy_table()
        texts = self.texts(tree)
        return _strategy(tree, lambda i: dict(table[texts[i]]))


class _OpenSpielSampling(RivalSolver):
    """OpenSpiel's C++ solvers that sample."""

    def __init__(self, text: str, seed: int, kind: str) -> None:
        super().__init__(text)
        self._solver = getattr(pyspiel, kind)(self._game, seed=seed % 2**31)

    def iterate(self) -> None:
        self._solver.run_iteration()

    def average_strategy(self, tree: Tree) -> np.ndarray:
        policy = self._solver.average_policy()
        states = self.states(tree)
        return _strategy(tree, lambda i: policy.action_probabilities(states[i]))


class _OpenSpielPython(RivalSolver):
    """OpenSpiel's Python solvers on the whole tree."""

    def __init__(self, text: str, seed: int, kind: str) -> None:
        from open_spiel.python.algorithms import cfr, discounted_cfr

        module = discounted_cfr if hasattr(discounted_cfr, kind) else cfr
        super().__init__(text)
        self._solver = getattr(module, kind)(self._game)

    def iterate(self) -> None:
        self._solver.evaluate_and_update_policy()

    def average_strategy(self, tree: Tree) -> np.ndarray:
        policy = self._solver.average_policy()
        table, texts = policy.action_probability_array, self.texts(tree)
        return _strategy(tree, lambda i: dict(enumerate(table[policy.state_lookup[texts[i]]])))


# LiteEFG.


@dataclass(frozen=True)
class _Recipe:
    """How LiteEFG's own training script runs one of its baselines."""

    module: str
    traversal: str
    average: str
    """Which average of the current strategies is the result."""
    own_average: bool = False
    """The baseline averages by itself."""


_LITEEFG = {
    "cfr": _Recipe("CFR", "Enumerate", "avg-iterate"),
    "cfr+": _Recipe("CFRplus", "Enumerate", "linear-avg-iterate"),
    "dcfr": _Recipe("DCFR", "Enumerate", "last-iterate", own_average=True),
    "pcfr+": _Recipe("PCFR", "Enumerate", "linear-avg-iterate"),
    "external-sampling": _Recipe("CFR", "External", "avg-iterate"),
    "outcome-sampling": _Recipe("OS_MCCFR", "Outcome", "avg-iterate"),
}


class _LiteEfg(RivalSolver):
    def __init__(self, text: str, seed: int, algorithm: str) -> None:
        if find_spec(LITEEFG) is None:
            raise MissingError("LiteEFG is not installed: pip install 'pokerspiel[rivals]'")
        with _private_home(), contextlib.redirect_stdout(io.StringIO()):
            import LiteEFG
            from LiteEFG import baselines

            recipe = _LITEEFG[algorithm]
            LiteEFG.set_threads(1)
            LiteEFG.set_seed(seed % 2**31 + 1)  # its generator takes 0 for 1
            super().__init__(text)
            self._graph = getattr(baselines, recipe.module).graph()
            self._world = LiteEFG.OpenSpielEnv(self._game, traverse_type=recipe.traversal)
            self._world.set_graph(self._graph)
        self._average = recipe.average
        self._read = partial(LiteEFG.FileEnv.get_strategy, self._world)
        self._played = (
            self._graph.current_strategy("average-iterate")
            if recipe.own_average
            else self._graph.current_strategy()
        )

    def iterate(self) -> None:
        self._graph.update_graph(self._world)
        self._world.update_strategy(self._played)

    def average_strategy(self, tree: Tree) -> np.ndarray:
        rows = {}
        for player in range(tree.players):
            for name, probabilities in self._read(player + 1, self._played, self._average):
                rows[player, unquote(name.partition("__")[2])] = probabilities
        texts = self.texts(tree)

        def row(i: int) -> dict[int, float]:
            given = rows[int(tree.set_player[i]), texts[i]]
            return dict(zip(tree.actions(i).tolist(), given, strict=True))

        return _strategy(tree, row)


@contextlib.contextmanager
def _private_home() -> Iterator[None]:
    """LiteEFG writes games into the home folder: give it one that goes away."""
    before = os.environ.get("HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["HOME"]
            else:
                os.environ["HOME"] = before


# By name.


def _openspiel(solver: type, kind: str, language: str, paper: str, passes: int) -> Rival:
    make = partial(solver, kind=kind)
    return Rival("open_spiel", f"OpenSpiel ({language})", make, paper, passes)


def _liteefg(algorithm: str, passes: int) -> Rival:
    paper = DISCOUNTING[algorithm].paper if algorithm in DISCOUNTING else SAMPLING
    make = partial(_LiteEfg, algorithm=algorithm)
    # Its CFR updates both players at once, its other baselines one after the other.
    return Rival(LITEEFG, LITEEFG, make, paper, passes, alternating=passes != 1)


RIVALS: dict[str, Rival] = {
    **{
        f"openspiel-c++ {name}": _openspiel(_OpenSpielCfr, kind, "C++", DISCOUNTING[name].paper, 2)
        for name, kind in (("cfr", "CFRSolver"), ("cfr+", "CFRPlusSolver"))
    },
    **{
        f"openspiel-c++ {name}": _openspiel(_OpenSpielSampling, kind, "C++", SAMPLING, 0)
        for name, kind in (
            ("external-sampling", "ExternalSamplingMCCFRSolver"),
            ("outcome-sampling", "OutcomeSamplingMCCFRSolver"),
        )
    },
    **{
        f"openspiel-python {name}": _openspiel(
            _OpenSpielPython, kind, "Python", DISCOUNTING[name].paper, 2
        )
        for name, kind in (
            ("cfr", "CFRSolver"),
            ("cfr+", "CFRPlusSolver"),
            ("dcfr", "DCFRSolver"),
            ("lcfr", "LCFRSolver"),
        )
    },
    **{
        f"liteefg {name}": _liteefg(name, passes)
        for name, passes in (
            ("cfr", 1),
            ("cfr+", 2),
            ("dcfr", 2),
            ("pcfr+", 2),
            ("external-sampling", 0),
            ("outcome-sampling", 0),
        )
    },
}
"""Rows of the grid: the program, a space, and the name that the algorithm has here."""


# Rates, for benchmarks of speed. Making the solver is not timed; it is kept for the next call.


@lru_cache(maxsize=4)
def _kept_solver(name: str, text: str) -> RivalSolver:
    return RIVALS[name].make(text, 0)


def _rate(name: str, text: str, seconds: float) -> float:
    solver = _kept_solver(name, text)
    iterations, before = solver.iteration, solver.seconds
    solver.run(seconds=seconds)
    return (solver.iteration - iterations) / (solver.seconds - before)


def openspiel_cfr_plus_rate(game_string: str, seconds: float) -> float:
    """Iterations a second of OpenSpiel's C++ CFR+, both players updated."""
    return _rate("openspiel-c++ cfr+", game_string, seconds)


def openspiel_external_rate(game_string: str, seconds: float) -> float:
    """Iterations a second of OpenSpiel's C++ external sampling: a traversal for each player."""
    return _rate("openspiel-c++ external-sampling", game_string, seconds)


def liteefg_rate(game_string: str, algorithm: str, seconds: float) -> float:
    """Iterations a second of a baseline of LiteEFG, with the averaging of strategies.

    Raises MissingError if it is not installed, ValueError if it has no such algorithm.
    """
    if algorithm not in _LITEEFG:
        raise ValueError(f"algorithm {algorithm!r}: LiteEFG has {', '.join(_LITEEFG)}")
    return _rate(f"liteefg {algorithm}", game_string, seconds)


@lru_cache(maxsize=4)
def _uniform_policy(text: str) -> Any:
    return pyspiel.CFRPlusSolver(spiel_game(text)).tabular_average_policy()


def openspiel_exploitability_rate(game_string: str, seconds: float) -> float:
    """Evaluations a second of `pyspiel.exploitability`, of the uniform policy in a table."""
    game, policy = spiel_game(game_string), _uniform_policy(game_string)
    done, start = 0, time.perf_counter()
    while True:
        pyspiel.exploitability(game, policy)
        done += 1
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return done / elapsed
