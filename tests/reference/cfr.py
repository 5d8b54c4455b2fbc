"""Counterfactual regret minimisation from the papers, on pyspiel states, in plain Python.

Slow, and written for no game and no speed: each iteration walks the whole tree for each player.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

Weights = Callable[[int], tuple[float, float, float]]
"""t -> what iteration t does before it adds: factor of positive regrets, negative ones, average."""


class ReferenceCfr:
    """One iteration updates all players, one after the other or all at once.

    `before(t)` gives the factors of iteration t; `predictive`: match the discounted regrets plus
    the last instantaneous regret, as PCFR+ does. `payoff(state)` stands in for the game's returns.
    """

    def __init__(
        self,
        game: Any,
        before: Weights,
        alternating: bool = True,
        predictive: bool = False,
        payoff: Callable[[Any], list[float]] | None = None,
    ) -> None:
        self.game, self.before = game, before
        self.payoff = payoff or (lambda state: state.returns())
        self.alternating, self.predictive = alternating, predictive
        self.regret: dict[str, list[float]] = {}
        self.average: dict[str, list[float]] = {}
        self.strategy: dict[str, list[float]] = {}
        self.t = 0

    def iterate(self) -> None:
        self.t += 1
        pending = []
        for player in range(self.game.num_players()):
            gains: dict[str, list[float]] = defaultdict(list)
            reaches: dict[str, float] = {}
            self._walk(self.game.new_initial_state(), player, 1.0, 1.0, gains, reaches)
            pending.append((gains, reaches))
            if self.alternating:
                self._update(*pending.pop())
        for gains, reaches in pending:
            self._update(gains, reaches)

    def _of(self, key: str, n: int) -> list[float]:
        if key not in self.strategy:
            self.strategy[key] = [1.0 / n] * n
            self.regret[key] = [0.0] * n
            self.average[key] = [0.0] * n
        return self.strategy[key]

    def _walk(
        self,
        state: Any,
        player: int,
        own: float,
        others: float,
        gains: dict[str, list[float]],
        reaches: dict[str, float],
    ) -> float:
        """Value of the state to `player`; counterfactual regrets go to `gains`."""
        if state.is_terminal():
            return float(self.payoff(state)[player])
        if state.is_chance_node():
            return sum(
                p * self._walk(state.child(a), player, own, others * p, gains, reaches)
                for a, p in state.chance_outcomes()
            )
        key = f"{state.current_player()} {state.information_state_string()}"
        actions = state.legal_actions()
        strategy = list(self._of(key, len(actions)))
        mine = state.current_player() == player
        values = [
            self._walk(
                state.child(a),
                player,
                own * p if mine else own,
                others if mine else others * p,
                gains,
                reaches,
            )
            for a, p in zip(actions, strategy, strict=True)
        ]
        value = sum(p * v for p, v in zip(strategy, values, strict=True))
        if mine:
            found = gains[key] or [0.0] * len(actions)
            gains[key] = [g + others * (v - value) for g, v in zip(found, values, strict=True)]
            reaches[key] = own
        return value

    def _update(self, gains: dict[str, list[float]], reaches: dict[str, float]) -> None:
        positive, negative, average = self.before(self.t)
        next_positive, _, _ = self.before(self.t + 1)
        for key, gain in gains.items():
            self.average[key] = [
                s * average + reaches[key] * p
                for s, p in zip(self.average[key], self.strategy[key], strict=True)
            ]
            self.regret[key] = [
                r * (positive if r > 0.0 else negative) + g
                for r, g in zip(self.regret[key], gain, strict=True)
            ]
            matched = [max(r, 0.0) for r in self.regret[key]]
            if self.predictive:
                matched = [
                    max(m * next_positive + g, 0.0) for m, g in zip(matched, gain, strict=True)
                ]
            total = sum(matched)
            n = len(gain)
            self.strategy[key] = [m / total if total > 0.0 else 1.0 / n for m in matched]

    def average_strategy(self, key: str) -> list[float]:
        total = sum(self.average[key])
        n = len(self.average[key])
        return [s / total if total > 0.0 else 1.0 / n for s in self.average[key]]
