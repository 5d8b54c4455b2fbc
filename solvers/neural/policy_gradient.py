"""Self-play by regularised policy gradient: PPO with entropy, and magnetic mirror descent.

All seats are played by one network π, which sees whose seat it plays. A second one, Q, values the
actions of the seat to act; it is there for learning alone and sees the cards of all (as in Lowe et
al. 2017): the cards of the others do not depend on the action, so that the gradient keeps its
expectation and loses much of its luck. V(h) = Σ_a π(a) Q(h, a).

Iteration t plays whole hands with the present policy π_old, lets Q learn what came of the actions
by TD(λ), and maximises over some passes of mini-batches

    PPO  min(r Â, clip(r, 1 - ε, 1 + ε) Â) + α_t H(π)             (Schulman et al. 2017, equation 9)
    MMD  r Â + α_t H(π) - KL(π, π_old) / η_t                       (Sokota et al. 2023, section 4)

with r = π(a) / π_old(a) for the action played and  = what came of it - V(h). With entropy that
stays, self-play approaches a regularised equilibrium; α_t falls slowly, so that it moves to an
equilibrium of the game. For more than two players nothing is promised, as for any method.

The policy that is exported is a moving average of the network's weights.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from pokerspiel.games.variants import Game
from pokerspiel.solvers.lockstep import Hands, Seen, observation_size, private_size
from pokerspiel.solvers.network import SOFTMAX, Network
from pokerspiel.solvers.neural.experience import (
    Experience,
    Table,
    later_surprises,
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

    hands: int = 1024
    """Hands of an iteration."""
    width: int = 128
    """Numbers in a hidden layer."""
    depth: int = 2
    """Hidden layers."""
    learning_rate: float = 1e-3
    """Of Adam."""
    entropy: float = 1.0
    """α: weight of the entropy, where utilities are about 1 in random play; it falls."""
    clip: float = 0.1
    """ε of PPO."""
    step: float = 1.0
    """η of MMD; it falls."""
    decay: float = 4.0
    """Iterations after which the falling settings are at 0.71 of their start."""
    share: float = 0.95
    """λ of the advantages."""
    passes: int = 4
    """Passes over the decisions of an iteration."""
    batch: int = 1024
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
        seen = inside + (game.players - 1) * private_size(game)
        self._values = new_layers([seen, *hidden, actions], drawn, 0.1).to(self.device)
        self._exported = copy.deepcopy(self._policy)
        self._policy_adam = self._new_adam(self._policy)
        self._values_adam = self._new_adam(self._values)
        self._table = Table(game, options.hands, threads, with_others=True)
        self._scale = scale_of(game)
        self._losses: dict[str, float] = {}

    def _new_adam(self, network: nn.Sequential) -> torch.optim.Adam:
        return torch.optim.Adam(network.parameters(), self.options.learning_rate, eps=1e-5)

    def policy(self) -> Network:
        return to_network([self._exported], SOFTMAX)

    def losses(self) -> dict[str, float]:
        return self._losses

    def prepare(self) -> None:
        self._table.play(self._choose, self.seed, 0, self.opponents)

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            first = self.iteration * self.options.hands
            experience = self._table.play(self._choose, self.seed, first, self.opponents)
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
        fall = (1.0 + self.iteration / self.options.decay) ** -0.5
        seen = self._tensor(experience.observations)
        everything = torch.cat((seen, self._tensor(experience.others)), 1)
        old = self._tensor(experience.chances)
        actions = self._tensor(experience.actions)
        legal = self._tensor(experience.legal)
        for group in self._policy_adam.param_groups:
            group["lr"] = self.options.learning_rate * fall**0.5
        shuffling = self.random(_SHUFFLING)
        targets = self._targets(experience, everything, old, actions)
        error = self._fit(
            self._values,
            shuffling,
            len(actions),
            lambda rows: _square_error(
                self._values(everything[rows]), actions[rows], targets[rows]
            ),
        )
        with torch.no_grad():
            came = targets - (old * self._values(everything)).sum(1)
        alpha = self.options.entropy * fall
        entropies = []

        def loss(rows: Tensor) -> Tensor:
            logs = masked(self._policy(seen[rows]), legal[rows]).log_softmax(1)
            chances = logs.exp()
            logs = torch.where(legal[rows], logs, 0.0)
            entropy = -(chances * logs).sum(1).mean()
            entropies.append(entropy.detach())
            change = logs - old[rows].clamp_min(1e-8).log()
            ratio = change.gather(1, actions[rows, None])[:, 0].exp()
            gain = ratio * came[rows]
            if self.mirror:
                distance = (chances * change).sum(1)
                gain = gain - distance / (self.options.step * fall)
            else:
                clip = self.options.clip
                gain = torch.minimum(gain, ratio.clamp(1.0 - clip, 1.0 + clip) * came[rows])
            import os
            pull = float(os.environ.get("PULL", "0"))
            if pull:
                with torch.no_grad():
                    magnet = masked(self._exported(seen[rows]), legal[rows]).log_softmax(1)
                    magnet = torch.where(legal[rows], magnet, 0.0)
                gain = gain - pull * (chances * (logs - magnet)).sum(1)
            return -gain.mean() - alpha * entropy

        self._fit(self._policy, shuffling, len(actions), loss)
        entropy = float(torch.stack(entropies).mean())
        self._losses = {"entropy": entropy, "value_error": error}

    def _fit(
        self,
        network: nn.Sequential,
        random: np.random.Generator,
        decisions: int,
        loss: Callable[[Tensor], Tensor],
    ) -> float:
        """Some passes of mini-batches, of which `loss` gets the rows; returns its mean."""
        optimizer = self._policy_adam if network is self._policy else self._values_adam
        losses = []
        for _ in range(self.options.passes):
            order = torch.from_numpy(random.permutation(decisions)).to(self.device)
            for rows in order.split(self.options.batch):
                error = loss(rows)
                optimizer.zero_grad()
                error.backward()
                nn.utils.clip_grad_norm_(network.parameters(), self.options.norm)
                optimizer.step()
                losses.append(error.detach())
        return float(torch.stack(losses).mean())

    def _targets(
        self, experience: Experience, everything: Tensor, old: Tensor, actions: Tensor
    ) -> Tensor:
        """[N] what came of the actions, in the scaled unit."""
        with torch.no_grad():
            worth = self._values(everything)
            mean = (old * worth).sum(1)
            chosen = worth.gather(1, actions[:, None])[:, 0]
        surprises = np.zeros(len(actions), np.float32)
        later_surprises(
            experience.hands,
            experience.seats,
            mean.cpu().numpy(),
            chosen.cpu().numpy(),
            experience.returns / self._scale,
            self.options.share,
            np.zeros((*experience.returns.shape, 3)),
            surprises,
        )
        return chosen + self._tensor(surprises)

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
            **module_arrays("values", self._values),
            **module_arrays("exported", self._exported),
            **adam_arrays("policy.adam", self._policy_adam),
            **adam_arrays("values.adam", self._values_adam),
        }

    def restore_networks(self, arrays: Mapping[str, np.ndarray]) -> None:
        restore_module("policy", self._policy, arrays)
        restore_module("values", self._values, arrays)
        restore_module("exported", self._exported, arrays)
        restore_adam("policy.adam", self._policy_adam, arrays)
        restore_adam("values.adam", self._values_adam, arrays)


def _square_error(worth: Tensor, actions: Tensor, targets: Tensor) -> Tensor:
    return (worth.gather(1, actions[:, None])[:, 0] - targets).square().mean()
