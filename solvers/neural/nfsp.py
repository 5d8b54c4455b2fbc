"""Neural fictitious self-play: best responses by Q-learning, and a network of their average.

In each hand a seat plays, with the chance η, its best response, and else the average policy
(Heinrich and Silver 2016, algorithm 1). Transitions of all play, from a decision to the same seat's
next one in the hand, go to a circular memory, from which deep Q-learning (Mnih et al. 2015) learns

    Q(s, a) <- u at the end of the hand, else max over a' of Q'(s', a')

with Q' as Q was some mini-batches ago; the best response explores with a chance ε that falls. What
best responses do goes to a memory, which the average policy learns to imitate: the mean of all
best responses so far, as in fictitious play. Here one network of each kind serves all seats, since
what a seat sees tells whose seat it is.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pokerspiel.games.variants import Game
from pokerspiel.solvers.lockstep import Hands, Seen, observation_size
from pokerspiel.solvers.network import SOFTMAX, Network
from pokerspiel.solvers.neural.experience import Experience, Table, next_decisions, scale_of
from pokerspiel.solvers.neural.fitting import (
    cross_entropy,
    descend,
    drawn_rows,
    mean_loss,
    new_adam,
    on_device,
)
from pokerspiel.solvers.neural.memories import ConciseSample, LatestRows
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
from pokerspiel.solvers.neural.settings import NetworkOptions, check_settings

_WEIGHTS, _MODES, _STORING, _VALUING, _IMITATING = range(5)


@dataclass(frozen=True)
class Options(NetworkOptions):
    """Settings."""

    hands: int = 256
    """Hands of an iteration."""
    batch: int = 256
    norm: float = 1.0
    anticipation: float = 0.2
    """η: chance that a seat plays its best response in a hand."""
    exploration: float = 0.06
    """ε: chance that a best response acts at random; it falls by (1 + t / decay)^(-1/2), with t the
    iteration."""
    decay: float = 100.0
    """Iterations after which ε is at 0.71 of its start."""
    value_rate: float = 1e-3
    """Learning rate of Adam for the values; it falls by (1 + t / rate_decay)^(-1/2)."""
    average_rate: float = 1e-3
    """The same for the average policy."""
    rate_decay: float = 2000.0
    """Iterations after which the learning rates are at 0.71 of their start."""
    value_updates: int = 32
    """Mini-batches that the values learn from in an iteration."""
    average_updates: int = 16
    """The same for the average policy."""
    target_every: int = 5
    """Iterations after which Q' becomes what Q is."""
    value_capacity: int = 50_000
    """Latest transitions from which values are learnt: the more, the less noise, but the later a
    best response notices that the average has changed."""
    average_capacity: int = 2_000_000
    """Situations in the memory of best responses."""

    def __post_init__(self) -> None:
        check_settings(self, up_to_one=("anticipation", "exploration"), or_zero=("exploration",))


