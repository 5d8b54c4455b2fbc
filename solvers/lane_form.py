"""The sequence form of a game with lanes (lanes.py): payoffs as small dense blocks.

The lanes of a position have neighbouring places. The parts of a large tree are subtrees of the
public tree, the same for both players, so that a thread finds nearly all that it needs in its own
part.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pokerspiel.solvers.lanes import Lanes
from pokerspiel.solvers.layout import (
    Blocks,
    Choices,
    Layout,
    SequenceForm,
    aligned,
    balanced,
    choices_of,
    padded,
    parts_of,
    runs_of,
)
from pokerspiel.solvers.tree import ROOT, Tree

MOST_WORK = 3.0
"""Products of a block form for each entry of the sparse form, above which blocks do not pay."""
_DIGITS = 12
"""Digits to which matrices are compared."""
_FINENESS = 3
"""Public subtrees are cut until none has more than a part's share divided by this."""


def lane_form(tree: Tree, lanes: Lanes) -> SequenceForm | None:
    """Lay out `tree` by its lanes; None if the blocks would be too sparse to pay."""
    public = _Public(tree, lanes, choices_of(tree))
    part = _parts(public)
    sides = [_Side(public, part, 0, 0)]
    sides.append(_Side(public, part, 1, sides[0].end))
    builder = _payoffs(public, sides)
    if builder is None:
        return None
    layout = Layout(
        groups=_numbered(sides),
        above=np.concatenate([up for side in sides for up in side.above]).astype(np.uint32),
        group_first=_firsts([side.groups for side in sides]),
        roots=np.array([side.root + np.arange(lanes.width) for side in sides], np.uint32),
        links=np.concatenate([side.links(lanes.width) for side in sides]).astype(np.uint32),
        link_first=np.cumsum([0, *(len(side.stubs) * lanes.width for side in sides)]),
        joint=np.zeros((0, 1), np.uint32),
        joint_first=np.zeros(3, np.int64),
        blocks=builder.blocks(),
        **builder.arrays(),
    )
    choices = public.choices
    place = np.zeros(tree.sequences, np.int64)
    for player, side in enumerate(sides):
        mine = np.flatnonzero(tree.set_player[choices.owner] == player)
        lane = lanes.set_lane[choices.owner[mine]]
        place[mine] = side.place(choices.stand_in[mine]) + lane
    chosen = np.flatnonzero(choices.stand_in == np.arange(tree.sequences))
    return SequenceForm(tree, layout, place, chosen, sides[1].end)


@dataclass(frozen=True)
class _Public:
    """A tree and its lanes."""

    tree: Tree
    lanes: Lanes
    choices: Choices


def _parts(public: _Public) -> np.ndarray:
    """[positions] int64: the part of each position of the public tree; 0 is the top."""
    tree, position = public.tree, public.lanes.position
    below = np.flatnonzero(position >= 0)
    positions, first = np.unique(position[below], return_index=True)
    above = position[tree.parent[below[first]]]
    part = np.zeros(len(positions), np.int64)
    parts = parts_of(tree)
    if parts == 0:
        return part
    weight = np.bincount(position[tree.set_node], np.diff(tree.set_first), minlength=len(positions))
    children: list[list[int]] = [[] for _ in positions]
    # A position has a larger number than the one above it.
    for p in range(len(positions) - 1, -1, -1):
        if above[p] >= 0:
            weight[above[p]] += weight[p]
            children[above[p]].append(p)
    largest = weight[above < 0].sum() / (parts * _FINENESS)
    heap = [(-weight[p], int(p)) for p in np.flatnonzero(above < 0)]
    heapq.heapify(heap)
    while heap and -heap[0][0] > largest:
        for child in children[heapq.heappop(heap)[1]]:
            heapq.heappush(heap, (-weight[child], child))
    cut = np.array([p for _, p in heap], np.int64)
    part[cut] = 1 + balanced(weight[cut], parts)
    for p in range(len(positions)):
        if above[p] >= 0 and part[above[p]] > 0:
            part[p] = part[above[p]]
    return part


