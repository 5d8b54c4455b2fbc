"""A chain of deals laid out for passes in which strategies depend on few buckets of hands.

All deals are one forest here: their rows are numbered from the first deal to the last, and one more
row, the *beginning*, stands above all that a place decides first. The value of a row to its place
is linear in what the ends after it pay, and an end pays by how the hands rank:

    value[row, hand] = sum over ends, outcomes and cases of
                       pay[end, outcome] * reach[end, case] * chance[outcome, case, hand]

where a *case* is a bucket for the hand of each other place, and the hand is a bucket too, or, for a
place that sees all of its cards, a class. An outcome with a case that allows it is a *column*: what
ends pay is summed up by columns, then one product of matrices gives the values of many rows
(bucket_passes.py).

In the columns the place whose values are sought comes first and the others follow in their order,
so that the chances are the same for all places.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pokerspiel.games.deals import NOT_PLAYED_OFF, DealChain
from pokerspiel.solvers.joint import joint_chances, of_buckets, scores_of_buckets
from pokerspiel.solvers.layout import padded


class Columns(NamedTuple):
    """Outcomes and cases."""

    bucket: np.ndarray
    """[places - 1, cases] int64: the buckets of the others; cases that rank alike are together."""
    first_case: np.ndarray
    """[outcomes] int64: the first of the cases that allow the outcome."""
    first: np.ndarray
    """[outcomes + 1] int64: first column of each outcome."""


class Layout(NamedTuple):
    """All decisions and ends of one place."""

    sets: np.ndarray
    """[S, 4] int64: first row, actions, the place's row above, whether it has looked; in the order
    of the rows, which is parents first."""
    end_row: np.ndarray
    """[rows with ends] int64: rows after which a deal may end before the place acts again."""
    end_first: np.ndarray
    """[rows with ends + deals + 1] int64: the ends of each, then those that the place sees without
    having acted, of each deal."""
    others: np.ndarray
    """[ends, places - 1] int64: the last row of each other place."""


@dataclass(frozen=True)
class Side:
    """One place of all deals."""

    layout: Layout
    first_set: np.ndarray
    """[deals + 1] int64: first set of each deal."""
    first_end_row: np.ndarray
    """[deals + 1] int64: first of the rows with ends of each deal."""
    payoff: np.ndarray
    """[ends, outcomes] float64: chips in the end, if no deal follows."""
    follower: np.ndarray
    """[ends, outcomes] int64: the deal that follows, or NOT_PLAYED_OFF."""
    next_place: np.ndarray
    """[ends, outcomes] int64: the place there."""

    def coefficients(self, values: np.ndarray) -> np.ndarray:
        """[ends, outcomes] what ends pay where `values` [deals, places] are chips in the end."""
        followed = self.follower != NOT_PLAYED_OFF
        return np.where(followed, values[self.follower, self.next_place], self.payoff)


class BucketForm:
    """A chain of deals with buckets of hands.

    `bucket_of_class` [classes] numbers the buckets; hands of a bucket have the same score. Raises
    ValueError if they do not, and for more places than joint.py counts.
    """

    def __init__(self, chain: DealChain, bucket_of_class: np.ndarray) -> None:
        self.chain = chain
        self.bucket_of_class = bucket_of_class
        self._score = scores_of_buckets(chain.hands, bucket_of_class)
        self._joint = joint_chances(chain.hands, bucket_of_class, chain.places)
        self.buckets = len(self._score)
        self.width = padded(self.buckets)
        """Buckets, padded to whole vectors."""
        self.first_row = np.cumsum([0, *(deal.rows for deal in chain.deals)])
        """[deals + 1] int64: first row of each deal; the last number is that of the beginning."""
        self._case, self.columns = _columns(chain, self._score)
        chances = of_buckets(self._joint, bucket_of_class)
        self.chance = np.zeros((self.columns.first[-1], self.width))
        """[columns, width] float64: chance of each column with each bucket of the place."""
        self.chance[:, : self.buckets] = self._chance_of_columns(chances, self._score)
        self.sides = self._sides()

    @cached_property
    def class_chance(self) -> np.ndarray:
        """[columns, classes] float64: chance of each column with each class of the place."""
        return self._chance_of_columns(self._joint, self.chain.hands.score)

    def _chance_of_columns(self, joint: np.ndarray, score: np.ndarray) -> np.ndarray:
        """[columns, hands] from the chances [hands, buckets, ...] of hands of these scores."""
        columns = self.columns
        chance = joint.reshape(len(joint), -1)[:, self._case].T
        shape = (*chance.shape, 1)
        others = np.moveaxis(self._score[columns.bucket], 0, -1)[:, None]
        scores = [
            np.broadcast_to(score[:, None], shape),
            np.broadcast_to(others, (*chance.shape, others.shape[-1])),
        ]
        code = _code(_ranks(np.concatenate(scores, axis=-1)))
        out = np.zeros((columns.first[-1], len(joint)))
        for outcome, ranks in enumerate(self.chain.outcomes):
            first, end = columns.first[outcome : outcome + 2]
            cases = slice(columns.first_case[outcome], columns.first_case[outcome] + end - first)
            fits = code[cases] == _code(np.array(ranks))
            out[first:end] = np.where(fits, chance[cases], 0.0)
        return out

    def _sides(self) -> list[Side]:
        beginning = int(self.first_row[-1])
        last = [
            _last_rows(deal, int(first), beginning, self.chain.places)
            for deal, first in zip(self.chain.deals, self.first_row, strict=False)
        ]
        return [_side(self.chain, self.first_row, last, p) for p in range(self.chain.places)]
