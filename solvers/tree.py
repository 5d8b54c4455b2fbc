"""A small game as flat arrays: its tree in level order, and its information sets.

Letters used for shapes: N nodes, T terminal nodes, I information sets, S sequences, P players.

Nodes are numbered level by level from the root, the children of a node one after the other, so that
a pass forwards over the arrays meets parents first, and a pass backwards children first.

A *sequence* is an action at an information set (von Stengel 1996): sequence `set_first[i] + a` is
action number `a` of set i. With perfect recall a player has exactly one way to reach a set: its own
sequence before it, `set_parent[i]`. `make_tree` checks this and all else that solvers rely on, and
names the information set, or the node, that breaks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import CHANCE, TERMINAL

ROOT = -1
"""Instead of a sequence: the player has not acted yet."""

CHANCE_TOLERANCE = 1e-9
"""How far the chances at a node may be from a sum of 1."""


class TreeError(ValueError):
    """A game that no solver here can work on."""


class ImperfectRecallError(TreeError):
    """An information set in which a player forgets what it did or knew."""


class ActionsDifferError(TreeError):
    """An information set whose nodes have different legal actions."""


class ChanceError(TreeError):
    """A chance node whose probabilities are no distribution."""


class TreeTooLargeError(TreeError):
    """A game whose tree does not fit into memory."""


@dataclass(frozen=True)
class Tree:
    """A game tree. All arrays are read only."""

    game: str
    """Game string, as OpenSpiel writes it."""
    unit: str
    """The unit of reports: "ante" or "big blind", or "utility" where the game does not say."""
    big_unit: float
    """Returns, in chips, that make one such unit: 1 where the game does not say."""
    players: int

    turn: np.ndarray
    """[N] int8: the player to act, CHANCE or TERMINAL."""
    parent: np.ndarray
    """[N] int32; -1 at the root."""
    first_child: np.ndarray
    """[N] uint32."""
    children: np.ndarray
    """[N] uint32: number of children."""
    action: np.ndarray
    """[N] int64: the action, or the outcome of chance, that leads from the parent to the node."""
    chance: np.ndarray
    """[N] float64: its probability where the parent is a chance node, else 1."""
    information_set: np.ndarray
    """[N] int32; -1 at chance and terminal nodes."""
    level: np.ndarray
    """[levels + 1] int64: first node of each level."""
    terminal: np.ndarray
    """[T] uint32: the terminal nodes."""
    returns: np.ndarray
    """[T, P] float64: what each player wins there."""

    set_player: np.ndarray
    """[I] int8."""
    set_first: np.ndarray
    """[I + 1] int64: first sequence of each set."""
    set_parent: np.ndarray
    """[I] int64: the player's own sequence before the set, or ROOT."""
    set_node: np.ndarray
    """[I] uint32: one node of each set, the first."""
    set_key: np.ndarray
    """[I] uint64: the kernels' information key, or the hash of OpenSpiel's text for the set."""
    names: np.ndarray
    """uint8: OpenSpiel's texts for the sets, one after the other; empty if not known."""
    name_first: np.ndarray
    """[I + 1] int64, or [1] if the names are not known."""

    @property
    def nodes(self) -> int:
        return len(self.turn)

    @property
    def information_sets(self) -> int:
        return len(self.set_player)

    @property
    def sequences(self) -> int:
        return int(self.set_first[-1])

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(v.nbytes for v in vars(self).values() if isinstance(v, np.ndarray))

    @cached_property
    def sequence_action(self) -> np.ndarray:
        """[S] int64: the action of each sequence."""
        sizes = np.diff(self.set_first)
        first = self.first_child[self.set_node].astype(np.int64)
        shift = np.repeat(first - self.set_first[:-1], sizes)
        return np.asarray(self.action[shift + np.arange(self.sequences)])

    def actions(self, information_set: int) -> np.ndarray:
        """The legal actions of a set, ascending."""
        return self.sequence_action[
            self.set_first[information_set] : self.set_first[information_set + 1]
        ]

    def name(self, information_set: int) -> str:
        """OpenSpiel's text for a set, or its key where the tree was made by the kernels."""
        if len(self.name_first) == 1:
            return f"#{int(self.set_key[information_set]):016x}"
        start, end = self.name_first[information_set : information_set + 2]
        return self.names[start:end].tobytes().decode()

    def history(self, node: int) -> list[int]:
        """The actions and outcomes of chance that lead to a node."""
        path = []
        while self.parent[node] >= 0:
            path.append(int(self.action[node]))
            node = int(self.parent[node])
        return path[::-1]

    def last_sequences(self) -> np.ndarray:
        """[P, N] int64: the last sequence of each player on the way to each node, or ROOT."""
        out = np.full((self.players, self.nodes), ROOT, np.int64)
        _last_sequences(
            self.turn, self.parent, self.first_child, self.information_set, self.set_first, out
        )
        return out

    def chance_reach(self) -> np.ndarray:
        """[N] float64: probability that chance plays to each node."""
        out = self.chance.copy()
        _multiply_down(self.parent, out)
        return out


