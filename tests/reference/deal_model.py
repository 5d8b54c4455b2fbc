"""A chain of deals of two players in plain numpy: every pair of classes of hands, at every leaf.

It knows of the package only the data of `games/deals.py`. Sums over hands are products with dense
matrices; the bound on svarkas is followed exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Strategy = list[np.ndarray]
"""For each deal [rows, classes]: the probability of each action."""


def disjoint_counts(hands: Any) -> np.ndarray:
    """[C, C] int64: hands of a class (column) that share no card with one of another (row)."""
    masks = [sum(1 << int(card) for card in cards) for cards in hands.all_cards]
    everybody = np.array(masks, np.uint64)
    counts = np.zeros((hands.classes, hands.classes), np.int64)
    for number, cards in enumerate(hands.cards):
        mask = np.uint64(sum(1 << int(card) for card in cards))
        apart = (everybody & mask) == 0
        counts[number] = np.bincount(hands.hand_class[apart], minlength=hands.classes)
    return counts


class DealModel:
    """The values of strategies of a chain, and of best responses to them."""

    def __init__(self, chain: Any) -> None:
        self.chain = chain
        self.hands = chain.hands
        ways = disjoint_counts(self.hands) * self.hands.count[:, None]
        order = np.sign(self.hands.score[:, None] - self.hands.score[None, :])
        rank = {(0, 1): 1, (0, 0): 0, (1, 0): -1}
        self.chance = {
            o: np.where(order == rank[outcome], ways, 0) / ways.sum()
            for o, outcome in enumerate(chain.outcomes)
        }
        """By outcome [C, C]: chance that the places 0 and 1 hold these classes."""

    # What one pair of strategies comes to.

    def reach(self, deal: int, rows: np.ndarray, place: int) -> np.ndarray:
        """[leaves, C]: probability that a place plays to each leaf."""
        tree = self.chain.deals[deal]
        out = np.ones((len(tree.leaf_row), self.hands.classes))
        for leaf, above in enumerate(tree.leaf_row):
            row = int(above)
            while row >= 0:
                node = tree.node_of_row(row)
                if tree.place[node] == place:
                    out[leaf] *= rows[row]
                row = int(tree.parent[node])
        return out

    def ends(self, deal: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """[leaves, outcomes]: how often the deal ends there, each place playing its own rows."""
        one, two = self.reach(deal, first, 0), self.reach(deal, second, 1)
        columns = [((one @ self.chance[o]) * two).sum(axis=1) for o in sorted(self.chance)]
        return np.stack(columns, axis=1)

    def match(self, hero: Strategy, villain: Strategy) -> np.ndarray:
        """[2]: chips that `hero` wins on each place against `villain`, svarkas played to the end.

        In a svarka the two exchange places, so that both strategies are needed on both.
        """
        ends = [
            [self.ends(i, hero[i], villain[i]), self.ends(i, villain[i], hero[i])]
            for i in range(len(self.chain.deals))
        ]
        known: dict[tuple[int, int, int], float] = {}

        def value(deal: int, place: int, left: int) -> float:
            """What hero has in the end on a place of a deal."""
            if (deal, place, left) not in known:
                pays = self._pays(deal, place, left, value)
                known[deal, place, left] = float((ends[deal][place] * pays).sum())
            return known[deal, place, left]

        svarkas = self.chain.svarkas
        return np.array([value(0, p, svarkas) - self.chain.start[p] for p in range(2)])

    def _pays(self, deal: int, place: int, left: int, value: Any) -> np.ndarray:
        """[leaves, outcomes]: what a place has in the end."""
        tree = self.chain.deals[deal]
        pays = tree.payoff[:, :, place].copy()
        for leaf, o in zip(*np.nonzero(tree.follower >= 0), strict=True):
            follower = int(tree.follower[leaf, o])
            next_place = (place - int(tree.turn[leaf, o])) % 2
            after = self.chain.deals[follower]
            if left == 0:
                pays[leaf, o] = after.stacks[next_place] + after.pot / 2
            else:
                pays[leaf, o] = value(follower, next_place, left - 1)
        return pays

    # Best responses.

    def best_response(self, villain: Strategy) -> np.ndarray:
        """[2]: chips that the best response to `villain` wins on each place."""
        known: dict[tuple[int, int, int], float] = {}
        theirs = [
            [self.reach(i, rows, 1), self.reach(i, rows, 0)] for i, rows in enumerate(villain)
        ]

        def value(deal: int, place: int, left: int) -> float:
            if (deal, place, left) not in known:
                pays = self._pays(deal, place, left, value)
                known[deal, place, left] = self._best(deal, place, pays, theirs[deal][place])
            return known[deal, place, left]

        svarkas = self.chain.svarkas
        return np.array([value(0, p, svarkas) - self.chain.start[p] for p in range(2)])

    def _best(self, deal: int, place: int, pays: np.ndarray, theirs: np.ndarray) -> float:
        """The most that a place can have in the end, if the deal's ends are worth `pays`."""
        tree = self.chain.deals[deal]
        at_leaf = np.zeros_like(theirs)
        for o, chance in self.chance.items():
            at_leaf += (theirs * pays[:, o, None]) @ (chance.T if place == 0 else chance)
        leaf_of_row = {int(row): leaf for leaf, row in enumerate(tree.leaf_row)}

        def below(row: int) -> np.ndarray:
            child = -1 if row < 0 else int(tree.child[row])
            return at_leaf[leaf_of_row[row]] if child < 0 else at_node(child)

        def at_node(node: int) -> np.ndarray:
            first, end = tree.first_row[node : node + 2]
            values = np.array([below(row) for row in range(first, end)])
            if tree.place[node] != place:
                return values.sum(axis=0)
            if tree.looked[node]:
                return values.max(axis=0)
            return values[values.sum(axis=1).argmax()]

        return float((at_node(0) if tree.nodes else at_leaf[0]).sum())
