"""What results are worth: means, intervals, and a test that stops when it knows enough.

The deal is the sampling unit. Its hands, in all rotations of the seats, hang together and are one
number: the mean of a player over them. Deals are independent of each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtrit

CONFIDENCE = 0.95
RESAMPLES = 1000
"""Of a bootstrap."""
_MOST_CLUSTERS = 2000
"""More clusters than this are put together in groups before they are drawn again and again."""


@dataclass(frozen=True)
class Score:
    """Winnings in thousandths of a big blind or an ante per hand."""

    mbb_per_hand: float | None
    """None if no deal was finished."""
    ci95: tuple[float, float] | None
    """Interval of 95 % confidence; None with fewer than two deals."""

    @property
    def width(self) -> float | None:
        """Half of the interval."""
        return None if self.ci95 is None else (self.ci95[1] - self.ci95[0]) / 2


def score_of(values: np.ndarray, unit: float = 1.0) -> Score:
    """The mean of independent values and its interval (Student's t), both times `unit`."""
    n = len(values)
    if n == 0:
        return Score(None, None)
    mean = float(values.mean()) * unit
    if n == 1:
        return Score(mean, None)
    return _with_interval(mean, float(values.std(ddof=1)) / math.sqrt(n) * unit, n)


def score_of_seats(values: np.ndarray, unit: float = 1.0) -> Score:
    """The mean of [deals, seats] as if every hand had cards of its own.

    The interval is the one of as many hands that are independent, with as many on each seat.
    """
    n, seats = values.shape
    if n < 2:
        return Score(float(values.mean()) * unit if n else None, None)
    error = math.sqrt(float(values.var(axis=0, ddof=1).sum()) / n) / seats
    return _with_interval(float(values.mean()) * unit, error * unit, n)


def _with_interval(mean: float, error: float, n: int) -> Score:
    reach = float(stdtrit(n - 1, 0.5 + CONFIDENCE / 2)) * error
    return Score(mean, (mean - reach, mean + reach))


def hands_saved(plain: Score, better: Score) -> float | None:
    """How many times fewer hands give the better score an interval as narrow as the plain one.

    None where one of them has no interval, or one of no width.
    """
    if plain.width is None or not better.width:
        return None
    return (plain.width / better.width) ** 2


def bootstrap_means(values: np.ndarray, seed: int = 0, resamples: int = RESAMPLES) -> np.ndarray:
    """[resamples, ...] means of clusters that are drawn with replacement (Efron 1979).

    `values` [clusters, ...] has the value of each cluster; those that count several things in each
    cluster get the same clusters for all of them. NaN says that a cluster lacks a thing: means are
    over the others. Many clusters are put together in groups, one after the other, first.
    """
    known = np.isfinite(values)
    sums, counts = np.where(known, values, 0.0), known.astype(float)
    if len(values) > _MOST_CLUSTERS:
        starts = np.linspace(0, len(values), _MOST_CLUSTERS, endpoint=False).astype(np.int64)
        sums, counts = np.add.reduceat(sums, starts), np.add.reduceat(counts, starts)
    random = np.random.default_rng(seed)
    drawn = random.multinomial(len(sums), np.full(len(sums), 1.0 / len(sums)), size=resamples)
    weights = drawn.astype(float)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.tensordot(weights, sums, 1) / np.tensordot(weights, counts, 1))


def bootstrap_interval(
    values: np.ndarray, unit: float = 1.0, seed: int = 0
) -> tuple[float, float] | None:
    """Percentiles between which lie 95 % of the bootstrap means; None with fewer than two."""
    if len(values) < 2:
        return None
    means = bootstrap_means(values, seed) * unit
    low, high = np.quantile(means, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2])
    return float(low), float(high)


Verdict = Literal["low", "high", "open"]


@dataclass(frozen=True)
class Sprt:
    """A sequential probability ratio test of a mean (Wald 1945), in the units of its bounds.

    It decides between "the mean is `low`" and "the mean is `high`" as soon as the likelihood ratio
    of the two says enough. A mean of `low` is taken for `high` with a chance of about `alpha`, and
    one of `high` for `low` with about `beta`. The values are taken for normal with the spread that
    they have shown so far, as tests of chess programs do: with a hundred values or more that is
    good, and between the bounds either verdict may come.
    """

    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(
                f"bounds {self.low:g} and {self.high:g}: expected a low and a high one"
            )
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0 < chance < 0.5:
                raise ValueError(f"{name}={chance:g}: expected a probability above 0, below 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios at which "low" and "high" are decided."""
        return (
            math.log(self.beta / (1.0 - self.alpha)),
            math.log((1.0 - self.beta) / self.alpha),
        )

    def log_likelihood_ratio(self, values: np.ndarray) -> float:
        """log P(values | high) - log P(values | low)."""
        if len(values) < 2:
            return 0.0
        spread = float(values.var(ddof=1))
        if spread == 0.0:
            return 0.0
        middle = (self.low + self.high) / 2.0
        return len(values) * (self.high - self.low) * (float(values.mean()) - middle) / spread

    def verdict(self, values: np.ndarray) -> Verdict:
        """What the values decide, "open" if nothing yet."""
        ratio = self.log_likelihood_ratio(values)
        low, high = self.bounds
        return "low" if ratio <= low else "high" if ratio >= high else "open"


def player_scores(chips: np.ndarray) -> np.ndarray:
    """[deals, players]: mean of each player over the rotations of a deal.

    `chips` is [deals, rotations, seats]; in rotation r player p sits on seat (p + r) % players.
    """
    return np.asarray(by_player(chips).mean(axis=2))


def by_player(chips: np.ndarray) -> np.ndarray:
    """[deals, players, seats] from [deals, rotations, seats]: winnings of players on each seat."""
    players = chips.shape[2]
    seats = np.arange(players)
    rotation = (seats[None, :] - seats[:, None]) % players
    return np.asarray(chips[:, rotation, seats[None, :]])
