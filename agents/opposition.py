"""Bots that do not change, as the opponents of a network that learns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.policy import choose, decision_seed, new_work
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import CHANCE, act, next_card
from pokerspiel.games.variants import Game, exact
from pokerspiel.solvers.lockstep import Hands


class Opposition:
    """Plays all seats but the learner's; each hand one bot plays all of them, the bots in turn.

    Raises ValueError, in one line, if one of them cannot play the game.
    """

    def __init__(self, bots: Sequence[CompiledAgent], game: Game) -> None:
        self._exact = exact(game)
        self._players = game.players
        self._policies = [bot.policy(self._exact) for bot in bots]
        self._work = new_work(self._exact)

    def __call__(self, hands: Hands, learner: np.ndarray) -> None:
        """Play hands on until the seats [H] of the learner must act, or they are over.

        Where the learner plays all seats its seat is -1, and nothing is done.
        """
        turns = np.arange(len(learner)) // self._players % len(self._policies)
        for number, policy in enumerate(self._policies):
            mine = np.flatnonzero((turns == number) & (learner >= 0))
            _play_on(hands, self._exact.tables, policy, self._work, learner, mine)


@kernel
def _play_on(hands: Any, tables: Any, policy: Any, work: Any, learner: Any, mine: Any) -> None:
    for h in mine:
        state = hands.states[h]
        deck = hands.decks[h]
        while state.turn >= CHANCE and state.turn != learner[h]:
            seat: Any = np.int64(state.turn)
            if seat == CHANCE:
                act(state, tables, next_card(state, tables, deck))
                continue
            seed = decision_seed(deck.seed, seat, hands.decisions[h])
            hands.decisions[h] += 1
            action, _ = choose(state, policy, work, seed, tables)
            act(state, tables, action)
