"""A deal of a two-player game laid out for passes over all hands at once.

Eight classes of hands make a *chunk*. The arrays of a player are [chunks, rows, 8]: a chunk is a
small tree of its own that fits into the cache. Rows are numbered for each player: first the *blind*
ones, where it has not looked at its cards, row 0 standing for the beginning of the deal, then the
others. What a player does at a blind row is the same for all hands, and its numbers are [rows, 8]
of eight equal ones.

The value of a row sums what follows at once: folds and showdowns after the other's next action.
That is one sweep over the hands (hand_sums.py), eight rows at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.deals import NOT_PLAYED_OFF, Deal, DealChain
from pokerspiel.solvers.hand_sums import LANES
from pokerspiel.solvers.layout import aligned

ROOT = 0


class Layout(NamedTuple):
    """The tree of one player of a deal; all numbers are uint64."""

    shape: np.ndarray
    """[3]: blind rows, all rows, chunks."""
    sets: np.ndarray
    """[S, 4]: first row, actions, row above, last blind row above; parents before children."""
    blind_sets: np.ndarray
    """[B, 3]: the same without the last, of the decisions before it looks."""
    bare: np.ndarray
    """Rows after which nothing ends before the player acts again."""
    lane_row: np.ndarray
    """[groups * 8]: row of each lane."""
    lanes: np.ndarray
    """[groups]: lanes in use."""
    flat: np.ndarray
    """[groups]: 1 if no lane has a showdown."""
    entry_first: np.ndarray
    """[groups * 8 + 1]: the ends of each lane."""
    entry_row: np.ndarray
    """[ends]: the other player's last row."""
    entry_blind: np.ndarray
    """[ends]: the other player's last blind row."""


class Numbers(NamedTuple):
    """The numbers of one player of a deal; see passes.py for their meaning."""

    value: np.ndarray
    behaviour: np.ndarray
    regret: np.ndarray
    reach: np.ndarray
    """Without the part that the blind rows have in it."""
    average: np.ndarray
    blind_value: np.ndarray
    blind_behaviour: np.ndarray
    blind_regret: np.ndarray
    blind_reach: np.ndarray
    blind_average: np.ndarray
    coefficient: np.ndarray
    """[ends * 3] what each end pays: lose, tie - lose, win - tie."""


@dataclass(frozen=True)
class Side:
    """One player of a deal."""

    layout: Layout
    row: np.ndarray
    """[rows of the deal] the player's number of the row; -1 where the other decides."""
    lose: np.ndarray
    tie: np.ndarray
    win: np.ndarray
    """[ends] what each end pays the player in chips, less its fair share; `tie` as long as no deal
    follows."""
    follower: np.ndarray
    """[ends] the deal that a tie leads to, or NOT_PLAYED_OFF."""
    carried: np.ndarray
    """[ends] its fair share of that deal, less that of this one."""

    @property
    def rows(self) -> int:
        return int(self.layout.shape[1])

    def coefficients(self, values: np.ndarray) -> np.ndarray:
        """[ends * 3] where `values` [deals] is what each deal adds to the player's fair share.

        The player takes the other place in the next deal: `values` are those of that place.
        """
        followed = self.follower != NOT_PLAYED_OFF
        tie = np.where(followed, self.carried + values[self.follower], self.tie)
        return np.column_stack([self.lose, tie - self.lose, self.win - tie]).ravel()


def sides_of(chain: DealChain, deal: Deal, chunks: int) -> tuple[Side, Side]:
    """Both players of a deal, for so many chunks of hands."""
    rows = [_numbered_rows(deal, place) for place in range(2)]
    return _side(chain, deal, rows, 0, chunks), _side(chain, deal, rows, 1, chunks)


class _Rows(NamedTuple):
    """A player's numbering of its rows."""

    number: np.ndarray
    """[rows of the deal]; -1 where the other decides."""
    blind: int
    """Blind rows, the beginning of the deal included."""
    total: int


def _numbered_rows(deal: Deal, place: int) -> _Rows:
    number = np.full(deal.rows, -1, np.int64)
    total = blind = 1
    for looked in (False, True):
        for node in np.flatnonzero((deal.place == place) & (deal.looked == looked)):
            first, end = int(deal.first_row[node]), int(deal.first_row[node + 1])
            number[first:end] = total + np.arange(end - first)
            total += end - first
        if not looked:
            blind = total
    return _Rows(number, blind, total)


def _last_rows(deal: Deal, rows: _Rows, row: int) -> tuple[int, int]:
    """(Last row of a player on the way to a row of the deal, last blind one), that row included."""
    last = ROOT
    while row >= 0:
        own = int(rows.number[row])
        last = max(last, own)
        if 0 <= own < rows.blind:
            return last, own
        row = int(deal.parent[deal.node_of_row(row)])
    return last, ROOT


