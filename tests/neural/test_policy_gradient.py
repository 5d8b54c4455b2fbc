"""PPO and MMD: what they learn of small games, and from what."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pokerspiel.games.variants import load  # noqa: E402
from pokerspiel.solvers.neural.catalogue import new_solver  # noqa: E402
from pokerspiel.solvers.neural.experience import later_surprises, scale_of  # noqa: E402
from pokerspiel.solvers.neural.networks import masked  # noqa: E402
from pokerspiel.solvers.neural.policy_gradient import PolicyGradient  # noqa: E402
from pokerspiel.solvers.neural.shared_play import HandShard  # noqa: E402
from tests.neural.solver_checks import exploitability  # noqa: E402


@pytest.mark.parametrize("name", ["ppo", "neural-mmd"])
def test_kuhn_is_learnt(name: str) -> None:
    """At random it is 0.458 antes from equilibrium."""
    settings = {"hands": "512", "width": "32", "decay": "1"}
    solver = new_solver(load("kuhn"), name, settings, device="cpu")
    assert exploitability(solver) > 0.3
    solver.run(iterations=100)
    assert exploitability(solver) < 0.15


def gradient(error: torch.Tensor, network: torch.nn.Module) -> np.ndarray:
    parts = torch.autograd.grad(error, list(network.parameters()))
    return torch.cat([part.flatten() for part in parts]).numpy()


def test_decisions_that_look_the_same_teach_as_one_what_they_teach_one_by_one() -> None:
    solver = new_solver(load("leduc"), "neural-mmd", {"hands": "300", "width": "16"}, device="cpu")
    assert isinstance(solver, PolicyGradient)
    solver.advance(1)
    lesson = solver._lesson(solver.play(HandShard(0, 300, 300)))
    critic, policy = solver._critic, solver._policy

    worths = solver._worths(lesson)
    assert len(worths["worths"]) < len(lesson["actions"]) / 2
    said = critic(lesson["everything"]).gather(1, lesson["actions"])
    alone = (said - lesson["targets"]).square().mean()
    ours, theirs = gradient(solver._error(worths), critic), gradient(alone, critic)
    assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-5)

    lesson["worth"] = solver._critic_values(lesson)
    rows = solver._prepared(lesson)
    merged = solver._merged(rows)
    assert len(merged["gains"]) < len(rows["gains"]) / 4
    gained = []
    for columns in ({**rows, "weights": torch.ones(len(rows["gains"]))}, merged):
        logits = masked(policy(columns["observations"]), columns["legal"])
        gain = (solver._objective(logits, columns) * columns["weights"]).mean()
        gained.append(gradient(gain, policy))
    assert gained[0] == pytest.approx(gained[1], rel=1e-3, abs=1e-5)


def test_surprises_are_those_of_td_lambda() -> None:
    """Two decisions of player 0 and one of player 1, by hand, for λ = 0.5."""
    hands, seats = np.zeros(3, np.int64), np.array([0, 1, 0])
    worth, chosen = np.array([1.0, 2.0, 4.0]), np.array([1.5, 2.5, 3.0])
    returns = np.array([[10.0, -10.0]])
    out = np.zeros(3)
    free = np.zeros(3)
    later_surprises(hands, seats, free, worth, chosen, returns, 0.5, np.zeros((1, 2, 4)), out)
    assert out.tolist() == [4.0 + 0.5 * 7.0 - 1.5, -10.0 - 2.5, 10.0 - 3.0]


def test_utilities_are_scaled_by_what_is_won_at_random() -> None:
    """In Kuhn a hand is worth 1 or 2 antes: the root of the mean square lies between them."""
    assert 1.0 < scale_of(load("kuhn")) < 2.0
