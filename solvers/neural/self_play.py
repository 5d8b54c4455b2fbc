"""What PPO, MMD and R-NaD have in common: a policy and a critic that learn from whole hands.

All seats are played by one network π, which sees whose seat it plays. The critic Q values the
actions of the seat to act; it is there for learning alone and sees the cards of all (as in Lowe et
al. 2017): the cards of the others do not depend on the action, so that the gradient keeps its
expectation and loses much of its luck. V(h) = Σ_a π(a) Q(h, a).

Iteration t plays whole hands with the present policy and lets Q learn what came of the actions by
TD(λ). What came of an action less V(h) is its advantage; with these the policy maximises some
objective over some passes of mini-batches, as many as the decisions ask for. Decisions at which a
network sees the same are learnt as one (merging.py). The policy that is exported is a moving
average of the network's weights.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
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
    joined_experience,
    later_surprises,
    scale_of,
)
from pokerspiel.solvers.neural.fitting import descend, mean_loss, new_adam
from pokerspiel.solvers.neural.merging import merged
from pokerspiel.solvers.neural.networks import (
    adam_arrays,
    entropy_of,
    masked,
    module_arrays,
    new_layers,
    restore_adam,
    restore_module,
    to_network,
)
from pokerspiel.solvers.neural.settings import NetworkOptions
from pokerspiel.solvers.neural.shared_play import HandShard, SharedPlay

_WEIGHTS, _SHUFFLING = 0, 1


@dataclass(frozen=True)
class SelfPlayOptions(NetworkOptions):
    """Settings; those that fall do so by (1 + t / decay)^(-1/2), with t the iteration."""

    hands: int = 1024
    """Hands of an iteration."""
    learning_rate: float = 1e-3
    """Of Adam; that of the policy falls, as the square root of the others."""
    decay: float = 1.0
    """Iterations after which the falling settings are at 0.71 of their start."""
    share: float = 0.95
    """λ of the advantages."""
    passes: int = 2
    """Passes over the decisions of an iteration."""
    memory: float = 0.99
    """Weight of the past in the moving average that is exported; 0 exports the last network."""


class SelfPlay(SharedPlay):
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
        seen = inside + (game.players - 1) * private_size(game)
        self._critic = new_layers([seen, *hidden, actions], drawn, 0.1).to(self.device)
        self._exported = copy.deepcopy(self._policy)
        self._policy_adam = self._new_adam(self._policy)
        self._critic_adam = self._new_adam(self._critic)
        self._tables: dict[int, Table] = {}
        """By the number of their hands."""
        self._scale = scale_of(game)
        self._losses: dict[str, float] = {}

    def _new_adam(self, network: nn.Sequential) -> torch.optim.Adam:
        return new_adam(network, self._settings.learning_rate, eps=1e-5)

    def policy(self) -> Network:
        return to_network([self._exported], SOFTMAX)

    def losses(self) -> dict[str, float]:
        return self._losses

    def prepare(self) -> None:
        self.play(HandShard(0, 0, self._settings.hands))

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            first = self.iteration * self._settings.hands
            experience = joined_experience(self.played(0, first, self._settings.hands))
            self._learn(experience)
            self._move_average()
            self.count(len(experience.actions))

    def play(self, shard: HandShard) -> Experience:
        if shard.hands not in self._tables:
            self._tables[shard.hands] = Table(
                self.game, shard.hands, self.threads, with_others=True
            )
        return self._tables[shard.hands].play(
            self._choose, self.seed, shard.first, self.opponents, self.opponents_share
        )

    def playing_arrays(self) -> dict[str, np.ndarray]:
        return module_arrays("policy", self._policy)

    def play_as(self, arrays: Mapping[str, np.ndarray]) -> None:
        restore_module("policy", self._policy, arrays)

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
        """[n]: what the policy maximises the mean of, at rows of `_prepared`."""

    @abstractmethod
    def _prepared(self, lesson: dict[str, Tensor]) -> dict[str, Tensor]:
        """The columns for the policy, a row for each decision.

        `gains` [N, A] is what each action is worth more than the policy, as far as the hand tells
        it: its mean over all decisions at which the same was seen is what is learnt. Other columns
        are a function of what was seen.
        """

    def _paid(self, experience: Experience) -> np.ndarray:
        """[N] float64: what seats pay to the others when they decide so, in scales: nothing."""
        return np.zeros(len(experience.actions))

    def _learn(self, experience: Experience) -> None:
        settings = self._settings
        for group in self._policy_adam.param_groups:
            group["lr"] = settings.learning_rate * self._fall**0.5
        steps = settings.passes * -(-len(experience.actions) // settings.batch)
        lesson = self._lesson(experience)
        shuffling = self.random(_SHUFFLING)
        error = self._descend(
            self._critic, self._critic_adam, self._error, self._worths(lesson), steps, shuffling
        )
        lesson["worth"] = self._critic_values(lesson)
        del lesson["everything"]
        rows = self._merged(self._prepared(lesson))
        entropies: list[Tensor] = []

        def loss(rows: dict[str, Tensor]) -> Tensor:
            logits = masked(self._policy(rows["observations"]), rows["legal"])
            entropies.append(entropy_of(logits).detach().mean())
            return -(self._objective(logits, rows) * rows["weights"]).mean()

        gain = -self._descend(self._policy, self._policy_adam, loss, rows, steps, shuffling)
        self._losses = {"gain": gain, "entropy": mean_loss(entropies), "value_error": error}

    def _lesson(self, experience: Experience) -> dict[str, Tensor]:
        """The columns that are learnt from, a row for each decision.

        `chances` is what the action was drawn from; `everything` is seen by the critic, which
        learns that the actions are worth `targets`, in scales.
        """
        observations = self._tensor(experience.observations)
        lesson = {
            "observations": observations,
            "everything": torch.cat((observations, self._tensor(experience.others)), 1),
            "legal": self._tensor(experience.legal),
            "chances": self._tensor(experience.chances),
            "actions": self._tensor(experience.actions)[:, None],
        }
        return {**lesson, "targets": self._targets(experience, lesson)}

    def _targets(self, experience: Experience, lesson: dict[str, Tensor]) -> Tensor:
        """[N, 1] what came of the actions, in scales."""
        worth = self._critic_values(lesson)
        chosen = worth.gather(1, lesson["actions"])
        surprises = np.zeros(len(chosen), np.float32)
        later_surprises(
            experience.hands,
            experience.seats,
            self._paid(experience),
            (lesson["chances"] * worth).sum(1).cpu().numpy(),
            chosen[:, 0].cpu().numpy(),
            experience.returns / self._scale,
            self._settings.share,
            np.zeros((*experience.returns.shape, 4)),
            surprises,
        )
        return chosen + self._tensor(surprises)[:, None]

    def _critic_values(self, lesson: dict[str, Tensor]) -> Tensor:
        """[N, A] Q of all decisions."""
        with torch.no_grad():
            values: Tensor = self._critic(lesson["everything"])
        return values

    def _worths(self, lesson: dict[str, Tensor]) -> dict[str, Tensor]:
        """The columns for the critic, a row for all decisions at which everything was the same.

        `worths` is what came of the actions on average, `weights` [n, A] how often they were played
        there, divided by the mean of all rows.
        """
        played = torch.zeros_like(lesson["legal"], dtype=torch.float32)
        played.scatter_(1, lesson["actions"], 1.0)
        both = torch.cat((played, played * lesson["targets"]), 1).cpu().numpy()
        everything, legal = lesson["everything"].cpu().numpy(), lesson["legal"].cpu().numpy()
        first, sums, sizes = merged(everything, legal, both)
        counts, total = np.split(sums, 2, axis=1)
        return {
            "everything": lesson["everything"][self._tensor(first)],
            "worths": self._tensor((total / np.maximum(counts, 1.0)).astype(np.float32)),
            "weights": self._tensor((counts / sizes.mean()).astype(np.float32)),
        }

    def _merged(self, lesson: dict[str, Tensor]) -> dict[str, Tensor]:
        """A row for all decisions at which the same was seen, with the mean of their gains."""
        observations, legal = lesson["observations"].cpu().numpy(), lesson["legal"].cpu().numpy()
        first, sums, sizes = merged(observations, legal, lesson["gains"].cpu().numpy())
        places = self._tensor(first)
        return {
            **{name: column[places] for name, column in lesson.items()},
            "gains": self._tensor((sums / sizes[:, None]).astype(np.float32)),
            "weights": self._tensor((sizes / sizes.mean()).astype(np.float32)),
        }

    def _error(self, rows: dict[str, Tensor]) -> Tensor:
        """How wrong the critic is."""
        wrong = (self._critic(rows["everything"]) - rows["worths"]).square()
        return (wrong * rows["weights"]).sum(1).mean()

    def _descend(
        self,
        network: nn.Sequential,
        optimizer: torch.optim.Adam,
        loss: Callable[[dict[str, Tensor]], Tensor],
        rows: dict[str, Tensor],
        steps: int,
        shuffling: np.random.Generator,
    ) -> float:
        """Some steps with mini-batches, which go through all rows again and again.

        Returns the mean loss.
        """
        n = len(rows["weights"])
        losses: list[Tensor] = []
        while len(losses) < steps:
            order = self._tensor(shuffling.permutation(n))
            for places in order.split(self._settings.batch)[: steps - len(losses)]:
                error = loss({name: column[places] for name, column in rows.items()})
                losses.append(descend(optimizer, network, error, self._settings.norm))
        return mean_loss(losses)

    def _move_average(self) -> None:
        """Move the exported weights towards the present ones.

        Until their memory is as long as it may be, network t weighs about t³.
        """
        kept = min(self._settings.memory, self.iteration / (self.iteration + 4.0))
        with torch.no_grad():
            for mean, now in zip(
                self._exported.parameters(), self._policy.parameters(), strict=True
            ):
                mean.lerp_(now, 1.0 - kept)

    # Checkpoints.

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {
            **self.playing_arrays(),
            **module_arrays("critic", self._critic),
            **module_arrays("exported", self._exported),
            **adam_arrays("policy.adam", self._policy_adam),
            **adam_arrays("critic.adam", self._critic_adam),
        }

    def restore_networks(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.play_as(arrays)
        restore_module("critic", self._critic, arrays)
        restore_module("exported", self._exported, arrays)
        restore_adam("policy.adam", self._policy_adam, arrays)
        restore_adam("critic.adam", self._critic_adam, arrays)
