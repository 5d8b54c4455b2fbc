"""The last betting round of a two-player game as a game by itself, from what both may hold.

Only bets are left: the tree of what everybody sees is the same whatever the hands are, and a
terminal is a fold or a showdown. Showdowns of a round differ by what is at stake alone, so that one
matrix says for all of them what share of it a hand wins from another.

A subgame is *unsafe* when it is solved for a strategy of the whole game: it takes the ranges at its
start for given, while a better opponent would come with others (Burch, Johanson and Bowling 2014;
Brown and Sandholm 2017, "Safe and nested subgame solving", bound the loss by what the opponent
could have had elsewhere).

Letters used for shapes: N_0 and N_1 hands of the seats, D_p deals of the range of seat p.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pokerspiel.games import drive
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    KIND_CALL,
    KIND_FOLD,
    KIND_RAISE,
    TERMINAL,
    act,
    action_kind,
    odds,
)
from pokerspiel.games.variants import Game

SHOWDOWN, FOLDED = -1, -2
"""Beside the seats, what `PublicTree.player` says of terminals."""
MOST_NODES = 4000
"""A round with more public nodes is not solved: each of them costs a row of numbers a hand."""
ROOT = 0


class EmptyRangesError(ValueError):
    """No two hands of the ranges can meet."""


class SubgameTooLargeError(ValueError):
    """The betting round has too many nodes."""


class PublicTree(NamedTuple):
    """The bets of a round, as everybody sees them; parents come before their children."""

    player: np.ndarray
    """[nodes] int64: the seat to act, SHOWDOWN or FOLDED."""
    action: np.ndarray
    """[nodes] int64: the action that leads to the node; -1 at the root."""
    first: np.ndarray
    """[nodes] int64: the first child; the others follow it, actions ascending."""
    choices: np.ndarray
    """[nodes] int64: number of children."""
    chips: np.ndarray
    """[nodes] float64: what seat 0 wins where somebody folded; what is at stake in a showdown."""

    def child(self, node: int, action: int) -> int:
        """The node behind an action; ValueError if it is not legal at `node`."""
        first = int(self.first[node])
        actions = self.action[first : first + int(self.choices[node])].tolist()
        if action not in actions:
            raise ValueError(f"action {action} at node {node}: legal are {actions}")
        return first + int(actions.index(action))


class Range(NamedTuple):
    """What a seat may hold at the start of a subgame, and how likely that is."""

    states: np.ndarray
    """[D_p] records of the game with the hand; those of the other seats do not count."""
    held: np.ndarray
    """[D_p] uint64: the cards of the hand, as a bit mask."""
    seen: np.ndarray
    """[D_p] uint64: other cards that this seat alone knows, such as its discards."""
    weights: np.ndarray
    """[D_p] the chance that the seat comes here with the hand; of any scale."""


@dataclass(frozen=True)
class Subgame:
    """A betting round with the hands that both seats may hold.

    Raises ValueError if the ranges are no chances, or if no two hands can meet.
    """

    tree: PublicTree
    weights: tuple[np.ndarray, np.ndarray]
    """[N_0] and [N_1] float64: how likely a seat comes here with each hand; of any scale."""
    showdown: np.ndarray
    """[N_0, N_1] float32: share of the stake that seat 0 wins, -1 to 1; 0 where hands clash."""
    meets: np.ndarray
    """[N_0, N_1] float32: 1 where both hands can be dealt together, 0 where they share a card."""
    hand_of_deal: tuple[np.ndarray, np.ndarray]
    """[D_0] and [D_1] int64: the hand of each deal of the ranges it was built from."""

    def __post_init__(self) -> None:
        for seat, weights in enumerate(self.weights):
            if not np.isfinite(weights).all() or weights.min(initial=0.0) < 0.0:
                raise ValueError(f"weights of seat {seat}: expected numbers of 0 or more")
        if not self.chance > 0.0:
            raise EmptyRangesError("no hand of seat 0 can meet one of seat 1: the ranges are empty")

    @property
    def chance(self) -> float:
        """Sum over the pairs of hands that can meet of the product of their weights."""
        return float(self.weights[0] @ self.meets @ self.weights[1])


def build_subgame(game: Game, ranges: tuple[Range, Range]) -> Subgame:
    """The subgame at the public point where all states of the ranges stand.

    Two hands meet if they, and the cards that their seats have seen besides, have none in common.
    Deals in which a seat holds and has seen the same are one hand, whose weights add up.

    What a showdown pays follows from the returns of the game, played out for all pairs of hands in
    the largest pot; smaller ones are shared alike, up to odd chips.

    Raises ValueError, in one line, if the point is not one of the last betting round of two
    players, and SubgameTooLargeError if the round is too large.
    """
    _check_point(game, ranges)
    nodes = _expand(game, ranges[0].states[:1])
    hands = _different_hands(ranges[0]), _different_hands(ranges[1])
    meets = (hands[0].cards[:, None] & hands[1].cards[None, :]) == 0
    showdown, chips = _showdowns(game, nodes, hands, meets)
    tree = PublicTree(
        np.array([node.player for node in nodes]),
        np.array([node.path[-1] if node.path else -1 for node in nodes]),
        np.array([node.first for node in nodes]),
        np.array([node.choices for node in nodes]),
        chips,
    )
    return Subgame(
        tree,
        (hands[0].weights, hands[1].weights),
        showdown,
        meets.astype(np.float32),
        (hands[0].of_deal, hands[1].of_deal),
    )


def _check_point(game: Game, ranges: tuple[Range, Range]) -> None:
    if game.players != 2:
        raise ValueError(f"{game} has {game.players} players: a subgame needs 2")
    for seat, hands in enumerate(ranges):
        if len(hands.states) == 0:
            raise ValueError(f"no hands of seat {seat}: a subgame needs at least one")
    first = ranges[0].states[0]
    if first["turn"] < 0:
        raise ValueError("nobody is to act: a subgame begins with a decision")
    for name in ("history", "turn"):
        if any((hands.states[name] != first[name]).any() for hands in ranges):
            raise ValueError(f"deals with different {name}: expected one public point for all")


@dataclass
class _Node:
    path: tuple[int, ...]
    state: np.ndarray
    player: int
    first: int = 0
    choices: int = 0


def _expand(game: Game, root: np.ndarray) -> list[_Node]:
    """All nodes of the round, breadth first."""
    nodes = [_Node((), root.copy(), int(root[0]["turn"]))]
    actions = np.zeros(game.limits.num_actions, np.int64)
    for node in nodes:
        if node.player < 0:
            continue
        node.first = len(nodes)
        node.choices = int(drive.list_actions(node.state, game.tables, actions))
        if len(nodes) + node.choices > MOST_NODES:
            raise SubgameTooLargeError(
                f"the betting round has more than {MOST_NODES} nodes: too large to be solved"
            )
        nodes += [_act(game, node, int(action)) for action in actions[: node.choices]]
    return nodes


def _act(game: Game, node: _Node, action: int) -> _Node:
    kind = int(_kind_of(node.state, game.tables, action))
    if kind not in (KIND_FOLD, KIND_CALL, KIND_RAISE):
        name = game.action_name(node.state[0], action)
        raise ValueError(f"{name!r} is legal: only the last round of bets can be solved")
    state = node.state.copy()
    turn, _ = drive.apply_action(state, game.tables, action)
    if turn == CHANCE:
        raise ValueError("cards still fall: only the last betting round can be solved")
    player = int(turn)
    if turn == TERMINAL:
        player = FOLDED if kind == KIND_FOLD else SHOWDOWN
    return _Node((*node.path, action), state, player)


class _Hands(NamedTuple):
    """The different hands of a seat."""

    cards: np.ndarray
    """[N] uint64: cards that the other seat cannot have."""
    states: np.ndarray
    """[N] a record with the hand."""
    weights: np.ndarray
    """[N]"""
    of_deal: np.ndarray
    """[D] number of the hand in each deal."""


def _different_hands(range_: Range) -> _Hands:
    both = np.stack([range_.held, range_.seen], axis=1)
    _, deal, number = np.unique(both, axis=0, return_index=True, return_inverse=True)
    number = number.ravel()
    weights = np.bincount(number, weights=range_.weights, minlength=len(deal))
    return _Hands((range_.held | range_.seen)[deal], range_.states[deal], weights, number)


def _showdowns(
    game: Game, nodes: list[_Node], hands: tuple[_Hands, _Hands], meets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(Share of the stake that seat 0 wins [N_0, N_1] float32, chips of each node)."""
    chips = np.array([float(node.state[0]["returns"][0]) for node in nodes])
    ends = [i for i, node in enumerate(nodes) if node.player == SHOWDOWN]
    if not ends:
        return np.zeros(meets.shape, np.float32), chips
    largest = max(ends, key=lambda i: int(_pot(nodes[i].state)))
    one, other = hands[0].states, hands[1].states
    wins = _returns(game, nodes[largest].path, one, other, meets)
    i, j = np.unravel_index(np.abs(wins).argmax(), wins.shape)
    one, other, meets = one[i : i + 1], other[j : j + 1], np.ones((1, 1), np.bool_)
    for end in ends:
        chips[end] = np.abs(_returns(game, nodes[end].path, one, other, meets)[0, 0])
    if chips[largest] > 0.0:
        wins /= chips[largest]
    return wins.astype(np.float32), chips


