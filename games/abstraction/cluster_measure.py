"""How well buckets tell what a hand is worth, before anything is trained.

For each moment random hands are put into buckets, and both percentiles of each hand are found again
from many more deals of the cards to come, other ones than the buckets see. The share of their
variance that the means of the buckets explain (R²) is 1 if a bucket says all, and 0 if it says
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerspiel.games.abstraction.cluster_build import sample_hands
from pokerspiel.games.abstraction.clusters import MOMENTS, nearest
from pokerspiel.games.compiled import kernel
from pokerspiel.games.variants import Game

DEALS = 1000
"""Deals of the cards to come for one hand."""
_OTHER_HANDS = 1 << 32
"""Number of the first hand: none of those from which centres are built."""


@dataclass(frozen=True)
class Quality:
    """What the buckets of a moment tell."""

    moment: str
    buckets: int
    used: int
    """Buckets that any of the hands fell into."""
    draw: float
    """R² of the percentile of the draw half; NaN if there is nothing to explain."""
    omaha: float
    """R² of the percentile of the Omaha half."""
    mean: float
    """R² of the mean of both."""


def measure(
    game: Game, hands: int, seed: int, on_progress: Callable[[float], None] | None = None
) -> list[Quality]:
    """The quality of the buckets of `game` at each moment, over so many random hands.

    Raises ValueError if the game has no buckets.
    """
    if not game.classes:
        raise ValueError(f"{game}: its information sets have no buckets")
    rules = game.tables.rules
    report = (lambda what, share: on_progress(share)) if on_progress is not None else None
    features, worth = sample_hands(rules, hands, seed, report, first=_OTHER_HANDS, deals=DEALS)
    bucket = np.full((len(MOMENTS), hands), -1, np.int64)
    _find_buckets(rules, features, bucket)
    return [
        _quality(name, int(rules["clusters"]["sizes"][0, i]), bucket[i], worth[i])
        for i, name in enumerate(MOMENTS)
    ]


@kernel
def _find_buckets(rules: Any, features: Any, bucket: Any) -> None:
    """Write the buckets [MOMENTS, hands] of the hands that met the moment."""
    for moment in range(bucket.shape[0]):
        for hand in range(bucket.shape[1]):
            if not np.isnan(features[moment, hand, 0]):
                bucket[moment, hand] = nearest(rules[0].clusters, moment, features[moment, hand])


def _quality(moment: str, buckets: int, bucket: np.ndarray, worth: np.ndarray) -> Quality:
    met = bucket >= 0
    bucket, worth = bucket[met], worth[met]
    numbers = np.column_stack([worth, worth.mean(axis=1)])
    explained = [_explained(bucket, column) for column in numbers.T]
    return Quality(moment, buckets, len(np.unique(bucket)), *explained)


def _explained(bucket: np.ndarray, values: np.ndarray) -> float:
    """R², of means taken over the other hands of a bucket, so that small ones do not flatter it."""
    if len(values) == 0 or np.ptp(values) == 0.0:
        return float("nan")
    size = np.bincount(bucket)[bucket]
    total = np.bincount(bucket, values)[bucket]
    others = np.where(size > 1, (total - values) / np.maximum(size - 1, 1), values.mean())
    return float(1.0 - np.mean((values - others) ** 2) / np.var(values))
