"""NFSP: it learns, and remembers what it should."""

from __future__ import annotations

import numpy as np
import pytest

from pokerspiel.games.variants import Game, load

torch = pytest.importorskip("torch")

from pokerspiel.solvers.neural.nfsp import Nfsp, Options  # noqa: E402
from tests.neural.solver_checks import (  # noqa: E402
    exploitability,
)

SMALL = Options(
    hands=100,
    width=32,
    depth=2,
    rate_decay=200,
    value_updates=8,
    average_updates=8,
    batch=128,
    value_capacity=5000,
)


def small(game: Game, seed: int) -> Nfsp:
    return Nfsp(game, SMALL, seed)


def test_it_learns_kuhn() -> None:
    solver = small(load("kuhn"), 1)
    start = exploitability(solver)
    solver.advance(300)
    assert exploitability(solver) < 0.1 < 0.3 < start


def test_best_responses_are_remembered_as_often_as_anticipated() -> None:
    solver = small(load("leduc"), 0)
    solver.advance(40)
    arrays = solver.to_arrays()
    met, kept = arrays["transitions.met"][0], arrays["responses.counts"].sum()
    assert met == solver.nodes
    assert 0.18 < kept / met < 0.22


def test_transitions_lead_to_the_next_decision_of_the_seat() -> None:
    """What a seat sees grows: all that it saw at a decision it still sees at the next one."""
    solver = small(load("leduc"), 0)
    solver.advance(3)
    columns = solver._transitions.columns
    before = np.flatnonzero(columns["next"][: len(solver._transitions)] >= 0)
    after = columns["next"][before]
    assert len(before) > 100
    assert (columns["observations"][before] <= columns["observations"][after]).all()
    np.testing.assert_array_equal(columns["returns"][before], columns["returns"][after])
