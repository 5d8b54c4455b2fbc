"""The sequence form of any tree: payoffs as sparse rows, sorted by length.

Rows of one length stand together in a *run*, so that short ones need no loop over their entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.layout import (
    Blocks,
    Choices,
    Layout,
    SequenceForm,
    balanced,
    choices_of,
    padded,
    parts_of,
    runs_of,
)
from pokerspiel.solvers.tree import ROOT, Tree

LONG = 8
"""Rows with more entries than this are padded to a multiple of four."""


def sparse_form(tree: Tree) -> SequenceForm:
    """Lay out the sequence form of `tree`."""
    choices = choices_of(tree)
    part = _parts(tree, choices)
    parts = int(part.max(initial=0)) + 1
    placed = _Placed(tree, choices, part, parts)
    payoffs = _Payoffs(tree, placed, parts)
    none = np.zeros(0, np.uint64)
    layout = Layout(
        groups=np.array(placed.groups, np.uint64).reshape(-1, 4),
        above=np.concatenate([*placed.above, np.zeros(0)]).astype(np.uint32),
        group_first=placed.group_first,
        roots=placed.roots.astype(np.uint32),
        links=np.array(placed.links, np.uint32).reshape(-1, 2),
        link_first=placed.link_first,
        blocks=Blocks(width=0, matrix=none, first=none, numbers=np.zeros(0)),
        **payoffs.arrays(),
    )
    chosen = np.flatnonzero(choices.stand_in == np.arange(tree.sequences))
    return SequenceForm(tree, layout, placed.place, chosen, placed.places)


def _parts(tree: Tree, choices: Choices) -> np.ndarray:
    """[I] int64: the part of each set: whole subtrees below the root, or 0 in a small tree."""
    part = np.zeros(tree.information_sets, np.int64)
    parts = parts_of(tree)
    if parts == 0:
        return part
    top = np.zeros(tree.information_sets, np.int64)
    _first_above(choices.parent, choices.owner, top)
    sizes = np.bincount(top, np.diff(tree.set_first), tree.information_sets)
    for player in range(tree.players):
        tops = np.flatnonzero((tree.set_player == player) & (choices.parent == ROOT))
        part[tops] = 1 + balanced(sizes[tops], parts)
    return np.asarray(part[top])


@kernel
def _first_above(parent: Any, owner: Any, top: Any) -> None:
    for i in range(len(parent)):
        top[i] = i if parent[i] < 0 else top[owner[parent[i]]]


class _Placed:
    """The sets with a choice, put in their places."""

    def __init__(self, tree: Tree, choices: Choices, part: np.ndarray, parts: int) -> None:
        self.tree, self.choices = tree, choices
        self.part_of_sequence = part[choices.owner]
        self.place = np.zeros(tree.sequences, np.int64)
        self.roots = np.zeros((tree.players, 1), np.int64)
        self.stubs = np.zeros((tree.players, parts), np.int64)
        """The root, or what stands for it, of each part."""
        self.groups: list[tuple[int, int, int, int]] = []
        self.above: list[np.ndarray] = []
        self.group_first = np.zeros((tree.players, parts + 1), np.int64)
        self.links: list[tuple[int, int]] = []
        self.link_first = np.zeros(tree.players + 1, np.int64)
        self.places = self._entries = 0
        size = np.diff(tree.set_first)
        kinds = choices.depth * (size.max(initial=0) + 1) + size
        for player in range(tree.players):
            self._add_roots(player, parts)
            for p in range(parts):
                self.group_first[player, p] = len(self.groups)
                sets = np.flatnonzero((tree.set_player == player) & (part == p) & (size > 1))
                for kind in np.unique(kinds[sets]):
                    self._add_group(sets[kinds[sets] == kind], int(self.stubs[player, p]))
            self.group_first[player, parts] = len(self.groups)
        forced = np.flatnonzero(choices.stand_in != np.arange(tree.sequences))
        before = choices.stand_in[forced]
        at_root = self.roots[tree.set_player[choices.owner[forced]], 0]
        self.place[forced] = np.where(before == ROOT, at_root, self.place[before])

    def _add_roots(self, player: int, parts: int) -> None:
        """Place the root of a player, and a stub of it for each part but the top."""
        self.stubs[player] = np.arange(self.places, self.places + parts)
        self.roots[player, 0] = self.places
        self.links += [(int(stub), int(self.places)) for stub in self.stubs[player, 1:]]
        self.link_first[player + 1] = len(self.links)
        self.places = padded(self.places + parts)

    def _add_group(self, sets: np.ndarray, root: int) -> None:
        """Place sets of one depth and size, those with the same parent side by side."""
        tree = self.tree
        parent = self.choices.parent[sets]
        up = np.where(parent == ROOT, root, self.place[parent])
        order = np.argsort(up, kind="stable")
        sets, n, m = sets[order], int(np.diff(tree.set_first)[sets[0]]), padded(len(sets))
        for a in range(n):
            self.place[tree.set_first[sets] + a] = self.places + a * m + np.arange(len(sets))
        self.groups.append((self.places, n, m, self._entries))
        self.above.append(np.r_[up[order], np.full(m - len(sets), root)])
        self.places += n * m
        self._entries += m


class _Payoffs:
    """The sparse matrices of all players, cut into runs of rows of equal length."""

    def __init__(self, tree: Tree, placed: _Placed, parts: int) -> None:
        self.runs: list[tuple[int, int, int, int]] = []
        self.rows: list[np.ndarray] = []
        self.columns: list[np.ndarray] = []
        self.values: list[np.ndarray] = []
        self.joint: list[np.ndarray] = []
        self.run_first = np.zeros((tree.players, parts + 1), np.int64)
        self.joint_first = np.zeros(tree.players + 1, np.int64)
        self._row_count = self._entry_count = 0
        last = tree.last_sequences()[:, tree.terminal]
        at = np.repeat(placed.roots, len(tree.terminal), axis=1)
        at[last != ROOT] = placed.place[last[last != ROOT]]
        reach = tree.chance_reach()[tree.terminal]
        player_of_sequence = tree.set_player[placed.choices.owner]
        for player in range(tree.players):
            others = np.delete(at, player, axis=0)
            columns, width = self._columns(others, player, placed.places)
            entries = sparse.coo_matrix(
                (reach * tree.returns[:, player], (at[player], columns)), (placed.places, width)
            )
            matrix = entries.tocsr()
            matrix.eliminate_zeros()
            matrix.sort_indices()
            for p in range(parts):
                self.run_first[player, p] = len(self.runs)
                mine = (player_of_sequence == player) & (placed.part_of_sequence == p)
                rows = np.setdiff1d(placed.place[mine], placed.roots[player])
                self._add_rows(matrix, np.r_[placed.stubs[player, p], rows].astype(np.int64))
            self.run_first[player, parts] = len(self.runs)

    def _columns(self, others: np.ndarray, player: int, places: int) -> tuple[np.ndarray, int]:
        """(Column of each terminal node, number of columns) for the reaches of the others."""
        if len(others) == 1:
            return others[0], places
        tuples, column = np.unique(others, axis=1, return_inverse=True)
        self.joint.append(tuples.T)
        self.joint_first[player + 1] = self.joint_first[player] + tuples.shape[1]
        return column.reshape(-1), tuples.shape[1]

    def _add_rows(self, matrix: Any, rows: np.ndarray) -> None:
        """Add the rows of one part, sorted by length."""
        entries = np.diff(matrix.indptr)[rows].astype(np.int64)
        # Long rows end in entries worth nothing.
        length = np.where(entries > LONG, -(-entries // 4) * 4, entries)
        by_length = np.argsort(length, kind="stable")
        rows, length, entries = rows[by_length], length[by_length], entries[by_length]
        starts = np.cumsum(length) - length
        within = np.arange(int(length.sum())) - np.repeat(starts, length)
        known = within < np.repeat(entries, length)
        entry = np.where(known, np.repeat(matrix.indptr[rows], length) + within, 0)
        self.runs += runs_of(length, self._row_count, self._entry_count)
        self._row_count += len(rows)
        self._entry_count += len(entry)
        self.columns.append(np.where(known, matrix.indices[entry], 0))
        self.values.append(np.where(known, matrix.data[entry], 0.0))
        self.rows.append(rows)

    def arrays(self) -> dict[str, np.ndarray]:
        """The members `runs` to `joint_first` of the layout."""
        players = len(self.run_first)
        joint = np.concatenate([*self.joint, np.zeros((0, players - 1))])
        return {
            "runs": np.array(self.runs, np.uint64).reshape(-1, 4),
            "rows": np.concatenate(self.rows).astype(np.uint32),
            "columns": np.concatenate(self.columns).astype(np.uint32),
            "values": np.concatenate(self.values),
            "run_first": self.run_first,
            "joint": joint.astype(np.uint32),
            "joint_first": self.joint_first,
        }
