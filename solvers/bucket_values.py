"""What strategies by buckets are worth in a chain of deals, and what best responses gain, exactly.

A best response is worked out from the last deal to the first: what a deal is worth to a place that
responds is what a tie that leads to it pays. The others keep to their buckets. The place that
responds either sees all of its cards or, as the others do, only their bucket; the difference is
what its cards tell about the hands of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pokerspiel.solvers.best_response import Evaluation
from pokerspiel.solvers.bucket_columns import Chances
from pokerspiel.solvers.bucket_form import BucketForm
from pokerspiel.solvers.bucket_passes import new_room, spread_reach, value_ends


@dataclass(frozen=True)
class BucketEvaluation:
    """What strategies of a chain of deals are worth, in chips, exactly."""

    game: Evaluation
    """The whole game; best responses see all cards of their hand."""
    by_bucket: Evaluation
    """The same with best responses that see the bucket of their hand alone."""
    values: np.ndarray
    """[deals, places]: chips in the end of each place of a deal that has just begun."""
    best_values: np.ndarray
    """The same of best responses that see all cards of their hand."""


class DealValues:
    """Values of single deals under a strategy [rows + 1, width].

    A place tells apart the hands of `chances`; the others play by buckets.
    """

    def __init__(self, form: BucketForm, behaviour: np.ndarray, chances: Chances) -> None:
        self.form = form
        self.chances = chances
        self._reach = np.ones(behaviour.size)
        for side in form.sides:
            spread_reach(side.layout.sets, behaviour.ravel(), self._reach, form.width)
        self._room = new_room(form.columns, chances.hands)
        self._coefficient = [np.zeros_like(side.payoff) for side in form.sides]

    def value(self, deal: int, place: int, values: np.ndarray) -> float:
        """Chips in the end of a place that keeps to the strategy, if it tells buckets apart.

        `values` [deals, places] are those of later deals.
        """
        reach = self._reach.reshape(-1, self.form.width)
        rows = self._rows(deal)
        return float((reach[rows] * self._ended(deal, place, values)).sum())

    def best_value(self, deal: int, place: int, values: np.ndarray) -> float:
        """The same of a best response."""
        side, first = self.form.sides[place], self.form.first_row[deal]
        value = self._ended(deal, place, values)
        for row, actions, above, looked in side.layout.sets[side.sets_of(deal)][::-1]:
            options = value[row - first : row - first + actions]
            if looked:
                value[self._local(deal, above)] += options.max(axis=0)
            else:
                value[self._local(deal, above), 0] += options.sum(axis=1).max()
        return float(value[-1].sum())

    def _rows(self, deal: int) -> np.ndarray:
        """The rows of a deal, and the beginning."""
        return np.append(np.arange(*self.form.first_row[deal : deal + 2]), self.form.beginning)

    def _local(self, deal: int, row: np.ndarray) -> np.ndarray:
        """Where rows are among those."""
        count = self.form.chain.deals[deal].rows
        return np.asarray(np.minimum(row - self.form.first_row[deal], count))

    def _ended(self, deal: int, place: int, values: np.ndarray) -> np.ndarray:
        """[rows + 1, hands]: values of a deal's rows to a place from what ends right after them."""
        form, side, coefficient = self.form, self.form.sides[place], self._coefficient[place]
        some = np.arange(*side.first_end_row[deal : deal + 2])
        ends = side.ends_of(deal)
        coefficient[ends] = side.coefficients(ends, values)
        value = np.zeros((form.chain.deals[deal].rows + 1, self.chances.hands))
        value_ends(
            side.layout,
            form.columns,
            self.chances,
            coefficient,
            self._reach,
            form.width,
            some,
            self._local(deal, side.layout.end_row[some]),
            self._room,
            value.ravel(),
        )
        return value


def evaluate_buckets(form: BucketForm, strategy: Sequence[np.ndarray]) -> BucketEvaluation:
    """The exact values of a strategy, [rows, buckets] of each deal, and of best responses to it.

    What it does before it looks must be the same for all buckets.
    """
    chain = form.chain
    behaviour = form.pack(strategy)
    by_buckets = DealValues(form, behaviour, form.chances)
    by_classes = DealValues(form, behaviour, form.class_chances)
    shape = (len(chain.deals), chain.places)
    values, best, best_by_bucket = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for deal in range(len(chain.deals) - 1, -1, -1):
        for place in range(chain.places):
            values[deal, place] = by_buckets.value(deal, place, values)
            best[deal, place] = by_classes.best_value(deal, place, best)
            best_by_bucket[deal, place] = by_buckets.best_value(deal, place, best_by_bucket)
    start = np.array(chain.start)
    return BucketEvaluation(
        Evaluation(values[0] - start, best[0] - start),
        Evaluation(values[0] - start, best_by_bucket[0] - start),
        values,
        best,
    )
