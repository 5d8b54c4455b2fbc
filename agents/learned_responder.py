"""A best response that a network learns by playing against a bot, whatever the bot is.

The network is trained by PPO (solvers/neural/policy_gradient.py) with one seat, a different one
from hand to hand; all other seats are played by the bot, which does not change. What it wins is a
lower bound on what a best response wins.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.policy import choose, decision_seed, new_work
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import CHANCE, act, next_card
from pokerspiel.games.variants import Game, exact
from pokerspiel.solvers.lockstep import Hands
from pokerspiel.solvers.neural.catalogue import new_solver

SETTINGS = {"entropy": "0.01", "learning_rate": "1e-3", "decay": "50", "clip": "0.2"}
"""Where they differ from those of self-play: there is nothing to be unpredictable for."""


class LearnedResponder:
    """Learns in the abstraction of `game` to play against `target`, which does not learn.

    Raises ValueError, in one line, if the target cannot play the game or torch is not there.
    """

    def __init__(
        self,
        target: CompiledAgent,
        game: Game,
        seed: int = 0,
        threads: int = 1,
        device: str = "auto",
    ) -> None:
        self._exact = exact(game)
        self._policy = target.policy(self._exact)
        self._work = new_work(self._exact)
        solver = new_solver(game, "ppo", SETTINGS, seed, device, threads)
        solver.opponents = self._play_on
        self.solver = solver
        self.game = game
        self.name = f"learned responder to {target.name}"

    def _play_on(self, hands: Hands, learner: np.ndarray) -> None:
        _play_on(hands, self._exact.tables, self._policy, self._work, learner)

    def bot(self) -> Bot:
        """What has been learnt so far, ready to play."""
        return Bot(self.name, self.game, self.solver.policy(), None)


@kernel
def _play_on(hands: Any, tables: Any, policy: Any, work: Any, learner: Any) -> None:
    """Play hands on until the learner must act, or they are over."""
    for h in range(len(hands.states)):
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
