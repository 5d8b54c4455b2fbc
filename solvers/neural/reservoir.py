"""A uniform sample of everything that was ever put in (Vitter 1985, algorithm R)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


class Reservoir:
    """Room for `capacity` rows of some arrays; memory is taken as it fills.

    Each column is given by the shape of a row and its type.
    """

    def __init__(self, capacity: int, columns: Mapping[str, tuple[tuple[int, ...], type]]) -> None:
        self.capacity = capacity
        self.met = 0
        """Rows put in so far, those that were dropped included."""
        self.columns: dict[str, np.ndarray] = {
            name: np.zeros((0, *shape), kind) for name, (shape, kind) in columns.items()
        }

    def __len__(self) -> int:
        return min(self.met, self.capacity)

    def add(self, random: np.random.Generator, **rows: np.ndarray) -> None:
        """Put rows in: one array for each column."""
        n = len(next(iter(rows.values())))
        places = np.arange(self.met, self.met + n)
        late = places >= self.capacity
        places[late] = random.integers(0, places[late] + 1)
        kept = places < self.capacity
        self._make_room(min(self.met + n, self.capacity))
        for name, values in rows.items():
            self.columns[name][places[kept]] = values[kept]
        self.met += n

    def _make_room(self, rows: int) -> None:
        room = len(next(iter(self.columns.values())))
        if rows > room:
            room = min(max(rows, 2 * room), self.capacity)
            for name, column in self.columns.items():
                grown = np.zeros((room, *column.shape[1:]), column.dtype)
                grown[: len(column)] = column
                self.columns[name] = grown

    def to_arrays(self, name: str) -> dict[str, np.ndarray]:
        arrays = {f"{name}.{key}": column[: len(self)] for key, column in self.columns.items()}
        return {**arrays, f"{name}.met": np.array([self.met])}

    def restore(self, name: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Take over what `to_arrays` gave. Raises ValueError if it does not fit."""
        met = int(arrays[f"{name}.met"][0])
        for key, column in self.columns.items():
            array = arrays[f"{name}.{key}"]
            wanted = (min(met, self.capacity), *column.shape[1:])
            if array.shape != wanted:
                raise ValueError(f"array {name}.{key}: its shape is {array.shape}, not {wanted}")
            self.columns[key] = np.array(array, column.dtype)
        self.met = met
