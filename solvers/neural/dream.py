"""DREAM: regrets of single lines of play, made steady by a learned baseline.

Deep CFR without a simulator that goes back (Steinberger, Lerer and Brown 2020): a hand is played
once, from its beginning to its end, with one action at each decision, as in outcome sampling. What
the other actions would have been worth is told by a network Q(h, a) that values histories, and that
learns from the same hands by expected SARSA, as in that paper,

    Q(h, a) <- u(z) at the end of the hand, else sum over a' of σ(h', a') Q(h', a')

with h' the next decision of the hand and σ the present strategy. It may see the cards of all seats,
since it serves in training alone. Estimates are unbiased whatever Q says, as long as it has not
learnt from the hands that it corrects: it learns after them. A decision that the traverser reached
with the chance ξ of its own weighs t / ξ in the loss of its network, so that what the network
predicts is proportional to the average regret.

Of the algorithms that sample single lines this one was chosen, and not ESCHER (McAleer et al.
2023), since it shares all with SD-CFR but the sampling: its average needs no network of its own,
and its regrets are unbiased, while those of ESCHER are as wrong as its learned values are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pokerspiel.games.variants import Game
from pokerspiel.solvers.lockstep import Seen, observation_size
from pokerspiel.solvers.neural.experience import Experience, Table, next_decisions
from pokerspiel.solvers.neural.fitting import descend, drawn_rows, mean_loss, new_adam
from pokerspiel.solvers.neural.memories import LatestRows
from pokerspiel.solvers.neural.networks import (
    adam_arrays,
    module_arrays,
    new_layers,
    restore_adam,
    restore_module,
)
from pokerspiel.solvers.neural.outcome_walks import (
    Walks,
    estimates,
    history_size,
    joined_walks,
    walk,
)
from pokerspiel.solvers.neural.regret_networks import (
    OWN_PURPOSES,
    STORING,
    RegretNetworks,
    RegretOptions,
)
from pokerspiel.solvers.neural.settings import check_settings
from pokerspiel.solvers.neural.shared_play import HandShard

_BASELINE, _VALUING = OWN_PURPOSES, OWN_PURPOSES + 1

_TARGETED = 20
"""Mini-batches whose targets the baseline gives at once."""


@dataclass(frozen=True)
class Options(RegretOptions):
    """Settings."""

    updates: int = 40
    walks: int = 400
    """Hands walked through for each player in an iteration."""
    exploration: float = 0.5
    """Chance that the traverser plays at random at a decision."""
    baseline_updates: int = 60
    """Mini-batches that the baseline learns from in an iteration; 0: there is no baseline."""
    baseline_batch: int = 512
    """Decisions of such a mini-batch."""
    baseline_capacity: int = 200_000
    """Latest decisions from which the baseline learns."""

    def __post_init__(self) -> None:
        check_settings(self, up_to_one=("exploration",), or_zero=("anew_every", "baseline_updates"))


class Dream(RegretNetworks):
    """DREAM, averaged as in SD-CFR."""

    def __init__(
        self,
        game: Game,
        options: Options,
        seed: int = 0,
        device: str = "cpu",
        threads: int = 1,
    ) -> None:
        super().__init__(game, options, seed, device, threads)
        self.options = options
        self._tables: dict[int, Table] = {}
        """By the number of their hands."""
        sees, actions = history_size(game), game.limits.num_actions
        sizes = [sees, *[options.width] * options.depth, game.players * actions]
        self._baseline = new_layers(sizes, self.random(_BASELINE), 0.0).to(self.device)
        self._optimizer = new_adam(self._baseline, options.learning_rate)
        self._lines = LatestRows(
            options.baseline_capacity,
            {
                "histories": ((sees,), np.float32),
                "legal": ((actions,), np.bool_),
                "seats": ((), np.int64),
                "actions": ((), np.int64),
                "next": ((), np.int64),
                "returns": ((game.players,), np.float32),
            },
        )
        """The next decision of the hand is named by its row, -1 if there is none."""

    def prepare(self) -> None:
        self.play(HandShard(0, 0, self.options.walks))

    def play(self, shard: HandShard) -> Walks:
        if shard.hands not in self._tables:
            self._tables[shard.hands] = Table(self.game, shard.hands, self.threads)
        table, explores = self._tables[shard.hands], self.options.exploration
        return walk(table, self._strategy, shard.player, explores, self.seed, shard.first)

    def _walk(self, player: int) -> Walks:
        first = (self.iteration * self.game.players + player) * self.options.walks
        return joined_walks(self.played(player, first, self.options.walks))

    def _sample(self, player: int) -> int:
        walks = self._walk(player)
        experience = walks.experience
        worth = self._values(torch.from_numpy(walks.histories).to(self.device))[:, player]
        baselines = worth.cpu().numpy().astype(np.float64) * self._scale
        advantages, reach = estimates(walks, baselines, player)
        own = experience.seats == player
        self._advantages[player].add(
            self.random(STORING, player),
            observations=experience.observations[own],
            legal=experience.legal[own],
            targets=advantages[own] / self._scale,
            weights=(self.iteration + 1) / reach[own],
        )
        self._store_lines(walks)
        return len(own)

    # The baseline.

    def _values(self, histories: Tensor) -> Tensor:
        """[n, P, A]: what each action of the seat to act is worth to each player, in scales."""
        with torch.no_grad():
            said: Tensor = self._baseline(histories)
        return said.reshape(len(histories), self.game.players, -1)

    def _store_lines(self, walks: Walks) -> None:
        experience, lines = walks.experience, self._lines
        following = _following(experience)
        rows = (lines.met + following) % lines.capacity
        lines.add(
            histories=walks.histories,
            legal=experience.legal,
            seats=experience.seats,
            actions=experience.actions,
            next=np.where(following >= 0, rows, -1),
            returns=(experience.returns[experience.hands] / self._scale).astype(np.float32),
        )

    def _learn_more(self) -> None:
        """Let the baseline value what is played now."""
        random = self.random(_VALUING)
        batch, updates = self.options.baseline_batch, self.options.baseline_updates
        losses = []
        for done in range(0, updates, _TARGETED):
            n = batch * min(_TARGETED, updates - done)
            rows = drawn_rows(self._lines, n, random, self.device)
            rows["targets"] = self._targets(rows)
            for part in torch.arange(n, device=self.device).split(batch):
                error = self._error({name: column[part] for name, column in rows.items()})
                losses.append(descend(self._optimizer, self._baseline, error, self.options.norm))
        self._losses["baseline_error"] = mean_loss(losses)

    def _error(self, rows: dict[str, Tensor]) -> Tensor:
        said = self._baseline(rows["histories"]).reshape(*rows["targets"].shape, -1)
        places = torch.arange(len(said), device=self.device)
        return (said[places, :, rows["actions"]] - rows["targets"]).square().sum(1).mean()

    def _targets(self, rows: dict[str, Tensor]) -> Tensor:
        """[n, P]: returns of hands that are over, else what the next decision is worth."""
        goes_on = rows["next"] >= 0
        following = rows["next"][goes_on].cpu().numpy()
        columns = self._lines.columns
        histories, seats = columns["histories"][following], columns["seats"][following]
        size = observation_size(self.game)
        seen = histories[:, : self.game.players * size].reshape(len(seats), -1, size)
        own = seen[np.arange(len(seats)), seats]
        nothing = np.zeros((len(own), 0), np.float32)
        chances = self._strategy(Seen(own, columns["legal"][following], seats, nothing))
        worth = self._values(torch.from_numpy(histories).to(self.device))
        targets = rows["returns"].clone()
        targets[goes_on] = (worth * torch.from_numpy(chances).to(self.device)[:, None]).sum(2)
        return targets

    # Checkpoints.

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {
            **super().to_arrays(),
            **module_arrays("baseline", self._baseline),
            **adam_arrays("adam", self._optimizer),
            **self._lines.to_arrays("lines"),
        }

    def restore_networks(self, arrays: Mapping[str, np.ndarray]) -> None:
        super().restore_networks(arrays)
        restore_module("baseline", self._baseline, arrays)
        restore_adam("adam", self._optimizer, arrays)
        self._lines.restore("lines", arrays)


def _following(experience: Experience) -> np.ndarray:
    """[N] int64: the next decision of the same hand, -1 if there is none."""
    out = np.zeros(len(experience.hands), np.int64)
    nobody = np.zeros_like(experience.seats)
    next_decisions(experience.hands, nobody, np.zeros((len(experience.returns), 1), np.int64), out)
    return out
