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
    """Values of single deals under a strategy [rows + 1, width]."""

    def __init__(self, form: BucketForm, behaviour: np.ndarray) -> None:
        self.form = form
        self._reach = np.ones(behaviour.size)
        for side in form.sides:
            spread_reach(side.layout.sets, behaviour.ravel(), self._reach, form.width)
        self._room = new_room(form.columns)
        self._coefficient = [np.zeros_like(side.payoff) for side in form.sides]

    def value(self, deal: int, place: int, values: np.ndarray) -> float:
        """Chips in the end of a place, where `values` [deals, places] are those of later deals."""
        rows, ended = self._ended(deal, place, values, self.form.chance)
        reach = self._reach.reshape(-1, self.form.width)
        return float((reach[rows] * ended).sum())

    def best_value(self, deal: int, place: int, values: np.ndarray, chance: np.ndarray) -> float:
        """The same of a best response that tells apart the hands of `chance` [columns, hands]."""
        form = self.form
        side, first = form.sides[place], form.first_row[deal]
        rows, ended = self._ended(deal, place, values, chance)
        value = np.zeros((form.chain.deals[deal].rows + 1, chance.shape[1]))
        value[self._local(deal, rows)] = ended
        sets = side.layout.sets[side.first_set[deal] : side.first_set[deal + 1]]
        for row, actions, above, looked in sets[::-1]:
            options = value[row - first : row - first + actions]
            if looked:
                value[self._local(deal, above)] += options.max(axis=0)
            else:
                value[self._local(deal, above), 0] += options.sum(axis=1).max()
        return float(value[-1].sum())

    def _local(self, deal: int, row: np.ndarray) -> np.ndarray:
        """Rows numbered from the deal's first one; the beginning is the last."""
        return np.where(row == self.form.beginning, -1, row - self.form.first_row[deal])

    def _ended(
        self, deal: int, place: int, values: np.ndarray, chance: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(Rows of a place after which the deal may end, their values [rows, hands] from that)."""
        side, coefficient = self.form.sides[place], self._coefficient[place]
        some = np.arange(*side.first_end_row[deal : deal + 2])
        ends = side.ends_of(deal)
        coefficient[ends] = side.coefficients(ends, values)
        ended = np.zeros((len(some), chance.shape[1]))
        value_ends(
            side.layout,
            self.form.columns,
            chance,
            coefficient,
            self._reach,
            self.form.width,
            some,
            self._room,
            ended,
        )
        return side.layout.end_row[some], ended


def evaluate_buckets(form: BucketForm, strategy: Sequence[np.ndarray]) -> BucketEvaluation:
    """The exact values of a strategy, [rows, buckets] of each deal, and of best responses to it.

    What it does before it looks must be the same for all buckets.
    """
    chain = form.chain
    deals = DealValues(form, form.pack(strategy))
    shape = (len(chain.deals), chain.places)
    values, best, by_bucket = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for deal in range(len(chain.deals) - 1, -1, -1):
        for place in range(chain.places):
            values[deal, place] = deals.value(deal, place, values)
            best[deal, place] = deals.best_value(deal, place, best, form.class_chance)
            by_bucket[deal, place] = deals.best_value(deal, place, by_bucket, form.chance)
    start = np.array(chain.start)
    return BucketEvaluation(
        Evaluation(values[0] - start, best[0] - start),
        Evaluation(values[0] - start, by_bucket[0] - start),
        values,
        best,
    )
