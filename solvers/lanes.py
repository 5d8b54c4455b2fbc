"""Games whose private chance comes first: one lane a private hand, found from the flat tree.

In poker or liar's dice chance deals private hands, and all that follows is seen by everybody. The
nodes of such a tree that differ in the deal only share a *position* of the public tree. In one
position, the information sets of a player are its *lanes*: one for each hand that it may hold. All
lanes of a position are updated together, and a hand that ends at a position is worth a small dense
matrix of one player's lanes times the other's, most of them multiples of a few.

`find_lanes` looks for this structure and proves it: the nodes of a position have the same player to
act and the same actions, each information set lies in one position, and the sets of one position
are different lanes. Chance may fall later, if everybody sees it; outcomes that no player tells
apart share a position.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pokerspiel.games.kernel import CHANCE
from pokerspiel.solvers.tree import Tree

MOST_LANES = 32
FEWEST_LANES = 4
"""With fewer, sparse rows are as fast."""


@dataclass(frozen=True)
class Lanes:
    """The public tree of a game for two players."""

    position: np.ndarray
    """[N] int64: position of each node; -1 above the deals."""
    node_lane: np.ndarray
    """[2, N] int64: lane of each player at each node; -1 above the deals."""
    set_position: np.ndarray
    """[I] int64."""
    set_lane: np.ndarray
    """[I] int64: lane of the player who acts."""
    count: tuple[int, int]
    """Lanes of each player."""

    @property
    def width(self) -> int:
        """Lanes of a position: those of the player who has more."""
        return max(self.count)


def find_lanes(tree: Tree) -> Lanes | None:
    """The lanes of a tree; None if it has none."""
    if tree.players != 2:
        return None
    deals = _deal_level(tree)
    if deals is None:
        return None
    position = _positions(tree, deals)
    if position is None:
        return None
    set_position = position[tree.set_node]
    decisions = np.flatnonzero(tree.information_set >= 0)
    if np.any(set_position[tree.information_set[decisions]] != position[decisions]):
        return None
    deal = _deals(tree, deals)
    node_lane = np.full((2, tree.nodes), -1, np.int64)
    set_lane = np.zeros(tree.information_sets, np.int64)
    count = []
    for player in range(2):
        lane_of_deal = _lanes_of_deals(tree, player, deal)
        count.append(int(lane_of_deal.max()) + 1)
        if not FEWEST_LANES <= count[player] <= MOST_LANES:
            return None
        node_lane[player, deal >= 0] = lane_of_deal[deal[deal >= 0]]
        sets = np.flatnonzero(tree.set_player == player)
        set_lane[sets] = node_lane[player, tree.set_node[sets]]
        pairs = set_position[sets] * count[player] + set_lane[sets]
        if len(np.unique(pairs)) < len(sets):
            return None
    return Lanes(position, node_lane, set_position, set_lane, (count[0], count[1]))


def _deal_level(tree: Tree) -> int | None:
    """The level at which play begins after the deal; None if it does not begin at one."""
    is_chance = tree.turn == CHANCE
    for level, (start, end) in enumerate(zip(tree.level[:-1], tree.level[1:], strict=True)):
        if not is_chance[start:end].any():
            return level if level > 0 else None
        if not is_chance[start:end].all():
            return None
    return None


def _deals(tree: Tree, level: int) -> np.ndarray:
    """[N] int64: number of the deal of each node; -1 above."""
    deal = np.full(tree.nodes, -1, np.int64)
    deal[tree.level[level] : tree.level[level + 1]] = np.arange(
        tree.level[level + 1] - tree.level[level]
    )
    for start, end in zip(tree.level[level + 1 : -1], tree.level[level + 2 :], strict=True):
        deal[start:end] = deal[tree.parent[start:end]]
    return deal


def _positions(tree: Tree, deals: int) -> np.ndarray | None:
    """[N] int64: the position of each node, or None if the nodes of one are not alike."""
    position = np.full(tree.nodes, -1, np.int64)
    position[tree.level[deals] : tree.level[deals + 1]] = 0
    following = 1
    _, move = np.unique(tree.action, return_inverse=True)
    for level in range(deals, len(tree.level) - 1):
        start, end = tree.level[level], tree.level[level + 1]
        if level > deals:
            parent = tree.parent[start:end]
            key = position[parent] * (int(move.max()) + 1) + move[start:end]
            _, first, here = np.unique(key, return_index=True, return_inverse=True)
            origin = position[parent[first]]
            after_chance = tree.turn[parent[first]] == CHANCE
            merged = _merged(here, tree.information_set[start:end], origin, after_chance)
            if merged is None:
                return None
            position[start:end] = following + merged[here]
            following += int(merged.max()) + 1
        if not _alike(tree, position[start:end], start, end):
            return None
    return position


def _merged(
    here: np.ndarray, sets: np.ndarray, origin: np.ndarray, after_chance: np.ndarray
) -> np.ndarray | None:
    """The positions of a level, those joined that share an information set.

    None if they may not be joined: only outcomes of chance that nobody sees may be.
    """
    n = len(origin)
    known = sets >= 0
    pairs = np.unique(np.stack([here[known], sets[known]]), axis=1)
    if pairs.shape[1] == len(np.unique(pairs[1])):
        return np.arange(n)
    _, number = np.unique(pairs[1], return_inverse=True)
    size = n + int(number.max()) + 1
    graph = coo_matrix((np.ones(pairs.shape[1]), (pairs[0], n + number)), (size, size))
    _, component = connected_components(graph, directed=False)
    _, first, merged = np.unique(component[:n], return_index=True, return_inverse=True)
    moved = np.bincount(merged)[merged] > 1
    if np.any(origin != origin[first][merged]) or not after_chance[moved].all():
        return None
    return np.asarray(merged)


def _alike(tree: Tree, position: np.ndarray, start: int, end: int) -> bool:
    """Whether the nodes of each position have the same player to act and the same actions.

    Only the number of actions is compared: those of one set are equal in every tree, and other
    lanes with other actions lead to other positions.
    """
    _, first, here = np.unique(position, return_index=True, return_inverse=True)
    turn, children = tree.turn[start:end], tree.children[start:end]
    decides = turn >= 0
    same_turn = turn == turn[first][here]
    same_number = (children == children[first][here]) | ~decides
    return bool(np.all(same_turn & same_number))


def _lanes_of_deals(tree: Tree, player: int, deal: np.ndarray) -> np.ndarray:
    """[deals] int64: deals that some information set of the player joins are one lane."""
    nodes = np.flatnonzero(tree.turn == player)
    count = int(deal.max()) + 1
    size = count + tree.information_sets
    edges = (deal[nodes], count + tree.information_set[nodes])
    graph = coo_matrix((np.ones(len(nodes)), edges), (size, size))
    _, component = connected_components(graph, directed=False)
    _, lane = np.unique(component[:count], return_inverse=True)
    return np.asarray(lane)
