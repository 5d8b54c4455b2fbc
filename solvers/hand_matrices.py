"""What hands win at showdowns, as products with matrices over all pairs of hands.

The other way beside hand_sums.py: every pair of classes costs a product, however alike hands are,
but a library for matrices does it, also on a GPU, and classes may be lumped into *buckets* that a
player does not tell apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.deals import Hands
from pokerspiel.solvers.joint import of_buckets, pair_chances


def chances_against_one(hands: Hands) -> tuple[np.ndarray, np.ndarray]:
    """([C], [C]): chance that a hand of each class beats, and ties, a random one."""
    counts = pair_chances(hands)
    counts /= counts.sum(axis=1, keepdims=True)
    order = np.sign(hands.score[:, None] - hands.score[None, :])
    return np.where(order > 0, counts, 0.0).sum(axis=1), np.where(order == 0, counts, 0.0).sum(
        axis=1
    )


class HandMatrices:
    """The chances of pairs of buckets, and which of them win.

    `bucket` [C] is the bucket of each class, by default the class itself. With `device`, such as
    "cuda", torch does the products there; ValueError if it is not installed.
    """

    def __init__(
        self,
        hands: Hands,
        bucket: np.ndarray | None = None,
        kind: type = np.float64,
        device: str | None = None,
    ) -> None:
        chances = pair_chances(hands)
        bucket = np.arange(hands.classes) if bucket is None else bucket
        self.buckets = int(bucket.max()) + 1
        self._torch = _torch() if device else None
        self._device = device
        self._kind = kind
        order = hands.score[:, None] - hands.score[None, :]
        self._all, self._ties, self._wins = (
            self._put(_lump(np.where(order >= least, chances, 0.0), bucket))
            for least in (-np.inf, 0, 1)
        )

    def _put(self, array: np.ndarray) -> Any:
        array = np.ascontiguousarray(array, self._kind)
        if self._torch is None:
            return array
        return self._torch.as_tensor(array, device=self._device)

    def values(
        self, lose: np.ndarray, tie: np.ndarray | None = None, win: np.ndarray | None = None
    ) -> np.ndarray:
        """[buckets, rows] as `hand_sums.sweep` gives, from arrays of the same shape.

        Without `tie` and `win` the rows pay the same whoever has the better hand.
        """
        total = self._all @ self._put(lose)
        if tie is not None and win is not None:
            total += self._ties @ self._put(tie)
            total += self._wins @ self._put(win)
        if self._torch is not None:
            total = total.cpu().numpy()
        return np.asarray(total, np.float64)


def _lump(chances: np.ndarray, bucket: np.ndarray) -> np.ndarray:
    """[buckets, buckets] from the chances of pairs of classes."""
    return of_buckets(of_buckets(chances, bucket).T, bucket).T


def _torch() -> Any:
    try:
        import torch  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise ValueError("a device for matrices needs torch, which is not installed") from None
    return torch
