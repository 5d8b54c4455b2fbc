"""The sequence form of a tree, laid out for fast passes (von Stengel 1996).

All players' sequences share one numbering, the *places*; each player's begin with the roots, whose
reach is 1. The sets of a player are split into *parts*, whole subtrees of its decisions, so that
threads work on different parts without meeting. Within a part, the sets with the same number of own
decisions before them and the same number n of actions form a *group* of m sets: action a of the
group's set i has the place `base + a * m + i`, so that a group is updated by loops over long
stretches of memory.

The value of each place to its player, with the others' reach, is one product of a matrix and a
vector: sparse rows in general (sparse_form.py), small dense blocks where the game has lanes
(lane_form.py). Indices are unsigned, which spares the compiled code a test of their sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pokerspiel.solvers.tree import Tree


class Blocks(NamedTuple):
    """The payoffs of a game with lanes (lanes.py): small dense matrices, lanes times lanes.

    All parts of a player have the same structure. The value of `width` lanes of a place is a sum
    over blocks: scale * matrix * reach of the other player's lanes.
    """

    width: int
    """Lanes in a part, at most 8, those that stay empty included; 0: the game has no lanes."""
    start: np.ndarray
    """[players, parts] int64: first place of each part."""
    other_lanes: np.ndarray
    """[players, lanes] uint64: for each lane of the other player, its place in the other's root."""
    other_count: np.ndarray
    """[players] int64: lanes of the other player."""
    row_first: np.ndarray
    """[players + 1] int64: first row of each player; its row r is for the places from r * width on
    in each part."""
    block_first: np.ndarray
    """[rows + 1] int64: first block of each row."""
    column: np.ndarray
    """[blocks] uint64: the other player's places, from the start of a part."""
    matrix: np.ndarray
    """[blocks] uint64: number of the matrix."""
    scale: np.ndarray
    """[blocks] float64."""
    matrix_first: np.ndarray
    """[players, parts] uint64: where the player's matrices for a part begin in `entries`."""
    entries: np.ndarray
    """float64: the matrices, one row for each lane of the other player, padded to 4 or 8."""


class Layout(NamedTuple):
    """The arrays of a sequence form; kernels take it as one argument."""

    groups: np.ndarray
    """[groups, 4] uint64: base, actions n, sets m, index of the group's first entry in `above`."""
    above: np.ndarray
    """uint32: the place of the parent of each set, group by group."""
    group_first: np.ndarray
    """[players, parts + 1] int64: first group of each part."""
    runs: np.ndarray
    """[runs, 4] uint64: first and last row (in `rows`), length of each, first entry."""
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
    places: int

    def to_tree(self, values: np.ndarray) -> np.ndarray:
        """Values of places as values of the tree's sequences."""
        return np.asarray(values[self.place])

    def to_places(self, values: np.ndarray) -> np.ndarray:
        """Values of the tree's sequences as values of places; zero where there is no sequence."""
        out = np.zeros(self.places)
        out[self.place] = values
        return out

    def scaled(self, factor: float) -> SequenceForm:
        """The same game with all payoffs multiplied."""
        blocks = self.layout.blocks
        layout = self.layout._replace(
            values=self.layout.values * factor,
            blocks=blocks._replace(scale=blocks.scale * factor),
        )
        return SequenceForm(self.tree, layout, self.place, self.places)
