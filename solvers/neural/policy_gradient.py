"""Self-play by regularised policy gradient: PPO with entropy, and magnetic mirror descent.

What both play and learn is in self_play.py. With the mean gains Â(a) of actions at decisions where
the same was seen, in hands that the policy π_old has played, they maximise

    PPO  sum over a of min(π(a) Â(a), π_clipped(a) Â(a)) + α_t H(π)
    MMD  sum over a of π(a) Â(a) + α_t H(π) - KL(π, π_old) / η_t

where π_clipped is π, at most ε π_old(a) from π_old(a) (Schulman et al. 2017, equation 9; Sokota et
al. 2023, section 4). A hand tells Â(a) = (what came - V) / π_old(a) of the action a that was
played, and 0 of others; for MMD the critic says what others are worth,

    Â(b) = Q(b) - V + [b = a] (what came - Q(a)) / π_old(a).

Both have the same mean, whatever a critic says that does not know these hands; the present one has
just learnt from them, which makes gains steadier and a little biased. With entropy that stays,
self-play approaches a regularised equilibrium; α_t falls slowly, so that it moves to an equilibrium
of the game. For more than two players nothing is promised, as for any method.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from pokerspiel.games.variants import Game
from pokerspiel.solvers.neural.networks import entropy_of, finite_logs
from pokerspiel.solvers.neural.self_play import SelfPlay, SelfPlayOptions
from pokerspiel.solvers.neural.settings import check_settings


@dataclass(frozen=True)
class Options(SelfPlayOptions):
    """Settings; those that fall do so by (1 + t / decay)^(-1/2), with t the iteration."""

    entropy: float = 1.0
    """α: weight of the entropy, where utilities are about 1 in random play; it falls."""
    clip: float = 0.1
    """ε of PPO."""
    step: float = 1.0
    """η of MMD; it falls."""

    def __post_init__(self) -> None:
        up_to_one = ("memory", "share", "clip")
        check_settings(
            self,
            or_zero=("entropy", "memory", "share"),
            up_to_one=up_to_one,
        )


@dataclass(frozen=True)
class MirrorOptions(Options):
    """Settings of MMD: where advantages of actions differ little, its steps want many hands."""

    hands: int = 4096
    width: int = 256
    entropy: float = 0.25
    decay: float = 10.0
    passes: int = 4
    batch: int = 4096


class PolicyGradient(SelfPlay):
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
        super().__init__(game, options, seed, device, threads)
        self.options = options
        self.mirror = mirror

    def _prepared(self, lesson: dict[str, Tensor]) -> dict[str, Tensor]:
        chances, worth, actions = lesson["chances"], lesson["worth"], lesson["actions"]
        value = (chances * worth).sum(1, keepdim=True)
        told = worth if self.mirror else value.expand_as(worth)
        surprise = (lesson["targets"] - told.gather(1, actions)) / chances.gather(1, actions)
        gains = (told - value).scatter_add(1, actions, surprise)
        return {**lesson, "gains": torch.where(lesson["legal"], gains, 0.0)}

    def _objective(self, logits: Tensor, rows: dict[str, Tensor]) -> Tensor:
        gain = self._mirrored(logits, rows) if self.mirror else self._clipped(logits, rows)
        return gain + self.options.entropy * self._fall * entropy_of(logits)

    def _clipped(self, logits: Tensor, rows: dict[str, Tensor]) -> Tensor:
        reach, before, gains = self.options.clip, rows["chances"], rows["gains"]
        chances = logits.softmax(1)
        clipped = torch.clamp(chances, before * (1.0 - reach), before * (1.0 + reach))
        return torch.minimum(chances * gains, clipped * gains).sum(1)

    def _mirrored(self, logits: Tensor, rows: dict[str, Tensor]) -> Tensor:
        before = torch.where(rows["legal"], rows["chances"].clamp_min(1e-8).log(), 0.0)
        chances = logits.softmax(1)
        distance = (chances * (finite_logs(logits) - before)).sum(1)
        return (chances * rows["gains"]).sum(1) - distance / (self.options.step * self._fall)