def _returns(
    game: Game, path: tuple[int, ...], one: np.ndarray, other: np.ndarray, meets: np.ndarray
) -> np.ndarray:
    """[N_0, N_1] float64: what seat 0 wins at the end of `path`; 0 where hands clash.

    The records are those of `one`, with all that belongs to seat 1 from `other`: the second entry
    of all fields that are arrays. Those that everybody sees are the same in both.
    """
    state = one[:1].copy()
    out = np.zeros(meets.shape)
    ended = _play_pairs(
        state,
        _bytes(state)[0],
        game.tables,
        (_bytes(one), _bytes(other), meets),
        _bytes_of_entry(one.dtype, 1),
        np.array(path, np.int64),
        out,
    )
    if not ended:
        raise ValueError("the hand goes on after some showdowns: no last betting round")
    return out


def _bytes(states: np.ndarray) -> np.ndarray:
    """[states, bytes of a record], in the same memory."""
    return states.view(np.uint8).reshape(len(states), -1)


def _bytes_of_entry(record: np.dtype[Any], entry: int) -> np.ndarray:
    """Places, in a record, of the bytes of entry `entry` of all fields that are arrays."""
    places: list[int] = []
    for field, offset, *_ in (record.fields or {}).values():
        if field.shape and field.shape[0] > entry:
            size = field.itemsize // field.shape[0]
            start = offset + entry * size
            places += range(start, start + size)
    return np.array(places, np.int64)


@kernel
def _kind_of(states: Any, tables: Any, action: int) -> int:
    return action_kind(states[0], tables, action)


@kernel
def _pot(states: Any) -> int:
    return odds(states[0], 0)[1]


@kernel(allocates=True)
def _play_pairs(
    states: Any, room: Any, tables: Any, pairs: Any, seat: Any, path: Any, out: Any
) -> bool:
    """Write what seat 0 wins at the end of `path`; False if the hand is not over there.

    `room` are the bytes of `states[0]`, `seat` the places of those that belong to seat 1.
    """
    one, other, meets = pairs
    for i in range(len(one)):
        for j in range(len(other)):
            if meets[i, j]:
                room[:] = one[i]
                for place in seat:
                    room[place] = other[j, place]
                for action in path:
                    act(states[0], tables, action)
                if states[0].turn != TERMINAL:
                    return False
                out[i, j] = states[0].returns[0]
    return True
