"""Deep CFR and SD-CFR: external sampling whose regrets are remembered by networks.

What both learn is in regret_networks.py. The average strategy is played in two ways:

- SD-CFR draws for each hand one of the past iterations, with chance proportional to t, and plays by
  its networks (Steinberger 2019): nothing is lost, but all networks must be kept.
- Deep CFR learns one more network from the strategies met at the decisions of the others (Brown,
  Lerer, Gross and Sandholm 2019).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from pokerspiel.games.variants import Game
from pokerspiel.solvers.network import SOFTMAX, Network
from pokerspiel.solvers.neural.fitting import cross_entropy
from pokerspiel.solvers.neural.memories import ConciseSample
from pokerspiel.solvers.neural.networks import masked, new_layers, to_network
from pokerspiel.solvers.neural.regret_networks import (
    OWN_PURPOSES,
    STORING,
    RegretNetworks,
    RegretOptions,
)
from pokerspiel.solvers.neural.settings import check_settings
from pokerspiel.solvers.neural.shared_play import HandShard
from pokerspiel.solvers.neural.traversals import Visits, joined_visits, traverse

_AVERAGING = OWN_PURPOSES


@dataclass(frozen=True)
class Options(RegretOptions):
    """Settings."""

    traversals: int = 1500
    """Hands traversed for each player in an iteration."""
    average_updates: int = 4000
    """Mini-batches that the network of the average learns from, in Deep CFR."""

    def __post_init__(self) -> None:
        check_settings(self, or_zero=("anew_every",))


class DeepCfr(RegretNetworks):
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
        super().__init__(game, options, seed, device, threads)
        self.options = options
        self.distil = distil
        self._strategies = ConciseSample(
            options.capacity if distil else 0, self._sizes[0], self._sizes[-1]
        )

    def prepare(self) -> None:
        traverse(self.game, self._strategy, 0, 1, self.seed, 0)

    def _sample(self, player: int) -> int:
        first = (self.iteration * self.game.players + player) * self.options.traversals
        visits = joined_visits(self.played(player, first, self.options.traversals))
        self._store(player, visits)
        return visits.decisions

    def play(self, shard: HandShard) -> Visits:
        return traverse(
            self.game, self._strategy, shard.player, shard.hands, self.seed, shard.first
        )

    def _store(self, player: int, visits: Visits) -> None:
        random = self.random(STORING, player)
        weight = np.float32(self.iteration + 1)
        self._advantages[player].add(
            random,
            observations=visits.observations,
            legal=visits.legal,
            targets=visits.advantages / self._scale,
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

    def policy(self) -> Network:
        return self._distilled() if self.distil and self.iteration else super().policy()

    def _distilled(self) -> Network:
        """A network that has learnt the strategies met, for all seats."""
        network = new_layers(self._sizes, self.random(_AVERAGING), 0.01).to(self.device)

        def loss(rows: dict[str, Tensor]) -> Tensor:
            logits = masked(network(rows["observations"]), rows["legal"])
            return cross_entropy(logits, rows["targets"])

        updates = self.options.average_updates
        self._fit(network, self._strategies, loss, updates, self.random(_AVERAGING, 1))
        return to_network([network], SOFTMAX)

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {**super().to_arrays(), **self._strategies.to_arrays("strategies")}

    def restore_networks(self, arrays: Mapping[str, np.ndarray]) -> None:
        self._strategies.restore("strategies", arrays)
        super().restore_networks(arrays)
