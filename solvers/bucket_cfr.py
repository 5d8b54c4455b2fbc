"""CFR on a chain of deals for two or three places, with strategies by buckets of hands.

Card removal between all hands is exact; what is given up is that strategies tell hands of a bucket
apart. For three players CFR has no promise of an equilibrium: what its strategies are worth is
measured by best responses (bucket_values.py).

What a tie pays that is played off is the value of the deal that follows under the average
strategies. The values of all deals are taken anew after each stretch of iterations, the last deal
first. The stretches grow with the number of iterations, so that old values are forgotten like old
regrets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pokerspiel.games.deals import DealChain
from pokerspiel.solvers.algorithms import DISCOUNTING, Discounting, factors
from pokerspiel.solvers.bucket_form import BucketForm
from pokerspiel.solvers.bucket_passes import Numbers, iterate, new_room, spread_reach
from pokerspiel.solvers.bucket_values import DealValues
from pokerspiel.solvers.chart import DealStrategy
from pokerspiel.solvers.layout import aligned
from pokerspiel.solvers.solver import Solver
from pokerspiel.solvers.vector import STRETCH

_SAVED = ("behaviour", "regret", "average")


class BucketCfr(Solver):
    """An algorithm of the family, by its name in DISCOUNTING, on a chain of deals.

    `bucket_of_class` [classes] numbers the buckets; see BucketForm. `horizon` is the number of
    iterations that algorithms with a schedule plan for.
    """

    def __init__(
        self,
        chain: DealChain,
        bucket_of_class: np.ndarray,
        algorithm: str | Discounting = "dcfr",
        horizon: int = 1000,
    ) -> None:
        super().__init__()
        self.chain = chain
        self.form = BucketForm(chain, bucket_of_class)
        self.row = DISCOUNTING[algorithm] if isinstance(algorithm, str) else algorithm
        self.horizon = horizon
        size = (self.form.beginning + 1) * self.form.width
        self.numbers = Numbers(*(aligned(np.zeros(size)) for _ in range(5)))
        self.numbers.behaviour[:] = self._average().ravel()
        self.values = np.zeros((len(chain.deals), chain.places))
        """Chips in the end of each place of each deal, under the averages of iteration `taken`."""
        self.taken = -1
        """Iteration after which the values were taken; -1 before the first time."""
        self._coefficients: tuple[np.ndarray, ...] = ()
        self._room = new_room(self.form.columns, self.form.width)
        self._spread()

    def _spread(self) -> None:
        self.numbers.reach[-self.form.width :] = 1.0
        for side in self.form.sides:
            spread_reach(
                side.layout.sets, self.numbers.behaviour, self.numbers.reach, self.form.width
            )

    def _average(self) -> np.ndarray:
        """[rows + 1, width]: the average strategies."""
        return self.form.normalised(self.numbers.average.reshape(-1, self.form.width))

    def prepare(self) -> None:
        self._set_values(self.values)
        self._iterate(np.zeros((0, 4)))

    def advance(self, iterations: int) -> None:
        last = self.iteration + iterations
        while self.iteration < last:
            if self.iteration == self._end_of_stretch:
                self._take_values()
            start, end = self.iteration, min(last, self._end_of_stretch)
            self._iterate(factors(self.row, start, end, self.horizon))

    @property
    def _end_of_stretch(self) -> int:
        return self.taken + 1 + int(STRETCH * max(self.taken, 0))

    def _take_values(self) -> None:
        """Value all deals under the average strategies."""
        deals = DealValues(self.form, self._average(), self.form.chances)
        values = np.zeros_like(self.values)
        for deal in range(len(values) - 1, -1, -1):
            for place in range(self.chain.places):
                values[deal, place] = deals.value(deal, place, values)
        self._set_values(values)
        self.taken = self.iteration

    def _set_values(self, values: np.ndarray) -> None:
        self.values = values
        self._coefficients = tuple(
            side.coefficients(slice(None), values) for side in self.form.sides
        )

    def _iterate(self, weights: np.ndarray) -> None:
        form = self.form
        iterate(
            tuple(side.layout for side in form.sides),
            form.columns,
            form.chances,
            self._coefficients,
            self.numbers,
            form.buckets,
            weights,
            self._room,
            self.control,
            self.chain.places * self.chain.nodes * form.buckets,
        )

    def average_strategy(self) -> list[np.ndarray]:
        """The average strategies, [rows, buckets] of each deal."""
        return self.form.unpack(self._average())

    def to_arrays(self) -> dict[str, np.ndarray]:
        saved = {name: self._rows(name).copy() for name in _SAVED}
        return {**saved, "values": self.values.copy()}

    def to_numbers(self) -> dict[str, int | float]:
        return {**super().to_numbers(), "taken": self.taken}

    def _rows(self, name: str) -> np.ndarray:
        """[rows, buckets]: a view of the numbers with this name."""
        numbers: np.ndarray = getattr(self.numbers, name)
        return numbers.reshape(-1, self.form.width)[:-1, : self.form.buckets]

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, int | float]) -> None:
        rows = (self.form.beginning, self.form.buckets)
        shapes = {**dict.fromkeys(_SAVED, rows), "values": self.values.shape}
        for name, shape in shapes.items():
            found = arrays.get(name)
            if found is None or found.shape != shape or not np.isfinite(found).all():
                raise ValueError(f"array {name} does not fit {self.chain.game}: expected {shape}")
        for name in _SAVED:
            self._rows(name)[:] = arrays[name]
        self._set_values(arrays["values"].copy())
        self.taken = int(numbers["taken"])
        self._restore_control(numbers)
        self._spread()


def lift(strategy: Sequence[np.ndarray], bucket_of_class: np.ndarray) -> DealStrategy:
    """The [rows, classes] of each deal from its [rows, buckets]."""
    return [rows[:, bucket_of_class] for rows in strategy]
