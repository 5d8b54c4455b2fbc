"""A network that learns what a memory holds."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402

from pokerspiel.solvers.neural.fitting import cross_entropy, descend, fit  # noqa: E402
from pokerspiel.solvers.neural.memories import ConciseSample  # noqa: E402
from pokerspiel.solvers.neural.networks import centred, masked  # noqa: E402


@pytest.mark.parametrize(("pull", "length"), [(100.0, 0.5), (0.1, 0.1)])
def test_a_step_is_no_longer_than_the_norm_allows(pull: float, length: float) -> None:
    network = nn.Linear(1, 1, bias=False)
    before = float(network.weight.detach())
    optimizer = torch.optim.SGD(network.parameters(), lr=1.0)
    error = descend(optimizer, network, pull * network(torch.ones(1, 1)).sum(), 0.5)
    assert float(error) == pytest.approx(pull * before)
    assert before - float(network.weight.detach()) == pytest.approx(length, rel=1e-3)


@pytest.mark.parametrize("batch", [8, 64])
def test_a_network_learns_the_weighted_mean_of_the_answers(batch: int) -> None:
    """With mini-batches of all situations, and with some of them."""
    random = np.random.default_rng(0)
    memory = ConciseSample(1000, 20, 2)
    seen = np.eye(20, dtype=np.float32)
    for answer, weight in ((np.arange(20.0), 1.0), (np.arange(20.0) + 4.0, 3.0)):
        both = np.stack((answer, -answer), axis=1)
        memory.add(random, seen, np.ones((20, 2), bool), both, np.full(20, weight))
    network = nn.Linear(20, 2)

    def loss(rows: dict[str, Tensor]) -> Tensor:
        return (network(rows["observations"]) - rows["targets"]).square().sum(1)

    settings = {"updates": 3000, "batch": batch, "learning_rate": 0.05, "norm": 100.0}
    error = fit(network, memory, loss, random, torch.device("cpu"), **settings)  # type: ignore[arg-type]
    assert error < 1e-2
    said = network(torch.from_numpy(seen)).detach().numpy()
    wanted = np.arange(20) + 3.0
    assert said[:, 0] == pytest.approx(wanted, abs=0.2)
    assert said[:, 1] == pytest.approx(-wanted, abs=0.2)


def test_what_is_not_legal_counts_nowhere() -> None:
    legal = torch.tensor([[True, False, True]])
    logits = masked(torch.tensor([[0.0, 9.0, 0.0]]), legal)
    assert float(cross_entropy(logits, torch.tensor([[0.5, 0.0, 0.5]]))) == pytest.approx(np.log(2))
    assert centred(torch.tensor([[1.0, 9.0, 3.0]]), legal).tolist() == [[-1.0, 0.0, 1.0]]