@dataclass
class _Side:
    """The public tree of one player, from the place `root` on."""

    public: _Public
    part: np.ndarray
    player: int
    root: int
    end: int = 0
    """The first place after the player's."""
    first: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    """[positions]: place of the first lane of the first action; -1 where the player has none."""
    stride: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    """[positions]: places from one action to the next."""
    groups: list[list[tuple[int, int, int]]] = field(default_factory=list)
    """Part by part (base, actions, sets) of each group."""
    above: list[np.ndarray] = field(default_factory=list)
    """Places of the parents of each group's sets."""
    rows: list[np.ndarray] = field(default_factory=list)
    """Part by part the places of the first lanes, ascending."""
    stubs: list[tuple[int, int]] = field(default_factory=list)
    """First lanes of the stubs and of what they stand for."""

    def __post_init__(self) -> None:
        public, width = self.public, self.public.lanes.width
        tree, choices = public.tree, public.choices
        size = np.diff(tree.set_first)
        sets = np.flatnonzero((tree.set_player == self.player) & (size > 1))
        positions, index = np.unique(public.lanes.set_position[sets], return_index=True)
        member = sets[index]
        self.first = np.full(len(self.part), -1, np.int64)
        self.stride = np.zeros(len(self.part), np.int64)
        self.end = self.root + padded(width)
        kinds = choices.depth[member] * (int(size.max()) + 1) + size[member]
        for p in range(int(self.part.max()) + 1):
            self.groups.append([])
            self.rows.append(np.array([self.root], np.int64) if p == 0 else np.zeros(0, np.int64))
            here = np.flatnonzero(self.part[positions] == p)
            stub = self._add_stubs(p, choices.parent[member[here]]) if p else {}
            for kind in np.unique(kinds[here]):
                some = here[kinds[here] == kind]
                up = self.place(choices.parent[member[some]])
                up = np.array([stub.get(int(place), int(place)) for place in up], np.int64)
                order = np.argsort(up, kind="stable")
                n = int(size[member[some[0]]])
                self._add_group(positions[some][order], n, up[order])

    def _add_stubs(self, part: int, parents: np.ndarray) -> dict[int, int]:
        """Place a stub for each parent in the top part; gives the stub of each place."""
        width = self.public.lanes.width
        position = self.public.lanes.set_position[self.public.choices.owner[parents]]
        outside = np.unique(self.place(parents[(parents == ROOT) | (self.part[position] == 0)]))
        stub = {int(place): self.end + i * width for i, place in enumerate(outside)}
        self.stubs += [(own, place) for place, own in stub.items()]
        self.rows[part] = np.array(list(stub.values()), np.int64)
        self.end += padded(len(stub) * width)
        return stub

    def _add_group(self, positions: np.ndarray, n: int, up: np.ndarray) -> None:
        """Place positions with n actions whose parents' first lanes are at `up`."""
        width = self.public.lanes.width
        m = padded(len(positions) * width)
        self.first[positions] = self.end + width * np.arange(len(positions))
        self.stride[positions] = m
        self.groups[-1].append((self.end, n, m))
        parents = (up[:, None] + np.arange(width)).ravel()
        self.above.append(np.r_[parents, np.full(m - len(parents), self.root)])
        actions = self.first[positions] + m * np.arange(n)[:, None]
        self.rows[-1] = np.r_[self.rows[-1], actions.ravel()]
        self.end += n * m

    def place(self, sequence: np.ndarray) -> np.ndarray:
        """Place of the first lane of chosen sequences, or of the root."""
        known = np.maximum(sequence, 0)
        owner = self.public.choices.owner[known]
        position = self.public.lanes.set_position[owner]
        action = known - self.public.tree.set_first[owner]
        found = self.first[position] + action * self.stride[position]
        return np.where(sequence == ROOT, self.root, found)

    def links(self, width: int) -> np.ndarray:
        """[stubs * lanes, 2]: the stubs and what they stand for, lane by lane."""
        pairs = np.array(self.stubs, np.int64).reshape(-1, 1, 2)
        return np.asarray((pairs + np.arange(width)[None, :, None]).reshape(-1, 2))


