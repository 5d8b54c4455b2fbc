"""What a bot does, and what each action is worth, at the decisions of a hand of Svara for two.

It is exact if the bot has a strategy for every deal with every hand (`deal_strategy_of`) and the
chain of deals is not too long.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pokerspiel.agents.agent import Agent, CompiledAgent
from pokerspiel.agents.deal_strategy import deal_strategy_of
from pokerspiel.agents.policy import NETWORK
from pokerspiel.games import drive
from pokerspiel.games.deals import NO_CLASS
from pokerspiel.games.variants import Game
from pokerspiel.solvers.deal_values import ChainPlay

MOST_ROWS = 8000
"""Actions of a chain of deals that are kept in memory with all hands."""
MOST_ASKED = 50_000
"""Decisions with a hand that a network is asked for."""


@dataclass(frozen=True)
class Valued:
    """A decision with the hand that is held."""

    actions: tuple[int, ...]
    chances: np.ndarray
    """[actions] what the bot does."""
    values: np.ndarray
    """[actions] chips won in the hand; NaN where the other seat never plays to this decision."""


class ExactValues:
    """The strategy of a bot for a game of Svara for two, on all seats.

    Raises ValueError if the game is not one, its chain too long, or the bot has no such strategy.
    """

    def __init__(self, agent: Agent, game: Game) -> None:
        if game.players != 2 or not hasattr(game.family, "chain_of_deals"):
            raise ValueError(f"{game} is not Svara for two")
        chain = game.chain_of_deals(MOST_ROWS)
        asked = chain.information_sets(chain.hands.classes)
        by_network = isinstance(agent, CompiledAgent) and agent.policy(game).kind == NETWORK
        if by_network and asked > MOST_ASKED:
            raise ValueError(f"{agent.name} would be asked for {asked:,} decisions")
        strategy, _ = deal_strategy_of(agent, chain)
        self.play = ChainPlay(chain, strategy)
        self.play.prepare()
        self._start = [int(chips) for chips in game.tables.rules[0]["start_stack"][:2]]
        self._tables = game.with_parameters(abstraction="hands").tables
        self._found = {
            int(situation): (number, node)
            for number, deal in enumerate(chain.deals)
            for node, situation in enumerate(deal.situation)
        }

    def at(self, states: np.ndarray) -> Valued | None:
        """The decision of the seat to act in `states[0]`; None if it is none of the chain."""
        seat = int(states[0]["turn"])
        key = int(drive.key_of(states, self._tables, seat))
        found = self._found.get(key & ~NO_CLASS)
        if found is None:
            return None
        number, node = found
        chain = self.play.chain
        deal = chain.deals[number]
        left = chain.svarkas - int(states[0]["svarkas"])
        rows = slice(int(deal.first_row[node]), int(deal.first_row[node + 1]))
        hand = 0
        if deal.looked[node]:
            hand = key & NO_CLASS
            values = self.play.action_values(number, node, np.array([hand]), left)[:, 0]
        else:
            values = self.play.blind_values(number, node, left)
        return Valued(
            tuple(int(action) for action in deal.action[rows]),
            self.play.strategy[number][rows, hand].copy(),
            values - self._start[seat],
        )
