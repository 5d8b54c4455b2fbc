"""How a match asks each kind of agent: compiled ones in batches, others hand by hand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence

import numpy as np

from pokerspiel.agents.agent import (
    Agent,
    CompiledAgent,
    Follower,
    HandAgent,
    ViewAgent,
    legal,
)
from pokerspiel.agents.batch import NOBODY, Batch, advance, play, waiting_hands
from pokerspiel.agents.policy import UNIFORM, Policy, decision_seed, new_policy, new_work, sample
from pokerspiel.games.variants import Game


def distinct_names(agents: Sequence[Agent]) -> list[str]:
    """The names of the agents, with "#2" and so on behind those that come again."""
    names: list[str] = []
    for agent in agents:
        name, number = agent.name, 1
        while name in names:
            number += 1
            name = f"{agent.name} #{number}"
        names.append(name)
    return names


def names_by_seat(names: Sequence[str], rotation: int) -> list[str]:
    """The names in the order of the seats; the player of the first one sits on seat `rotation`."""
    return [names[(seat - rotation) % len(names)] for seat in range(len(names))]


class Chair(ABC):
    """A player of the match."""

    def __init__(self, game: Game, player: int, policy: Policy, name: str) -> None:
        self.game = game
        self.player = player
        self.name = name
        self._counts = np.zeros(2, np.int64)
        self._policy = policy
        self._work = new_work(game)

    @property
    def known_policy(self) -> Policy | None:
        """The policy by which the player decides; None if nobody but itself knows."""
        return None

    @abstractmethod
    def move(self, batch: Batch) -> int:
        """Act wherever it is this player's turn; returns the number of hands not over."""

    def taken_counts(self) -> np.ndarray:
        """Decisions since the last call, and those among them that the policy missed."""
        counts = self._counts
        self._counts = np.zeros(2, np.int64)
        return counts

    def taken_faults(self) -> dict[str, int]:
        """Decisions without a good answer since the last call, by what was wrong."""
        return {}

    def notes(self) -> list[str]:
        """The faults in words."""
        return []

    def end(self, batch: Batch) -> None:  # noqa: B027, most need not be told
        """The hands of a batch are over."""

    def close(self) -> None:  # noqa: B027, most hold nothing
        """Let the player go."""

    def _advance(self, batch: Batch, player: int) -> int:
        game = self.game
        return int(
            advance(
                batch,
                game.tables,
                self._policy,
                self._work,
                player,
                game.players,
                self._counts,
            )
        )


class _CompiledChair(Chair):
    @property
    def known_policy(self) -> Policy:
        return self._policy

    def move(self, batch: Batch) -> int:
        return self._advance(batch, self.player)


class _PythonChair(Chair):
    """Asks for one decision at a time; its policy only lets cards fall."""

    def __init__(self, game: Game, player: int, name: str) -> None:
        super().__init__(game, player, new_policy(UNIFORM, game), name)

    def move(self, batch: Batch) -> int:
        self._advance(batch, NOBODY)
        waiting = np.zeros(len(batch.states), np.int64)
        n = waiting_hands(batch, self.player, self.game.players, waiting)
        for h in waiting[:n]:
            actions = legal(self.game, batch.states[h : h + 1])
            action = actions[0]
            if len(actions) > 1:
                self._counts[0] += 1
                action = self._choose(batch, int(h), actions)
            batch.decisions[h] += 1
            play(batch, h, self.game.tables, action)
        return self._advance(batch, NOBODY)

    @abstractmethod
    def _choose(self, batch: Batch, h: int, actions: list[int]) -> int: ...

    def _seed(self, batch: Batch, h: int) -> np.uint64:
        """Seed of the decision that hand `h` waits for."""
        hand = np.uint64(batch.decks["seed"][h])
        seat = int(batch.states["turn"][h])
        return np.uint64(decision_seed(hand, seat, batch.decisions[h]))


class _ViewChair(_PythonChair):
    def __init__(self, agent: ViewAgent, game: Game, player: int) -> None:
        super().__init__(game, player, agent.name)
        self._seated = agent.sit(game)

    def _choose(self, batch: Batch, h: int, actions: list[int]) -> int:
        states = batch.states[h : h + 1]
        seed = self._seed(batch, h)
        past = batch.trace[h, : batch.events[h]].tolist()
        chances = self._seated.distribution(states, past, int(seed))
        probabilities = np.array([chances[action] for action in actions])
        return actions[int(sample(probabilities, len(actions), np.array([seed], np.uint64)))]


class _HandChair(_PythonChair):
    """Tells an agent that follows the hand what happens; plays one hand at a time."""

    def __init__(self, agent: HandAgent, game: Game, player: int, names: Sequence[str]) -> None:
        super().__init__(game, player, agent.name)
        self._names = names
        self._followers: list[Follower] = []
        self._faults: Counter[str] = Counter()
        self._told = -1
        self._hand = 0
        try:
            for seat in range(game.players):
                self._followers.append(agent.follow(game, seat))
        except BaseException:
            self.close()
            raise

    def taken_faults(self) -> dict[str, int]:
        faults: Counter[str] = Counter()
        for follower in self._followers:
            faults.update(follower.faults)
        new = faults - self._faults
        self._faults = faults
        return dict(new)

    def notes(self) -> list[str]:
        notes = [note for follower in self._followers for note in follower.notes]
        return list(dict.fromkeys(notes))

    def close(self) -> None:
        for follower in self._followers:
            follower.close()

    def end(self, batch: Batch) -> None:
        """Tell the rest of a hand that is over."""
        self._follower(batch)
        self._told = -1
        self._hand += 1

    def _follower(self, batch: Batch) -> Follower:
        """The agent on its seat of this hand, told all that has happened."""
        players, rotation = self.game.players, int(batch.rotation[0])
        follower = self._followers[(self.player + rotation) % players]
        if self._told < 0:
            follower.meet(self._hand, names_by_seat(self._names, rotation))
            follower.begin()
            self._told = 0
        for event in batch.trace[0, self._told : batch.events[0]]:
            follower.tell(int(event))
        self._told = int(batch.events[0])
        return follower

    def _choose(self, batch: Batch, h: int, actions: list[int]) -> int:
        follower = self._follower(batch)
        missed = follower.misses
        action = follower.choose(int(self._seed(batch, h)))
        self._counts[1] += follower.misses - missed
        if action not in actions:
            raise ValueError(f"{self.name} plays {action}: legal are {actions}")
        return action


def new_chair(agent: Agent, game: Game, player: int, names: Sequence[str]) -> Chair:
    """The chair of the agent that is `player` of a match, among others of these names."""
    if isinstance(agent, CompiledAgent):
        return _CompiledChair(game, player, agent.policy(game), agent.name)
    if isinstance(agent, ViewAgent):
        return _ViewChair(agent, game, player)
    if isinstance(agent, HandAgent):
        return _HandChair(agent, game, player, names)
    raise TypeError(f"{agent.name} is no agent that the arena knows: {type(agent).__name__}")
