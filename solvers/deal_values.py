"""What is met in a chain of deals that two strategies play, and what each action is worth there.

All is exact: pairs of hands that share no card count as often as they are dealt, and a tie that is
played off is worth what the deal that follows is worth. The value of an action with a hand is what
its owner has in the end, on average over the hands that the other place may hold by all that it
has done, if both go on by their strategies.

Letters: R rows and N nodes of a deal, L leaves, C classes of hands, K outcomes of a showdown.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pokerspiel.games.deals import NO_NODE, NOT_PLAYED_OFF, Deal, DealChain
from pokerspiel.solvers.chart import DealStrategy
from pokerspiel.solvers.joint import pair_chances
from pokerspiel.solvers.vector import svarkas_left


def reaches(deal: Deal, strategy: np.ndarray) -> np.ndarray:
    """[places, R + 1, C]: chance that a place takes its part of the way to each row.

    The last row stands for the beginning of the deal: it is the row -1.
    """
    reach = np.ones((2, deal.rows + 1, strategy.shape[1]))
    for node in range(deal.nodes):
        rows = slice(deal.first_row[node], deal.first_row[node + 1])
        reach[:, rows] = reach[:, deal.parent[node], None]
        reach[deal.place[node], rows] *= strategy[rows]
    return reach


class ChainPlay:
    """Strategies of both places of a chain of deals.

    Values are numbers of chips that a place has in the end; they hang on how many more svarkas are
    played, `left`, where that bound is near. Raises ValueError for more than two places.
    """

    def __init__(self, chain: DealChain, strategy: DealStrategy) -> None:
        if chain.places != 2:
            raise ValueError(f"{chain.game}: actions are valued in games of two players")
        self.chain = chain
        self.strategy = strategy

    @cached_property
    def pairs(self) -> np.ndarray:
        """[C, C]: chance that the places are dealt hands of these classes; symmetric."""
        return pair_chances(self.chain.hands)

    @cached_property
    def _pairs_by_outcome(self) -> list[np.ndarray]:
        """`pairs` of those hands alone that bring about each outcome of a showdown."""
        score = self.chain.hands.score
        order = np.sign(score[:, None] - score)
        return [
            np.where(order == np.sign(theirs - mine), self.pairs, 0.0)
            for mine, theirs in self.chain.outcomes
        ]

    # What is met.

    @cached_property
    def ends(self) -> list[np.ndarray]:
        """For each deal [L, K]: how often a deal that begins so ends so."""
        return [
            self.ends_of(deal, rows)
            for deal, rows in zip(self.chain.deals, self.strategy, strict=True)
        ]

    def ends_of(self, deal: Deal, strategy: np.ndarray) -> np.ndarray:
        """[L, K] of a deal played by a strategy [R, C]."""
        first, second = reaches(deal, strategy)[:, deal.leaf_row]
        ends = [((first @ pairs) * second).sum(axis=1) for pairs in self._pairs_by_outcome]
        return np.array(ends).T

    def chance(self, number: int, node: int) -> float:
        """How often a deal that begins so comes to a node."""
        deal = self.chain.deals[number]
        first, second = reaches(deal, self.strategy[number])[:, deal.parent[node]]
        return float(first @ self.pairs @ second)

    def parts(self, number: int, node: int) -> tuple[np.ndarray, np.ndarray]:
        """([C], [C]): how often the place that decides, and the other, take their parts of the way.

        What they do before they see their cards is taken as done: it tells nothing of the cards.
        """
        deal = self.chain.deals[number]
        given = _blindly_taken(deal, node, self.strategy[number])
        place = int(deal.place[node])
        both = reaches(deal, given)[:, deal.parent[node]]
        return both[place], both[1 - place]

    # What deals are worth.

    @cached_property
    def _worth(self) -> list[dict[int, np.ndarray]]:
        """For each deal and each number of svarkas left, what it is worth to both places."""
        worth: list[dict[int, np.ndarray]] = [{} for _ in self.chain.deals]
        left = svarkas_left(self.chain)
        for number in range(len(worth) - 1, -1, -1):
            deal, ends = self.chain.deals[number], self.ends[number]
            for some in left[number]:
                pays = [_pays(self.chain, deal, place, some, worth) for place in range(2)]
                worth[number][some] = np.array([(ends * paid).sum() for paid in pays])
        return worth

    def worth(self, number: int, left: int | None = None) -> np.ndarray:
        """[places]: chips that both have in the end once the deal `number` has begun.

        Without `left` it is as when the deal is first met.
        """
        return self._worth[number][self._left(number, left)]

    def prepare(self) -> None:
        """Do all that takes time now, rather than when it is first asked for."""
        self.worth(0)

    def _left(self, number: int, left: int | None) -> int:
        known = self._worth[number]
        if left is not None and left not in known:
            raise ValueError(f"{left} svarkas left: expected one of {sorted(known)}")
        return max(known) if left is None else left

    # What actions are worth.

    def action_values(
        self, number: int, node: int, hands: np.ndarray | None = None, left: int | None = None
    ) -> np.ndarray:
        """[actions, hands]: what each action of a node is worth to the place that decides.

        `hands` are classes, by default all of them. NaN for a hand with which it never gets there,
        since the other place does not play so.
        """
        totals, chances = self._totals(number, node, hands, left)
        return np.asarray(totals / np.where(chances > 0.0, chances, np.nan))

    def blind_values(self, number: int, node: int, left: int | None = None) -> np.ndarray:
        """[actions]: the same of a place that does not know its hand."""
        totals, chances = self._totals(number, node, None, left)
        chance = chances.sum()
        return np.asarray(totals.sum(axis=1) / (chance if chance > 0.0 else np.nan))

    def _totals(
        self, number: int, node: int, hands: np.ndarray | None, left: int | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(Values of the actions times chances [actions, hands], chances [hands]).

        The chance is that of the hand, times that of the other place's part of the way here, of
        which what it did before it saw its cards is left out: it tells nothing of them.
        """
        deal, strategy = self.chain.deals[number], self.strategy[number]
        hands = np.arange(self.chain.hands.classes) if hands is None else np.asarray(hands)
        place = int(deal.place[node])
        theirs = reaches(deal, _blindly_taken(deal, node, strategy))[1 - place]
        nodes, leaves = _below(deal, node)
        pays = _pays(self.chain, deal, place, self._left(number, left), self._worth)[leaves]
        reach = theirs[deal.leaf_row[leaves]]
        total = np.zeros((deal.rows + 1, len(hands)))
        for outcome, pairs in enumerate(self._pairs_by_outcome):
            mine = pairs[hands] if place == 0 else pairs.T[hands]
            total[deal.leaf_row[leaves]] += pays[:, outcome, None] * (reach @ mine.T)
        for below in reversed(nodes):
            rows = slice(deal.first_row[below], deal.first_row[below + 1])
            if below == node:
                break
            # The other's part of the way is in the leaves already.
            share = strategy[rows][:, hands] if deal.place[below] == place else 1.0
            total[deal.parent[below]] = (share * total[rows]).sum(axis=0)
        return total[rows], theirs[deal.parent[node]] @ self.pairs[:, hands]


