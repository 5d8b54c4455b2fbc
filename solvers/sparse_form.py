"""The sequence form of any tree: payoffs as sparse rows, sorted by length.

Rows of one length stand together, so that loops over them have no inner loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pokerspiel.games.compiled import kernel
from pokerspiel.solvers.layout import Blocks, Layout, SequenceForm
from pokerspiel.solvers.tree import ROOT, Tree

MOST_PARTS = 8
"""Parts of a player's sets in a large tree."""
LARGE = 20_000
"""Sequences above which the sets are split into parts."""


def sparse_form(tree: Tree) -> SequenceForm:
    """Lay out the sequence form of `tree`."""
    part = _parts(tree)
    parts = int(part.max(initial=0)) + 1
    place, groups, above, group_first, roots = _place_sets(tree, part, parts)
    payoffs = _Payoffs(tree, place, roots, part, parts)
    layout = Layout(
        groups=groups,
        above=above,
        group_first=group_first,
        roots=roots[:, :, None],
        blocks=_no_blocks(),
        **payoffs.arrays(),
    )
    return SequenceForm(tree, layout, place, len(place) + roots.size)


def _no_blocks() -> Blocks:
    numbers, indices = np.zeros(0, np.int64), np.zeros(0, np.uint64)
    return Blocks(
        width=0,
        start=np.zeros((0, 0), np.int64),
        other_lanes=np.zeros((0, 0), np.uint64),
        other_count=numbers,
        row_first=numbers,
        block_first=numbers,
        column=indices,
        matrix=indices,
        scale=np.zeros(0),
        matrix_first=np.zeros((0, 0), np.uint64),
        entries=np.zeros(0),
    )


def owner_of_sequences(tree: Tree) -> np.ndarray:
    """[S] int64: the set of each sequence."""
    return np.repeat(np.arange(tree.information_sets), np.diff(tree.set_first))


def own_depths(tree: Tree, owner: np.ndarray) -> np.ndarray:
    """[I] int64: own decisions before each set. (A set comes after its parent in the tree.)"""
    depth = np.zeros(tree.information_sets, np.int64)
    _count_above(tree.set_parent, owner, depth)
    return depth


@kernel
def _count_above(set_parent: Any, owner: Any, depth: Any) -> None:
    for i in range(len(set_parent)):
        if set_parent[i] >= 0:
            depth[i] = depth[owner[set_parent[i]]] + 1


@kernel
def _first_above(set_parent: Any, owner: Any, top: Any) -> None:
    for i in range(len(set_parent)):
        top[i] = i if set_parent[i] < 0 else top[owner[set_parent[i]]]


def _parts(tree: Tree) -> np.ndarray:
    """[I] int64: the part of each set: whole subtrees, the largest first to the smallest part."""
    part = np.zeros(tree.information_sets, np.int64)
    if tree.sequences < LARGE:
        return part
    top = np.zeros(tree.information_sets, np.int64)
    _first_above(tree.set_parent, owner_of_sequences(tree), top)
    sizes = np.bincount(top, np.diff(tree.set_first), tree.information_sets)
    for player in range(tree.players):
        tops = np.flatnonzero((tree.set_player == player) & (tree.set_parent == ROOT))
        load = np.zeros(min(MOST_PARTS, max(len(tops), 1)))
        for i in tops[np.argsort(-sizes[tops], kind="stable")]:
            part[i] = int(load.argmin())
            load[part[i]] += sizes[i]
    return np.asarray(part[top])


