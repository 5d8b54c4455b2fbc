"""A chain of deals laid out for strategies that depend on buckets of hands.

All deals are one forest: rows are numbered from the first deal to the last, and one more row, the
*beginning*, stands above all that a place decides first. What a place does before it looks is the
same for all buckets; its numbers are repeated for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pokerspiel.games.deals import NOT_PLAYED_OFF, Deal, DealChain
from pokerspiel.solvers.bucket_columns import Chances, chances_of_columns, columns_of, outcomes_for
from pokerspiel.solvers.joint import joint_chances, of_buckets, scores_of_buckets
from pokerspiel.solvers.layout import padded


class Layout(NamedTuple):
    """All decisions and ends of one place, for the kernels; all numbers are int64."""

    sets: np.ndarray
    """[S, 4]: first row, actions, the place's row above, whether it has looked; by rows, so that
    parents come first."""
    end_row: np.ndarray
    """[E]: the place's rows after which a deal may end before it acts again, deal by deal; a deal
    that may end before the place has acted has the beginning, as its last one."""
    end_first: np.ndarray
    """[E + 1]: the first end of each."""
    others: np.ndarray
    """[ends, places - 1]: the last row of each other place."""
    acted: np.ndarray
    """[A]: the numbers in `end_row` that are not the beginning."""
    acted_row: np.ndarray
    """[A]: their rows."""


@dataclass(frozen=True)
class Side:
    """One place of all deals."""

    layout: Layout
    first_set: np.ndarray
    """[deals + 1] int64: first set of each deal."""
    first_end_row: np.ndarray
    """[deals + 1] int64: the first number in `end_row` of each deal."""
    payoff: np.ndarray
    """[ends, outcomes] float64: chips in the end, if no deal follows; outcomes as in columns."""
    follower: np.ndarray
    """[ends, outcomes] int64: the deal that follows, or NOT_PLAYED_OFF."""
    next_place: np.ndarray
    """[ends, outcomes] int64: the place there."""

    def sets_of(self, deal: int) -> slice:
        return slice(*self.first_set[deal : deal + 2])

    def ends_of(self, deal: int) -> slice:
        first, last = self.layout.end_first[self.first_end_row[deal : deal + 2]]
        return slice(int(first), int(last))

    def coefficients(self, ends: slice, values: np.ndarray) -> np.ndarray:
        """[ends, outcomes] what ends pay where `values` [deals, places] are chips in the end."""
        follower = self.follower[ends]
        carried = values[follower, self.next_place[ends]]
        return np.where(follower != NOT_PLAYED_OFF, carried, self.payoff[ends])


class BucketForm:
    """A chain of deals with buckets of hands.

    `bucket_of_class` [classes] numbers the buckets; hands of a bucket have the same score. Raises
    ValueError if they do not, for more places than joint.py counts, and for a chain that forgets
    how many svarkas are left, whose deals have no single value.
    """

    def __init__(self, chain: DealChain, bucket_of_class: np.ndarray) -> None:
        if chain.deals[0].svarkas_left is None:
            raise ValueError(
                f"max_svarkas={chain.svarkas}: so many are not counted, expected fewer in a row"
            )
        self.chain = chain
        self.bucket_of_class = bucket_of_class
        self._score = scores_of_buckets(chain.hands, bucket_of_class)
        self._joint = joint_chances(chain.hands, bucket_of_class, chain.places)
        self.buckets = len(self._score)
        self.width = padded(self.buckets)
        """Buckets, padded to whole vectors."""
        self.columns = columns_of(chain.outcomes, self._score)
        self.chances = self._chances(of_buckets(self._joint, bucket_of_class), self._score)
        """Those of the columns with each bucket of the place."""
        self.first_row = np.cumsum([0, *(deal.rows for deal in chain.deals)])
        """[deals + 1] int64: first row of each deal; the last number is that of the beginning."""
        last = [self._last_rows(deal) for deal in range(len(chain.deals))]
        self.sides = [self._side(place, last) for place in range(chain.places)]

    @cached_property
    def class_chances(self) -> Chances:
        """Those of the columns with each class of the place."""
        return self._chances(self._joint, self.chain.hands.score)

    def _chances(self, joint: np.ndarray, score: np.ndarray) -> Chances:
        return chances_of_columns(self.columns, self.chain.outcomes, joint, score, self._score)

    @property
    def beginning(self) -> int:
        return int(self.first_row[-1])

    def normalised(self, sums: np.ndarray) -> np.ndarray:
        """[rows + 1, width] divided by their total at each node; uniform where that is zero."""
        actions = np.concatenate([np.diff(deal.first_row) for deal in self.chain.deals])
        total = np.add.reduceat(sums[:-1], np.cumsum(actions) - actions)
        total, count = np.repeat(total, actions, axis=0), np.repeat(actions, actions)
        out = np.ones_like(sums)
        share = sums[:-1] / np.where(total > 0.0, total, 1.0)
        out[:-1] = np.where(total > 0.0, share, 1.0 / count[:, None])
        return out

    def pack(self, strategy: Sequence[np.ndarray]) -> np.ndarray:
        """[rows + 1, width]: the [rows, buckets] of all deals, and a beginning of ones."""
        out = np.zeros((self.beginning + 1, self.width))
        out[:-1, : self.buckets] = np.concatenate(strategy)
        out[-1] = 1.0
        return out

    def unpack(self, numbers: np.ndarray) -> list[np.ndarray]:
        """The [rows, buckets] of each deal."""
        return np.split(numbers[:-1, : self.buckets], self.first_row[1:-1])

    def _last_rows(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """([nodes, places], [leaves, places]) last row of each place on the way there in a deal."""
        deal, first = self.chain.deals[number], int(self.first_row[number])
        at_node = np.full((deal.nodes, self.chain.places), self.beginning)
        at_leaf = np.full((len(deal.leaf_row), self.chain.places), self.beginning)
        for rows, last in ((deal.parent, at_node), (deal.leaf_row, at_leaf)):
            for i, row in enumerate(rows):
                if row >= 0:
                    node = deal.node_of_row(row)
                    last[i] = at_node[node]
                    last[i, deal.place[node]] = first + row
        return at_node, at_leaf

    def _side(self, place: int, last: list[tuple[np.ndarray, np.ndarray]]) -> Side:
        chain, deals = self.chain, self.chain.deals
        sets = [
            _sets(deal, place, int(first), at_node)
            for deal, first, (at_node, _) in zip(deals, self.first_row, last, strict=False)
        ]
        at_leaf = np.concatenate([rows for _, rows in last])
        of_deal = np.repeat(np.arange(len(deals)), [len(deal.leaf_row) for deal in deals])
        order = np.lexsort((at_leaf[:, place], of_deal))
        mine = np.stack([of_deal, at_leaf[:, place]])[:, order]
        (deal_of_row, end_row), first = np.unique(mine, axis=1, return_index=True)
        outcomes = outcomes_for(chain.outcomes, place)
        acted = np.flatnonzero(end_row != self.beginning)
        layout = Layout(
            sets=np.concatenate(sets),
            end_row=end_row,
            end_first=np.append(first, len(order)),
            others=np.delete(at_leaf, place, axis=1)[order],
            acted=acted,
            acted_row=end_row[acted],
        )
        turn = np.concatenate([deal.turn for deal in deals])
        return Side(
            layout,
            first_set=np.cumsum([0, *(len(some) for some in sets)]),
            first_end_row=np.searchsorted(deal_of_row, np.arange(len(deals) + 1)),
            payoff=np.concatenate([deal.payoff[:, :, place] for deal in deals])[order][:, outcomes],
            follower=np.concatenate([deal.follower for deal in deals])[order][:, outcomes],
            next_place=((place - turn) % chain.places)[order][:, outcomes],
        )


def _sets(deal: Deal, place: int, first: int, last: np.ndarray) -> np.ndarray:
    """[S, 4]: the sets of a place in a deal whose rows begin with `first`."""
    nodes = np.flatnonzero(deal.place == place)
    actions = np.diff(deal.first_row)[nodes]
    rows = first + deal.first_row[nodes]
    return np.stack([rows, actions, last[nodes, place], deal.looked[nodes]], axis=1)
