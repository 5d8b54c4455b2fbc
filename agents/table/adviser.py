"""A bot that is asked what it would do: its frequencies, and what its actions are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np

from pokerspiel.agents.agent import Agent, CompiledAgent, Seated, ViewAgent, legal
from pokerspiel.agents.policy import (
    EQUITY,
    FORCED,
    KNOWN,
    MISSED,
    NETWORK,
    Policy,
    lifted_probabilities,
    members_of,
    new_work,
)
from pokerspiel.agents.river_resolver import RiverResolver
from pokerspiel.agents.table.exact_values import ExactValues, Valued
from pokerspiel.agents.translation import Translated
from pokerspiel.games import drive
from pokerspiel.games.kernel import mix
from pokerspiel.games.variants import Game, exact, load

FOUND = {FORCED: "only", KNOWN: "known", MISSED: "missed"}
"""How a decision was found: see `policy`."""

SAMPLES = 64
"""Times that a bot is asked which samples what its hand is worth."""
TRIES = 40
"""Times that a bot is asked which says no probabilities."""
MOST_KEPT = 16
"""Advisers kept in memory."""


@dataclass(frozen=True)
class Chances:
    """What a bot does at a decision."""

    of: dict[int, float]
    """Probability of each legal action."""
    found: str
    """ "known", "missed" or "only": its own decision, a default since it has none, no choice."""


class Adviser:
    """A bot for a game, to be asked by several threads.

    Raises ValueError, in one line, if the bot cannot play the game or cannot say what it would do.
    """

    def __init__(self, agent: Agent, game: Game) -> None:
        self.agent = agent
        self.game = exact(game)
        agent.check(self.game)
        self.policy: Policy | None = None
        """What plays on in play-outs."""
        self.plays_on = agent.name
        self.is_tried = isinstance(agent, Translated)
        """Whether the frequencies are those of some decisions that it makes."""
        self._seated: Seated | None = None
        if isinstance(agent, CompiledAgent):
            self.policy = agent.policy(self.game)
        elif isinstance(agent, RiverResolver):
            self.policy = agent.bot.policy(self.game)
            self.plays_on = agent.bot.name
        elif isinstance(agent, ViewAgent):
            self._seated = agent.sit(self.game)
        elif not isinstance(agent, Translated):
            raise ValueError(f"{agent.name} gives no advice: it does not say how it decides")
        self._lock = Lock()
        self._exact: ExactValues | None = None
        self._tried = False

    def chances(self, states: np.ndarray, past: Sequence[int]) -> Chances:
        """What the bot does in the place of the seat to act, after the cards and actions `past`.

        The same for all hands that look alike to the seat. A mixture of networks gives the mean of
        its members, each as likely as it would have come here by the seat's own actions.
        """
        if isinstance(self.agent, Translated):
            return self._tried_chances(self.agent, states, past)
        if isinstance(self.agent, RiverResolver):
            resolving = self.agent.follow(self.game, int(states[0]["turn"]))
            for event in past:
                resolving.tell(event)
            resolved = resolving.resolved()
            if resolved is not None:
                return Chances(resolved, FOUND[FORCED if len(resolved) == 1 else KNOWN])
        if self.policy is None:
            assert self._seated is not None
            chances = self._seated.distribution(states, past, self.seed_of(states))
            return Chances(chances, FOUND[FORCED if len(chances) == 1 else KNOWN])
        if self.policy.kind == NETWORK and len(self.policy.network.up_to) > 1:
            return self._chances_of_mixture(self.policy, states, past)
        times = SAMPLES if self.policy.kind == EQUITY else 1
        seed = np.uint64(self.seed_of(states))
        seeds = [int(mix(seed, np.uint64(i))) for i in range(times)]
        asked = [self._asked(self.policy, states, one) for one in seeds]
        mean = np.mean([chances for chances, _ in asked], axis=0)
        of = {action: float(mean[action]) for action in legal(self.game, states)}
        return Chances(of, FOUND[asked[0][1]])

    def _tried_chances(self, agent: Translated, states: np.ndarray, past: Sequence[int]) -> Chances:
        """How often a bot that has to be followed decides for each action."""
        seat = int(states[0]["turn"])
        actions = legal(self.game, states)
        if len(actions) == 1:
            return Chances({actions[0]: 1.0}, FOUND[FORCED])
        times = dict.fromkeys(actions, 0)
        missed = 0
        for i in range(TRIES):
            follower = agent.follow(self.game, seat)
            follower.begin()
            for event in past:
                follower.tell(event)
            times[follower.choose(int(mix(np.uint64(self.seed_of(states)), np.uint64(i))))] += 1
            missed += follower.misses
        of = {action: n / TRIES for action, n in times.items()}
        return Chances(of, FOUND[MISSED if missed > TRIES // 2 else KNOWN])

    def seed_of(self, states: np.ndarray) -> int:
        """A seed that is a function of what the seat to act knows."""
        seat = int(states[0]["turn"])
        return int(drive.key_of(states, self.game.tables, seat))

    def _asked(self, policy: Policy, states: np.ndarray, seed: int) -> tuple[np.ndarray, int]:
        """(Probability of each action number, how it was found)."""
        out = np.zeros(self.game.limits.num_actions)
        work = new_work(self.game)
        found = lifted_probabilities(states, policy, work, np.uint64(seed), self.game.tables, out)
        return out, int(found)

    def _chances_of_mixture(
        self, policy: Policy, states: np.ndarray, past: Sequence[int]
    ) -> Chances:
        seat = int(states[0]["turn"])
        shares = np.diff(policy.network.up_to, prepend=0.0)
        members = members_of(policy)
        reach = shares.copy()
        for before, action in self._own_decisions(seat, past):
            reach *= [self._asked(member, before, 0)[0][action] for member in members]
        if not reach.any():
            reach = shares
        asked = [self._asked(member, states, 0) for member in members]
        mean = reach @ np.array([chances for chances, _ in asked]) / reach.sum()
        of = {action: float(mean[action]) for action in legal(self.game, states)}
        return Chances(of, FOUND[asked[0][1]])

    def _own_decisions(self, seat: int, past: Sequence[int]) -> list[tuple[np.ndarray, int]]:
        """(State, action) of each decision of the seat so far."""
        states = self.game.new_states()
        drive.begin_hand(states, self.game.tables)
        decisions = []
        for action in past:
            if int(states[0]["turn"]) == seat:
                decisions.append((states.copy(), action))
            drive.apply_action(states, self.game.tables, action)
        return decisions

    def exact_values(self, states: np.ndarray) -> Valued | None:
        """The exact values of the decision, if the bot has them; prepared when first asked for."""
        with self._lock:
            if not self._tried:
                self._tried = True
                try:
                    self._exact = ExactValues(self.agent, self.game)
                except ValueError:
                    self._exact = None
        return None if self._exact is None else self._exact.at(states)


def adviser(agent: Agent, game: Game) -> Adviser:
    """The adviser that a bot is for a game. Raises ValueError as `Adviser` does."""
    return _adviser(agent, str(exact(game)))


@lru_cache(maxsize=MOST_KEPT)
def _adviser(agent: Agent, game: str) -> Adviser:
    return Adviser(agent, load(game))
