"""Figures from a sample that is drawn in batches until the time is up, with their errors."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

CONFIDENCE = 1.96
"""Standard errors on each side of an interval of 95 %."""
FEWEST, MOST = 16, 256
"""Batches that a sample has at least, and at which two of them become one."""

Batch = Callable[[int, int, np.ndarray], int]
"""From a seed and a number of deals, add sums to an array; returns how many deals there were."""


@dataclass(frozen=True)
class Sample:
    """Sums over deals, in batches of the same size."""

    sums: np.ndarray
    """[batches, figures]"""
    deals: int
    """In each batch."""

    @property
    def total(self) -> int:
        """Deals of all batches."""
        return len(self.sums) * self.deals


def draw_sample(
    batch: Batch, figures: int, deals: int, seconds: float, samples: int | None, seed: int
) -> Sample:
    """Batches of `deals` deals until `seconds` are over, or at least `samples` deals are there.

    The same seed and number of batches give the same figures; there are FEWEST batches at least.
    Raises ValueError if a batch has fewer deals than asked for.
    """
    end = time.monotonic() + seconds
    sums: list[np.ndarray] = []
    drawn, joined = 0, 1
    while True:
        one = np.zeros(figures)
        for _ in range(joined):
            if batch(_seed(seed, drawn), deals, one) < deals:
                raise ValueError("hands that throw so many cards are too rare here to be sampled")
            drawn += 1
        sums.append(one)
        if len(sums) == MOST:
            sums = [first + second for first, second in zip(sums[::2], sums[1::2], strict=True)]
            joined *= 2
        late = time.monotonic() >= end if samples is None else drawn * deals >= samples
        if len(sums) >= FEWEST and (late or time.monotonic() >= end):
            return Sample(np.array(sums), deals * joined)


def _seed(seed: int, batch: int) -> int:
    return int(np.random.SeedSequence([seed, batch]).generate_state(1, np.uint64)[0] >> 1)


def mean_and_error(sums: np.ndarray, deals: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean of figures a deal, and its standard error, of sums [batches, ...] of `deals` each."""
    means = sums / deals
    return means.mean(axis=0), means.std(axis=0, ddof=1) / np.sqrt(len(sums))


def estimate(value: float, error: float, deals: int) -> dict[str, float]:
    """A share or a chance with its standard error and an interval of 95 %.

    `deals` is the size of the sample, 0 if the value is exact. No sampled figure is surer than
    one deal: an event that never came up has a chance yet.
    """
    if deals:
        error = max(error, 1.0 / deals)
    value, error = float(value), float(error)
    low, high = value - CONFIDENCE * error, value + CONFIDENCE * error
    return {"value": value, "error": error, "low": max(low, 0.0), "high": min(high, 1.0)}


def how(deals: int, error: float, exact: str) -> str:
    """Where figures come from, in words; `exact` for those with `deals` 0."""
    if not deals:
        return exact
    return f"sampled: {deals:,} deals, ±{CONFIDENCE * error:.2%}".replace("%", " %")


Document = dict[str, Any]
