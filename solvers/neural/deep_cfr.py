"""Deep CFR and SD-CFR: external sampling whose regrets are remembered by networks.

Iteration t traverses some hundred hands for each player in turn, playing by networks that predict
advantages, and puts the sampled advantages of the traverser into a reservoir with weight t. Then
the player's network learns to predict their weighted mean, which is proportional to the average
regret (Brown, Lerer, Gross and Sandholm 2019, algorithm 1).

The average strategy, in which iteration t weighs t, is played in two ways:

- SD-CFR draws for each hand one of the past iterations, with chance proportional to t, and plays by
  its networks (Steinberger 2019): nothing is lost, but all networks must be kept.
- Deep CFR learns one more network from the strategies met at the decisions of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from pokerspiel.games.variants import Game
from pokerspiel.solvers.lockstep import Seen, observation_size
from pokerspiel.solvers.network import REGRETS, SOFTMAX, Network, new_network
from pokerspiel.solvers.neural.experience import scale_of
from pokerspiel.solvers.neural.networks import (
    flat,
    masked,
    module_arrays,
    new_layers,
    restore_module,
    to_network,
)
from pokerspiel.solvers.neural.neural_solver import NeuralSolver
from pokerspiel.solvers.neural.reservoir import Reservoir
from pokerspiel.solvers.neural.settings import check_settings
from pokerspiel.solvers.neural.traversals import Visits, traverse

_WEIGHTS, _STORING, _LEARNING, _AVERAGING = range(4)


@dataclass(frozen=True)
class Options:
    """Settings."""

    traversals: int = 1500
    """Hands traversed for each player in an iteration."""
    width: int = 64
    """Numbers in a hidden layer."""
    depth: int = 3
    """Hidden layers."""
    learning_rate: float = 1e-3
    """Of Adam."""
    updates: int = 200
    """Mini-batches that a network learns from in an iteration."""
    batch: int = 2048
    """Decisions of a mini-batch."""
    anew_every: int = 1
    """Iterations after which a network begins anew instead of learning on; 0: never."""
    norm: float = 1.0
    """Greatest norm of a gradient."""
    capacity: int = 1_000_000
    """Rows of each reservoir."""
    members: int = 1000
    """Most iterations whose networks are kept; of more than that every other one is dropped, its
    weight taken over by the next."""
    average_updates: int = 4000
    """Mini-batches that the network of the average learns from, in Deep CFR."""

    def __post_init__(self) -> None:
        check_settings(self, or_zero=("anew_every",))


class DeepCfr(NeuralSolver):
    """SD-CFR, or with `distil` Deep CFR."""

    def __init__(
        self,
        game: Game,
        options: Options,
        distil: bool,
        seed: int = 0,
        device: str = "cpu",
        threads: int = 1,
    ) -> None:
        super().__init__(game, seed, device, threads)
        self.options = options
        self.distil = distil
        inside, actions = observation_size(game), game.limits.num_actions
        self._sizes = [inside, *[options.width] * options.depth, actions]
        self._networks = [self._new(player) for player in range(game.players)]
        row = {"observations": ((inside,), np.float32), "legal": ((actions,), np.bool_)}
        advantages = {**row, "targets": ((actions,), np.float32), "weights": ((), np.float32)}
        self._advantages = [Reservoir(options.capacity, advantages) for _ in range(game.players)]
        self._strategies = Reservoir(options.capacity if distil else 0, advantages)
        self._members: list[np.ndarray] = []
        """[players, W] each."""
        self._weights: list[float] = []
        self._scale = scale_of(game)
        self._losses: dict[str, float] = {}

    def _new(self, player: int) -> nn.Sequential:
        """A network at its beginning: all advantages are 1, so that it plays at random."""
        network = new_layers(self._sizes, self.random(_WEIGHTS, player), 0.0)
        with torch.no_grad():
            network[-1].bias.fill_(1.0)
        return network.to(self.device)

    def losses(self) -> dict[str, float]:
        return self._losses

    def prepare(self) -> None:
        traverse(self.game, self._strategy, 0, 1, self.seed, 0)

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            self._keep_members()
            nodes = 0
            for player in range(self.game.players):
                visits = self._traverse(player)
                self._store(player, visits)
                self._learn(player)
                nodes += visits.decisions
            self.count(nodes)

    def _traverse(self, player: int) -> Visits:
        first = (self.iteration * self.game.players + player) * self.options.traversals
        return traverse(
            self.game, self._strategy, player, self.options.traversals, self.seed, first
        )

    def _strategy(self, seen: Seen) -> np.ndarray:
        """[n, A] float32: regret matching on what the networks of the seats predict."""
        observations = torch.from_numpy(seen.observations).to(self.device)
        outputs = np.zeros(seen.legal.shape, np.float32)
        with torch.no_grad():
            for seat in np.unique(seen.seats):
                rows = np.flatnonzero(seen.seats == seat)
                predicted = self._networks[seat](observations[torch.from_numpy(rows)])
                outputs[rows] = predicted.cpu().numpy()
        return matched_regrets(outputs, seen.legal)

    def _store(self, player: int, visits: Visits) -> None:
        random = self.random(_STORING, player)
        weight = np.float32(self.iteration + 1)
        self._advantages[player].add(
            random,
            observations=visits.observations,
            legal=visits.legal,
            targets=(visits.advantages / self._scale).astype(np.float32),
            weights=np.full(len(visits.legal), weight),
        )
        if self.distil:
            self._strategies.add(
                random,
                observations=visits.others.observations,
                legal=visits.others.legal,
                targets=visits.others_chances,
                weights=np.full(len(visits.others.legal), weight),
            )

    def _learn(self, player: int) -> None:
        """Let the network of a player predict the weighted mean of its advantages."""
        options = self.options
        if options.anew_every and self.iteration % options.anew_every == 0:
            self._networks[player] = self._new(player)
        network = self._networks[player]

        def loss(rows: dict[str, Tensor]) -> Tensor:
            wrong = (network(rows["observations"]) - rows["targets"]).square()
            return (wrong * rows["legal"]).sum(1)

        random = self.random(_LEARNING, player)
        error = self._fit(network, self._advantages[player], loss, options.updates, random)
        self._losses[f"advantage_error_{player}"] = error

    def _fit(
        self,
        network: nn.Sequential,
        reservoir: Reservoir,
        loss: Callable[[dict[str, Tensor]], Tensor],
        updates: int,
        random: np.random.Generator,
    ) -> float:
        """Learn a loss [rows], weighed as the rows are; returns it at the last mini-batches."""
        options = self.options
        optimizer = torch.optim.Adam(network.parameters(), options.learning_rate)
        columns = reservoir.columns
        mean = float(columns["weights"][: len(reservoir)].mean())
        losses = []
        for _ in range(updates):
            places = random.integers(0, len(reservoir), options.batch)
            rows = {
                name: torch.from_numpy(column[places]).to(self.device)
                for name, column in columns.items()
            }
            error = (loss(rows) * rows["weights"] / mean).mean()
            optimizer.zero_grad()
            error.backward()
            nn.utils.clip_grad_norm_(network.parameters(), options.norm)
            optimizer.step()
            losses.append(error.detach())
        return float(torch.stack(losses[-20:]).mean())

    # The average.

    def _keep_members(self) -> None:
        """Keep the networks that play this iteration."""
        self._members.append(np.stack([flat(network) for network in self._networks]))
        self._weights.append(self.iteration + 1.0)
        if len(self._members) > self.options.members:
            odd = len(self._members) % 2
            pairs = zip(self._weights[odd::2], self._weights[odd + 1 :: 2], strict=True)
            self._weights = self._weights[:odd] + [sum(pair) for pair in pairs]
            self._members = self._members[:odd] + self._members[odd + 1 :: 2]

    def policy(self) -> Network:
        if not self._members:
            return to_network(self._networks, REGRETS)
        if self.distil:
            return self._distilled()
        up_to = np.cumsum(self._weights)
        return new_network(self._sizes, np.stack(self._members), REGRETS, up_to / up_to[-1])

    def _distilled(self) -> Network:
        """A network that has learnt the strategies met, for all seats."""
        network = new_layers(self._sizes, self.random(_AVERAGING), 0.01).to(self.device)

        def loss(rows: dict[str, Tensor]) -> Tensor:
            logs = masked(network(rows["observations"]), rows["legal"]).log_softmax(1)
            return -(rows["targets"] * logs.clamp_min(-30.0)).sum(1)

        updates = self.options.average_updates
        self._fit(network, self._strategies, loss, updates, self.random(_AVERAGING, 1))
        return to_network([network], SOFTMAX)

    # Checkpoints.

    def to_arrays(self) -> dict[str, np.ndarray]:
        arrays = {
            "members": np.array(self._members, np.float32),
            "members.weights": np.array(self._weights),
            **self._strategies.to_arrays("strategies"),
        }
        for player, network in enumerate(self._networks):
            arrays |= module_arrays(f"network.{player}", network)
            arrays |= self._advantages[player].to_arrays(f"advantages.{player}")
        return arrays

    def restore_networks(self, arrays: Mapping[str, np.ndarray]) -> None:
        self._strategies.restore("strategies", arrays)
        for player, network in enumerate(self._networks):
            restore_module(f"network.{player}", network, arrays)
            self._advantages[player].restore(f"advantages.{player}", arrays)
        self._members = list(np.array(arrays["members"], np.float32))
        self._weights = arrays["members.weights"].tolist()


def matched_regrets(advantages: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """[n, A] float32: chances in proportion to positive advantages; without any the greatest."""
    positive = np.where(legal, np.maximum(advantages, 0.0), 0.0)
    total = positive.sum(1, keepdims=True)
    best = np.where(legal, advantages, -np.inf).argmax(1)
    greatest = np.arange(legal.shape[1]) == best[:, None]
    chances = np.where(total > 0.0, positive / np.where(total > 0.0, total, 1.0), greatest)
    return np.asarray(chances, np.float32)
