"""Svara with few cards: games that fit both into a chain of deals and into an exact tree.

Helpers for tests of what works with all hands at once.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.exact_strategy import strategy_of
from pokerspiel.games.deals import Deal, DealChain
from pokerspiel.games.variants import load
from pokerspiel.solvers.chart import DealStrategy, chart_of, chart_strategy_of
from pokerspiel.solvers.compile_tree import compile_tree
from pokerspiel.solvers.tree import Tree
from pokerspiel.solvers.vector import ChainForm, VectorCfr

TWO_SVARKAS = "mini_svara(stack=4,max_raises=1,max_svarkas=2)"
UNCOUNTED = "mini_svara(stack=4,max_svarkas=9,ranks=78A,suits=c)"
"""So many svarkas that the chain forgets how many are left."""

SMALL_DECKS = (
    "mini_svara",
    TWO_SVARKAS,
    UNCOUNTED,
    "mini_svara(stack=9,max_raises=3,blind_phase=False,max_svarkas=2)",
    "mini_svara(stack=4,max_blind_laps=2,suits=chs,ranks=7A)",
    "mini_svara(stack=5,betting=pot_limit,bet_sizes=0.5 1,ranks=7A,max_svarkas=2)",
    "mini_svara(stacks=3 7,betting=no_limit,ranks=7A,max_svarkas=2)",
    "mini_svara(stacks=7 3,max_raises=2)",
    "mini_svara(stack=3,allow_check=True,max_raises=1,ranks=7A,max_svarkas=2)",
    "mini_svara(stack=7,svarka_ante=True,max_svarkas=2,ranks=7A)",
    "mini_svara(stack=3,hole_cards=2,suits=chs,ranks=7A)",
    "mini_svara(stack=3,hole_cards=3,suits=chs,ranks=7KA,max_svarkas=0)",
)
"""One to three cards in the hand, all structures, up to two svarkas in a row, or nine."""


@lru_cache(maxsize=64)
def chain_of(game: str) -> DealChain:
    return load(game).chain_of_deals()


@lru_cache(maxsize=64)
def form_of(game: str) -> ChainForm:
    return ChainForm(chain_of(game))


@lru_cache(maxsize=64)
def exact_tree(game: str) -> Tree:
    return compile_tree(game)


def solved(game: str, iterations: int, algorithm: str = "dcfr") -> DealStrategy:
    """The average strategy after some iterations."""
    solver = VectorCfr(form_of(game), algorithm)
    solver.run(iterations)
    return solver.average_strategy()


def random_deal_strategy(chain: DealChain, seed: int) -> DealStrategy:
    """Random probabilities; about a fifth of the actions are never taken."""
    random = np.random.default_rng(seed)
    strategy = []
    for deal in chain.deals:
        rows = random.exponential(size=(deal.rows, chain.hands.classes))
        rows *= random.random(rows.shape) > 0.2
        rows[deal.first_row[:-1]] += 1e-3
        for node in np.flatnonzero(~deal.looked):
            first, end = deal.first_row[node : node + 2]
            rows[first:end] = rows[first:end, :1]
        strategy.append(normalised_rows(deal, rows))
    return strategy


def normalised_rows(deal: Deal, rows: np.ndarray) -> np.ndarray:
    """[rows, classes] that add up to 1 at each decision."""
    if deal.nodes == 0:
        return rows
    totals = np.add.reduceat(rows, deal.first_row[:-1])
    return rows / np.repeat(totals, np.diff(deal.first_row), axis=0)


def chart_bot(chain: DealChain, strategy: DealStrategy, name: str = "chart") -> Bot:
    """A bot that plays the strategy, rounded as charts are."""
    game = load(chain.game).with_parameters(abstraction="hands")
    return Bot(name, game, chart_of(chain, strategy), None)


def rounded(chain: DealChain, strategy: DealStrategy) -> DealStrategy:
    """The strategy as a chart keeps it."""
    found, missed = chart_strategy_of(chain, chart_of(chain, strategy))
    assert missed == 0
    return found


def lifted(game: str, strategy: DealStrategy) -> np.ndarray:
    """The strategy [S] of the tree of the exact game in which a chart of `strategy` comes out."""
    found, missed = strategy_of(chart_bot(chain_of(game), strategy), exact_tree(game))
    assert missed == 0
    return found


def place_of_situation(chain: DealChain) -> dict[int, tuple[int, int]]:
    """(Deal, node) of each situation."""
    return {
        int(situation): (i, node)
        for i, deal in enumerate(chain.deals)
        for node, situation in enumerate(deal.situation)
    }
