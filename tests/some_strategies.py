"""Strategies for the tests of solvers, and their form for the reference of best responses."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel

from pokerspiel.agents.spiel_policy import information_texts
from pokerspiel.solvers.compile_tree import load_spiel_game
from pokerspiel.solvers.tree import Tree
from tests.reference.best_response import Policy


def random_strategy(tree: Tree, seed: int) -> np.ndarray:
    """[S]: random probabilities; about a fifth of the actions are hardly ever taken, or never."""
    random = np.random.default_rng(seed)
    weights = random.exponential(size=tree.sequences) * (random.random(tree.sequences) > 0.2)
    weights[tree.set_first[:-1]] += 1e-3
    totals = np.add.reduceat(weights, tree.set_first[:-1])
    return np.asarray(weights / np.repeat(totals, np.diff(tree.set_first)))


def reference_policy(tree: Tree, strategy: np.ndarray) -> Policy:
    """The strategy by player and information state string."""
    policy = {}
    for i, text in enumerate(information_texts(tree)):
        start, end = tree.set_first[i : i + 2]
        chances = dict(zip(tree.actions(i).tolist(), strategy[start:end].tolist(), strict=True))
        policy[int(tree.set_player[i]), text] = chances
    return policy


@lru_cache(maxsize=8)
def spiel_game(text: str) -> Any:
    """The OpenSpiel game of a game string, whose states are kept once they are reached."""
    return pyspiel.convert_to_cached_tree(load_spiel_game(text))
