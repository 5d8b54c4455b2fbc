"""What algorithms remember of the hands that they have played: the latest rows, or all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from pokerspiel.solvers.neural.checkpoint import stored
from pokerspiel.solvers.neural.merging import add_rows, enter_keys, new_slots, row_keys

Columns = Mapping[str, tuple[tuple[int, ...], type]]
"""Shape and type of a row of each column."""


def _with_room(columns: Mapping[str, np.ndarray], rows: int, most: int) -> dict[str, np.ndarray]:
    """The columns, with room for at least so many rows, and as a rule for more, up to `most`."""
    room = len(next(iter(columns.values())))
    if rows <= room:
        return dict(columns)
    room = min(max(rows, 2 * room), most)
    return {
        name: np.concatenate(
            (column, np.zeros((room - len(column), *column.shape[1:]), column.dtype))
        )
        for name, column in columns.items()
    }


class LatestRows:
    """The `capacity` rows that were put in last; memory is taken as it fills."""

    def __init__(self, capacity: int, columns: Columns) -> None:
        self.capacity = capacity
        self.met = 0
        """Rows put in so far, those that were dropped included."""
        self.columns: dict[str, np.ndarray] = {
            name: np.zeros((0, *shape), kind) for name, (shape, kind) in columns.items()
        }

    def __len__(self) -> int:
        return min(self.met, self.capacity)

    def add(self, **rows: np.ndarray) -> None:
        """Put rows in: one array for each column. Row number n comes to place n % capacity."""
        n = len(next(iter(rows.values())))
        self.columns = _with_room(self.columns, min(self.met + n, self.capacity), self.capacity)
        first = max(n - self.capacity, 0)
        places = np.arange(self.met + first, self.met + n) % self.capacity
        for name, values in rows.items():
            self.columns[name][places] = values[first:]
        self.met += n

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


_STAYS = 0.9
"""Share of what was put in that stays when a memory is full."""


class ConciseSample:
    """A uniform sample of all answers that were ever put in; equal situations stand there once.

    A *situation* is what a network sees and may do, an answer what it should say there, with a
    weight. Of each situation the sum of its answers is kept, and as long as there are at most
    `capacity` situations, nothing is lost. When there are more, each answer stays with the same
    chance, and later ones are taken in with the chance that earlier ones had to be there still (the
    concise samples of Gibbons and Matias 1998).
    """

    def __init__(self, capacity: int, inputs: int, actions: int) -> None:
        self.capacity = capacity
        self.rate = 1.0
        """Chance with which an answer is in the sample."""
        self._n = 0
        self._columns: dict[str, np.ndarray] = {
            "keys": np.zeros(0, np.uint64),
            "observations": np.zeros((0, inputs), np.float32),
            "legal": np.zeros((0, actions), np.bool_),
            "counts": np.zeros((0, 1), np.int64),
            "weights": np.zeros((0, 1)),
            "sums": np.zeros((0, actions)),
        }
        self._slots = new_slots(0)

    def __len__(self) -> int:
        """Situations."""
        return self._n

    def column(self, name: str) -> np.ndarray:
        """Of all situations what they are (`observations`, `legal`), or of the answers that are in
        the sample how many they are (`counts`), their weights together, or the weighted `sums`."""
        return self._columns[name][: self._n]

    @property
    def weights(self) -> np.ndarray:
        """[situations] float64"""
        return self.column("weights")[:, 0]

    @property
    def targets(self) -> np.ndarray:
        """[situations, A] float32: mean answers."""
        means = self.column("sums") / self.column("weights")
        return np.asarray(means, np.float32)

    def add(
        self,
        random: np.random.Generator,
        observations: np.ndarray,
        legal: np.ndarray,
        targets: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        """Put answers in: targets [N, A] with weights [N] > 0 at what was seen."""
        if self.rate < 1.0:
            taken = random.random(len(legal)) < self.rate
            observations, legal = observations[taken], legal[taken]
            targets, weights = targets[taken], weights[taken]
        before, n = self._n, len(legal)
        self._make_room(before + n)
        columns = self._columns
        places = np.zeros(n, np.int64)
        keys = row_keys(observations, legal)
        self._n = int(enter_keys(keys, columns["keys"], before, self._slots, places))
        columns["observations"][places] = observations
        columns["legal"][places] = legal
        weights = weights.astype(np.float64)[:, None]
        add_rows(np.ones((n, 1), np.int64), places, columns["counts"])
        add_rows(weights, places, columns["weights"])
        add_rows(weights * targets, places, columns["sums"])
        while self._n > self.capacity:
            self._thin(random)

    def _make_room(self, rows: int) -> None:
        self._columns = _with_room(self._columns, rows, max(rows, self.capacity))
        if 2 * rows > len(self._slots):
            self._enter_anew(rows)

    def _enter_anew(self, rows: int) -> None:
        """A table of all keys with room for so many."""
        self._slots = new_slots(rows)
        keys = self.column("keys").copy()
        enter_keys(keys, self._columns["keys"], 0, self._slots, np.zeros(self._n, np.int64))

    def _thin(self, random: np.random.Generator) -> None:
        """Let each answer stay with the chance _STAYS."""
        counts = self.column("counts")
        stay = random.binomial(counts, _STAYS)
        for name in ("weights", "sums"):
            self.column(name)[:] *= stay / counts
        counts[:] = stay
        kept = np.flatnonzero(stay[:, 0])
        for column in self._columns.values():
            column[: len(kept)] = column[kept]
            column[len(kept) : self._n] = 0
        self._n = len(kept)
        self.rate *= _STAYS
        self._enter_anew(self._n)

    def batches(
        self, number: int, batch: int, random: np.random.Generator
    ) -> Iterator[dict[str, np.ndarray]]:
        """So many mini-batches with the columns observations, legal, targets and weights; none if
        nothing was put in yet.

        If all situations fit into a mini-batch, each is all of them, weighed by their answers with
        a mean of 1. Else they are drawn with replacement, by the weight of their answers, and then
        weigh the same.
        """
        if self._n == 0:
            return
        rows = {name: self.column(name) for name in ("observations", "legal")}
        targets = self.targets
        if self._n <= batch:
            weights = (self.weights / self.weights.mean()).astype(np.float32)
            for _ in range(number):
                yield {**rows, "targets": targets, "weights": weights}
            return
        up_to = np.cumsum(self.weights)
        ones = np.ones(batch, np.float32)
        for _ in range(number):
            marks = random.random(batch) * up_to[-1]
            places = np.searchsorted(up_to, marks, side="right").clip(max=self._n - 1)
            drawn = {name: column[places] for name, column in rows.items()}
            yield {**drawn, "targets": targets[places], "weights": ones}

    def to_arrays(self, name: str) -> dict[str, np.ndarray]:
        arrays = {f"{name}.{key}": self.column(key) for key in self._columns}
        return {**arrays, f"{name}.rate": np.array([self.rate])}

    def restore(self, name: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Take over what `to_arrays` gave. Raises ValueError if it does not fit."""
        rate = float(stored(arrays, f"{name}.rate", (1,))[0])
        rows = len(stored(arrays, f"{name}.keys", (None,)))
        self._columns = {
            key: stored(arrays, f"{name}.{key}", (rows, *column.shape[1:])).astype(column.dtype)
            for key, column in self._columns.items()
        }
        self._n, self.rate = rows, rate
        self._enter_anew(rows)
