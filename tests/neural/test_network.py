"""Networks in compiled code against torch, mixtures, and what makes them refuse."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pokerspiel.agents.policy import decision_seed  # noqa: E402
from pokerspiel.games.kernel import mix  # noqa: E402
from pokerspiel.solvers.network import (  # noqa: E402
    REGRETS,
    SOFTMAX,
    WIDEST,
    Network,
    drawn_member,
    head_chances,
    network_chances,
    network_outputs,
    new_network,
    weights_in,
)
from pokerspiel.solvers.neural.networks import masked, new_layers, to_network  # noqa: E402
from pokerspiel.solvers.neural.regret_networks import matched_regrets  # noqa: E402

SIZES = [40, 64, 32, 7]


def chances_of(network: Network, seat: int, seen: np.ndarray, actions: list[int]) -> np.ndarray:
    layers = np.zeros((2, WIDEST), np.float32)
    out = np.zeros(len(actions))
    network_chances(network, 0, seat, seen, np.array(actions), len(actions), layers, out)
    return out


@pytest.fixture
def observations() -> np.ndarray:
    random = np.random.default_rng(3)
    values = random.normal(size=(50, SIZES[0])) * (random.random((50, SIZES[0])) < 0.3)
    return values.astype(np.float32)


def test_a_network_plays_as_in_torch(observations: np.ndarray) -> None:
    """Within 1e-5, for each of the seats, whatever is legal."""
    networks = [new_layers(SIZES, np.random.default_rng(seed)) for seed in (1, 2)]
    compiled = to_network(networks, SOFTMAX)
    random = np.random.default_rng(4)
    for seen in observations:
        legal = random.random(SIZES[-1]) < 0.6
        legal[random.integers(SIZES[-1])] = True
        for seat, network in enumerate(networks):
            with torch.no_grad():
                logits = network(torch.from_numpy(seen)[None])
                theirs = masked(logits, torch.from_numpy(legal)[None]).softmax(1)[0].numpy()
            ours = chances_of(compiled, seat, seen, np.flatnonzero(legal).tolist())
            assert np.abs(ours - theirs[legal]).max() < 1e-5
            assert ours.sum() == pytest.approx(1.0)


def test_one_network_serves_all_seats(observations: np.ndarray) -> None:
    compiled = to_network([new_layers(SIZES, np.random.default_rng(1))], SOFTMAX)
    one, other = (chances_of(compiled, seat, observations[0], [0, 2, 5]) for seat in (0, 3))
    assert np.array_equal(one, other)


def test_advantages_are_matched_as_regrets_are() -> None:
    outputs = np.array([3.0, -1.0, 1.0, 9.0], np.float32)
    chances = np.zeros(3)
    head_chances(REGRETS, outputs, np.array([0, 1, 2]), 3, chances)
    assert chances.tolist() == [0.75, 0.0, 0.25]


def test_without_positive_advantages_the_greatest_is_played() -> None:
    outputs = np.array([-3.0, -1.0, -2.0], np.float32)
    chances = np.zeros(3)
    head_chances(REGRETS, outputs, np.arange(3), 3, chances)
    assert chances.tolist() == [0.0, 1.0, 0.0]


def test_batches_match_regrets_in_the_same_way() -> None:
    random = np.random.default_rng(5)
    advantages = random.normal(size=(200, 5)).astype(np.float32)
    legal = random.random((200, 5)) < 0.5
    legal[np.arange(200), random.integers(0, 5, 200)] = True
    batch = matched_regrets(advantages, legal)
    for i in range(200):
        actions = np.flatnonzero(legal[i])
        one = np.zeros(len(actions))
        head_chances(REGRETS, advantages[i], actions, len(actions), one)
        assert batch[i][actions] == pytest.approx(one, abs=1e-6)
        assert batch[i][~legal[i]].sum() == 0.0


def test_a_member_is_drawn_as_often_as_its_share_says() -> None:
    weights = np.zeros((3, 1, weights_in(np.array([2, 2]))), np.float32)
    network = new_network([2, 2], weights, SOFTMAX, [0.2, 0.5, 1.0])
    luck = (np.arange(10_000) + 0.5) / 10_000
    drawn = np.bincount([drawn_member(network, x) for x in luck], minlength=3)
    assert drawn.tolist() == [2000, 3000, 5000]


def test_the_member_of_a_hand_stays_the_same_in_the_hand() -> None:
    """Seeds of one seat in one hand share all but the last bits, of another hand or seat none."""
    hand = int(mix(np.uint64(1), np.uint64(2)))
    seeds = [int(decision_seed(np.uint64(hand), 1, decision)) >> 16 for decision in range(20)]
    assert len(set(seeds)) == 1
    assert int(decision_seed(np.uint64(hand), 0, 0)) >> 16 != seeds[0]
    assert int(decision_seed(np.uint64(hand + 1), 1, 0)) >> 16 != seeds[0]
    assert len({int(decision_seed(np.uint64(hand), 1, decision)) for decision in range(20)}) == 20


def test_outputs_are_those_of_the_member_asked_for() -> None:
    weights = np.zeros((2, 1, 6), np.float32)
    weights[1, 0] = [1, 2, 3, 4, 5, 6]  # rows of x, then biases
    network = new_network([2, 2], weights, SOFTMAX, [0.5, 1.0])
    layers = np.zeros((2, WIDEST), np.float32)
    row = network_outputs(network, 1, 0, np.array([10.0, 1.0], np.float32), layers)
    assert layers[row, :2].tolist() == [10 * 1 + 3 + 5, 10 * 2 + 4 + 6]


@pytest.mark.parametrize(
    ("sizes", "weights", "head", "up_to", "words"),
    [
        ([2], np.zeros((1, 1, 6)), SOFTMAX, [1.0], "layers of"),
        ([2, WIDEST + 1], np.zeros((1, 1, 6)), SOFTMAX, [1.0], "expected 1 to 4096"),
        ([2, 2], np.zeros((1, 1, 5)), SOFTMAX, [1.0], "weights of shape"),
        ([2, 2], np.full((1, 1, 6), np.nan), SOFTMAX, [1.0], "no numbers"),
        ([2, 2], np.zeros((1, 1, 6)), 2, [1.0], "head 2"),
        ([2, 2], np.zeros((2, 1, 6)), SOFTMAX, [0.5, 0.9], "add up to 1"),
        ([2, 2], np.zeros((2, 1, 6)), SOFTMAX, [1.0], "add up to 1"),
    ],
)
def test_what_does_not_fit_is_refused(
    sizes: list[int], weights: np.ndarray, head: int, up_to: list[float], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        new_network(sizes, weights.astype(np.float32), head, up_to)
