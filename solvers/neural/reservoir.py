"""Memories of rows: a uniform sample of everything that was ever put in, or the latest rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np

from pokerspiel.solvers.neural.checkpoint import stored

Columns = Mapping[str, tuple[tuple[int, ...], type]]
"""Shape and type of a row of each column."""


class Rows(ABC):
    """Room for `capacity` rows of some columns; memory is taken as it fills."""

    def __init__(self, capacity: int, columns: Columns) -> None:
        self.capacity = capacity
        self.met = 0
        """Rows put in so far, those that were dropped included."""
        self.columns: dict[str, np.ndarray] = {
            name: np.zeros((0, *shape), kind) for name, (shape, kind) in columns.items()
        }

    def __len__(self) -> int:
        return min(self.met, self.capacity)

    @abstractmethod
    def places(self, n: int, random: np.random.Generator) -> np.ndarray:
        """[n]: where the next rows go, nowhere from `capacity` on; of equals the last one stays."""

    def add(self, random: np.random.Generator, **rows: np.ndarray) -> None:
        """Put rows in: one array for each column."""
        n = len(next(iter(rows.values())))
        places = self.places(n, random)
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
        met = int(stored(arrays, f"{name}.met", (1,))[0])
        rows = min(met, self.capacity)
        self.columns = {
            key: stored(arrays, f"{name}.{key}", (rows, *column.shape[1:])).astype(column.dtype)
            for key, column in self.columns.items()
        }
        self.met = met


class Reservoir(Rows):
    """A uniform sample of everything that was ever put in (Vitter 1985, algorithm R)."""

    def places(self, n: int, random: np.random.Generator) -> np.ndarray:
        places = np.arange(self.met, self.met + n)
        late = places >= self.capacity
        places[late] = random.integers(0, places[late] + 1)
        return places


class LatestRows(Rows):
    """The rows that were put in last."""

    def places(self, n: int, random: np.random.Generator) -> np.ndarray:
        return np.arange(self.met, self.met + n) % self.capacity
