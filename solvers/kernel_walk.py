"""The tree of one of our own games, walked by the kernels: millions of nodes a second."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    TERMINAL,
    act,
    begin,
    information_key,
    legal_actions,
)
from pokerspiel.games.variants import Game
from pokerspiel.solvers.tree import TreeTooLargeError, Walk

_CARDS = 64
"""Room for the outcomes at a chance node."""

WALK_NODE = np.dtype(
    [
        ("key", np.uint64),  # information key of the player to act
        ("chance", np.float64),  # probability of the outcome that leads here
        ("parent", np.int32),
        ("action", np.int32),  # the action or card that leads here
        ("turn", np.int8),
    ],
    align=True,
)


def walk_kernel_game(game: Game, most_nodes: int) -> Walk:
    """Every node of `game`; TreeTooLargeError if there are more than `most_nodes`."""
    depth = game.limits.max_game_length + game.limits.max_chance_nodes + 1
    states = np.zeros(depth + 1, game.state_type)
    width = max(game.limits.num_actions, _CARDS)
    moves, tried = np.zeros((depth + 1, width), np.int64), np.zeros(depth + 1, np.int64)
    none, no_returns = np.zeros(0, WALK_NODE), np.zeros((0, game.players))
    nodes, terminals = _walk(states, game.tables, moves, tried, none, no_returns, most_nodes)
    if nodes > most_nodes:
        raise TreeTooLargeError(f"{game} has more than the {most_nodes:,} nodes that are allowed")
    record, returns = np.zeros(nodes, WALK_NODE), np.zeros((terminals, game.players))
    _walk(states, game.tables, moves, tried, record, returns, most_nodes)
    label, keys = _labels(record)
    return Walk(
        parent=np.ascontiguousarray(record["parent"]),
        turn=np.ascontiguousarray(record["turn"]),
        action=record["action"].astype(np.int64),
        chance=np.ascontiguousarray(record["chance"]),
        label=label,
        returns=returns,
        keys=keys,
        names=(),
    )


def _labels(record: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(Number of the information set of each node, key of each number)."""
    label = np.full(len(record), -1, np.int32)
    decisions = record["turn"] >= 0
    keys, inverse = np.unique(record["key"][decisions], return_inverse=True)
    label[decisions] = inverse
    return label, keys


@kernel(allocates=True)
def _walk(
    states: Any, tables: Any, moves: Any, tried: Any, record: Any, returns: Any, most: int
) -> tuple[int, int]:
    """Walk the tree depth first; returns how many nodes there are, and how many are terminal.

    `record` takes the nodes and `returns` the payoffs, as far as there is room. Ends above `most`
    nodes. moves[d] holds the actions or cards of the open node at depth d, ascending; tried[d] of
    them have been tried.
    """
    number = np.zeros(len(states), np.int64)
    count = np.zeros(len(states), np.int64)
    nodes = 0
    terminals = 0
    depth = 0
    chance = 1.0
    move: Any = np.int64(-1)
    begin(states[0], tables)
    while True:
        state = states[depth]
        turn: Any = np.int64(state.turn)
        n = 0
        if turn == CHANCE:
            for card in range(_CARDS):
                if state.stub >> np.uint64(card) & np.uint64(1):
                    moves[depth, n] = card
                    n += 1
        elif turn >= 0:
            n = legal_actions(state, tables, moves[depth])
        number[depth], count[depth], tried[depth] = nodes, n, 0
        if nodes < len(record):
            node = record[nodes]
            node.parent = number[depth - 1] if depth > 0 else -1
            node.turn = turn
            node.action = move
            node.chance = chance
            if turn >= 0:
                node.key = information_key(state, tables, turn)
            elif turn == TERMINAL:
                for player in range(returns.shape[1]):
                    returns[terminals, player] = state.returns[player]
        nodes += 1
        terminals += turn == TERMINAL
        while depth >= 0 and tried[depth] == count[depth]:
            depth -= 1
        if depth < 0 or nodes > most:
            return nodes, terminals
        move = moves[depth, tried[depth]]
        chance = 1.0 / count[depth] if states[depth].turn == CHANCE else 1.0
        tried[depth] += 1
        states[depth + 1] = states[depth]
        depth += 1
        act(states[depth], tables, move)