def _numbered(sides: list[_Side]) -> np.ndarray:
    """The member `groups` of the layout."""
    groups = np.array(
        [group for side in sides for part in side.groups for group in part], np.uint64
    )
    entries = np.cumsum(groups[:, 2]) - groups[:, 2]
    return np.column_stack([groups, entries])


def _firsts(parts: Sequence[Sequence[Sequence[tuple[int, ...]]]]) -> np.ndarray:
    """[players, parts + 1]: where the parts begin in one list of what all have."""
    counts = np.array([[len(part) for part in side] for side in parts])
    ends = np.cumsum(counts).reshape(counts.shape)
    return np.hstack([ends[:, :1] - counts[:, :1], ends])


def _payoffs(public: _Public, sides: list[_Side]) -> _BlockBuilder | None:
    """The payoffs of both players; None if blocks do not pay."""
    tree, lanes = public.tree, public.lanes
    last = tree.last_sequences()[:, tree.terminal]
    chosen = np.where(last == ROOT, ROOT, public.choices.stand_in[last])
    at = [side.place(chosen[player]) for player, side in enumerate(sides)]
    pairs, block = np.unique(at[0] * sides[1].end + at[1], return_inverse=True)
    if len(pairs) * lanes.count[0] * lanes.count[1] > MOST_WORK * len(tree.terminal):
        return None
    corner = [pairs // sides[1].end, pairs % sides[1].end]
    lane = lanes.node_lane[:, tree.terminal]
    reach = tree.chance_reach()[tree.terminal]
    builder = _BlockBuilder(lanes.width)
    for player in range(2):
        dense = np.zeros((len(pairs), lanes.width, lanes.width))
        payoff = reach * tree.returns[:, player]
        np.add.at(dense, (block, lane[1 - player], lane[player]), payoff)
        builder.add(sides[player].rows, corner[player], corner[1 - player], dense)
    return builder


class _BlockBuilder:
    """Puts the blocks of both players into one set of arrays."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.runs: list[list[list[tuple[int, ...]]]] = []
        self.rows: list[np.ndarray] = []
        self.columns: list[np.ndarray] = []
        self.matrices: list[np.ndarray] = []
        self.scales: list[np.ndarray] = []
        self.numbers: list[np.ndarray] = []
        self._row_count = self._entry_count = 0

    def add(
        self, rows: list[np.ndarray], own: np.ndarray, other: np.ndarray, dense: np.ndarray
    ) -> None:
        """The blocks of a player: [blocks, other's lanes, own lanes] at the places own, other."""
        distinct, matrix, scale = _distinct(dense)
        self.runs.append([])
        for part_rows in rows:
            here = np.flatnonzero(np.isin(own, part_rows) & (scale != 0.0))
            place = np.sort(part_rows)
            row = np.searchsorted(place, own[here])
            count = np.bincount(row, minlength=len(place))
            by_count = np.argsort(count, kind="stable")
            order = here[np.lexsort((other[here], np.argsort(by_count)[row]))]
            runs = runs_of(count[by_count], self._row_count, self._entry_count)
            self.runs[-1].append([*runs])
            self._row_count += len(place)
            self._entry_count += len(order)
            self.rows.append(place[by_count])
            self.columns.append(other[order])
            self.matrices.append(matrix[order])
            self.scales.append(scale[order])
        room = 4 if self.width <= 4 else padded(self.width)
        vectors = np.zeros((*distinct.shape[:2], room))
        vectors[:, :, : self.width] = distinct
        self.numbers.append(vectors.ravel())

    def arrays(self) -> dict[str, np.ndarray]:
        """The members `runs` to `run_first` of the layout."""
        return {
            "runs": np.array([run for side in self.runs for p in side for run in p], np.uint64),
            "run_first": _firsts(self.runs),
            "rows": np.concatenate(self.rows).astype(np.uint32),
            "columns": np.concatenate(self.columns).astype(np.uint32),
            "values": np.concatenate(self.scales),
        }

    def blocks(self) -> Blocks:
        return Blocks(
            width=self.width,
            matrix=np.concatenate(self.matrices).astype(np.uint64),
            first=np.array([0, self.numbers[0].size], np.uint64),
            numbers=aligned(np.concatenate(self.numbers)),
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
