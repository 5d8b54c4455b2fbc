"""The sequence form of a game with lanes (lanes.py): payoffs as small dense blocks.

The lanes of a position have neighbouring places. Parts are lanes as well: with two threads each has
half of a player's hands, and all parts have the same structure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pokerspiel.solvers.lanes import Lanes
from pokerspiel.solvers.layout import Blocks, Layout, SequenceForm
from pokerspiel.solvers.sparse_form import own_depths, owner_of_sequences
from pokerspiel.solvers.tree import ROOT, Tree

WIDEST = 8
"""Most lanes in a part."""
MOST_WORK = 1.5
"""Products of a block form for each entry of the sparse form, above which blocks do not pay."""
_DIGITS = 12
"""Digits to which matrices are compared."""


@dataclass(frozen=True)
class _Side:
    """The public tree of one player, within one part; places count from the part's start."""

    first: np.ndarray
    """[positions]: place of the first lane of the first action; -1 where others act."""
    stride: np.ndarray
    """[positions]: places from one action to the next."""
    size: int
    groups: list[tuple[int, int, int]]
    """(base, actions, sets) of each group."""
    above: list[np.ndarray]
    """Places of the parents of each group's sets."""


def lane_form(tree: Tree, lanes: Lanes, threads: int = 1) -> SequenceForm | None:
    """Lay out `tree` by its lanes; None if the blocks would be too large or too sparse to pay."""
    parts, width = _split(max(lanes.count), threads)
    sides = [_side(tree, lanes, player, width) for player in range(2)]
    slot = _Slots(lanes, sides, parts, width)
    owner = owner_of_sequences(tree)
    place = slot.of_sequences(tree, owner)
    blocks = _blocks(tree, lanes, sides, slot, owner)
    if blocks is None:
        return None
    layout = Layout(
        **_merged_groups(sides, slot),
        **_no_rows(parts),
        roots=slot.roots(),
        blocks=blocks,
    )
    return SequenceForm(tree, layout, place, slot.places)


