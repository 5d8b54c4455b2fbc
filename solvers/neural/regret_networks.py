"""What Deep CFR, SD-CFR and DREAM have in common: networks that remember sampled regrets.

Iteration t plays some hundred hands for each player in turn, by networks that predict advantages,
and puts the sampled advantages of that player into a memory with weight t. Then the player's
network learns to predict their weighted mean, which is proportional to the average regret (Brown,
Lerer, Gross and Sandholm 2019, algorithm 1). The average strategy, in which iteration t weighs t,
is a mixture of the networks of all iterations.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from pokerspiel.games.variants import Game
from pokerspiel.solvers.lockstep import Seen, observation_size
from pokerspiel.solvers.network import REGRETS, Network
from pokerspiel.solvers.neural.averaging import Members
from pokerspiel.solvers.neural.experience import scale_of
from pokerspiel.solvers.neural.fitting import Loss, fit
from pokerspiel.solvers.neural.memories import ConciseSample
from pokerspiel.solvers.neural.networks import (
    module_arrays,
    new_layers,
    outputs_of_seats,
    restore_module,
    to_network,
)
from pokerspiel.solvers.neural.settings import NetworkOptions
from pokerspiel.solvers.neural.shared_play import SharedPlay

WEIGHTS, STORING, LEARNING = range(3)
"""Purposes of random numbers; an algorithm's own ones come after them."""
OWN_PURPOSES = 3


@dataclass(frozen=True)
class RegretOptions(NetworkOptions):
    """Settings."""

    width: int = 64
    depth: int = 3
    batch: int = 2048
    norm: float = 1.0
    learning_rate: float = 1e-3
    """Of Adam."""
    updates: int = 100
    """Mini-batches that a network learns from in an iteration."""
    anew_every: int = 0
    """Iterations after which a network begins anew instead of learning on; 0: never."""
    capacity: int = 1_000_000
    """Situations in each memory."""
    members: int = 1000
    """Most iterations whose networks are kept; of more than that every other one is dropped, its
    weight taken over by the next."""


class RegretNetworks(SharedPlay):
    """All but how hands are sampled."""

    def __init__(
        self, game: Game, options: RegretOptions, seed: int, device: str, threads: int
    ) -> None:
        super().__init__(game, seed, device, threads)
        self._settings = options
        inside, actions = observation_size(game), game.limits.num_actions
        self._sizes = [inside, *[options.width] * options.depth, actions]
        self._networks = [self._new(player) for player in range(game.players)]
        for network in self._networks:
            _play_at_random(network)
        self._advantages = [
            ConciseSample(options.capacity, inside, actions) for _ in range(game.players)
        ]
        self._members = Members(options.members)
        self._scale = scale_of(game)
        self._losses: dict[str, float] = {}

    def _new(self, player: int) -> nn.Sequential:
        """A network at its beginning."""
        return new_layers(self._sizes, self.random(WEIGHTS, player), 0.1).to(self.device)

    def losses(self) -> dict[str, float]:
        return self._losses

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            self._members.keep(self._networks, self.iteration + 1.0)
            nodes = 0
            for player in range(self.game.players):
                nodes += self._sample(player)
                self._learn(player)
            self._learn_more()
            self.count(nodes)

    @abstractmethod
    def _sample(self, player: int) -> int:
        """Play hands and store what they tell of a player's regrets; returns the decisions met."""

    def _learn_more(self) -> None:
        """What an algorithm learns besides advantages, at the end of an iteration."""

    def playing_arrays(self) -> dict[str, np.ndarray]:
        arrays: dict[str, np.ndarray] = {}
        for player, network in enumerate(self._networks):
            arrays |= module_arrays(f"network.{player}", network)
        return arrays

    def play_as(self, arrays: Mapping[str, np.ndarray]) -> None:
        for player, network in enumerate(self._networks):
            restore_module(f"network.{player}", network, arrays)

    def _strategy(self, seen: Seen) -> np.ndarray:
        """[n, A] float32: regret matching on what the networks of the seats predict."""
        return matched_regrets(outputs_of_seats(self._networks, seen, self.device), seen.legal)

    def _learn(self, player: int) -> None:
        """Let the network of a player predict the weighted mean of its advantages."""
        every = self._settings.anew_every
        if self.iteration == 0 or (every and self.iteration % every == 0):
            self._networks[player] = self._new(player)
        network = self._networks[player]

        def loss(rows: dict[str, Tensor]) -> Tensor:
            wrong = (network(rows["observations"]) - rows["targets"]).square()
            return (wrong * rows["legal"]).sum(1)

        random = self.random(LEARNING, player)
        updates = self._settings.updates
        error = self._fit(network, self._advantages[player], loss, updates, random)
        self._losses[f"advantage_error_{player}"] = error

    def _fit(
        self,
        network: nn.Module,
        memory: ConciseSample,
        loss: Loss,
        updates: int,
        random: np.random.Generator,
    ) -> float:
        settings = self._settings
        return fit(
            network,
            memory,
            loss,
            random,
            self.device,
            updates=updates,
            batch=settings.batch,
            learning_rate=settings.learning_rate,
            norm=settings.norm,
        )

    def policy(self) -> Network:
        """The average; before the first iteration what the networks play."""
        if not len(self._members):
            return to_network(self._networks, REGRETS)
        return self._members.mixture(self._sizes, REGRETS)

    def to_arrays(self) -> dict[str, np.ndarray]:
        arrays = {**self._members.to_arrays(), **self.playing_arrays()}
        for player in range(self.game.players):
            arrays |= self._advantages[player].to_arrays(f"advantages.{player}")
        return arrays

    def restore_networks(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.play_as(arrays)
        for player in range(self.game.players):
            self._advantages[player].restore(f"advantages.{player}", arrays)
        self._members.restore(arrays, self._networks)


def _play_at_random(network: nn.Sequential) -> None:
    """Let all advantages be 1."""
    last = network[-1]
    with torch.no_grad():
        last.weight.zero_()
        last.bias.fill_(1.0)


def matched_regrets(advantages: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """[n, A] float32: chances in proportion to positive advantages; without any the greatest."""
    positive = np.where(legal, np.maximum(advantages, 0.0), 0.0)
    total = positive.sum(1, keepdims=True)
    best = np.where(legal, advantages, -np.inf).argmax(1)
    greatest = np.arange(legal.shape[1]) == best[:, None]
    chances = np.where(total > 0.0, positive / np.where(total > 0.0, total, 1.0), greatest)
    return np.asarray(chances, np.float32)
