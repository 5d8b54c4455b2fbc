"""A best response that a network learns by playing against a bot, whatever the bot is.

The network is trained by PPO (solvers/neural/policy_gradient.py) with one seat, a different one
from hand to hand; all other seats are played by the bot, which does not change. What it wins is a
lower bound on what a best response wins.
"""

from __future__ import annotations

from pokerspiel.agents.agent import CompiledAgent
from pokerspiel.agents.bot_file import Bot
from pokerspiel.agents.opposition import Opposition
from pokerspiel.games.variants import Game
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
        solver = new_solver(game, "ppo", SETTINGS, seed, device, threads)
        solver.opponents = Opposition([target], game)
        self.solver = solver
        self.game = game
        self.name = f"learned responder to {target.name}"

    def bot(self) -> Bot:
        """What has been learnt so far, ready to play."""
        return Bot(self.name, self.game, self.solver.policy(), None)