def _blindly_taken(deal: Deal, node: int, strategy: np.ndarray) -> np.ndarray:
    """The strategy [R, C], but certain to act as seen before the cards are known."""
    given = strategy.copy()
    row = int(deal.parent[node])
    while row >= 0:
        above = deal.node_of_row(row)
        if not deal.looked[above]:
            given[row] = 1.0
        row = int(deal.parent[above])
    return given


def _below(deal: Deal, node: int) -> tuple[list[int], np.ndarray]:
    """(A node and all that follow it, parents first, the leaves that it leads to)."""
    nodes: list[int] = []
    rows: list[int] = []
    todo = [node]
    while todo:
        some = todo.pop()
        nodes.append(some)
        own = range(int(deal.first_row[some]), int(deal.first_row[some + 1]))
        rows += own
        todo += [int(deal.child[row]) for row in own if deal.child[row] != NO_NODE]
    return nodes, np.flatnonzero(np.isin(deal.leaf_row, rows))


def _pays(
    chain: DealChain, deal: Deal, place: int, left: int, worth: list[dict[int, np.ndarray]]
) -> np.ndarray:
    """[L, K]: chips that a place has in the end after each leaf; at the bound a pot is shared."""
    pays = deal.payoff[:, :, place].copy()
    for leaf, outcome in np.argwhere(deal.follower != NOT_PLAYED_OFF):
        follower = int(deal.follower[leaf, outcome])
        seat = (place - int(deal.turn[leaf, outcome])) % chain.places
        shares = chain.deals[follower].fair if left == 0 else worth[follower][left - 1]
        pays[leaf, outcome] = shares[seat]
    return pays
