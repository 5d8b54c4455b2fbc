"""A cell of the grid on a game whose tree is too large: its solver, at the table.

Every match has the same deals, so that the results of two solvers differ less by luck.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from pokerspiel.agents.arena import play_match
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.stored_tables import BotTable
from pokerspiel.experiments.budget import Budget, Standing, spaced, spend
from pokerspiel.experiments.cells import (
    MATCH_HANDS,
    MATCH_SEED,
    OPPONENT,
    Cell,
    neural_solver,
)
from pokerspiel.experiments.options import bytes_text
from pokerspiel.experiments.results import Point
from pokerspiel.games.variants import Game, exact
from pokerspiel.solvers.mccfr import Mccfr
from pokerspiel.solvers.network import Network
from pokerspiel.solvers.neural.catalogue import NEURAL

MATCHES_A_DECADE = 2


class Learner(Protocol):
    """A solver at work, whichever it is."""

    first_match: int
    """Iterations before its first match."""

    def advance(self, iterations: int, seconds: float | None) -> None: ...

    def standing(self) -> Standing: ...

    def table(self) -> BotTable:
        """What it plays by now."""


class _KernelLearner:
    first_match = 100

    def __init__(self, game: Game, seed: int) -> None:
        self._solver = Mccfr(game, seed)

    def advance(self, iterations: int, seconds: float | None) -> None:
        """Raises MemoryError if the solver's table is full before the end."""
        if self._solver.run(iterations, seconds) == "full":
            limit = bytes_text(self._solver.memory_limit)
            done = self._solver.state.iteration
            raise MemoryError(f"{done:,} iterations fill the limit of {limit}")

    def standing(self) -> Standing:
        state = self._solver.state
        return Standing(state.iteration, state.nodes, state.seconds)

    def table(self) -> BotTable:
        return self._solver.state.average()


class _NeuralLearner:
    first_match = 3

    def __init__(self, cell: Cell, game: Game) -> None:
        self._solver = neural_solver(cell, game)

    def advance(self, iterations: int, seconds: float | None) -> None:
        self._solver.run(iterations, seconds)

    def standing(self) -> Standing:
        return Standing(self._solver.iteration, self._solver.nodes, self._solver.seconds)

    def table(self) -> BotTable:
        network: Network = self._solver.policy()
        return network


def learner(cell: Cell, game: Game) -> Learner:
    """The solver of a cell."""
    if cell.algorithm in NEURAL:
        return _NeuralLearner(cell, game)
    return _KernelLearner(game, cell.seed)


def match_points(solver: Learner, game: Game, budget: Budget) -> Iterator[Point]:
    """What the solver's strategy wins from the baseline, on the way through the budget."""
    opponent = find_agent(OPPONENT, exact(game))
    stops = spaced(MATCHES_A_DECADE, solver.first_match)
    for at in spend(solver.advance, solver.standing, budget, stops):
        bot = Bot("learner", game, solver.table(), None)
        result = play_match([bot, opponent], game, MATCH_HANDS, MATCH_SEED)
        score = result.players[0].score
        assert score.ci95 is not None
        yield Point(
            at.iterations,
            at.nodes,
            at.seconds,
            mbb_per_hand=score.mbb_per_hand,
            ci_low=score.ci95[0],
            ci_high=score.ci95[1],
        )
