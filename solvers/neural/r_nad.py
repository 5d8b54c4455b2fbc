"""R-NaD: regularised Nash dynamics, the algorithm of DeepNash.

The game is changed: a seat that plays an action pays to the others η log(π(a) / π_reg(a)) for it
(the reward transformation of Perolat et al. 2021 and 2022; with more than two players the others
share it equally). In the changed game the dynamics of self-play converge to one policy, which then
takes the place of π_reg; the policies that follow each other so approach an equilibrium of the game
itself. Here the moving average of the weights takes that place, every so many iterations, and is
what is exported.

The policy follows NeuRD (Hennes et al. 2020): logits move by advantages that are not weighed with
the chance of the action, and are stopped where they leave [-β, β] around their mean. With Â the
generalised advantage of the action a that was played, in the changed game, an action b has

    A(b) = -η (d(b) - KL) + [b = a] (Â + η (d(a) - KL)) / π(a)

with d(b) = log(π(b) / π_reg(b)), whose mean is KL = KL(π, π_reg): the payment for each action,
which is known, is not sampled. So that rare actions do not make all steps noisy, both parts are
multiplied by min(1, π(b) / δ), which leaves the point of rest where it is. Hands are learnt from
when they have just been played, so that generalised advantages take the place of v-trace.

The convergence asks for a policy that has come to rest before π_reg is replaced, so the intervals
grow as the learning rate falls.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pokerspiel.games.variants import Game
from pokerspiel.solvers.neural.experience import Experience
from pokerspiel.solvers.neural.networks import (
    centred,
    finite_logs,
    masked,
    module_arrays,
    restore_module,
)
from pokerspiel.solvers.neural.self_play import SelfPlay, SelfPlayOptions
from pokerspiel.solvers.neural.settings import check_settings


@dataclass(frozen=True)
class Options(SelfPlayOptions):
    """Settings; the learning rate falls by (1 + t / decay)^(-1/4), with t the iteration."""

    hands: int = 2048
    decay: float = 50.0
    passes: int = 4
    batch: int = 2048
    norm: float = 10.0
    memory: float = 0.98
    regularisation: float = 0.2
    """η: what an action costs, where utilities are about 1 in random play."""
    anchor_every: int = 70
    """Iterations, at the first learning rate, after which the exported policy becomes π_reg; as the
    rate falls, they become more."""
    rare: float = 0.1
    """δ: chance below which the steps of an action are the smaller, the rarer it is."""
    reach: float = 4.0
    """β: how far logits are moved from their mean."""

    def __post_init__(self) -> None:
        check_settings(self, up_to_one=("share", "memory"), or_zero=("share", "memory"))


class RNad(SelfPlay):
    """R-NaD."""

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
        self._anchor = copy.deepcopy(self._policy)
        """π_reg"""

    def _learn(self, experience: Experience) -> None:
        if self._anchors(self.iteration) > self._anchors(max(self.iteration - 1, 0)):
            self._anchor.load_state_dict(self._exported.state_dict())
        super()._learn(experience)

    def _anchors(self, iteration: int) -> int:
        """How often π_reg has been replaced: as often as the steps so far, which fall, allow."""
        decay = self.options.decay
        steps = 2.0 * decay * ((1.0 + iteration / decay) ** 0.5 - 1.0)
        return int(steps / self.options.anchor_every)

    def _anchored(self, observations: Tensor, legal: Tensor) -> Tensor:
        """[n, A]: logarithms of the chances of π_reg, 0 where an action is not legal."""
        with torch.no_grad():
            return finite_logs(masked(self._anchor(observations), legal))

    def _paid(self, experience: Experience) -> np.ndarray:
        anchored = self._anchored(
            self._tensor(experience.observations), self._tensor(experience.legal)
        )
        actions = experience.actions[:, None]
        played = np.take_along_axis(experience.chances, actions, 1)[:, 0].astype(np.float64)
        wanted = np.take_along_axis(anchored.cpu().numpy(), actions, 1)[:, 0]
        return np.asarray(self.options.regularisation * (np.log(played) - wanted))

    def _prepared(self, lesson: dict[str, Tensor]) -> dict[str, Tensor]:
        anchored = self._anchored(lesson["observations"], lesson["legal"])
        before = torch.where(lesson["legal"], lesson["chances"].clamp_min(1e-8).log(), 0.0)
        cost = self.options.regularisation * (before - anchored)
        mean_cost = (lesson["chances"] * cost).sum(1, keepdim=True)
        actions = lesson["actions"]
        value = (lesson["chances"] * lesson["worth"]).sum(1, keepdim=True)
        sampled = lesson["targets"] - value + cost.gather(1, actions) - mean_cost
        weighed = sampled / lesson["chances"].gather(1, actions).clamp_min(self.options.rare)
        return {
            **lesson,
            "anchored": anchored,
            "gains": torch.zeros_like(cost).scatter(1, actions, weighed),
        }

    def _objective(self, logits: Tensor, rows: dict[str, Tensor]) -> Tensor:
        legal, reach = rows["legal"], self.options.reach
        with torch.no_grad():
            chances = logits.softmax(1)
            cost = self.options.regularisation * (finite_logs(logits) - rows["anchored"])
            saved = (chances * cost).sum(1, keepdim=True) - cost
            rarity = (chances / self.options.rare).clamp_max(1.0)
            advantages = torch.where(legal, rows["gains"] + rarity * saved, 0.0)
        moved = centred(logits, legal)
        free = torch.where(advantages > 0.0, moved < reach, moved > -reach)
        return (moved * advantages * (free & legal)).sum(1)

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {**super().to_arrays(), **module_arrays("anchor", self._anchor)}

    def restore_networks(self, arrays: Mapping[str, np.ndarray]) -> None:
        super().restore_networks(arrays)
        restore_module("anchor", self._anchor, arrays)