@kernel
def _last_sequences(
    turn: Any, parent: Any, first_child: Any, information_set: Any, set_first: Any, out: Any
) -> None:
    for node in range(1, len(turn)):
        above = parent[node]
        for player in range(len(out)):
            out[player, node] = out[player, above]
        if turn[above] >= 0:
            place = node - np.int64(first_child[above])
            out[turn[above], node] = set_first[information_set[above]] + place


@kernel
def _multiply_down(parent: Any, values: Any) -> None:
    for node in range(1, len(parent)):
        values[node] *= values[parent[node]]


@dataclass(frozen=True)
class Walk:
    """The nodes of a game in the order of a depth-first walk, children ascending."""

    parent: np.ndarray
    """[N] int32: number of the parent in this order; -1 at the root."""
    turn: np.ndarray
    """[N] int8."""
    action: np.ndarray
    """[N] int64."""
    chance: np.ndarray
    """[N] float64."""
    label: np.ndarray
    """[N] int32: number of the information set; -1 at chance and terminal nodes."""
    returns: np.ndarray
    """[T, P] float64, in the order of the terminal nodes."""
    keys: np.ndarray
    """[I] uint64: key of each label."""
    names: Sequence[str]
    """Text of each label, or nothing."""


def make_tree(game: str, unit: str, big_unit: float, players: int, walk: Walk) -> Tree:
    """The tree of a walk. Raises a TreeError that names what is wrong with the game."""
    if len(walk.keys) == 0:
        raise TreeError(f"{game} has no decisions: there is nothing to solve")
    depth = np.zeros(len(walk.parent), np.int32)
    _depths(walk.parent, depth)
    # In a depth-first walk the nodes of one depth come in the order of their parents.
    order = np.argsort(depth, kind="stable")
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    parent = walk.parent[order]
    parent[1:] = place[parent[1:]]
    turn = walk.turn[order]
    children = np.bincount(parent[1:], minlength=len(order)).astype(np.uint32)
    first_child = (1 + np.cumsum(children) - children).astype(np.uint32)
    terminal_in_walk = np.flatnonzero(walk.turn == TERMINAL)
    by_level = np.argsort(place[terminal_in_walk])
    label = walk.label[order]
    sets, set_node = _order_of_sets(label, turn)
    number = np.full(len(walk.keys), -1, np.int32)
    number[sets] = np.arange(len(sets), dtype=np.int32)
    information_set = np.where(label >= 0, number[label], -1).astype(np.int32)
    set_first = np.zeros(len(sets) + 1, np.int64)
    np.cumsum(children[set_node], out=set_first[1:])
    names, name_first = _pack_names([walk.names[i] for i in sets] if walk.names else [])
    tree = Tree(
        game=game,
        unit=unit,
        big_unit=big_unit,
        players=players,
        turn=turn,
        parent=parent,
        first_child=first_child,
        children=children,
        action=walk.action[order],
        chance=walk.chance[order],
        information_set=information_set,
        level=np.r_[0, np.cumsum(np.bincount(depth))],
        terminal=place[terminal_in_walk[by_level]].astype(np.uint32),
        returns=np.ascontiguousarray(walk.returns[by_level]),
        set_player=turn[set_node],
        set_first=set_first,
        set_parent=np.full(len(sets), ROOT, np.int64),
        set_node=set_node,
        set_key=walk.keys[sets],
        names=names,
        name_first=name_first,
    )
    _check_chances(tree)
    _check_actions(tree)
    _check_recall(tree)
    return freeze(tree)


