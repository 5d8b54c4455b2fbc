"""What an agent does at every information set of a small game, as a strategy of its tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.agents.agent import Agent, CompiledAgent
from pokerspiel.agents.policy import (
    EQUITY,
    MISSED,
    NETWORK,
    Policy,
    lifted_probabilities,
    members_of,
    new_work,
)
from pokerspiel.agents.spiel_table import SpielGame, SpielTableBot, is_ours
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import act, begin
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.best_response import Evaluator
from pokerspiel.solvers.strategies import (
    mixed_strategy,
    strategy_from_blueprint,
    uniform_strategy,
)
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import normalised


def strategy_of(agent: Agent, tree: Tree) -> tuple[np.ndarray, int]:
    """(The agent's strategy [S], number of sets that its table does not hold, played at random).

    `tree` is that of the exact game, whatever abstraction a bot has learnt in. Raises ValueError if
    the agent does not play the game, or decides by sampling, so that it has no such strategy.
    """
    check_plays(agent, tree.game)
    if isinstance(agent, SpielTableBot):
        return strategy_from_blueprint(tree, agent.blueprint)
    if not is_ours(tree.game):
        return uniform_strategy(tree), 0
    if not isinstance(agent, CompiledAgent):
        raise ValueError(f"{agent.name} is no bot with a table: its strategy is not known")
    return _lifted_strategy(agent, tree)


def values_against(response: np.ndarray, target: Agent, tree: Tree) -> np.ndarray:
    """[players] what a strategy [S] wins in each seat while all others play as `target`, in chips.

    Exactly, on the tree of the exact game. Raises ValueError if the target has no exact strategy.
    """
    theirs, _ = strategy_of(target, tree)
    player = np.repeat(tree.set_player, np.diff(tree.set_first))
    evaluator = Evaluator(tree)
    return np.array(
        [
            evaluator.evaluate(np.where(player == seat, response, theirs)).values[seat]
            for seat in range(tree.players)
        ]
    )


def check_plays(agent: Agent, text: str) -> None:
    """Raise ValueError, in one line, if the agent does not play the game of a game string."""
    if isinstance(agent, SpielTableBot):
        if is_ours(text) or not agent.spiel_game.is_game(SpielGame(text).spiel_game):
            raise ValueError(f"{agent.name} plays {agent.spiel_game}, not {text}")
    elif is_ours(text):
        agent.check(load(text))
    elif agent.game is not None:
        raise ValueError(f"{agent.name} plays {agent.game}, not {text}")
    elif agent.name != "random":
        raise ValueError(f"{agent.name} plays this package's games: {text} is one of OpenSpiel's")


def _lifted_strategy(agent: CompiledAgent, tree: Tree) -> tuple[np.ndarray, int]:
    """What the agent's policy comes to in the exact game, from one node of each set."""
    game = load(tree.game)
    policy = agent.policy(game)
    if policy.kind == EQUITY:
        raise ValueError(
            f"{agent.name} samples what its hand is worth, so that its strategy is not known "
            "exactly: measure it with a match"
        )
    if policy.kind == NETWORK and len(policy.network.up_to) > 1:
        members = members_of(policy)
        weights = np.diff(policy.network.up_to, prepend=0.0)
        strategies = (_strategy_of_policy(member, game, tree)[0] for member in members)
        return mixed_strategy(tree, strategies, weights.tolist()), 0
    return _strategy_of_policy(policy, game, tree)


def _strategy_of_policy(policy: Policy, game: Game, tree: Tree) -> tuple[np.ndarray, int]:
    strategy = np.zeros(tree.sequences)
    path = np.zeros(len(tree.level), np.int64)
    missed = _lift(
        game.new_states(),
        game.tables,
        policy,
        new_work(game),
        (tree.parent, tree.action, tree.set_node, tree.set_first, tree.sequence_action),
        path,
        np.zeros(game.limits.num_actions),
        strategy,
    )
    return normalised(tree, strategy), int(missed)


@kernel
def _lift(
    states: Any,
    tables: Any,
    policy: Any,
    work: Any,
    tree: Any,
    path: Any,
    chances: Any,
    strategy: Any,
) -> int:
    """Write the policy's probabilities of each sequence; returns how many sets it missed.

    `path` has room for the actions from the root to a node, `chances` for one of each action.
    """
    parent, moves, set_node, set_first, sequence_action = tree
    missed = 0
    for i in range(len(set_node)):
        node: Any = np.int64(set_node[i])
        depth = 0
        while parent[node] >= 0:
            path[depth] = moves[node]
            depth += 1
            node = np.int64(parent[node])
        begin(states[0], tables)
        for place in range(depth - 1, -1, -1):
            act(states[0], tables, path[place])
        found = lifted_probabilities(states, policy, work, np.uint64(0), tables, chances)
        missed += found == MISSED
        for sequence in range(set_first[i], set_first[i + 1]):
            strategy[sequence] = chances[sequence_action[sequence]]
    return missed