class Nfsp(NeuralSolver):
    """Neural fictitious self-play."""

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
        drawn = self.random(_WEIGHTS)
        self._values = new_layers(sizes, drawn, 0.1).to(self.device)
        self._target = copy.deepcopy(self._values)
        self._average = new_layers(sizes, drawn, 0.01).to(self.device)
        self._value_adam = new_adam(self._values, options.value_rate)
        self._average_adam = new_adam(self._average, options.average_rate)
        row = {"observations": ((inside,), np.float32), "legal": ((actions,), np.bool_)}
        self._transitions = LatestRows(
            options.value_capacity,
            {
                **row,
                "actions": ((), np.int64),
                "next": ((), np.int64),
                "returns": ((), np.float32),
            },
        )
        """The seat's next decision in the hand is named by its row, -1 if there is none."""
        self._responses = ConciseSample(options.average_capacity, inside, actions)
        self._table = Table(game, options.hands, threads)
        self._scale = scale_of(game)
        self._losses: dict[str, float] = {}

    def policy(self) -> Network:
        return to_network([self._average], SOFTMAX)

    def losses(self) -> dict[str, float]:
        return self._losses

    def prepare(self) -> None:
        self._play()

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            experience, responds = self._play()
            self._store(experience, responds)
            self._set_rates()
            self._learn_values()
            self._learn_average()
            self.count(len(experience.actions))

    # Play.

    def _play(self) -> tuple[Experience, np.ndarray]:
        """(Hands, [N] bool: which decisions were best responses)."""
        shape = (self.options.hands, self.game.players)
        responds = self.random(_MODES).random(shape) < self.options.anticipation

        def choose(hands: Hands, waiting: np.ndarray, seen: Seen) -> np.ndarray:
            best = responds[waiting, seen.seats]
            chances = np.zeros(seen.legal.shape, np.float32)
            chances[best] = self._best_response(seen.observations[best], seen.legal[best])
            chances[~best] = self._average_policy(seen.observations[~best], seen.legal[~best])
            return chances

        first = self.iteration * self.options.hands
        experience = self._table.play(choose, self.seed, first)
        return experience, responds[experience.hands, experience.seats]

    def _best_response(self, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """[n, A]: the action of the greatest value, but for exploration."""
        explores = self.options.exploration * self._fallen(self.options.decay)
        with torch.no_grad():
            values = masked(self._values(self._tensor(observations)), self._tensor(legal))
        greedy = values.argmax(1).cpu().numpy()[:, None] == np.arange(legal.shape[1])
        random = legal / legal.sum(1, keepdims=True)
        return np.asarray(explores * random + (1.0 - explores) * greedy)

    def _average_policy(self, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            logits = masked(self._average(self._tensor(observations)), self._tensor(legal))
            return np.asarray(logits.softmax(1).cpu().numpy())

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    # Learning.

    def _fallen(self, decay: float) -> float:
        """What a setting that falls is multiplied by in this iteration."""
        return float((1.0 + self.iteration / decay) ** -0.5)

    def _set_rates(self) -> None:
        fallen = self._fallen(self.options.rate_decay)
        for optimizer, rate in (
            (self._value_adam, self.options.value_rate),
            (self._average_adam, self.options.average_rate),
        ):
            for group in optimizer.param_groups:
                group["lr"] = rate * fallen

    def _store(self, experience: Experience, responds: np.ndarray) -> None:
        seen = {
            "observations": experience.observations,
            "legal": experience.legal,
            "actions": experience.actions,
        }
        self._responses.add(
            self.random(_STORING),
            experience.observations[responds],
            experience.legal[responds],
            np.eye(experience.legal.shape[1])[experience.actions[responds]],
            np.ones(responds.sum()),
        )
        following = np.zeros(len(responds), np.int64)
        latest = np.zeros(experience.returns.shape, np.int64)
        next_decisions(experience.hands, experience.seats, latest, following)
        rows = (self._transitions.met + following) % self._transitions.capacity
        returns = experience.returns[experience.hands, experience.seats] / self._scale
        self._transitions.add(
            **seen,
            next=np.where(following >= 0, rows, -1),
            returns=returns.astype(np.float32),
        )

    def _learn_values(self) -> None:
        options = self.options
        if self.iteration % options.target_every == 0:
            self._target.load_state_dict(self._values.state_dict())
        random = self.random(_VALUING)
        losses = []
        for _ in range(options.value_updates):
            rows = drawn_rows(self._transitions, options.batch, random, self.device)
            values = self._values(rows["observations"]).gather(1, rows["actions"][:, None])[:, 0]
            error = (values - self._targets(rows)).square().mean()
            losses.append(descend(self._value_adam, self._values, error, options.norm))
        self._losses["value_error"] = mean_loss(losses)

    def _targets(self, rows: dict[str, Tensor]) -> Tensor:
        """[n]: returns of hands that are over, else the greatest value of the next decision."""
        goes_on = rows["next"] >= 0
        following = rows["next"][goes_on].cpu().numpy()
        columns = self._transitions.columns
        targets = rows["returns"].clone()
        with torch.no_grad():
            values = self._target(self._tensor(columns["observations"][following]))
            legal = self._tensor(columns["legal"][following])
            targets[goes_on] = masked(values, legal).amax(1)
        return targets

    def _learn_average(self) -> None:
        """Learn to act as best responses did; there may be none yet."""
        options = self.options
        losses = []
        for columns in self._responses.batches(
            options.average_updates, options.batch, self.random(_IMITATING)
        ):
            rows = on_device(columns, self.device)
            logits = masked(self._average(rows["observations"]), rows["legal"])
            error = (cross_entropy(logits, rows["targets"]) * rows["weights"]).mean()
            losses.append(descend(self._average_adam, self._average, error, options.norm))
        self._losses["imitation_error"] = mean_loss(losses)

    # Checkpoints.

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {
            **module_arrays("values", self._values),
            **module_arrays("target", self._target),
            **module_arrays("average", self._average),
            **adam_arrays("value_adam", self._value_adam),
            **adam_arrays("average_adam", self._average_adam),
            **self._transitions.to_arrays("transitions"),
            **self._responses.to_arrays("responses"),
        }

    def restore_networks(self, arrays: Mapping[str, np.ndarray]) -> None:
        restore_module("values", self._values, arrays)
        restore_module("target", self._target, arrays)
        restore_module("average", self._average, arrays)
        restore_adam("value_adam", self._value_adam, arrays)
        restore_adam("average_adam", self._average_adam, arrays)
        self._transitions.restore("transitions", arrays)
        self._responses.restore("responses", arrays)