def _split(lanes: int, threads: int) -> tuple[int, int]:
    """(Parts, lanes in each): as many parts as threads can use, and none wider than a vector."""
    parts = max(-(-lanes // WIDEST), min(threads, lanes // 2))
    return parts, -(-lanes // parts)


def _side(tree: Tree, lanes: Lanes, player: int, width: int) -> _Side:
    """Place the positions in which `player` acts, group by group."""
    sets = np.flatnonzero(tree.set_player == player)
    positions, index = np.unique(lanes.set_position[sets], return_index=True)
    member = sets[index]
    owner = owner_of_sequences(tree)
    depth, size = own_depths(tree, owner)[member], np.diff(tree.set_first)[member]
    parent = tree.set_parent[member]
    first = np.full(int(lanes.position.max()) + 1, -1, np.int64)
    stride = np.zeros(len(first), np.int64)
    groups: list[tuple[int, int, int]] = []
    above: list[np.ndarray] = []
    following = width
    kinds = depth * (int(size.max()) + 1) + size
    for kind in np.unique(kinds):
        here = np.flatnonzero(kinds == kind)
        up = _public_place(tree, lanes, first, stride, owner, parent[here])
        here, up = here[np.argsort(up, kind="stable")], np.sort(up, kind="stable")
        n, m = int(size[here[0]]), len(here) * width
        first[positions[here]] = following + width * np.arange(len(here))
        stride[positions[here]] = m
        groups.append((following, n, m))
        above.append((up[:, None] + np.arange(width)).ravel())
        following += n * m
    return _Side(first, stride, following, groups, above)


def _public_place(
    tree: Tree,
    lanes: Lanes,
    first: np.ndarray,
    stride: np.ndarray,
    owner: np.ndarray,
    sequence: np.ndarray,
) -> np.ndarray:
    """Place of the first lane of sequences, from the start of the part; 0 is the root."""
    known = np.maximum(sequence, 0)
    position = lanes.set_position[owner[known]]
    action = known - tree.set_first[owner[known]]
    return np.where(sequence == ROOT, 0, first[position] + action * stride[position])


class _Slots:
    """Where the parts and lanes of both players lie."""

    def __init__(self, lanes: Lanes, sides: list[_Side], parts: int, width: int) -> None:
        self.lanes, self.sides, self.parts, self.width = lanes, sides, parts, width
        sizes = np.repeat([side.size for side in sides], parts)
        self.start = (np.cumsum(sizes) - sizes).reshape(2, parts)
        self.places = int(sizes.sum())

    def of_lanes(self, player: int) -> np.ndarray:
        """[lanes] int64: the place of each lane of a player in its root."""
        lane = np.arange(self.lanes.count[player])
        each = -(-self.lanes.count[player] // self.parts)
        return np.asarray(self.start[player, lane // each] + lane % each)

    def part_of_lanes(self, player: int) -> np.ndarray:
        each = -(-self.lanes.count[player] // self.parts)
        return np.arange(self.lanes.count[player]) // each

    def of_sequences(self, tree: Tree, owner: np.ndarray) -> np.ndarray:
        place = np.zeros(tree.sequences, np.int64)
        for player, side in enumerate(self.sides):
            mine = np.flatnonzero(tree.set_player[owner] == player)
            public = _public_place(tree, self.lanes, side.first, side.stride, owner, mine)
            place[mine] = public + self.of_lanes(player)[self.lanes.set_lane[owner[mine]]]
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


def _blocks(
    tree: Tree, lanes: Lanes, sides: list[_Side], slot: _Slots, owner: np.ndarray
) -> Blocks | None:
    """The payoffs as blocks; None if they do not pay."""
    last = tree.last_sequences()[:, tree.terminal]
    at = [
        _public_place(tree, lanes, side.first, side.stride, owner, last[player])
        for player, side in enumerate(sides)
    ]
    lane = lanes.node_lane[:, tree.terminal]
    pairs, block = np.unique(at[0] * sides[1].size + at[1], return_inverse=True)
    if len(pairs) * lanes.count[0] * lanes.count[1] > MOST_WORK * len(tree.terminal):
        return None
    reach = tree.chance_reach()[tree.terminal]
    corner = [pairs // sides[1].size, pairs % sides[1].size]
    row_first, block_first = [0], [np.zeros(1, np.int64)]
    columns, numbers, scales, entries = [], [], [], []
    matrix_first = np.zeros((2, slot.parts), np.uint64)
    total = 0
    other_lanes = np.zeros((2, max(lanes.count)), np.uint64)
    for player in range(2):
        other = 1 - player
        other_lanes[player, : lanes.count[other]] = slot.of_lanes(other)
        dense = np.zeros((len(pairs), lanes.count[other], lanes.count[player]))
        np.add.at(dense, (block, lane[other], lane[player]), reach * tree.returns[:, player])
        matrices, number, scale = _distinct(dense)
        order = np.lexsort((corner[other], corner[player]))
        order = order[scale[order] != 0.0]
        rows = sides[player].size // slot.width
        counts = np.bincount(corner[player][order] // slot.width, minlength=rows)
        block_first.append(block_first[-1][-1] + np.cumsum(counts))
        row_first.append(row_first[-1] + rows)
        columns.append(corner[other][order])
        numbers.append(number[order])
        scales.append(scale[order])
        for part in range(slot.parts):
            mine = np.flatnonzero(slot.part_of_lanes(player) == part)
            padded = np.zeros((*matrices.shape[:2], 4 if slot.width <= 4 else WIDEST))
            padded[:, :, : len(mine)] = matrices[:, :, mine]
            matrix_first[player, part] = total
            entries.append(padded.ravel())
            total += padded.size
    return Blocks(
        width=slot.width,
        start=slot.start.astype(np.int64),
        other_lanes=other_lanes,
        other_count=np.array(lanes.count[::-1], np.int64),
        row_first=np.array(row_first, np.int64),
        block_first=np.concatenate(block_first),
        column=np.concatenate(columns).astype(np.uint64),
        matrix=np.concatenate(numbers).astype(np.uint64),
        scale=np.concatenate(scales),
        matrix_first=matrix_first,
        entries=np.concatenate(entries),
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
