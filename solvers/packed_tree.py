"""A tree as one record a node, for algorithms that jump about in it, and how chance is sampled.

All that a visit needs lies in one record, half a cache line with two players. A node with a single
action or outcome is replaced by the node below it, so forced moves cost nothing and are not counted
as visits.

Random bits come from splitmix64 (Steele et al. 2014), as in games/kernel.py: the state goes
up by GAMMA and `scrambled` turns it into the bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import CHANCE, TERMINAL
from pokerspiel.solvers.tree import Tree

# Whose turn it is in a record, besides the players 0, 1, ...
UNIFORM = 1 << 30
"""Chance, all outcomes alike."""
WEIGHTED = UNIFORM + 1
"""Chance, with other probabilities."""
LEAF = UNIFORM + 2
"""The game is over."""

GAMMA = np.uint64(0x9E3779B97F4A7C15)
"""The step of splitmix64."""

SUMS = np.dtype([("regret", np.float64), ("average", np.float64)])
"""What a sampled algorithm adds up for each sequence."""


class PackedTree(NamedTuple):
    """The nodes of a tree with N nodes."""

    nodes: np.ndarray
    """[N] records of `node_type`."""
    cumulative: np.ndarray
    """[N] float64: below a WEIGHTED node, the chance of this outcome or one before it."""


def node_type(players: int) -> np.dtype:
    """The record of a node."""
    return np.dtype(
        [
            ("turn", np.uint32),  # the player, UNIFORM, WEIGHTED or LEAF
            ("children", np.uint32),
            ("first_child", np.uint32),
            ("first", np.uint32),  # first sequence of the information set
            ("returns", np.float64, (players,)),  # where the game is over
        ]
    )


def pack_tree(tree: Tree) -> PackedTree:
    """The records of a tree, forced moves left out."""
    nodes = np.zeros(tree.nodes, node_type(tree.players))
    decisions = tree.turn >= 0
    weighted, cumulative = _weighted(tree)
    nodes["turn"][decisions] = tree.turn[decisions]
    nodes["turn"][tree.turn == CHANCE] = UNIFORM
    nodes["turn"][weighted] = WEIGHTED
    nodes["turn"][tree.turn == TERMINAL] = LEAF
    nodes["children"] = tree.children
    nodes["first_child"] = tree.first_child
    nodes["first"][decisions] = tree.set_first[tree.information_set[decisions]]
    nodes["returns"][tree.terminal] = tree.returns
    for start, end in reversed(list(zip(tree.level[:-1], tree.level[1:], strict=True))):
        forced = start + np.flatnonzero(tree.children[start:end] == 1)
        nodes[forced] = nodes[tree.first_child[forced]]
    return PackedTree(nodes, cumulative)


def _weighted(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """(The chance nodes whose outcomes differ in probability; the cumulative probabilities)."""
    cumulative = np.zeros(tree.nodes)
    chance_nodes = np.flatnonzero(tree.turn == CHANCE)
    below = np.flatnonzero(tree.turn[tree.parent[1:]] == CHANCE) + 1
    if not len(below):
        return chance_nodes, cumulative
    chances, sizes = tree.chance[below], tree.children[chance_nodes].astype(np.int64)
    start = np.cumsum(sizes) - sizes
    least, most = np.minimum.reduceat(chances, start), np.maximum.reduceat(chances, start)
    weighted = most > least * (1.0 + 1e-9)
    for node in chance_nodes[weighted]:
        first = int(tree.first_child[node])
        outcomes = slice(first, first + int(tree.children[node]))
        sums = np.cumsum(tree.chance[outcomes])
        cumulative[outcomes] = sums / sums[-1]
    return chance_nodes[weighted], cumulative


@kernel
def scrambled(state: int) -> Any:
    """The 64 random bits of a state of splitmix64."""
    x = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def unit_of(bits: int) -> Any:
    """A number in [0, 1) from random bits."""
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def place_of(bits: int, n: Any) -> Any:
    """A whole number below `n`, an unsigned one, from random bits; uniform up to n / 2**32."""
    return ((bits >> np.uint64(32)) * n) >> np.uint64(32)


@kernel
def outcome_of(cumulative: Any, first: Any, n: Any, unit: float) -> Any:
    """The child that chance picks at a WEIGHTED node with `n` of them, from `unit` in [0, 1)."""
    low, high = first, first + n - np.uint64(1)
    while low < high:
        middle = (low + high) >> np.uint64(1)
        if unit < cumulative[middle]:
            high = middle
        else:
            low = middle + np.uint64(1)
    return low
