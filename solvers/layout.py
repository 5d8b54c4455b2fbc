"""The sequence form of a tree, laid out for fast passes (von Stengel 1996).

All players' sequences share one numbering, the *places*; each player's begin with the root, whose
reach is 1. The sets with the same number of own decisions before them and the same number n of
actions form a *group* of m sets: action a of the group's set i has the place `base + a * m + i`, so
that a group is updated by loops over long stretches of memory. The sets of a group are padded to a
multiple of PADDING; what is added is worth nothing and has the root above it. Sets with a single
action are left out: their sequence has the place of the sequence before it.

In large trees the sets of a player are split into *parts*, so that threads work on different parts
without meeting. Part 0 is the top of the player's decisions, the others are subtrees below it. A
part has *stubs* of its own in the place of the sequences above it, joined to them by links: values
are lifted from the stubs to the top, and reach is lowered from the top to the stubs.

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
LARGE = ((20_000, 2), (500_000, 4), (2_000_000, 8))
"""Sequences from which on the sets are split into so many parts besides the top."""


_LINE = 64
"""Bytes of a line of the cache."""


def padded(n: int) -> int:
    """The multiple of PADDING that is not below n."""
    return -(-n // PADDING) * PADDING


def parts_of(tree: Tree) -> int:
    """The number of parts besides the top; 0 in a small tree."""
    return max((parts for least, parts in LARGE if tree.sequences >= least), default=0)


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
    """What the payoffs of a game with lanes (lanes.py) have besides their rows.

    A row is the places of all lanes of one action. Its value is a sum over blocks: value of the
    entry * matrix * reach of the other player's lanes, which begin at the entry's column.
    """

    width: int
    """Lanes of a position, those that one of the players lacks included; 0: there are none."""
    matrix: np.ndarray
    """[entries] uint64: number of the matrix."""
    first: np.ndarray
    """[players] uint64: where the player's matrices begin in `numbers`."""
    numbers: np.ndarray
    """float64: the matrices, a row for each lane of the other player, padded to vectors."""


class Layout(NamedTuple):
    """The arrays of a sequence form; kernels take it as one argument."""

    groups: np.ndarray
    """[groups, 4] uint64: base, actions n, sets m, index of the group's first entry in `above`."""
    above: np.ndarray
    """uint32: the place of the parent of each set, group by group."""
    group_first: np.ndarray
    """[players, parts + 1] int64: first group of each part; parents come first in a part."""
    runs: np.ndarray
    """[runs, 4] uint64: first and last row (in `rows`), entries of each row, the first entry."""
    rows: np.ndarray
    """uint32: the place of each row of the matrix; with lanes that of the first of them."""
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
    """[players, lanes] uint32: the places of the root; one lane if the game has none."""
    links: np.ndarray
    """[links, 2] uint32: a stub and the place of part 0 that it stands for."""
    link_first: np.ndarray
    """[players + 1] int64: first link of each player."""
    blocks: Blocks


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
        return replace(self, layout=self.layout._replace(values=self.layout.values * factor))


def balanced(weights: np.ndarray, parts: int) -> np.ndarray:
    """Which of `parts` takes each weight: the largest first, to the part with the least so far."""
    load = np.zeros(parts)
    part = np.zeros(len(weights), np.int64)
    for i in np.argsort(-weights, kind="stable"):
        part[i] = int(load.argmin())
        load[part[i]] += weights[i]
    return part


def runs_of(length: np.ndarray, row: int, entry: int) -> list[tuple[int, int, int, int]]:
    """Rows of ascending lengths as runs of rows of one length, numbered from `row` and `entry`."""
    runs = []
    for n, count in zip(*np.unique(length, return_counts=True), strict=True):
        runs.append((row, row + int(count), int(n), entry))
        row += int(count)
        entry += int(n * count)
    return runs
