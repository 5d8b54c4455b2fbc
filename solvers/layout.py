"""The sequence form of a tree, laid out for fast passes (von Stengel 1996).

All players' sequences share one numbering, the *places*; each player's begin with the roots, whose
reach is 1. The sets of a player are split into *parts*, whole subtrees of its decisions, so that
threads work on different parts without meeting. Within a part, the sets with the same number of own
decisions before them and the same number n of actions form a *group* of m sets: action a of the
group's set i has the place `base + a * m + i`, so that a group is updated by loops over long
stretches of memory.

The sets of a group are padded to a multiple of PADDING; what is added is worth nothing and has the
root above it. Sets with a single action are left out: their sequence has the place of the sequence
before it.

The value of each place to its player, with the others' reach, is one product of a matrix and a
vector: sparse rows in general (sparse_form.py), small dense blocks where the game has lanes
(lane_form.py). Indices are unsigned, which spares the compiled code a test of their sign.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.tree import ROOT, Tree

PADDING = 8
LARGE = 20_000
"""Sequences above which the sets are split into parts for several threads."""


_LINE = 64
"""Bytes of a line of the cache."""


def padded(n: int) -> int:
    """The multiple of PADDING that is not below n."""
    return -(-n // PADDING) * PADDING


def aligned(values: np.ndarray) -> np.ndarray:
    """A copy of float64 numbers that begins with a line of the cache.

    Vectors of eight then never lie across two lines.
    """
    room = np.zeros(len(values) + _LINE // 8)
    first = -room.ctypes.data % _LINE // 8
    copy = room[first : first + len(values)]
    copy[:] = values
    return copy


class Choices(NamedTuple):
    """The sets of a tree in which there is a choice, and how they follow each other."""

    owner: np.ndarray
    """[S] int64: the set of each sequence."""
    stand_in: np.ndarray
    """[S] int64: the sequence itself, or the last one before it that was chosen, or ROOT."""
    parent: np.ndarray
    """[I] int64: the last chosen sequence before each set, or ROOT."""
    depth: np.ndarray
    """[I] int64: own choices before each set."""


def choices_of(tree: Tree) -> Choices:
    size = np.diff(tree.set_first)
    owner = np.repeat(np.arange(tree.information_sets), size)
    stand_in = np.arange(tree.sequences)
    parent = np.full(tree.information_sets, ROOT, np.int64)
    depth = np.zeros(tree.information_sets, np.int64)
    _follow(tree.set_parent, tree.set_first, owner, stand_in, parent, depth)
    return Choices(owner, stand_in, parent, depth)


@kernel
def _follow(
    set_parent: Any, set_first: Any, owner: Any, stand_in: Any, parent: Any, depth: Any
) -> None:
    """Fill the members of Choices; a set comes after its parent."""
    for i in range(len(set_parent)):
        if set_parent[i] >= 0:
            parent[i] = stand_in[set_parent[i]]
            if parent[i] >= 0:
                depth[i] = depth[owner[parent[i]]] + 1
        if set_first[i + 1] - set_first[i] == 1:
            stand_in[set_first[i]] = parent[i]


class Blocks(NamedTuple):
    """The payoffs of a game with lanes (lanes.py): small dense matrices, lanes times lanes.

    All parts of a player have the same structure. The value of `width` lanes of a place is a sum
    over blocks: scale * matrix * reach of the other player's lanes.
    """

    width: int
    """Lanes in a part, at most 8, those that stay empty included; 0: the game has no lanes."""
    start: np.ndarray
    """[players, parts] int64: first place of each part."""
    runs: np.ndarray
    """[runs, 4] uint64: first and last row (in `rows`), blocks of each, first block."""
    run_first: np.ndarray
    """[players + 1] int64: first run of each player."""
    rows: np.ndarray
    """[rows] uint64: place of the row's first lane, from the start of the part."""
    column: np.ndarray
    """[blocks] uint64: the other player's places, from the start of a part."""
    matrix: np.ndarray
    """[blocks] uint64: number of the matrix."""
    scale: np.ndarray
    """[blocks] float64."""
    matrix_first: np.ndarray
    """[players, parts] uint64: where the player's matrices for a part begin in `entries`."""
    entries: np.ndarray
    """float64: the matrices, a row for each lane of the other player's parts, padded to 4 or 8."""


class Layout(NamedTuple):
    """The arrays of a sequence form; kernels take it as one argument."""

    groups: np.ndarray
    """[groups, 4] uint64: base, actions n, sets m, index of the group's first entry in `above`."""
    above: np.ndarray
    """uint32: the place of the parent of each set, group by group."""
    group_first: np.ndarray
    """[players, parts + 1] int64: first group of each part."""
    runs: np.ndarray
    """[runs, 4] uint64: first and last row (in `rows`), their length, the first entry."""
    rows: np.ndarray
    """uint32: the place of each row of the matrix."""
    columns: np.ndarray
    """uint32: the place, or the number of the joint reach, of each entry."""
    values: np.ndarray
    """float64: payoff times the probability of chance, of each entry."""
    run_first: np.ndarray
    """[players, parts + 1] int64: first run of each part."""
    joint: np.ndarray
    """[joint reaches, players - 1] uint32: places whose reaches are multiplied; none for two
    players, where the entries name the places themselves."""
    joint_first: np.ndarray
    """[players + 1] int64."""
    roots: np.ndarray
    """[players, parts, lanes] uint32: the places of the roots; one lane if the game has none."""
    blocks: Blocks
    """The payoffs once more, for games with lanes; runs, rows and columns are empty then."""


@dataclass(frozen=True)
class SequenceForm:
    """A tree's sequence form and the way between sequences and places."""

    tree: Tree
    layout: Layout
    place: np.ndarray
    """[S] int64: the place of each sequence of the tree."""
    chosen: np.ndarray
    """int64: the sequences of sets with a choice, each of which has a place of its own."""
    places: int

    def to_tree(self, values: np.ndarray) -> np.ndarray:
        """Values of places as values of the tree's sequences."""
        return np.asarray(values[self.place])

    def to_places(self, values: np.ndarray) -> np.ndarray:
        """Values of the tree's sequences as values of places; zero where there is no sequence."""
        out = np.zeros(self.places)
        out[self.place[self.chosen]] = values[self.chosen]
        return out

    def scaled(self, factor: float) -> SequenceForm:
        """The same game with all payoffs multiplied."""
        blocks = self.layout.blocks
        layout = self.layout._replace(
            values=self.layout.values * factor,
            blocks=blocks._replace(scale=blocks.scale * factor),
        )
        return replace(self, layout=layout)
