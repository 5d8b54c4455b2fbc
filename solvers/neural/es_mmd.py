"""Magnetic mirror descent whose advantages come from external sampling.

A policy gradient for games with few decisions in a hand: instead of the one action that was played,
all actions of the player are followed, as in Deep CFR, so that the advantage  of each action is
known but for the luck of the cards and of the others. In iteration t the policy makes the step of
magnetic mirror descent towards the uniform policy in closed form (Sokota et al. 2023, section 3),

    log π_{t+1}(a) = (log π_t(a) + η_t Â(a)) / (1 + η_t α_t) + constant

at all information sets that were met, and the network learns these logits, so that they move by the
whole advantage, also of actions that are seldom played (as in NeuRD, Hennes et al. 2020). A set
that was met more often than the average one weighs no more, or others would pay for what it learns.

The last policies circle around an equilibrium as α_t falls; their average, in which iteration t
weighs t², comes to rest. It is played as in SD-CFR: each hand by one of the past networks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pokerspiel.games.variants import Game
from pokerspiel.solvers.lockstep import Seen, observation_size
from pokerspiel.solvers.network import SOFTMAX, Network
from pokerspiel.solvers.neural.averaging import Members
from pokerspiel.solvers.neural.experience import scale_of
from pokerspiel.solvers.neural.fitting import descend, mean_loss, new_adam
from pokerspiel.solvers.neural.merging import merged
from pokerspiel.solvers.neural.networks import (
    adam_arrays,
    centred,
    entropy_of,
    masked,
    module_arrays,
    new_layers,
    restore_adam,
    restore_module,
    sizes_of,
    to_network,
)
from pokerspiel.solvers.neural.settings import NetworkOptions, check_settings
from pokerspiel.solvers.neural.shared_play import HandShard, SharedPlay
from pokerspiel.solvers.neural.traversals import Visits, traverse

_WEIGHTS, _SHUFFLING = range(2)


@dataclass(frozen=True)
class Options(NetworkOptions):
    """Settings; those that fall do so by (1 + t / decay)^(-1/2), with t the iteration."""

    traversals: int = 200
    """Hands traversed for each player in an iteration."""
    batch: int = 4096
    norm: float = 10.0
    learning_rate: float = 1e-3
    """Of Adam; it falls, as the square root of the others."""
    entropy: float = 0.25
    """α: pull towards the uniform policy, where utilities are about 1 in random play; it falls."""
    step: float = 1.0
    """η: how far logits move by an advantage of 1; it falls."""
    decay: float = 10.0
    """Iterations after which the falling settings are at 0.71 of their start."""
    updates: int = 60
    """Mini-batches that the network learns from in an iteration."""
    members: int = 1000
    """Most iterations whose networks are kept; of more than that every other one is dropped, its
    weight taken over by the next."""

    def __post_init__(self) -> None:
        check_settings(self, or_zero=("entropy",))


class EsMmd(SharedPlay):
    """MMD by external sampling, averaged as in SD-CFR."""

    def __init__(
        self,
        game: Game,
        options: Options,
        seed: int = 0,
        device: str = "cpu",
        threads: int = 1,
    ) -> None:
        super().__init__(game, seed, device, threads)
        self.options = options
        inside, actions = observation_size(game), game.limits.num_actions
        sizes = [inside, *[options.width] * options.depth, actions]
        self._policy = new_layers(sizes, self.random(_WEIGHTS), 0.01).to(self.device)
        self._adam = new_adam(self._policy, options.learning_rate)
        self._members = Members(options.members)
        self._scale = scale_of(game)
        self._losses: dict[str, float] = {}

    def policy(self) -> Network:
        """The average; before the first iteration what the network plays."""
        if not len(self._members):
            return to_network([self._policy], SOFTMAX)
        return self._members.mixture(sizes_of(self._policy), SOFTMAX)

    def losses(self) -> dict[str, float]:
        return self._losses

    def prepare(self) -> None:
        traverse(self.game, self._chances, 0, 1, self.seed, 0)

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            self._members.keep([self._policy], (self.iteration + 1.0) ** 2)
            nodes, observations, legal, gains = self._sample()
            self._learn(observations, legal, gains)
            self.count(nodes)

    def _chances(self, seen: Seen) -> np.ndarray:
        with torch.no_grad():
            logits = self._logits(self._tensor(seen.observations), self._tensor(seen.legal))
            return np.asarray(logits.softmax(1).cpu().numpy())

    def _logits(self, observations: Tensor, legal: Tensor) -> Tensor:
        return masked(self._policy(observations), legal)

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def _sample(self) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
        """(Decisions met, and of those of the traversers [n, D] what they saw, [n, A] what they
        could do, [n, A] what each action would have won more, in scales)."""
        hands, players = self.options.traversals, self.game.players
        visits = [
            visit
            for player in range(players)
            for visit in self.played(player, (self.iteration * players + player) * hands, hands)
        ]
        return (
            sum(visit.decisions for visit in visits),
            np.concatenate([visit.observations for visit in visits]),
            np.concatenate([visit.legal for visit in visits]),
            np.concatenate([visit.advantages for visit in visits]) / self._scale,
        )

    def play(self, shard: HandShard) -> Visits:
        return traverse(self.game, self._chances, shard.player, shard.hands, self.seed, shard.first)

    def playing_arrays(self) -> dict[str, np.ndarray]:
        return module_arrays("policy", self._policy)

    def play_as(self, arrays: Mapping[str, np.ndarray]) -> None:
        restore_module("policy", self._policy, arrays)

    def _learn(self, observations: np.ndarray, legal: np.ndarray, gains: np.ndarray) -> None:
        """Let the network make the step that the mean gains of each information set ask for."""
        options = self.options
        fallen = float((1.0 + self.iteration / options.decay) ** -0.5)
        for group in self._adam.param_groups:
            group["lr"] = options.learning_rate * fallen**0.5
        first, sums, sizes = merged(observations, legal, gains)
        seen, can = self._tensor(observations[first]), self._tensor(legal[first])
        gain = self._tensor((sums / sizes[:, None]).astype(np.float32))
        weights = self._tensor(np.minimum(sizes / sizes.mean(), 1.0).astype(np.float32))
        step, pull = options.step * fallen, options.entropy * fallen
        with torch.no_grad():
            before = self._logits(seen, can)
            wanted = (centred(before, can) + step * centred(gain, can)) / (1.0 + step * pull)
        random, batch = self.random(_SHUFFLING), options.batch
        losses = []
        for _ in range(options.updates):
            rows = self._tensor(random.permutation(len(first))[:batch])
            said = centred(self._policy(seen[rows]), can[rows])
            error = ((said - wanted[rows]).square().sum(1) * weights[rows]).mean()
            losses.append(descend(self._adam, self._policy, error, options.norm))
        self._losses = {
            "step_error": mean_loss(losses[-1:]),
            "entropy": float(entropy_of(before).mean()),
        }

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {
            **self._members.to_arrays(),
            **self.playing_arrays(),
            **adam_arrays("policy.adam", self._adam),
        }

    def restore_networks(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.play_as(arrays)
        restore_adam("policy.adam", self._adam, arrays)
        self._members.restore(arrays, [self._policy])
