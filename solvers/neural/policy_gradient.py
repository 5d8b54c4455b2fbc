"""Self-play by regularised policy gradient: PPO with entropy, and magnetic mirror descent.

All seats are played by one network, which sees whose seat it plays; a second one values what a seat
sees. Iteration t plays whole hands with the present policy π_old, computes generalised advantages Â
(Schulman et al. 2016), and maximises over some passes of mini-batches

    PPO  min(r Â, clip(r, 1 - ε, 1 + ε) Â) + α_t H(π)             (Schulman et al. 2017, equation 9)
    MMD  r Â - α_t KL(π, uniform) - KL(π, π_old) / η_t            (Sokota et al. 2023, section 4)

with r = π(a) / π_old(a). With entropy that stays, self-play approaches a regularised equilibrium;
α_t falls slowly, so that it moves to an equilibrium of the game. Defaults lie in the ranges that
Rudolph et al. (2025) found best over thousands of runs. For more than two players nothing is
promised, as for any method.

The policy that is exported is a moving average of the network's weights.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from pokerspiel.games.variants import Game
from pokerspiel.solvers.lockstep import Hands, Seen, observation_size
from pokerspiel.solvers.network import SOFTMAX, Network
from pokerspiel.solvers.neural.experience import (
    Experience,
    Table,
    generalised_advantages,
    scale_of,
)
from pokerspiel.solvers.neural.networks import (
    adam_arrays,
    masked,
    module_arrays,
    new_layers,
    restore_adam,
    restore_module,
    to_network,
)
from pokerspiel.solvers.neural.neural_solver import NeuralSolver
from pokerspiel.solvers.neural.settings import check_settings

_WEIGHTS, _SHUFFLING = 0, 1


@dataclass(frozen=True)
class Options:
    """Settings; those that fall do so by (1 + t / decay)^(-1/2), with t the iteration."""

    hands: int = 2048
    """Hands of an iteration."""
    width: int = 128
    """Numbers in a hidden layer."""
    depth: int = 2
    """Hidden layers."""
    learning_rate: float = 1e-3
    """Of Adam; it falls."""
    entropy: float = 0.05
    """α: weight of the entropy, where utilities are about 1 in random play; it falls."""
    clip: float = 0.1
    """ε of PPO."""
    step: float = 0.5
    """η of MMD; it falls."""
    decay: float = 100.0
    """Iterations after which the falling settings are at 0.71 of their start."""
    share: float = 0.95
    """λ of the advantages."""
    passes: int = 4
    """Passes over the decisions of an iteration."""
    batch: int = 2048
    """Decisions of a mini-batch."""
    norm: float = 0.5
    """Greatest norm of a gradient."""
    memory: float = 0.99
    """Weight of the past in the moving average that is exported; 0 exports the last network."""

    def __post_init__(self) -> None:
        up_to_one = ("memory", "share", "clip")
        check_settings(self, or_zero=("entropy", "memory", "share"), up_to_one=up_to_one)


class PolicyGradient(NeuralSolver):
    """PPO, or with `mirror` MMD."""

    def __init__(
        self,
        game: Game,
        options: Options,
        mirror: bool,
        seed: int = 0,
        device: str = "cpu",
        threads: int = 1,
    ) -> None:
        super().__init__(game, seed, device, threads)
        self.options = options
        self.mirror = mirror
        hidden = [options.width] * options.depth
        inside, actions = observation_size(game), game.limits.num_actions
        drawn = self.random(_WEIGHTS)
        self._policy = new_layers([inside, *hidden, actions], drawn, 0.01).to(self.device)
        self._value = new_layers([inside, *hidden, 1], drawn, 0.1).to(self.device)
        self._exported = copy.deepcopy(self._policy)
        self._optimizer = torch.optim.Adam(self._parameters(), options.learning_rate, eps=1e-5)
        self._table = Table(game, options.hands, threads)
        self._scale = scale_of(game)
        self._losses: dict[str, float] = {}

    def _parameters(self) -> list[nn.Parameter]:
        return [*self._policy.parameters(), *self._value.parameters()]

    def policy(self) -> Network:
        return to_network([self._exported], SOFTMAX)

    def losses(self) -> dict[str, float]:
        return self._losses

    def prepare(self) -> None:
        self._table.play(self._choose, self.seed, 0)

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            first = self.iteration * self.options.hands
            experience = self._table.play(self._choose, self.seed, first)
            self._learn(experience)
            self._move_average()
            self.count(len(experience.actions))

    def _choose(self, hands: Hands, waiting: np.ndarray, seen: Seen) -> np.ndarray:
        with torch.no_grad():
            logits = self._policy(self._tensor(seen.observations))
            chances = masked(logits, self._tensor(seen.legal)).softmax(1)
        return np.asarray(chances.cpu().numpy(), np.float32)

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def _learn(self, experience: Experience) -> None:
        options = self.options
        fall = (1.0 + self.iteration / options.decay) ** -0.5
        for group in self._optimizer.param_groups:
            group["lr"] = options.learning_rate * fall
        observations = self._tensor(experience.observations)
        legal = self._tensor(experience.legal)
        old = self._tensor(experience.chances)
        actions = self._tensor(experience.actions)
        with torch.no_grad():
            values = self._value(observations)[:, 0]
        advantages = self._tensor(self._advantages(experience, values.cpu().numpy()))
        targets = advantages + values
        shuffling = self.random(_SHUFFLING)
        losses = []
        for _ in range(options.passes):
            order = torch.from_numpy(shuffling.permutation(len(actions))).to(self.device)
            for rows in order.split(options.batch):
                logits = masked(self._policy(observations[rows]), legal[rows])
                gain, entropy = self._gain(logits, old[rows], actions[rows], advantages[rows], fall)
                error = (self._value(observations[rows])[:, 0] - targets[rows]).square().mean()
                self._optimizer.zero_grad()
                (0.5 * error - gain - options.entropy * fall * entropy).backward()
                nn.utils.clip_grad_norm_(self._parameters(), options.norm)
                self._optimizer.step()
                losses.append(torch.stack((gain.detach(), entropy.detach(), error.detach())))
        gain_, entropy_, error_ = torch.stack(losses).mean(0).tolist()
        self._losses = {"gain": gain_, "entropy": entropy_, "value_error": error_}

    def _advantages(self, experience: Experience, values: np.ndarray) -> np.ndarray:
        out = np.zeros(len(values), np.float32)
        generalised_advantages(
            experience.hands,
            experience.seats,
            values,
            experience.returns / self._scale,
            self.options.share,
            np.zeros((*experience.returns.shape, 3)),
            out,
        )
        return out

    def _gain(
        self, logits: Tensor, old: Tensor, actions: Tensor, advantages: Tensor, fall: float
    ) -> tuple[Tensor, Tensor]:
        """What is to be maximised, but for the entropy, and the entropy."""
        logs = logits.log_softmax(1)
        chances = logs.exp()
        finite = torch.where(chances > 0.0, logs, 0.0)
        entropy = -(chances * finite).sum(1).mean()
        old_logs = old.clamp_min(1e-8).log()
        ratio = (logs - old_logs).gather(1, actions[:, None])[:, 0].exp()
        if self.mirror:
            distance = (chances * (finite - torch.where(chances > 0.0, old_logs, 0.0))).sum(1)
            return (ratio * advantages - distance / (self.options.step * fall)).mean(), entropy
        clip = self.options.clip
        clipped = ratio.clamp(1.0 - clip, 1.0 + clip)
        return torch.minimum(ratio * advantages, clipped * advantages).mean(), entropy

    def _move_average(self) -> None:
        """Move the exported weights towards the present ones; at first they are their mean."""
        kept = min(self.options.memory, self.iteration / (self.iteration + 1.0))
        with torch.no_grad():
            for mean, now in zip(
                self._exported.parameters(), self._policy.parameters(), strict=True
            ):
                mean.lerp_(now, 1.0 - kept)

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {
            **module_arrays("policy", self._policy),
            **module_arrays("value", self._value),
            **module_arrays("exported", self._exported),
            **adam_arrays("adam", self._optimizer),
        }

    def restore_networks(self, arrays: Mapping[str, np.ndarray]) -> None:
        restore_module("policy", self._policy, arrays)
        restore_module("value", self._value, arrays)
        restore_module("exported", self._exported, arrays)
        restore_adam("adam", self._optimizer, arrays)
