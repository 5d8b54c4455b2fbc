"""Arrays of a checkpoint, looked up so that foreign ones are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def stored(arrays: Mapping[str, np.ndarray], name: str, shape: Sequence[int | None]) -> np.ndarray:
    """A copy of an array of a checkpoint; None in the shape stands for any number.

    Raises ValueError if it is missing or has another shape.
    """
    array = arrays.get(name)
    found = None if array is None else array.shape
    if (
        array is None
        or array.ndim != len(shape)
        or any(n not in (m, None) for n, m in zip(shape, array.shape, strict=True))
    ):
        raise ValueError(f"array {name}: its shape is {found}, expected {tuple(shape)}")
    return np.array(array)
