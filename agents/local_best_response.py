"""Local best response: a player that exploits a bot whose strategy it knows, one decision ahead.

At every decision it keeps what the bot may hold, as deals weighted by the chances of what the bot
did (`ranges`), and values each of its actions as if both sides then only checked and called to the
end; the bot may answer a raise by folding, as its strategy says, and draws as its strategy says.
Its own later draws are taken to be those that the bot would make with its hand. It plays the action
of the highest value (Lisý and Bowling 2017, "Equilibrium approximation quality of current no-limit
poker bots", algorithm 1).

It is a strategy like any other: what it wins from a bot, on average, a best response wins as well,
and perhaps more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pokerspiel.agents.agent import CompiledAgent, Follower, HandAgent, legal
from pokerspiel.agents.exact_strategy import values_against
from pokerspiel.agents.heuristics import always_call
from pokerspiel.agents.policy import Policy, choose, lifted_probabilities, new_work
from pokerspiel.agents.ranges import PARTICLES, Ranges
from pokerspiel.games.compiled import kernel
from pokerspiel.games.kernel import (
    CHANCE,
    KIND_DRAW,
    KIND_FOLD,
    KIND_KEEP,
    KIND_RAISE,
    KIND_REJECT,
    TERMINAL,
    act,
    action_kind,
    legal_actions,
    mix,
    random_below,
    random_bits,
)
from pokerspiel.games.variants import Game, exact, load
from pokerspiel.solvers.tree import Tree

ROLLOUTS = 200
"""Continuations of the hand by which an action is valued, where they cannot all be walked."""
CANDIDATES = 4
"""Actions that are valued by all rollouts; where there are more, a few rollouts choose them."""
_FIRST_SHARE = 4
"""One in so many of the rollouts chooses the candidates."""
MOST_MOVES = 1 << 14
"""Cards and actions up to which all continuations of the hand are walked."""

_WIDTH = 64
_DEPTH = 64


class _Room(NamedTuple):
    """Scratch of the kernels; D open nodes, each with W ways on."""

    states: np.ndarray
    """[D]"""
    moves: np.ndarray
    """[D, W] cards and actions at the open nodes."""
    chances: np.ndarray
    """[D, W] their probabilities."""
    ways: np.ndarray
    """[D] how many there are."""
    tried: np.ndarray
    """[D] how many of them have been walked."""
    reach: np.ndarray
    """[D] probability of the open node."""
    legal: np.ndarray
    policy: np.ndarray
    random: np.ndarray
    walked: np.ndarray
    """[1] moves since the decision."""


def _new_room(game: Game) -> _Room:
    return _Room(
        game.new_states(_DEPTH),
        np.zeros((_DEPTH, _WIDTH), np.int64),
        np.zeros((_DEPTH, _WIDTH)),
        np.zeros(_DEPTH, np.int64),
        np.zeros(_DEPTH, np.int64),
        np.zeros(_DEPTH),
        np.zeros(game.limits.num_actions, np.int64),
        np.zeros(game.limits.num_actions),
        np.zeros(1, np.uint64),
        np.zeros(1, np.int64),
    )


@kernel
def _ways_on(
    depth: int, answers: bool, every: bool, policy: Any, work: Any, tables: Any, room: Any
) -> Any:
    """Write how the hand goes on from an open node, and how likely; returns the number of ways.

    `answers`: the seat to act has just been raised. `every`: all cards and draws, else one of them.
    """
    states = room.states[depth : depth + 1]
    state = states[0]
    moves = room.moves[depth]
    chances = room.chances[depth]
    n: Any = 0
    if state.turn == CHANCE:
        for card in range(_WIDTH):
            if state.stub >> np.uint64(card) & np.uint64(1):
                moves[n] = card
                n += 1
        if not every:
            moves[0] = moves[random_below(room.random, n)]
            n = 1
        chances[:n] = 1.0 / n
        return n
    legal = room.legal
    n = legal_actions(state, tables, legal)
    kind = action_kind(state, tables, legal[0])
    draws = kind in (KIND_DRAW, KIND_KEEP, KIND_REJECT)
    may_fold = answers and kind == KIND_FOLD
    if draws and not every:
        moves[0], _ = choose(state, policy, work, random_bits(room.random), tables)
        chances[0] = 1.0
        return 1
    if draws or may_fold:
        seed = random_bits(room.random)
        lifted_probabilities(states, policy, work, seed, tables, room.policy)
    if draws:
        count = 0
        for i in range(n):
            if room.policy[legal[i]] > 0.0:
                moves[count] = legal[i]
                chances[count] = room.policy[legal[i]]
                count += 1
        return count
    moves[0] = legal[always_call(state, tables, legal, n)]
    chances[0] = 1.0
    if not may_fold:
        return 1
    moves[1] = legal[0]
    chances[1] = room.policy[legal[0]]
    chances[0] = 1.0 - chances[1]
    return 2


@kernel
def _value(
    action: int, seat: int, every: bool, policy: Any, work: Any, tables: Any, room: Any
) -> float:
    """What `seat` wins if it takes an action in `room.states[0]` and all call to the end.

    By walking every continuation, or one at random; NaN if they are too many.
    """
    room.moves[0, 0] = action
    room.chances[0, 0] = 1.0
    room.ways[0] = 1
    room.tried[0] = 0
    room.reach[0] = 1.0
    raised = action_kind(room.states[0], tables, action) == KIND_RAISE
    first = True
    total = 0.0
    depth = 0
    while depth >= 0:
        way = room.tried[depth]
        if way == room.ways[depth]:
            depth -= 1
            continue
        room.tried[depth] += 1
        room.walked[0] += 1
        move = room.moves[depth, way]
        reach = room.reach[depth] * room.chances[depth, way]
        if way + 1 < room.ways[depth]:  # else the node is done with, and its place is free
            if depth + 1 == len(room.states) or (every and room.walked[0] > MOST_MOVES):
                return np.nan
            room.states[depth + 1] = room.states[depth]
            depth += 1
        act(room.states[depth], tables, move)
        state = room.states[depth]
        room.reach[depth] = reach
        room.tried[depth] = 0
        room.ways[depth] = 0
        if state.turn == TERMINAL:
            total += reach * state.returns[seat]
        else:
            answers = first and raised and state.turn >= 0 and state.turn != seat
            room.ways[depth] = _ways_on(depth, answers, every, policy, work, tables, room)
        first = False
    return total


@kernel
def _values(
    particles: Any,
    picks: Any,
    shares: Any,
    actions: Any,
    seat: int,
    every: bool,
    seed: Any,
    policy: Any,
    work: Any,
    tables: Any,
    room: Any,
    out: Any,
) -> None:
    """Write the value of each action to `seat`, over the particles `picks` with their `shares`.

    All actions meet the same luck. NaN where there are too many continuations to walk.
    """
    room.walked[0] = 0
    for a in range(len(actions)):
        out[a] = 0.0
        for j in range(len(picks)):
            if shares[j] > 0.0:
                room.random[0] = mix(np.uint64(seed), np.uint64(j))
                room.states[0] = particles[picks[j]]
                value = _value(actions[a], seat, every, policy, work, tables, room)
                out[a] += shares[j] * value
                if np.isnan(value):
                    return


class LocalBestResponse(HandAgent):
    """Plays the local best response to `target` in a game for two.

    `particles` is how many deals it keeps in mind, `rollouts` by how many continuations it values
    an action; small games it walks to the end.
    """

    def __init__(
        self, target: CompiledAgent, particles: int = PARTICLES, rollouts: int = ROLLOUTS
    ) -> None:
        for name, number in (("particles", particles), ("rollouts", rollouts)):
            if number < 1:
                raise ValueError(f"{name}={number} is not allowed: expected 1 or more")
        made_for = None if target.game is None else exact(target.game)
        super().__init__(f"local best response to {target.name}", made_for)
        self._target = target
        self._particles = particles
        self._rollouts = rollouts

    def follow(self, game: Game, seat: int) -> LocalFollower:
        if game.players != 2:
            raise ValueError(f"{self.name} plays games for two, not {game}")
        return LocalFollower(
            exact(game), seat, self._target.policy(game), self._particles, self._rollouts
        )


class LocalFollower(Follower):
    """A local best response on its seat."""

    def __init__(
        self, game: Game, seat: int, policy: Policy, particles: int, rollouts: int
    ) -> None:
        self._game = game
        self._seat = seat
        self._policy = policy
        self._rollouts = rollouts
        self._work = new_work(game)
        self._room = _new_room(game)
        self.ranges = Ranges(game, {1 - seat: policy}, seat, particles)
        self.exact = True
        """Whether the last decision came from all deals and all continuations."""
        self.begin()

    def begin(self) -> None:
        self._events: list[int] = []
        self._started = False

    def tell(self, event: int) -> None:
        self._events.append(event)

    def choose(self, seed: int) -> int:
        values = self.values(seed)
        return max(values, key=lambda action: values[action])

    def values(self, seed: int) -> dict[int, float]:
        """What the seat expects to win, in chips, by each action that is not plainly worse."""
        if not self._started:
            self.ranges.begin(seed)
            self._started = True
        self.ranges.follow(self._events)
        particles, chances = self.ranges.states, self.ranges.chances
        actions = np.array(legal(self._game, particles[:1]), np.int64)
        if self.ranges.exact:
            out = self._mean(particles, np.arange(len(particles)), chances, actions, True, seed)
            self.exact = not np.isnan(out).any()
            if self.exact:
                return dict(zip(actions.tolist(), out.tolist(), strict=True))
        self.exact = False
        if len(actions) > CANDIDATES:
            few = max(self._rollouts // _FIRST_SHARE, 1)
            out = self._sampled(particles, chances, few, actions, seed)
            actions = np.sort(actions[np.argsort(-out, kind="stable")[:CANDIDATES]])
        out = self._sampled(particles, chances, self._rollouts, actions, seed + 1)
        return dict(zip(actions.tolist(), out.tolist(), strict=True))

    def _sampled(
        self, particles: np.ndarray, chances: np.ndarray, n: int, actions: np.ndarray, seed: int
    ) -> np.ndarray:
        """The values by `n` rollouts, shared among the particles by their chances."""
        marks = (np.arange(n) + 0.5) / n
        picks = np.minimum(np.searchsorted(np.cumsum(chances), marks), len(chances) - 1)
        return self._mean(particles, picks, np.full(n, 1.0 / n), actions, False, seed)

    def _mean(
        self,
        particles: np.ndarray,
        picks: np.ndarray,
        shares: np.ndarray,
        actions: np.ndarray,
        every: bool,
        seed: int,
    ) -> np.ndarray:
        out = np.zeros(len(actions))
        _values(
            particles,
            picks,
            shares,
            actions,
            self._seat,
            every,
            np.uint64(seed % (1 << 64)),
            self._policy,
            self._work,
            self._game.tables,
            self._room,
            out,
        )
        return out


# What it is worth, exactly.


def local_strategy(target: CompiledAgent, tree: Tree, particles: int = PARTICLES) -> np.ndarray:
    """[S] what the local best response to `target` does at each information set of a small game.

    `tree` is that of the exact game for two. Raises ValueError if there are too many deals or
    continuations to know it exactly.
    """
    agent = LocalBestResponse(target, particles)
    game = load(tree.game)
    followers = [agent.follow(game, seat) for seat in range(game.players)]
    strategy = np.zeros(tree.sequences)
    for i in range(tree.information_sets):
        follower = followers[tree.set_player[i]]
        follower.begin()
        for event in tree.history(int(tree.set_node[i])):
            follower.tell(event)
        place = tree.actions(i).tolist().index(follower.choose(0))
        if not follower.exact:
            raise ValueError(
                f"{tree.game} is too large to know exactly what the {agent.name} does: "
                "measure it with a match"
            )
        strategy[tree.set_first[i] + place] = 1.0
    return strategy


def local_values(target: CompiledAgent, tree: Tree, particles: int = PARTICLES) -> np.ndarray:
    """[2] what the local best response wins from `target` in each seat, exactly, in chips.

    At most the value of a best response, `Evaluation.best_values`; see `local_strategy`.
    """
    return values_against(local_strategy(target, tree, particles), target, tree)
