"""The sequence form of a game with lanes (lanes.py): payoffs as small dense blocks.

The lanes of a position have neighbouring places. Parts are lanes as well: with two threads each has
half of a player's hands, and all parts have the same structure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pokerspiel.solvers.lanes import Lanes
from pokerspiel.solvers.layout import (
    LARGE,
    PADDING,
    Blocks,
    Choices,
    Layout,
    SequenceForm,
    aligned,
    choices_of,
    padded,
)
from pokerspiel.solvers.tree import ROOT, Tree

WIDEST = 8
"""Most lanes in a part."""
MOST_WORK = 3.0
"""Products of a block form for each entry of the sparse form, above which blocks do not pay."""
_DIGITS = 12
"""Digits to which matrices are compared."""


@dataclass
class _Side:
    """The public tree of one player, within one part; places count from the part's start."""

    first: np.ndarray
    """[positions]: place of the first lane of the first action; -1 where others act."""
    stride: np.ndarray
    """[positions]: places from one action to the next."""
    size: int
    """Places in use so far."""
    groups: list[tuple[int, int, int]]
    """(base, actions, sets) of each group."""
    above: list[np.ndarray]
    """Places of the parents of each group's sets."""

    def add_group(self, positions: np.ndarray, n: int, up: np.ndarray, width: int) -> None:
        """Place positions with n actions whose parents' first lanes are at `up`."""
        m = padded(len(positions) * width)
        self.first[positions] = self.size + width * np.arange(len(positions))
        self.stride[positions] = m
        self.groups.append((self.size, n, m))
        parents = (up[:, None] + np.arange(width)).ravel()
        self.above.append(np.r_[parents, np.zeros(m - len(parents), np.int64)])
        self.size += n * m

    @property
    def rows(self) -> np.ndarray:
        """The places of the first lanes, ascending."""
        used = self.first >= 0
        most = max((n for _, n, _ in self.groups), default=0)
        actions = np.zeros(len(self.first), np.int64)
        for base, n, m in self.groups:
            actions[used & (self.first >= base) & (self.first < base + m)] = n
        each = [(self.first + a * self.stride)[used & (actions > a)] for a in range(most)]
        return np.sort(np.concatenate([np.zeros(1, np.int64), *each]))


def lane_form(tree: Tree, lanes: Lanes, threads: int = 1) -> SequenceForm | None:
    """Lay out `tree` by its lanes; None if the blocks would be too large or too sparse to pay."""
    parts, width = _split(tree, max(lanes.count), threads)
    public = _Public(tree, lanes, choices_of(tree))
    sides = [_side(public, player, width) for player in range(2)]
    slot = _Slots(public, sides, parts, width)
    blocks = _blocks(public, sides, slot)
    if blocks is None:
        return None
    layout = Layout(
        **_merged_groups(sides, slot),
        **_no_rows(parts),
        roots=slot.roots(),
        blocks=blocks,
    )
    chosen = np.flatnonzero(public.choices.stand_in == np.arange(tree.sequences))
    return SequenceForm(tree, layout, slot.of_sequences(), chosen, slot.places)


@dataclass(frozen=True)
class _Public:
    """A tree and its lanes."""

    tree: Tree
    lanes: Lanes
    choices: Choices

    def place(self, side: _Side, sequence: np.ndarray) -> np.ndarray:
        """Place of the first lane of chosen sequences, from the start of the part; 0: the root."""
        known = np.maximum(sequence, 0)
        owner = self.choices.owner[known]
        position = self.lanes.set_position[owner]
        action = known - self.tree.set_first[owner]
        found = side.first[position] + action * side.stride[position]
        return np.where(sequence == ROOT, 0, found)