def _place_sets(
    tree: Tree, part: np.ndarray, parts: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(place of each sequence, groups, above, group_first, roots)."""
    owner = owner_of_sequences(tree)
    depth = own_depths(tree, owner)
    size = np.diff(tree.set_first)
    place = np.zeros(tree.sequences, np.int64)
    roots = np.zeros((tree.players, parts), np.uint32)
    group_first = np.zeros((tree.players, parts + 1), np.int64)
    groups: list[tuple[int, int, int, int]] = []
    above: list[np.ndarray] = []
    entries = following = 0
    for player in range(tree.players):
        roots[player] = np.arange(following, following + parts)
        following += parts
        for p in range(parts):
            group_first[player, p] = len(groups)
            sets = np.flatnonzero((tree.set_player == player) & (part == p))
            kinds = depth[sets] * (size.max(initial=0) + 1) + size[sets]
            for kind in np.unique(kinds):
                members = sets[kinds == kind]
                parents = tree.set_parent[members]
                up = np.where(parents == ROOT, roots[player, p], place[parents])
                order = np.argsort(up, kind="stable")
                members, n, m = members[order], int(size[members[0]]), len(members)
                for a in range(n):
                    place[tree.set_first[members] + a] = following + a * m + np.arange(m)
                groups.append((following, n, m, entries))
                above.append(up[order])
                following += n * m
                entries += m
        group_first[player, parts] = len(groups)
    return (
        place,
        np.array(groups, np.uint64).reshape(-1, 4),
        np.concatenate([*above, np.zeros(0, np.uint32)]).astype(np.uint32),
        group_first,
        roots,
    )


class _Payoffs:
    """The sparse matrices of all players, cut into runs of rows of equal length."""

    def __init__(
        self, tree: Tree, place: np.ndarray, roots: np.ndarray, part: np.ndarray, parts: int
    ) -> None:
        self.runs: list[tuple[int, int, int, int]] = []
        self.rows: list[np.ndarray] = []
        self.columns: list[np.ndarray] = []
        self.values: list[np.ndarray] = []
        self.joint: list[np.ndarray] = []
        self.run_first = np.zeros((tree.players, parts + 1), np.int64)
        self.joint_first = np.zeros(tree.players + 1, np.int64)
        self._row_count = self._entry_count = 0
        places = len(place) + roots.size
        last = tree.last_sequences()[:, tree.terminal]
        at = np.where(last == ROOT, roots[:, :1], place[last] if len(place) else 0)
        reach = tree.chance_reach()[tree.terminal]
        owner = owner_of_sequences(tree)
        part_of = np.zeros(places, np.int64)
        part_of[place] = part[owner]
        for player in range(tree.players):
            others = np.delete(at, player, axis=0)
            columns, width = self._columns(others, player, places)
            entries = sparse.coo_matrix(
                (reach * tree.returns[:, player], (at[player], columns)), (places, width)
            )
            matrix = entries.tocsr()
            matrix.eliminate_zeros()
            matrix.sort_indices()
            own = place[tree.set_player[owner] == player]
            for p in range(parts):
                self.run_first[player, p] = len(self.runs)
                mine = np.sort(np.r_[roots[player, p], own[part_of[own] == p]])
                self._add_rows(matrix, mine.astype(np.int64))
            self.run_first[player, parts] = len(self.runs)

    def _columns(self, others: np.ndarray, player: int, places: int) -> tuple[np.ndarray, int]:
        """(Column of each terminal node, number of columns) for the reaches of the others."""
        if len(others) == 1:
            self.joint_first[player + 1] = 0
            return others[0], places
        tuples, column = np.unique(others, axis=1, return_inverse=True)
        self.joint.append(tuples.T)
        self.joint_first[player + 1] = self.joint_first[player] + tuples.shape[1]
        return column.reshape(-1), tuples.shape[1]

    def _add_rows(self, matrix: Any, rows: np.ndarray) -> None:
        """Add the rows of one part, sorted by length."""
        length = np.diff(matrix.indptr)[rows]
        rows = rows[np.argsort(length, kind="stable")]
        length = np.sort(length, kind="stable")
        cuts = np.flatnonzero(np.diff(length)) + 1
        for start, end in zip(np.r_[0, cuts], np.r_[cuts, len(rows)], strict=True):
            n = int(length[start])
            first = self._row_count + int(start)
            self.runs.append((first, first + int(end - start), n, self._entry_count))
            entry = (matrix.indptr[rows[start:end]][:, None] + np.arange(n)).ravel()
            self.columns.append(matrix.indices[entry])
            self.values.append(matrix.data[entry])
            self._entry_count += len(entry)
        self.rows.append(rows)
        self._row_count += len(rows)

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