def _side(chain: DealChain, deal: Deal, rows: list[_Rows], place: int, chunks: int) -> Side:
    mine = rows[place]
    outcomes = _Outcomes(chain, place)
    payoff = deal.payoff[:, :, place] - deal.fair[place]
    paid = payoff[:, outcomes.lose], payoff[:, outcomes.tie], payoff[:, outcomes.win]
    is_flat = (paid[0] == paid[2]) & (paid[0] == paid[1])
    is_flat &= deal.follower[:, outcomes.tie] == NOT_PLAYED_OFF
    ends = _Ends(deal, rows, place, is_flat)
    sets, blind_sets = _sets(deal, mine, place)
    layout = Layout(
        shape=_unsigned([mine.blind, mine.total, chunks]),
        sets=_unsigned(sets).reshape(-1, 4),
        blind_sets=_unsigned(blind_sets).reshape(-1, 3),
        bare=_unsigned(sorted(set(range(mine.total)) - ends.rows)),
        lane_row=_unsigned(ends.lane_row),
        lanes=_unsigned(ends.lanes),
        flat=_unsigned(ends.flat),
        entry_first=_unsigned(ends.first),
        entry_row=_unsigned([ends.their_row[leaf] for leaf in ends.leaf]),
        entry_blind=_unsigned([ends.their_blind[leaf] for leaf in ends.leaf]),
    )
    leaf = np.array(ends.leaf, np.int64)
    follower = deal.follower[leaf, outcomes.tie]
    next_place = (place - deal.turn[leaf, outcomes.tie]) % chain.places
    fair = np.array([other.fair for other in chain.deals])
    return Side(
        layout,
        mine.number,
        lose=paid[0][leaf],
        tie=paid[1][leaf],
        win=paid[2][leaf],
        follower=follower,
        carried=fair[follower, next_place] - deal.fair[place],
    )


class _Outcomes:
    """The numbers of a showdown's outcomes for one player."""

    def __init__(self, chain: DealChain, place: int) -> None:
        self.win = chain.outcomes.index((0, 1) if place == 0 else (1, 0))
        self.lose = chain.outcomes.index((1, 0) if place == 0 else (0, 1))
        self.tie = chain.tie


def _sets(
    deal: Deal, rows: _Rows, place: int
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The members `sets` and `blind_sets` of a layout."""
    sets: list[tuple[int, ...]] = []
    blind_sets: list[tuple[int, ...]] = []
    for node in np.flatnonzero(deal.place == place):
        first, end = int(deal.first_row[node]), int(deal.first_row[node + 1])
        above, blind = _last_rows(deal, rows, int(deal.parent[node]))
        if deal.looked[node]:
            sets.append((int(rows.number[first]), end - first, above, blind))
        else:
            blind_sets.append((int(rows.number[first]), end - first, above))
    return sets, blind_sets


class _Ends:
    """What ends after each row of a player, in groups of eight rows: first those with showdowns."""

    def __init__(self, deal: Deal, rows: list[_Rows], place: int, is_flat: np.ndarray) -> None:
        self.their_row: list[int] = []
        self.their_blind: list[int] = []
        self._leaves: dict[int, list[int]] = {}
        for leaf, row in enumerate(deal.leaf_row):
            own = _last_rows(deal, rows[place], int(row))[0]
            self._leaves.setdefault(own, []).append(leaf)
            last, blind = _last_rows(deal, rows[1 - place], int(row))
            self.their_row.append(last)
            self.their_blind.append(blind)
        self.lane_row: list[int] = []
        self.lanes: list[int] = []
        self.flat: list[int] = []
        self.leaf: list[int] = []
        self.first = [0]
        self.rows = set(self._leaves)
        flat = [row for row, leaves in self._leaves.items() if is_flat[leaves].all()]
        self._add_groups(sorted(self.rows - set(flat)), 0)
        self._add_groups(sorted(flat), 1)

    def _add_groups(self, rows: list[int], flat: int) -> None:
        for start in range(0, len(rows), LANES):
            some = rows[start : start + LANES]
            self.lanes.append(len(some))
            self.flat.append(flat)
            self.lane_row += some + [ROOT] * (LANES - len(some))
            for lane in range(LANES):
                self.leaf += self._leaves[some[lane]] if lane < len(some) else []
                self.first.append(len(self.leaf))


def _unsigned(values: Any) -> np.ndarray:
    return np.array(values, np.uint64)


def new_numbers(side: Side) -> Numbers:
    """Uniform strategies, and sums of nothing."""
    blind, rows, chunks = (int(n) for n in side.layout.shape)
    sizes = [chunks * rows * LANES] * 5 + [blind * LANES] * 5
    arrays = [aligned(np.zeros(size)) for size in sizes]
    numbers = Numbers._make([*arrays, np.zeros(3 * len(side.lose))])
    numbers.blind_reach[:] = 1.0
    return numbers


def evaluation_numbers(
    side: Side, room: Sequence[np.ndarray], blind_room: Sequence[np.ndarray]
) -> Numbers:
    """Numbers without regrets and averages, in three arrays of `room` and three of `blind_room`."""
    blind, rows, chunks = (int(n) for n in side.layout.shape)
    size = chunks * rows * LANES
    value, behaviour, reach = (array[:size] for array in room[:3])
    blind_arrays = (array[: blind * LANES] for array in blind_room[:3])
    blind_value, blind_behaviour, blind_reach = blind_arrays
    blind_reach[:LANES] = 1.0
    return Numbers(
        value,
        behaviour,
        value,
        reach,
        value,
        blind_value,
        blind_behaviour,
        blind_value,
        blind_reach,
        blind_value,
        np.zeros(3 * len(side.lose)),
    )
