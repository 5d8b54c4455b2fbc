"""DREAM: its estimates are unbiased, and it learns."""

from __future__ import annotations

import numpy as np
import pytest

from pokerspiel.games.variants import Game, load

torch = pytest.importorskip("torch")

from pokerspiel.solvers.lockstep import Seen, observation_size  # noqa: E402
from pokerspiel.solvers.neural.dream import Dream, Options  # noqa: E402
from pokerspiel.solvers.neural.experience import Table  # noqa: E402
from pokerspiel.solvers.neural.outcome_walks import estimates, history_size, walk  # noqa: E402
from pokerspiel.solvers.neural.traversals import Strategy, traverse  # noqa: E402
from tests.neural.solver_checks import (  # noqa: E402
    exploitability,
)

SMALL = Options(walks=200, width=32, depth=2, updates=30, batch=256, baseline_updates=30)
OFTEN = 50
"""Visits from which a mean is compared."""


def small(game: Game, seed: int) -> Dream:
    return Dream(game, SMALL, seed)


def some_strategy(game: Game) -> Strategy:
    """Chances that differ from one information set to the other."""
    random = np.random.default_rng(0)
    mixing = random.normal(size=(observation_size(game), game.limits.num_actions))

    def strategy(seen: Seen) -> np.ndarray:
        weights = np.where(seen.legal, np.exp(seen.observations @ mixing), 0.0)
        return (weights / weights.sum(1, keepdims=True)).astype(np.float32)

    return strategy


def moments(observations: np.ndarray, rows: np.ndarray, hands: int) -> dict[bytes, np.ndarray]:
    """By what was seen: mean of some rows [n, A] a hand, and the square of its error, [2, A].

    No hand has two rows of the same observation. What was seen seldom is left out.
    """
    out = {}
    seen, which, times = np.unique(observations, axis=0, return_inverse=True, return_counts=True)
    for i in np.flatnonzero(times >= OFTEN):
        mine = rows[which.reshape(-1) == i]
        mean = mine.sum(0) / hands
        square = ((mine**2).sum(0) / hands - mean**2) / hands
        out[seen[i].tobytes()] = np.stack((mean, square))
    return out


@pytest.mark.parametrize("text", ["kuhn", "kuhn(players=3)", "leduc"])
def test_sampled_advantages_are_unbiased(text: str) -> None:
    """With any baseline, their mean is that of external sampling: the counterfactual regrets."""
    game, hands = load(text), 40_000
    strategy = some_strategy(game)
    mixing = np.random.default_rng(1).normal(size=(history_size(game), game.limits.num_actions))
    table = Table(game, hands)
    far: list[float] = []
    regrets: list[float] = []
    for player in range(game.players):
        walks = walk(table, strategy, player, 0.5, 7, 0)
        advantages, reach = estimates(walks, np.tanh(walks.histories @ mixing), player)
        own = walks.experience.seats == player
        sampled = advantages[own] / reach[own, None]
        ours = moments(walks.experience.observations[own], sampled, hands)
        visits = traverse(game, strategy, player, hands, 8, 0)
        theirs = moments(visits.observations, visits.advantages, hands)
        for key in ours.keys() & theirs.keys():
            (mean, square), (other_mean, other_square) = ours[key], theirs[key]
            legal = square > 0.0
            error = np.sqrt(square + other_square)
            far += ((mean - other_mean)[legal] / error[legal]).tolist()
            regrets += (np.abs(other_mean)[legal] / error[legal]).tolist()
    assert len(far) > 20
    assert np.abs(far).max() < 4.5
    assert np.square(far).mean() < 1.6
    assert np.square(regrets).mean() > 30.0, "the regrets do not stand out of the noise"


def test_a_good_baseline_makes_estimates_steady() -> None:
    solver = small(load("kuhn"), 0)
    solver.advance(20)
    walks = solver._walk(0)
    told = solver._values(torch.from_numpy(walks.histories))[:, 0].numpy() * solver._scale
    own = walks.experience.seats == 0
    spread = [
        estimates(walks, baselines.astype(np.float64), 0)[0][own].std()
        for baselines in (np.zeros_like(told), told)
    ]
    assert spread[1] < 0.75 * spread[0]


def test_it_learns_kuhn() -> None:
    solver = small(load("kuhn"), 1)
    start = exploitability(solver)
    solver.advance(60)
    assert exploitability(solver) < 0.05 < 0.3 < start
