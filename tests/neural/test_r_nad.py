"""R-NaD: it learns, and seats pay for actions as it says."""

from __future__ import annotations

import numpy as np
import pytest

from pokerspiel.games.variants import Game, load

torch = pytest.importorskip("torch")

from pokerspiel.solvers.neural.r_nad import Options, RNad  # noqa: E402
from pokerspiel.solvers.neural.shared_play import HandShard  # noqa: E402
from tests.neural.solver_checks import (  # noqa: E402
    exploitability,
)

SMALL = Options(hands=256, width=32, depth=2, anchor_every=2, batch=256)


def small(game: Game, seed: int) -> RNad:
    return RNad(game, SMALL, seed)


def test_it_learns_kuhn() -> None:
    options = Options(**{**vars(SMALL), "anchor_every": 20})
    solver = RNad(load("kuhn"), options, 1)
    start = exploitability(solver)
    solver.advance(200)
    assert exploitability(solver) < 0.1 < 0.3 < start


def test_nothing_is_paid_for_the_policy_that_is_wanted() -> None:
    solver = small(load("leduc"), 0)
    experience = solver.play(HandShard(0, 0, SMALL.hands))
    np.testing.assert_allclose(solver._paid(experience), 0.0, atol=1e-6)


def test_what_is_paid_for_actions_is_a_divergence_in_the_mean() -> None:
    solver = small(load("leduc"), 0)
    solver.advance(1)
    with torch.no_grad():
        solver._policy[-1].bias[1] += 2.0
    experience = solver.play(HandShard(0, 0, SMALL.hands))
    lesson = solver._lesson(experience)
    lesson = solver._prepared({**lesson, "worth": torch.zeros_like(lesson["chances"])})
    chances, legal = experience.chances, experience.legal
    anchored = np.where(legal, np.exp(lesson["anchored"].numpy()), 0.0)
    logs = np.log(np.where(legal, chances / np.where(legal, anchored, 1.0), 1.0))
    wanted = solver.options.regularisation * (chances * logs).sum(1).mean()
    assert wanted > 0.01
    assert solver._paid(experience).mean() == pytest.approx(wanted, rel=0.3)
