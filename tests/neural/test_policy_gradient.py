"""PPO and MMD: they learn small games, resume bit for bit, and refuse what does not fit."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from pokerspiel.agents.bot_file import Bot  # noqa: E402
from pokerspiel.agents.exact_strategy import strategy_of  # noqa: E402
from pokerspiel.games.variants import load  # noqa: E402
from pokerspiel.solvers.best_response import Evaluator  # noqa: E402
from pokerspiel.solvers.compile_tree import compile_tree  # noqa: E402
from pokerspiel.solvers.network import Network  # noqa: E402
from pokerspiel.solvers.neural.catalogue import NEURAL, new_solver  # noqa: E402
from pokerspiel.solvers.neural.experience import later_surprises, scale_of  # noqa: E402

SMALL = {"hands": "256", "width": "16"}


def exploitability(text: str, network: Network) -> float:
    """In antes or big blinds."""
    tree = compile_tree(text)
    strategy, missed = strategy_of(Bot("learner", load(text), network, None), tree)
    assert missed == 0
    return Evaluator(tree).evaluate(strategy).exploitability / tree.big_unit


@pytest.mark.parametrize("name", ["ppo", "neural-mmd"])
def test_kuhn_is_learnt(name: str) -> None:
    """At random it is 0.458 antes from equilibrium; seeds 0 to 4 came to 0.02 to 0.05."""
    solver = new_solver(load("kuhn"), name, {"hands": "512", "width": "32"}, device="cpu")
    assert exploitability("kuhn", solver.policy()) > 0.3
    solver.run(iterations=150)
    assert exploitability("kuhn", solver.policy()) < 0.1


@pytest.mark.parametrize("text", ["kuhn(players=3)", "svara(players=3)", "mini_sviten"])
def test_other_games_and_more_players(text: str) -> None:
    solver = new_solver(load(text), "ppo", SMALL, device="cpu")
    solver.run(iterations=2)
    assert solver.iteration == 2 and solver.nodes > 500
    assert np.isfinite(solver.policy().weights).all()
    assert set(solver.losses()) == {"entropy", "value_error"}


def test_surprises_are_those_of_td_lambda() -> None:
    """Two decisions of player 0 and one of player 1, by hand, for λ = 0.5."""
    hands, seats = np.zeros(3, np.int64), np.array([0, 1, 0])
    worth, chosen = np.array([1.0, 2.0, 4.0]), np.array([1.5, 2.5, 3.0])
    returns = np.array([[10.0, -10.0]])
    out = np.zeros(3)
    later_surprises(hands, seats, worth, chosen, returns, 0.5, np.zeros((1, 2, 3)), out)
    assert out.tolist() == [4.0 + 0.5 * 7.0 - 1.5, -10.0 - 2.5, 10.0 - 3.0]


def test_utilities_are_scaled_by_what_is_won_at_random() -> None:
    """In Kuhn a hand is worth 1 or 2 antes: the root of the mean square lies between them."""
    assert 1.0 < scale_of(load("kuhn")) < 2.0


# All algorithms.


@pytest.mark.parametrize("name", list(NEURAL))
def test_a_run_is_the_same_however_it_is_cut(name: str) -> None:
    small = SMALL if name in ("ppo", "neural-mmd") else {"traversals": "20", "updates": "5"}
    whole = new_solver(load("kuhn"), name, small, seed=3, device="cpu")
    whole.run(iterations=4)
    first = new_solver(load("kuhn"), name, small, seed=3, device="cpu")
    first.run(iterations=2)
    arrays = {key: np.array(value) for key, value in first.to_arrays().items()}
    second = new_solver(load("kuhn"), name, small, seed=99, device="cpu")
    second.restore(arrays, first.to_numbers())
    second.run(iterations=2)
    assert second.seed == 3 and second.iteration == 4 and second.nodes == whole.nodes
    now, then = second.to_arrays(), whole.to_arrays()
    assert now.keys() == then.keys()
    for key in now:
        assert np.array_equal(now[key], then[key]), key
    for ours, theirs in zip(second.policy(), whole.policy(), strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("name", list(NEURAL))
def test_a_foreign_checkpoint_is_refused(name: str) -> None:
    other = new_solver(load("leduc"), name, device="cpu")
    solver = new_solver(load("kuhn"), name, device="cpu")
    with pytest.raises(ValueError, match="shape"):
        solver.restore(other.to_arrays(), other.to_numbers())
    with pytest.raises(ValueError, match="lacks the numbers nodes"):
        solver.restore(solver.to_arrays(), {"iteration": 1, "seconds": 0.0, "seed": 0})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hand": "3"}, "did you mean hands"),
        ({"hands": "three"}, "expected a whole number"),
        ({"hands": "0"}, "hands=0: expected a number more than 0"),
        ({"clip": "2"}, "at most 1"),
        ({"learning_rate": "nan"}, "learning_rate=nan"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        new_solver(load("kuhn"), "ppo", settings)


def test_an_unknown_algorithm_or_device_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean ppo"):
        new_solver(load("kuhn"), "ppoo")
    with pytest.raises(ValueError, match="device=abacus"):
        new_solver(load("kuhn"), "ppo", device="abacus")
