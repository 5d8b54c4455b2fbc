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
    number: np.ndarray
    """[rows of the deal]; -1 where the other decides."""
    blind: int
    """Blind rows, the beginning of the deal included."""
    count: int


def _numbered_rows(deal: Deal, place: int) -> _Rows:
    number = np.full(deal.rows, -1, np.int64)
    count = blind = 1
    for looked in (False, True):
        for node in np.flatnonzero((deal.place == place) & (deal.looked == looked)):
            first, end = deal.first_row[node], deal.first_row[node + 1]
            number[first:end] = count + np.arange(end - first)
            count += int(end - first)
        if not looked:
            blind = count
    return _Rows(number, blind, count)


def _last_rows(deal: Deal, number: np.ndarray, row: int, blind: int) -> tuple[int, int]:
    """(Last row of a player on the way to a row of the deal, last blind one), that row included."""
    last = ROOT
    while row >= 0:
        if number[row] >= 0:
            last = max(last, int(number[row]))
            if number[row] < blind:
                return last, int(number[row])
        row = int(deal.parent[deal.node_of_row(row)])
    return last, ROOT


def _side(chain: DealChain, deal: Deal, rows: list[_Rows], place: int, chunks: int) -> Side:
    mine, theirs = rows[place], rows[1 - place]
    sets, blind_sets = [], []
    for node in np.flatnonzero(deal.place == place):
        first = int(mine.number[deal.first_row[node]])
        actions = int(deal.first_row[node + 1] - deal.first_row[node])
        above, root = _last_rows(deal, mine.number, int(deal.parent[node]), mine.blind)
        if deal.looked[node]:
            sets.append((first, actions, above, root))
        else:
            blind_sets.append((first, actions, above))
    win_outcome, lose_outcome = ((0, 1), (1, 0)) if place == 0 else ((1, 0), (0, 1))
    win, lose = chain.outcomes.index(win_outcome), chain.outcomes.index(lose_outcome)
    tie = chain.tie
    leaves = [
        (
            _last_rows(deal, mine.number, int(row), mine.blind)[0],
            *_last_rows(deal, theirs.number, int(row), theirs.blind),
            leaf,
        )
        for leaf, row in enumerate(deal.leaf_row)
    ]
    payoff = deal.payoff[:, :, place] - deal.fair[place]
    flat_leaf = (
        (deal.follower[:, tie] < 0)
        & (payoff[:, win] == payoff[:, lose])
        & (payoff[:, win] == payoff[:, tie])
    )
    showdown = {row for row, _, _, leaf in leaves if not flat_leaf[leaf]}
    leaves.sort(key=lambda entry: (entry[0] not in showdown, entry[0]))
    ends = list(dict.fromkeys(row for row, _, _, _ in leaves))
    kinds = [[row for row in ends if (row in showdown) == shown] for shown in (True, False)]
    lane_row: list[int] = []
    lanes: list[int] = []
    flat: list[int] = []
    for some, is_flat in zip(kinds, (0, 1), strict=True):
        for start in range(0, len(some), LANES):
            group = some[start : start + LANES]
            lane_row += group + [0] * (LANES - len(group))
            lanes.append(len(group))
            flat.append(is_flat)
    entry_first = [0]
    order: list[tuple[int, int, int, int]] = []
    for group, count in enumerate(lanes):
        for lane in range(LANES):
            if lane < count:
                row = lane_row[group * LANES + lane]
                order += [entry for entry in leaves if entry[0] == row]
            entry_first.append(len(order))
    leaf = np.array([entry[3] for entry in order], np.int64)
    follower = deal.follower[leaf, tie]
    next_place = (place - deal.turn[leaf, tie]) % chain.places
    fair = np.array([other.fair for other in chain.deals])
    layout = Layout(
        shape=_unsigned([mine.blind, mine.count, chunks]),
        sets=_unsigned(sets).reshape(-1, 4),
        blind_sets=_unsigned(blind_sets).reshape(-1, 3),
        bare=_unsigned([row for row in range(mine.count) if row not in ends]),
        lane_row=_unsigned(lane_row),
        lanes=_unsigned(lanes),
        flat=_unsigned(flat),
        entry_first=_unsigned(entry_first),
        entry_row=_unsigned([entry[1] for entry in order]),
        entry_blind=_unsigned([entry[2] for entry in order]),
    )
    return Side(
        layout,
        mine.number,
        lose=payoff[leaf, lose],
        tie=payoff[leaf, tie],
        win=payoff[leaf, win],
        follower=follower,
        carried=fair[follower, next_place] - deal.fair[place],
    )


def _unsigned(values: Any) -> np.ndarray:
    return np.array(values, np.uint64)


def new_numbers(side: Side) -> Numbers:
    """Uniform strategies, and sums of nothing."""
    blind, rows, chunks = (int(n) for n in side.layout.shape)
    size = chunks * rows * LANES
    numbers = Numbers(
        *(aligned(np.zeros(size)) for _ in range(5)),
        *(aligned(np.zeros(blind * LANES)) for _ in range(5)),
        np.zeros(3 * len(side.lose)),
    )
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
