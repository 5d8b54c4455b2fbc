"""An agent as a `pyspiel.Bot`, and a `pyspiel.Bot` as an agent.

OpenSpiel hands its bots the whole state and tells them every card. An agent of this package uses
only what its seat may know of it; what a foreign bot looks at is up to the bot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from pokerspiel.agents.agent import Agent, CompiledAgent, Follower, HandAgent, ViewAgent
from pokerspiel.agents.policy import decision_seed, sample
from pokerspiel.agents.spiel_table import SpielTableBot
from pokerspiel.games.kernel import mix
from pokerspiel.games.openspiel import KernelGame
from pokerspiel.games.variants import Game, load
from pokerspiel.solvers.compile_tree import load_spiel_game

Decide = Callable[[pyspiel.State, int], dict[int, float]]
"""From a state and a seed to the probability of each legal action of the player to act."""


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """An agent on one of the seats of an OpenSpiel game; `decide` is how it plays."""

    def __init__(self, decide: Decide, players: int, player: int, seed: int) -> None:
        super().__init__()
        if not 0 <= player < players:
            raise ValueError(f"player={player} is not allowed: expected 0 to {players - 1}")
        self._decide = decide
        self._player = player
        self._hand = np.uint64(seed % (1 << 64))
        self._decisions = 0

    def player_id(self) -> int:
        return self._player

    def provides_policy(self) -> bool:
        return True

    def restart(self) -> None:
        """A new hand: its decisions get other random numbers."""
        self._hand = np.uint64(mix(self._hand, np.uint64(0)))
        self._decisions = 0

    def restart_at(self, state: pyspiel.State) -> None:
        self.restart()

    def inform_action(self, state: pyspiel.State, player: int, action: int) -> None:
        """Nothing to learn: the state says what the seat knows."""

    def get_policy(self, state: pyspiel.State) -> list[tuple[int, float]]:
        """Every legal action with its probability; empty if it is not this player's turn."""
        if state.current_player() != self._player:
            return []
        return list(self._decide(state, self._seed()).items())

    def _seed(self) -> int:
        return int(decision_seed(self._hand, self._player, self._decisions))

    def step_with_policy(self, state: pyspiel.State) -> tuple[list[tuple[int, float]], int]:
        """(`get_policy`, an action sampled from it)."""
        policy = self.get_policy(state)
        if not policy:
            return [], int(pyspiel.INVALID_ACTION)
        probabilities = np.array([probability for _, probability in policy])
        place = sample(probabilities, len(policy), np.array([self._seed()], np.uint64))
        self._decisions += 1
        return policy, policy[int(place)][0]

    def step(self, state: pyspiel.State) -> int:
        return self.step_with_policy(state)[1]


def as_spiel_bot(
    agent: Agent, game: pyspiel.Game | Game | str, player: int, seed: int = 0
) -> AgentBot:
    """`agent` as a bot on the seat `player` of an OpenSpiel game.

    The bot plays states of the same game and parameters: one of this package, or OpenSpiel's own
    for a `SpielTableBot`. Raises ValueError if the agent plays something else.
    """
    if isinstance(agent, SpielTableBot):
        return _table_bot(agent, game, player, seed)
    if not isinstance(agent, CompiledAgent | ViewAgent):
        raise ValueError(
            f"{agent.name} is a bot of OpenSpiel's already, or follows hands by itself"
        )
    if isinstance(game, str):
        game = load(game)
    if not isinstance(game, Game | KernelGame):
        raise ValueError(f"{agent.name} plays games of this package, not OpenSpiel's {game}")
    ours = game if isinstance(game, Game) else game.game
    seated = agent.sit(ours)

    def decide(state: pyspiel.State, seed: int) -> dict[int, float]:
        return seated.distribution(state.kernel_state(), state.history(), seed)

    return AgentBot(decide, ours.players, player, seed)


def _table_bot(
    agent: SpielTableBot, game: pyspiel.Game | Game | str, player: int, seed: int
) -> AgentBot:
    """A bot of one of OpenSpiel's own games."""
    if isinstance(game, Game):
        raise ValueError(agent.refusal)
    if isinstance(game, str):
        game = load_spiel_game(game)
    if not agent.spiel_game.is_game(game):
        raise ValueError(f"{agent.name} plays {agent.spiel_game}, not {game}")
    return AgentBot(lambda state, seed: agent.distribution(state), game.num_players(), player, seed)


class SpielAgent(HandAgent):
    """Bots of OpenSpiel's as an agent; `make_bot(game, player)` makes the one for a seat."""

    def __init__(
        self,
        name: str,
        make_bot: Callable[[pyspiel.Game, int], pyspiel.Bot],
        game: Game | None = None,
    ) -> None:
        super().__init__(name, game)
        self._make_bot = make_bot

    def follow(self, game: Game, seat: int) -> Follower:
        spiel_game = spiel_game_of(game)
        return _SpielFollower(self._make_bot(spiel_game, seat), spiel_game, seat)


def spiel_game_of(game: Game) -> KernelGame:
    """The OpenSpiel game of the same variant and parameters."""
    changed: dict[str, Any] = {
        parameter.name: game.parameters[parameter.name]
        for parameter in game.variant.parameters
        if game.parameters[parameter.name] != parameter.default
    }
    spiel_game: KernelGame = pyspiel.load_game(game.name, changed)
    return spiel_game


class _SpielFollower(Follower):
    """A bot with a `pyspiel.State` of its own, kept in step with the hand."""

    def __init__(self, bot: pyspiel.Bot, game: pyspiel.Game, seat: int) -> None:
        self._bot = bot
        self._game = game
        self._seat = seat
        self._state = game.new_initial_state()
        self._chosen = False

    def begin(self) -> None:
        self._state = self._game.new_initial_state()
        self._bot.restart_at(self._state)

    def tell(self, event: int) -> None:
        if not self._chosen:
            self._bot.inform_action(self._state, self._state.current_player(), event)
        self._chosen = False
        self._state.apply_action(event)

    def choose(self, seed: int) -> int:
        """The step of the bot, whose luck is its own."""
        self._chosen = True
        return int(self._bot.step(self._state))


def from_spiel_bot(
    make_bot: Callable[[pyspiel.Game, int], pyspiel.Bot], name: str, game: Game | None = None
) -> SpielAgent:
    """An agent that plays as the bots of `make_bot(game, player)` do, one for each seat.

    `game` is what the bots were made for, None if they play anything.
    """
    return SpielAgent(name, make_bot, game)
