"""The full-tree algorithms of the CFR family as rows of data for one engine.

Iteration t multiplies positive cumulative regrets by t^α / (t^α + offset), negative ones by
t^β / (t^β + 1), and the sum of past strategies by ((t - 1) / t)^γ before it adds the present one
(Brown and Sandholm 2019, "Solving imperfect-information games via discounted regret
minimization", section 5, equation 4). An exponent ∞ keeps everything, -∞ drops it, so that CFR and
CFR+ are rows as well. A predictive row matches the regrets that it expects after the next iteration
(Farina, Kroer and Sandholm 2021): the present ones and the last instantaneous regret once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np


@dataclass(frozen=True)
class Linear:
    """An exponent that changes with the iteration: at + slope * t / T, with T the last one."""

    at: float
    slope: float


Exponent = float | Linear


@dataclass(frozen=True)
class Discounting:
    """How an algorithm weighs the past. Parameters bear the names of the papers."""

    alpha: Exponent
    beta: Exponent
    gamma: Exponent
    offset: float = 1.0
    predictive: bool = False
    paper: str = ""

    @property
    def needs_horizon(self) -> bool:
        """Whether the number of iterations must be known at the start."""
        return any(isinstance(e, Linear) for e in (self.alpha, self.beta, self.gamma))


DISCOUNTING = {
    "cfr": Discounting(inf, inf, 0, paper="Zinkevich, Johanson, Bowling and Piccione 2007"),
    "cfr+": Discounting(inf, -inf, 1, paper="Tammelin 2014"),
    "lcfr": Discounting(1, 1, 1, paper="Brown and Sandholm 2019"),
    "dcfr": Discounting(1.5, 0, 2, paper="Brown and Sandholm 2019"),
    "dcfr+": Discounting(1.5, -inf, 4, offset=1.5, paper="Xu, Li, Liu, Fu, Fang and others 2024"),
    "pcfr+": Discounting(inf, -inf, 2, predictive=True, paper="Farina, Kroer and Sandholm 2021"),
    "pdcfr+": Discounting(2.3, -inf, 5, predictive=True, paper="Xu and others 2024"),
    "hs-dcfr": Discounting(
        Linear(1, 3), Linear(-1, -2), Linear(30, -5), paper="Zhang, McAleer and Sandholm 2024"
    ),
    "hs-pcfr+": Discounting(
        inf, -inf, Linear(30, -5), predictive=True, paper="Zhang, McAleer and Sandholm 2024"
    ),
}

POSITIVE, NEGATIVE, AVERAGE, PREDICTION = range(4)


def factors(row: Discounting, first: int, last: int, horizon: int) -> np.ndarray:
    """[last - first, 4] float64: the factors of iterations first + 1 to last.

    Those of the positive regrets, the negative ones, the average, and the weight of the prediction.
    """
    t = np.arange(first + 1, last + 1, dtype=np.float64)
    out = np.empty((len(t), 4))
    out[:, POSITIVE] = _share(t, _at(row.alpha, t, horizon), row.offset)
    out[:, NEGATIVE] = _share(t, _at(row.beta, t, horizon), 1.0)
    out[:, AVERAGE] = 1.0 if row.gamma == 0 else ((t - 1.0) / t) ** _at(row.gamma, t, horizon)
    out[:, PREDICTION] = 1.0 if row.predictive else 0.0
    return out


def _at(exponent: Exponent, t: np.ndarray, horizon: int) -> float | np.ndarray:
    if isinstance(exponent, Linear):
        return exponent.at + exponent.slope * t / horizon
    return exponent


def _share(t: np.ndarray, exponent: float | np.ndarray, offset: float) -> float | np.ndarray:
    """t^exponent / (t^exponent + offset), with its limits at ±∞."""
    if isinstance(exponent, float) and exponent in (inf, -inf):
        return 1.0 if exponent > 0 else 0.0
    return 1.0 / (1.0 + offset * t**-exponent)
