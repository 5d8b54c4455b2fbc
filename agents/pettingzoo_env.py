"""Every game as a PettingZoo environment: one hand an episode, agents "seat_0", "seat_1" ...

An observation is {"observation": the numbers of `observe`, "action_mask": 1 for legal actions}, the
action mask of a seat that is not to act all zero. Rewards come at the end of the hand: big blinds,
or antes in Svara. `reset(seed)` fixes the cards of this hand and of those after it.

shimmy's wrapper of OpenSpiel games is not used: `reset` forgets the parameters of the game that it
wraps, rewards are chips, and spaces are made anew in every step, so that seeds of theirs are lost.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from gymnasium import spaces  # type: ignore[import-not-found,unused-ignore]
from pettingzoo import (  # type: ignore[import-untyped,import-not-found,unused-ignore]
    AECEnv,
)
from pettingzoo.utils import (  # type: ignore[import-untyped,import-not-found,unused-ignore]
    wrappers,
)

from pokerspiel.agents.policy import decision_seed
from pokerspiel.agents.roster import find_agent
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.agents.table.sitting import Sitting, sit_down
from pokerspiel.agents.table.telling import Telling
from pokerspiel.games import drive
from pokerspiel.games.variants import Game, load

_MOST_SEED = 1 << 63
_RENDER_MODES = ["human", "ansi"]


def env(game: str | Game = "svara", render_mode: str | None = None) -> Any:
    """The environment for learning: an illegal action ends the hand with the largest loss.

    Raises ValueError, in one line, if there is no such game.
    """
    raw = raw_env(game, render_mode)
    limits = raw.game.limits
    wrapped = wrappers.TerminateIllegalWrapper(
        raw, illegal_reward=limits.min_utility / limits.big_unit
    )
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801, the name that PettingZoo's tools expect
    """A hand of `game`; actions have the numbers of `games`, and an illegal one is a ValueError.

    `render_mode` "human" prints what has happened, all cards open, "ansi" returns it.
    """

    metadata = {  # noqa: RUF012, PettingZoo's own
        "name": "pokerspiel_v1",
        "render_modes": _RENDER_MODES,
        "is_parallelizable": False,
    }

    def __init__(self, game: str | Game = "svara", render_mode: str | None = None) -> None:
        super().__init__()
        self.game = load(game) if isinstance(game, str) else game
        if render_mode not in (None, *_RENDER_MODES):
            raise ValueError(f"render_mode={render_mode!r}: expected human, ansi or None")
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(self.game.players)]
        self._observation_spaces = {a: _observation_space(self.game) for a in self.possible_agents}
        self._action_spaces = {
            a: spaces.Discrete(self.game.limits.num_actions) for a in self.possible_agents
        }
        self._random = np.random.default_rng()
        self.number = -1
        self.hand: LiveHand | None = None

    def observation_space(self, agent: str) -> Any:
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the next hand; `options` are not used."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.hand = LiveHand(self.game, int(self._random.integers(_MOST_SEED)))
        self.number += 1
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.hand.turn]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        hand, seat = self._dealt(), self.possible_agents.index(agent)
        numbers = np.zeros(self._observation_spaces[agent]["observation"].shape, np.float32)
        drive.observe_into(hand.states, self.game.tables, seat, numbers)
        mask = np.zeros(self.game.limits.num_actions, np.int8)
        if hand.turn == seat:
            mask[hand.legal()] = 1
        return {"observation": numbers, "action_mask": mask}

    def step(self, action: int | None) -> None:
        hand, agent = self._dealt(), self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to act: expected the number of an action, not None")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        hand.play(int(action))
        if hand.is_over:
            unit = self.game.limits.big_unit
            chips = zip(self.possible_agents, hand.returns, strict=True)
            self.rewards = {agent: won / unit for agent, won in chips}
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.possible_agents[0]
        else:
            self.agent_selection = self.possible_agents[hand.turn]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        text = "\n".join(_told(self.game, self._dealt(), self.possible_agents))
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def _dealt(self) -> LiveHand:
        if self.hand is None:
            raise ValueError("no hand is dealt yet: call reset() first")
        return self.hand


def _observation_space(game: Game) -> Any:
    """Numbers are 0 to 1, but that chips on their logarithmic scale may be more."""
    limits = game.limits
    chips = (limits.max_utility - limits.min_utility) / limits.big_unit
    size = game.family.observation_size(game.parameters)
    return spaces.Dict(
        {
            "observation": spaces.Box(0.0, max(1.0, math.log2(1 + chips) / 8), (size,), np.float32),
            "action_mask": spaces.Box(0, 1, (limits.num_actions,), np.int8),
        }
    )


def _told(game: Game, hand: LiveHand, names: list[str]) -> list[str]:
    telling = Telling(game, names, None)
    return [line for step in hand.steps for line in telling.tell(step)] + telling.flush()


class Opponent:
    """A bot for seats of an environment: by name, the path of a bot file or that of a program.

    Raises ValueError, in one line, if there is none or it cannot play the game.
    """

    def __init__(self, environment: Any, bot: str) -> None:
        self._env: raw_env = environment.unwrapped
        self._agent = find_agent(bot, self._env.game)
        self._seats: dict[int, Sitting] = {}
        self._heard: dict[int, tuple[LiveHand, int]] = {}

    def action(self) -> int:
        """Its action for the agent to act, sampled from its strategy with the hand's own luck."""
        hand, number = self._env._dealt(), self._env.number
        seat = hand.turn
        if seat < 0:
            raise ValueError("the hand is over: nobody is to act")
        if seat not in self._seats:
            self._seats[seat] = sit_down(self._agent, self._env.game)
        bot, names = self._seats[seat], self._env.possible_agents
        before, its_number = self._heard.get(seat, (hand, number))
        if before is not hand:
            bot.hear(before, seat, its_number, names)
        self._heard[seat] = hand, number
        bot.hear(hand, seat, number, names)
        decisions = sum(step.seat == seat for step in hand.steps)
        return bot.choose(hand, int(decision_seed(np.uint64(hand.seed or 0), seat, decisions)))

    def close(self) -> None:
        """Let the bot go; programs end."""
        for bot in self._seats.values():
            bot.close()
