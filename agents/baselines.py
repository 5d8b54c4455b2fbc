"""Opponents with known weaknesses, for any game.

| name | plays |
|---|---|
| `random` | any legal action, all as likely |
| `always-call` | never folds, never raises, never draws; joins every svarka |
| `tight` | folds below 1.1 times an equal share of the pot, raises from 1.5 times |
| `equity` | stays in when its equity against random hands covers the price, raises from 1.25 times |

The last two estimate the equity by sampling, draw what promises the best equity, and never bet blind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.policy import CALLING, EQUITY, UNIFORM, Policy, new_policy
from pokerspiel.games.variants import Game

SAMPLES = 60
"""Random deals for one estimate of the equity."""
DRAW_SAMPLES = 20
"""The same for each discard, of which there are up to 32."""


class Baseline(CompiledAgent):
    """A rule of thumb for any game."""

    def __init__(self, name: str, kind: int, stay: float = 0.0, strong: float = 0.0) -> None:
        super().__init__(name)
        self._kind = kind
        self._stay = stay
        self._strong = strong

    def policy(self, game: Game) -> Policy:
        return new_policy(
            self._kind,
            game,
            stay=self._stay,
            strong=self._strong,
            samples=SAMPLES,
            draw_samples=DRAW_SAMPLES,
        )


BASELINES: Mapping[str, Callable[[], Baseline]] = MappingProxyType(
    {
        "random": lambda: Baseline("random", UNIFORM),
        "always-call": lambda: Baseline("always-call", CALLING),
        "tight": lambda: Baseline("tight", EQUITY, stay=1.1, strong=1.5),
        "equity": lambda: Baseline("equity", EQUITY, stay=0.0, strong=1.25),
    }
)
"""A factory for each name."""
