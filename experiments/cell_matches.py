"""A cell of the grid on a game whose tree is too large: the kernel's solver, at the table.

Every match has the same deals, so that the results of two solvers differ less by luck.
"""

from __future__ import annotations

from collections.abc import Iterator

from pokerspiel.agents.agent import exact
from pokerspiel.agents.arena import play_match
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.roster import find_agent
from pokerspiel.experiments.budget import Budget, Standing, spaced, spend
from pokerspiel.experiments.cells import MATCH_HANDS, MATCH_SEED, OPPONENT
from pokerspiel.experiments.options import bytes_text
from pokerspiel.experiments.results import Point
from pokerspiel.games.variants import Game
from pokerspiel.solvers.mccfr import Mccfr

MATCHES_A_DECADE, FIRST_MATCH = 2, 100


def match_points(game: Game, seed: int, budget: Budget) -> Iterator[Point]:
    """What the average strategy wins from the baseline, on the way through the budget.

    Raises MemoryError if the solver's table is full before that.
    """
    solver = Mccfr(game, seed)
    opponent = find_agent(OPPONENT, exact(game))

    def standing() -> Standing:
        return Standing(solver.state.iteration, solver.state.nodes, solver.state.seconds)

    def advance(iterations: int, seconds: float | None) -> None:
        if solver.run(iterations, seconds) == "full":
            limit = bytes_text(solver.memory_limit)
            raise MemoryError(f"{solver.state.iteration:,} iterations fill the limit of {limit}")

    for at in spend(advance, standing, budget, spaced(MATCHES_A_DECADE, FIRST_MATCH)):
        learner = Bot("learner", game, solver.state.average(), None)
        result = play_match([learner, opponent], game, MATCH_HANDS, MATCH_SEED)
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