def _split(tree: Tree, lanes: int, threads: int) -> tuple[int, int]:
    """(Parts, lanes in each): none wider than a vector; in a large tree enough for the threads."""
    parts = -(-lanes // WIDEST)
    if tree.sequences >= LARGE:
        parts = max(parts, min(threads, lanes // 2))
    return parts, -(-lanes // parts)


def _side(public: _Public, player: int, width: int) -> _Side:
    """Place the positions in which `player` chooses, group by group."""
    tree, lanes, choices = public.tree, public.lanes, public.choices
    size = np.diff(tree.set_first)
    sets = np.flatnonzero((tree.set_player == player) & (size > 1))
    positions, index = np.unique(lanes.set_position[sets], return_index=True)
    member = sets[index]
    parent = choices.parent[member]
    first = np.full(int(lanes.position.max()) + 1, -1, np.int64)
    side = _Side(first, np.zeros(len(first), np.int64), padded(width), [], [])
    kinds = choices.depth[member] * (int(size.max()) + 1) + size[member]
    for kind in np.unique(kinds):
        here = np.flatnonzero(kinds == kind)
        up = public.place(side, parent[here])
        here, up = here[np.argsort(up, kind="stable")], np.sort(up, kind="stable")
        side.add_group(positions[here], int(size[member[here[0]]]), up, width)
    return side


class _Slots:
    """Where the parts and lanes of both players lie."""

    def __init__(self, public: _Public, sides: list[_Side], parts: int, width: int) -> None:
        self.public, self.sides, self.parts, self.width = public, sides, parts, width
        # A row stored as a whole vector may reach beyond the last lane.
        sizes = np.repeat([side.size + PADDING for side in sides], parts)
        self.start = (np.cumsum(sizes) - sizes).reshape(2, parts)
        self.places = int(sizes.sum())

    def of_lanes(self, player: int) -> np.ndarray:
        """[lanes] int64: the place of each lane of a player in its root."""
        lane = np.arange(self.public.lanes.count[player])
        return np.asarray(self.start[player, lane // self.width] + lane % self.width)

    def of_sequences(self) -> np.ndarray:
        choices, lanes = self.public.choices, self.public.lanes
        place = np.zeros(len(choices.owner), np.int64)
        for player, side in enumerate(self.sides):
            mine = np.flatnonzero(self.public.tree.set_player[choices.owner] == player)
            first = self.public.place(side, choices.stand_in[mine])
            place[mine] = first + self.of_lanes(player)[lanes.set_lane[choices.owner[mine]]]
        return place

    def roots(self) -> np.ndarray:
        return np.asarray(self.start[:, :, None] + np.arange(self.width)).astype(np.uint32)


def _merged_groups(sides: list[_Side], slot: _Slots) -> dict[str, np.ndarray]:
    """The members `groups`, `above` and `group_first` of the layout."""
    groups: list[tuple[int, int, int, int]] = []
    above: list[np.ndarray] = []
    group_first = np.zeros((2, slot.parts + 1), np.int64)
    entries = 0
    for player, side in enumerate(sides):
        for part in range(slot.parts):
            start = int(slot.start[player, part])
            group_first[player, part] = len(groups)
            for (base, n, m), up in zip(side.groups, side.above, strict=True):
                groups.append((start + base, n, m, entries))
                above.append(up + start)
                entries += m
        group_first[player, slot.parts] = len(groups)
    return {
        "groups": np.array(groups, np.uint64),
        "above": np.concatenate(above).astype(np.uint32),
        "group_first": group_first,
    }


def _no_rows(parts: int) -> dict[str, np.ndarray]:
    """The members of the layout that hold sparse rows: none."""
    return {
        "runs": np.zeros((0, 4), np.uint64),
        "rows": np.zeros(0, np.uint32),
        "columns": np.zeros(0, np.uint32),
        "values": np.zeros(0),
        "run_first": np.zeros((2, parts + 1), np.int64),
        "joint": np.zeros((0, 1), np.uint32),
        "joint_first": np.zeros(3, np.int64),
    }


def _blocks(public: _Public, sides: list[_Side], slot: _Slots) -> Blocks | None:
    """The payoffs as blocks; None if they do not pay."""
    tree, lanes = public.tree, public.lanes
    last = tree.last_sequences()[:, tree.terminal]
    chosen = np.where(last == ROOT, ROOT, public.choices.stand_in[last])
    at = [public.place(side, chosen[player]) for player, side in enumerate(sides)]
    pairs, block = np.unique(at[0] * sides[1].size + at[1], return_inverse=True)
    if len(pairs) * lanes.count[0] * lanes.count[1] > MOST_WORK * len(tree.terminal):
        return None
    corner = [pairs // sides[1].size, pairs % sides[1].size]
    lane = lanes.node_lane[:, tree.terminal]
    slots = slot.parts * slot.width
    reach = tree.chance_reach()[tree.terminal]
    builder = _BlockBuilder(slot)
    for player in range(2):
        dense = np.zeros((len(pairs), slots, slots))
        payoff = reach * tree.returns[:, player]
        np.add.at(dense, (block, lane[1 - player], lane[player]), payoff)
        builder.add(sides[player].rows, corner[player], corner[1 - player], dense, player)
    return builder.blocks()


class _BlockBuilder:
    """Puts the blocks of both players into one set of arrays."""

    def __init__(self, slot: _Slots) -> None:
        self.slot = slot
        self.runs: list[tuple[int, int, int, int]] = []
        self.run_first = [0]
        self.rows: list[np.ndarray] = []
        self.columns: list[np.ndarray] = []
        self.numbers: list[np.ndarray] = []
        self.scales: list[np.ndarray] = []
        self.entries: list[np.ndarray] = []
        self.matrix_first = np.zeros((2, slot.parts), np.uint64)

    def add(
        self, rows: np.ndarray, own: np.ndarray, other: np.ndarray, dense: np.ndarray, player: int
    ) -> None:
        """The blocks of a player: [blocks, other's lanes, own lanes] at the places own, other."""
        matrices, number, scale = _distinct(dense)
        kept = np.flatnonzero(scale != 0.0)
        row = np.searchsorted(rows, own[kept])
        count = np.bincount(row, minlength=len(rows))
        by_count = np.argsort(count, kind="stable")
        self._add_runs(count[by_count])
        rank = np.argsort(by_count)
        order = kept[np.lexsort((other[kept], rank[row]))]
        self.rows.append(rows[by_count])
        self.columns.append(other[order])
        self.numbers.append(number[order])
        self.scales.append(scale[order])
        width = self.slot.width
        for part in range(self.slot.parts):
            padded_rows = np.zeros((*matrices.shape[:2], 4 if width <= 4 else WIDEST))
            padded_rows[:, :, :width] = matrices[:, :, part * width : (part + 1) * width]
            self.matrix_first[player, part] = sum(entries.size for entries in self.entries)
            self.entries.append(padded_rows.ravel())

    def _add_runs(self, count: np.ndarray) -> None:
        """Runs of rows with the same number of blocks; `count` is ascending."""
        row = sum(len(rows) for rows in self.rows)
        block = sum(len(columns) for columns in self.columns)
        for blocks, rows in zip(*np.unique(count, return_counts=True), strict=True):
            self.runs.append((row, row + int(rows), int(blocks), block))
            row += int(rows)
            block += int(blocks * rows)
        self.run_first.append(len(self.runs))

    def blocks(self) -> Blocks:
        return Blocks(
            width=self.slot.width,
            start=self.slot.start.astype(np.int64),
            runs=np.array(self.runs, np.uint64),
            run_first=np.array(self.run_first, np.int64),
            rows=np.concatenate(self.rows).astype(np.uint64),
            column=np.concatenate(self.columns).astype(np.uint64),
            matrix=np.concatenate(self.numbers).astype(np.uint64),
            scale=np.concatenate(self.scales),
            matrix_first=self.matrix_first,
            entries=aligned(np.concatenate(self.entries)),
        )


def _distinct(dense: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(The matrices that differ by more than a factor, number of each, its factor; 0: all zero)."""
    flat = dense.reshape(len(dense), -1)
    largest = np.abs(flat).argmax(axis=1)
    scale = flat[np.arange(len(flat)), largest]
    unit = flat / np.where(scale == 0.0, 1.0, scale)[:, None]
    rounded = np.ascontiguousarray(np.round(unit, _DIGITS) + 0.0)
    as_bytes = rounded.view(np.dtype((np.void, rounded.shape[1] * rounded.itemsize))).ravel()
    _, first, number = np.unique(as_bytes, return_index=True, return_inverse=True)
    return unit[first].reshape(-1, *dense.shape[1:]), number, scale
