"""How each kind of agent sits at a table, where seats move on from hand to hand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from pokerspiel.agents.agent import Agent, CompiledAgent, Follower, HandAgent, Seated, ViewAgent
from pokerspiel.agents.policy import sample
from pokerspiel.agents.table.live_hand import LiveHand
from pokerspiel.games.variants import Game


class Sitting(ABC):
    """An agent at a table, one hand after the other."""

    def hear(self, hand: LiveHand, seat: int, number: int, names: Sequence[str]) -> None:  # noqa: B027
        """All that has happened in the hand, on whose seat it sits; `names` are by seat."""

    @abstractmethod
    def choose(self, hand: LiveHand, seed: int) -> int:
        """The action on the seat to act, after it has heard of the hand."""

    @abstractmethod
    def close(self) -> None:
        """Let the agent go; it is not asked any more."""


def sit_down(agent: Agent, game: Game) -> Sitting:
    """`agent` at a table. Raises ValueError, in one line, if it cannot play or be started."""
    agent.check(game)
    if isinstance(agent, CompiledAgent | ViewAgent):
        return _Deciding(agent.sit(game))
    if isinstance(agent, HandAgent):
        return _Following(agent.follow_all(game))
    raise ValueError(f"{agent.name} cannot sit at a table with people")


class _Deciding(Sitting):
    """An agent that needs no more than the state to decide."""

    def __init__(self, seated: Seated) -> None:
        self._seated = seated

    def choose(self, hand: LiveHand, seed: int) -> int:
        chances = self._seated.distribution(hand.states, hand.past, seed)
        actions = sorted(chances)
        weights = np.array([chances[action] for action in actions])
        return actions[int(sample(weights, len(actions), np.array([seed], np.uint64)))]

    def close(self) -> None:
        self._seated.close()


class _Following(Sitting):
    """An agent that follows hands; by seat."""

    def __init__(self, followers: Sequence[Follower]) -> None:
        self._followers = followers
        self._follower = followers[0]
        self._hand: LiveHand | None = None
        self._told = 0

    def hear(self, hand: LiveHand, seat: int, number: int, names: Sequence[str]) -> None:
        if hand is not self._hand:
            self._hand, self._told = hand, 0
            self._follower = self._followers[seat]
            self._follower.meet(number, names)
            self._follower.begin()
        for step in hand.steps[self._told :]:
            self._follower.tell(step.action)
        self._told = len(hand.steps)

    def choose(self, hand: LiveHand, seed: int) -> int:
        actions = hand.legal()
        return actions[0] if len(actions) == 1 else self._follower.choose(seed)

    def close(self) -> None:
        for follower in self._followers:
            follower.close()
