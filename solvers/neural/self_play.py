"""What PPO, MMD and R-NaD have in common: a policy and a value network that learn from whole hands.

All seats are played by one network, which sees whose seat it plays; a second one values what a seat
sees. Iteration t plays whole hands with the present policy, computes generalised advantages
(Schulman et al. 2016), and maximises some objective over some passes of mini-batches. The policy
that is exported is a moving average of the network's weights.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping
from typing import Protocol

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

_WEIGHTS, _SHUFFLING = 0, 1


class SelfPlayOptions(Protocol):
    """The settings that all these algorithms have; what they mean is said at each."""

    @property
    def hands(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def learning_rate(self) -> float: ...
    @property
    def decay(self) -> float: ...
    @property
    def share(self) -> float: ...
    @property
    def passes(self) -> int: ...
    @property
    def batch(self) -> int: ...
    @property
    def norm(self) -> float: ...
    @property
    def memory(self) -> float: ...


class SelfPlay(NeuralSolver):
    """All but the objective, and what seats pay for their decisions."""

    def __init__(
        self, game: Game, options: SelfPlayOptions, seed: int, device: str, threads: int
    ) -> None:
        super().__init__(game, seed, device, threads)
        self._settings = options
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
            first = self.iteration * self._settings.hands
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

    @property
    def _fall(self) -> float:
        """What settings that fall are multiplied by in this iteration."""
        return float((1.0 + self.iteration / self._settings.decay) ** -0.5)

    # Learning.

    @abstractmethod
    def _objective(self, logits: Tensor, rows: dict[str, Tensor]) -> Tensor:
        """What the policy maximises at a mini-batch, whose columns are those of `_lesson`."""

    def _paid(self, experience: Experience) -> np.ndarray:
        """[N] float64: what seats pay to the others when they decide so, in scales: nothing."""
        return np.zeros(len(experience.actions))

    def _lesson(self, experience: Experience) -> dict[str, Tensor]:
        """The columns that are learnt from, a row for each decision.

        `chances` is what the action was drawn from, `advantages` and `targets`, which is what the
        value network learns, are in scales.
        """
        observations = self._tensor(experience.observations)
        with torch.no_grad():
            values = self._value(observations)[:, 0]
        advantages = self._tensor(self._advantages(experience, values.cpu().numpy()))
        return {
            "observations": observations,
            "legal": self._tensor(experience.legal),
            "chances": self._tensor(experience.chances),
            "actions": self._tensor(experience.actions),
            "advantages": advantages,
            "targets": advantages + values,
        }

    def _advantages(self, experience: Experience, values: np.ndarray) -> np.ndarray:
        out = np.zeros(len(values), np.float32)
        generalised_advantages(
            experience.hands,
            experience.seats,
            self._paid(experience),
            values,
            experience.returns / self._scale,
            self._settings.share,
            np.zeros((*experience.returns.shape, 4)),
            out,
        )
        return out

    def _learn(self, experience: Experience) -> None:
        settings = self._settings
        for group in self._optimizer.param_groups:
            group["lr"] = settings.learning_rate * self._fall
        lesson = self._lesson(experience)
        shuffling = self.random(_SHUFFLING)
        losses = []
        for _ in range(settings.passes):
            order = self._tensor(shuffling.permutation(len(experience.actions)))
            for places in order.split(settings.batch):
                losses.append(self._step({name: rows[places] for name, rows in lesson.items()}))
        gain, entropy, error = torch.stack(losses).mean(0).tolist()
        self._losses = {"gain": gain, "entropy": entropy, "value_error": error}

    def _step(self, rows: dict[str, Tensor]) -> Tensor:
        """Learn from a mini-batch; returns objective, entropy and error of the values [3]."""
        logits = masked(self._policy(rows["observations"]), rows["legal"])
        gain = self._objective(logits, rows)
        error = (self._value(rows["observations"])[:, 0] - rows["targets"]).square().mean()
        self._optimizer.zero_grad()
        (0.5 * error - gain).backward()
        nn.utils.clip_grad_norm_(self._parameters(), self._settings.norm)
        self._optimizer.step()
        return torch.stack((gain, entropy_of(logits), error)).detach()

    def _move_average(self) -> None:
        """Move the exported weights towards the present ones; at first they are their mean."""
        kept = min(self._settings.memory, self.iteration / (self.iteration + 1.0))
        with torch.no_grad():
            for mean, now in zip(
                self._exported.parameters(), self._policy.parameters(), strict=True
            ):
                mean.lerp_(now, 1.0 - kept)

    # Checkpoints.

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


def finite_logs(logits: Tensor) -> Tensor:
    """Logarithms of the chances of masked logits, with 0 for those that have no chance."""
    return torch.where(torch.isfinite(logits), logits.log_softmax(1), 0.0)


def entropy_of(logits: Tensor) -> Tensor:
    """The mean entropy of the chances of masked logits."""
    return -(logits.softmax(1) * finite_logs(logits)).sum(1).mean()