def freeze(tree: Tree) -> Tree:
    """The tree, with its arrays made read only."""
    for value in vars(tree).values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return tree


@kernel
def _depths(parent: Any, depth: Any) -> None:
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1


def _order_of_sets(label: np.ndarray, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(The labels by player, then by first appearance in level order; their first nodes)."""
    labels, first = np.unique(label, return_index=True)
    keep = labels >= 0
    labels, first = labels[keep], first[keep]
    order = np.lexsort((first, turn[first]))
    return labels[order], first[order].astype(np.uint32)


def _pack_names(names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    encoded = [name.encode() for name in names]
    first = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(name) for name in encoded], out=first[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), first


def _check_chances(tree: Tree) -> None:
    nodes = np.flatnonzero(tree.turn == CHANCE)
    below = tree.chance[1:][tree.turn[tree.parent[1:]] == CHANCE]
    totals = np.zeros(tree.nodes)
    np.add.at(totals, tree.parent[1:][tree.turn[tree.parent[1:]] == CHANCE], below)
    wrong = nodes[np.abs(totals[nodes] - 1.0) > CHANCE_TOLERANCE]
    if len(wrong):
        raise ChanceError(
            f"{tree.game}: the chances after the history {tree.history(int(wrong[0]))} add up to "
            f"{totals[wrong[0]]:.12g}, expected 1 ({len(wrong)} of {len(nodes)} chance nodes)"
        )
    if len(below) and below.min() < 0.0:
        raise ChanceError(f"{tree.game}: an outcome has the probability {below.min():g}")


def _check_actions(tree: Tree) -> None:
    nodes = np.flatnonzero(tree.information_set >= 0)
    sets = tree.information_set[nodes]
    first = tree.set_node[sets]
    wrong = (tree.children[nodes] != tree.children[first]) | (tree.turn[nodes] != tree.turn[first])
    same = nodes[~wrong]
    sizes = tree.children[same].astype(np.int64)
    run = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    ours = np.repeat(tree.first_child[same].astype(np.int64), sizes) + run
    theirs = np.repeat(tree.first_child[first[~wrong]].astype(np.int64), sizes) + run
    differ = np.repeat(same, sizes)[tree.action[ours] != tree.action[theirs]]
    bad = np.union1d(sets[wrong], tree.information_set[differ])
    if len(bad):
        raise ActionsDifferError(
            f"{tree.game}: {len(bad)} of {tree.information_sets} information sets have nodes with "
            f"different players or legal actions, the first is {tree.name(int(bad[0]))!r}"
        )


def _check_recall(tree: Tree) -> None:
    """Fill `set_parent`, or raise ImperfectRecallError."""
    nodes = np.flatnonzero(tree.information_set >= 0)
    last = tree.last_sequences()[tree.turn[nodes], nodes]
    sets = tree.information_set[nodes]
    tree.set_parent[sets[::-1]] = last[::-1]
    bad = np.unique(sets[tree.set_parent[sets] != last])
    if len(bad):
        raise ImperfectRecallError(
            f"{tree.game}: no perfect recall: in {len(bad)} of {tree.information_sets} information "
            f"sets the player forgets what it did or knew, the first is {tree.name(int(bad[0]))!r}"
        )
