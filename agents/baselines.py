"""Opponents with known weaknesses, for any game.

`tight` and `equity` estimate by sampling what share of the pot their hand takes from random hands.
They draw what promises the best share, and never bet blind. Shares are compared with an equal
share, 1 / n for n players, so that the same numbers serve tables of any size.
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
    """A rule of thumb for any game; see `Policy` for its numbers."""

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

DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "random": "any legal action, all as likely",
        "always-call": "never folds, raises or draws; joins every svarka",
        "tight": "folds below 1.1 equal shares of the pot, raises from 1.5",
        "equity": "calls when its share of the pot covers the price, raises from 1.25 equal shares",
    }
)
