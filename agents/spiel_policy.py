"""Strategies of a tree as policies of OpenSpiel's, and back.

OpenSpiel knows an information set by its text. Trees of our own games keep no texts: they are read
from a state of the same OpenSpiel game, brought to one node of each set.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyspiel

from pokerspiel.agents.spiel_bot import spiel_game_of
from pokerspiel.agents.spiel_table import is_ours
from pokerspiel.games import variants
from pokerspiel.solvers.compile_tree import load_spiel_game
from pokerspiel.solvers.strategies import SUM_TOLERANCE, check_strategy
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.tree_solver import normalised


def to_tabular_policy(tree: Tree, strategy: np.ndarray) -> pyspiel.TabularPolicy:
    """The strategy [S] of all players as one policy on the OpenSpiel game of the tree.

    Keep the policy in a variable for as long as OpenSpiel works with it. Raises ValueError if
    `strategy` is no strategy of the tree.
    """
    check_strategy(tree, strategy)
    table = {}
    for i, text in enumerate(information_texts(tree)):
        start, end = tree.set_first[i : i + 2]
        actions = tree.sequence_action[start:end].tolist()
        table[text] = list(zip(actions, strategy[start:end].tolist(), strict=True))
    return pyspiel.TabularPolicy(table)


def from_tabular_policy(tree: Tree, policy: Any) -> np.ndarray:
    """[S] float64: the probabilities of a policy of OpenSpiel's on the game of the tree.

    `policy` is any `pyspiel.Policy`, or one of `open_spiel.python.policy`: what it gives through
    `action_probabilities` at one node of each information set. Raises ValueError where it gives no
    probabilities of the legal actions.
    """
    strategy = np.zeros(tree.sequences)
    for i, state in enumerate(_representatives(tree)):
        try:
            given = policy.action_probabilities(state)
        except KeyError:  # the policies of open_spiel.python, where a text is unknown
            given = {}
        chances = [float(given.get(int(action), 0.0)) for action in tree.actions(i)]
        if min(chances) < 0.0 or not abs(sum(chances) - 1.0) <= SUM_TOLERANCE:
            raise ValueError(
                f"the policy gives {dict(given)} at {state.information_state_string()!r}: expected "
                f"probabilities of {tree.actions(i).tolist()}"
            )
        strategy[tree.set_first[i] : tree.set_first[i + 1]] = chances
    return normalised(tree, strategy)


def information_texts(tree: Tree) -> Iterator[str]:
    """OpenSpiel's text for each information set, in the order of the tree."""
    if len(tree.name_first) > 1 or tree.information_sets == 0:
        yield from (tree.name(i) for i in range(tree.information_sets))
        return
    for state in _representatives(tree):
        yield state.information_state_string()


def _representatives(tree: Tree) -> Iterator[Any]:
    """For each information set a state of the OpenSpiel game that is in it."""
    game = _spiel_game(tree.game)
    for node in tree.set_node:
        state = game.new_initial_state()
        for action in tree.history(int(node)):
            state.apply_action(action)
        yield state


def _spiel_game(text: str) -> Any:
    """The pyspiel game of a tree's game string, ours or OpenSpiel's."""
    if is_ours(text):
        return spiel_game_of(variants.load(text))
    return load_spiel_game(text)
