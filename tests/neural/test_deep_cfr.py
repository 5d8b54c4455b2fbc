"""Deep CFR and SD-CFR: traversals without bias, averages."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from pokerspiel.games.variants import load
from pokerspiel.solvers.lockstep import Seen
from pokerspiel.solvers.neural.catalogue import new_solver
from pokerspiel.solvers.neural.traversals import traverse
from tests.neural.solver_checks import exploitability

SMALL = {"traversals": "100", "updates": "60", "batch": "256", "width": "32", "depth": "2"}


def uniform(seen: Seen) -> np.ndarray:
    return np.asarray(seen.legal / seen.legal.sum(1, keepdims=True), np.float32)


@pytest.mark.parametrize("name", ["sd-cfr", "deep-cfr"])
def test_kuhn_is_learnt(name: str) -> None:
    """At random it is 0.458 antes from equilibrium."""
    solver = new_solver(load("kuhn"), name, {**SMALL, "average_updates": "500"}, device="cpu")
    solver.run(iterations=30)
    assert exploitability(solver) < 0.1


def test_es_mmd_learns_kuhn() -> None:
    settings = {"traversals": "50", "updates": "30", "width": "32"}
    solver = new_solver(load("kuhn"), "es-mmd", settings, device="cpu")
    solver.run(iterations=60)
    assert exploitability(solver) < 0.1


def test_the_value_of_a_traversal_is_on_average_that_of_the_strategies() -> None:
    """Both at random, player 0 wins 0.125 antes a hand of Kuhn: within five standard errors."""
    visits = traverse(load("kuhn"), uniform, 0, 40_000, 1, 0)
    error = visits.values.std() / np.sqrt(len(visits.values))
    assert abs(visits.values.mean() - 0.125) < 5 * error


def test_advantages_are_on_average_counterfactual_regrets() -> None:
    """With a jack against a bet, calling is worth 1 ante less than folding, so half below it."""
    visits = traverse(load("kuhn"), uniform, 1, 40_000, 2, 0)
    jack = visits.observations[:, 2] == 1.0
    facing_bet = visits.observations[:, 2 * 2 + 1 + 1] == 1.0
    rows = visits.advantages[jack & facing_bet]
    assert len(rows) > 1000
    assert rows[:, 0] == pytest.approx(0.5) and rows[:, 1] == pytest.approx(-0.5)


def test_all_actions_of_the_traverser_and_one_of_the_others_are_followed() -> None:
    """In Kuhn player 0 decides once, and again after a check that was answered by a bet."""
    visits = traverse(load("kuhn"), uniform, 0, 10_000, 3, 0)
    decisions = len(visits.legal)
    assert 10_000 + 5_000 - 300 < decisions < 10_000 + 5_000 + 300
    assert len(visits.others.seats) == 20_000, "one answer to a check and one to a bet"
    assert visits.decisions == decisions + 20_000
    assert set(visits.others.seats.tolist()) == {1}


def test_traversals_do_not_depend_on_those_beside_them() -> None:
    together = traverse(load("leduc"), uniform, 0, 20, 5, 0)
    alone = traverse(load("leduc"), uniform, 0, 5, 5, 7)
    assert together.values[7:12] == pytest.approx(alone.values)


def test_too_many_members_are_thinned_and_no_weight_is_lost() -> None:
    solver = new_solver(load("kuhn"), "sd-cfr", {**SMALL, "members": "5"}, device="cpu")
    solver.run(iterations=12)
    network = solver.policy()
    assert len(network.up_to) <= 5 and network.up_to[-1] == 1.0
    shares = np.diff(network.up_to, prepend=0.0)
    assert shares.min() > 0.0
    assert round(float(shares[0] * 78)) >= 1, "weights of 12 iterations add up to 78"
